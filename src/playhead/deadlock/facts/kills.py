"""Tables ``kills``, ``fights`` and ``fight_players``: deaths of heroes, and those close in time and space.

The rule of deaths is that of Dota 2: deaths of heroes are grouped (`source2/facts/groups.py`), and a fight lasts
from `window` before its first death to `window` after its last. Damage between opposing heroes in that time counts
for the nearest fight whose middle is within `radius` of the victim. The rule of boon groups the damage itself: a
fight lasts from its first to its last damage, and has at least `players` heroes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.damage import DAMAGE, DeadlockDamage
from playhead.deadlock.sources.entities import INDEX, POSITION_FIELDS, index_of, names_of, number, real, value
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import CONTROLLER, PAWN, TEAMS, DeadlockPerson, person_columns, person_row
from playhead.errors import CorruptReplay
from playhead.runtime.libraries import pa
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any, ClassVar
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.facts.groups import Group, Happening, grouped
from playhead.source2.messages.game_events import GameEvent
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

# Largest distance, in seconds, between message, event and streak of one death, and up to the known respawn.
_NEAR = 1.0
#: Value of an assisting controller's slot in a game event for nobody.
_NOBODY = 0xFFFF
_ASSISTERS = tuple(f"assister{number}controller" for number in range(1, 6))

KILLS = TableSchema.of(
    "kills",
    "One row for each death of a hero: the message HeroKilled, the game event player_death, or both. Some "
    "recordings have only one of them. A death without either is a row too: the body's life ends, and m_iDeaths "
    "rises within a second if the recording has it.",
    *words("tick! seconds game_seconds"),
    *person_columns("victim_"),
    *person_columns("attacker_"),
    *words("attacker_entity attacker_entity_class assister_players"),
    word("ability", "killer_ability_id of the message."),
    *words("ability_id"),
    word("known_by", "message, event, both, or state (from the entities alone: the attacker is unknown)."),
    Column(
        "seen_dead",
        "bool",
        "The state shows the death within a second: no health or life of the body, or m_bAlive false. An "
        "event of a real broadcast names a victim that lives on.",
    ),
    word("respawn_seconds", "From m_flRespawnTime of the victim's controller or body, if sent within a second."),
    Column("streak", "int32", "Kills of the attacker without dying: KillStreak near the death; null without."),
    word("first_blood", "first_blood of the message, or is_first_blood of KillStreak."),
    *words("victim_x victim_y victim_z attacker_x attacker_y attacker_z"),
)


class _Pending(NamedTuple):
    """Rows of the deaths of a victim within a second: those not seen dead, and those without a time of return."""

    unseen: deque[dict[str, Any]]
    without_return: deque[dict[str, Any]]


@TABLES.maker_of(KILLS)
class DeadlockKills(DeadlockFacts):
    """Deaths; `assisters` has the rows of the assisters of each."""

    jobs: ClassVar = Jobs(5, extra=15)
    fields: Mapping[str, Sequence[str]] = {
        PAWN: (*POSITION_FIELDS, "m_flRespawnTime", "m_iHealth", "m_lifeState"),
        CONTROLLER: names_of(("m_flRespawnTime", "m_bAlive", "m_iDeaths")),
    }

    def attach(self, playback: Playback) -> None:
        self.assisters: list[list[dict[str, Any]]] = []
        self._streaks: list[dict[str, Any]] = []
        # Rows of reports that the other source has not told, by victim and source.
        self._alone: defaultdict[tuple[int | None, str], list[int]] = defaultdict(list)
        self._pending: dict[int, _Pending] = {}  # by index of the victim's controller
        self._near = round(_NEAR * self.match.clock.rate)
        # By index of the controller: whether its body lives, and ticks at which m_iDeaths rose.
        self._alive: dict[int, bool] = {}
        self._rises: dict[int, list[int]] = {}
        self._deaths: dict[int, int] = {}
        self._ended: list[tuple[dict[str, Any], int]] = []  # rows of lives that ended, and controllers
        self.match.on_fields(playback, "k_EUserMsg_HeroKilled", self._on_killed)
        self.match.on_fields(playback, "k_EUserMsg_KillStreak", self._on_streak)
        playback.on_game_event(self._on_event)
        for name, fields in self.fields.items():
            watched = tuple(field for field in fields if field not in POSITION_FIELDS)
            self.match.watch(watched, self._on_state, name)

    def _on_killed(self, tick: int, fields: Mapping[Any, Any]) -> None:
        get = fields.get
        helpers = [self.match.people.at(index) for index in get("entindex_assisters", ())]
        self._add(
            tick,
            "message",
            victim=get("entindex_victim"),
            attacker=get("entindex_scorer") if self._is_hero(get("entindex_scorer")) else get("entindex_attacker"),
            assists=[each for each in helpers if each is not None],
            ability_id=get("killer_ability_id") or None,
            first_blood=bool(get("first_blood", False)),
        )

    def _is_hero(self, index: int | None) -> bool:
        return self.match.people.at(index) is not None

    def _on_event(self, event: GameEvent) -> None:
        if event.name != "player_death":
            return
        get = event.fields.get
        helpers = [self.match.people.slot(get(name)) for name in _ASSISTERS if get(name) not in (None, _NOBODY)]
        slot = get("userid")
        victim = index_of(get("userid_pawn"))
        if victim is None and isinstance(slot, int):
            victim = slot + 1
        attacker = index_of(get("attacker_pawn"))
        self._add(
            event.tick,
            "event",
            victim=victim,
            attacker=attacker,
            assists=[each for each in helpers if each is not None],
        )

    def _add(
        self,
        tick: int,
        source: str,
        victim: int | None,
        attacker: int | None,
        assists: list[DeadlockPerson],
        **more: Any,
    ) -> None:
        people = self.match.people
        others = self._alone[victim, "event" if source == "message" else "message"]
        if victim is not None and others and tick - self._rows[others[-1]]["tick"] <= self._near:
            at = others.pop()
            row = self._rows[at]
            row["known_by"] = "both"
            row.update({name: found for name, found in more.items() if row.get(name) is None})
            if not row["assister_players"]:
                row["assister_players"] = [each.player for each in assists]
                self.assisters[at] = [person_row(each) for each in assists]
            return
        entity = people.entity(attacker)
        row = {
            "tick": tick,
            **person_row(people.at(victim), "victim_"),
            **person_row(people.at(attacker), "attacker_"),
            "attacker_entity": None if attacker is None or attacker < 0 else attacker & INDEX,
            "attacker_entity_class": None if entity is None else entity.class_name,
            "assister_players": [each.player for each in assists],
            "known_by": source,
            "seen_dead": False,
            **self.match.place_row(people.body(victim), "victim_"),
            **self.match.place_row(people.body(attacker), "attacker_"),
            **more,
        }
        self._alone[victim, source].append(len(self._rows))
        self._rows.append(row)
        self.assisters.append([person_row(each) for each in assists])
        self._wait(row, people.controller(victim))

    def _on_streak(self, tick: int, fields: Mapping[Any, Any]) -> None:
        person = self.match.people.at(index_of(fields.get("player_pawn")))
        if person is not None:
            get = fields.get
            streak = {name: get(name) for name in ("num_kills", "is_first_blood", "streak_ended")}
            self._streaks.append({"tick": tick, "player": person.player, **streak})

    def _on_state(self, entity: Entity, _op: EntityOp) -> None:
        """Note a life that ends; read when the victim of recent deaths returns."""
        controller = self.match.people.controller(entity.index)
        if controller is not None:
            self._follow(controller, self.match.tick)
            if controller.index in self._pending:
                self._look_at(controller)

    def _follow(self, controller: Entity, tick: int) -> None:
        index, pawn = controller.index, self.match.people.pawn(controller)
        deaths = number(controller, "m_iDeaths")
        if deaths is not None:
            if deaths > self._deaths.get(index, deaths):
                self._rises.setdefault(index, []).append(tick)
            self._deaths[index] = deaths
        if not _is_dead(controller, pawn):
            self._alive[index] = pawn is not None
        elif self._alive.pop(index, False):
            victim = person_row(self.match.people.person(controller), "victim_")
            place = self.match.place_row(pawn, "victim_")
            row = {"tick": tick, **victim, **place, "known_by": "state", "seen_dead": False}
            self._ended.append((row, index))
            self._wait(row, controller)

    def _wait(self, row: dict[str, Any], controller: Entity | None) -> None:
        """Look at the state of a victim, now and when it changes within a second."""
        if controller is not None:
            for rows in self._pending.setdefault(controller.index, _Pending(deque(), deque())):
                rows.append(row)
            self._look_at(controller)

    def _look_at(self, controller: Entity) -> None:
        pawn, pending = self.match.people.pawn(controller), self._pending[controller.index]
        for rows in pending:
            while rows and self.match.tick - rows[0]["tick"] > self._near:
                rows.popleft()
        back = real(controller, "m_flRespawnTime") or real(pawn, "m_flRespawnTime")
        while back is not None and pending.without_return:
            row = pending.without_return[0]
            died = (row["tick"] + self.match.server_tick_offset) / self.match.clock.rate
            if back <= died:
                break
            row["respawn_seconds"] = back - died
            pending.without_return.popleft()
        if pending.unseen and _is_dead(controller, pawn):
            for row in pending.unseen:
                row["seen_dead"] = True
            pending.unseen.clear()
        if not any(pending):
            del self._pending[controller.index]

    def finish(self) -> None:
        """Add the deaths that only the state has, and fill the streaks of the attackers, after the playback."""
        ended, self._ended = self._ended, []
        has_reports = bool(self._rows)
        deaths: defaultdict[int | None, list[int]] = defaultdict(list)  # ticks, by player
        for row in self._rows:
            deaths[row.get("victim_player")].append(row["tick"])
        for row, index in ended:
            tick, victim = row["tick"], row["victim_player"]
            # A row without a known victim may be of this death.
            if self._is_near(deaths[victim], tick) or self._is_near(deaths[None], tick):
                continue
            if index in self._deaths and not self._is_near(self._rises.get(index, ()), tick):
                continue
            insort(deaths[victim], tick)
            at = bisect_right(self._rows, tick, key=lambda each: int(each["tick"]))
            self._rows.insert(at, row)
            self.assisters.insert(at, [])
            if has_reports:
                error = CorruptReplay(f"a life of {row['victim_hero']} ends without HeroKilled or player_death")
                self.match.problem(error, tick, "the attacker: table kills has the death, known by the state")
        self._add_streaks()

    def _is_near(self, ticks: Sequence[int], tick: int) -> bool:
        """Return whether one of these ticks, in order, is within a second of another."""
        at = bisect_left(ticks, tick - self._near)
        return at < len(ticks) and ticks[at] <= tick + self._near

    def _add_streaks(self) -> None:
        """Give each death the last streak of its attacker that is near, and whether one near was first blood."""
        streaks: defaultdict[int | None, list[dict[str, Any]]] = defaultdict(list)
        for streak in sorted(self._streaks, key=lambda each: int(each["tick"])):
            if not streak["streak_ended"]:
                streaks[streak["player"]].append(streak)
        ticks = {player: [each["tick"] for each in found] for player, found in streaks.items()}
        firsts = {
            player: [each["tick"] for each in found if each["is_first_blood"]] for player, found in streaks.items()
        }
        for row in self._rows:
            player, tick = row.get("attacker_player"), row["tick"]
            if self._is_near(ticks.get(player, ()), tick):
                last = bisect_right(ticks[player], tick + self._near) - 1
                row["streak"] = streaks[player][last]["num_kills"]
                row["first_blood"] = row.get("first_blood") or self._is_near(firsts[player], tick)

    def tables(self) -> Mapping[str, pa.Table]:
        self.finish()
        return super().tables()


def _is_dead(controller: Entity | None, pawn: Entity | None) -> bool:
    alive = value(controller, "m_bAlive") is not False
    return not alive or bool(number(pawn, "m_lifeState")) or number(pawn, "m_iHealth") == 0


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
    jobs: ClassVar = Jobs(8, extra=25)
    fields = DeadlockKills.fields  # with those of DeadlockDamage
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
        self._window = match.window(usual.window if window is None else window)
        self._radius = usual.radius if radius is None else radius
        self._deaths = usual.least_deaths if deaths is None else deaths
        self._players = usual.least_players if players is None else players

    def attach(self, playback: Playback) -> None:
        self._kills = self.match.collector(DeadlockKills, playback)
        self._damage = self.match.collector(DeadlockDamage, playback)

    def _hits(self) -> list[dict[str, Any]]:
        """Return the damage between opposing heroes."""
        return [
            row
            for row in self._damage.rows[DAMAGE.name]
            if {row.get("attacker_team"), row.get("victim_team")} == set(TEAMS)
            and row["victim_kind"] == row["attacker_kind"] == "hero"
        ]

    def tables(self) -> Mapping[str, pa.Table]:
        self._kills.finish()
        kills = [
            row | {"assisters": assisters}
            for row, assisters in zip(self._kills.rows[KILLS.name], self._kills.assisters, strict=True)
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
        around: list[list[dict[str, Any]]] = [[] for _ in groups]
        for row in hits if self._of_deaths else kills:
            place = self._nearest(row, groups, spans)
            if place is not None:
                around[place].append(row)
        fights, players = [], []
        for fight, (group, span, near) in enumerate(zip(groups, spans, around, strict=True), 1):
            own = [source[at] for at in group.members]
            its_kills, its_hits = (own, near) if self._of_deaths else (near, own)
            counted = _count(its_kills, its_hits)
            dead = Counter(row["victim_team"] for row in its_kills)
            lost = [dead[team] for team in TEAMS]
            fights.append(
                {
                    "fight": fight,
                    "tick": span[0],
                    "end_tick": span[1],
                    "deaths": sum(lost),
                    "hidden_king_deaths": lost[0],
                    "archmother_deaths": lost[1],
                    "winner_team": None if lost[0] == lost[1] else TEAMS[lost[0] > lost[1]],
                    "damage": sum(row["damage"] or 0 for row in its_hits),
                    "players": sorted(counted),
                    "x": group.x,
                    "y": group.y,
                }
            )
            players += [{"fight": fight, **row} for _, row in sorted(counted.items())]
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
