"""`Tiles`: the tiles of a map, and the solid ones."""

from __future__ import annotations

import math
from array import array
from typing import Any

from playhead.runtime import cython

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.single import ratio, rounded, single
else:
    from playhead.teehistorian.physics.arena.single import length, ratio, rounded, single, whole

    # Directions in which a stopper lets nobody move.
    CANT_LEFT, CANT_RIGHT, CANT_UP, CANT_DOWN = 1, 2, 4, 8

    fabsf = abs
    ceilf = math.ceil


#: Arrays of a map with a byte for each tile, by name; see `maps.game_map`.
BYTES = (
    *("wall", "game", "game_flags", "front", "front_flags", "special", "tele", "tele_number"),
    *("speedup_force", "speedup_most", "speedup_type", "switch", "switch_number", "switch_delay", "tune"),
    *("door", "door_number"),
)


_WALLS = bytes(tile in (1, 3) for tile in range(256))
_DEATHS = bytes(tile == 2 for tile in range(256))
_STOPPERS = bytes(tile in (60, 61, 62) for tile in range(256))


def around(mask: bytes, width: int, reach: int) -> bytes:
    """Return a mask of ones and zeros that marks all tiles at most `reach` columns and rows from a marked one.

    A tile at the side of the map also marks some at the other side.
    """
    size = len(mask)
    found = 0
    for row in range(-reach, reach + 1):
        for step in range(row * width - reach, row * width + reach + 1):
            moved = bytes(step) + mask[: size - step] if step >= 0 else mask[-step:] + bytes(-step)
            found |= int.from_bytes(moved[:size].ljust(size, b"\0"), "little")
    return found.to_bytes(size, "little")


#: Longest line that is followed, in steps of a unit.
MOST_STEPS = 20_000


@cython.final
@cython.cclass
class Tiles:
    """The tiles of one map. Positions outside it are those of its border.

    Attributes:
        width, height: in tiles.
        has_stoppers, has_specials, has_hook_walls, has_doors, has_race, has_deaths: there are tiles that stop
            movement, that act on tees, that let hooks through or stop them; there are doors, start and finish
            lines, death tiles.
        hit_x, hit_y: (compiled callers) where the last line ended, in the wall.
        last_x, last_y: the last place before it.
        hook_number: number of the teleporter that ended a line.
        air_x, air_y: where the last `air_near` or `air_above` found room for a tee.
    """

    def __init__(self, width: cython.int, height: cython.int, layers: dict[str, bytes], angles: array) -> None:
        """`layers`: the arrays of `BYTES`; `angles`: those of speedups, in degrees, as ``array('h')``.

        Raises:
            ValueError: an array has another length.
        """
        size = width * height
        if width < 1 or height < 1 or any(len(layers[name]) != size for name in BYTES):
            raise ValueError(f"expected layers of {width} x {height} tiles")
        if angles.typecode != "h" or len(angles) != size:
            raise ValueError("expected an angle for each tile")
        # Copies of what may change: compiled code keeps addresses.
        self._lay(width, height, {name: bytes(layers[name]) for name in BYTES}, angles[:])

    if cython.compiled:

        def __cinit__(self, *_args: Any, **_kwargs: Any) -> None:
            # Tiles without __init__ are those of an empty map.
            self._lay(1, 1, dict.fromkeys(BYTES, b"\0"), array("h", (0,)))

    def _lay(self, width: cython.int, height: cython.int, layers: dict[str, bytes], angles: array) -> None:
        size = width * height
        self.width = width
        self.height = height
        walls: bytes = layers["wall"].translate(_WALLS)
        near_wall: bytes = around(walls, width, 1)
        game, front = (int.from_bytes(layers[name].translate(_STOPPERS), "little") for name in ("game", "front"))
        near_stopper: bytes = around((game | front).to_bytes(size, "little"), width, 1)
        deaths = [int.from_bytes(layers[name].translate(_DEATHS), "little") for name in ("game", "front")]
        near_death: bytes = around((deaths[0] | deaths[1]).to_bytes(size, "little"), width, 1)
        self._kept = {**layers, "angles": angles, "walls": walls, "near_wall": near_wall}
        self._kept |= {"near_stopper": near_stopper, "near_death": near_death}
        if cython.compiled:
            self.wall = _bytes(layers["wall"])
            self.game = _bytes(layers["game"])
            self.game_flags = _bytes(layers["game_flags"])
            self.front = _bytes(layers["front"])
            self.front_flags = _bytes(layers["front_flags"])
            self.special = _bytes(layers["special"])
            self.tele = _bytes(layers["tele"])
            self.tele_number = _bytes(layers["tele_number"])
            self.speedup_force = _bytes(layers["speedup_force"])
            self.speedup_most = _bytes(layers["speedup_most"])
            self.speedup_type = _bytes(layers["speedup_type"])
            self.switch = _bytes(layers["switch"])
            self.switch_number = _bytes(layers["switch_number"])
            self.switch_delay = _bytes(layers["switch_delay"])
            self.tune = _bytes(layers["tune"])
            self.door = _bytes(layers["door"])
            self.door_number = _bytes(layers["door_number"])
            self.walls = _bytes(walls)
            self.near_wall = _bytes(near_wall)
            self.near_stopper = _bytes(near_stopper)
            self.near_death = _bytes(near_death)
            address: cython.size_t = angles.buffer_info()[0]
            self.speedup_angle = cython.cast("const short *", address)
        else:
            for name in BYTES:
                setattr(self, name, layers[name])
            self.speedup_angle = angles
            self.walls = walls
            self.near_wall = near_wall
            self.near_stopper = near_stopper
            self.near_death = near_death
        self.has_stoppers = bool(game | front)
        self.has_specials = bool(any(layers["special"]))
        self.has_hook_walls = (
            bool({5, 6, 66, 67} & ({*layers["game"]} | {*layers["front"]})) or 15 in layers["tele"]
        )
        self.has_race = bool({33, 34} & ({*layers["game"]} | {*layers["front"]}))
        self.has_deaths = any(near_death)
        self.has_doors = bool(any(layers["door"]))
        self.hit_x = self.hit_y = self.last_x = self.last_y = self.air_x = self.air_y = 0
        self.hook_number = 0

    def layer(self, name: str) -> bytes:
        """Return one of the arrays of `BYTES`."""
        found: bytes = self._kept[name]
        return found

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def cell(self, x: cython.int, y: cython.int) -> cython.int:
        """Return the place of the tile at whole coordinates."""
        column: cython.int = x >> 5 if x > 0 else 0
        row: cython.int = y >> 5 if y > 0 else 0
        if column >= self.width:
            column = self.width - 1
        if row >= self.height:
            row = self.height - 1
        return row * self.width + column

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def tile_at(self, x: cython.float, y: cython.float) -> cython.int:
        """Return the place of the tile at the rounded coordinates."""
        return self.cell(rounded(x), rounded(y))

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def solid(self, x: cython.float, y: cython.float) -> cython.bint:
        """Whether a point is in a wall."""
        return self.walls[self.cell(rounded(x), rounded(y))] != 0

    def box(self, x: cython.float, y: cython.float) -> cython.bint:
        """Whether a corner of a tee is in a wall."""
        if not self.near_wall[self.cell(rounded(x), rounded(y))]:
            return False
        left: cython.int = rounded(single(x - 14))
        right: cython.int = rounded(single(x + 14))
        upper: cython.int = rounded(single(y - 14))
        lower: cython.int = rounded(single(y + 14))
        return (
            self.walls[self.cell(left, upper)]
            or self.walls[self.cell(right, upper)]
            or self.walls[self.cell(left, lower)]
            or self.walls[self.cell(right, lower)]
        ) != 0

    def hook_line(
        self, x0: cython.float, y0: cython.float, x1: cython.float, y1: cython.float, old: cython.bint
    ) -> cython.int:
        """Follow a hook in steps of a unit; set `hit_x`, `hit_y`; return the tile that it hits, 0 for none, or 15
        for a teleporter of hooks, which are those of tees if `old`."""
        dx: cython.float = single(x1 - x0)
        dy: cython.float = single(y1 - y0)
        steps: cython.int = whole(single(length(dx, dy) + 1))
        divisor: cython.float = steps
        off: cython.int = 0
        i: cython.int
        along_x: cython.bint = fabsf(dx) > fabsf(dy)
        for i in range(steps + 1):
            a: cython.float = ratio(i, divisor)
            x: cython.float = single(x0 + single(dx * a))
            y: cython.float = single(y0 + single(dy * a))
            cell: cython.int = self.tile_at(x, y)
            hit: cython.int = 0
            if (self.has_hook_walls or old) and self.tele[cell] == (26 if old else 15) and self.tele_number[cell]:
                hit = 15
                self.hook_number = self.tele_number[cell]
            elif self.wall[cell] == 1 or self.wall[cell] == 3:
                hit = self.wall[cell]
                if self.has_hook_walls:
                    off = self.cell(
                        rounded(x) + (0 if not along_x else -32 if dx > 0 else 32),
                        rounded(y) + (0 if along_x else -32 if dy > 0 else 32),
                    )
                    if self.through(cell, off, x0, y0, x1, y1):
                        hit = 0
            elif self.has_hook_walls and self.blocks_hook(cell, x0, y0, x1, y1):
                hit = 3
            if hit:
                self.hit_x = x
                self.hit_y = y
                return hit
        self.hit_x = x1
        self.hit_y = y1
        return 0

    def shot_line(
        self, x0: cython.float, y0: cython.float, x1: cython.float, y1: cython.float, teleporters: cython.int
    ) -> cython.int:
        """Follow a shot in steps of a unit; set `hit_x` … `last_y`; return the wall that it hits, 0 for none, or
        14 for a teleporter, if its tile is `teleporters`."""
        dx: cython.float = single(x1 - x0)
        dy: cython.float = single(y1 - y0)
        steps: cython.int = min(whole(single(length(dx, dy) + 1)), MOST_STEPS)
        divisor: cython.float = steps
        i: cython.int
        self.last_x = x0
        self.last_y = y0
        self.hook_number = 0
        for i in range(steps + 1):
            a: cython.float = ratio(i, divisor)
            x: cython.float = single(x0 + single(dx * a))
            y: cython.float = single(y0 + single(dy * a))
            cell: cython.int = self.tile_at(x, y)
            hit: cython.int = self.wall[cell]
            if teleporters and self.tele[cell] == teleporters and self.tele_number[cell]:
                self.hook_number = self.tele_number[cell]
                hit = 14
            if hit == 1 or hit == 3 or hit == 14:
                self.hit_x = x
                self.hit_y = y
                return hit
            self.last_x = x
            self.last_y = y
        self.hit_x = self.last_x = x1
        self.hit_y = self.last_y = y1
        return 0

    def light_line(
        self, x0: cython.float, y0: cython.float, x1: cython.float, y1: cython.float, walls: cython.bint
    ) -> cython.int:
        """Follow a line that laser blockers end, and `walls` if set; set `hit_x`, `hit_y`; return its end."""
        dx: cython.float = single(x1 - x0)
        dy: cython.float = single(y1 - y0)
        far: cython.float = length(dx, dy)
        i: cython.int
        for i in range(min(whole(ceilf(far)), MOST_STEPS)):
            a: cython.float = ratio(i, far)
            self.hit_x = single(x0 + single(dx * a))
            self.hit_y = single(y0 + single(dy * a))
            cell: cython.int = self.tile_at(self.hit_x, self.hit_y)
            if self.wall[cell] == 4 or self.front[cell] == 4:
                return 4
            if walls and (self.wall[cell] == 1 or self.wall[cell] == 3):
                return self.wall[cell]
        self.hit_x = x1
        self.hit_y = y1
        return 0

    def beam_end(self, x0: float, y0: float, x1: float, y1: float) -> tuple[float, float]:
        """Return where a line ends: at a wall, a laser blocker, or its end."""
        self.light_line(x0, y0, x1, y1, True)
        return self.hit_x, self.hit_y

    def air_near(self, x: cython.float, y: cython.float, old_x: cython.float, old_y: cython.float) -> cython.bint:
        """Find room for a tee beside a wall that a shot from (old_x, old_y) hit; set `air_x`, `air_y`."""
        _k: cython.int
        for _k in range(16):
            if not self.solid(x, y):
                break
            far: cython.float = ratio(1, length(single(old_x - x), single(old_y - y)))
            x = single(x - single(single(old_x - x) * far))
            y = single(y - single(single(old_y - y) * far))
        column: cython.int = rounded(x)
        row: cython.int = rounded(y)
        side_x: cython.int = column % 32
        side_y: cython.int = row % 32
        free_x: cython.float = column - side_x + 16 + (-2 if side_x < 16 else 1)
        free_y: cython.float = row - side_y + 16 + (-2 if side_y < 16 else 1)
        self.air_x = free_x
        self.air_y = y
        if not self.box(free_x, y):
            return True
        self.air_x = x
        self.air_y = free_y
        if not self.box(x, free_y):
            return True
        self.air_x = free_x
        return not self.box(free_x, free_y)

    def air_above(self, x: cython.float, y: cython.float) -> cython.bint:
        """Find room for a tee at another tee, at most five units above it; set `air_x`, `air_y`."""
        above: cython.int
        self.air_x = x
        for above in range(5, -2, -1):
            self.air_y = single(y - above)
            if not self.box(x, self.air_y):
                return True
        return False

    def beside(self, x: cython.float, y: cython.float, distance: cython.float, side: cython.int) -> cython.int:
        """Return the place of the tile so far away (`side`: 1 right, 2 down, 3 left, 4 up)."""
        return self.tile_at(
            single(x + (distance if side == 1 else -distance if side == 3 else 0)),
            single(y + (distance if side == 2 else -distance if side == 4 else 0)),
        )

    def kills(self, x: cython.float, y: cython.float) -> cython.bint:
        """Whether a tee at (x, y) touches a death tile."""
        if not self.near_death[self.tile_at(x, y)]:
            return False
        side: cython.float = ratio(28, 3)
        i: cython.int
        for i in range(4):
            cell: cython.int = self.tile_at(
                single(x + (side if i & 1 else -side)), single(y + (side if i & 2 else -side))
            )
            if self.game[cell] == 2 or self.front[cell] == 2:
                return True
        return False

    def race(self, x: cython.float, y: cython.float) -> cython.int:
        """Return 1 on a start line, 2 on a finish line, 3 on both."""
        cell: cython.int = self.tile_at(x, y)
        game: cython.int = self.game[cell]
        front: cython.int = self.front[cell]
        return (game == 33 or front == 33) + 2 * (game == 34 or front == 34)

    def through(
        self,
        cell: cython.int,
        off_cell: cython.int,
        x0: cython.float,
        y0: cython.float,
        x1: cython.float,
        y1: cython.float,
    ) -> cython.int:
        """Whether a hook passes the wall at `cell`."""
        front: cython.int = self.front[cell]
        flags: cython.int = self.front_flags[cell]
        if front == 66 or front == 5:
            return True
        if front == 67 and (
            (flags == 0 and y0 > y1)
            or (flags == 8 and x0 < x1)
            or (flags == 3 and y0 < y1)
            or (flags == 11 and x0 > x1)
        ):
            return True
        return self.game[off_cell] == 6 or self.front[off_cell] == 6

    def blocks_hook(
        self, cell: cython.int, x0: cython.float, y0: cython.float, x1: cython.float, y1: cython.float
    ) -> cython.int:
        """Whether the tile at `cell`, which is no wall, stops a hook."""
        game: cython.int = self.game[cell]
        front: cython.int = self.front[cell]
        if game == 66 or front == 66:
            return True
        flags: cython.int = self.game_flags[cell]
        if game == 67 and (
            (flags == 0 and y0 < y1)
            or (flags == 8 and x0 > x1)
            or (flags == 3 and y0 > y1)
            or (flags == 11 and x0 < x1)
        ):
            return True
        flags = self.front_flags[cell]
        return front == 67 and (
            (flags == 0 and y0 < y1)
            or (flags == 8 and x0 > x1)
            or (flags == 3 and y0 > y1)
            or (flags == 11 and x0 < x1)
        )

    def restrictions(
        self, x: cython.float, y: cython.float, distance: cython.float, centre: cython.int
    ) -> cython.int:
        """Return the directions in which stoppers let nobody move from here, as a sum of ``CANT_…``.

        `distance`: how far to the sides stoppers are looked for; `centre`: place of the tile below the tee, -1 for
        the one at (x, y).
        """
        if not self.has_stoppers or not (
            self.near_stopper[self.tile_at(x, y)] or (centre >= 0 and self.near_stopper[centre])
        ):
            return 0
        found: cython.int = 0
        side: cython.int
        for side in range(5):
            cell: cython.int = centre if side == 0 and centre >= 0 else self.beside(x, y, distance, side)
            found |= self.stops(self.game[cell], self.game_flags[cell], side)
            found |= self.stops(self.front[cell], self.front_flags[cell], side)
        return found

    def stops(self, tile: cython.int, flags: cython.int, side: cython.int) -> cython.int:
        """Return the directions a stopper forbids; `side`: its place (0 below the tee, right, down, left, up)."""
        found: cython.int = 0
        if tile == 60:
            found = CANT_UP if flags & 2 else CANT_DOWN
            if flags & 8:
                found = CANT_RIGHT if flags & 2 else CANT_LEFT
        elif tile == 61:
            found = CANT_LEFT | CANT_RIGHT if flags & 8 else CANT_UP | CANT_DOWN
        elif tile == 62:
            found = CANT_LEFT | CANT_RIGHT | CANT_UP | CANT_DOWN
        if side == 0:
            return found if tile == 60 else 0
        if side == 1:
            return found & CANT_RIGHT
        if side == 2:
            return found & CANT_DOWN
        if side == 3:
            return found & CANT_LEFT
        return found & CANT_UP

    def zone(self, x: cython.float, y: cython.float) -> cython.int:
        """Return the tune zone at (x, y)."""
        return self.tune[self.cell(whole(x), whole(y))] if self.has_specials else 0

    def telegun(self, cell: cython.int, kind: cython.int) -> cython.int:
        """Return 1 if a tile lets a shot of a telegun (`kind`: 1, 3, 4) teleport, 2 if the tee keeps its speed."""
        front: cython.int = self.front[cell]
        if front == 98 or front == 99:
            return front - 97
        tile: cython.int = self.switch[cell]
        delay: cython.int = self.switch_delay[cell]
        if (tile == 98 or tile == 99) and (
            delay == 0 or (delay == 1 and kind == 1) or (delay == 2 and kind == 3) or (delay == 3 and kind == 4)
        ):
            return tile - 97
        return 0


@cython.cfunc
def _bytes(data: bytes) -> cython.p_const_uchar:
    return cython.cast(cython.p_const_uchar, data)
