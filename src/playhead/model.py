"""The frozen records that a user holds: `Info`, `Player`, `Problem`, `Check`, `Moment`, `Options`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from playhead import errors
from playhead.clock import Clock, format_seconds
from playhead.errors import ReplayError
from playhead.html_text import facts_html, rows_html
from playhead.json_text import to_json
from playhead.limits import Limits

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
        out = {f.name: getattr(self, f.name) for f in fields(self)}
        out["duration_seconds"] = self.duration_seconds
        out["details"] = dict(self.details)
        return out

    def as_row(self) -> dict[str, Any]:
        """Return the row of table ``info``: the same with `details` as JSON text."""
        return {**self.as_dict(), "details": to_json(dict(self.details))}


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
        out = {f.name: getattr(self, f.name) for f in fields(self)}
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


@dataclass(frozen=True, slots=True, repr=False)
class Moment:
    """A summary of the state at one moment, as rows for people and programs; `Replay.at` gives all of it.

    Attributes:
        tick: the format's own time.
        seconds: the same in seconds; None if the file does not have its rate.
        facts: what holds for the whole, by name; values are JSON-ready.
        groups: rows of what there is (``players``, ``units`` …), by what it is; values are JSON-ready, and the
            rows of one group have the same keys.
    """

    tick: int
    seconds: float | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    groups: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, JSON-ready."""
        return {
            "tick": self.tick,
            "seconds": self.seconds,
            **self.facts,
            **{name: [dict(row) for row in rows] for name, rows in self.groups.items()},
        }

    def to_html(self) -> str:
        """Return when it is, the facts, and every group of rows as HTML."""
        seconds = "" if self.seconds is None else f" ({format_seconds(self.seconds)})"
        parts = [f"<b>tick {self.tick}</b>{seconds}", facts_html(self.facts)]
        for name, rows in self.groups.items():
            parts.append(f"<i>{escape(name)}: {len(rows)}</i>{rows_html(rows)}")
        return f"<div>{''.join(parts)}</div>"

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(rows)} {name}" for name, rows in self.groups.items())
        return f"<Moment at tick {self.tick}: {counts}>"


@dataclass(frozen=True, slots=True)
class Series:
    """What a picture draws over time.

    Attributes:
        table: a table with ``player`` and the column `Presentation.time`.
        columns: what is drawn by default.
        label: what that is, with its unit, for the axis.
        options: of the table.
    """

    table: str
    columns: tuple[str, ...]
    label: str
    options: Mapping[str, Any] = field(default_factory=dict)


class Mark(NamedTuple):
    """A thing that stands on the map; `team` is whose it is, None for nobody's."""

    kind: str
    x: float
    y: float
    team: int | None = None


class Death(NamedTuple):
    """The end of a unit: when (on the clock of `Presentation.time`), where (None if unknown), whose, by whom."""

    seconds: float
    x: float | None
    y: float | None
    player: int | None
    team: int | None
    killer: int | None = None


class Highlight(NamedTuple):
    """Something that pictures over time point out; `team` is whose it is, None for nobody's."""

    seconds: float
    kind: str
    team: int | None = None


@dataclass(frozen=True, slots=True)
class Presentation:
    """What pictures and summaries of a format's replays need to know of it.

    Attributes:
        economy: what `plot.economy` draws; None where a game has no economy.
        advantage: what `plot.advantage` sums up by side; None where there is nothing of the kind.
        time: the column of all these tables that has the clock the game shows.
        time_label: what that is, for the axis.
        no_actions: kinds of table ``inputs`` that are no actions: `plot.activity` leaves them out.
        player_facts: items of a player's `details` that a summary shows.
        character: the hero or race that a player played, for people; None where the format has neither.
        title: the game and its version, for people.
        y_is_down: coordinates of table ``positions`` grow downwards on the screen.
        length: unit of length that maps are drawn in, and how many units of table ``positions`` it has.
        samples: what one row of table ``positions`` stands for.
        marks: gives what stands on the map, for the background of maps.
        deaths: gives every `Death`, in order; None if the format has none.
        deaths_label: who died, for titles.
        highlights: gives what `plot.advantage` points out.
    """

    economy: Series | None = None
    advantage: Series | None = None
    time: str = "seconds"
    time_label: str = "time since the start (min:s)"
    no_actions: frozenset[str] = frozenset()
    player_facts: tuple[str, ...] = ()
    character: Callable[[Player], str | None] = lambda player: player.character
    title: Callable[[Info], str] = lambda info: " ".join(filter(None, (info.game, info.version)))
    y_is_down: bool = False
    length: tuple[str, float] = ("map units", 1.0)
    samples: str = "positions"
    marks: Callable[[ReplayLike], Iterable[Mark]] = lambda replay: ()
    deaths: Callable[[ReplayLike], Iterable[Death]] | None = None
    deaths_label: str = "deaths"
    highlights: Callable[[ReplayLike], Iterable[Highlight]] = lambda replay: ()


class ReplayLike(Protocol):
    """What shows, queries and writes of tables need of a replay; `playhead.replay.Replay` has more."""

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
    def presentation(self) -> Presentation: ...
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
