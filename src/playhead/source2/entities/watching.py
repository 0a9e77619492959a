"""Calls who asked for what happens to entities: for every change, or for those of some fields."""

from __future__ import annotations

from typing import Any

from playhead.source2.entities.entity import Entity
from playhead.source2.entities.slots import FieldSlots

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

if cython.compiled:
    from cython.cimports.playhead.source2.entities.entity import Entity
    from cython.cimports.playhead.source2.entities.slots import FieldSlots

# stub: from collections.abc import Callable, Iterable, Mapping, Sequence
# stub: from playhead.source2.entities.handlers import EntityOp

# The value of `EntityOp.UPDATED`.
_UPDATED = 2


@cython.final
@cython.cclass
class FieldWatch:
    """A handler of entities that passes on only what may matter to another: all that befalls an entity, but of
    mere updates only those that change one of some fields.

    Args:
        names: dotted names of the fields.
        handler: called as handlers of entities are, at least for these.
    """

    # stub: def __init__(self, names: Iterable[str], handler: Callable[[Entity, EntityOp], None]) -> None: ...
    # stub: def on_entity(self, entity: Entity, op: EntityOp) -> None: ...

    _slots: FieldSlots
    _handler: object
    _known: dict
    _updated: cython.int

    def __init__(self, names: Any, handler: Any) -> None:
        self._slots = FieldSlots(names)
        self._handler = handler
        self._known = {}
        self._updated = _UPDATED

    def on_entity(self, entity: Entity, op: object) -> None:
        """Pass on, or not."""
        number: cython.int = op
        index: object = entity.index
        if number == self._updated:
            values: list = self._slots.values(entity)
            if values == self._known.get(index):
                return
            self._known[index] = values
        else:
            self._known.pop(index, None)
        self._handler(entity, op)


# stub: def call_entity_handlers(changed: Iterable[tuple[Entity, int]], by_class: Mapping[str, Sequence[tuple[
#     Callable[[Entity, EntityOp], None], str, int]]], find: Callable[[str], Sequence[tuple[Callable[[Entity,
#     EntityOp], None], str, int]]], ops: Sequence[EntityOp]) -> None: ...


def call_entity_handlers(changed: Any, by_class: dict, find: Any, ops: tuple) -> None:
    """Call the handlers of what happened to entities, one after the other.

    Args:
        changed: entities and operations.
        by_class: by name of the class handlers, each with a pattern and the operations that it is for.
        find: called with the name of a class that is not there; returns its handlers.
        ops: every operation as `EntityOp`, by its value.
    """
    entity: Entity
    number: cython.int
    wanted: cython.int
    handlers: tuple
    for found, op in changed:
        entity = found
        number = op
        known: object = by_class.get(entity.class_info.name)
        handlers = known if known else find(entity.class_info.name)
        for entry in handlers:
            wanted = entry[2]
            if wanted & number:
                entry[0](entity, ops[number])
