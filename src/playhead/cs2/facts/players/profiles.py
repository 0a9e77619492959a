"""Tables ``ranks`` and ``skins``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from playhead.cs2.facts import TABLES, TIME, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import CONTROLLER, WEAPON_INDEX, weapon_name
from playhead.cs2.sources.people import columns_of
from playhead.cs2.sources.words import RANK_TYPES, word_of
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

_RANKS = {
    "rank": ("m_iCompetitiveRanking", ""),
    "rank_type_id": ("m_iCompetitiveRankType", ""),
    "wins": ("m_iCompetitiveWins", "Matches won."),
    "rank_if_win": ("m_iCompetitiveRankingPredicted_Win", "Rank after a win."),
    "rank_if_loss": ("m_iCompetitiveRankingPredicted_Loss", "Rank after a loss."),
    "rank_if_tie": ("m_iCompetitiveRankingPredicted_Tie", "Rank after a tie."),
}
_OWNER_LOW, _OWNER_HIGH = "m_OriginalOwnerXuidLow", "m_OriginalOwnerXuidHigh"
_KIT, _SEED, _WEAR, _STATTRAK = "m_nFallbackPaintKit", "m_nFallbackSeed", "m_flFallbackWear", "m_nFallbackStatTrak"
_ID_LOW, _ID_HIGH, _CUSTOM = "m_iItemIDLow", "m_iItemIDHigh", "m_szCustomName"
_OF_WEAPON = (_OWNER_LOW, _OWNER_HIGH, _KIT, _SEED, _WEAR, _STATTRAK, _ID_LOW, _ID_HIGH, _CUSTOM)
# Numbers of attributes: paint, pattern, wear.
_PAINT, _PATTERN, _WORN = 6, 7, 8
_LISTS = ("m_Attributes", "m_Attributes~2")
_ATTRIBUTES = tuple(name for each in _LISTS for name in (each, f"{each}.????.*"))
_MOST_ATTRIBUTES, _MOST_VALUE = 16, 1e6
_UPDATE = "CS_UM_ServerRankUpdate"

RANKS = TableSchema.of(
    "ranks",
    "One row for each rank that a controller has, at its first value and each change, and for each "
    "CS_UM_ServerRankUpdate.",
    *TIME,
    *person(),
    word("rank", "Or rating; m_iCompetitiveRanking."),
    Column("rank_type", "category", "Kind of the rank: premier, competitive, wingman; null for none."),
    Column("rank_type_id", "int64", "m_iCompetitiveRankType; -1 for none."),
    *(Column(name, "int32", f"{doc} {field}.") for name, (field, doc) in _RANKS.items() if doc),
    Column("rank_old", "int32", "Rank before the match, of the message; null without it."),
    Column("rank_change", "float32", "Change, of the message; null without it."),
)
SKINS = TableSchema.of(
    "skins",
    "One row for each look of a painted weapon, by first owner: from the list of attributes of its entity "
    "(m_Attributes 6, 7, 8), else from the fields below.",
    *TIME,
    *person(),
    word("account", "Of the first owner."),
    word("item", "The weapon's word."),
    word("entity"),
    Column("econ_item", "uint64", "Number of the item in the owner's inventory; 0 for none."),
    Column("paint_kit", "int32", f"Number of the paint ({_KIT})."),
    Column("paint_seed", "int32", f"Pattern ({_SEED})."),
    Column("paint_wear", "float32", f"Wear, 0 to 1 ({_WEAR})."),
    Column("stattrak", "int32", f"Counted kills ({_STATTRAK}); null for none."),
    Column("custom_name", "string", "Name that the owner gave; null for none."),
)


@TABLES.maker_of(RANKS)
class Ranks(Cs2Facts):
    """Table ``ranks``."""

    entities: ClassVar = True
    fields = MappingProxyType({CONTROLLER: tuple(field for field, _ in _RANKS.values())})

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._known: dict[int, tuple[Any, ...]] = {}
        watch = FieldWatch([field for field, _ in _RANKS.values()], self._on_controller)
        playback.entities.on_entity(watch, CONTROLLER)
        self.match.on_fields(playback, _UPDATE, self._on_update)

    def _on_controller(self, controller: Entity, op: EntityOp) -> None:
        owner = self.match.people.in_slot(controller.index - 1)
        if op & EntityOp.DELETED or owner is None or owner.is_bot or not owner.account:
            return
        values = tuple(controller.get_int(field) for field, _ in _RANKS.values())
        if any(value is not None for value in values) and self._known.get(owner.player) != values:
            self._known[owner.player] = values
            row = {"tick": self._playback.tick, **columns_of(owner, "")}
            self._rows.append(row | dict(zip(_RANKS, values, strict=True)))

    def _on_update(self, tick: int, fields: Mapping[Any, Any]) -> None:
        for update in fields.get("rank_update") or ():
            number = update.get("account_id")
            found = (each for each in self.match.people if number and each.account & 0xFFFFFFFF == number)
            row = {"tick": tick, **columns_of(next(found, None), ""), "rank": update.get("rank_new")}
            row |= {"rank_old": update.get("rank_old"), "wins": update.get("num_wins")}
            row |= {"rank_change": update.get("rank_change"), "rank_type_id": update.get("rank_type_id")}
            self._rows.append(row)

    def rows(self) -> list[dict[str, Any]]:
        return [row | {"rank_type": word_of(RANK_TYPES, row["rank_type_id"], "type")} for row in self._rows]


@TABLES.maker_of(SKINS)
class Skins(Cs2Facts):
    """Table ``skins``."""

    entities: ClassVar = True
    fields = MappingProxyType({"C*": (*_ATTRIBUTES, WEAPON_INDEX, *_OF_WEAPON)})

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._known: set[tuple[Any, ...]] = set()
        playback.entities.on_entity(self._on_weapon, "C*", EntityOp.CREATED)

    def _on_weapon(self, weapon: Entity, _op: EntityOp) -> None:
        given = _attributes(weapon)
        kit = int(given.get(_PAINT, weapon.get_int(_KIT) or 0))
        if kit <= 0:
            return
        account = (weapon.get_int(_OWNER_LOW) or 0) | (weapon.get_int(_OWNER_HIGH) or 0) << 32
        econ_item = (weapon.get_int(_ID_LOW) or 0) | (weapon.get_int(_ID_HIGH) or 0) << 32
        stattrak = weapon.get_int(_STATTRAK)
        look = {
            "item": weapon_name(weapon),
            "econ_item": econ_item,
            "paint_kit": kit,
            "paint_seed": int(given[_PATTERN]) if _PATTERN in given else weapon.get_int(_SEED),
            "paint_wear": given.get(_WORN, weapon.get_float(_WEAR)),
            "stattrak": None if stattrak is None or stattrak < 0 else stattrak,
            "custom_name": weapon.get_str(_CUSTOM) or None,
        }
        key = (account, *look.values())
        if key not in self._known:
            self._known.add(key)
            owner = next((each for each in self.match.people if account and each.account == account), None)
            row = {"tick": self._playback.tick, **columns_of(owner, ""), "entity": weapon.index, **look}
            self._rows.append(row | {"account": str(account) if account else None})


def _attributes(weapon: Entity) -> dict[int, float]:
    """Return the attributes of an item by number; their values are floats."""
    found: dict[int, float] = {}
    for each in _LISTS:
        count = weapon.get(each)
        for number in range(min(count, _MOST_ATTRIBUTES) if isinstance(count, int) else 0):
            key = weapon.get(f"{each}.{number:04}.m_iAttributeDefinitionIndex")
            value = weapon.get(f"{each}.{number:04}.m_iRawValue32")
            if isinstance(key, int) and isinstance(value, float) and 0 <= value < _MOST_VALUE:
                found[key] = value
    return found
