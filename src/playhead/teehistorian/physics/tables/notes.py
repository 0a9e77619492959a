"""Notes of a rerun for tables: hooks, shots, hits, freezes, runs, deaths, and a row for each tee and tick.

`event_tables` makes tables of `EventNotes`, and table ``physics`` of `StateRows`.
"""

from __future__ import annotations

from collections.abc import Set

from playhead.runtime import cython
from playhead.tables.column_buffers import Int32Columns
from playhead.teehistorian.physics.arena.arena import HIT, SHOT
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.arena.tiles import Tiles
from playhead.teehistorian.physics.tables.lives import Deaths, Races
from playhead.teehistorian.physics.world.world import GameWorld

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.single import ratio, single, steps, whole
else:
    from playhead.teehistorian.physics.arena.arena import SLOTS
    from playhead.teehistorian.physics.arena.single import ratio, single, steps, whole


@cython.final
@cython.cclass
class EventNotes:
    """Follows the tees of a world.

    Attributes:
        events: tuples (kind, tick, …) since the list was last emptied; see `event_tables`.
        race: the runs of all teams.
        deaths: why tees disappear.
    """

    def __init__(self, world: GameWorld, practice: Set[int]) -> None:
        """`practice`: as for `Races`."""
        self._world = world
        self.events = []
        self.race = Races(practice)
        self.deaths = Deaths(world.tiles)
        if not cython.compiled:
            self._hook_start, self._grab_tick, self._freeze_start, self._freeze_left = (
                [0] * SLOTS for _ in range(4)
            )
            self._grabbed = [-1] * SLOTS
            self._was_deep = [False] * SLOTS

    def note(self) -> cython.int:
        """Note shots, hits, and hooks and freezes that began or ended on this tick."""
        world: GameWorld = self._world
        tick: cython.int = world.tick
        place: cython.int
        for event in world.events:
            if event[0] > HIT:
                continue
            tee: Body = world.tees[event[1]]
            if event[0] == SHOT:
                self.events.append(("shots", tick, tee.holder, *event[1:]))
            else:
                other: Body = world.tees[event[2]]
                self.events.append(("hits", tick, tee.holder, *event[1:], other.holder))
                self.deaths.touch(tick, other.cid, tee.cid, tee.holder, event[3])
        for place in range(world.count):
            cid: cython.int = world.present[place]
            tee = world.tees[cid]
            if tee.hook_state == 4 or tee.hook_state == 5:
                if not self._hook_start[cid]:
                    self._hook_start[cid] = tick
                    self._grab_tick[cid] = 0
                if tee.hook_state == 5 and not self._grab_tick[cid]:
                    self._grab_tick[cid] = tick
                    self._grabbed[cid] = tee.hooked
                if tee.hook_state == 5 and tee.hooked >= 0:
                    self.deaths.touch(tick, tee.hooked, cid, tee.holder, None)
            elif self._hook_start[cid]:
                self._end_hook(cid, tick)
            self.deaths.stay(cid, tee.x, tee.y)
            if world.tiles.has_race:
                self._touch(tee)
            if tee.freeze_ticks > 0 or tee.deep:
                if not self._freeze_start[cid]:
                    self._freeze_start[cid] = tick
                    self._was_deep[cid] = False
                self._was_deep[cid] = self._was_deep[cid] or tee.deep != 0
                self._freeze_left[cid] = tee.freeze_ticks
            elif self._freeze_start[cid]:
                self._end_freeze(cid, tick, "thawed" if self._freeze_left[cid] > 2 else "over")
        return 0

    def _touch(self, tee: Body) -> cython.int:
        """Note the start and finish lines that the centre of a tee touches on its way."""
        tiles: Tiles = self._world.tiles
        dx: cython.float = single(tee.shown_x - tee.former_x)
        dy: cython.float = single(tee.shown_y - tee.former_y)
        steps: cython.int = 1 + whole(abs(dx) + abs(dy)) // 8
        seen: cython.int = 0
        i: cython.int
        for i in range(min(steps, 1000) + 1):
            part: cython.float = ratio(i, steps)
            seen |= tiles.race(single(tee.former_x + single(dx * part)), single(tee.former_y + single(dy * part)))
        for i in range(1, 3):
            if seen & i:
                run = self.race.touch(self._world.tick + 1, tee.cid, 32 + i, self._world.tees)
                if run is not None:
                    self.events.append(run)
        return 0

    def end(self, cid: cython.int) -> cython.int:
        """End the hook and the freeze of a tee that disappears."""
        self.race.forget(cid)
        tee: Body = self._world.tees[cid]
        self.deaths.end(self._world.tick, cid, tee.holder, tee.team)
        if self._hook_start[cid]:
            self._end_hook(cid, self._world.tick)
        if self._freeze_start[cid]:
            self._end_freeze(cid, self._world.tick, "gone")
        return 0

    def take(self) -> list:
        """Return the events so far, and forget them."""
        found: list = [*self.events, *self.deaths.take()]
        self.events = []
        return found

    def has_begun(self, tick: int) -> bool:
        """Return whether a hook or a freeze that began up to `tick` lasts."""
        cid: cython.int
        for cid in range(SLOTS):
            if 0 < self._hook_start[cid] <= tick or 0 < self._freeze_start[cid] <= tick:
                return True
        return False

    def finish(self) -> cython.int:
        """Note the hooks and freezes that last at the end of the recording, without an end."""
        cid: cython.int
        for cid in range(SLOTS):
            if self._hook_start[cid]:
                self._end_hook(cid, 0)
            if self._freeze_start[cid]:
                self._end_freeze(cid, 0, None)
        return 0

    def _holder_of(self, cid: cython.int) -> cython.int:
        tee: Body = self._world.tees[cid]
        return tee.holder

    def _end_hook(self, cid: cython.int, tick: cython.int) -> cython.int:
        grabbed: cython.int = self._grabbed[cid] if self._grab_tick[cid] else -1
        self.events.append(
            (
                *("hooks", self._hook_start[cid], self._holder_of(cid), cid, tick or None),
                *(self._grab_tick[cid], grabbed, -1 if grabbed < 0 else self._holder_of(grabbed)),
            )
        )
        self._hook_start[cid] = 0
        return 0

    def _end_freeze(self, cid: cython.int, tick: cython.int, end: str | None) -> cython.int:
        self.events.append(
            (
                *("freezes", self._freeze_start[cid], self._holder_of(cid), cid, tick or None),
                *(self._was_deep[cid], end),
            )
        )
        self._freeze_start[cid] = 0
        return 0


@cython.final
@cython.cclass
class StateRows:
    """Two blocks of columns, since a block has at most `MAX_WIDTH`."""

    def __init__(self) -> None:
        self.bodies = Int32Columns(14)
        self.hooks = Int32Columns(14)

    def add(self, world: GameWorld) -> cython.int:
        """Append a row for each tee that is there."""
        place: cython.int
        for place in range(world.count):
            tee: Body = world.tees[world.present[place]]
            left: cython.int = 0 if tee.jumped & 2 else tee.jumps - 1 - tee.jumped_total
            if left < 0:
                left = 0
            hook: cython.int = tee.hook_state
            hook = 4 if hook < 0 else 0 if hook == 0 else 3 if hook < 4 else hook - 3
            hooked: cython.int = -1
            if tee.hooked >= 0:
                other: Body = world.tees[tee.hooked]
                hooked = other.holder
            body: cython.int[14] = [
                world.tick,
                tee.holder,
                tee.cid,
                whole(tee.x),
                whole(tee.y),
                steps(tee.vel_x),
                steps(tee.vel_y),
                tee.grounded,
                tee.events & 1,
                left,
                tee.direction,
                tee.angle,
                tee.outcome,
                tee.known and not tee.unsure and not tee.old_hook,
            ]
            self.bodies.append(body)
            rest: cython.int[14] = [
                hook,
                whole(tee.hook_x),
                whole(tee.hook_y),
                hooked,
                tee.hook_ticks,
                tee.weapon,
                tee.reload,
                max(0, tee.ninja_start + 751 - world.tick) if tee.weapon == 5 else 0,
                tee.freeze_ticks,
                tee.deep,
                tee.live,
                tee.solo,
                tee.tune_zone,
                tee.tele_checkpoint,
            ]
            self.hooks.append(rest)
        return 0
