"""The public records of every format: `Info`, `Player`, `Problem`, `Check`, `Options`, `Moment`,
`Presentation`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from playhead import errors
from playhead.clock import Clock, when_played
from playhead.errors import ReplayError
from playhead.limits import Limits
from playhead.runtime.libraries import pa
from playhead.runtime.records import asdict, dataclass, field, field_names
from playhead.runtime.typing import TYPE_CHECKING, Any, Protocol
from playhead.text.json import to_json, valid_text
from playhead.text.names import unknown_name

if TYPE_CHECKING:
    from datetime import datetime

    from playhead.tables.deferred import BuiltTables
    from playhead.tables.schema import TableSchema
else:
    # The same class; the module in Python would cost each start a hundredth of a first file.
    from _datetime import datetime

#: Called during a long pass with the number of bytes read and the size of the input.
Progress = Callable[[int, int], None]

#: Called with an error and a description of the lost data; may raise the error.
ProblemHandler = Callable[[ReplayError, str], None]


@dataclass(frozen=True, slots=True)
class Options:
    """How to read a replay.

    Attributes:
        strict: raise the first problem instead of recording it.
        limits: bounds on the memory that a file can make the reader allocate.
        progress: called during a long pass; None for no calls.
        part: number of the recording in a file that has several, from 1 on.
    """

    strict: bool = False
    limits: Limits = field(default_factory=Limits)
    progress: Progress | None = None
    part: int = 1


class Detailed:
    """A record whose `details`, the format's own facts, are attributes too: ``info.matchup``, ``player.mmr``."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def details(self) -> Mapping[str, Any]: ...

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "details":  # copying and pickling read these before `details` is set
            raise AttributeError(name)
        try:
            return self.details[name]
        except KeyError:
            what = f"fact of this {type(self).__name__.lower()}"
            raise AttributeError(unknown_name(name, [*field_names(self), *self.details], what)) from None

    def __dir__(self) -> Iterable[str]:
        return [*object.__dir__(self), *self.details]

    def as_dict(self) -> dict[str, Any]:
        """Return all facts; the values are JSON-ready, except the times of an `Info`."""
        return {**{name: getattr(self, name) for name in field_names(self)}, "details": dict(self.details)}

    def as_row(self) -> dict[str, Any]:
        """Return the row of table ``info`` or ``players``: `as_dict` with `details` as JSON text."""
        return {**self.as_dict(), "details": to_json(dict(self.details))}


@dataclass(frozen=True, slots=True)
class Info(Detailed):
    """Facts about the whole recording, as the columns of table ``info`` document them.

    `start_time` and `end_time` are timezone-aware; `duration_ticks` is in the format's ticks. The format's own
    facts in `details` are attributes too: ``info.matchup``.
    """

    format: str
    game: str
    source: str
    complete: bool
    version: str | None = None
    build: int | None = None
    map: str | None = None
    start_time: datetime | None = None
    end_time: datetime | None = None
    duration_ticks: int | None = None
    ticks_per_second: float | None = None
    game_word: str | None = None
    winner_team: int | None = None
    winner_side: str | None = None
    winner_name: str | None = None
    units_per_metre: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def clock(self) -> Clock | None:
        """Converts ticks to seconds; None if the tick rate is unknown."""
        return None if self.ticks_per_second is None else Clock(self.ticks_per_second)

    @property
    def duration_seconds(self) -> float | None:
        """Duration in seconds: `duration_ticks` divided by `ticks_per_second`; None if either is unknown."""
        if self.duration_ticks is None or self.clock is None:
            return None
        return self.clock.seconds(self.duration_ticks)

    @property
    def played_at(self) -> datetime | None:
        """When it was played, as `played_at_is` says; None if the file has no time."""
        return when_played(self.start_time, self.end_time, self.duration_seconds)[0]

    @property
    def played_at_is(self) -> str | None:
        """Which time `played_at` is: ``start``, ``end_less_duration`` or ``end``."""
        return when_played(self.start_time, self.end_time, self.duration_seconds)[1]

    @property
    def confidence(self) -> str | None:
        """How well the reader's type tables fit this build: ``exact``, or the substitute that it uses; None for
        formats without such tables."""
        found = self.details.get("confidence")
        return None if found is None else str(found)

    @property
    def map_english(self) -> str | None:
        """The map by a name that is equal in every language. It is `map` in formats that do not translate names of
        maps, an item of `details` in others."""
        found = self.details.get("map_english", self.map)
        return None if found is None else str(found)

    def as_dict(self) -> dict[str, Any]:
        """Return all facts; the values are JSON-ready, except the times."""
        computed = ("duration_seconds", "map_english", "played_at", "played_at_is")
        return {**Detailed.as_dict(self), **{name: getattr(self, name) for name in computed}}

    def __repr__(self) -> str:
        facts = [
            (name, value) for name, value in self.as_dict().items() if value is not None and name != "details"
        ]
        brief = [
            (name, value)
            for name, value in self.details.items()
            if isinstance(value, bool | int | float | str) and name != "map_english"
        ]
        return f"<Info {', '.join(f'{name}={value!r}' for name, value in (*facts, *brief))}>"

    def as_row(self) -> dict[str, Any]:
        """Return the row of table ``info``: `as_dict` with `details` as JSON text, all text valid UTF-8."""
        return {**Detailed.as_row(self), "source": valid_text(self.source)}


@dataclass(frozen=True, slots=True)
class Player(Detailed):
    """One participant, as the columns of table ``players`` document it. The format's own facts in `details` are
    attributes too: ``player.mmr``."""

    player: int | None
    name: str | None
    clan: str | None = None
    kind: str | None = None
    team: int | None = None
    side: str | None = None
    character: str | None = None
    result: str | None = None
    account: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """Damage that lenient reading records instead of raising an error.

    Attributes:
        where: the part of the file (``frame``, ``replay.details``, ``stream``).
        offset: byte offset in `where` or, for the outermost container, in the (decompressed) file.
        tick: the tick or game loop reached; None for damage without a time.
        what: message of the error that strict reading raises.
        cost: the data missing from the result.
        kind: class name of the error (``TruncatedReplay``, ``CorruptReplay`` …).
    """

    where: str
    offset: int | None
    tick: int | None
    what: str
    cost: str
    kind: str = "CorruptReplay"

    @classmethod
    def from_error(cls, error: ReplayError, *, cost: str, where: str = "file") -> Problem:
        """Return the record of an error; `where` is used if the error does not name a part of the file."""
        return cls(
            where=error.where or where,
            offset=error.offset,
            tick=error.tick,
            what=error.message,
            cost=cost,
            kind=type(error).__name__,
        )

    def as_error(self, *, file: str) -> ReplayError:
        """Return the error that strict reading raises for this problem."""
        error: type[ReplayError] = getattr(errors, self.kind, ReplayError)
        return error(self.what, file=file, where=self.where, offset=self.offset, tick=self.tick)

    def as_dict(self) -> dict[str, Any]:
        """Return all fields by name; the values are JSON-ready."""
        return asdict(self)

    def __str__(self) -> str:
        place = [self.where]
        if self.offset is not None:
            place.append(f"offset {self.offset:#x}")
        if self.tick is not None:
            place.append(f"tick {self.tick}")
        return f"{', '.join(place)}: {self.what} ({self.cost})"


@dataclass(frozen=True, slots=True)
class Check:
    """One self-check of a recording, with its results.

    Attributes:
        name: the checked data, in a few words.
        passed: number of checks that passed.
        failed: number of checks that failed; each failure is one of `Replay.problems`.
        doc: a sentence on what a pass proves.
    """

    name: str
    passed: int
    failed: int
    doc: str


class Moment(ABC):
    """The state of a game at one moment, as `Replay.at` returns it for every format.

    * Time: `tick`, `seconds` of the recording, `game_seconds` of the game's displayed clock, and `displayed`, the
      time as text (`clock.label` names the clock).
    * Players: `players`, one row each, and their `resources`.
    * Units: `units` by number, in the format's own type, and `unit_counts`, the number of units of each type.
    * `facts`: facts about the whole game, by name.
    * `raw`: the format's own state, complete.

    Rows are JSON-ready mappings. The rows of `players` begin with `PLAYER_KEYS`, those of `unit_counts` with
    `UNIT_KEYS`; the format's own keys follow, the same for all rows of one moment. Formats add methods
    (`World.entities`, `State.units_of`; `Tees` is a sequence of tees).

    Attributes:
        PLAYER_KEYS: first keys of every row of `players`: number and name as in `Replay.players`, team, side; each
            None if unknown. The game's own keys follow: ``hero``, ``race``, ``skin`` …
        UNIT_KEYS: first keys of every row of `unit_counts`: number of the owner (None if nobody or unknown), unit
            type (entity class in Source 2), number of units.
    """

    __slots__ = ("_in_words",)

    PLAYER_KEYS = ("player", "name", "team", "side")
    UNIT_KEYS = ("player", "unit_type", "count")

    @property
    @abstractmethod
    def tick(self) -> int:
        """Tick or game loop, as in every table."""

    @property
    @abstractmethod
    def clock(self) -> Clock | None:
        """Converts `tick` to seconds and to the game's displayed time; None if the rate is unknown."""

    @property
    @abstractmethod
    def players(self) -> Sequence[Mapping[str, Any]]:
        """One row per player: `PLAYER_KEYS`, then the format's own values (position, health, level …)."""

    @property
    @abstractmethod
    def units(self) -> Mapping[int, Any]:
        """All units by number: entities by index (Source 2), living units by tag (StarCraft II), tees by client id
        (teehistorian)."""

    @property
    @abstractmethod
    def raw(self) -> Any:
        """The format's own state: EntityManager (Source 2), the state of each stream by name (StarCraft II), the
        tees (teehistorian)."""

    @property
    def seconds(self) -> float | None:
        """`tick` in seconds, as in every table; None if the rate is unknown."""
        return None if self.clock is None else self.clock.seconds(self.tick)

    @property
    def game_seconds(self) -> float | None:
        """The game's displayed time in seconds; None if the game has no clock or does not display it yet."""
        return None if self.clock is None else self.clock.game_seconds(self.tick)

    @property
    def displayed(self) -> str | None:
        """The time as text, in a form that `Replay.at` accepts: ``12:30``, ``-0:45``. `clock.label` says
        whether it is the game's clock or the time since the start of the recording."""
        return None if self.clock is None else self.clock.displayed(self.tick)

    @property
    def resources(self) -> Mapping[int, Mapping[str, Any]]:
        """Resources of each player: amount by name, by player number; empty if the game has none."""
        return {}

    @property
    def unit_counts(self) -> Sequence[Mapping[str, Any]]:
        """Number of units of each type: `UNIT_KEYS`, then the format's own keys; by player, largest number
        first."""
        return ()

    @property
    def facts(self) -> Mapping[str, Any]:
        """Facts about the whole game, by name; values are JSON-ready."""
        return {}

    @property
    def groups(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """`players` and `unit_counts` (named ``units``), if they have rows."""
        found = {"players": self.players, "units": self.unit_counts}
        return {name: rows for name, rows in found.items() if rows}

    def as_dict(self) -> dict[str, Any]:
        """Return everything except `units` and `raw`, JSON-ready."""
        return {
            "tick": self.tick,
            "seconds": self.seconds,
            "game_seconds": self.game_seconds,
            "displayed": self.displayed,
            "clock": None if self.clock is None else self.clock.label,
            **self.facts,
            **{name: [dict(row) for row in rows] for name, rows in self.groups.items()},
        }

    def when(self) -> str:
        """Return the time in words: ``tick 1850, game time 0:39``."""
        shown = self.displayed
        label = "" if self.clock is None else self.clock.label
        return f"tick {self.tick}" + ("" if shown is None else f", {label} {shown}")

    def to_html(self) -> str:
        """Return a card with the time, facts, players, resources and unit counts."""
        from playhead.text.html import moment_html

        return moment_html(self.when(), self.facts, self.players, self.resources, self.unit_counts, self.in_words)

    def word(self, in_words: Callable[[str], str | None]) -> None:
        """Set what `in_words` returns."""
        object.__setattr__(self, "_in_words", in_words)  # some states are frozen

    def in_words(self, name: object) -> str | None:
        """Return a name as the game displays it, for people; None for a name of the game's bookkeeping."""
        known: Callable[[str], str | None] = getattr(self, "_in_words", str)
        return known(str(name))

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {self.when()}: {len(self.players)} players, {len(self.units)} units>"


class Record(Mapping[str, Any]):
    """A dataclass that is also a mapping of its fields: ``held.minerals`` is ``held["minerals"]``."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Any:
        if name not in field_names(self):
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(field_names(self))

    def __len__(self) -> int:
        return len(field_names(self))


class ReplayLike(Protocol):
    """The part of a replay that plots, queries and exports use; `playhead.replay.Replay` has more."""

    format: str

    format_title: str

    absent: Mapping[str, str]

    @property
    def name(self) -> str: ...
    @property
    def content_hash(self) -> str | None: ...
    @property
    def info(self) -> Info: ...
    @property
    def players(self) -> tuple[Player, ...]: ...
    @property
    def capabilities(self) -> frozenset[str]: ...
    @property
    def problems(self) -> tuple[Problem, ...]: ...
    @property
    def problems_so_far(self) -> tuple[Problem, ...]: ...
    @property
    def tables(self) -> Mapping[str, TableSchema]: ...
    @property
    def tables_so_far(self) -> BuiltTables: ...
    def schema_of(self, name: str) -> TableSchema: ...
    def to_tick(self, when: int | float | str) -> int: ...
    def table(self, name: str, *, columns: Iterable[str] | None = None, **options: Any) -> pa.Table: ...
    def read_tables(self, names: Iterable[str] | None = None, *, jobs: int = 1) -> BuiltTables: ...
    def tables_in_turn(self, names: Iterable[str], *, jobs: int = 1) -> Iterator[BuiltTables]: ...
    def batches(self, name: str, *, rows: int = 65_536) -> Iterator[pa.RecordBatch]: ...
    def entity_table(
        self, pattern: str, fields: Iterable[str] | None = None, *, every: int | float | str | None = None
    ) -> pa.Table: ...
