"""`EntityChanges`: what whole numbers of entities became, look by look; only changes are kept."""

from __future__ import annotations

from array import array

from playhead.runtime import cython
from playhead.source2.entities.classes import ClassInfo
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.slots import FieldSlots
from playhead.source2.schema.encoding import Kind

if cython.compiled:
    from cython.cimports.cpython.array import array
    from cython.cimports.playhead.source2.entities.classes import KIND_MASK, ClassInfo, cell_of, form_of
    from cython.cimports.playhead.source2.entities.entity import Entity
    from cython.cimports.playhead.source2.entities.slots import FieldSlots
    from cython.cimports.playhead.source2.schema.decoder import BOOL, LENGTH, POINTER, SEQUENCE, SIGNED
else:
    from playhead.source2.entities.classes import KIND_MASK, cell_of, form_of

    BOOL, SIGNED, SEQUENCE, POINTER, LENGTH = Kind.BOOL, Kind.SIGNED, Kind.SEQUENCE, Kind.POINTER, Kind.LENGTH


@cython.final
@cython.cclass
class EntityChanges:
    """Follows some fields of some subjects, such as players.

    A field counts as `absent` before the first look, where its entity has no value of it, and where the class
    declares it as anything but a whole number or a bool. Values are of 32 bits; of longer ones the lower half.

    Args:
        names: dotted names of fields.
        absent: the number that means nothing.
        wanted: given another field's name, returns whether to follow it too when it first occurs; None adds none.

    Attributes:
        changes: (tick, subject, field, value before, value now) in the order of the looks; the field by its place
            in `names`.
    """

    changes = cython.declare(list, visibility="readonly")
    _slots: FieldSlots
    _absent: cython.longlong
    _last: dict
    _none: array

    def __init__(self, names: Iterable[str], absent: int, wanted: Callable[[str], bool] | None = None) -> None:
        self._slots = FieldSlots(names, wanted)
        self._absent = absent
        self._last = {}
        self._none = array("i")
        self.changes: list[tuple[int, Any, int, int, int]] = []

    @property
    @cython.nonecheck(True)
    def names(self) -> list[str]:
        """Names of the fields."""
        return self._slots.names

    def look(self, tick: int, subjects: list[Any], entities: list, prefixes: Sequence[str] | None = None) -> None:
        """Look at the entity of each subject, at fields that begin with its prefix; None is an entity without
        values.
        """
        for i, subject in enumerate(subjects):
            self._look(tick, subject, entities[i], "" if prefixes is None else prefixes[i])

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _look(self, tick: object, subject: object, found: object, prefix: str) -> cython.int:
        i: cython.Py_ssize_t
        entity: Entity = found
        numbers: array = self._none if found is None else self._slots.numbers(entity.class_info, prefix)
        count: cython.Py_ssize_t = len(numbers)
        last: array = self._last.get(subject)
        if last is None:
            last = self._last[subject] = array("q")
        if len(last) < len(self._slots.names):
            last.extend([self._absent] * (len(self._slots.names) - len(last)))
        number: cython.p_int = numbers.data.as_ints if cython.compiled else numbers
        values: cython.p_longlong = last.data.as_longlongs if cython.compiled else last
        for i in range(len(last)):
            value: cython.longlong = self._absent
            if i < count and number[i] >= 0:
                value = self._value(entity, number[i])
            if value != values[i]:
                self.changes.append((tick, subject, i, values[i], value))
                values[i] = value
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _value(self, entity: Entity, number: cython.int) -> cython.longlong:
        info: ClassInfo = entity.class_info
        cell: cython.int = cell_of(info, number)
        kind: cython.int = form_of(info, number) & KIND_MASK
        if cell < 0 or cell >= entity._capacity or not entity._present[cell]:
            return self._absent
        value: cython.longlong = entity._cells[cell]
        if kind in (BOOL, POINTER):
            return 1 if value else 0
        if not (SIGNED <= kind <= SEQUENCE or kind == LENGTH):  # the forms of whole numbers
            return self._absent
        value &= (cython.cast(cython.longlong, 1) << 32) - 1
        return value - ((value >> 31) << 32)
