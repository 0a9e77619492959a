"""The entities of the synthetic match: changed field by field, and written as entity messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.dota2.sources.entities import CELL, HALF_MAP
from playhead.dota2.sources.roster import DIRE, NO_HANDLE, RADIANT
from playhead.runtime.records import dataclass, field
from playhead.samples.source2.match_names import item_name, name_number
from playhead.samples.source2.match_schema import Schema, build_schema
from playhead.source2.entities.entity import HANDLE_SERIAL_MASK, INDEX_BITS
from playhead.source2.writing.demo import InnerMessage, StringTableEntry
from playhead.source2.writing.entities import ClassWriter, EntityMessage

#: Indices of the teams' data.
TEAM_DATA = {RADIANT: 3, DIRE: 4}


def handle(index: int, serial: int) -> int:
    """Return a networked handle: 10 bits of serial number above 14 bits of index."""
    return index | (serial & HANDLE_SERIAL_MASK) << INDEX_BITS


def cell_fields(x: float, y: float) -> dict[str, Any]:
    """Return world coordinates as fields of the body component."""
    out: dict[str, Any] = {}
    for axis, value in (("X", x), ("Y", y)):
        cell, rest = divmod(value + HALF_MAP, float(CELL))
        out[f"CBodyComponent.m_cell{axis}"] = int(cell)
        out[f"CBodyComponent.m_vec{axis}"] = rest
    return out


@dataclass(slots=True)
class SyntheticEntity:
    """One entity: its values that override the class's baseline, and its unsent values."""

    index: int
    serial: int
    writer: ClassWriter
    values: dict[str, Any]
    news: dict[str, Any] = field(default_factory=dict)
    created: bool = True


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


class SyntheticEntities:
    """The entities of the match.

    Args:
        schema: the serializers and the class names by number; the default is `build_schema`.

    Attributes:
        send_tables, class_names: the schema.
        towers: index and name of each tower, by team, in the order in which they fall.
        heroes: by player number; their attributes are the current expected values.
        objects: entities by index.
        changed, removed, left: indices of entities that changed, were removed, or became invisible since the
            last message.
    """

    def __init__(self, schema: Schema | None = None) -> None:
        self.send_tables, self.class_names = schema or build_schema()
        self.class_bits = len(self.class_names).bit_length()
        self._writers = {
            name: ClassWriter(number, name, self.send_tables) for number, name in self.class_names.items()
        }
        self.objects: dict[int, SyntheticEntity] = {}
        self.changed: set[int] = set()
        self.removed: list[int] = []
        self.left: list[int] = []
        self._serial = 0
        self._told_tick: int | None = None
        self.heroes: list[Hero] = []
        self.towers: dict[int, list[tuple[int, str]]] = {RADIANT: [], DIRE: []}
        self._baselines = {name: self._baseline(name) for name in self.class_names.values()}

    def _baseline(self, name: str) -> dict[str, Any]:
        """Return the fields that all entities of a class share."""
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
        if "_Ability_" in name or "CDOTA_Item_" in name:
            values |= {"m_iLevel": 1} if "CDOTA_Item_Rune" not in name else {"m_flRuneTime": 5.0}
        return values

    def baseline_entries(self) -> list[StringTableEntry]:
        """Return the entries of the string table ``instancebaseline``."""
        return [
            (at, str(number).encode(), self._writers[name].encode_baseline(self._baselines[name]))
            for at, (number, name) in enumerate(self.class_names.items())
        ]

    def spawn(self, index: int, class_name: str, name: str | None = None, /, **values: Any) -> SyntheticEntity:
        """Create an entity; field names as in `set_fields`. `name` is one of `match_names.ENTITY_NAMES`."""
        self._serial += 1
        if name is not None:
            values["m_pEntity__m_nameStringTableIndex"] = name_number(name)
        entity = SyntheticEntity(index, self._serial, self._writers[class_name], {})
        self.objects[index] = entity
        self.set_fields(index, **values)
        return entity

    def set_fields(self, index: int, /, **values: Any) -> None:
        """Set fields, with ``__`` for the dot in their names."""
        self.put(index, {name.replace("__", "."): value for name, value in values.items()})

    def put_at(self, index: int, x: float, y: float) -> None:
        """Move an entity."""
        self.put(index, cell_fields(x, y))

    def handle_of(self, index: int) -> int:
        """Return the handle of an entity."""
        return handle(index, self.objects[index].serial)

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

    def put(self, index: int, values: Mapping[str, Any]) -> None:
        """Set fields of an entity."""
        entity = self.objects[index]
        entity.values.update(values)
        entity.news.update(values)
        self.changed.add(index)

    def remove(self, index: int) -> None:
        """Remove an entity."""
        if not self.objects.pop(index).created:
            self.removed.append(index)

    def live(self) -> int:
        """Number of entities."""
        return len(self.objects)

    def changes(self, server_tick: int) -> InnerMessage:
        """Return the message with the changes since the last one."""
        message = self._news()
        before, self._told_tick = self._told_tick, server_tick
        return message.encode(server_tick=server_tick, delta_from=before)

    def state(self, server_tick: int) -> InnerMessage:
        """Return the message with the complete state, for a full packet; unsent changes stay unsent."""
        message = EntityMessage(self.class_bits, delta=False)
        for index in sorted(self.objects):
            entity = self.objects[index]
            message.create(index, entity.serial, entity.writer, entity.values)
        return message.encode(server_tick=server_tick)

    def first(self, server_tick: int) -> InnerMessage:
        """As `state`, but mark all changes as sent."""
        for entity in self.objects.values():
            entity.created = False
            entity.news = {}
        self.changed.clear()
        self._told_tick = server_tick
        return self.state(server_tick)

    def _news(self) -> EntityMessage:
        message = EntityMessage(self.class_bits)
        gone = set(self.removed)
        left = set(self.left)
        for index in sorted(self.changed | gone | left):
            entity = self.objects.get(index)
            if entity is None:
                if index in gone:
                    message.delete(index)
            elif entity.created:
                message.create(index, entity.serial, entity.writer, entity.values)
                entity.created = False
                entity.news = {}
            elif index in left:
                message.leave(index)
            elif entity.news:
                message.update(index, entity.writer, entity.news)
                entity.news = {}
        self.removed, self.left = [], []
        self.changed.clear()
        return message
