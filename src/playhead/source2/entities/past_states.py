"""`PastStates`: states of the entities that later messages of a client's recording can build on.

A message of a player's recording builds on the last state that the server knew the client to have, which its
`delta_from` names by the server's tick: mostly not the latest, but one a few packets ago. Recordings of the server
itself always build on the latest.
"""

from __future__ import annotations

from array import array

from playhead.source2.entities.classes import ClassInfo
from playhead.source2.entities.entity import INDEX_BITS, Entity, EntityPool

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

if not cython.compiled:  # compiled, these are constants of past_states.pxd
    OP_UPDATED, OP_CREATED_ENTERED, OP_DELETED_LEFT = 2, 9, 20
    ENTITIES = 1 << INDEX_BITS

# States kept at most: four seconds of packets. To a client that has been silent for longer, a server sends a whole
# state.
_MOST_STATES = 128

# Of so many states it is known what they changed.
_MOST_CHANGES = 4 * _MOST_STATES

# So many changes are kept before it is looked which of them are needed.
_FEW_CHANGES = 16


@cython.final
@cython.no_gc  # nothing that it holds leads back to it
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
    """States by the server's tick: the one that the entities are in, and what led from each to the next.

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
        self._base_tick = -1
        self._changes = {}
        self._most_changes = _FEW_CHANGES
        self._revived = {}
        self._restored = set()
        self._undeleted = set()
        self.touched = set()
        # Of each place, the number of the last message that mentions its entity.
        self._message = 0
        self._mentioned_array = array("q", bytes(8 * ENTITIES))
        if cython.compiled:
            self._mentioned = self._mentioned_array.data.as_longlongs
        else:
            self._mentioned = self._mentioned_array

    def has(self, server_tick: int) -> bool:
        """Whether the state of that tick is known."""
        return server_tick in self._states

    def entities(self) -> list[Entity]:
        """Every entity of any state that is kept."""
        pasts = list(self._latest.values())
        for _base, changed in self._changes.values():
            for _index, before, after in changed:
                pasts += [past for past in (before, after) if past is not None]
        return [past.entity for past in pasts]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _knows(self, server_tick: cython.longlong) -> cython.bint:
        """Whether the state of that tick is known. No message names an earlier one from here on."""
        if server_tick not in self._states:
            return False
        earlier: list = [tick for tick in self._states if tick < server_tick]
        for tick in earlier:
            del self._states[tick]
        if len(self._changes) > self._most_changes:
            self._forget_changes()
        return True

    @cython.cfunc
    def _forget_changes(self) -> object:
        """Forget what leads to none of the states that are known from the one that all of them come from."""
        ends: set = {self._latest_tick, *self._states}
        needed: dict = {}
        while len(ends) > 1:
            tick = max(ends)
            if tick not in self._changes:
                break
            ends.discard(tick)
            needed[tick] = self._changes[tick]
            ends.add(needed[tick][0])
        self._changes = {tick: needed[tick] for tick in reversed(needed)}
        self._most_changes = max(_FEW_CHANGES, 2 * len(needed))
        return None

    @cython.cfunc
    def _between(self, one: cython.longlong, other: cython.longlong) -> dict:
        """What leads from the state of one tick to that of another: entities by index, None where there is to be
        none. None if it is not known.
        """
        wanted: dict = {}
        again: list = []
        change: tuple
        tick: cython.longlong
        base: cython.longlong
        while one != other:
            tick = max(one, other)
            found = self._changes.get(tick)
            if found is None:
                return None
            change = found
            base = change[0]
            if base >= tick:
                return None
            if tick == one:
                for index, before, _after in change[1]:
                    wanted[index] = before
                one = base
            else:
                again.append(change[1])
                other = base
        while again:
            for index, _before, after in again.pop():
                wanted[index] = after
        return wanted

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    @cython.nonecheck(True)
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
        self._message += 1
        self._base_tick = self._latest_tick
        if not delta:
            return True
        if not self._knows(base):
            return False
        if base == self._latest_tick:
            return True
        wanted: dict = self._between(self._latest_tick, base)
        if wanted is None:
            return False
        self._base_tick = base
        self._latest_tick = base
        for index in sorted(wanted):
            now = latest.get(index)
            kept = wanted[index]
            if now is kept:
                continue
            if kept is None:
                self._revived[index] = entities[index]
                entities[index] = None
                del latest[index]
                continue
            latest[index] = kept
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
    @cython.exceptval(-1, check=False)
    def touch_mentioned(self) -> cython.int:
        """Take all entities that the message mentions as changed: it broke off at one of them."""
        place: cython.int
        for place in range(ENTITIES):
            if self._mentioned[place] == self._message:
                self.touched.add(place)
        return 0

    @cython.cfunc
    @cython.nonecheck(True)
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
        for index in sorted(self._restored) if self._restored else ():
            place: cython.int = index
            if entities[index] is not None and self._mentioned[place] != self._message:
                notes.append((entities[index], OP_UPDATED))
        self._undeleted.clear()
        latest: dict = self._latest
        changed: list = []
        for index in touched:
            before = latest.get(index)
            after: object = None
            if entities[index] is not None:
                after = latest[index] = PastState(entities[index], self._pool)
            else:
                latest.pop(index, None)
            changed.append((index, before, after))
        if server_tick <= self._base_tick:  # ticks begin anew: those that are known mean something else
            self._changes.clear()
            self._states.clear()
        elif server_tick in self._changes:  # said twice: what builds on the first of them is no longer known
            for tick in [tick for tick in self._changes if tick >= server_tick]:
                del self._changes[tick]
                self._states.pop(tick, None)
        self._changes[server_tick] = (self._base_tick, changed)
        if len(self._changes) > _MOST_CHANGES:
            del self._changes[next(iter(self._changes))]
        self._latest_tick = server_tick
        self._states[server_tick] = True
        if len(self._states) > _MOST_STATES:
            del self._states[next(iter(self._states))]
        return notes
