"""Groups of happenings that are near in time and space: the rule of the fights of all games on Source 2.

Happenings are processed in order. One joins the group whose last happening was at most `window` ago and whose
middle (mean position of its happenings) is at most `radius` away; if several fit, the nearest one. Otherwise it
begins a group. If a position is unknown, only the time decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot

from playhead.runtime.records import NamedTuple, dataclass, field


class Happening(NamedTuple):
    """One happening.

    Attributes:
        tick: its tick.
        player: the affected player.
        x, y: its place; None if unknown.
    """

    tick: int
    player: int
    x: float | None
    y: float | None


@dataclass(slots=True)
class Group:
    """Happenings that belong together.

    Attributes:
        first, last: ticks of the first and the last one.
        members: their places in the order of all happenings.
        players: the affected players, in the order of the events.
        x, y: mean place; None if none is known.
    """

    first: int
    last: int
    members: list[int] = field(default_factory=list)
    players: list[int] = field(default_factory=list)
    x: float | None = None
    y: float | None = None
    _places: int = 0
    _sum_x: float = 0.0
    _sum_y: float = 0.0

    def add(self, number: int, one: Happening) -> None:
        """Add an event."""
        self.last = one.tick
        self.members.append(number)
        self.players.append(one.player)
        if one.x is not None and one.y is not None:
            self._places += 1
            self._sum_x += one.x
            self._sum_y += one.y
            self.x, self.y = self._sum_x / self._places, self._sum_y / self._places

    def distance(self, x: float | None, y: float | None) -> float:
        """Return the distance from its middle; 0 if either position is unknown."""
        if self.x is None or self.y is None or x is None or y is None:
            return 0.0
        return hypot(x - self.x, y - self.y)


def grouped(happenings: Iterable[Happening], window: int, radius: float) -> list[Group]:
    """Return the groups of happenings in rising order of ticks; `window` is in ticks, `radius` in world units."""
    groups: list[Group] = []
    recent: list[Group] = []
    for number, one in enumerate(happenings):
        recent = [group for group in recent if one.tick - group.last <= window]
        near = [group for group in recent if group.distance(one.x, one.y) <= radius]
        if near:
            group = min(near, key=lambda group: group.distance(one.x, one.y))
        else:
            group = Group(one.tick, one.tick)
            groups.append(group)
            recent.append(group)
        group.add(number, one)
    return groups
