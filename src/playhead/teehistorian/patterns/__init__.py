"""Statistics of a player's inputs for moderators: counts and spreads, with data for plots.

No statistic proves cheating. Each one can be recomputed from tables ``inputs``, ``positions`` and ``sessions``;
its thresholds are module constants with a reason.

* `visits`: the inputs of one player.
* `figures`: presses of fire, hook and jump; speed and jumps of the aim; ticks from a press to its movement.
* `sequences`: equal stretches of inputs of two players.
* `report`: all statistics of each player.

A tick is 20 ms: faster changes are not recorded, and at most one input of a client acts per tick.
"""

from __future__ import annotations

from playhead.teehistorian.patterns.report import chosen_connections, reports_of

__all__ = ["chosen_connections", "reports_of"]
