"""Table ``structures``: towers, barracks, ancients and other buildings, and their destroyers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.combat_log import NAMES
from playhead.dota2.sources.entities import NAME_TABLE
from playhead.dota2.sources.lives import (
    LIFE_FIELDS,
    CombatEntries,
    EntityLife,
    Lives,
    assign_deaths,
    attacker_of,
    attacker_player,
)
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.roster import DIRE, RADIANT, roster_fields
from playhead.runtime.libraries import pa
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

#: Kind of structure, by class.
STRUCTURE_CLASSES = {
    "CDOTA_BaseNPC_Tower": "tower",
    "CDOTA_BaseNPC_Barracks": "barracks",
    "CDOTA_BaseNPC_Fort": "ancient",
    "CDOTA_BaseNPC_Filler": "filler",
    "CDOTA_BaseNPC_Building": "building",
    "CDOTA_BaseNPC_Effigy_Statue": "effigy",
    "CDOTA_BaseNPC_Healer": "shrine",
}

#: Kind of the buildings that sides take or use, by class; they do not fall.
TAKEN_CLASSES = {
    "CDOTA_NPC_Lantern": "watcher",
    "CDOTA_BaseNPC_Watch_Tower": "outpost",
    "CDOTA_BaseNPC_MangoTree": "lotus_pool",
}

STRUCTURES = TableSchema.of(
    "structures",
    "One row for each tower, barracks, ancient and other building, from its entity; the fallen ones first, in "
    "order. A structure ends when m_lifeState leaves 0 or its entity is gone.",
    word("tick", "First tick with its entity."),
    *words("seconds game_seconds end_tick end_seconds end_game_seconds"),
    word(
        "kind",
        "By its class: tower, barracks, ancient, filler, shrine, effigy, building, watcher, outpost, lotus_pool.",
    ),
    word("entity_name", "As dota_goodguys_tower1_mid."),
    word("team", "Of the owner when first seen."),
    word("side"),
    word("tier", "Of towers, from the name: 1 to 4."),
    word("lane", "From the name."),
    *words("x y"),
    word("max_health", "When first seen."),
    word("health", "At the end of the recording; 0 once it fell."),
    *words("attacker attacker_player attacker_hero attacker_team attacker_side"),
    Column("denied", "bool", "Its own team destroyed it; null while it stands or if `attacker_team` is."),
    word("entity"),
)


@TABLES.maker_of(STRUCTURES)
class Structures(PlayerFacts):
    jobs: ClassVar = Jobs(extra=15)

    entities = True
    string_tables = (NAME_TABLE, NAMES)
    fields = roster_fields(dict.fromkeys((*STRUCTURE_CLASSES, *TAKEN_CLASSES), LIFE_FIELDS))

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._lives = Lives(playback, {**STRUCTURE_CLASSES, **TAKEN_CLASSES})
        self._deaths = CombatEntries(self.match.combat_log(playback), playback, ("DEATH",))

    def tables(self) -> Mapping[str, pa.Table]:
        lives = self._lives.all()
        assign_attackers(lives, self._deaths)
        self._heroes = self._roster.hero_names()
        return {
            STRUCTURES.name: self.match.table(STRUCTURES, [self._row(life) for life in in_order_of_fall(lives)])
        }

    def _row(self, life: EntityLife) -> dict[str, Any]:
        tier, lane = _tier_and_lane(life.name or "")
        attacker, attacker_team = attacker_of(life, self._deaths)
        return {
            "tick": life.born,
            "end_tick": life.died,
            "kind": life.kind,
            "entity_name": life.name,
            "team": life.team,
            "tier": tier,
            "lane": "bottom" if lane == "bot" else lane,
            "x": life.position[0],
            "y": life.position[1],
            "max_health": life.max_health,
            "health": life.health,
            "attacker": attacker,
            "attacker_player": (player := attacker_player(life.death, self._deaths, self._roster)),
            "attacker_hero": self._heroes.get(-1 if player is None else player),
            "attacker_team": attacker_team,
            "denied": None if None in (attacker_team, life.team) else attacker_team == life.team,
            "entity": life.entity,
        }


def assign_attackers(lives: list[EntityLife], deaths: CombatEntries) -> None:
    """Assign to each fallen building its DEATH entry in the combat log."""
    assign_deaths(lives, deaths, _fits)


def in_order_of_fall(lives: list[EntityLife]) -> list[EntityLife]:
    """Return buildings in order of their destruction; intact ones come last."""
    return sorted(lives, key=lambda life: (life.died is None, life.died or 0, life.entity))


def _kind_of(target: str) -> str | None:
    """Return the kind of building by its name in the combat log."""
    if "_tower" in target:
        return "tower"
    if "_rax" in target:
        return "barracks"
    if target.endswith("_fort"):
        return "ancient"
    if "fillers" in target:
        return "filler"
    return "shrine" if "healer" in target else None


def _fits(life: EntityLife, target: str, exact: bool) -> bool:
    """Return whether a name in the combat log may be the name of a building.

    The log has other names than the entities (``npc_dota_goodguys_melee_rax_mid`` for ``good_rax_melee_mid``), and
    one name for all towers of tier 4.
    """
    if life.kind != _kind_of(target):
        return False
    if exact and life.kind in ("tower", "barracks"):
        return _identity(target) == _identity(life.name or "")
    if life.name and _tier_and_lane(target)[0] not in (None, _tier_and_lane(life.name)[0]):
        return False
    side = RADIANT if "goodguys" in target else DIRE if "badguys" in target else None
    return side is None or side == life.team


_LANES = ("top", "mid", "bot")
# Bits of the towers of tier 4: Ancient Top and Ancient Bottom of WebAPI/GetMatchDetails in the Team Fortress wiki.
_TIER_4 = {"top": 9, "bot": 10}


def standing_bit(name: str, kind: str) -> int | None:
    """Return the bit of a tower or barracks in Valve's masks of standing buildings; None without tier or lane."""
    tier, lane = _tier_and_lane(name)
    if lane is None:
        return None
    if kind == "barracks":
        return 2 * _LANES.index(lane) + (0 if "melee" in name else 1)
    if tier == 4:
        return _TIER_4.get(lane)
    return None if tier is None else 3 * _LANES.index(lane) + tier - 1


def _identity(name: str) -> tuple[bool, bool, tuple[int | None, str | None]]:
    """Parse the name of a tower or barracks, in either spelling."""
    return "good" in name, "melee" in name, _tier_and_lane(name)


def _tier_and_lane(name: str) -> tuple[int | None, str | None]:
    """Return tier and lane by the name of a building (``dota_goodguys_tower1_mid``, ``good_rax_melee_top``)."""
    tier = re.search(r"tower(\d)", name)
    lane = re.search(r"_(top|mid|bot)\b", name)
    return int(tier[1]) if tier else None, lane[1] if lane else None
