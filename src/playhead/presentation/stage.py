"""`Stage`: the parts of the page around the map: the score, the players, and the turns of the match."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from playhead.runtime.records import NamedTuple, dataclass, field
from playhead.runtime.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playhead.model import Player, ReplayLike


class Score(NamedTuple):
    """The score of a side from a tick on."""

    tick: int
    team: int
    score: int


class Turn(NamedTuple):
    """What decided a match: its tick, the rule by which it was chosen, what happened, and the side it favoured."""

    tick: int
    rule: str
    text: str
    team: int | None = None


class Best(NamedTuple):
    """The best time from a tick on, in words, and whose it is."""

    tick: int
    time: str
    names: str


class Activity(NamedTuple):
    """What a player is at for a while, such as a run or a unit in production: its first and last tick, and to
    which bands of the timeline it belongs; empty for what is only in production."""

    tick: int
    end: int
    player: int
    name: str
    bands: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """The parts of the page around the map. Facts are columns of `Moment.players` and `Moment.resources`.

    Attributes:
        colours: the game's own colours of teams.
        plotted: colours of teams in plots, which are white, if those of the game are alike for some eyes.
        colour: returns the recorded colour of a player; None for that of the team.
        scores: yields the scores of the sides, in order.
        tallies: cards count `Presentation.deaths`: the moments of the game have no ``kills`` of players.
        best: yields each best time until then, in order.
        score_label: what is counted: ``rounds``, ``kills``.
        totals: facts that are added up by side below the score.
        facts: facts of a player beside the map, the last one at the end of its line.
        dead_seconds: column of table ``kills`` with the seconds until the victim is back.
        pictures: returns pictures in an installed game, PNG or SVG: of characters by what `Presentation.character`
            returns, of weapons by their titles.
        is_army: test for names of types of units that are a player's army.
        tasks: yields what players are at for a while.
        turns: yields what decided the match.
        tables: the table of the summary and its columns; the first that the recording has.
        reads: the tables that `scores`, `turns` and the summary read: the viewer asks for them in one pass.
    """

    colours: Mapping[int, str] = field(default_factory=dict)
    plotted: Mapping[int, str] = field(default_factory=dict)
    colour: Callable[[Player], str | None] = lambda player: None
    scores: Callable[[ReplayLike], Iterable[Score]] = lambda replay: ()
    tallies: bool = False
    best: Callable[[ReplayLike], Iterable[Best]] = lambda replay: ()
    score_label: str = ""
    totals: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    dead_seconds: str | None = None
    pictures: Callable[[Any], Mapping[str, bytes]] = lambda replay: {}
    is_army: Callable[[str], bool] = lambda name: False
    tasks: Callable[[ReplayLike], Iterable[Activity]] = lambda replay: ()
    turns: Callable[[ReplayLike], Iterable[Turn]] = lambda replay: ()
    tables: tuple[tuple[str, tuple[str, ...]], ...] = ()
    reads: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the part that the page needs, JSON-ready."""
        return {
            "colours": [[team, colour] for team, colour in self.colours.items()],
            "score_label": self.score_label,
            "totals": list(self.totals),
            "facts": list(self.facts),
        }


def died(counts: Mapping[str, int]) -> str:
    """Return how many of each side died, without sides that lost nobody."""
    return " and ".join(f"{count} of {side}" for side, count in counts.items() if count) + " died"


def kill_scores(replay: ReplayLike) -> Iterator[Score]:
    """Yield kills of players by side, from table ``kills``; those of a player's own side do not count. A death
    without an attacker counts to the side of the players that took part."""
    counts: dict[int, int] = {}
    teams = {player.player: player.team for player in replay.players}
    columns = ["tick", "attacker_team", "victim_team", "assister_players"]
    for row in replay.table("kills", columns=columns).to_pylist():
        team = row["attacker_team"]
        if team is None and row["assister_players"]:
            team = teams.get(row["assister_players"][0])
        if team not in (None, row["victim_team"]) and row["victim_team"] is not None:
            counts[team] = counts.get(team, 0) + 1
            yield Score(row["tick"], team, counts[team])


def largest_fight(replay: ReplayLike) -> Mapping[str, Any] | None:
    """Return the row of table ``fights`` with most deaths, the last of several; None without a fight."""
    rows = replay.table("fights").to_pylist() if "fights" in replay.tables else []
    return max(rows, key=lambda row: (row["deaths"], row["tick"]), default=None)


def span_of_fight(replay: ReplayLike) -> tuple[int, int, None] | None:
    """Return the first and the last tick of the largest fight, as `Opening.span`; None without one."""
    best = largest_fight(replay)
    return None if best is None else (best["tick"], best["end_tick"], None)


#: Equal steps of one player in a row are one line if each began at most so many seconds after the one before.
APART = 5.0


class Builds(NamedTuple):
    """What players made or bought, which the viewer shows side by side.

    Attributes:
        table: table with ``tick``, ``player`` and the column `name`.
        name: column with the names.
        label: name of the panel.
        supply: column with the supply in use before each step; None if the game has no supply.
        notes: by column, the words that follow the name for some of its values.
        grouped: equal steps in a row are one line with their number.
        title: returns the displayed title of a name of the column `name`.
    """

    table: str
    name: str
    label: str
    supply: str | None = None
    notes: Mapping[str, Mapping[Any, str]] = {}
    grouped: bool = False
    title: Callable[[str], str] = str

    @property
    def columns(self) -> list[str]:
        """The columns that `lines` reads."""
        return ["tick", "player", self.name, *filter(None, [self.supply]), *self.notes]

    def lines(self, rows: Iterable[Mapping[str, Any]], rate: float) -> Iterator[BuildLine]:
        """Yield the lines of rows, which are in order of time; `rate` is in ticks a second. A line has the place,
        the time and the supply of its first step."""
        found: list[list[Any]] = []
        last: dict[int, tuple[list[Any], int]] = {}
        for row in rows:
            tick, player, name = row["tick"], row["player"], row[self.name]
            if player is None or name is None:
                continue
            notes = [words[row[column]] for column, words in self.notes.items() if row[column] in words]
            line, at = last.get(player, (None, tick))
            near = self.grouped and tick - at <= APART * rate
            title = self.title(name)
            if line is None or not near or (line[2], line[5]) != (title, notes):
                line = [tick, player, title, None if self.supply is None else row[self.supply], 0, notes]
                found.append(line)
            line[4] += 1
            last[player] = line, tick
        yield from (BuildLine(*line) for line in found)


class BuildLine(NamedTuple):
    """One line: the first of some equal steps.

    Attributes:
        supply: in use before it; None if it is not known.
        times: the number of the steps.
        notes: remarks on all of them.
    """

    tick: int
    player: int
    name: str
    supply: float | None
    times: int
    notes: Sequence[str]

    @property
    def more(self) -> str:
        """What follows the name: ``×4 (chrono boost)``."""
        times = f" ×{self.times}" if self.times > 1 else ""
        return times + (f" ({', '.join(self.notes)})" if self.notes else "")
