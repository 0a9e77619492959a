"""Reads of a pawn, a player's body: its place, view, speed, health and weapons."""

from __future__ import annotations

from collections.abc import Iterator
from math import acos, atan2, cos, degrees, hypot, radians, sin

from playhead.cs2.sources.words import weapon_of
from playhead.runtime.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playhead.source2.entities.entity import Entity
    from playhead.source2.entities.manager import EntityManager
PAWN, CONTROLLER = "CCSPlayerPawn", "CCSPlayerController"

#: World units of a cell, and the number of the cell in the middle of the map.
CELL, MIDDLE_CELL = 512, 32

_AXES = tuple((f"CBodyComponent.m_cell{axis}", f"CBodyComponent.m_vec{axis}") for axis in "XYZ")
PLACE_FIELDS = tuple(name for pair in _AXES for name in pair)
EYES = "m_angEyeAngles"
HEALTH, ARMOR, LIFE_STATE, TEAM = "m_iHealth", "m_ArmorValue", "m_lifeState", "m_iTeamNum"
AREA = "m_szLastPlaceName"
# The fields of m_vecVelocity and m_vecViewOffset have their own names without that of the node.
VELOCITY = ("m_vecX", "m_vecY", "m_vecZ")
EYE_HEIGHT = "m_vecZ~2"
#: The two halves of the mask of slots whose players see a player.
SPOTTED_BY = ("m_bSpottedByMask.0000", "m_bSpottedByMask.0001")
ACTIVE_WEAPON = "m_pWeaponServices.m_hActiveWeapon"
MY_WEAPONS = "m_pWeaponServices.m_hMyWeapons"

#: Fields of a pawn that builds since July 2026 have elsewhere, with their present place.
MOVED_FIELDS = {
    f"m_aimPunch{old}": f"m_pAimPunchServices.m_predictableBase{new}"
    for old, new in (
        ("Angle", "Angle"),
        ("AngleVel", "AngleVel"),
        ("TickBase", "Tick"),
        ("TickFraction", "TickInterpAmount"),
    )
}

#: Fields of the state of a player, which `player_state` reads.
STATE_FIELDS = (*PLACE_FIELDS, EYES, HEALTH, ARMOR, LIFE_STATE, TEAM, AREA)

#: The bits of an entity's index in the handle of a pawn in game events.
_INDEX_BITS = (1 << 15) - 1

WEAPON_INDEX, CLIP = "m_iItemDefinitionIndex", "m_iClip1"


def place(entity: Entity | None) -> tuple[float | None, float | None, float | None]:
    """Return the world coordinates of an entity: ``(m_cell - 32) * 512 + m_vec``; None if unknown."""
    if entity is None:
        return None, None, None
    x, y, z = (_coordinate(entity.get(cell), entity.get(offset)) for cell, offset in _AXES)
    return x, y, z


def _coordinate(cell: Any, offset: Any) -> float | None:
    if not isinstance(cell, int) or not isinstance(offset, float):
        return None
    return (cell - MIDDLE_CELL) * CELL + offset


def view(pawn: Entity | None) -> tuple[float | None, float | None]:
    """Return pitch and yaw in degrees; None if unknown."""
    angles = None if pawn is None else pawn.get(EYES)
    return (angles[0], angles[1]) if isinstance(angles, tuple) and len(angles) == 3 else (None, None)


def is_alive(pawn: Entity) -> bool | None:
    """Return whether a pawn lives; None if unknown, and for those who watch: dead with health."""
    health, state = pawn.get_int(HEALTH), pawn.get_int(LIFE_STATE)
    if health is None:
        return None if state is None else state == 0
    return False if health <= 0 else None if state else True


def pawn_of_key(value: object) -> int | None:
    """Return the index of the pawn that a key such as ``userid_pawn`` of a game event names; None for nobody."""
    return value & _INDEX_BITS if isinstance(value, int) and value >= 0 else None


def player_state(pawn: Entity | None, role: str = "") -> dict[str, Any]:
    """Return place, view, health and the map's word for the place of a pawn, with `role` before each name."""
    x, y, z = place(pawn)
    pitch, yaw = view(pawn)
    return {
        f"{role}x": x,
        f"{role}y": y,
        f"{role}z": z,
        f"{role}pitch": pitch,
        f"{role}yaw": yaw,
        f"{role}health": None if pawn is None else pawn.get_int(HEALTH),
        f"{role}place": (pawn.get_str(AREA) or None) if pawn is not None else None,
    }


def speed_of(pawn: Entity | None) -> float | None:
    """Return the length of the velocity."""
    found = [] if pawn is None else [each for field in VELOCITY if isinstance(each := pawn.get(field), float)]
    return hypot(*found) if len(found) == len(VELOCITY) else None


#: Fields that `aim` reads.
AIM_FIELDS = (*PLACE_FIELDS, EYES, EYE_HEIGHT)


def aim(pawn: Entity | None, target: Entity | None) -> dict[str, float | None]:
    """Return the distance between the eyes of two players, and the angles from the crosshair of the first to the
    head of the other, which is at the height of its eyes.
    """
    here, there = _eyes(pawn), _eyes(target)
    pitch, yaw = view(pawn)
    if here is None or there is None or pitch is None or yaw is None:
        return dict.fromkeys(("distance", "crosshair_pitch", "crosshair_yaw", "crosshair_angle"))
    x, y, z = (end - start for start, end in zip(here, there, strict=True))
    far = hypot(x, y)
    down, left = -degrees(atan2(z, far)), degrees(atan2(y, x))
    turn = (yaw - left + 180.0) % 360.0 - 180.0
    same = cos(radians(pitch)) * cos(radians(down)) * cos(radians(turn)) + sin(radians(pitch)) * sin(radians(down))
    return {
        "distance": hypot(far, z),
        "crosshair_pitch": pitch - down,
        "crosshair_yaw": turn,
        "crosshair_angle": degrees(acos(max(-1.0, min(1.0, same)))),
    }


def _eyes(pawn: Entity | None) -> tuple[float, float, float] | None:
    x, y, z = place(pawn)
    height = None if pawn is None else pawn.get(EYE_HEIGHT)
    if x is None or y is None or z is None or not isinstance(height, float):
        return None
    return x, y, z + height


def active_weapon(entities: EntityManager, pawn: Entity | None) -> Entity | None:
    """Return the weapon in a player's hands."""
    handle = None if pawn is None else pawn.get(ACTIVE_WEAPON)
    return entities.find_by_handle(handle) if isinstance(handle, int) else None


def weapon_in_hand(entities: EntityManager, pawn: Entity | None) -> str | None:
    """Return the word of the weapon in a player's hands."""
    return weapon_name(active_weapon(entities, pawn))


def weapon_name(weapon: Entity | None) -> str | None:
    """Return the word of a weapon's entity; ``c4`` and ``knife`` are classes of their own."""
    if weapon is None:
        return None
    known = {"CC4": "c4", "CKnife": "knife"}.get(weapon.class_name)
    return known or weapon_of(weapon.get(WEAPON_INDEX))


def weapons_of(entities: EntityManager, pawn: Entity) -> Iterator[Entity]:
    """Yield the weapons of a player, in their order in the entity."""
    count = pawn.get(MY_WEAPONS)
    for number in range(min(count, 64) if isinstance(count, int) else 0):
        handle = pawn.get(f"{MY_WEAPONS}.{number:04}")
        weapon = entities.find_by_handle(handle) if isinstance(handle, int) else None
        if weapon is not None:
            yield weapon


#: Fields of the weapons that a player carries, and more weapons than anybody carries.
LOADOUT_FIELDS = {PAWN: (MY_WEAPONS, f"{MY_WEAPONS}.????", ACTIVE_WEAPON), "C*": (WEAPON_INDEX,)}
MOST_WEAPONS = 16
