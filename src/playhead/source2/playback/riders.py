"""`Riders`: tables that no caller has requested yet, made in the pass for another table.

A pass over the recording costs more than most tables. So collectors ride along when `Replay.table` needs a pass:
in the first pass those that callers request most (`TableRegistry.first`), in the second all cheap ones, and in
later ones all but the dearest: a caller of so many is likely to request more. Tables that few callers request
(`TableRegistry.usual` lacks them) ride from the fourth pass on.
"""

from __future__ import annotations

from _thread import get_ident  # `threading` is not imported by a start
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager

from playhead.runtime.typing import TYPE_CHECKING

if TYPE_CHECKING:
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
