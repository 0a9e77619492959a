"""`GhostWatcher`: follows one tee of a simulation for a ghost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playhead.teehistorian.physics.demo.ghosts import Ghost, GhostTee
from playhead.teehistorian.physics.demo.snapshots import looks
from playhead.teehistorian.physics.world.world import GameWorld

if TYPE_CHECKING:
    from playhead.teehistorian.physics.rerun.message_effects import MessageEffects

#: The weapon that the client shows in the hand of a frozen tee.
_NINJA = 5


class GhostWatcher:
    """Keeps the tee of a client from one tick to another.

    Attributes:
        name: the last name of the client.
    """

    def __init__(self, cid: int, first: int, last: int) -> None:
        self.name = ""
        self._cid, self._first, self._last = cid, first, last
        self._tees: list[GhostTee] = []
        self._skin: tuple[int, ...] = ()

    def begin(self, world: GameWorld, effects: MessageEffects) -> None:
        """Follow a pass."""
        self._world, self._effects = world, effects

    def on_tick(self, tick: int) -> None:
        """Keep the tee of a simulated tick."""
        tee = self._world.tees[self._cid]
        if not (self._first <= tick <= self._last and tee.alive):
            return
        connection = self._effects.connection(self._cid)
        if connection is not None:
            identity = connection.identity
            self.name, self._skin = identity.name or "", looks(identity.skin, identity.colors)
        frozen = tee.freeze_ticks > 0 or tee.deep
        self._tees.append(
            GhostTee(
                *(int(tee.x), int(tee.y), round(tee.vel_x * 256), 0, tee.angle, tee.direction),
                *(_NINJA if frozen else tee.weapon, tee.hook_state, int(tee.hook_x), int(tee.hook_y)),
                *(tee.attack_tick, tick),
            )
        )

    def ghost(self, name: str, map_name: str, map_sha256: str, milliseconds: int) -> Ghost:
        """Return the ghost; the client counts its start one tick before the server."""
        start = self._first - 1
        return Ghost(name, map_name, map_sha256, milliseconds, start, self._skin, tuple(self._tees))
