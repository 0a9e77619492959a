"""`collect_with_riders`: a pass for some tables, in which others are made beside them."""

from __future__ import annotations

from _thread import get_ident  # `threading` is not imported by a start
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.typing import TYPE_CHECKING, Protocol
from playhead.source2.tables.request import TableRequest
from playhead.tables.registry import build_or_note

if TYPE_CHECKING:
    from playhead.errors import ReplayError
    from playhead.model import Problem
    from playhead.source2.playback.collector import Collector
    from playhead.tables.deferred import Built


#: `Jobs.extra` that riders may add to the pass for the first table, all together: a tenth of what `kills` of a
#: long match costs a new process.
FIRST = 25
#: `Jobs.extra` of cheap tables, and of the dearest that ride along.
CHEAP, DEAREST = 25, 200

#: Number of passes in which only usual tables ride.
USUAL_PASSES = 3

#: Bytes of tables that are kept, and of one of them; those made first are released first.
KEPT, LARGEST = 32 << 20, 8 << 20


class Disturbed(BaseException):
    """A pass with riders met a problem. It is not known whose it is: the pass is repeated without riders."""


class Trial:
    """The time in which a problem may be that of a rider."""

    def __init__(self) -> None:
        self._thread: int | None = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let this thread's problems raise `Disturbed`."""
        self._thread = get_ident()
        try:
            yield
        finally:
            self._thread = None

    @property
    def here(self) -> bool:
        """Whether this thread is in such a time."""
        return self._thread == get_ident()

    def check(self, problem: Problem, found: Collection[Problem], *, strict: bool) -> None:
        """Raise `Disturbed` at a problem of a pass with riders.

        Unless the reading is strict, ignore problems that every pass meets, and those
        that an earlier call found.
        """
        if strict or not (problem.where == "frame" or problem in found):
            raise Disturbed


class Riders:
    """The riders of one replay.

    Attributes:
        stay: whether collectors may ride along; False after a pass that was disturbed.
        passes: number of passes for which `choose` was called.
        kept: tables without a request yet, by name.
    """

    def __init__(self) -> None:
        self.stay = True
        self.passes = 0
        self.kept: dict[str, Built] = {}

    def choose(
        self, kinds: Collection[type[Collector]], known: Mapping[str, type[Collector]], built: Collection[str]
    ) -> list[type[Collector]]:
        """Return the collectors that ride along in the next pass, which is for `kinds`.

        Args:
            known: the collectors that may ride, by table; in the first passes not all (`USUAL_PASSES`).
            built: names of the tables that exist.
        """
        self.passes += 1
        if not self.stay:
            return []
        missing = (kind for name, kind in known.items() if name not in built and name not in self.kept)
        riders = [kind for kind in dict.fromkeys(missing) if kind not in kinds]
        if self.passes == 1:
            budget, chosen = FIRST, []
            for kind in sorted(riders, key=lambda kind: kind.jobs.extra):
                if kind.jobs.extra <= budget:
                    budget -= kind.jobs.extra
                    chosen.append(kind)
            return chosen
        most = CHEAP if self.passes == 2 else DEAREST
        return [kind for kind in riders if kind.jobs.extra <= most]

    def keep(self, tables: Mapping[str, Built]) -> None:
        """Keep tables until someone asks for them."""
        self.kept.update((name, table) for name, table in tables.items() if table.nbytes <= LARGEST)
        size = sum(table.nbytes for table in self.kept.values())
        while size > KEPT:
            size -= self.kept.pop(next(iter(self.kept))).nbytes

    def take(self, names: Iterable[str]) -> dict[str, Built]:
        """Return the tables of these names that are kept, and keep them no longer."""
        return {name: self.kept.pop(name) for name in names if name in self.kept}


class Carrier(Protocol):
    """The parts of a `Source2Replay` that a pass with riders needs."""

    trial: Trial

    def collectors_for(self, request: TableRequest) -> list[Collector]:
        """Return the collectors of a request."""

    def play_for(self, collectors: Sequence[Collector]) -> None:
        """Play the recording once for all collectors."""

    def note(self, error: ReplayError, cost: str) -> None:
        """Record an error; raise `Disturbed` in a trial."""


def collect_with_riders(
    replay: Carrier,
    riders: Riders,
    makers: Sequence[type[Collector]],
    riding: Sequence[type[Collector]],
    names: frozenset[str],
) -> dict[str, Built] | None:
    """Return the tables of these names, and keep those of the collectors that ride along; None if the pass met a
    problem: the one without riders records it.

    Args:
        makers: all collectors of the pass, in order.
        riding: those of them that ride along.
    """
    with GC_PAUSED:
        return _collect(replay, riders, makers, riding, names)


def _collect(
    replay: Carrier,
    riders: Riders,
    makers: Sequence[type[Collector]],
    riding: Sequence[type[Collector]],
    names: frozenset[str],
) -> dict[str, Built] | None:
    more = riding if riders.passes == 1 else makers
    wanted = names.union(schema.name for kind in more for schema in kind.schemas)
    try:
        with replay.trial.running():
            collectors = replay.collectors_for(TableRequest(tuple(makers), wanted=wanted))
            replay.play_for(collectors)
    except Disturbed:
        riders.stay = False
        return None
    built: dict[str, Built] = {}
    for each in collectors:
        if type(each) not in riding:
            built |= build_or_note(each, each.tables, replay.note)
    for each in collectors:
        if type(each) in riding:
            with suppress(Disturbed), replay.trial.running():
                riders.keep(build_or_note(each, each.tables, replay.note))
    riders.keep({name: table for name, table in built.items() if name in wanted - names})
    return {name: built[name] for name in names}
