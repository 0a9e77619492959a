"""`Loadouts`: the weapons that players carry, looked up again only if they change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playhead.cs2.sources.pawn import (
    ACTIVE_WEAPON,
    MY_WEAPONS,
    PAWN,
    WEAPON_INDEX,
    active_weapon,
    weapon_name,
    weapons_of,
)
from playhead.runtime.libraries import pa
from playhead.runtime.records import NamedTuple
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.tables.arrow import category, parts_of
from playhead.tables.value_arrays import array_of

if TYPE_CHECKING:
    from playhead.source2.playback.playback import Playback

LOADOUT_FIELDS = {PAWN: (MY_WEAPONS, f"{MY_WEAPONS}.????", ACTIVE_WEAPON), "C*": (WEAPON_INDEX,)}

PISTOLS = frozenset("deagle elite fiveseven glock hkp2000 usp_silencer p250 tec9 cz75a revolver".split())
GRENADES = {
    "fire_grenades": frozenset(("molotov", "incgrenade")),
    "smoke_grenades": frozenset(("smokegrenade",)),
    "he_grenades": frozenset(("hegrenade",)),
    "flashbangs": frozenset(("flashbang",)),
    "decoy_grenades": frozenset(("decoy",)),
}
#: Columns of `Loadouts.columns`.
WEAPON_COLUMNS = ("active_weapon", "primary_weapon", "secondary_weapon", "has_bomb", *GRENADES, "inventory")
_THROWN = frozenset().union(*GRENADES.values())
_OTHERS = frozenset(("knife", "knife_t", "c4", "taser", "healthshot")) | PISTOLS | _THROWN
#: More weapons than anybody carries.
MOST_WEAPONS = 16


def is_primary(word: str) -> bool:
    """Return whether a weapon is a rifle, sniper rifle, submachine gun, shotgun or machine gun."""
    return word not in _OTHERS and not word.startswith(("item ", "knife"))


class Held(NamedTuple):
    """The weapons that a player carries.

    Attributes:
        number: of its words in `Loadouts.columns`.
        active: the weapon in the hands.
    """

    number: int
    active: Entity | None


class Loadouts:
    """Follows the weapons of all pawns.

    Args:
        playback: plays the recording.

    Attributes:
        version: counts the changes.
    """

    def __init__(self, playback: Playback) -> None:
        self.version = 0
        self._entities = playback.entities
        self._held: dict[int, Held] = {}
        self._known: dict[tuple[str | None, tuple[str, ...]] | None, int] = {None: 0}
        numbers = [f"{MY_WEAPONS}.{number:04}" for number in range(MOST_WEAPONS)]
        self._entities.on_entity(FieldWatch((ACTIVE_WEAPON, MY_WEAPONS, *numbers), self._on_pawn), PAWN)
        self._entities.on_entity(self._on_gone, "C*", EntityOp.DELETED)

    def _on_pawn(self, pawn: Entity, _op: EntityOp) -> None:
        self._held.pop(pawn.index, None)
        self.version += 1

    def _on_gone(self, _weapon: Entity, _op: EntityOp) -> None:
        self._held.clear()
        self.version += 1

    def of(self, pawn: Entity | None) -> Held:
        """Return the weapons of a pawn."""
        if pawn is None:
            return Held(0, None)
        held = self._held.get(pawn.index)
        if held is None:
            active = active_weapon(self._entities, pawn)
            names = tuple(name for each in weapons_of(self._entities, pawn) if (name := weapon_name(each)))
            number = self._known.setdefault((weapon_name(active), names), len(self._known))
            held = self._held[pawn.index] = Held(number, active)
        return held

    def columns(self, numbers: pa.Array, names: frozenset[str]) -> dict[str, Any]:
        """Return the columns of weapons of these names for `Held.number` of each row."""
        rows = list(map(_words, self._known))
        types = {
            "active_weapon": pa.string(),
            "primary_weapon": pa.string(),
            "secondary_weapon": pa.string(),
            "has_bomb": pa.bool_(),
            **dict.fromkeys(GRENADES, pa.int32()),
            "inventory": pa.list_(pa.string()),
        }
        return {
            name: spread([row.get(name) for row in rows], type_, numbers)
            for name, type_ in types.items()
            if name in names
        }


def spread(values: list[Any], type_: pa.DataType, numbers: pa.Array) -> pa.ChunkedArray:
    """Return a column with the value of each row by its number; texts are categories.

    Arrow fills the memory of a chunk once, where it would move a long column of lists as it grows.
    """
    if type_ == pa.string():
        words = list(dict.fromkeys(value for value in values if value is not None))
        places = [None if value is None else words.index(value) for value in values]
        return category(spread(places, pa.int32(), numbers), words)
    known = array_of(values, type_)
    return pa.chunked_array([known.take(numbers.slice(*part)) for part in parts_of(len(numbers))], type_)


def _words(known: tuple[str | None, tuple[str, ...]] | None) -> dict[str, Any]:
    if known is None:
        return {}
    active, names = known
    return {
        "active_weapon": active,
        "primary_weapon": next(filter(is_primary, names), None),
        "secondary_weapon": next((name for name in names if name in PISTOLS), None),
        "has_bomb": "c4" in names,
        **{column: sum(name in words for name in names) for column, words in GRENADES.items()},
        "inventory": list(names),
    }
