"""Columns that mean the same in every table of Dota 2 facts."""

from __future__ import annotations

from playhead.tables.schema import Column

GAME_SECONDS = Column(
    "game_seconds",
    "float64",
    "The clock that the game shows: 0 at the horn, negative before it; it stops in pauses. From the game "
    "rules entity (`playhead.dota2.sources.game_clock`); null before the recording has it.",
    "s",
)

PLAYER = Column("player", "int32", "Number of the player, as in `players`: place in CDOTA_PlayerResource.")

X = Column(
    "x",
    "float64",
    "To the east, from the middle of the map: m_cellX * 128 + m_vecX - 16384 of its CBodyComponent.",
    "world units",
)
Y = Column("y", "float64", "To the north, as `x`.", "world units")
CELL_X_COLUMN = Column("cell_x", "int32", "m_cellX of its CBodyComponent: 128 world units each, from the west.")
CELL_Y_COLUMN = Column("cell_y", "int32", "m_cellY, from the south.")

KILLER = Column(
    "killer",
    "category",
    "Who dealt the last blow: attacker of the combat log's DEATH entry; null if it has none.",
)
KILLER_TEAM = Column("killer_team", "int32", "attacker_team of that entry: 2 is Radiant, 3 is Dire, 4 neutral.")
