"""Tables ``fights`` and ``fight_players``: deaths or damage close in time and space, and counts of the players.

The rule of deaths is that of Dota 2: deaths of heroes are grouped (`source2/facts/groups.py`), and a fight lasts
from `window` before its first death to `window` after its last. Damage between opposing heroes in that time counts
for the nearest fight whose middle is within `radius` of the victim. The rule of boon groups the damage itself: a
fight lasts from its first to its last damage, and has at least `players` heroes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.combat.damage import DamageLog
from playhead.deadlock.facts.combat.kills import KillLog
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import TEAMS, person_columns
from playhead.runtime.libraries import pa
from playhead.runtime.records import NamedTuple
from playhead.source2.facts.groups import Group, Happening, grouped
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words


class _Rule(NamedTuple):
    window: str
    radius: float
    least_deaths: int
    least_players: int


#: Defaults of the options by rule.
_RULES: Mapping[str, _Rule] = {"deaths": _Rule("15s", 3000.0, 1, 0), "boon": _Rule("5s", 1500.0, 0, 3)}

FIGHTS = TableSchema.of(
    "fights",
    "One row for each fight. Option `rule`: `deaths` (the default) groups deaths of heroes that lie together "
    "in time (`window`, 15 seconds) and space (`radius`, 3000 world units), at least `deaths` (1) of them; `boon` "
    "groups damage between opposing heroes (5 seconds, 1500 world units) of at least `players` (3) heroes.",
    *words("fight tick! seconds game_seconds end_tick end_seconds end_game_seconds"),
    word("deaths", "Of heroes."),
    Column("hidden_king_deaths", "int32", "Of them, heroes of the Hidden King."),
    Column("archmother_deaths", "int32", "Of them, heroes of the Archmother."),
    word("winner_team", "With fewer deaths."),
    *words("winner_side"),
    word("damage", "Between opposing heroes."),
    word("players", "They died, killed, or dealt or took damage."),
    word("x", "Mean place of the deaths, or of the damage."),
    *words("y"),
)
FIGHT_PLAYERS = TableSchema.of(
    "fight_players",
    "One row for each player in a fight of table `fights`.",
    *words("fight"),
    *person_columns(),
    *words("kills deaths assists"),
    word("damage", "Done to enemy heroes."),
    word("damage_taken", "From enemy heroes."),
)


@TABLES.maker_of(FIGHTS, FIGHT_PLAYERS)
class DeadlockFights(DeadlockFacts):
    """Tables ``fights`` and ``fight_players``."""

    jobs: ClassVar = Jobs(8, extra=25)
    fields = KillLog.fields  # with those of DamageLog
    options = ("rule", "window", "radius", "deaths", "players")

    def __init__(
        self,
        match: DeadlockMatch,
        rule: str = "deaths",
        window: int | float | str | None = None,
        radius: float | None = None,
        deaths: int | None = None,
        players: int | None = None,
    ) -> None:
        super().__init__(match)
        if rule not in _RULES:
            raise ValueError(f"expected rule {' or '.join(_RULES)}, got {rule!r}")
        usual = _RULES[rule]
        self._of_deaths = rule == "deaths"
        self._window = match.interval(usual.window if window is None else window)
        self._radius = usual.radius if radius is None else radius
        self._deaths = usual.least_deaths if deaths is None else deaths
        self._players = usual.least_players if players is None else players

    def attach(self, playback: Playback) -> None:
        self._kills = self.match.shared(KillLog, playback)
        self._damage = self.match.shared(DamageLog, playback)

    def _hits(self) -> list[dict[str, Any]]:
        """Return the damage between opposing heroes."""
        return [
            row
            for row in self._damage.rows
            if {row.get("attacker_team"), row.get("victim_team")} == set(TEAMS)
            and row["victim_kind"] == row["attacker_kind"] == "hero"
        ]

    def tables(self) -> Mapping[str, pa.Table]:
        self._kills.finish()
        kills = [
            row | {"assisters": assisters}
            for row, assisters in zip(self._kills.rows, self._kills.assisters, strict=True)
            if row.get("victim_player") is not None
        ]
        hits = self._hits()
        source = kills if self._of_deaths else hits
        happenings = [Happening(row["tick"], row["victim_player"], *_place(row)) for row in source]
        groups = [
            group for group in grouped(happenings, self._window, self._radius) if self._is_fight(group, source)
        ]
        groups.sort(key=lambda group: group.first)
        before = self._window if self._of_deaths else 0
        spans = [(max(0, group.first - before), group.last + before) for group in groups]
        hits_of: list[list[dict[str, Any]]] = [[] for _ in groups]
        kills_of: list[list[dict[str, Any]]] = [[] for _ in groups]
        for number, group in enumerate(groups):
            (kills_of if self._of_deaths else hits_of)[number] = [source[at] for at in group.members]
        for row in hits if self._of_deaths else kills:
            place = self._nearest(row, groups, spans)
            if place is not None:
                (hits_of if self._of_deaths else kills_of)[place].append(row)
        fights, players = [], []
        for number, (group, span) in enumerate(zip(groups, spans, strict=True)):
            counted = _count(kills_of[number], hits_of[number])
            dead = Counter(row["victim_team"] for row in kills_of[number])
            lost = [dead[team] for team in TEAMS]
            fights.append(
                {
                    "fight": number + 1,
                    "tick": span[0],
                    "end_tick": span[1],
                    "deaths": sum(lost),
                    "hidden_king_deaths": lost[0],
                    "archmother_deaths": lost[1],
                    "winner_team": None if lost[0] == lost[1] else TEAMS[lost[0] > lost[1]],
                    "damage": sum(row["damage"] or 0 for row in hits_of[number]),
                    "players": sorted(counted),
                    "x": group.x,
                    "y": group.y,
                }
            )
            players += [{"fight": number + 1, **row} for _, row in sorted(counted.items())]
        self.rows = {FIGHTS.name: fights, FIGHT_PLAYERS.name: players}
        return super().tables()

    def _is_fight(self, group: Group, source: Sequence[Mapping[str, Any]]) -> bool:
        if self._of_deaths:
            return len(group.members) >= self._deaths
        people = {source[at][name] for at in group.members for name in ("attacker_player", "victim_player")}
        return len(people) >= self._players

    def _nearest(
        self, row: Mapping[str, Any], groups: Sequence[Group], spans: Sequence[tuple[int, int]]
    ) -> int | None:
        """Return the fight to which a row belongs by its time and place; None for none."""
        tick = row["tick"]
        near = [
            (group.distance(*_place(row)), number)
            for number, (group, (first, last)) in enumerate(zip(groups, spans, strict=True))
            if first <= tick <= last and group.distance(*_place(row)) <= self._radius
        ]
        return min(near)[1] if near else None


def _place(row: Mapping[str, Any]) -> tuple[float | None, float | None]:
    return row.get("victim_x"), row.get("victim_y")


def _count(kills: Iterable[Mapping[str, Any]], hits: Iterable[Mapping[str, Any]]) -> dict[int, dict[str, Any]]:
    """Return the columns of each player in a fight, by player."""
    found: dict[int, dict[str, Any]] = {}

    def add(row: Mapping[str, Any], prefix: str, counter: str, amount: int) -> None:
        player = row.get(f"{prefix}player")
        if player is None:
            return
        person = {name: row.get(prefix + name) for name in ("player", "hero", "hero_id", "team")}
        counts = dict.fromkeys(("kills", "deaths", "assists", "damage", "damage_taken"), 0)
        known = found.setdefault(player, {**person, **counts})
        known[counter] += amount

    for row in hits:
        add(row, "attacker_", "damage", row["damage"] or 0)
        add(row, "victim_", "damage_taken", row["damage"] or 0)
    for row in kills:
        add(row, "victim_", "deaths", 1)
        add(row, "attacker_", "kills", 1)
        for helper in row["assisters"]:
            add(helper, "", "assists", 1)
    return found
