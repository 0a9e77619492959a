"""Commands that change a tee at once: weapons, flags and teleports, of administrators and teams in practice."""

from __future__ import annotations

from typing import Any

#: Commands after which a tee is elsewhere. Those of players also stop and unfreeze their tee.
TELEPORTS = frozenset(
    "tele teleport tp move move_raw left right up down totele totelecp telecursor tc lasttp r rescue".split()
)
_FLAGS = {
    "jetpack": "jetpack",
    "endless_hook": "endless_hook",
    "endless": "endless_hook",
    "infinite_jump": "endless_jump",
    "infjump": "endless_jump",
    "solo": "solo",
    "deep": "deep",
    "livefreeze": "live",
}
_WEAPONS = {"shotgun": 4, "grenade": 8, "laser": 16, "rifle": 16, "weapons": 28}
_GUN, _NINJA = 1, 5


def grant(tee: Any, name: str, arguments: tuple[str, ...], tick: int) -> None:
    """Apply a command to a tee on `tick`; other commands do nothing."""
    takes = name.startswith("un") or name == "removeweapon"
    name = name.removeprefix("un")
    if name in _FLAGS:
        setattr(tee, _FLAGS[name], int(not takes))
    elif name in ("addweapon", "removeweapon") and arguments and arguments[0] in tuple("012345"):
        _give(tee, 1 << int(arguments[0]), takes, tick)
    elif name in _WEAPONS:
        _give(tee, _WEAPONS[name], takes, tick)
    elif name == "ninja":
        _give(tee, 1 << _NINJA, takes, tick)


def _give(tee: Any, weapons: int, takes: bool, tick: int) -> None:
    if takes:
        tee.owned &= ~weapons
        if weapons >> tee.weapon & 1:
            tee.weapon = tee.former_weapon if tee.weapon == _NINJA else _GUN
        return
    tee.owned |= weapons
    if weapons >> _NINJA:
        tee.ninja_start = tick
        if tee.weapon != _NINJA:
            tee.former_weapon, tee.weapon = tee.weapon, _NINJA
