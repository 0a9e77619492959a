"""`MatchContext`: inputs that all groups of facts share: the recording, its clock, decoding; `FactCollector`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from playhead.clock import ticks_between
from playhead.dota2.sources.game_clock import CLOCK_FIELDS, TICKS_PER_SECOND, GameClock
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


#: Word of a team by number.
SIDES = GAMES["dota"].sides


class MatchHost(Protocol):
    """What a match needs of the replay that it is of."""

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
    """One Dota 2 recording, as collectors see it.

    Attributes:
        ticks_per_second: rate of demo ticks; None where it is not known.
        clock: the game's clock; it is followed if any of the tables asked for has ``game_seconds``.
        replay: what the match is of.
    """

    def __init__(self, replay: MatchHost) -> None:
        self.replay = replay
        self.ticks_per_second = replay.info.ticks_per_second
        self.clock = GameClock(self.ticks_per_second)
        self._roster: Roster | None = None
        self._combat_log: CombatLogFeed | None = None
        self._samplers: dict[int, Sampler] = {}
        self._playback: Playback | None = None

    def attach(self, playback: Playback) -> None:
        """Follow a playback: its messages are those that `decode` is given."""
        self._playback = playback

    @property
    def file_info(self) -> Mapping[str | int, Any]:
        """The fields of FileInfo about the match (CGameInfo.CDotaGameInfo); empty if the file has none."""
        return self.replay.recording.match_info

    @property
    def winner(self) -> int | None:
        """Number of the side that won: as FileInfo has it, otherwise the game rules; None if nobody has."""
        winner = self.file_info.get("game_winner") or self.clock.winner
        return winner if winner in SIDES else None

    def roster(self, playback: Playback) -> Roster:
        """Who plays; collectors share one."""
        if self._roster is None:
            self._roster = Roster(playback)
        return self._roster

    def combat_log(self, playback: Playback) -> CombatLogFeed:
        """The entries of the combat log; collectors share one."""
        if self._combat_log is None:
            from playhead.dota2.sources.combat_log_feed import CombatLogFeed  # which `info` has no use for

            self._combat_log = CombatLogFeed(playback)
        return self._combat_log

    def sampler(self, playback: Playback, every: int) -> Sampler:
        """Return samples at an interval in ticks; collectors with the same one share them: playing stops once."""
        if every not in self._samplers:
            self._samplers[every] = Sampler(playback, every)
        return self._samplers[every]

    def seconds(self, tick: int) -> float | None:
        """A tick in seconds since the start of the recording; null for sign-on and where the rate is not known."""
        if self.ticks_per_second is None or tick < 0:
            return None
        return tick / self.ticks_per_second

    def arrow_time_columns(self, ticks: pa.Array | pa.ChunkedArray) -> dict[str, Any]:
        """Columns ``tick``, ``seconds`` and ``game_seconds``; for after the recording was played."""
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
        """An interval in ticks: of ticks (int), seconds (float), or text such as ``"1s"``.

        Raises:
            ValueError: it is none.
        """
        ticks = ticks_between(every, self.ticks_per_second or TICKS_PER_SECOND)
        if ticks is None:
            raise ValueError("expected an interval, got None")
        return ticks

    def game_seconds(self, tick: int) -> float | None:
        """The clock that the game shows at a tick, 0 at the horn; null before the recording has it."""
        return self.clock.game_seconds(tick)

    def decode(self, tick: int, message: str | int, payload: bytes) -> Message | None:
        """Return a message by its name or number; None (and a problem) if it cannot be decoded.

        Several groups of facts read the same message one after the other: it is decoded once.
        """
        assert self._playback is not None, "a match decodes messages of a playback that it follows"
        number = message_number("dota", message) if isinstance(message, str) else message
        return self._playback.decoder.message(tick, number, payload)

    def problem(self, error: ReplayError, tick: int, cost: str) -> None:
        """Record what could not be read, and what is lost by it."""
        self.replay.note(error.locate(tick=tick), cost, "dota2")

    def table(self, schema: TableSchema, rows: list[dict[str, Any]]) -> pa.Table:
        """A table of these rows; with ``tick`` they get their ``seconds`` and ``game_seconds``. For after the
        recording was played.

        A value that its column cannot hold (a recording declares the types of its fields itself) is null, and a
        problem.
        """
        if "seconds" in schema.column_names:
            rows = self.rows(rows)
        try:
            return schema.build_rows(rows)
        except (ValueError, TypeError, OverflowError):  # Arrow's own errors are of the first two kinds
            return schema.build_rows(self._fitting(schema, rows))

    def table_of_columns(self, schema: TableSchema, ticks: pa.Array, columns: Mapping[str, Any]) -> pa.Table:
        """As `table`, of columns: all of `schema` but those of the time."""
        import pyarrow as pa

        try:
            return schema.build({**self.arrow_time_columns(ticks), **columns})
        except ValueError:  # a number that does not fit
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
        """Rows with ``tick`` get their ``seconds`` and ``game_seconds``; for after the recording was played."""
        game_seconds = self.clock.game_seconds_at([row["tick"] for row in rows])
        for row, shown in zip(rows, game_seconds, strict=True):
            tick = row["tick"]
            row["seconds"] = None if tick is None else self.seconds(tick)
            row["game_seconds"] = shown
        return rows


class FactCollector(Collector):
    """One group of facts of a match.

    Attributes:
        match: what all groups share.
        needs_clock: it reads the match's clock; one with a column ``game_seconds`` does in any case.
    """

    needs_clock: ClassVar[bool] = False

    def __init__(self, match: MatchContext) -> None:
        self.match = match

    @property
    def timed(self) -> bool:
        """Whether it reads the match's clock."""
        return self.needs_clock or any("game_seconds" in schema.column_names for schema in self.schemas)


class MatchFollower(Collector):
    """Lets a match follow the playback, and its clock where any of `facts` reads it; comes before them.

    Attributes:
        follows_clock: whether the clock is followed.
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
