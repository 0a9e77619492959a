"""How plots, summaries and the viewer show a game: each game declares one `Presentation` in its own package.

`motion` and `picture` hold the classes that a game extends for its map; they load on first use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from playhead.model import Info, Player, ReplayLike
from playhead.presentation.feed import Cluster as Cluster
from playhead.presentation.feed import EventFeed as EventFeed
from playhead.presentation.feed import EventUnit as EventUnit
from playhead.presentation.feed import Jump as Jump
from playhead.presentation.feed import Kill as Kill
from playhead.presentation.feed import Opening as Opening
from playhead.presentation.feed import Told as Told
from playhead.presentation.feed import of_kinds as of_kinds
from playhead.presentation.map import FOLDER as FOLDER
from playhead.presentation.map import Levels as Levels
from playhead.presentation.map import MapLook as MapLook
from playhead.presentation.map import Mark as Mark
from playhead.presentation.map import MarkStyle as MarkStyle
from playhead.presentation.map import bounds_of as bounds_of
from playhead.presentation.notes import Note as Note
from playhead.presentation.notes import Notes as Notes
from playhead.presentation.stage import Activity as Activity
from playhead.presentation.stage import Best as Best
from playhead.presentation.stage import Builds as Builds
from playhead.presentation.stage import Score as Score
from playhead.presentation.stage import Stage as Stage
from playhead.presentation.stage import Turn as Turn
from playhead.presentation.stage import died as died
from playhead.presentation.stage import kill_scores as kill_scores
from playhead.presentation.stage import largest_fight as largest_fight
from playhead.presentation.stage import span_of_fight as span_of_fight
from playhead.runtime.libraries import pa
from playhead.runtime.records import NamedTuple, dataclass, field
from playhead.runtime.typing import TYPE_CHECKING, Any, Protocol
from playhead.tables.schema import TableSchema

if TYPE_CHECKING:
    from playhead.clock import Clock
    from playhead.events import Event
    from playhead.io.source import Source
    from playhead.model import Moment, Problem


@dataclass(frozen=True, slots=True)
class Series:
    """Columns that a plot draws over time.

    Attributes:
        table: a table with ``player`` and the column `Presentation.time`.
        columns: the columns to draw by default; several are added up.
        label: label of the axis, with the unit.
        options: options of the table.
        side: column with the side of a player at that time, and the team of each of its values, for games in which
            players change sides; None if players keep the team of table ``players``.
        of_side: the rows are of sides (column ``team``), not of players.
    """

    table: str
    columns: tuple[str, ...]
    label: str
    options: Mapping[str, Any] = field(default_factory=dict)
    side: tuple[str, Mapping[str, int]] | None = None
    of_side: bool = False


@dataclass(frozen=True, slots=True)
class SeriesSource:
    """A table from which `Corpus.series` takes fields.

    Attributes:
        table: a table with ``seconds`` and ``player``, ordered by time. The values of a row hold for its player
            until the player's next row, at most for one step of the table.
        fields: for each field of the series, the columns that are added up. Nulls are skipped; the field is null
            if all columns are.
        step: seconds between two rows of a player, without options; None if rows are changes, which hold until the
            next.
        sampled: the table has the option ``every``.
        gone: a column and a value. From a row with this value on, nothing is known of the player, also of other
            tables.
        game: the game whose replays have the table with these columns, as `Info.game`; None for every game of the
            format.
        by_default: whether a series without named fields has these; False for a table that takes long.
    """

    table: str
    fields: Mapping[str, tuple[str, ...]]
    step: float | None = None
    sampled: bool = False
    gone: tuple[str, str] | None = None
    game: str | None = None
    by_default: bool = True

    def columns(self, fields: Iterable[str]) -> list[str]:
        """Return the columns of the table that `fields` need."""
        wanted = ["seconds", "player", *(column for name in fields for column in self.fields[name])]
        return list(dict.fromkeys([*wanted, self.gone[0]] if self.gone else wanted))


@dataclass(frozen=True, slots=True)
class Wording:
    """Names and facts as players write them. Regular expressions must mean the same in Python and in JavaScript.

    Attributes:
        prefixes: regular expression of prefixes that the game's names of heroes, items and units have.
        class_prefixes: the same for names of classes; only the page removes them.
        hidden_names: regular expression that matches the start of names of units and upgrades that are
            bookkeeping of the game.
        fact_names: labels of facts about players; other facts are labelled by their names.
        fact_values: by fact, words for its values.
        hidden_facts: facts about players that the panel leaves out.
        title: returns the displayed title of one of the game's names; None for any other text.
        is_unit: test for names of types of units that the panel of a player counts; an arcade map has others.
    """

    prefixes: str = ""
    class_prefixes: str = ""
    hidden_names: str = ""
    fact_names: Mapping[str, str] = field(default_factory=dict)
    fact_values: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    hidden_facts: tuple[str, ...] = ()
    title: Callable[[str], str | None] = lambda text: None
    is_unit: Callable[[str], bool] = lambda name: True

    def hides(self, value: Any) -> bool:
        """Return whether a value is a name of the game's bookkeeping."""
        hidden = self.hidden_names
        return bool(hidden) and isinstance(value, str) and re.match(hidden, value) is not None

    def in_words(self, name: str) -> str | None:
        """Return a name of a type, a class or an item in words; None for one of bookkeeping."""
        if self.hides(name):
            return None
        known = self.title(name)
        if known is not None or " " in name:
            return known or name
        bare = re.sub(f"^(?:{'|'.join(filter(None, (self.class_prefixes, self.prefixes)))})", "", name)
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", bare).replace("_", " ").strip() or name

    def shown(self, value: Any) -> Any:
        """Return a value with each name of the game, also in lists, as the game displays it; lists without the
        names of bookkeeping."""
        if isinstance(value, list | tuple):
            return [self.shown(each) for each in value if not self.hides(each)]
        return value if not isinstance(value, str) else self.title(value) or value

    def as_dict(self) -> dict[str, Any]:
        """Return the part that the page needs, JSON-ready."""
        return {
            "prefixes": "|".join(filter(None, (self.class_prefixes, self.prefixes))),
            "hidden_names": self.hidden_names,
            "fact_names": dict(self.fact_names),
            "fact_values": {
                name: {str(value): word for value, word in words.items()}
                for name, words in self.fact_values.items()
            },
            "hidden_facts": list(self.hidden_facts),
        }


class Death(NamedTuple):
    """The end of a unit: its tick, its time on the clock of `Presentation.time`, its place (None if unknown), its
    owner and side, the player to whom it counts as a kill, and the round (None for a game without rounds)."""

    tick: int
    seconds: float
    x: float | None
    y: float | None
    player: int | None
    team: int | None
    killer: int | None = None
    round_num: int | None = None


def deaths_of_kills(replay: ReplayLike) -> Iterator[Death]:
    """Yield the rows of table ``kills`` that have a time on the game's clock, as deaths."""
    names = "tick game_seconds victim_x victim_y victim_player victim_team attacker_player".split()
    for row in replay.table("kills", columns=names).to_pylist():
        if row["game_seconds"] is not None:
            yield Death(*(row[name] for name in names))


class Highlight(NamedTuple):
    """An event that plots over time point out; `team` is its side, None if it has none."""

    seconds: float
    kind: str
    team: int | None = None


class Chapter(NamedTuple):
    """A part of a recording, such as a round: its ticks, its name, the side that won it (None if unknown), whether
    it is part of the match (a warm-up is not), and the tick at which play begins, after a freeze time."""

    tick: int
    end: int | None
    name: str
    team: int | None = None
    note: str = ""
    counts: bool = True
    opens: int | None = None


class WinChance(NamedTuple):
    """The recorded probability, from 0 to 1, that a team wins: a table with ``tick``, its column, and the team."""

    table: str
    column: str
    team: int


@dataclass(frozen=True, slots=True)
class Presentation:
    """How plots, summaries and the viewer show a game. Every field has a default.

    Attributes:
        title: returns game and version as people write them.
        map_name: returns the map as people write it; None if all matches are on the same one.
        character: returns the hero or race of a player as people write it; None if the game has neither.
        sides: names of teams, in the order of their colours; other teams follow by number.
        final_score: returns the score of a match as people write it; None if the game counts none, or it costs
            more than `Replay.players`.
        nobody: number of the player to which neutral things belong; None if there is no such player.
        player_facts: items of a player's `details` that a summary shows.
        time: column with the time that plots show.
        time_label: label of its axis.
        economy: curve of `plot.economy`; None if the game has no economy.
        advantage: curve whose sums by side `plot.advantage` compares; None if the game has none.
        series: tables from which `Corpus.series` takes fields.
        curves: labels of the viewer's curves, and the fields of `series` that each adds up.
        no_actions: kinds of table ``inputs`` that are not actions of a player.
        deaths: returns every `Death`, in order; None if the game has no deaths.
        deaths_label: title of plots of deaths.
        highlights: returns the events that `plot.advantage` points out.
        chapters: returns the parts of a recording, such as rounds, in order.
        win_chance: the recorded probability that a team wins; None if recordings have none.
        builds: what players made or bought; None if the game has no such table.
        notes: more panels, each of lines over a table.
        plots: names of plots that replays of the game have, with notes on their content.
        report_tables: tables whose first rows a report holds.
        coach: returns more tables for a report, with their schemas: how the players did, compared with the players
            of another replay if it is given; None if the game has none.
        feed: how the viewer lists events.
        map: how the map is drawn.
        wording: how the viewer words names and facts.
        stage: the parts of the viewer around the map.
    """

    title: Callable[[Info], str] = lambda info: " ".join(filter(None, (info.game, info.version)))
    map_name: Callable[[Info], str | None] = lambda info: info.map and map_title(info.map)
    character: Callable[[Player], str | None] = lambda player: player.character
    sides: Mapping[int, str] = field(default_factory=dict)
    final_score: Callable[[ReplayLike], str | None] = lambda replay: None
    nobody: int | None = None
    player_facts: tuple[str, ...] = ()
    time: str = "seconds"
    time_label: str = "time since the start (min:s)"
    economy: Series | None = None
    advantage: Series | None = None
    series: tuple[SeriesSource, ...] = ()
    curves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    no_actions: frozenset[str] = frozenset()
    deaths: Callable[[ReplayLike], Iterable[Death]] | None = None
    deaths_label: str = "deaths"
    highlights: Callable[[ReplayLike], Iterable[Highlight]] = lambda replay: ()
    chapters: Callable[[ReplayLike], Iterable[Chapter]] = lambda replay: ()
    win_chance: WinChance | None = None
    builds: Builds | None = None
    notes: tuple[Notes, ...] = ()
    plots: Mapping[str, str] = field(default_factory=dict)
    report_tables: tuple[str, ...] = ("info", "players", "chat")
    coach: Callable[[ReplayLike, ReplayLike | None], Mapping[str, tuple[TableSchema, pa.Table]]] | None = None
    feed: EventFeed = field(default_factory=EventFeed)
    map: MapLook = field(default_factory=MapLook)
    wording: Wording = field(default_factory=Wording)
    stage: Stage = field(default_factory=Stage)

    def winner(self, info: Info) -> str | None:
        """Return the winner as people write it: the team, the side, or a player; None if nobody won or the
        recording does not say."""
        side, name = self.sides.get(info.winner_team or 0), info.winner_name
        several = name is not None and ", " in name  # the players of a side, which is shorter
        return (side if several else None) or name or side or info.winner_side

    def as_dict(self) -> dict[str, Any]:
        """Return the part that the page of the viewer needs, JSON-ready."""
        return {
            "sides": [[team, name] for team, name in self.sides.items()],
            "nobody": self.nobody,
            "feed": self.feed.as_dict(),
            "map": self.map.as_dict(),
            "wording": self.wording.as_dict(),
            "stage": self.stage.as_dict(),
        }


def map_title(name: str) -> str:
    """Return a map as people write it: Nuke for ``de_nuke``, which begins with the mode or the game."""
    bare = re.sub(r"^(?:.*/)?(?:de|cs|ar|dl)_", "", name)
    return name if bare == name else bare.replace("_", " ").title()


class Speaking(Protocol):
    """Somebody who speaks in a recording, as `Replay.speakers` lists them."""

    @property
    def player(self) -> int | None: ...
    @property
    def name(self) -> str: ...
    def sound(self, seconds: float) -> bytes: ...


class PresentedReplay(ReplayLike, Protocol):
    """A replay that has a `Presentation`: all that plots and the viewer need of it."""

    @property
    def presentation(self) -> Presentation: ...
    @property
    def source(self) -> Source: ...
    @property
    def clock(self) -> Clock | None: ...
    @property
    def first_tick(self) -> int: ...
    @property
    def recorded_seconds(self) -> float | None: ...
    @property
    def event_kinds(self) -> Mapping[str, str]: ...
    @property
    def problems(self) -> tuple[Problem, ...]: ...
    @property
    def brief_info(self) -> Info: ...
    def events(self, *kinds: str) -> Iterator[Event]: ...
    def at(self, when: int) -> Moment: ...
    def use_map(self, map: str, *, other_map: bool = False) -> None: ...
    def tick_within(self, when: int | float | str) -> int: ...
    def forget_tables(self, *names: str) -> None: ...
    def why_empty(self, *tables: str) -> Mapping[str, str]: ...
    def speakers(self) -> Sequence[Speaking]: ...
    def name_of(self, player: int, tick: int) -> str | None: ...
