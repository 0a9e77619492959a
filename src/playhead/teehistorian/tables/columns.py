"""Columns that several tables share."""

from __future__ import annotations

from playhead.tables import Column

CLIENT = Column("client", "int32", "Client id: the player's slot on the server, reused after it leaves.")
SESSION = Column(
    "session",
    "int32",
    "Who: number of the connection, unique in the recording, as in `sessions`, and as column `player` of the "
    "tables that every format has; null where it is not known.",
)
NAME = Column(
    "name",
    "string",
    "Name of the player behind the client id at that tick, as the server gave it or, before 18.3, as the client "
    "asked for it; null if the file does not say.",
)
TEAM = Column("team", "int32", "DDRace team; 0 is no team. Null before DDNet 15.6, which does not record it.")
TIME_TICKS = Column("time_ticks", "int32", "The time that counts, saved time included.", "ticks")
TIME = Column("time", "float64", "`time_ticks` in seconds.", "s")
