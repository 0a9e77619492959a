"""Table ``buildings``: towers, barracks, ancients and other buildings, and their destroyers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.columns import GAME_SECONDS, KILLER, KILLER_TEAM, X, Y
from playhead.dota2.sources.combat_log import ENTRY_TABLES, CombatEntries
from playhead.dota2.sources.entities import NAME_TABLE
from playhead.dota2.sources.lives import LIFE_FIELDS, EntityLife, Lives, assign_deaths, killer_of
from playhead.dota2.sources.match import FactCollector
from playhead.dota2.sources.roster import DIRE, RADIANT
from playhead.runtime.libraries import pa
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK

#: Kind of building, by class.
BUILDING_CLASSES = {
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

BUILDINGS = TableSchema.of(
    "buildings",
    "One row for each tower, barracks, ancient and other building, from its entity.",
    Column("tick", TICK.type, "When it fell: m_lifeState left 0, or its entity was gone; or null.", TICK.unit),
    SECONDS,
    GAME_SECONDS,
    Column(
        "kind",
        "category",
        "By its class: tower, barracks, ancient, filler, shrine, effigy, building, watcher, outpost, lotus_pool.",
    ),
    Column("name", "string", "The game's name of its entity (dota_goodguys_tower1_mid); null if it has none."),
    Column("team", "int32", "Whose it is when first seen: m_iTeamNum; 2 is Radiant, 3 is Dire, 4 nobody."),
    Column("tier", "int32", "Of towers: 1 to 4, from the name; null if it has none."),
    Column("lane", "category", "top, mid or bot, from the name; null if it has none."),
    X,
    Y,
    Column("max_health", "int32", "m_iMaxHealth when first seen.", "hp"),
    Column("health", "int32", "m_iHealth at the end of the recording; 0 once it fell.", "hp"),
    KILLER,
    KILLER_TEAM,
    Column("denied", "bool", "It fell by its own team, by `killer_team`; null while it stands or that is null."),
    Column("entity", "int32", "Index of its entity."),
)


@TABLES.maker_of(BUILDINGS)
class Buildings(FactCollector):
    """Table ``buildings``."""

    entities = True
    string_tables = (NAME_TABLE, *ENTRY_TABLES)
    fields = dict.fromkeys((*BUILDING_CLASSES, *TAKEN_CLASSES), LIFE_FIELDS)

    def attach(self, playback: Playback) -> None:
        self._lives = Lives(playback, {**BUILDING_CLASSES, **TAKEN_CLASSES})
        self._deaths = CombatEntries(self.match.combat_log(playback), playback, ("DEATH",))

    def tables(self) -> Mapping[str, pa.Table]:
        lives = self._lives.all()
        assign_killers(lives, self._deaths)
        rows = [self._row(life) for life in in_order_of_fall(lives)]
        self.match.rows([row for row in rows if row["tick"] is not None])
        return {BUILDINGS.name: BUILDINGS.build_rows(rows)}

    def _row(self, life: EntityLife) -> dict[str, Any]:
        tier, lane = _tier_and_lane(life.name or "")
        killer, killer_team = killer_of(life, self._deaths)
        return {
            "tick": life.died,
            "kind": life.kind,
            "name": life.name,
            "team": life.team,
            "tier": tier,
            "lane": lane,
            "x": life.position[0],
            "y": life.position[1],
            "max_health": life.max_health,
            "health": life.health,
            "killer": killer,
            "killer_team": killer_team,
            "denied": None if killer_team is None else killer_team == life.team,
            "entity": life.entity,
        }


def assign_killers(lives: list[EntityLife], deaths: CombatEntries) -> None:
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


#: Bit of the first tower of tier 4 in the mask of standing towers; the second has the next.
TIER_4 = 9
_LANES = ("top", "mid", "bot")


def standing_bit(name: str, kind: str) -> int | None:
    """Return the bit of a tower or barracks in Valve's masks of standing buildings; None without tier or lane.

    Both towers of tier 4 have the bit `TIER_4`.
    """
    tier, lane = _tier_and_lane(name)
    if kind == "tower" and tier == 4:
        return TIER_4
    if lane is None:
        return None
    if kind == "barracks":
        return 2 * _LANES.index(lane) + (0 if "melee" in name else 1)
    return None if tier is None else 3 * _LANES.index(lane) + tier - 1


def _identity(name: str) -> tuple[bool, bool, tuple[int | None, str | None]]:
    """Parse the name of a tower or barracks, in either spelling."""
    return "good" in name, "melee" in name, _tier_and_lane(name)


def _tier_and_lane(name: str) -> tuple[int | None, str | None]:
    """Return tier and lane by the name of a building (``dota_goodguys_tower1_mid``, ``good_rax_melee_top``)."""
    tier = re.search(r"tower(\d)", name)
    lane = re.search(r"_(top|mid|bot)\b", name)
    return int(tier[1]) if tier else None, lane[1] if lane else None
