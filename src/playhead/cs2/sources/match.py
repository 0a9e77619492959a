"""`Cs2Match`: inputs that all groups of facts share: people, rounds, clock; `Cs2Facts`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from playhead.clock import ticks_between
from playhead.cs2.sources.packet_events import PacketEvents
from playhead.cs2.sources.people import PEOPLE_FIELDS, People
from playhead.cs2.sources.rounds import ROUND_FIELDS, Rounds
from playhead.errors import CorruptReplay, ReplayError
from playhead.model import Info
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

    from playhead.cs2.sources.clock import RoundClock

_TICKS_PER_SECOND = 64.0


class Cs2Host(Protocol):
    """The part of a replay that a `Cs2Match` reads."""

    @property
    def brief_info(self) -> Info: ...
    @property
    def recording(self) -> Recording: ...

    def note(self, error: ReplayError, cost: str, where: str = "file") -> None:
        """Record a problem."""


class Cs2Match:
    """The shared inputs of all collectors of facts in one pass.

    Attributes:
        ticks_per_second: rate of demo ticks; None if unknown.
        replay: the replay.
        people: who was there; set by `attach`.
        rounds: the rounds; set by `attach`.
    """

    people: People
    rounds: Rounds

    def __init__(self, replay: Cs2Host) -> None:
        self.replay = replay
        self.ticks_per_second = replay.recording.ticks_per_second
        self._playback: Playback | None = None
        self._clock: RoundClock | None = None
        self._events: PacketEvents | None = None
        self._samplers: dict[int, Sampler] = {}

    def attach(self, playback: Playback) -> None:
        """Follow people and rounds of a playback."""
        self._playback = playback
        start = self.replay.recording.file_header.get("server_start_tick")
        self.people = People(playback)
        self.rounds = Rounds(
            playback, self.people, self.ticks_per_second, start if isinstance(start, int) else None
        )

    def events(self, playback: Playback) -> PacketEvents:
        """Return the feed of game events, which collectors share."""
        if self._events is None:
            self._events = PacketEvents(playback)
        return self._events

    def sampler(self, playback: Playback, every: int) -> Sampler:
        """Return a sampler with an interval in ticks; collectors with the same interval share it."""
        if every not in self._samplers:
            self._samplers[every] = Sampler(playback, every)
        return self._samplers[every]

    @property
    def clock(self) -> RoundClock | None:
        """The game's clock up to the tick reached."""
        return self.rounds.clock()

    def finish(self) -> None:
        """Complete people and rounds at the end of the recording; repeated calls have no effect."""
        if self._clock is None and self._playback is not None:
            self.people.finish(self._playback.tick)
            self.rounds.finish()
            self._clock = self.rounds.clock()

    def interval(self, every: int | float | str) -> int:
        """Convert an interval to ticks: ticks (int), seconds (float), or text such as ``"1s"``.

        Raises:
            ValueError: `every` is not an interval.
        """
        ticks = ticks_between(every, self.ticks_per_second or _TICKS_PER_SECOND)
        if ticks is None:
            raise ValueError("expected an interval, got None")
        return ticks

    def decode(self, tick: int, message: str, payload: bytes) -> Message | None:
        """Decode a message, given its name; if it is damaged, record a problem and return None."""
        assert self._playback is not None, "a match decodes messages of a playback that it follows"
        return self._playback.decoder.message(tick, message_number("csgo", message), payload)

    # -- tables -----------------------------------------------------------------------------------------

    def round_nums(self, ticks: Iterable[int]) -> list[int | None]:
        """Return the number of the round of each tick; 0 in warm-up, None before the first round."""
        begins = [each.begin for each in self.rounds]
        found = []
        for tick in ticks:
            number = bisect_right(begins, tick)
            found.append(self.rounds.rounds[number - 1].values["round_num"] if number else None)
        return found

    def game_seconds(self, ticks: Iterable[int]) -> list[float | None]:
        """Return what the game's clock shows at each tick."""
        self.finish()
        clock = self._clock
        return [None if clock is None else clock.game_seconds(tick) for tick in ticks]

    def arrow_time_columns(self, ticks: pa.Array) -> dict[str, Any]:
        """Return columns ``tick``, ``seconds``, ``round_num`` and ``game_seconds``; call it after the playback."""
        import pyarrow as pa
        import pyarrow.compute as pc

        self.finish()
        known = pc.unique(ticks)
        values = known.to_pylist()
        place = pc.index_in(ticks, known)
        return {
            "tick": ticks,
            "seconds": seconds_of(ticks, self.ticks_per_second),
            "round_num": array_of(self.round_nums(values), pa.int32()).take(place),
            "game_seconds": array_of(self.game_seconds(values), pa.float64()).take(place),
        }

    def table(self, schema: TableSchema, rows: list[dict[str, Any]]) -> pa.Table:
        """Build a table from rows; fill the columns of the time from ``tick``. Call it after the playback.

        A value that its column cannot hold becomes null and a problem: a recording declares the types of its
        fields itself.
        """
        self.finish()
        ticks = [row["tick"] for row in rows]
        names = frozenset(schema.column_names)
        for row, round_num, shown in zip(rows, self.round_nums(ticks), self.game_seconds(ticks), strict=True):
            tick = row["tick"]
            known = self.ticks_per_second is not None and tick >= 0
            row["seconds"] = tick / self.ticks_per_second if known and self.ticks_per_second else None
            row.setdefault("round_num", round_num)
            row["game_seconds"] = shown
        rows = [{name: value for name, value in row.items() if name in names} for row in rows]
        try:
            return schema.build_rows(rows)
        except (ValueError, TypeError, OverflowError):  # Arrow's errors are subclasses of the first two
            return schema.build_rows(self._fitting(schema, rows))

    def _fitting(self, schema: TableSchema, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for field in schema.arrow():
            for row in rows:
                try:
                    array_of([row.get(field.name)], field.type)
                except (ValueError, TypeError, OverflowError):
                    error = CorruptReplay(f"expected {field.type} for {field.name}, found {row[field.name]!r}")
                    cost = f"one value of table {schema.name}"
                    self.replay.note(error.locate(tick=row.get("tick") or -1), cost, "cs2")
                    row[field.name] = None
        return rows


class Cs2Facts(Collector):
    """Collector of one group of facts.

    Attributes:
        match: the inputs that all collectors share.
    """

    def __init__(self, match: Cs2Match) -> None:
        self.match = match


class Cs2Follower(Collector):
    """Updates a `Cs2Match` during playback; attached before the collectors of facts."""

    entities = True
    fields: Mapping[str, Sequence[str]] = {
        name: (*ROUND_FIELDS.get(name, ()), *PEOPLE_FIELDS.get(name, ()))
        for name in (*ROUND_FIELDS, *(PEOPLE_FIELDS.keys() - ROUND_FIELDS.keys()))
    }

    def __init__(self, match: Cs2Match) -> None:
        self.match = match

    def attach(self, playback: Playback) -> None:
        self.match.attach(playback)

    def tables(self) -> Mapping[str, pa.Table]:
        return {}
