"""`DeadlockMatch`: inputs that all groups of facts share: the recording, clock, people, names; `DeadlockFacts`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from playhead.clock import ticks_between
from playhead.deadlock.sources.entities import POSITION_FIELDS, Grid
from playhead.deadlock.sources.game_clock import CLOCK_FIELDS, TICKS_PER_SECOND, DeadlockClock
from playhead.deadlock.sources.names import NAME_TABLE, DeadlockNames
from playhead.deadlock.sources.people import PEOPLE_FIELDS, DeadlockPeople
from playhead.errors import CorruptReplay, ReplayError
from playhead.model import Info, Player
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.messages.decoded import Message
from playhead.source2.messages.numbers import message_number
from playhead.source2.playback.collector import Collector
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.playback.sampling import Sampler
from playhead.tables.schema import TableSchema
from playhead.tables.value_arrays import array_of

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.source2.entities.entity import Entity

GAME = "citadel"

#: Class of the patrons, whose places decide the grid of the map.
PATRON = "CNPC_Boss_Tier3"


class DeadlockHost(Protocol):
    """The part of a replay that a `DeadlockMatch` reads."""

    @property
    def info(self) -> Info: ...
    @property
    def players(self) -> tuple[Player, ...]: ...
    @property
    def recording(self) -> Recording: ...

    def note(self, error: ReplayError, cost: str, where: str = "file") -> None:
        """Record a problem."""


class DeadlockMatch:
    """The shared inputs of all collectors of facts in one pass.

    Attributes:
        replay: the replay.
        ticks_per_second: rate of demo ticks; None if unknown.
        clock: the game's clock.
        names: names by number.
        grid: the grid of the map.
        people: the players, once attached.
    """

    people: DeadlockPeople

    def __init__(self, replay: DeadlockHost) -> None:
        self.replay = replay
        self.ticks_per_second = replay.info.ticks_per_second
        self.clock = DeadlockClock(self.ticks_per_second)
        self.names = DeadlockNames()
        self.grid = Grid()
        self._samplers: dict[int, Sampler] = {}
        self._playback: Playback | None = None

    def attach(self, playback: Playback) -> None:
        """Follow a playback."""
        self._playback = playback
        self.people = DeadlockPeople(playback.entities)
        self.names.attach(playback)
        self.clock.attach(playback)
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
    def server_tick_offset(self) -> int:
        """Server tick less demo tick, as far as known."""
        return 0 if self._playback is None else self._playback.server_tick_offset or 0

    def sampler(self, playback: Playback, every: int) -> Sampler:
        """Return a sampler with an interval in ticks; collectors with the same interval share it."""
        if every not in self._samplers:
            joined = self.replay.recording.joined
            self._samplers[every] = Sampler(playback, every, 0 if joined is None else joined)
        return self._samplers[every]

    def interval(self, every: int | float | str) -> int:
        """Convert an interval to ticks: ticks (int), seconds (float), or text such as ``"1s"``.

        Raises:
            ValueError: `every` is not an interval.
        """
        ticks = ticks_between(every, self.ticks_per_second or TICKS_PER_SECOND)
        if ticks is None:
            raise ValueError("expected an interval, got None")
        return ticks

    def number(self, message: str) -> int:
        """Return the number of a message."""
        return message_number(GAME, message)

    def decode(self, tick: int, number: int, payload: bytes) -> Message | None:
        """Decode a message; if it is damaged, record a problem and return None."""
        assert self._playback is not None, "a match decodes messages of a playback that it follows"
        return self._playback.decoder.message(tick, number, payload)

    def table(self, schema: TableSchema, rows: list[dict[str, Any]]) -> pa.Table:
        """Build a table from rows; fill ``seconds`` and ``game_seconds`` from ``tick``. Call it after the
        playback.

        A value that its column cannot hold becomes null and a problem: a recording declares the types of its
        fields itself.
        """
        rate = self.ticks_per_second
        for row, shown in zip(rows, self.clock.game_seconds_at([row["tick"] for row in rows]), strict=True):
            tick = row["tick"]
            row["seconds"] = None if rate is None or tick is None or tick < 0 else tick / rate
            row["game_seconds"] = shown
        try:
            return schema.build_rows(rows)
        except (ValueError, TypeError, OverflowError):  # Arrow's errors are subclasses of the first two
            return schema.build_rows(self._fitting(schema, rows))

    def _fitting(self, schema: TableSchema, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        fitting = [dict(row) for row in rows]
        for field in schema.arrow():
            for row in fitting:
                try:
                    array_of([row.get(field.name)], field.type)
                except (ValueError, TypeError, OverflowError):
                    wrong = CorruptReplay(f"expected {field.type} for {field.name}, found {row[field.name]!r}")
                    cost = f"one value of table {schema.name}"
                    self.replay.note(wrong.locate(tick=row.get("tick") or -1), cost, "deadlock")
                    row[field.name] = None
        return fitting


class DeadlockFacts(Collector):
    """Collector of one group of facts.

    Attributes:
        match: the inputs that all collectors share.
    """

    entities: ClassVar[bool] = True

    def __init__(self, match: DeadlockMatch) -> None:
        self.match = match


class DeadlockFollower(Collector):
    """Updates a `DeadlockMatch` during playback; attached before the collectors of facts."""

    entities = True
    string_tables = (NAME_TABLE,)
    fields: Mapping[str, Sequence[str]] = {**CLOCK_FIELDS, **PEOPLE_FIELDS, PATRON: POSITION_FIELDS}

    def __init__(self, match: DeadlockMatch) -> None:
        self.match = match

    def attach(self, playback: Playback) -> None:
        self.match.attach(playback)

    def tables(self) -> Mapping[str, pa.Table]:
        return {}
