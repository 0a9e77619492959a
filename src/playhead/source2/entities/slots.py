"""`FieldSlots`: the slots of selected fields, looked up once per class."""

from __future__ import annotations

from array import array

from playhead.runtime import cython
from playhead.source2.entities.classes import ClassInfo
from playhead.source2.entities.entity import Entity
from playhead.source2.schema.patches import aliases_of

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
