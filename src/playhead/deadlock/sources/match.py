"""`DeadlockMatch`: inputs that all groups of facts share: the recording, clock, people, names; `DeadlockFacts`."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from playhead.deadlock.sources.declared import DeclaredNames
from playhead.deadlock.sources.entities import CELL, POSITION_FIELDS, Grid
from playhead.deadlock.sources.game_clock import CLOCK_FIELDS, TICKS_PER_SECOND, DeadlockClock
from playhead.deadlock.sources.names import NAME_TABLE, DeadlockNames
from playhead.deadlock.sources.people import PEOPLE_FIELDS, DeadlockPeople
from playhead.runtime.libraries import pa, pc
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.game_match import GameFacts, GameFollower, GameMatch, MatchHost
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.field_values import numbers_as
from playhead.tables.arrow import int32_array, seconds_of
from playhead.tables.number_columns import grid_column
from playhead.tables.schema import TableSchema
from playhead.tables.value_arrays import array_of

#: Class of the patrons, whose places decide the grid of the map.
PATRON = "CNPC_Boss_Tier3"


class DeadlockMatch(GameMatch):
    """The shared inputs of all collectors of facts in one pass.

    Attributes:
        clock: the game's clock.
        names: names by number.
        grid: the grid of the map.
        declared: the names that fields have in this recording.
        people: the players, once attached.
        series: the rows of players by interval, which several tables share.
    """

    game = "deadlock"
    usual_rate = TICKS_PER_SECOND
    place = "deadlock"
    people: DeadlockPeople

    def __init__(self, replay: MatchHost) -> None:
        super().__init__(replay, replay.info.ticks_per_second)
        self.clock = DeadlockClock(self.ticks_per_second)
        self.names = DeadlockNames()
        self.declared = DeclaredNames(replay.recording)
        self.grid = Grid()
        self.series: dict[int, Any] = {}

    def attach(self, playback: Playback) -> None:
        """Follow a playback."""
        super().attach(playback)
        self.people = DeadlockPeople(playback.entities)
        self.names.attach(playback)
        self.clock.attach(playback, is_broadcast=self.replay.recording.joined is not None)
        playback.entities.on_entity(self._on_patron, PATRON, EntityOp.CREATED)

    def _on_patron(self, patron: Entity, _op: EntityOp) -> None:
        self.grid.learn(patron)

    def catch_up(self) -> None:
        """Read the present state if the playback stopped at a full packet, without a packet after it."""
        self.clock.catch_up()
        if self._playback is not None:
            patron = self._playback.entities.find_by_class_name(PATRON)
            if patron is not None:
                self.grid.learn(patron)

    @property
    def first_sample(self) -> int:
        """First tick to sample: that of the data of a broadcast."""
        return self.replay.recording.joined or 0

    @property
    def server_tick_offset(self) -> int:
        """Server tick less demo tick, as far as known."""
        return 0 if self._playback is None else self._playback.server_tick_offset or 0

    def time_columns(self, ticks: pa.Array) -> dict[str, Any]:
        """Return columns ``tick``, ``seconds`` and ``game_seconds``; call it after the playback."""
        known = pc.unique(ticks)
        shown = array_of(self.clock.game_seconds_at(known.to_pylist()), pa.float64())
        return {
            "tick": ticks,
            "seconds": seconds_of(ticks, self.ticks_per_second),
            "game_seconds": shown.take(pc.index_in(ticks, known)),
        }

    def times_of(self, ticks: array[int]) -> dict[str, Any]:
        """As `time_columns`, for ascending ticks."""
        known = int32_array(ticks)
        return {
            "tick": known,
            "seconds": seconds_of(known, self.ticks_per_second),
            "game_seconds": self.clock.ascending(ticks),
        }

    def places(self, columns: Mapping[str, pa.Array]) -> dict[str, Any]:
        """Return columns ``x``, ``y`` and ``z`` from columns of the fields of a position."""
        out = {}
        for axis, cell, offset in zip("xyz", POSITION_FIELDS[:3], POSITION_FIELDS[3:], strict=True):
            cells, rest = numbers_as(columns[cell], pa.int64()), numbers_as(columns[offset], pa.float64())
            out[axis] = grid_column(cells, rest, CELL, self.grid.middle)
        return out

    def table(self, schema: TableSchema, rows: list[dict[str, Any]]) -> pa.Table:
        """As `build`; fill ``seconds`` and ``game_seconds`` from ``tick``. Call it after the playback."""
        for row, shown in zip(rows, self.clock.game_seconds_at([row["tick"] for row in rows]), strict=True):
            row["seconds"] = self.seconds(row["tick"])
            row["game_seconds"] = shown
        return self.build(schema, rows)


class DeadlockFacts(GameFacts[DeadlockMatch]):
    """Collector of one group of facts."""

    entities: ClassVar[bool] = True


class DeadlockFollower(GameFollower[DeadlockMatch]):
    """Updates a `DeadlockMatch` during playback."""

    string_tables = (NAME_TABLE,)
    fields: Mapping[str, Sequence[str]] = {**CLOCK_FIELDS, **PEOPLE_FIELDS, PATRON: POSITION_FIELDS}
