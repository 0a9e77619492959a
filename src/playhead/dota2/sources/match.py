"""`MatchContext`: inputs that all groups of facts share: the recording, its clock, decoding; `FactCollector`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from playhead.clock import ticks_between
from playhead.dota2.sources.game_clock import CLOCK_FIELDS, TICKS_PER_SECOND, GameClock
from playhead.dota2.sources.minutes import MinuteSampler
from playhead.dota2.sources.roster import Roster
from playhead.errors import CorruptReplay, ReplayError
from playhead.model import Info, Player
from playhead.source2.games import GAMES
from playhead.source2.messages.decoded import Message
from playhead.source2.messages.numbers import message_number
from playhead.source2.playback.collector import Collector
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.playback.sampling import Sampler
from playhead.tables.arrow import seconds_of
from playhead.tables.schema import TableSchema
from playhead.tables.value_arrays import array_of

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.dota2.sources.combat_log_feed import CombatLogFeed


Shared = TypeVar("Shared")

#: Word of a team by number.
SIDES = GAMES["dota"].sides


class MatchHost(Protocol):
    """The part of a replay that a `MatchContext` reads."""

    @property
    def info(self) -> Info: ...
    @property
    def players(self) -> tuple[Player, ...]: ...
    @property
    def game(self) -> str: ...
    @property
    def recording(self) -> Recording: ...

    def note(self, error: ReplayError, cost: str, where: str = "file") -> None:
        """Record a problem."""


class MatchContext:
    """The shared inputs of all collectors of facts in one pass.

    Attributes:
        ticks_per_second: rate of demo ticks; None if unknown.
        clock: the game's clock; updated only if a requested table has ``game_seconds``.
        replay: the replay.
    """

    def __init__(self, replay: MatchHost) -> None:
        self.replay = replay
        self.ticks_per_second = replay.info.ticks_per_second
        self.clock = GameClock(self.ticks_per_second)
        self._roster: Roster | None = None
        self._combat_log: CombatLogFeed | None = None
        self._samplers: dict[int, Sampler] = {}
        self._minutes: MinuteSampler | None = None
        self._shared: dict[str, Any] = {}
        self._playback: Playback | None = None

    def attach(self, playback: Playback) -> None:
        """Set the playback whose messages `decode` decodes."""
        self._playback = playback

    @property
    def file_info(self) -> Mapping[str | int, Any]:
        """The fields of FileInfo about the match (CGameInfo.CDotaGameInfo); empty if the file has none."""
        return self.replay.recording.match_info

    @property
    def winner(self) -> int | None:
        """Number of the winning side, from FileInfo or else from the game rules; None if there is no winner."""
        winner = self.file_info.get("game_winner") or self.clock.winner
        return winner if winner in SIDES else None

    def roster(self, playback: Playback) -> Roster:
        """Return the roster, which collectors share."""
        if self._roster is None:
            self._roster = Roster(playback)
        return self._roster

    def combat_log(self, playback: Playback) -> CombatLogFeed:
        """Return the feed of combat-log entries, which collectors share."""
        if self._combat_log is None:
            from playhead.dota2.sources.combat_log_feed import CombatLogFeed  # not for `info`

            self._combat_log = CombatLogFeed(playback)
        return self._combat_log

    def sampler(self, playback: Playback, every: int) -> Sampler:
        """Return a sampler with an interval in ticks; collectors with the same interval share it."""
        if every not in self._samplers:
            self._samplers[every] = Sampler(playback, every)
        return self._samplers[every]

    def minutes(self, playback: Playback) -> MinuteSampler:
        """Return the sampler of whole minutes of the game's clock, which collectors share."""
        if self._minutes is None:
            self._minutes = MinuteSampler(playback, self.clock)
        return self._minutes

    def shared(self, name: str, make: Callable[[], Shared]) -> Shared:
        """Return the object of that name, which collectors share; the first call makes it."""
        if name not in self._shared:
            self._shared[name] = make()
        found: Shared = self._shared[name]
        return found

    def seconds(self, tick: int) -> float | None:
        """Convert a tick to seconds since the start of the recording; None for sign-on or if the rate is
        unknown."""
        if self.ticks_per_second is None or tick < 0:
            return None
        return tick / self.ticks_per_second

    def arrow_time_columns(self, ticks: pa.Array | pa.ChunkedArray) -> dict[str, Any]:
        """Return columns ``tick``, ``seconds`` and ``game_seconds``; call it after the playback."""
        import pyarrow as pa
        import pyarrow.compute as pc

        known = pc.unique(ticks)
        game_seconds = array_of(list(self.clock.game_seconds_at(known.to_pylist())), pa.float64())
        return {
            "tick": ticks,
            "seconds": seconds_of(ticks, self.ticks_per_second),
            "game_seconds": game_seconds.take(pc.index_in(ticks, known)),
        }

    def interval(self, every: int | float | str) -> int:
        """Convert an interval to ticks: ticks (int), seconds (float), or text such as ``"1s"``.

        Raises:
            ValueError: `every` is not an interval.
        """
        ticks = ticks_between(every, self.ticks_per_second or TICKS_PER_SECOND)
        if ticks is None:
            raise ValueError("expected an interval, got None")
        return ticks

    def game_seconds(self, tick: int) -> float | None:
        """Return the displayed time at a tick, 0 at the horn; None if unknown."""
        return self.clock.game_seconds(tick)

    def decode(self, tick: int, message: str | int, payload: bytes) -> Message | None:
        """Decode a message, given its name or number; if it is damaged, record a problem and return None.

        The last message is cached, since several collectors read the same message.
        """
        assert self._playback is not None, "a match decodes messages of a playback that it follows"
        number = message_number("dota", message) if isinstance(message, str) else message
        return self._playback.decoder.message(tick, number, payload)

    def problem(self, error: ReplayError, tick: int, cost: str) -> None:
        """Record an error and the data lost by it."""
        self.replay.note(error.locate(tick=tick), cost, "dota2")

    def table(self, schema: TableSchema, rows: list[dict[str, Any]]) -> pa.Table:
        """Build a table from rows; fill ``seconds`` and ``game_seconds`` from ``tick``. Call it after the
        playback.

        A value that its column cannot hold becomes null and a problem: a recording declares the types of its
            fields
        itself.
        """
        if "seconds" in schema.column_names:
            rows = self.rows(rows)
        try:
            return schema.build_rows(rows)
        except (ValueError, TypeError, OverflowError):  # Arrow's errors are subclasses of the first two
            return schema.build_rows(self._fitting(schema, rows))

    def table_of_columns(self, schema: TableSchema, ticks: pa.Array, columns: Mapping[str, Any]) -> pa.Table:
        """As `table`, from columns: all columns of `schema` except those of the time."""
        import pyarrow as pa

        try:
            return schema.build({**self.arrow_time_columns(ticks), **columns})
        except ValueError:  # a number is out of range
            rows = pa.table({"tick": ticks, **columns}).to_pylist()
            return self.table(schema, rows)

    def _fitting(self, schema: TableSchema, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:

        fitting = [dict(row) for row in rows]
        for field in schema.arrow():
            for row in fitting:
                try:
                    array_of([row.get(field.name)], field.type)
                except (ValueError, TypeError, OverflowError):
                    wrong = f"expected {field.type} for {field.name}, found {row[field.name]!r}"
                    self.problem(CorruptReplay(wrong), row.get("tick") or -1, f"one value of table {schema.name}")
                    row[field.name] = None
        return fitting

    def rows(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Fill ``seconds`` and ``game_seconds`` of rows from ``tick``; call it after the playback."""
        game_seconds = self.clock.game_seconds_at([row["tick"] for row in rows])
        for row, shown in zip(rows, game_seconds, strict=True):
            tick = row["tick"]
            row["seconds"] = None if tick is None else self.seconds(tick)
            row["game_seconds"] = shown
        return rows


class FactCollector(Collector):
    """Collector of one group of facts.

    Attributes:
        match: the inputs that all collectors share.
        needs_clock: it reads the game's clock; a table with a column ``game_seconds`` implies that.
    """

    needs_clock: ClassVar[bool] = False

    def __init__(self, match: MatchContext) -> None:
        self.match = match

    @property
    def timed(self) -> bool:
        """Whether it reads the game's clock."""
        return self.needs_clock or any("game_seconds" in schema.column_names for schema in self.schemas)


class MatchFollower(Collector):
    """Updates a `MatchContext` during playback, and its clock if any of `facts` reads it; attached before them.

    Attributes:
        follows_clock: whether it updates the clock.
    """

    def __init__(self, match: MatchContext, facts: Iterable[FactCollector]) -> None:
        self.match = match
        self.follows_clock = any(collector.timed for collector in facts)
        self.entities = self.follows_clock  # type: ignore[misc]
        self.fields: Mapping[str, Sequence[str]] = CLOCK_FIELDS if self.follows_clock else {}

    def attach(self, playback: Playback) -> None:
        self.match.attach(playback)
        if self.follows_clock:
            self.match.clock.attach(playback)

    def tables(self) -> Mapping[str, pa.Table]:
        return {}
