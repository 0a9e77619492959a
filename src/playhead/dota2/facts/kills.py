"""Tables ``kills`` and ``death_damage``: each death of a hero, and the damage that led to it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import hypot

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.shared_log import SharedLog
from playhead.dota2.sources.combat_log import NAMES
from playhead.dota2.sources.entities import NAME_TABLE
from playhead.dota2.sources.game_clock import POST_GAME
from playhead.dota2.sources.hero_lives import (
    HERO_LIFE_FIELDS,
    NOWHERE,
    SAME_DEATH,
    CloneDeaths,
    DeathPlace,
    HeroLives,
    LoggedDeath,
    first_known,
)
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.dota2.sources.roster import opposed, roster_fields
from playhead.runtime.libraries import pa, pc
from playhead.runtime.typing import Any, ClassVar
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import to_list
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of
from playhead.tables.vocabulary import word, words

_SMOKE = "modifier_smoke_of_deceit"
# Types of entries that both tables need, and each.
_TYPES, _TYPES_OF_KILLS, _TYPES_OF_DAMAGE = (
    ("DEATH",),
    ("GOLD", "BUYBACK", "MODIFIER_ADD", "MODIFIER_REMOVE"),
    ("DAMAGE",),
)
# EDOTA_ModifyGold_Reason: gold lost by dying.
_BY_DEATH = 1
# A kill up to so many seconds after the killer's smoke ended counts as made from smoke, as in odota/parser#91.
_SMOKE_LINGERS = 30.0
# Columns of the log that a death is made of.
_OF_DEATH = (
    *(
        "target_player",
        "target",
        "target_team",
        "target_level",
        "target_is_illusion",
        "will_reincarnate",
        "x",
        "y",
    ),
    *("attacker", "attacker_player", "attacker_team", "attacker_level", "inflictor", "assister_players"),
)
# And the fields of other entries.
_OF_KILLS, _OF_DAMAGE = ("value", "gold_reason_id"), ("attacker_owner", "value")
# A series of kills lasts for so many seconds after the last one: the game's rule of multi-kills.
_SERIES_GOES_ON = 18.0
# Heroes so near to the victim are counted for a gank, in map units.
_AT_GANK = 1500.0
# A death so many seconds after a buyback is one of dying back.
_DIED_BACK = 60.0

KILLS = TableSchema.of(
    "kills",
    "One row for each death of a player's hero: a DEATH entry of the combat log, or the end of a life in the "
    "state if the log lacks it (`known_by`); without illusions, clones that die with their hero, and deaths that "
    "the game does not count because the hero comes back at once (will_reincarnate, or m_iDeaths of "
    "CDOTA_PlayerResource does not rise). Table `unit_deaths` has every entry.",
    *words("tick seconds game_seconds victim_player victim_hero victim_team victim_side victim_level"),
    word("known_by", "event (a DEATH entry) or state (from the entities alone: the attacker is unknown)."),
    word("victim_x", "Of the hero's entity when it died, else of the entry."),
    word("victim_y"),
    word("victim_net_worth", "At the end of that tick: without the lost gold."),
    *words("attacker_player attacker_hero attacker_team attacker_side attacker_level"),
    word("attacker_x", "Of the hero of `attacker_player` at that tick."),
    word("attacker_y"),
    word("attacker_net_worth", "At the end of that tick."),
    word("attacker", "Its owner is `attacker_player`; a creep, tower or other unit has none."),
    word("inflictor", "Null for attacks."),
    word("assister_players", "Null if the entry has none."),
    word("gold_lost", "GOLD entries of the victim for this death; null if there are none."),
    Column(
        "dead_seconds",
        "float64",
        "Time on the game's clock until m_lifeState of the hero is 0 again, or the match or recording ends; "
        "null if the recording does not have the hero's death.",
        "s",
    ),
    Column("bought_back", "bool", "A BUYBACK entry of the victim ended it."),
    Column(
        "smoked", "bool", "The attacker was under a Smoke of Deceit at the kill or in the 30 seconds before it."
    ),
    Column(
        "multi_kill",
        "int32",
        "Number of the kill in a series of the attacker: each kill at most 18 seconds on the game's clock after "
        "the one before. Null if no player of the other side killed.",
    ),
    word("kill_streak", "Of the attacker, with this kill; null if no player of the other side killed."),
    Column("ended_streak", "int32", "Kills of the victim since its death before."),
    Column(
        "solo_kill", "bool", "A player of the other side killed, and nobody assisted; null if that is unknown."
    ),
    Column(
        "gank",
        "bool",
        "At least two living enemies were within 1,500 map units of the victim, and more enemies than heroes of "
        "its own side, the victim among them. Null if the victim's place is unknown.",
    ),
    Column("died_back", "bool", "The victim had bought back in the 60 seconds before, on the game's clock."),
)

DEATH_DAMAGE = TableSchema.of(
    "death_damage",
    "Damage that a hero of table `kills` took before its death (option `window`, 10 seconds on the game's "
    "clock, but not before its last death): a row for each attacker and inflictor. In order of deaths, so not of "
    "`tick`.",
    word("tick", "First damage of the row."),
    *words("seconds game_seconds"),
    Column("kill_tick", "int32", "`tick` of the death in table `kills`.", "ticks"),
    *words("victim_player victim_hero"),
    word("attacker", "`attacker_owner` of the damage, else `attacker`."),
    word("attacker_player"),
    word("inflictor", "Null for attacks."),
    word("damage"),
)


@TABLES.maker_of(KILLS, DEATH_DAMAGE)
class Kills(PlayerFacts):
    jobs: ClassVar = Jobs(5, anew=True, slow_to_join=True, extra=20)
    options = ("window",)
    string_tables = (NAME_TABLE, NAMES)
    fields = roster_fields(HERO_LIFE_FIELDS)

    def __init__(self, match: Dota2Match, window: int | float | str = "10s") -> None:
        super().__init__(match)
        self._window = match.window(window)

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        kills, damage = (self.wanted is None or schema.name in self.wanted for schema in (KILLS, DEATH_DAMAGE))
        self._kills_wanted, self._damage_wanted = kills, damage
        types = (*_TYPES, *(_TYPES_OF_KILLS if kills else ()), *(_TYPES_OF_DAMAGE if damage else ()))
        columns = (*(_OF_KILLS if kills else ()), *(_OF_DAMAGE if damage else ()))
        self._log = SharedLog.of(self.match, playback, types, (*_OF_DEATH, *columns))
        self._lives = HeroLives.of(self.match, playback)

    def part(self) -> None:
        """The log, the lives and the roster are parts of the match."""

    def joined(self, earlier: Sequence[None]) -> Mapping[str, pa.Table]:
        return self.tables()

    # -- the end ----------------------------------------------------------------------------------------

    def tables(self) -> Mapping[str, pa.Table]:
        self._heroes = self._roster.hero_names()
        self._entries = self._log.rows
        kills = list(self._kills())
        found = {KILLS.name: self.match.table(KILLS, kills)} if self._kills_wanted else {}
        if self._damage_wanted:
            found[DEATH_DAMAGE.name] = self.match.table(DEATH_DAMAGE, list(self._damage(kills)))
        return found

    def _kills(self) -> Iterator[dict[str, Any]]:
        smokes = self._smokes()
        # Kills since the last death, and tick and number of the last kill of a series, by player.
        self._streaks: dict[int, int] = {}
        self._series: dict[int, tuple[int, int]] = {}
        teams = {seat.player: seat.team for seat in self._roster.seats}
        lost: dict[int, list[tuple[int, int]]] = {}
        bought: dict[int, list[int]] = {}
        if self._kills_wanted:
            for entry in self._entries.of("GOLD", "target_player", "value", reason=_BY_DEATH):
                if entry["value"] is not None:
                    lost.setdefault(entry["target_player"], []).append((entry["tick"], -entry["value"]))
            for entry in self._entries.of("BUYBACK", "value"):
                bought.setdefault(entry["value"], []).append(entry["tick"])
        end = next((began for began, state in self.match.clock.states if state == POST_GAME), self._playback.tick)
        clones = CloneDeaths()
        entries = self._entries.of("DEATH", *_OF_DEATH, to_players=True)
        deaths = [LoggedDeath(each["target_player"], each["tick"], each["will_reincarnate"]) for each in entries]
        judged = [*zip(entries, self._lives.counted(deaths), ("event",) * len(deaths), strict=True)]
        for death in self._lives.unlogged(deaths):
            entry = {**dict.fromkeys(_OF_DEATH), "tick": death.tick, "target_player": death.player}
            judged.append((entry, True, "state"))
        for entry, counts, known_by in sorted(judged, key=lambda each: int(each[0]["tick"])):
            victim, tick, attacker = entry["target_player"], entry["tick"], entry["attacker_player"]
            if not counts or clones.is_clone(tick, victim):
                continue
            is_told = entry["attacker"] is not None
            # A unit without an owner is no player.
            opponent = False if is_told and attacker is None else opposed(teams, attacker, victim)
            killer = attacker if opponent else None
            alive_at, places = self._lives.death(victim, tick, end)
            gold = [amount for then, amount in lost.get(victim, ()) if abs(then - tick) <= SAME_DEATH]
            of_victim = places.get(victim, NOWHERE)
            if of_victim.x is None:
                of_victim = of_victim._replace(x=entry["x"], y=entry["y"])
            of_attacker = places.get(attacker, NOWHERE)
            yield {
                "tick": tick,
                "known_by": known_by,
                **{name: entry[name] for name in ("attacker_player", "attacker", "inflictor", "assister_players")},
                "attacker_team": entry["attacker_team"],
                "attacker_level": first_known(entry["attacker_level"], of_attacker.level),
                "victim_player": victim,
                "victim_hero": self._heroes.get(victim) or entry["target"],
                "victim_team": teams.get(victim, entry["target_team"]),
                "victim_level": first_known(entry["target_level"], of_victim.level),
                "victim_x": of_victim.x,
                "victim_y": of_victim.y,
                "victim_net_worth": of_victim.net_worth,
                "attacker_hero": self._heroes.get(attacker),
                "attacker_x": of_attacker.x,
                "attacker_y": of_attacker.y,
                "attacker_net_worth": of_attacker.net_worth,
                "gold_lost": sum(gold) if gold else None,
                "dead_seconds": None if alive_at is None else self.match.seconds_between(tick, alive_at),
                "bought_back": alive_at is not None
                and any(tick < then <= alive_at for then in bought.get(victim, ())),
                "smoked": any(
                    begin <= tick and self.match.seconds_between(end, tick) <= _SMOKE_LINGERS
                    for begin, end in smokes.get(attacker, ())
                )
                if is_told
                else None,
                **self._series_of(tick, victim, killer),
                "solo_kill": opponent and not entry["assister_players"],
                "gank": _is_gank(victim, of_victim, places, teams),
                "died_back": any(
                    then <= tick and self.match.seconds_between(then, tick) <= _DIED_BACK
                    for then in bought.get(victim, ())
                ),
            }

    def _series_of(self, tick: int, victim: int, killer: int | None) -> dict[str, int | None]:
        """Return the columns of the series of kills; `killer`: None if it is no player of the other side."""
        ended = self._streaks.pop(victim, 0)
        if killer is None:
            return {"multi_kill": None, "kill_streak": None, "ended_streak": ended}
        last, number = self._series.get(killer, (None, 0))
        goes_on = last is not None and self.match.seconds_between(last, tick) <= _SERIES_GOES_ON
        number = number + 1 if goes_on else 1
        self._series[killer] = tick, number
        self._streaks[killer] = self._streaks.get(killer, 0) + 1
        return {"multi_kill": number, "kill_streak": self._streaks[killer], "ended_streak": ended}

    def _smokes(self) -> dict[int, list[tuple[int, int]]]:
        """Return first and last tick of each smoke, by player."""
        found: dict[int, list[tuple[int, int]]] = {}
        begun: dict[int, int] = {}
        entries = [
            entry
            for kind in ("MODIFIER_ADD", "MODIFIER_REMOVE")
            for entry in self._entries.of(kind, "log_type", "target_player", inflictor=_SMOKE, to_players=True)
        ]
        for entry in sorted(entries, key=lambda entry: int(entry["tick"])):
            player = entry["target_player"]
            if entry["log_type"] == "MODIFIER_ADD":
                begun.setdefault(player, entry["tick"])
            elif player in begun:
                found.setdefault(player, []).append((begun.pop(player), entry["tick"]))
        for player, tick in begun.items():
            found.setdefault(player, []).append((tick, self._playback.tick))
        return found

    def _damage(self, kills: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        names = ("target_player", "attacker", "attacker_owner", "attacker_player", "inflictor", "value")
        damage = self._entries.columns("DAMAGE", *names, to_players=True)
        ticks = to_list(damage["tick"])
        by_player: dict[int, list[int]] = {}
        for number, player in enumerate(to_list(damage["target_player"])):
            by_player.setdefault(player, []).append(number)
        last: dict[int, int] = {}
        seconds = self._window / (self.match.ticks_per_second or 30.0)
        rows: list[int] = []
        counts = []
        for kill in kills:
            player, tick = kill["victim_player"], kill["tick"]
            taken = by_player.get(player, [])
            end = place = bisect_left(taken, tick + 1, key=ticks.__getitem__)
            while (
                place
                and ticks[taken[place - 1]] > last.get(player, -1)
                and self.match.seconds_between(ticks[taken[place - 1]], tick) <= seconds
            ):
                place -= 1
            last[player] = tick
            rows += taken[place:end]
            counts.append(end - place)
        chosen = array_of(rows, pa.int64())
        entries = zip(*(to_list(pc.take(column, chosen)) for column in damage.values()), strict=True)
        for kill, count in zip(kills, counts, strict=True):
            sums: dict[tuple[Any, ...], dict[str, Any]] = {}
            for tick, _target, attacker, owner, player, inflictor, value in islice(entries, count):
                source = owner or attacker
                row = sums.get((source, player, inflictor))
                if row is None:
                    row = sums[source, player, inflictor] = {
                        "tick": tick,
                        "kill_tick": kill["tick"],
                        "victim_player": kill["victim_player"],
                        "victim_hero": kill["victim_hero"],
                        "attacker": source,
                        "attacker_player": player,
                        "inflictor": inflictor,
                        "damage": 0,
                    }
                row["damage"] += value or 0
            yield from sums.values()


def _is_gank(
    victim: int, of_victim: DeathPlace, places: Mapping[int, DeathPlace], teams: Mapping[int, int]
) -> bool | None:
    """Return whether more heroes of the other side than of its own, and at least two, were at the victim."""
    x, y = of_victim.x, of_victim.y
    if x is None or y is None or not places or victim not in teams:
        return None
    enemies, friends = 0, 1
    for player, each in places.items():
        if player == victim or not each.alive or each.x is None or each.y is None:
            continue
        if hypot(each.x - x, each.y - y) <= _AT_GANK:
            opponent = opposed(teams, player, victim)
            enemies += opponent is True
            friends += opponent is False
    return enemies >= 2 and enemies > friends
