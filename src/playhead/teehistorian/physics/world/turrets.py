"""`Turret` and its `Plasma`, which freezes, thaws or explodes."""

from __future__ import annotations

from playhead.runtime import cython
from playhead.teehistorian.physics.arena.arena import Arena
from playhead.teehistorian.physics.arena.body import Body

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.single import length, ratio, single, whole
else:
    from playhead.teehistorian.physics.arena.single import length, ratio, single, whole

#: How far a turret reaches, and ticks between its shots and of their flight.
TURRET_RANGE, TURRET_TICKS = 700, 16
PLASMA_TICKS = 75


@cython.final
@cython.cclass
class Turret:
    """Shoots plasma at the nearest tee of each team, and at each solo one."""

    def __init__(self, x: int, y: int, freezes: bool, explodes: bool, number: int) -> None:
        self.x = x
        self.y = y
        self.freezes = freezes
        self.explodes = explodes
        self.number = number
        self.last = {}

    def state(self) -> dict[int, int]:
        """Return the fields that change."""
        return dict(self.last)

    def set_state(self, state: dict[int, int]) -> None:
        """Take over a `state`."""
        self.last = dict(state)

    def act(self, arena: Arena) -> list:
        """Return the plasma that is shot now. `last` has the tick of the last shot by team, and -1 - client."""
        nearest: dict = {}
        targets: set = set()
        i: cython.int
        for i in range(arena.count):
            other: Body = arena.tees[arena.order[i]]
            far: cython.float = length(single(other.shown_x - self.x), single(other.shown_y - self.y))
            key: object = -1 - other.cid if other.solo else other.team
            if (
                other.super_tee
                or not far < TURRET_RANGE + 28
                or (self.number and not arena.is_on(self.number, other.team))
                or self.last.get(key, 0) + TURRET_TICKS > arena.tick
                or arena.tiles.shot_line(self.x, self.y, other.shown_x, other.shown_y, 0)
            ):
                continue
            if other.solo:
                targets.add(other.cid)
                self.last[key] = arena.tick
            elif key not in nearest or nearest[key][0] > whole(far) or nearest[key][0] == 0:
                nearest[key] = (whole(far), other.cid)
        for team, (_, cid) in nearest.items():
            targets.add(cid)
            self.last[team] = arena.tick
        found: list = []
        for cid in sorted(targets):
            other = arena.tees[cid]
            far = ratio(1, length(single(other.shown_x - self.x), single(other.shown_y - self.y)))
            arena.made += 1
            found.append(
                Plasma(
                    self.x,
                    self.y,
                    single(single(other.shown_x - self.x) * far),
                    single(single(other.shown_y - self.y) * far),
                    self.freezes,
                    self.explodes,
                    cid,
                    arena.made,
                )
            )
        return found


@cython.final
@cython.cclass
class Plasma:
    """A shot of a turret at one client; `made`: its place among all that flies."""

    def __init__(
        self, x: float, y: float, dx: float, dy: float, freezes: bool, explodes: bool, cid: int, made: int
    ) -> None:
        self.x = x
        self.y = y
        self.dx = dx
        self.dy = dy
        self.freezes = freezes
        self.explodes = explodes
        self.cid = cid
        self.made = made
        self.left = PLASMA_TICKS

    def copy(self) -> Plasma:
        """Return a copy."""
        other = Plasma(self.x, self.y, self.dx, self.dy, self.freezes, self.explodes, self.cid, self.made)
        other.left = self.left
        return other

    def act(self, arena: Arena) -> cython.bint:
        """Fly on; return False at the end."""
        target: Body = arena.tees[self.cid]
        if self.left == 0 or not target.alive:
            return False
        self.left -= 1
        self.x = single(self.x + self.dx)
        self.y = single(self.y + self.dy)
        self.dx = single(self.dx * single(1.1))
        self.dy = single(self.dy * single(1.1))
        to_x: cython.float = single(self.x + self.dx)
        to_y: cython.float = single(self.y + self.dy)
        met: cython.int = arena.crossed(self.x, self.y, to_x, to_y, 0, -1, self.cid)
        if met >= 0:
            other: Body = arena.tees[met]
            if self.freezes:
                arena.freeze(other, arena.freeze_seconds)
            else:
                arena.thaw(other)
            if self.explodes:
                arena.explode(self.x, self.y, self.cid, True, target.team)
        wall: cython.int = arena.tiles.light_line(self.x, self.y, to_x, to_y, True)
        if wall and self.explodes:
            arena.explode(self.x, self.y, self.cid, True, target.team)
        return met < 0 and not wall
