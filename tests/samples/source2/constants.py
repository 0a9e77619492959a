"""Numbers shared by several synthetic recordings."""

from __future__ import annotations

TICKS_PER_SECOND = 30

#: The server tick at demo tick 0.
FIRST_SERVER_TICK = 1000

#: Steam id of player 0; the other players have the following ids.
FIRST_ACCOUNT = 76561197960265728 + 1000
