"""Differences of server versions that decide how inputs and positions of a recording relate to the game."""

from __future__ import annotations

import re

from playhead.runtime.records import dataclass
from playhead.teehistorian.stream.header import Header


@dataclass(frozen=True, slots=True)
class Rules:
    """The behaviour of one server version.

    Attributes:
        recorded_for_tick: inputs are recorded for the tick that they act on (15.3); before, on arrival.
        repeats_input: a tick without input takes the last one (16.2); before, what moved keeps moving.
        one_input: a tick has one input (19.4); before, the first of a tick moves and all fire.
        pause_resets: pausing and chatting let go of all keys (before 16.2; not in 11.0).
        camera_cuts: the flag of the spectator camera cuts the input (19.1).
        super_team: number of the team of super tees: above all others, which are 64 before 19.1, then 128.
        hooks_return: a hook out of a teleporter that is too long grabs tees on its way back (before 18.2).
        rescues_whole: a rescue returns the whole saved tee, unless refused (16.0 to 17.4); of others the state is
            not certain.
        clamps_ninja: stoppers stop the dash of a ninja (19.6).
        unknown_tuning: names of tuning that came later.
        positions_at_end: positions are those of the end of the tick (15.6); before, of the middle, without spawns.
    """

    recorded_for_tick: bool
    repeats_input: bool
    one_input: bool
    pause_resets: bool
    camera_cuts: bool
    positions_at_end: bool
    super_team: int
    hooks_return: bool
    rescues_whole: bool
    clamps_ninja: bool
    unknown_tuning: tuple[str, ...]


def rules_of(header: Header) -> Rules:
    """Return the rules of the server that recorded a file."""
    minor = header.version_minor or 0
    version = server_version(header)
    return Rules(
        recorded_for_tick=minor > 0 or version >= (15, 3),
        repeats_input=minor >= 4,
        one_input=minor >= 11,
        pause_resets=minor < 4 and version >= (12, 0),
        camera_cuts=minor >= 10 and version >= (19, 1),
        positions_at_end=minor >= 2,
        super_team=128 if version >= (19, 1) else 64,
        hooks_return=minor < 7,
        rescues_whole=(16, 0) <= version < (18, 0),
        clamps_ninja=minor >= 14,
        unknown_tuning=() if version >= (16, 5) else ("ground_elasticity_x", "ground_elasticity_y"),
    )


def server_version(header: Header) -> tuple[int, int]:
    """Return DDNet's own version, after the comma of ``0.6.4, 16.4``; (0, 0) if the header does not say."""
    found = re.search(r",\s*(\d{1,4})\.(\d{1,4})", header.text("server_version") or "")
    return (int(found[1]), int(found[2])) if found else (0, 0)
