"""`Battlefield`: the entities and the players' wealth in the written match of Dota 2, with its story."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.samples.dota2_match.log import WrittenLog
from tests.samples.dota2_match.plan import DIRE, PLAYERS, RADIANT, RESOURCE
from tests.samples.source2.entities import SyntheticEntities

FIRST_HERO = 100
#: Index of the data of each team.
DATA = {RADIANT: 3, DIRE: 4}
#: Sources of gold, as fields name them.
SOURCES = (
    *("HeroKill", "CreepKill", "NeutralKill", "Income", "Building", "Roshan", "Bounty", "WardKill", "Courier"),
    *("Ability", "Comeback", "CreepDeny", "Other", "Shared"),
)
#: What the game counts of a player's play.
MEASURES = {
    "hero_damage": "m_iHeroDamage",
    "tower_damage": "m_iTowerDamage",
    "healing": "m_fHealing",
    "stun_seconds": "m_fStuns",
    "creeps_stacked": "m_iCreepsStacked",
}
#: Uses of gold, by their names in fields.
SPENT = {"Items": "items", "Consumables": "consumables", "Support": "support", "Buybacks": "buybacks"}
_SAME = ("Income", "Building", "Roshan", "Bounty", "Courier", "Ability", "Comeback", "Other", "Shared")
WORDS = {each: each.lower() for each in _SAME} | {
    "HeroKill": "hero_kill",
    "CreepKill": "creep",
    "NeutralKill": "neutral",
    "WardKill": "ward",
    "CreepDeny": "deny",
}
#: Lists of the story.
LISTS = (
    *("minutes", "win", "visibility", "deaths", "death_facts", "death_damage", "_died", "fights", "buybacks"),
    *("participation", "first_blood", "courier_smokes", "members", "watchers", "outposts", "banner", "connection"),
    *("neutral_finds", "enhancements", "heals", "revivals", "death_series", "smoke_ends", "smoke_results"),
    *("fight_players", "swings", "items", "wards", "roshans", "couriers", "buyback_ready"),
)


class Battlefield(SyntheticEntities):
    """What fights, camps and single events change.

    Args:
        last: length of the match on the game's clock, in ticks.
        seed: of all random choices.

    Attributes:
        last: as given.
        random: the source of amounts.
        log: the combat log.
        names: the entities' names, by number.
        at: until when on the game's clock, and where, a hero has a special task, by player.
        where: where each entity was put last, by index.
        wealth, sources, spent: what each player has, earned and spent so far.
        story: the facts by word, complete at the end.
    """

    def __init__(self, last: int, seed: int) -> None:
        super().__init__()
        self.last = last
        self.random = Random(seed)
        self.log = WrittenLog()
        self.names: list[str] = []
        self.at: dict[int, tuple[int, tuple[float, float]]] = {}
        self.where: dict[int, tuple[float, float]] = {}
        counts = ("net_worth", "gold_earned", "xp", "last_hits", "kills", "deaths", "lost", "commands", *MEASURES)
        self.wealth = [dict.fromkeys(counts, 0) for _ in PLAYERS]
        self.sources = [dict.fromkeys(SOURCES, 0) for _ in PLAYERS]
        self.spent = [dict.fromkeys(SPENT, 0) for _ in PLAYERS]
        self.story: dict[str, Any] = {name: [] for name in LISTS}

    def name_field(self, name: str) -> dict[str, Any]:
        """Return the field with the name of an entity."""
        if name not in self.names:
            self.names.append(name)
        return {"m_pEntity.m_nameStringTableIndex": self.names.index(name)}

    @staticmethod
    def index_of(player: int) -> int:
        """Return the index of a hero; the heroes lie in several words of sight."""
        return FIRST_HERO + 9 * player

    def put_at(self, index: int, x: float, y: float) -> None:
        self.where[index] = x, y
        super().put_at(index, x, y)

    def go(self, player: int, place: tuple[float, float], until: int) -> None:
        """Send a hero to a place until a tick of the game's clock."""
        self.at[player] = until, place
        self.put_at(self.index_of(player), *place)

    def gain(self, player: int, source: str, gold: int, xp: int = 0, hits: int = 0) -> None:
        """Add gold of a source, experience and last hits."""
        wealth = self.wealth[player]
        wealth["gold_earned"] += gold
        wealth["net_worth"] += gold
        wealth["xp"] += xp
        wealth["last_hits"] += hits
        self.sources[player][source] += gold
        self.tell(player)

    def credit(self, player: int, field: str) -> None:
        """Count one in a field of a player's row in the data of the team."""
        name = f"m_vecDataTeam.{player % 5:04}.{field}"
        data = DATA[RADIANT if player < 5 else DIRE]
        self.put(data, {name: self.objects[data].values.get(name, 0) + 1})

    def killed_creep(self, player: int) -> None:
        """Reward the last hit on a neutral creep."""
        self.gain(player, "NeutralKill", 31 + player, 40, 1)

    def level(self, player: int) -> int:
        """Return the level of a hero."""
        return 1 + self.wealth[player]["xp"] // 400

    def tell(self, player: int) -> None:
        """Send the row of a player in the data of the team."""
        wealth = self.wealth[player]
        fields = {
            "m_iTotalEarnedGold": wealth["gold_earned"],
            "m_iNetWorth": wealth["net_worth"],
            "m_iTotalEarnedXP": wealth["xp"],
            "m_iLastHitCount": wealth["last_hits"],
            "m_iDenyCount": wealth["last_hits"] // 7,
            "m_iReliableGold": 0,
            "m_iUnreliableGold": wealth["net_worth"],
            "m_iGoldLostToDeath": wealth["lost"],
            "m_iCommandsIssued": wealth["commands"],
            **{field: wealth[name] for name, field in MEASURES.items()},
            **{f"m_i{source}Gold": gold for source, gold in self.sources[player].items()},
            **{f"m_iGoldSpentOn{use}": gold for use, gold in self.spent[player].items()},
        }
        self.put(RESOURCE, {f"m_vecPlayerTeamData.{player:04}.m_iLevel": self.level(player)})
        row = f"m_vecDataTeam.{player % 5:04}."
        self.put(DATA[RADIANT if player < 5 else DIRE], {row + name: value for name, value in fields.items()})
