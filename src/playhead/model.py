"""What users hold: the records `Info`, `Player`, `Problem`, `Check`, `Options`, and `Moment`, what `at` gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from playhead import errors
from playhead.clock import Clock
from playhead.errors import ReplayError
from playhead.limits import Limits
from playhead.runtime.records import asdict, dataclass, field, field_names
from playhead.text.json import to_json, valid_text

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.tables.schema import TableSchema

#: Called with bytes done and bytes in all, now and then during a long pass.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Options:
    """How to read.

    Attributes:
        strict: raise at the first problem instead of recording it.
        limits: bounds on what a file may make the reader allocate.
        progress: called as a long pass goes on; None for silence.
    """

    strict: bool = False
    limits: Limits = field(default_factory=Limits)
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class Info:
    """Facts about the whole recording; the columns of table ``info`` say what each means.

    Times: `start_time` and `end_time` are timezone-aware; `duration_ticks` is in the format's own time.
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
    winner: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def clock(self) -> Clock | None:
        """Turns ticks into seconds; None if the file does not have its rate."""
        return None if self.ticks_per_second is None else Clock(self.ticks_per_second)

    @property
    def duration_seconds(self) -> float | None:
        """Length in seconds: `duration_ticks` by `ticks_per_second`; None if either is unknown."""
        if self.duration_ticks is None or self.clock is None:
            return None
        return self.clock.seconds(self.duration_ticks)

    @property
    def confidence(self) -> str | None:
        """How sure the reader is of its description of this build: ``exact``, or what it took instead; None for
        formats that need none."""
        found = self.details.get("confidence")
        return None if found is None else str(found)

    def as_dict(self) -> dict[str, Any]:
        """Return all facts, with JSON-ready values except for the two times."""
        out = {name: getattr(self, name) for name in field_names(self)}
        out["duration_seconds"] = self.duration_seconds
        out["details"] = dict(self.details)
        return out

    def as_row(self) -> dict[str, Any]:
        """Return the row of table ``info``: the same with `details` as JSON text, all of it valid UTF-8."""
        texts = {"source": valid_text(self.source), "details": to_json(dict(self.details))}
        return {**self.as_dict(), **texts}


@dataclass(frozen=True, slots=True)
class Player:
    """One participant; the columns of table ``players`` say what each field means."""

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

    def as_dict(self) -> dict[str, Any]:
        """Return all facts, with JSON-ready values."""
        out = {name: getattr(self, name) for name in field_names(self)}
        out["details"] = dict(self.details)
        return out

    def as_row(self) -> dict[str, Any]:
        """Return the row of table ``players``: the same with `details` as JSON text."""
        return {**self.as_dict(), "details": to_json(dict(self.details))}


@dataclass(frozen=True, slots=True)
class Problem:
    """One loss: what lenient reading records instead of raising.

    Attributes:
        where: the part of the file (``frame``, ``replay.details``, ``stream``).
        offset: byte offset in `where` or, for the outermost container, in the (decompressed) file.
        tick: the format's own time reached (tick, game loop); None where time plays no part.
        what: what is wrong, in the words of the error that strict reading raises.
        cost: what is missing from the result because of it.
        kind: class name of that error (``TruncatedReplay``, ``CorruptReplay`` …).
    """

    where: str
    offset: int | None
    tick: int | None
    what: str
    cost: str
    kind: str = "CorruptReplay"

    @classmethod
    def from_error(cls, error: ReplayError, *, cost: str, where: str = "file") -> Problem:
        """Return the record of an error that lenient reading swallowed; `where` is used if the error has none."""
        return cls(
            where=error.where or where,
            offset=error.offset,
            tick=error.tick,
            what=error.message,
            cost=cost,
            kind=type(error).__name__,
        )

    def as_error(self, *, file: str) -> ReplayError:
        """Return the error that strict reading raises for it."""
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
    """One self-check of a recording, and how often it held.

    Attributes:
        name: what is checked, in a few words.
        passed: how often it held.
        failed: how often it did not; each failure is one of `Replay.problems`.
        doc: what it proves, in a sentence.
    """

    name: str
    passed: int
    failed: int
    doc: str


class Moment(ABC):
    """What there is at one moment of a replay: what `Replay.at` returns, of one shape in every format.

    * When: `tick`, `seconds` of the recording, `game_seconds` of the clock that the game shows, and `displayed`,
      the time for people (`clock.label` says which of the two it is).
    * Who: `players`, a row for each, and `resources`, what each of them has.
    * What: `units` by number, in the format's own type, and `unit_counts`, how many there are of each kind.
    * `facts`: what holds for the whole, by name.
    * `raw`: the format's own state that all of it is made of, with everything in it.

    Rows are JSON-ready mappings. The rows of `players` begin with `PLAYER_KEYS`, those of `unit_counts` with
    `UNIT_KEYS`; behind them are the format's own keys, and the rows of one moment all have the same. Formats
    add methods of their own (`World.entities`, `State.units_of`, `Tees` is a sequence of tees).
    """

    __slots__ = ()

    #: Keys that every row of `players` begins with: number and name as in `Replay.players`, team and side, and
    #: hero, race or skin as `Player.character` has it, each None where it is not known.
    PLAYER_KEYS = ("player", "name", "team", "side", "character")

    #: Keys that every row of `unit_counts` begins with: number of the player whose they are (None where nobody's,
    #: or where the format does not say), kind of unit (entity class in Source 2), how many.
    UNIT_KEYS = ("player", "unit_type", "count")

    @property
    @abstractmethod
    def tick(self) -> int:
        """The format's own time, as in every table."""

    @property
    @abstractmethod
    def clock(self) -> Clock | None:
        """What makes `tick` seconds and the time that the game shows; None without a known rate."""

    @property
    @abstractmethod
    def players(self) -> Sequence[Mapping[str, Any]]:
        """A row for each player: `PLAYER_KEYS`, then what the format has of them then (place, health, level …)."""

    @property
    @abstractmethod
    def units(self) -> Mapping[int, Any]:
        """All there is, by the format's own number: entities by index (Source 2), living units by tag
        (StarCraft II), tees by client id (teehistorian)."""

    @property
    @abstractmethod
    def raw(self) -> Any:
        """The format's own state: EntityManager (Source 2), what the streams hold by part (StarCraft II), the
        tees (teehistorian)."""

    @property
    def seconds(self) -> float | None:
        """`tick` in seconds, as in every table; None without a known rate."""
        return None if self.clock is None else self.clock.seconds(self.tick)

    @property
    def game_seconds(self) -> float | None:
        """What the clock of the game shows, in seconds; None before it shows any, or if it has none."""
        return None if self.clock is None else self.clock.game_seconds(self.tick)

    @property
    def displayed(self) -> str | None:
        """The time that people are shown, as they may give it to `Replay.at`: ``12:30``, ``-0:45``; `clock.label`
        says whether that is the game's clock or the time since the start of the recording."""
        return None if self.clock is None else self.clock.displayed(self.tick)

    @property
    def resources(self) -> Mapping[int, Mapping[str, Any]]:
        """What each player has, by number: amounts by name; empty where a game has none."""
        return {}

    @property
    def unit_counts(self) -> Sequence[Mapping[str, Any]]:
        """How many there are of each kind: `UNIT_KEYS`, then the format's own; the most first, by player."""
        return ()

    @property
    def facts(self) -> Mapping[str, Any]:
        """What holds for the whole, by name; values are JSON-ready."""
        return {}

    @property
    def groups(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """`players` and `unit_counts` (as ``units``), those that have rows."""
        found = {"players": self.players, "units": self.unit_counts}
        return {name: rows for name, rows in found.items() if rows}

    def as_dict(self) -> dict[str, Any]:
        """Return all of it but `units` and `raw`, JSON-ready."""
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
        """Return when it is, in words: ``tick 1850, game time 0:39``."""
        shown = self.displayed
        label = "" if self.clock is None else self.clock.label
        return f"tick {self.tick}" + ("" if shown is None else f", {label} {shown}")

    def to_html(self) -> str:
        """Return a card: when it is, the facts, who is there and has what, and units by count."""
        from playhead.text.html import moment_html

        return moment_html(self.when(), self.facts, self.players, self.resources, self.unit_counts)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {self.when()}: {len(self.players)} players, {len(self.units)} units>"


class Record(Mapping[str, Any]):
    """A dataclass that is a mapping of its fields too: ``held.minerals`` is ``held["minerals"]``."""

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
    def problems_so_far(self) -> tuple[Problem, ...]: ...
    @property
    def tables(self) -> Mapping[str, TableSchema]: ...
    @property
    def tables_so_far(self) -> Mapping[str, pa.Table]: ...
    def schema_of(self, name: str) -> TableSchema: ...
    def to_tick(self, when: int | float | str) -> int: ...
    def table(self, name: str, *, columns: Iterable[str] | None = None) -> pa.Table: ...
    def read_tables(self, names: Iterable[str] | None = None) -> dict[str, pa.Table]: ...
    def batches(self, name: str, *, rows: int = 65_536) -> Iterator[pa.RecordBatch]: ...
    def entity_table(
        self, pattern: str, fields: Iterable[str] | None = None, *, every: int | float | str | None = None
    ) -> pa.Table: ...
