"""One recording decoded by several processes.

A full packet has the whole state. Collectors that start anew from it (`Jobs.anew`) are played by stretch:
each process begins somewhere and plays on until it meets a stretch that another has begun; then it begins in the
middle of the longest run of stretches that no process has begun. Their parts are joined. Collectors that need
everything before are divided into groups of similar work; one process plays the whole recording for each group.
The rows equal those of one process, in the same order; if a process meets damage, one process decodes the
recording.

Tables come back in files that are mapped, not copied.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import count, pairwise
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from playhead.errors import FactError, ReplayError
from playhead.io.scratch import TemporaryFolder, claim, fast_folder, hand_over, take_over
from playhead.io.source import Origin, Source, open_origin
from playhead.model import Options, Problem, ProblemHandler
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.records import dataclass, replace
from playhead.runtime.workers import WORKERS
from playhead.source2.container.frames import FULL_PACKET
from playhead.source2.playback.collector import Collector
from playhead.source2.playback.frame_player import Checked
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.tables.request import TableRequest
from playhead.tables.deferred import Built

#: Bytes of a recording below which one process is faster than the start of another.
SMALLEST = 8 << 20

# A frame takes as much time as so many bytes.
_FRAME_COST = 6_000

# Stretches for each process. Short ones let all processes end together; one after another they cost nothing.
_STRETCHES = 20

# Handing over takes so much of the time of playing; more for queries of entities, which have hundreds of columns.
_HANDING, _HANDING_QUERIES = 0.1, 0.17

# Claimed by the process that joins the parts, when it begins to play stretches.
_JOINER = "joiner"

# `Jobs.work` of a pass without collectors, of the checks, and of a query of entities.
_PASS, _CHECKS, _QUERY = 30, 10, 60

# A group may take so many times its share: another pass has its price.
_UNEVEN = 1.15


class Host(Protocol):
    """The parts of a `Source2Replay` that a stretch needs."""

    source: Source
    options: Options
    recording: Recording
    in_turn: bool

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


#: `Source.stamp`.
Stamp = tuple[int, ...] | None

#: Takes a table or part out of this process, if another one joins it.
Hand: TypeAlias = Callable[[Any], Any]

#: Tables, and the results of the checks if there were any.
Shared: TypeAlias = tuple[dict[str, Built], Checked | None]

#: First frame, and the frame after the last; 0 and None are the ends of the recording.
Stretch = tuple[int, int | None]


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


@dataclass(slots=True)
class Played:
    """Stretches that one process played one after another.

    Attributes:
        first: number of the first.
        parts: of each collector, for `Collector.joined`; handed over if another process joins them.
        checked: results of the checks.
        problems: problems of the recording that are known then.
        events_before, events_after: names of the game events, as listed before the stretches and up to their end.
    """

    first: int
    parts: list[Any]
    checked: Checked
    problems: tuple[Problem, ...]
    events_before: list[str]
    events_after: list[str]


@dataclass(slots=True)
class GroupTables:
    """The tables of a group of collectors, handed over if another process has made them, and the problems that are
    known then.
    """

    tables: dict[str, Any]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Sharing:
    """The work of all processes.

    Attributes:
        groups: requests that need everything before; each is played by one process, besides that of the process
            which joins all.
        request: the request that is played by stretch.
        stretches: the stretches; the last one is played by the process that joins all.
        jobs: number of processes.
        folder: place of the notes about begun work, and of the results.
    """

    groups: tuple[TableRequest, ...]
    request: TableRequest
    stretches: tuple[Stretch, ...]
    jobs: int
    folder: str

    def claim(self, work: str) -> bool:
        """Return whether no process has begun some work before; it is this one's now."""
        return claim(self.place(work))

    def place(self, work: str) -> str:
        """Return the path of the results of some work."""
        return str(Path(self.folder, work))

    def end(self, *, joins: bool) -> int:
        """Return the number after the last stretch that a process may play; `joins`: if it joins the parts."""
        return len(self.stretches) - (not joins)

    def leaves_to_joiner(self, played: int) -> bool:
        """Return whether a worker should stop: the process that joins the parts can play the stretches that nobody
        has begun while this one hands over its `played` ones.
        """
        names = os.listdir(self.folder)
        if f"{_JOINER}.begun" not in names:
            return False
        begun = set(names)
        left = sum(f"{number}.begun" not in begun for number in range(len(self.stretches)))
        return left < self._handing * played  # it has to begin anew and to join, too

    @property
    def _handing(self) -> float:
        return _HANDING_QUERIES if self.request.queries else _HANDING

    def next_stretch(self, *, joins: bool) -> int | None:
        """Return the stretch to begin with; None if none is left. `joins` is as for `end`."""
        begun = {name.removesuffix(".begun") for name in os.listdir(self.folder)}
        most = longest = run = end = 0
        for number in range(self.end(joins=joins)):
            run = 0 if str(number) in begun else run + 1
            gain = run if run > number else (run + 1) // 2  # another process plays towards it
            if gain > most:
                most, longest, end = gain, run, number + 1
        if not longest:
            return None
        if joins:  # it also plays the stretches that the others could play while they hand over
            processes = self.jobs if longest == len(self.stretches) else 2
            return end - max(1, round(longest * (1 + self._handing) / (processes + self._handing)))
        # Another process plays towards the run, unless it is at the start.
        return 0 if end == longest else end - (longest + 1) // 2


class _Play:
    """Stretches, played one after another by a replay of its own or by the caller's.

    Attributes:
        collectors: the collectors, which have seen the stretches.
        failures: problems that the playback met.
    """

    def __init__(self, replay: Host, plan: Sharing, first: int, *, joins: bool) -> None:
        self.first = self.end = first
        self.failures: list[ReplayError] = []
        failed = self.failures.append  # without `self`: a cycle would outlive the call
        self.collectors = replay.collectors_for(plan.request)
        for collector in self.collectors:
            collector.prepare(joins=joins)
        start = plan.stretches[first][0]
        self._plan = plan
        self._playback = playback = replay.playback_for(
            self.collectors,
            check=plan.request.check,
            on_problem=lambda error, _cost: failed(error),
            begin=start - 1 if start else None,
        )
        if start:
            playback.begin_after(start - 1)
            for collector in self.collectors:
                collector.begin()
        self._before = Checked.of(playback)
        self._events_before = list(playback.decoder.event_names)
        while not self.failures and self.end < plan.end(joins=joins):
            if self.end > first and (
                (not joins and plan.leaves_to_joiner(self.end - first)) or not plan.claim(str(self.end))
            ):
                break
            until = plan.stretches[self.end][1]
            self.end += 1
            if until is None:
                playback.run()
            else:
                playback.run_before(until)
            replay.source.release()
        playback.stops_early = self.end < len(plan.stretches)

    def result(self, replay: Host, hand: Hand) -> Played | None:
        """Return the parts, without those of the end of the recording; None if the stretches met damage."""
        playback, whole = self._playback, self.end == len(self._plan.stretches)
        events = list(playback.decoder.event_names)
        checked = Checked.of(playback) - self._before
        playback.release()
        parts: list[Any] = []
        while self.collectors and not self.failures and not whole:  # a collector is released with its part
            try:
                part = self.collectors.pop(0).part()
            except Exception as error:  # one process reports it
                self.failures.append(FactError(str(error)))
            else:
                parts.append(hand(part))
        if self.failures:
            return None
        return Played(self.first, parts, checked, replay.problems_so_far, self._events_before, events)


def _work(
    kind: type[Any], origin: Origin, options: Options, plan: Sharing, name: str, in_turn: bool
) -> tuple[list[Played | GroupTables], Stamp] | None:
    """Do a worker's share of a plan; `name` is the worker's, which nobody else may claim, `in_turn` that of the
    replay.

    Return the finished work and the stamp of its file; None after damage, when one process has to decode.
    """
    done: list[Played | GroupTables] = []
    if not plan.claim(name):
        return done, None
    with GC_PAUSED, suppress(OSError):  # no room for the results
        numbers = count()
        replay = kind(open_origin(origin, options.limits, disk=True), options)
        replay.in_turn = in_turn
        for each in _share_of(replay, plan, lambda made: hand_over(made, plan.place(f"{name}-{next(numbers)}"))):
            if each is None:
                return None
            done.append(each)
        return done, replay.source.stamp
    return None


def _share_of(
    replay: Host, plan: Sharing, hand: Hand, last: list[_Play] | None = None
) -> Iterator[Played | GroupTables | None]:
    """Yield the results of the work that no other process has begun; None for damage.

    Args:
        last: gets the stretches up to the end of the recording, in the process that joins the parts.
    """
    for number, group in enumerate(plan.groups):
        if plan.claim(f"group{number}"):
            tables = replay.collect_alone(group)
            yield GroupTables({name: hand(tables.pop(name)) for name in list(tables)}, replay.problems_so_far)
    joins = last is not None
    if joins:
        plan.claim(_JOINER)
    while (first := plan.next_stretch(joins=joins)) is not None:
        if not plan.claim(str(first)):
            continue
        play = _Play(replay, plan, first, joins=joins)
        if last is not None and play.end == len(plan.stretches):
            last.append(play)
        yield play.result(replay, hand)


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


def _is_still(origin: Origin, source: Source, stamps: Sequence[Stamp]) -> bool:
    """Return whether the others read the same bytes: a file may have been replaced since it was opened."""
    if origin.location is None or (source.stamp is not None and all(stamp == source.stamp for stamp in stamps)):
        return True
    data = source.data
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


def _groups(request: TableRequest, kinds: Sequence[type[Collector]], others: int, jobs: int) -> list[TableRequest]:
    """Return `kinds` in groups of similar work, as few as let all processes end together."""
    if not kinds:
        return []
    work, count = sum(kind.jobs.work for kind in kinds), 1
    while count < min(jobs, work // _PASS) and work / count + _PASS > _UNEVEN * (
        (work + count * _PASS + others) / jobs
    ):
        count += 1
    groups: list[list[type[Collector]]] = [[] for _ in range(count)]
    for kind in sorted(kinds, key=lambda kind: -kind.jobs.work):
        min(groups, key=lambda group: sum(each.jobs.work for each in group)).append(kind)
    # In the order of the request, which decides about equal names of tables.
    return [
        replace(request, kinds=tuple(kind for kind in request.kinds if kind in group), queries=(), check=False)
        for group in groups
    ]


def _planned(
    recording: Recording, request: TableRequest, jobs: int, folder: str
) -> tuple[Sharing, list[TableRequest]] | None:
    """Return the plan of a request, and the part of it that is done in this process; None if it can do all."""
    stretches = stretches_of(recording, _STRETCHES * jobs)
    kinds = [kind for kind in request.kinds if kind.jobs.anew] if len(stretches) > 1 else []
    queries = request.queries if len(stretches) > 1 else ()
    if request.queries and not queries:
        return None
    rest = [kind for kind in request.kinds if kind not in kinds]
    work = sum(kind.jobs.work for kind in kinds) + _QUERY * len(queries)
    groups = _groups(request, rest, work + _PASS if work else 0, jobs)
    if not groups:  # nothing needs everything before
        mine = replace(request, kinds=tuple(kinds))
        return Sharing((), mine, tuple(stretches), jobs, folder), []
    own = _with_slow_joins(request, groups[-1], jobs) if work else groups[-1]
    mine = replace(request, kinds=tuple(kind for kind in kinds if kind not in own.kinds))
    if not queries and not any(kind.entities for kind in mine.kinds):  # the checks need entities
        mine, own = replace(mine, check=False), replace(own, check=request.check)
    if not mine.kinds and not queries:  # nothing is played by stretch
        stretches = []
        if len(groups) < 2:
            return None
    return Sharing(tuple(groups[:-1]), mine, tuple(stretches), jobs, folder), [own]


def _with_slow_joins(request: TableRequest, own: TableRequest, jobs: int) -> TableRequest:
    """Return the group of the process that joins, with the kinds that are slow to join if it has time for them."""
    slow = tuple(kind for kind in request.kinds if kind.jobs.slow_to_join)
    work = sum(kind.jobs.work for kind in (*own.kinds, *slow)) + _PASS
    everything = (
        sum(kind.jobs.work for kind in request.kinds) + _QUERY * len(request.queries) + 2 * _PASS + _CHECKS
    )
    if work > _UNEVEN * everything / jobs:
        return own
    return replace(own, kinds=tuple(kind for kind in request.kinds if kind in own.kinds or kind in slow))


def prepare(replay: Host, jobs: int) -> None:
    """Let the other processes start while this one imports Arrow and reads the frames."""
    if len(replay.recording.source.data) >= SMALLEST:
        WORKERS.prepare(jobs - 1, ("pyarrow", __name__, type(replay).__module__))


def share(replay: Host, request: TableRequest, jobs: int) -> Shared | None:
    """Return the tables of a request from several processes, this one among them, with the results of its checks.

    None if one process has to do it: the recording is small, or too little of the request can be shared; a process
    met damage, the file was changed, or a process died. The results of the checks are None if they were made here.
    """
    if len(replay.recording.source.data) < SMALLEST:
        return None
    options = Options(limits=replay.options.limits)
    with TemporaryFolder("jobs", fast_folder(8 * len(replay.recording.source.data))) as folder:
        planned = _planned(replay.recording, request, jobs, folder)
        if planned is None:
            return None
        plan, own = planned
        try:
            origin = _origin(replay.recording, folder)
        except OSError:  # no room
            return None
        pool, broken = WORKERS.take(jobs - 1), False
        names = [f"worker{number}" for number in range(jobs - 1)]
        try:
            tasks = [
                pool.submit(_work, type(replay), origin, options, plan, name, replay.in_turn) for name in names
            ]
            last: list[_Play] = []
            found: list[Played | GroupTables] = [
                GroupTables(replay.collect_alone(group), replay.problems_so_far) for group in own
            ]
            for done in _share_of(replay, plan, lambda made: made, last):
                if done is None:
                    return None
                found.append(done)
            stamps: list[Stamp] = []
            for name, task in zip(names, tasks, strict=True):
                if not plan.claim(name):
                    result = task.result()
                    if result is None:
                        return None
                    found += result[0]
                    stamps.append(result[1])
            if not _is_still(origin, replay.recording.source, stamps):
                return None
        except BrokenProcessPool:
            broken = True
            return None
        finally:
            groups = (f"group{number}" for number in range(len(plan.groups)))
            for work in (_JOINER, *names, *groups, *map(str, range(len(plan.stretches)))):
                plan.claim(work)
            WORKERS.give_back(pool, broken=broken)
        return _joined(replay, found, last, check=plan.request.check)


def _joined(
    replay: Host, found: Sequence[Played | GroupTables], last: Sequence[_Play], *, check: bool
) -> Shared | None:
    """Return the tables and checks of all work; None if the parts do not fit together."""
    known = set(replay.problems_so_far)
    if any(problem not in known for each in found for problem in each.problems):
        return None
    tables: dict[str, Built] = {}
    for each in found:
        if isinstance(each, GroupTables):
            tables |= {name: take_over(table) for name, table in each.tables.items()}
    played = sorted((each for each in found if isinstance(each, Played)), key=lambda each: each.first)
    if not played:
        return tables, None
    if any(one.events_after != next_.events_before for one, next_ in pairwise(played)):
        return None
    checked = played[0].checked
    for each in played[1:]:
        checked += each.checked
    try:
        for number, collector in enumerate(last[0].collectors):
            tables |= collector.joined([take_over(each.parts[number]) for each in played[:-1]])
    except Exception:  # `Unjoinable`, or a failure that one process reports
        return None
    return tables, checked if check else None
