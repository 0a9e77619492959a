"""`PastStates`: states of the entities that later messages of a client's recording can build on.

A message of a player's recording builds on the last state that the server knew the client to have, which its
`delta_from` names by the server's tick: mostly not the latest, but one a few packets ago. Recordings of the server
itself always build on the latest.
"""

from __future__ import annotations

from playhead.source2.entities.entity import Entity, EntityPool

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

# States kept at most: four seconds of packets. To a client that has been silent for longer, a server sends a whole
# state.
_MOST_STATES = 128


@cython.final
@cython.cclass
class PastState:
    """One entity as it was: its fields, and whether it was in sight."""

    def __init__(self, entity: Entity, pool: EntityPool) -> None:
        self.entity = entity
        self.fields = Entity(entity.index, entity.serial, entity.class_info, pool)
        self.fields.copy_state(entity)
        self.active = entity.active

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def restore(self) -> cython.int:
        """Let the entity be what it was."""
        self.entity.copy_state(self.fields)
        self.entity.active = self.active
        return 0


@cython.final
@cython.cclass
class PastStates:
    """States by the server's tick. What did not change from one to the next, they share."""

    def __init__(self, pool: EntityPool) -> None:
        self._pool = pool
        self._states = {}
        self._latest = {}

    @cython.cfunc
    def latest(self) -> dict:
        """Return the latest state: by index of entity."""
        return self._latest

    def has(self, server_tick: int) -> bool:
        """Whether the state of that tick is known."""
        return server_tick in self._states

    def entities(self) -> list[Entity]:
        """Every entity of any state that is kept."""
        return [past.entity for state in self._states.values() for past in state.values()]

    @cython.cfunc
    def at(self, server_tick: cython.longlong) -> dict:
        """Return the state of that tick; None if it is not known. No message names an earlier one from here on."""
        found = self._states.get(server_tick)
        if found is not None:
            for tick in list(self._states):
                if tick < server_tick:
                    del self._states[tick]
        return found

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def keep(self, server_tick: cython.longlong, state: dict, touched: set, entities: list) -> cython.int:
        """Keep the present state.

        Args:
            state: what it was made from.
            touched: indices of the entities that may be another than there.
            entities: all there are, by index.
        """
        now: dict = {index: past for index, past in state.items() if entities[index] is not None}
        for index in touched:
            if entities[index] is not None:
                now[index] = PastState(entities[index], self._pool)
        self._latest = now
        self._states[server_tick] = now
        if len(self._states) > _MOST_STATES:
            del self._states[next(iter(self._states))]
        return 0
