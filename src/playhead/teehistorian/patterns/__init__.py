"""What a moderator looks at in a player's inputs: plain counts and spreads, each with the data for a plot.

Nothing here says whether somebody cheated. Every figure can be recomputed by hand from tables ``inputs``,
``positions`` and ``sessions``; the limits that decide what counts are module constants with a reason.

* `visits`: the inputs of one session.
* `presses`: fire, hook and jump: periods between presses, how long they are held, regular stretches.
* `aim`: how fast the aim turns, and when it jumps.
* `effects`: ticks from a press to the movement it causes.
* `sequences`: stretches of inputs that another player gave in the same way.
* `report`: all of it for each session.

A tick is 20 ms: what is quicker cannot be seen, and a client sends at most one input a tick that acts.
"""

from __future__ import annotations

from playhead.teehistorian.patterns.report import chosen_sessions, session_reports

__all__ = ["chosen_sessions", "session_reports"]
