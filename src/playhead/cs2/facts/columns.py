"""Columns that several tables of facts share."""

from __future__ import annotations

from playhead.tables.schema import Column
from playhead.tables.shared import SECONDS, TICK

GAME_SECONDS = Column(
    "game_seconds",
    "float64",
    "What the game's clock counts down, seconds left: of the round, of freeze time, of the planted bomb; null if "
    "the clock shows nothing.",
    "s",
)
ROUND_NUM = Column(
    "round_num",
    "int32",
    "Number of the round of table `rounds`, from 1 on; 0 in warm-up and knife rounds, null before the first.",
)
TIME = (TICK, SECONDS, ROUND_NUM, GAME_SECONDS)

WEAPON = Column("weapon", "category", "Weapon in the game's word without `weapon_`: ak47, knife, hegrenade.")
PLAYER = Column("player", "int32", "Number of the person, as in `players`; null for nobody.")
NAME = Column("name", "string", "Name at that tick.")
SIDE = Column("side", "category", "Side at that tick: t or ct.")
X = Column("x", "float32", "World coordinate after the packet of the tick, to the east.", "units")
Y = Column("y", "float32", "World coordinate after the packet of the tick, to the north.", "units")
Z = Column("z", "float32", "World coordinate after the packet of the tick, upwards.", "units")
PITCH = Column("pitch", "float32", "Vertical angle of the view after the packet; down is positive.", "°")
YAW = Column("yaw", "float32", "Horizontal angle of the view after the packet; 0 is east, 90 north.", "°")
ENTITY = Column("entity", "int32", "Index of the entity; the game uses an index again after a deletion.")


def person_columns(role: str, doc: str, *, state: bool = False) -> tuple[Column, ...]:
    """Return the columns of a person with a role such as ``attacker_``; with `state`, its place and health."""
    found = (
        Column(f"{role}player", "int32", f"{doc}: number as in `players`; null for nobody."),
        Column(f"{role}name", "string", f"{doc}: name at that tick."),
        Column(f"{role}side", "category", f"{doc}: side at that tick, t or ct."),
    )
    if not state:
        return found
    return (
        *found,
        *(
            Column(f"{role}{axis}", "float32", f"{doc}: world coordinate after the packet.", "units")
            for axis in "xyz"
        ),
        Column(f"{role}pitch", "float32", f"{doc}: vertical angle of the view after the packet.", "°"),
        Column(f"{role}yaw", "float32", f"{doc}: horizontal angle of the view after the packet.", "°"),
        Column(f"{role}health", "int32", f"{doc}: health after the packet.", "hp"),
        Column(f"{role}place", "category", f"{doc}: the map's word for the place (BombsiteA)."),
    )
