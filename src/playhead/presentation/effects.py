"""`Effect`: a short mark on the map: a shot, a hit, a smoke, the timer of a bomb."""

from __future__ import annotations

from collections.abc import Iterator

from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.model import ReplayLike

#: Kinds: a shot and a hit (lines that fade), a kill, a circle of smoke or fire with its rest of seconds, a ring
#: that counts down, two bursts, and a circle that a side sees.
SHOT, HIT, KILL, SMOKE, FIRE, TIMER, FLASH, BLAST, SIGHT = (
    "shot hit kill smoke fire timer flash blast sight".split()
)

#: Seconds for which a kill stays on the map.
KILL_SECONDS = 2.0


class Effect(NamedTuple):
    """Something on the map from `tick` to `end`.

    Attributes:
        kind: one of the kinds of this module.
        tick: its first tick.
        end: its last tick.
        x: place of it: of the victim, of the middle of a circle, of a shot's weapon.
        y: the same.
        to_x: the other end of its line, in units of coordinates; None for none.
        to_y: the same.
        radius: radius of a circle, in units of coordinates.
        player: who did it; None if unknown.
        team: the side of that player at that tick.
        due: the tick at which a timer would be over; it ends earlier if somebody stops it.
    """

    kind: str
    tick: int
    end: int
    x: float
    y: float
    to_x: float | None = None
    to_y: float | None = None
    radius: float = 0.0
    player: int | None = None
    team: int | None = None
    due: int | None = None


def kill_effects(replay: ReplayLike) -> Iterator[Effect]:
    """Yield the kills of table ``kills`` at the places of the victims, with lines from the killers."""
    names = "tick victim_x victim_y attacker_player attacker_team attacker_x attacker_y".split()
    lasts = round(KILL_SECONDS * (replay.info.ticks_per_second or 1.0))
    for row in replay.table("kills", columns=names).to_pylist():
        tick, x, y = row["tick"], row["victim_x"], row["victim_y"]
        if x is not None and y is not None:
            line = row["attacker_x"], row["attacker_y"]
            yield Effect(KILL, tick, tick + lasts, x, y, *line, 0.0, row["attacker_player"], row["attacker_team"])
