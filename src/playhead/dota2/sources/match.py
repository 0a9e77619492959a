"""`Match`: what every group of facts shares: the recording, its rate, decoding of messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from playhead.clock import ticks_between
from playhead.dota2.sources.combat_log import CombatLogFeed
from playhead.dota2.sources.game_clock import TICKS_PER_SECOND, GameClock
from playhead.dota2.sources.roster import Roster
from playhead.dota2.sources.sampling import Sampler
from playhead.errors import CorruptReplay, ReplayError
from playhead.source2.messages.decoded import FIRST_USER_MESSAGE, Message, MessageDecoder
from playhead.source2.messages.game_events import GameEventList
from playhead.source2.tables.players import DOTA_SIDES
from playhead.source2.tables.schemas import seconds
from playhead.tables.schema import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.dota2.replay import Dota2Replay
    from playhead.source2.playback.playback import Playback


class Match:
    """One Dota 2 recording, as collectors see it.

    Attributes:
        ticks_per_second: rate of demo ticks; None where it is not known.
        clock: the game's clock; it is followed if any of the tables asked for has ``game_seconds``.
    """

    def __init__(self, replay: Dota2Replay) -> None:
        self.replay = replay
        self.ticks_per_second = replay.info.ticks_per_second
        self.clock = GameClock(self.ticks_per_second)
        self._roster: Roster | None = None
        self._combat_log: CombatLogFeed | None = None
        self._samplers: dict[int, Sampler] = {}
        self._decoder = MessageDecoder(replay.game)
        self._events = GameEventList()
        self._listed: bytes | None = None
        self._decoded: tuple[bytes | None, int, Message | None] = None, -1, None

    @property
    def file_info(self) -> Mapping[str | int, Any]:
        """What FileInfo tells of the match: fields of CGameInfo.CDotaGameInfo; empty if it does not."""
        told: Mapping[str | int, Any] = self.replay.file_info.get("game_info", {}).get("dota", {})
        return told

    @property
    def winner(self) -> int | None:
        """Number of the side that won: as FileInfo tells, otherwise the game rules; None if nobody has."""
        told = self.file_info.get("game_winner") or self.clock.winner
        return told if told in DOTA_SIDES else None

    def roster(self, playback: Playback) -> Roster:
        """Who plays; collectors share one."""
        if self._roster is None:
            self._roster = Roster(playback)
        return self._roster

    def combat_log(self, playback: Playback) -> CombatLogFeed:
        """The entries of the combat log; collectors share one."""
        if self._combat_log is None:
            self._combat_log = CombatLogFeed(self, playback)
        return self._combat_log

    def sampler(self, playback: Playback, every: int) -> Sampler:
        """Samples at so many ticks; collectors with the same interval share one: playing stops once for all."""
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
        game_seconds = pa.array(self.clock.game_seconds_at(known.to_pylist()), pa.float64())
        return {
            "tick": ticks,
            "seconds": seconds(ticks, self.ticks_per_second),
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

    def decode(self, tick: int, number: int, payload: bytes) -> Message | None:
        """A message by its number; None (and a problem) if it cannot be decoded.

        Several groups of facts read the same message one after the other: it is decoded once.
        """
        if payload is self._decoded[0] and number == self._decoded[1]:
            return self._decoded[2]
        message = self._decode(tick, number, payload)
        self._decoded = payload, number, message
        return message

    def event_list(self, tick: int, payload: bytes) -> GameEventList:
        """The recording's game events, as this message lists them; read once for all who ask."""
        if payload is not self._listed:
            self._listed = payload
            try:
                self._events.read_list(payload)
            except ReplayError as error:
                self.known_problem(error, tick, "the fields of game events")
        return self._events

    def _decode(self, tick: int, number: int, payload: bytes) -> Message | None:
        try:
            return self._decoder.decode(tick, number, payload)
        except ReplayError as error:
            if number >= FIRST_USER_MESSAGE:
                self.known_problem(error, tick, "one message")
            else:
                self.problem(error, tick, "one message")
            return None

    def problem(self, error: ReplayError, tick: int, cost: str) -> None:
        """Record what could not be read, and what is lost by it."""
        self.replay._note(error.locate(tick=tick), cost=cost, where="dota2")

    def known_problem(self, error: ReplayError, tick: int, cost: str) -> None:
        """As `problem`, for what the engine's own pass over the recording meets and records too, such as any
        message to the game's own code.
        """
        self.replay.note_known(error.locate(tick=tick, where="dota2"), cost)

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

    def _fitting(self, schema: TableSchema, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        import pyarrow as pa

        fitting = [dict(row) for row in rows]
        for field in schema.arrow():
            for row in fitting:
                try:
                    pa.array([row.get(field.name)], field.type)
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
