"""`EntryList`: the current entries of one string table; objects are created on access."""

from __future__ import annotations

from playhead.runtime import cython
from playhead.runtime.typing import TYPE_CHECKING
from playhead.source2.string_tables.dumps import DumpedTable

if TYPE_CHECKING:
    from playhead.source2.string_tables.items import StringTableItem


def as_text(name: bytes) -> bytes:
    """Return a name as valid UTF-8; invalid bytes become U+FFFD."""
    return name if name.isascii() else name.decode("utf-8", "replace").encode()


@cython.final
@cython.cclass
class EntryList:
    """Names and data of entries, by number.

    Numbers nearly always count up from 0 without a gap, so the position of an entry is its number.

    Args:
        item: type of the entry objects.
    """

    def __init__(self, item: type[StringTableItem]) -> None:
        self._item = item
        self._clear()

    def _clear(self) -> object:
        self._names = []
        self._values = []
        # Numbers by position, and positions by number; None while both are equal.
        self._numbers = None
        self._places = None
        # Entry objects of the first positions, and positions whose data has changed since.
        self._items = {}
        self._made = 0
        self._stale = []
        # A dump known to equal this list.
        self._agreed = None
        return None

    def __len__(self) -> int:
        return len(self._names)

    def place_of(self, number: cython.longlong) -> cython.Py_ssize_t:
        """Return the position of an entry; -1 if there is no entry of that number."""
        if self._places is None:
            return number if 0 <= number < len(self._names) else -1
        found: object = self._places.get(number)
        return -1 if found is None else found

    def name_at(self, place: cython.Py_ssize_t) -> bytes:
        """Return the name of the entry at a position, UTF-8."""
        return self._names[place]

    def add(self, number: cython.longlong, name: bytes, value: object) -> cython.int:
        """Append an entry with a new number."""
        if self._places is None and number != len(self._names):
            self._numbers = list(range(len(self._names)))
            self._places = {each: each for each in self._numbers}
        if self._places is not None:
            self._places[number] = len(self._names)
            self._numbers.append(number)
        self._names.append(name)
        self._values.append(value)
        self._agreed = None
        return 0

    def put(self, place: cython.Py_ssize_t, value: object) -> cython.int:
        """Replace the data of the entry at a position."""
        self._values[place] = value
        self._agreed = None
        if place < self._made:
            if len(self._stale) >= self._made:
                self._made = 0
                self._stale.clear()
            else:
                self._stale.append(place)
        return 0

    def items(self) -> dict[int, StringTableItem]:
        """Return the entries by number, in order of creation; always the same dict, updated by this call."""
        stale: list = self._stale
        place: cython.Py_ssize_t
        if stale:
            for each in stale:
                self._make(each)
            stale.clear()
        if self._made < len(self._names):
            for place in range(self._made, len(self._names)):
                self._make(place)
            self._made = len(self._names)
        return self._items

    def _make(self, place: cython.Py_ssize_t) -> cython.int:
        number: object = place if self._numbers is None else self._numbers[place]
        name: bytes = self._names[place]
        # Bypass __new__, which is slow: a recording has tens of thousands of entries.
        self._items[number] = tuple.__new__(self._item, (number, name.decode("utf-8"), self._values[place]))
        return 0

    # -- dumps ------------------------------------------------------------------------------------------

    def news(self, dump: DumpedTable) -> list[tuple[int, str, bytes | None, bool]]:
        """Return the entries of a dump that differ from this list: number, name, data, and whether the entry is
        new.

        Missing and empty data are equal.
        """
        found: list = []
        number: cython.Py_ssize_t
        agreed: cython.bint = self._places is None and len(dump) == len(self._names)
        for number in range(len(dump)):
            place: cython.Py_ssize_t = self.place_of(number)
            if place >= 0 and dump.has(number, self._names[place], self._values[place], True):
                continue
            agreed = False
            if place < 0 or not dump.has(number, self._names[place], self._values[place], False):
                found.append((number, dump.name_of(number).decode("utf-8"), dump.value_of(number), place < 0))
        if agreed:
            self._agreed = dump
        return found

    def places_that_differ(self, dump: DumpedTable) -> list[int]:
        """Return the positions at which a dump of equal length has another name or other data."""
        place: cython.Py_ssize_t
        found: list = []
        for place in range(len(self._names)):
            if not dump.has(place, self._names[place], self._values[place], False):
                found.append(place)
        return found

    def restore(self, dump: DumpedTable) -> None:
        """Replace all entries by those of a dump."""
        count: cython.Py_ssize_t = len(dump)
        place: cython.Py_ssize_t
        if self._agreed is dump:
            return
        if self._places is not None or count < len(self._names):
            self._clear()
        for place in range(count):
            if place == len(self._names):
                self._names.append(dump.name_of(place))
                self._values.append(dump.value_of(place))
            elif not dump.has(place, self._names[place], self._values[place], True):
                self._names[place] = dump.name_of(place)
                self.put(place, dump.value_of(place))
