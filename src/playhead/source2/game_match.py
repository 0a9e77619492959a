"""`GameMatch`: inputs that the collectors of one game share in a pass; `GameFacts`, a collector of facts.

Each game extends `GameMatch` by its clock and people, and passes one object to all its collectors of facts. A
`GameFollower` updates it during the playback.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import pairwise
from weakref import WeakValueDictionary

from playhead.clock import Clock, interval_ticks
from playhead.errors import CorruptReplay, ReplayError
from playhead.model import Info, Player
from playhead.runtime.libraries import pa
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar
from playhead.source2.messages.decoded import Message, MessageFields
from playhead.source2.messages.numbers import message_number
from playhead.source2.playback.collector import Collector
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.playback.sampling import Sampler, TickSampler
from playhead.tables.arrow import by_chunk, constant, int32_array, seconds_of
from playhead.tables.schema import TableSchema
from playhead.tables.value_arrays import array_of

if TYPE_CHECKING:
    from playhead.tables.arrow import Values

_M = TypeVar("_M", bound="GameMatch")
_F = TypeVar("_F", bound="GameFacts[Any]")


class Pause(NamedTuple):
    """One pause of the game.

    Attributes:
        start: its first demo tick.
        end: the demo tick at which the game resumed; None if the recording ends before.
        team: number of the side that paused; None if the recording has none.
    """

    start: int
    end: int | None
    team: int | None


#: The columns of the time that `GameMatch.time_columns` fills.
TIME = ("tick", "seconds", "game_seconds")


class MatchHost(Protocol):
    """The part of a replay that a `GameMatch` reads."""

    @property
    def brief_info(self) -> Info: ...
    @property
    def players(self) -> tuple[Player, ...]: ...
    @property
    def recording(self) -> Recording: ...

    def note(self, error: ReplayError, cost: str, where: str = "file") -> None:
        """Record a problem."""


class GameMatch:
    """The shared inputs of all collectors of facts in one pass.

    Attributes:
        game: its name in `GAMES`.
        usual_rate: ticks per second of its servers, for recordings that lack the rate.
        place: place of the problems that are recorded here.
        ticks_per_second: rate of demo ticks; None if unknown.
        replay: the replay.
        collectors: the collectors of facts in this pass, by class.
        clock: the game's clock, with ``game_seconds_at(ticks)`` and ``game_seconds_column(ticks)``; may be None.
        follower: the collector that updates it.
    """

    follower: ClassVar[type[GameFollower[Any]]]
    clock: Any
    game: ClassVar[str]
    usual_rate: ClassVar[float]
    place: ClassVar[str]

    def __init__(self, replay: MatchHost, ticks_per_second: float | None) -> None:
        self.replay = replay
        self.ticks_per_second = ticks_per_second
        self.collectors: WeakValueDictionary[type[Any], Any] = WeakValueDictionary()
        self._samplers: dict[int, Sampler] = {}
        self._playback: Playback | None = None

    def attach(self, playback: Playback) -> None:
        """Set the playback that is followed, and whose messages `decode` decodes."""
        self._playback = playback

    def collector(self, kind: type[_F], playback: Playback) -> _F:
        """Return the collector of another group of facts, for a table that is made of its rows; one that no
        requested table needs is made and attached here.
        """
        found = self.collectors.get(kind)
        if found is None:
            found = kind(self)
            playback.guard.attach(found, playback)
        return found

    @property
    def first_sample(self) -> int:
        """First tick to sample."""
        return 0

    def sampler(self, playback: Playback, every: int) -> Sampler:
        """Return a sampler with an interval in ticks; collectors with the same interval share it."""
        if every not in self._samplers:
            self._samplers[every] = Sampler(playback, every, self.first_sample)
        return self._samplers[every]

    def series_sampler(self, playback: Playback, every: int, ticks: Sequence[int] | None) -> Sampler | TickSampler:
        """Return a sampler at these ticks, or, if they are None, that of an interval in ticks."""
        return self.sampler(playback, every) if ticks is None else TickSampler(playback, ticks)

    def interval(self, every: int | float | str) -> int:
        """Convert an interval to ticks; `every` is as for `ticks_between`.

        Raises:
            ValueError: `every` is not an interval.
        """
        return interval_ticks(every, self.ticks_per_second or self.usual_rate)

    def window(self, length: int | float | str) -> int:
        """As `interval`, but integers are seconds too: a window is no sampling of ticks."""
        return self.interval(float(length) if isinstance(length, int) else length)

    def finish(self) -> None:
        """Complete the inputs at the end of the recording; repeated calls have no effect."""

    @property
    def displayed_clock(self) -> Clock | None:
        """The game's clock as far as it is known; None if the tick rate is unknown."""
        found: Clock | None = None if self.ticks_per_second is None else self.clock.displayed_clock()
        return found

    def seconds(self, tick: int | None) -> float | None:
        """Convert a tick to seconds since the start of the recording; None for sign-on or if the rate is
        unknown."""
        if self.ticks_per_second is None or tick is None or tick < 0:
            return None
        return tick / self.ticks_per_second

    def number(self, message: str) -> int:
        """Return the number of a message, given its name."""
        return message_number(self.game, message)

    def decode(self, tick: int, message: str | int, payload: bytes) -> Message | None:
        """Decode a message, given its name or number; if it is damaged, record a problem and return None.

        Fields that its definition lacks are a problem.

        The last message is cached, since several collectors read the same message.
        """
        assert self._playback is not None, "a match decodes messages of a playback that it follows"
        number = self.number(message) if isinstance(message, str) else message
        return self._playback.decoder.for_facts(tick, number, payload)

    def on_fields(
        self, playback: Playback, message: str | int, handler: Callable[[int, Mapping[Any, Any]], None]
    ) -> None:
        """Call `handler` with tick and fields of every message of that name or number that can be decoded."""
        number = self.number(message) if isinstance(message, str) else message

        def on_message(tick: int, payload: bytes) -> None:
            decoded = self.decode(tick, number, payload)
            if decoded is not None and decoded.fields is not None:
                handler(tick, decoded.fields)

        playback.on_message(number, on_message)

    def contents(self, tick: int, definition: str, data: bytes, cost: str) -> MessageFields | None:
        """As `decode`, for a message of that definition inside another or in a string table.

        If it is damaged, `cost` is lost.
        """
        assert self._playback is not None, "a match decodes messages of a playback that it follows"
        try:
            return self._playback.decoder.contents(definition, data)
        except ReplayError as error:
            self.problem(error, tick, cost)
            return None

    def problem(self, error: ReplayError, tick: int, cost: str) -> None:
        """Record an error and the data lost by it."""
        self.replay.note(error.locate(tick=tick), cost, self.place)

    def build(self, schema: TableSchema, rows: list[dict[str, Any]]) -> pa.Table:
        """Build a table from complete rows.

        A value that its column cannot hold becomes null and a problem: a recording declares the types of its
        fields itself.
        """
        try:
            return schema.build_rows(rows)
        except (ValueError, TypeError, OverflowError):  # Arrow's errors are subclasses of the first two
            return schema.build_rows(self._fitting(schema, rows))

    def table(self, schema: TableSchema, rows: list[dict[str, Any]]) -> pa.Table:
        """As `build`; fill the columns of the time from ``tick`` and, of the end, ``end_tick``. Call it after the
        playback.
        """
        self.finish()
        names = frozenset(schema.column_names)
        for end in ("", "end_"):
            tick_name, seconds, game_seconds = f"{end}tick", f"{end}seconds", f"{end}game_seconds"
            if tick_name not in names or not names & {seconds, game_seconds}:
                continue
            ticks = [row.get(tick_name) for row in rows]
            shown = self.game_seconds_at(ticks) if game_seconds in names else None
            for place, (row, tick) in enumerate(zip(rows, ticks, strict=True)):
                row[seconds] = self.seconds(tick)
                if shown is not None:
                    row[game_seconds] = shown[place]
        return self.build(schema, rows)

    def table_of_columns(self, schema: TableSchema, ticks: pa.Array, columns: Mapping[str, Any]) -> pa.Table:
        """As `table`, from columns: all columns of `schema` except those of the time."""
        try:
            return schema.build({**self.time_columns(ticks), **columns})
        except ValueError:  # a number is out of range
            return self.table(schema, pa.table({"tick": ticks, **columns}).to_pylist())

    def time_columns(self, ticks: Values, names: Container[str] = TIME) -> dict[str, Any]:
        """Return those columns of the time that are in `names`; call it after the playback."""
        self.finish()
        found = {"tick": ticks} if "tick" in names else {}
        if "seconds" in names:
            found["seconds"] = seconds_of(ticks, self.ticks_per_second)
        if "game_seconds" in names:
            clock, number = self.clock, pa.float64()
            if clock is None:
                found["game_seconds"] = constant(None, ticks, number)
            elif isinstance(ticks, pa.ChunkedArray):
                found["game_seconds"] = by_chunk(ticks, clock.game_seconds_column, number)
            else:
                found["game_seconds"] = clock.game_seconds_column(ticks)
        return found

    def game_seconds_at(self, ticks: Sequence[int | None]) -> list[float | None]:
        """Return the time on the game's clock at each tick; call it after the playback."""
        clock = self.clock
        found: list[float | None] = [None] * len(ticks) if clock is None else clock.game_seconds_at(ticks)
        return found

    def _fitting(self, schema: TableSchema, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        fitting = [dict(row) for row in rows]
        for field in schema.arrow():
            for row in fitting:
                try:
                    array_of([row.get(field.name)], field.type)
                except (ValueError, TypeError, OverflowError):
                    wrong = CorruptReplay(f"expected {field.type} for {field.name}, found {row[field.name]!r}")
                    self.problem(wrong, row.get("tick") or -1, f"one value of table {schema.name}")
                    row[field.name] = None
        return fitting


class GameFacts(Collector, Generic[_M]):
    """Collector of one group of facts.

    Attributes:
        match: the inputs that all collectors share.
    """

    def __init__(self, match: _M) -> None:
        self.match = match
        match.collectors[type(self)] = self
        self._rows: list[dict[str, Any]] = []

    def tables(self) -> Mapping[str, Any]:
        """Return its only table, with `_rows`; a collector of several tables, or of columns, overrides this."""
        (schema,) = self.schemas
        return {schema.name: self.match.table(schema, self._rows)}


class GameFollower(Collector, Generic[_M]):
    """Updates a `GameMatch` during playback; attached before the collectors of facts.

    Attributes:
        match: the updated inputs.
    """

    entities = True
    #: Whether it sees all that the game's clock needs.
    knows_clock = True

    def __init__(self, match: _M, facts: Iterable[GameFacts[_M]] = ()) -> None:
        """`facts` are the collectors that read `match`."""
        self.match = match

    def attach(self, playback: Playback) -> None:
        self.match.attach(playback)

    def tables(self) -> Mapping[str, pa.Table]:
        return {}


def places_of(begins: Sequence[int], ticks: Sequence[int]) -> pa.Array:
    """Return the number of the last begin that is not after each of the ascending ticks; null before the first."""
    places = [*(bisect_left(ticks, begin) for begin in begins), len(ticks)]
    found = array("i")
    for number, (first, end) in enumerate(pairwise(places)):
        found.extend(array("i", [number]) * (end - first))
    return pa.concat_arrays([pa.nulls(places[0], pa.int32()), int32_array(found)])
