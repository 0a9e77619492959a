"""Numbers that several synthetic recordings share."""

from __future__ import annotations

TICKS_PER_SECOND = 30

#: The server's tick at demo tick 0.
FIRST_SERVER_TICK = 1000

#: Steam id of player 0; the others follow it.
FIRST_ACCOUNT = 76561197960265728 + 1000
