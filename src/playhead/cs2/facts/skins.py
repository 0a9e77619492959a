"""Table ``skins``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from struct import pack, unpack
from types import MappingProxyType
from typing import Any, ClassVar

from playhead.cs2.facts import TABLES, TIME, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import CONTROLLER, PAWN, WEAPON_INDEX, weapon_name
from playhead.cs2.sources.people import Person, columns_of
from playhead.cs2.sources.words import item_of
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

_OWNER_LOW, _OWNER_HIGH, _ACCOUNT = "m_OriginalOwnerXuidLow", "m_OriginalOwnerXuidHigh", "m_iAccountID"
_KIT, _SEED, _WEAR, _STATTRAK = "m_nFallbackPaintKit", "m_nFallbackSeed", "m_flFallbackWear", "m_nFallbackStatTrak"
_ID_LOW, _ID_HIGH, _CUSTOM = "m_iItemIDLow", "m_iItemIDHigh", "m_szCustomName"
_OF_WEAPON = (_OWNER_LOW, _OWNER_HIGH, _KIT, _SEED, _WEAR, _STATTRAK, _ID_LOW, _ID_HIGH, _CUSTOM)
_AGENT = "m_nPawnCharacterDefIndex"
_NO_AGENT = (0, 0xFFFF)
# Numbers of attributes: paint, pattern, wear, counted kills; each place of a sticker has four, the first two of
# which are the sticker and its wear.
_PAINT, _PATTERN, _WORN, _KILLS, _STICKERS = 6, 7, 8, 80, range(113, 133, 4)
_LISTS = ("m_Attributes", "m_Attributes~2")
_ATTRIBUTES = tuple(name for each in _LISTS for name in (each, f"{each}.????.*"))
_OF_GLOVES = (WEAPON_INDEX, _ID_LOW, _ID_HIGH, _CUSTOM, _ACCOUNT)
_GLOVES_CHANGED = (WEAPON_INDEX, _ID_LOW, "m_nEconGlovesChanged", *_LISTS)
_MOST_ATTRIBUTES, _MOST_VALUE = 32, 1e6
_END = "CS_UM_EndOfMatchAllPlayersData"
_FIRST_ACCOUNT = 76561197960265728

SKINS = TableSchema.of(
    "skins",
    "One row for each look of a weapon with a paint, stickers or counted kills, by first owner, of a player's "
    "gloves and of its agent, and for each item of CS_UM_EndOfMatchAllPlayersData.",
    *TIME,
    *person(),
    word("account", "Of a weapon's first owner; of the player."),
    word("kind", "`weapon`, `gloves`, `agent`; `other` for other items of the message."),
    word("item", "The weapon's or gloves' word."),
    word("item_id", "m_iItemDefinitionIndex; of an agent m_nPawnCharacterDefIndex."),
    word("entity", "The weapon, or the body or controller of the player; null in rows of the message."),
    Column("econ_item", "uint64", "Number of the item in the owner's inventory; 0 for none."),
    Column("paint_kit", "int32", f"Number of the paint (attribute 6, {_KIT}); null for none."),
    Column("paint_seed", "int32", f"Pattern (attribute 7, {_SEED})."),
    Column("paint_wear", "float32", f"Wear, 0 to 1 (attribute 8, {_WEAR})."),
    Column("stattrak", "int32", f"Counted kills (attribute 80, {_STATTRAK}); null for none."),
    Column("custom_name", "string", "Name that the owner gave; null for none."),
    Column("stickers", "list<int64>", "Numbers of the stickers (attributes 113, 117, 121, 125, 129)."),
    Column("sticker_slots", "list<int32>", "Place of each sticker, from 0."),
    Column("sticker_wears", "list<float32>", "Wear of each sticker, 0 to 1."),
)


@TABLES.maker_of(SKINS)
class Skins(Cs2Facts):
    jobs: ClassVar = Jobs(extra=23)
    fields = MappingProxyType({"C*": (*_ATTRIBUTES, *_OF_GLOVES, *_OF_WEAPON), CONTROLLER: (_AGENT,)})

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._known: set[tuple[Any, ...]] = set()
        playback.entities.on_entity(self._on_weapon, "C*", EntityOp.CREATED)
        playback.entities.on_entity(FieldWatch(_GLOVES_CHANGED, self._on_pawn), PAWN)
        playback.entities.on_entity(FieldWatch((_AGENT,), self._on_controller), CONTROLLER)
        self.match.on_fields(playback, _END, self._on_end)

    def _on_weapon(self, weapon: Entity, _op: EntityOp) -> None:
        if weapon.class_name == PAWN:
            return
        given = _attributes(weapon)
        if (kit := weapon.get_int(_KIT) or 0) > 0:
            seed, wear = weapon.get_int(_SEED), weapon.get_float(_WEAR)
            given = {_PAINT: float(kit), _PATTERN: float(seed or 0), _WORN: wear or 0.0} | given
        kills = _bits(given[_KILLS]) if _KILLS in given else weapon.get_int(_STATTRAK)
        look = {
            "kind": "weapon",
            "item": weapon_name(weapon),
            **_looks(weapon, given),
            "stattrak": None if kills is None or kills < 0 else kills,
        }
        if look["paint_kit"] or look["stickers"] or look["stattrak"] is not None:
            account = (weapon.get_int(_OWNER_LOW) or 0) | (weapon.get_int(_OWNER_HIGH) or 0) << 32
            self._add(self._of_account(account), account, weapon.index, look)

    def _on_pawn(self, pawn: Entity, op: EntityOp) -> None:
        number = pawn.get_int(WEAPON_INDEX)
        if op & EntityOp.DELETED or not number:
            return
        account = pawn.get_int(_ACCOUNT) or 0
        owner = self._of_account(account and account + _FIRST_ACCOUNT) or self.match.people.of_pawn(pawn.handle)
        look = {"kind": "gloves", "item": item_of(number)[1], **_looks(pawn, _attributes(pawn))}
        self._add(owner, 0 if owner is None else owner.account, pawn.index, look)

    def _on_controller(self, controller: Entity, op: EntityOp) -> None:
        number = controller.get_int(_AGENT)
        if op & EntityOp.DELETED or number is None or number in _NO_AGENT:
            return
        owner = next((each for each in self.match.people.present if each.controller is controller), None)
        look = {"kind": "agent", "item_id": number}
        self._add(owner, 0 if owner is None else owner.account, controller.index, look)

    def _on_end(self, _tick: int, fields: Mapping[Any, Any]) -> None:
        for player in fields.get("allplayerdata") or ():
            account = player.get("xuid") or 0
            owner = self._of_account(account) or self.match.people.in_slot(player.get("slot"))
            for item in player.get("items") or ():
                self._add(owner, account, None, _look_of_block(item))

    def _of_account(self, account: int) -> Person | None:
        return next((each for each in self.match.people if account and each.account == account), None)

    def _add(self, owner: Person | None, account: int, entity: int | None, look: dict[str, Any]) -> None:
        key = (account or owner, entity is None, *map(repr, look.values()))
        if key not in self._known:
            self._known.add(key)
            row = {"tick": self._playback.tick, **columns_of(owner, ""), "entity": entity, **look}
            self._rows.append(row | {"account": str(account) if account else None})


def _looks(entity: Entity, given: Mapping[int, float]) -> dict[str, Any]:
    """Return the columns of an item that its entity and its attributes have."""
    stickers = [
        (_bits(given[number]), slot, given.get(number + 1, 0.0))
        for slot, number in enumerate(_STICKERS)
        if given.get(number)
    ]
    return {
        "item_id": entity.get_int(WEAPON_INDEX),
        "econ_item": (entity.get_int(_ID_LOW) or 0) | (entity.get_int(_ID_HIGH) or 0) << 32,
        "paint_kit": int(given.get(_PAINT, 0)) or None,
        "paint_seed": int(given[_PATTERN]) if _PATTERN in given else None,
        "paint_wear": given.get(_WORN),
        "custom_name": entity.get_str(_CUSTOM) or None,
        **_columns(stickers),
    }


def _look_of_block(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a CEconItemPreviewDataBlock."""
    kind, name = item_of(item.get("defindex"))
    stickers = item.get("stickers") or ()
    return {
        "kind": kind,
        "item": name,
        "item_id": item.get("defindex"),
        "econ_item": item.get("itemid"),
        "paint_kit": item.get("paintindex") or None,
        "paint_seed": item.get("paintseed"),
        "paint_wear": None if item.get("paintwear") is None else _float(item["paintwear"]),
        "stattrak": item.get("killeatervalue"),
        "custom_name": next(iter(item.get("customnames") or ()), None),
        **_columns((each.get("sticker_id"), each.get("slot", 0), each.get("wear", 0.0)) for each in stickers),
    }


def _columns(stickers: Iterable[tuple[Any, ...]]) -> dict[str, list[Any]]:
    found = list(stickers)
    names = ("stickers", "sticker_slots", "sticker_wears")
    return {name: [each[place] for each in found] for place, name in enumerate(names)}


def _bits(value: float) -> int:
    """Return the whole number that the game stores in an attribute of type float."""
    return int(unpack("<I", pack("<f", value))[0])


def _float(bits: int) -> float:
    return float(unpack("<f", pack("<I", bits & 0xFFFFFFFF))[0])


def _attributes(item: Entity) -> dict[int, float]:
    """Return the attributes of an item by number; their values are floats."""
    found: dict[int, float] = {}
    for each in _LISTS:
        count = item.get(each)
        for number in range(min(count, _MOST_ATTRIBUTES) if isinstance(count, int) else 0):
            key = item.get(f"{each}.{number:04}.m_iAttributeDefinitionIndex")
            value = item.get(f"{each}.{number:04}.m_iRawValue32")
            if isinstance(key, int) and isinstance(value, float) and 0 <= value < _MOST_VALUE:
                found[key] = value
    return found
