"""One recording decoded by several processes, each from one full packet to another.

A full packet has the whole state. Collectors that start anew from it (`Collector.anew`) are played by stretch, in
the order of the file or not, and their parts are joined. Collectors that need everything before are played once
from the start in this process, beside the others. The rows equal those of one process, in the same order; if a
stretch meets damage, one process decodes the recording.

Parts come back in files that are mapped, not copied.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Protocol

from playhead.errors import ReplayError
from playhead.io.handover import Handed, claim, hand_over, take_over
from playhead.io.opened import opened_again
from playhead.io.source import Origin
from playhead.model import Options, Problem, ProblemHandler
from playhead.runtime.garbage import COLLECTOR_PAUSED
from playhead.runtime.records import dataclass, replace
from playhead.runtime.workers import WORKERS
from playhead.source2.container.frames import FULL_PACKET
from playhead.source2.playback.checked import Checked
from playhead.source2.playback.collector import Collector, Unjoinable
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.tables.request import TableRequest
from playhead.tables.deferred import Built

#: Bytes of a recording below which one process is faster than the start of another.
SMALLEST = 8 << 20

# A frame takes as much time as so many bytes.
_FRAME_COST = 6_000


class Host(Protocol):
    """The parts of a `Source2Replay` that a stretch needs."""

    options: Options
    recording: Recording

    @property
    def problems_so_far(self) -> tuple[Problem, ...]: ...

    def collect_alone(self, request: TableRequest) -> dict[str, Built]:
        """Return the tables of a request, built in this process."""

    def collectors_for(self, request: TableRequest) -> list[Collector]:
        """Return the collectors of a request."""

    def playback_for(
        self, collectors: Sequence[Collector], *, check: bool, on_problem: ProblemHandler, begin: int | None
    ) -> Playback:
        """Return a playback for these collectors, attached, which begins after full packet `begin`."""


#: First frame, and the frame after the last; 0 and None are the ends of the recording.
Stretch = tuple[int, int | None]


@dataclass(slots=True)
class Played:
    """A stretch that was played.

    Attributes:
        parts: of each collector, for `Collector.joined`.
        checked: results of the checks.
        problems: problems of the stretch.
        events_before, events_after: names of the game events, as listed before the stretch and up to its end.
    """

    parts: list[Any]
    checked: Checked
    problems: tuple[Problem, ...]
    events_before: list[str]
    events_after: list[str]


def stretches_of(recording: Recording, count: int) -> list[Stretch]:
    """Return about `count` stretches of equal work; each but the first begins after a full packet."""
    frames = recording.frames
    # The first full packet begins the game; there is nothing before it to decode.
    full = frames.numbers_of(FULL_PACKET)[1:]
    work = [frames[number].offset + _FRAME_COST * number for number in full]
    size = len(recording.source.data) + _FRAME_COST * len(frames)
    starts = {0}
    for place in range(1, count) if full else ():
        wanted = size * place // count
        starts.add(full[min(range(len(full)), key=lambda i: abs(work[i] - wanted))] + 1)
    begins = sorted(starts)
    return list(zip(begins, [*begins[1:], None], strict=True))


class _Play:
    """One stretch, played by a replay of its own or by the caller's.

    Attributes:
        collectors: the collectors, which have seen the stretch.
        failures: problems that the playback met.
    """

    def __init__(self, replay: Host, request: TableRequest, stretch: Stretch) -> None:
        start, until = stretch
        self.failures: list[ReplayError] = []
        self.collectors = replay.collectors_for(request)
        for collector in self.collectors:
            collector.in_stretch = True
        playback = replay.playback_for(
            self.collectors,
            check=request.check,
            on_problem=lambda error, _cost: self.failures.append(error),
            begin=start - 1 if start else None,
        )
        if start:
            playback.begin_after(start - 1)
            for collector in self.collectors:
                collector.begin()
        playback.stops_early = until is not None
        before = Checked.of(playback)
        self.events_before = list(playback.decoder.event_names)
        if until is None:
            playback.run()
        else:
            playback.run_before(until)
        self.checked = Checked.of(playback) - before
        self.events_after = list(playback.decoder.event_names)
        self._playback = playback

    def result(self, replay: Host) -> Played | None:
        """Return the parts; None if the stretch met damage."""
        parts = [] if self.failures else [collector.part() for collector in self.collectors]
        self._playback.release()
        if self.failures:
            return None
        return Played(parts, self.checked, replay.problems_so_far, self.events_before, self.events_after)


def _write_stretch(
    kind: type[Any], origin: Origin, options: Options, request: TableRequest, stretch: Stretch, path: str
) -> Handed | None:
    """Play a stretch in a worker.

    Return the `Played`, handed over by `path`; None if the stretch met damage, or another process plays it.
    """
    if not claim(path):
        return None
    with COLLECTOR_PAUSED:
        replay = opened_again(kind, origin, options, {})
        played = _Play(replay, request, stretch).result(replay)
    if played is None:
        return None
    return hand_over(played, path)


def _origin(recording: Recording, folder: str) -> Origin:
    """Return the way for another process to the same bytes: the path of a plain file, or of a copy in `folder`."""
    source = recording.source
    if source.compression is None and source.location is not None and Path(source.location).is_file():
        return source.origin()
    if source.fragments is not None:  # a joined broadcast is small
        return Origin(source.name, None, bytes(source.data), fragments=source.fragments)
    copy = Path(folder, "recording.dem")
    copy.write_bytes(source.data)
    return Origin(source.name, str(copy))


def _is_still(origin: Origin, data: memoryview) -> bool:
    """Return whether the others read the same bytes: a file may have been replaced since it was opened."""
    if origin.location is None:
        return True
    place = 0
    try:
        with open(origin.location, "rb", buffering=0) as file:
            while part := file.read(1 << 20):
                if part != data[place : place + len(part)]:
                    return False
                place += len(part)
    except OSError:
        return False
    return place == len(data)


def share(replay: Host, request: TableRequest, jobs: int) -> tuple[dict[str, Built], Checked] | None:
    """Return the tables of a request from several processes, this one among them, with the results of its checks.

    None if one process has to do it: the recording is small, has fewer than two full packets, or no table
    can be shared; a stretch is damaged, the file was changed, or a process died.
    """
    if len(replay.recording.source.data) < SMALLEST:
        return None
    kinds = [kind for kind in request.kinds if kind.anew]
    rest = [kind for kind in request.kinds if not kind.anew]
    if not kinds and not request.queries:
        return None
    # More stretches than processes let all end together: this one takes what the others have not begun.
    stretches = stretches_of(replay.recording, (3 if rest else 2) * jobs)
    if len(stretches) < 2:
        return None
    mine = replace(request, kinds=tuple(kinds))
    others = replace(request, kinds=tuple(rest), queries=(), check=False)
    options = Options(limits=replay.options.limits)
    pool = WORKERS.take(jobs - 1)
    broken = False
    with tempfile.TemporaryDirectory(prefix="playhead-") as folder:
        origin = _origin(replay.recording, folder)
        places = [str(Path(folder, str(i))) for i in range(len(stretches) - 1)]
        tasks: list[Future[Handed | None]] = []
        try:
            for each, place in zip(stretches[:-1], places, strict=True):
                tasks.append(pool.submit(_write_stretch, type(replay), origin, options, mine, each, place))
            tables = replay.collect_alone(others) if rest else {}
            last = _Play(replay, mine, stretches[-1])
            played = None if last.failures else _others(replay, mine, stretches, tasks, places)
            if not _is_still(origin, replay.recording.source.data):
                played = None
        except BrokenProcessPool:
            broken = True
            return None
        finally:
            for place in places:
                claim(place)
            WORKERS.give_back(pool, broken=broken)
    return None if played is None else _joined(replay, mine, last, played, tables)


def _others(
    replay: Host,
    request: TableRequest,
    stretches: Sequence[Stretch],
    tasks: Sequence[Future[Handed | None]],
    places: Sequence[str],
) -> list[Played] | None:
    """Return the stretches before the last; this process plays those that no other has begun."""
    found: dict[int, Played | None] = {}
    for number in reversed(range(len(tasks))):
        if claim(places[number]):
            found[number] = _Play(replay, request, stretches[number]).result(replay)
    for number, task in enumerate(tasks):
        if number not in found:
            result = task.result()
            found[number] = None if result is None else take_over(result, places[number])
    ordered = [found[number] for number in range(len(tasks))]
    return [each for each in ordered if each is not None] if None not in ordered else None


def _joined(
    replay: Host, request: TableRequest, last: _Play, played: Sequence[Played], tables: dict[str, Built]
) -> tuple[dict[str, Built], Checked] | None:
    """Return the tables and checks of all stretches; None if they do not fit together."""
    ends = [each.events_after for each in played]
    begins = [*(each.events_before for each in played[1:]), last.events_before]
    known = set(replay.problems_so_far)
    if ends != begins or any(problem not in known for each in played for problem in each.problems):
        return None
    checked = last.checked
    for each in played:
        checked += each.checked
    try:
        for number, collector in enumerate(last.collectors):
            tables.update(collector.joined([each.parts[number] for each in played]))
    except Unjoinable:
        return None
    return tables, checked
