"""`GameWorld`: all tees, shots and entities of a server, and one tick of them."""

from __future__ import annotations

from playhead.runtime import cython
from playhead.teehistorian.physics.arena.arena import Arena, Snapshot
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.arena.tiles import Tiles
from playhead.teehistorian.physics.world.beams import LaserBeams
from playhead.teehistorian.physics.world.entities import Entities
from playhead.teehistorian.physics.world.movement import Movement
from playhead.teehistorian.physics.world.shots import FlyingShots
from playhead.teehistorian.physics.world.tile_rules import TileRules
from playhead.teehistorian.physics.world.weapons import Weapons

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.tiles import Tiles
else:
    from playhead.teehistorian.physics.arena.arena import SLOTS

    MOST_KEPT = 13


@cython.final
@cython.cclass
class GameWorld(Arena):
    """All of a game: `begin`, inputs, `step` are a tick.

    Attributes:
        rescues: tees without a team can be rescued (``sv_rescue``).
        strong_hooks: `sv_no_weak_hook`: hooks act after all tees have ticked.
        pauses: clients that an admin paused, and the tick after which their pauses end.
        leaving: team of each client that changes it within the next tick, in its tile part, as finishers do.
        shots, lasers, entities, weapons: the other parts of the game.
    """

    def __init__(self, tiles: Tiles, tunings: list) -> None:
        Arena.__init__(self, tiles, tunings)
        self.strong_hooks = self.rescues = False
        self.leaving = {}
        self.pauses = {}
        self._history = []
        self._spare = []
        self.movement = Movement(self)
        self.rules = TileRules(self, self.movement)
        self.shots = FlyingShots(self)
        self.lasers = LaserBeams(self)
        self.weapons = Weapons(self, self.movement, self.shots, self.lasers)
        self.entities = Entities(self, self.shots, self.lasers)

    def keep(self) -> cython.int:
        """Keep the present state for `go_back`, and as many before it as `MOST_KEPT` allows."""
        if len(self._history) >= MOST_KEPT:
            self._spare.append(self._history.pop(0))
        snapshot: Snapshot = self._spare.pop() if self._spare else Snapshot()
        self.save(snapshot)
        self.entities.save(snapshot)
        self.shots.save(snapshot)
        self.lasers.save(snapshot)
        self._history.append(snapshot)
        return 0

    def kept(self) -> cython.int:
        """Return the number of states that `go_back` can return to."""
        return len(self._history)

    def go_back(self, ticks: cython.int) -> cython.int:
        """Return to the state before the last `keep` (1), or before an earlier one; later ones are forgotten."""
        for _ in range(1, ticks):
            snapshot: Snapshot = self._history.pop()
            self.undo(snapshot)
            self._spare.append(snapshot)
        snapshot = self._history[len(self._history) - 1]
        self.restore(snapshot)
        self.entities.restore(snapshot)
        self.shots.restore(snapshot)
        return self.lasers.restore(snapshot)

    def forget_history(self) -> cython.int:
        """Forget all states: something happened that is not simulated again."""
        self._spare += self._history
        self._history = []
        return 0

    @cython.nonecheck(True)
    def step(self) -> cython.int:
        """Simulate the rest of the tick; `tick` and inputs are set before."""
        order: cython.int[128]
        if not cython.compiled:
            order = [0] * SLOTS
        count: cython.int = self.count
        i: cython.int
        for i in range(count):
            order[i] = self.order[i]
        self.now = self.tick
        self.shots.act()
        self.entities.act()
        if self.strong_hooks:
            for i in range(count):
                tee: Body = self.tees[order[i]]
                self._before_core(tee)
                self.movement.core(tee)
        for i in range(count):
            tee = self.tees[order[i]]
            if not self.strong_hooks:
                self._before_core(tee)
                self.movement.core(tee)
            self.movement.others(tee)
            self.weapons.act(tee)
            self.rules.act(tee)
            if self.leaving and tee.cid in self.leaving:
                tee.team = self.leaving[tee.cid]
            tee.former_x = tee.x
            tee.former_y = tee.y
            if self.doomed[tee.cid]:
                self.doomed[tee.cid] = 0
                self.vanish(tee.cid)
        for i in range(count):
            tee = self.tees[order[i]]
            if tee.alive:
                self.movement.move(tee)
                self.movement.quantize(tee)
        if self._timed:
            return self.end_timers()
        return 0

    def pause(self, cid: int, ticks: int) -> None:
        """Pause a client for some ticks; its tee leaves the world as soon as it is at rest."""
        self.pauses[cid] = self.tick + ticks
        self.tees[cid].paused = 1

    @cython.nonecheck(True)
    def follow_pauses(self) -> cython.int:
        """Take paused tees at rest out of the world, and put those back whose pause ends.

        A tee that is out of the world keeps its place; it comes back at rest, and acts before all others.
        """
        for cid, end in [*self.pauses.items()]:
            tee: Body = self.tees[cid]
            if self.tick > end:
                del self.pauses[cid]
                tee.paused = 0
                if cid in self.outside:
                    tee.vel_x = tee.vel_y = 0
                    self.enter(cid)
            elif tee.alive and self.stands(tee):
                self.leave(cid)
                self.outside.add(cid)
                if tee.hooked >= 0:
                    tee.release_hook()
                    self.release_hooked(cid)
        return 0

    @cython.nonecheck(True)
    def rest(self, tick: cython.int) -> cython.int:
        """Let lasers turn and bullets fly up to a tick while nobody is there; return the number of ticks."""
        begun: cython.int = self.tick
        if not self.entities.things and not self.shots.projectiles and not self.lasers.beams:
            return 0
        while self.tick < tick:
            self.tick += 1
            self.now = self.tick
            self.shots.act()
            self.entities.act()
        return self.tick - begun

    def _before_core(self, tee: Body) -> cython.int:
        """Count freeze down, take the input, find the tune zone."""
        tee.in_direction = tee.saved_direction
        tee.in_x = tee.saved_x
        tee.in_y = tee.saved_y
        tee.in_jump = tee.saved_jump
        tee.in_fire = tee.saved_fire
        tee.in_hook = tee.saved_hook
        if tee.live:
            tee.in_direction = tee.in_jump = 0
        if tee.freeze_ticks > 0:
            tee.freeze_ticks -= 1
            tee.in_direction = tee.in_jump = tee.in_hook = 0
            if tee.freeze_ticks == 1:
                self.thaw(tee)
        tee.tune_zone = self.tiles.zone(tee.shown_x, tee.shown_y)
        tee.tuning = self.tunings[tee.tune_zone]
        if (tee.team > 0 or self.rescues) and not tee.deep and self._is_safe(tee):
            return tee.keep_safe(self.tick)
        return 0

    def _is_safe(self, tee: Body) -> cython.bint:
        """Whether the server saves a tee for a rescue: on ground or a stopper, and not on a tile that freezes."""
        tiles: Tiles = self.tiles
        here: cython.int = tiles.tile_at(tee.shown_x, tee.shown_y)
        i: cython.int
        for i in (9, 12):
            if tiles.game[here] == i or tiles.front[here] == i or tiles.switch[here] == i:
                return False
        return self.grounded(tee)
