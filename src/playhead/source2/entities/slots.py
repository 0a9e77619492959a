"""`FieldSlots`: where the classes of a recording keep some fields; looked up once for each class."""

from __future__ import annotations

from array import array
from typing import Any

from playhead.source2.entities.classes import ClassInfo
from playhead.source2.entities.entity import Entity
from playhead.source2.schema.patches import aliases_of

try:
    import cython
except ModuleNotFoundError:
    from playhead.runtime import cython_shim as cython

# Numbers of classes are below, but for damage.
_MOST_CLASSES = cython.declare(cython.int, 1 << 14)


@cython.final
@cython.cclass
class FieldSlots:
    """The slots of some fields.

    Look-ups have a prefix to every name: what is the same of each element of a vector
    (``m_vecDataTeam.0003.``) is one list of names.

    Args:
        names: dotted names of fields.
        wanted: called with the name of another field of a class, returns whether to add it; None adds none.

    Attributes:
        names: in order; those that were added last.
    """

    # stub: names: list[str]
    # stub: def __init__(self, names: Iterable[str], wanted: Callable[[str], bool] | None = None) -> None: ...

    def __init__(self, names: Any, wanted: Any = None) -> None:
        self.names = list(names)
        self._wanted = wanted
        self._places = {name: place for place, name in enumerate(self.names)}
        self._known = {}
        # Classes by their numbers, and what is known of them without a prefix: found without a hash.
        self._classes = []
        self._of_class = []

    @cython.cfunc
    def numbers(self, info: ClassInfo, prefix: str) -> array:
        """Numbers of the slots, by place in `names`; -1 where the class has none, as it has none of names behind
        the end.
        """
        known: dict
        entry: tuple
        number: cython.int = info.class_id
        plain: cython.bint = not prefix and self._wanted is None and 0 <= number < _MOST_CLASSES
        if plain and number < len(self._classes) and self._classes[number] is info:
            return self._of_class[number]
        known = self._known.get(prefix)
        if known is None:
            known = self._known[prefix] = {}
        entry = known.get(info)
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

    @cython.cfunc
    def _find(self, info: ClassInfo, prefix: str) -> tuple:
        """(slots of the class that this has seen, their numbers)."""
        numbers = array("i")
        for name in self.names:
            number = info.ensure_slot(prefix + name)
            for other in aliases_of(prefix + name) if number < 0 else ():
                number = info.ensure_slot(other) if number < 0 else number
            numbers.append(max(number, -1))
        if self._wanted is not None:
            taken = set(numbers)
            for name, number in info.names().items():
                if number in taken or not self._wanted(name):
                    continue
                if name in self._places:
                    numbers[self._places[name]] = number
                else:
                    self._places[name] = len(self.names)
                    self.names.append(name)
                    numbers.append(number)
        return len(info._decoders), numbers

    def values(self, entity: Entity, prefix: str = "") -> list:
        """The fields of an entity, by place in `names`; None where it has no value."""
        numbers = self.numbers(entity.class_info, prefix)
        return [None if number < 0 else entity.slot_value(number) for number in numbers]
