"""Columns that several tables of Deadlock facts share, and rows of people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from playhead.deadlock.sources.people import DeadlockPerson
from playhead.tables.schema import Column
from playhead.tables.shared import SECONDS, TICK

GAME_SECONDS = Column(
    "game_seconds",
    "float64",
    "The clock that the game shows: 0 when the barriers drop, negative before; it stops in pauses. From the game "
    "rules entity (`playhead.deadlock.sources.game_clock`); null before the recording has it.",
    "s",
)
TIME = (TICK, SECONDS, GAME_SECONDS)

TEAM = Column("team", "int32", "2 is the Hidden King, 3 the Archmother, 4 neutral.")
LANE = Column("lane", "int32", "m_iLane: 1 yellow, 3 green, 4 blue, 6 purple; 0 for none.")
ENTITY = Column("entity", "int32", "Index of its entity.")
ENTITY_SERIAL = Column("entity_serial", "int32", "Serial number of the entity: an index is used again.")
X = Column(
    "x",
    "float64",
    "To the east, from the middle of the map: (m_cellX - middle) * 512 + m_vecX of its CBodyComponent; the middle "
    "cell is 32, or 64 where the patrons' cells show that grid.",
    "world units",
)
Y = Column("y", "float64", "To the north, as `x`.", "world units")
Z = Column("z", "float64", "Upwards, as `x`.", "world units")
PLACE = (X, Y, Z)


def person_columns(prefix: str = "", what: str = "the player") -> Iterator[Column]:
    """Yield the columns of a player at the tick of the row."""
    yield Column(f"{prefix}player", "int32", f"Number of {what}, as in `players`; null for nobody.")
    yield Column(f"{prefix}hero", "category", f"Hero of {what} at that tick; null if the number has no name.")
    yield Column(f"{prefix}hero_id", "int32", f"The game's number of that hero: m_nHeroID of {what}.")
    yield Column(f"{prefix}team", "int32", f"Team of {what} at that tick: 2 Hidden King, 3 Archmother.")


def person_row(person: DeadlockPerson | None, prefix: str = "") -> dict[str, Any]:
    """Return the values of `person_columns`; empty without a player."""
    if person is None:
        return {}
    return {
        f"{prefix}player": person.player,
        f"{prefix}hero": person.hero,
        f"{prefix}hero_id": person.hero_id,
        f"{prefix}team": person.team,
    }


def name_columns(name: str, what: str) -> Iterator[Column]:
    """Yield the columns of a name and its number."""
    yield Column(
        name, "category", f"Name of {what}, by the recording's own EntityNames; null if they lack the number."
    )
    yield Column(f"{name}_id", "int64", f"Number of {what}: MurmurHash2 of its name; null without one.")
