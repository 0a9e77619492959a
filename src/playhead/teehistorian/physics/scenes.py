"""`Scenes`: simulated tees and shots of any stretch, for the viewer.

A simulation runs from the first tick; its rows wait in a temporary file, so each stretch is simulated once.
"""

from __future__ import annotations

import marshal
import math
import weakref
from collections.abc import Iterator
from functools import partial
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from playhead.errors import LimitExceeded, ReplayError
from playhead.runtime.libraries import pa, pc
from playhead.teehistorian.physics.arena.arena import SHOT
from playhead.teehistorian.physics.rerun.message_effects import MessageEffects
from playhead.teehistorian.physics.rerun.rerun import Rerun
from playhead.teehistorian.physics.simulation import Simulation
from playhead.teehistorian.physics.tables.event_tables import take_rows
from playhead.teehistorian.physics.world.world import GameWorld
from playhead.teehistorian.stream.messages import WEAPONS

#: Rows of tees in a part of the file.
_ROWS = 1 << 13
#: Places of shots, one for each tick, that one recording may have: some hours of a full server.
MOST_SHOTS = 4_000_000
_HAMMER, _NINJA = 0, 5
#: Columns of table ``physics`` that the map shows.
COLUMNS = (
    *("tick", "player", "x", "y", "velocity_x", "velocity_y", "angle", "hook_state", "hook_x", "hook_y", "weapon"),
    *("freeze_ticks", "deep_frozen", "live_frozen", "jumped_ground", "exact"),
)


class Shot(NamedTuple):
    """Place of a shot on a tick; `key` names the shot, (to_x, to_y) is the end of a beam, NaN for others."""

    tick: int
    key: str
    kind: str
    x: float
    y: float
    to_x: float = math.nan
    to_y: float = math.nan


class _Part(NamedTuple):
    first: int
    last: int
    offset: int
    size: int
    shots_size: int


class Scenes:
    """Stretches of a simulation; it advances as far as requested.

    Attributes:
        last_tick: last simulated tick.
        ended: the recording is simulated to its end, or to a limit.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.last_tick = -1
        self.ended = False
        self._file = TemporaryFile()  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._parts: list[_Part] = []
        self._doubts: list[tuple[int, int]] = []
        self._shots: list[tuple[Any, ...]] = []
        self._shots_left = MOST_SHOTS
        self._passes = simulation.passes(emits=True, begin=self._begin)

    def until(self, tick: int) -> None:
        """Simulate up to a tick, or to the end."""
        while self.last_tick < tick and self.advance():
            pass

    def advance(self) -> bool:
        """Simulate a part; return False at the end."""
        if self.ended:
            return False
        try:
            for rerun, _ in self._passes:
                if len(rerun.rows.bodies) >= _ROWS or rerun.finished:
                    self._keep(take_rows(rerun.rows).select(COLUMNS), rerun.tick - 1)
                    return True
        except ReplayError:
            pass
        self.ended = True
        return False

    def tees(self, start: int, end: int, step: int = 1) -> Iterator[tuple[Any, ...]]:
        """Yield values of `COLUMNS` for each tee of a simulated stretch, every `step` ticks and on the last."""
        for part in self._within(start, end):
            self._file.seek(part.offset)
            with pa.ipc.open_stream(self._file.read(part.size)) as reader:
                table = reader.read_all()
            tick = table.column("tick")
            table = table.filter(pc.and_(pc.greater_equal(tick, start), pc.less_equal(tick, end)))
            if step > 1:
                since = pc.subtract(table.column("tick"), start)
                sampled = pc.equal(pc.multiply(pc.divide(since, step), step), since)
                table = table.filter(pc.or_(sampled, pc.equal(since, end - start)))
            yield from zip(*(column.to_pylist() for column in table.columns), strict=True)

    def shots(self, start: int, end: int, step: int = 1) -> Iterator[Shot]:
        """Yield the shots of a stretch, a row for each and tick; flying ones every `step` ticks."""
        for part in self._within(start, end):
            self._file.seek(part.offset + part.size)
            for shot in marshal.loads(self._file.read(part.shots_size)):
                if start <= shot[0] <= end and ((shot[0] - start) % step == 0 or shot[1][0] == "b"):
                    yield Shot(*shot)

    def doubts(self) -> list[tuple[int, int]]:
        """Return first and last ticks of stretches with a tee elsewhere than predicted, since the last call."""
        found, self._doubts = self._doubts, []
        return found

    def _begin(self, rerun: Rerun, effects: MessageEffects) -> None:
        rerun.watcher = partial(self._on_tick, rerun.world)

    def _on_tick(self, world: GameWorld, tick: int) -> None:
        """Note the shots of a tick.

        Raises:
            LimitExceeded: there are more than `MOST_SHOTS`.
        """
        former = len(self._shots)
        for kind, cid, *about in world.events:
            if kind == SHOT and about[0] in (_HAMMER, _NINJA):
                weapon, x, y = about[:3]
                self._shots.append((tick, f"blow {cid} {tick}", WEAPONS[weapon], x, y))
        for beam in world.lasers.beams:
            key = f"beam {beam.owner} {beam.kind} {beam.seen} {beam.from_x} {beam.from_y}"
            line = (beam.x, beam.y, beam.from_x, beam.from_y)
            self._shots.append((tick, key, WEAPONS[beam.kind], *line))
        for one, x, y in world.shots.places():
            key = f"shot {one.owner} {one.kind} {one.start} {one.x} {one.y}"
            self._shots.append((tick, key, WEAPONS[one.kind], x, y))
        self._shots_left -= len(self._shots) - former
        if self._shots_left < 0:
            raise LimitExceeded(f"there are more than {MOST_SHOTS} places of shots")

    def _keep(self, rows: pa.Table, tick: int) -> None:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
            writer.write_table(rows)
        data = sink.getvalue()
        offset = self._file.seek(0, 2)
        self._file.write(data)
        shots = self._file.write(marshal.dumps(self._shots))
        self._parts.append(_Part(self.last_tick + 1, tick, offset, len(data), shots))
        self._shots = []
        self.last_tick = tick
        missed = sorted({*rows.column("tick").filter(pc.invert(rows.column("exact"))).to_pylist()})
        for each in missed:
            if self._doubts and self._doubts[-1][1] >= each - 1:
                self._doubts[-1] = self._doubts[-1][0], each
            else:
                self._doubts.append((each, each))

    def _within(self, start: int, end: int) -> list[_Part]:
        return [part for part in self._parts if part.first <= end and part.last >= start]
