"""Call entity handlers: for every operation, or only for changes of selected fields."""

from __future__ import annotations

from array import array

from playhead.runtime import cython
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.entities.classes import ClassInfo
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.field_path import FieldPathReader
from playhead.source2.schema.encoding import Kind
from playhead.source2.schema.patches import aliases_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

if not cython.compiled:
    from playhead.source2.entities.classes import KIND_MASK, SEVERAL_CELLS, cell_of, form_of

    LENGTH, POINTER, STRING = Kind.LENGTH, Kind.POINTER, Kind.STRING


# Class numbers are below this, except in damaged recordings.
_MOST_CLASSES = cython.declare(cython.int, 1 << 14)


@cython.final
@cython.cclass
class FieldSlots:
    """The slots of selected fields.

    A prefix applies to every name: one list of names serves all elements of a vector (``m_vecDataTeam.0003.``).

    Args:
        names: dotted names of fields.
        wanted: called with the name and the full name of each other field of a class, returns whether to add it;
            None adds none.

    Attributes:
        names: the field names, in order, including added ones.
    """

    names: list[str]

    def __init__(self, names: Iterable[str], wanted: Callable[[str], bool] | None = None) -> None:
        self.names = list(names)
        self._wanted = wanted
        self._places = {name: place for place, name in enumerate(self.names)}
        self._answers = {}
        self._known = {}
        # Results without a prefix in lists by class number, which avoids hashing.
        self._classes = []
        self._of_class = []

    def numbers(self, info: ClassInfo, prefix: str) -> array:
        """Return the slot numbers, by position in `names`; -1 if the class has no such field.

        Names added later are missing at the end.
        """
        number: cython.int = info.class_id
        plain: cython.bint = not prefix and self._wanted is None and 0 <= number < _MOST_CLASSES
        if plain and number < len(self._classes) and self._classes[number] is info:
            return self._of_class[number]
        known: dict = self._known.get(prefix)
        if known is None:
            known = self._known[prefix] = {}
        entry: tuple = known.get(info)
        if entry is None or (self._wanted is not None and entry[0] != len(info._decoders)):
            entry = known[info] = self._find(info, prefix)
        if plain:
            if number >= len(self._classes):
                more: list = [None] * (number + 1 - len(self._classes))
                self._classes += more
                self._of_class += more
            self._classes[number] = info
            self._of_class[number] = entry[1]
        return entry[1]

    def _find(self, info: ClassInfo, prefix: str) -> tuple:
        """Return the number of slots of the class and the slot numbers of the fields."""
        numbers = array("i")
        number: cython.int
        for name in self.names:
            full: str = prefix + name if prefix else name
            number = info.ensure_slot(full)
            for other in aliases_of(full) if number < 0 else ():
                number = info.ensure_slot(other) if number < 0 else number
            numbers.append(max(number, -1))
        if self._wanted is not None:
            taken = set(numbers)
            for name, each in info.names().items():
                number = each
                if number in taken or not (self._wants(name) or self._wants(info.slot_at(number).full_name)):
                    continue
                if name in self._places:
                    numbers[self._places[name]] = number
                else:
                    self._places[name] = len(self.names)
                    self.names.append(name)
                    numbers.append(number)
        return len(info._decoders), numbers

    def _wants(self, name: str) -> cython.bint:
        """Return what `wanted` does; many classes have fields of the same name."""
        answer: object = self._answers.get(name)
        if answer is None:
            answer = self._answers[name] = bool(self._wanted(name))
        return answer

    def values(self, entity: Entity, prefix: str = "") -> list:
        """Return the field values of an entity, by position in `names`; None for a missing value."""
        numbers: array = self.numbers(entity.class_info, prefix)
        found: list = []
        place: cython.Py_ssize_t
        for place in range(len(numbers)):
            number: cython.int = numbers.data.as_ints[place] if cython.compiled else numbers[place]
            found.append(None if number < 0 else entity.slot_value(number))
        return found


# The value of `EntityOp.UPDATED`.
_UPDATED = 2


@cython.cfunc
def _note_parents(touches: array, info: ClassInfo) -> object:
    """Append for each further slot of a class whether its change may remove others: pointers and vectors."""
    first: cython.Py_ssize_t = len(touches)
    count: cython.Py_ssize_t = len(info._decoders)
    number: cython.Py_ssize_t
    if cython.compiled:
        resize(touches, count)
    else:
        touches.extend(bytes(count - first))
    touched: cython.p_uchar = touches.data.as_uchars if cython.compiled else touches
    for number in range(first, count):
        kind: cython.int = form_of(info, number) & KIND_MASK
        touched[number] = kind in (POINTER, LENGTH)
    return None


@cython.final
@cython.cclass
class FieldWatch:
    """A handler that forwards operations on an entity, except updates that leave all selected fields unchanged."""

    def __init__(self, names: Iterable[str], handler: Callable[[Entity, Any], None]) -> None:
        self._slots = FieldSlots(names)
        self._handler = handler
        # Latest values of each entity, by its index.
        self._known = []
        # By class: which slots change a field, itself or by removing it. And those of the class that it met last.
        self._touching = {}
        self._class = None
        self._touches = None
        self._updated = _UPDATED
        self._forgotten = None

    def __call__(self, entity: Entity, op: Any) -> None:
        """Forward the operation if it may matter."""
        if self._concerns(entity, op):
            self._handler(entity, op)

    def _concerns(self, entity: Entity, op: cython.int) -> cython.bint:
        """Return whether an operation may matter."""
        if op == self._updated:
            return self._differs(entity, True)
        if entity.index < len(self._known):
            self._known[entity.index] = None
            if self._forgotten is not None:
                counts: cython.longlong[::1] = self._forgotten
                counts[0] += 1
        return True

    def ignores(self, entity: Entity, slots: FieldPathReader) -> cython.bint:
        """Return whether an update would surely not be forwarded; store nothing.

        `slots` has the slots that the update wrote; None if the entity may differ in others.
        """
        if slots is not None and entity.index < len(self._known) and self._known[entity.index] is not None:
            info: ClassInfo = entity.class_info
            if info is not self._class or len(self._touches) != len(info._decoders):
                self._meet(info)
            touches: cython.p_uchar = self._touches.data.as_uchars if cython.compiled else self._touches
            i: cython.Py_ssize_t
            for i in range(slots.count):
                if touches[slots._numbers[i]]:
                    break
            else:
                return True
        return not self._differs(entity, False)

    def _meet(self, info: ClassInfo) -> object:
        """Note the slots of a class."""
        touches: array = self._touching.get(info)
        if touches is None:
            numbers = self._slots.numbers(info, "")
            touches = self._touching[info] = array("B")
            _note_parents(touches, info)
            for number in numbers:
                if number >= 0:
                    touches[number] = 1
        else:
            _note_parents(touches, info)
        self._class = info
        self._touches = touches
        return None

    def _differs(self, entity: Entity, keep: cython.bint) -> cython.bint:
        """Return whether any value may differ from the stored one; store the current values if `keep` is set."""
        info: ClassInfo = entity.class_info
        numbers: array = self._slots.numbers(info, "")
        count: cython.Py_ssize_t = len(numbers)
        known: array = self._known[entity.index] if entity.index < len(self._known) else None
        differs: cython.bint = False
        i: cython.Py_ssize_t
        there: cython.longlong
        value: cython.longlong
        if known is None or len(known) != 2 * count:
            if not keep:
                return True
            if entity.index >= len(self._known):
                self._known.extend([None] * (entity.index + 1 - len(self._known)))
            known = self._known[entity.index] = array("q", [-1]) * (2 * count)
            differs = True
        number: cython.p_int = numbers.data.as_ints if cython.compiled else numbers
        last: cython.p_longlong = known.data.as_longlongs if cython.compiled else known
        for i in range(count):
            slot: cython.int = number[i]
            there = value = 0
            if slot >= 0:
                cell: cython.int = cell_of(info, slot)
                if 0 <= cell < entity._capacity and entity._present[cell]:
                    there = 1
                    value = entity._cells[cell]
                    # The cell of a text is a reference to reused memory, so equal cells prove nothing; nor does
                    # the first of several.
                    kind: cython.int = form_of(info, slot) & KIND_MASK
                    if kind in (STRING, SEVERAL_CELLS):
                        differs = True
            if last[2 * i] != there or last[2 * i + 1] != value:
                if not keep:
                    return True
                last[2 * i] = there
                last[2 * i + 1] = value
                differs = True
        return differs


@cython.final
@cython.cclass
class WatchGroup:
    """All handlers of updates of one class, each a `FieldWatch`.

    Args:
        watches: the handlers; without any, no update is ignored.
        info: the class.
        forgotten: ``array('q')`` of one number, which all groups of a playback share: how often a handler has
            forgotten an entity.
    """

    def __init__(self, watches: Sequence[FieldWatch], info: ClassInfo, forgotten: array) -> None:
        each: FieldWatch
        self._watches = tuple(watches)
        self.info = info
        self._forgotten = forgotten
        for found in self._watches:
            each = found
            each._forgotten = forgotten
        # That number, by the index of an entity, when all handlers knew the entity.
        self._settled = array("q")
        # Slots that change a field of any of them.
        self._touches = array("B")

    def ignores(self, entity: Entity, slots: FieldPathReader) -> cython.bint:
        """Return whether no handler would be called for an update; as `FieldWatch.ignores`."""
        each: FieldWatch
        i: cython.Py_ssize_t
        index: cython.Py_ssize_t = entity.index
        if not self._watches:
            return False
        if slots is not None:
            if len(self._touches) != len(self.info._decoders):
                self._meet()
            touches: cython.p_uchar = self._touches.data.as_uchars if cython.compiled else self._touches
            # Most packets move units, and write no watched field.
            for i in range(slots.count):
                if touches[slots._numbers[i]]:
                    break
            else:
                if self._is_settled(index):
                    return True
        for found in self._watches:
            each = found
            if not each.ignores(entity, slots):
                return False
        return True

    def _is_settled(self, index: cython.Py_ssize_t) -> cython.bint:
        """Return whether every handler knows the entity with that index."""
        each: FieldWatch
        forgotten: cython.longlong = (
            self._forgotten.data.as_longlongs[0] if cython.compiled else self._forgotten[0]
        )
        settled: cython.p_longlong = self._settled.data.as_longlongs if cython.compiled else self._settled
        if index < len(self._settled) and settled[index] == forgotten:
            return True
        for found in self._watches:
            each = found
            if index >= len(each._known) or each._known[index] is None:
                return False
        if index >= len(self._settled):
            self._settled.extend(array("q", [-1]) * (index + 1 - len(self._settled)))
        settled = self._settled.data.as_longlongs if cython.compiled else self._settled
        settled[index] = forgotten
        return True

    def _meet(self) -> object:
        """Note the slots of the class."""
        each: FieldWatch
        if len(self._touches):  # a slot that the class got later is in no list of fields
            _note_parents(self._touches, self.info)
            return None
        for found in self._watches:
            each = found
            each._slots.numbers(self.info, "")  # which may add slots to the class
        _note_parents(self._touches, self.info)
        touched: cython.uchar[::1] = self._touches
        i: cython.Py_ssize_t
        for found in self._watches:
            each = found
            each._meet(self.info)
            one: cython.uchar[::1] = each._touches
            for i in range(len(touched)):
                touched[i] |= one[i]
        return None


def call_entity_handlers(
    changed: Iterable[tuple[Entity, int]],
    by_class: dict,
    find: Callable[[str], Sequence[tuple[Callable[[Entity, Any], None], str, int]]],
    ops: tuple[Any, ...],
    failed: Callable[[Callable[..., None], Exception], None],
) -> None:
    """Call the handlers for operations on entities, in order.

    Args:
        changed: pairs of entity and operation.
        by_class: class name → handlers, each with a pattern and its operations.
        find: called with the name of a class that `by_class` lacks; returns its handlers.
        ops: every `EntityOp`, by its value.
        failed: called with a handler and its exception.
    """
    for found, op in changed:
        entity: Entity = found
        number: cython.int = op
        known: object = by_class.get(entity.class_info.name)
        handlers: tuple = known if known else find(entity.class_info.name)
        for each in handlers:
            entry: tuple = each
            wanted: cython.int = entry[2]
            if wanted & number:
                handler = entry[0]
                try:
                    if isinstance(handler, FieldWatch):
                        watch: FieldWatch = handler
                        if watch._concerns(entity, number):
                            watch._handler(entity, ops[number])
                    else:
                        handler(entity, ops[number])
                except Exception as error:
                    failed(handler, error)
