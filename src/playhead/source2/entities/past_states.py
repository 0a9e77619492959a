"""`PastStates`: states of the entities that later messages of a client's recording can build on.

A message of a player's recording builds on the last state that the server knew the client to have, which its
`delta_from` names by the server's tick: mostly not the latest, but one a few packets ago. Recordings of the server
itself always build on the latest.
"""

from __future__ import annotations

from playhead.source2.entities.classes import ClassInfo
from playhead.source2.entities.entity import Entity, EntityPool

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

if not cython.compiled:  # compiled, these are constants of past_states.pxd
    OP_UPDATED, OP_CREATED_ENTERED, OP_DELETED_LEFT = 2, 9, 20

# States kept at most: four seconds of packets. To a client that has been silent for longer, a server sends a whole
# state.
_MOST_STATES = 128

# Of so many states it is known what they changed.
_MOST_CHANGES = 4 * _MOST_STATES


@cython.final
@cython.cclass
class PastState:
    """One entity as it was: its fields, and whether it was in sight."""

    def __init__(self, entity: Entity, pool: EntityPool) -> None:
        size: cython.Py_ssize_t = entity._capacity
        pool.take(size)
        self._pool = pool
        self._size = size
        self.entity = entity
        self._fields = entity.save_state()
        self.active = entity.active

    if cython.compiled:

        def __dealloc__(self) -> None:
            if self._pool is not None:
                self._pool._left += self._size

    else:

        def __del__(self) -> None:
            self._pool._left += self._size

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def restore(self) -> cython.int:
        """Let the entity be what it was."""
        self.entity.load_state(self._fields, self._size)
        self.entity.active = self.active
        return 0


@cython.final
@cython.cclass
class PastStates:
    """States by the server's tick. What did not change from one to the next, they share.

    Args:
        entities: those that are there before the first of these states.

    Attributes:
        touched: indices of the entities that the message that is being applied changes or deletes. The others that
            it mentions are what they were.
    """

    # stub: def __init__(self, pool: EntityPool, entities: list[Entity]) -> None: ...

    def __init__(self, pool: EntityPool, entities: list) -> None:
        self._pool = pool
        self._states = {}
        self._latest = {}
        for found in entities:
            entity: Entity = found
            self._latest[entity.index] = PastState(entity, pool)
        self._latest_tick = -1
        self._base = {}
        self._base_tick = -1
        self._changes = {}
        self._revived = {}
        self._restored = set()
        self._undeleted = set()
        self.touched = set()

    def has(self, server_tick: int) -> bool:
        """Whether the state of that tick is known."""
        return server_tick in self._states

    def entities(self) -> list[Entity]:
        """Every entity of any state that is kept."""
        return [past.entity for state in self._states.values() for past in state.values()]

    @cython.cfunc
    def _at(self, server_tick: cython.longlong) -> dict:
        """Return the state of that tick; None if it is not known. No message names an earlier one from here on."""
        found = self._states.get(server_tick)
        if found is not None:
            earlier: list = [tick for tick in self._states if tick < server_tick]
            for tick in earlier:
                del self._states[tick]
        return found

    @cython.cfunc
    def _between(self, one: cython.longlong, other: cython.longlong) -> object:
        """Indices of all entities that differ between the states of two ticks, and maybe of others; None if it is
        not known.
        """
        indices: object = None
        tick: cython.longlong
        base: cython.longlong
        while one != other:
            tick = max(one, other)
            change = self._changes.get(tick)
            if change is None:
                return None
            base, changed = change
            if base >= tick:
                return None
            # None of these sets is changed any more.
            indices = changed if indices is None else indices | changed
            if tick == one:
                one = base
            else:
                other = base
        return set() if indices is None else indices

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def go_back(self, entities: list, delta: cython.bint, base: cython.longlong) -> cython.bint:
        """Restore the state that a message builds on. Return False, and do nothing, if it is not known."""
        latest: dict = self._latest
        past: PastState
        if self._revived:
            self._revived.clear()
        if self._restored:
            self._restored.clear()
        if self._undeleted:
            self._undeleted.clear()
        if self.touched:
            self.touched = set()
        self._base = latest
        self._base_tick = self._latest_tick
        if not delta:
            return True
        found = self._at(base)
        if found is None:
            return False
        if found is latest:
            return True
        self._base = found
        self._base_tick = base
        differing = self._between(self._latest_tick, base)
        for index in sorted(latest.keys() | self._base.keys() if differing is None else differing):
            now = latest.get(index)
            kept = self._base.get(index)
            if now is kept:
                continue
            if kept is None:
                self._revived[index] = entities[index]
                entities[index] = None
                continue
            past = kept
            if now is None:
                self._undeleted.add(index)
            elif cython.cast(PastState, now).entity is not past.entity:
                self._revived[index] = entities[index]
                self._undeleted.add(index)
            else:
                self._restored.add(index)
            past.restore()
            entities[index] = past.entity
        return True

    @cython.cfunc
    def revive(self, index: cython.int, info: ClassInfo, serial: cython.int) -> object:
        """The entity that going back took away, if it is the one that is now created; None otherwise."""
        found = self._revived.get(index)
        if found is None or found.class_info is not info or found.serial != serial:
            return None
        return self._revived.pop(index)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def was_reported_gone(self, index: cython.int) -> cython.bint:
        """Whether an entity that is deleted now was reported as deleted before, by a message that this one does
        not build on.
        """
        if index not in self._undeleted:
            return False
        self._undeleted.discard(index)
        return True

    @cython.cfunc
    def come_forward(self, entities: list, server_tick: cython.longlong) -> list:
        """Keep the state that the message led to. Return what going back did to entities that the message then
        did not mention, as pairs of entity and operation.
        """
        notes: list = []
        touched: set = self.touched
        for found in self._revived.values():
            entity: Entity = found
            entity.active = False
            notes.append((entity, OP_DELETED_LEFT))
        for index in self._undeleted:
            if entities[index] is not None:
                notes.append((entities[index], OP_CREATED_ENTERED))
        for index in sorted(self._restored):
            if entities[index] is not None:
                notes.append((entities[index], OP_UPDATED))
        self._undeleted.clear()
        now: dict = dict(self._base) if touched else self._base
        for index in touched:
            if entities[index] is not None:
                now[index] = PastState(entities[index], self._pool)
            else:
                now.pop(index, None)
        if server_tick in self._changes:  # said twice: what builds on which of them is not known
            self._changes.clear()
        self._changes[server_tick] = (self._base_tick, touched)
        if len(self._changes) > _MOST_CHANGES:
            del self._changes[next(iter(self._changes))]
        self._latest = now
        self._latest_tick = server_tick
        self._states[server_tick] = now
        if len(self._states) > _MOST_STATES:
            del self._states[next(iter(self._states))]
        return notes
