"""The entities of the synthetic Dota 2 match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.samples.source2.match_names import item_name, name_number
from tests.samples.source2.match_schema import Schema, build_schema
from tests.samples.source2.world import SyntheticEntity, WrittenWorld, handle

from playhead.dota2.sources.entities import CELL, HALF_MAP
from playhead.dota2.sources.roster import DIRE, NO_HANDLE, RADIANT
from playhead.runtime.records import dataclass, field

#: Indices of the teams' data.
TEAM_DATA = {RADIANT: 3, DIRE: 4}


def cell_fields(x: float, y: float) -> dict[str, Any]:
    """Return world coordinates as fields of the body component."""
    out: dict[str, Any] = {}
    for axis, value in (("X", x), ("Y", y)):
        cell, rest = divmod(value + HALF_MAP, float(CELL))
        out[f"CBodyComponent.m_cell{axis}"] = int(cell)
        out[f"CBodyComponent.m_vec{axis}"] = rest
    return out


def _dotted(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name.replace("__", "."): value for name, value in values.items()}


@dataclass(slots=True)
class Hero:
    """One player's hero."""

    player: int
    team: int
    name: str
    index: int
    x: float
    y: float
    goal: tuple[float, float]
    health: int = 600
    mana: float = 300.0
    dead_until: int = 0
    kills: int = 0
    deaths: int = 0
    last_hits: int = 0
    gold: int = 600
    xp: int = 0
    level: int = 1
    assists: int = 0
    commands: int = 0
    money: dict[str, int] = field(default_factory=dict)

    @property
    def max_health(self) -> int:
        """Most health at this level."""
        return 600 + 40 * self.level

    @property
    def max_mana(self) -> float:
        """Most mana at this level."""
        return 300.0 + 20 * self.level

    def earn(self, field_name: str, gold: int) -> None:
        """Add gold, and count it in a field of the player's row in the data of the team."""
        self.gold += gold
        self.money[field_name] = self.money.get(field_name, 0) + gold


class SyntheticEntities(WrittenWorld):
    """The entities of the match.

    Args:
        schema: the serializers and the class names by number; the default is `build_schema`.

    Attributes:
        towers: index and name of each tower, by team, in the order in which they fall.
        heroes: by player number; their attributes are the current expected values.
    """

    def __init__(self, schema: Schema | None = None) -> None:
        super().__init__(schema or build_schema())
        self.heroes: list[Hero] = []
        self.towers: dict[int, list[tuple[int, str]]] = {RADIANT: [], DIRE: []}

    def baseline(self, name: str) -> dict[str, Any]:
        values: dict[str, Any] = {
            "m_flSimulationTime": 0,
            "m_hOwnerEntity": NO_HANDLE,
            "m_iTeamNum": 0,
            "m_clrRender": 0xFFFFFFFF,
            "m_flCreateTime": 0.0,
            "m_nBloodColor": 3,
            "m_vecLightDirection": (0.0, 0.0, 1.0),
            "m_pCollision": True,
            "m_pCollision.m_vecMins": (-16.0, -16.0, 0.0),
            "m_pCollision.m_vecMaxs": (16.0, 16.0, 64.0),
            "m_pCollision.m_nInteractsAs": 1 << 40,
            "CBodyComponent": True,
            "CBodyComponent.m_flScale": 1.0,
            "CBodyComponent.m_hSequence": -1,
            "CBodyComponent.m_angRotation": (0.0, 0.0, 0.0),
            **cell_fields(0.0, 0.0),
            **{f"CBodyComponent.m_flPoseParameter.{i:04}": 0.0 for i in range(4)},
            "m_pEntity": True,
            "m_pEntity.m_nameStringTableIndex": -1,
        }
        if "Unit_" in name or "_NPC" in name:
            values |= {
                "m_iHealth": 550,
                "m_iMaxHealth": 550,
                "m_lifeState": 0,
                "m_flMana": 0.0,
                "m_iMoveSpeed": 310,
                "m_iszUnitName": "npc_dota_" + name.lower(),
                "m_vecAimAngles": (0.0, 0.0, 0.0),
                "m_flHealthThinkRegen": 0.0,
                **{f"m_hItems.{i:04}": NO_HANDLE for i in range(19)},
            }
        if name != "CDOTA_Item_Physical" and ("_Ability_" in name or "CDOTA_Item_" in name):
            values |= {"m_iLevel": 1} if "CDOTA_Item_Rune" not in name else {"m_flRuneTime": 5.0}
        return values

    def spawn(self, index: int, class_name: str, name: str | None = None, /, **values: Any) -> SyntheticEntity:
        """Create an entity; field names as in `set_fields`. `name` is one of `match_names.ENTITY_NAMES`."""
        if name is not None:
            values["m_pEntity__m_nameStringTableIndex"] = name_number(name)
        return self.create(index, class_name, _dotted(values))

    def set_fields(self, index: int, /, **values: Any) -> None:
        """Set fields, with ``__`` for the dot in their names."""
        self.put(index, _dotted(values))

    def put_at(self, index: int, x: float, y: float) -> None:
        """Move an entity."""
        self.put(index, cell_fields(x, y))

    def give(self, player: int, slot: int, item: str) -> None:
        """Put an item of the schema into a slot of a player's hero, replacing the item there."""
        hero = self.heroes[player]
        index = hero.index + 7 + slot
        if index in self.objects:
            self.remove(index)
        owner = self.handle_of(hero.index)
        part = self.spawn(
            index, f"CDOTA_Item_{item}", item_name(item), m_hOwnerEntity=owner, m_iCurrentCharges=slot
        )
        self.put(hero.index, {f"m_hItems.{slot:04}": handle(part.index, part.serial)})

    def set_player_data(self, player: int, values: Mapping[str, Any]) -> None:
        """Set fields of a player's row in the data of the team."""
        hero = self.heroes[player]
        self.put(TEAM_DATA[hero.team], {f"m_vecDataTeam.{player % 5:04}.{name}": v for name, v in values.items()})
