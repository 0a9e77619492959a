"""`EntryList`: the entries of one string table as they are now, without an object each until somebody asks."""

from __future__ import annotations

from typing import Any

from playhead.source2.string_tables.dumps import DumpedTable

try:
    import cython
except ModuleNotFoundError:
    from playhead.runtime import cython_shim as cython

# stub: from playhead.source2.string_tables.tables import StringTableItem


@cython.cfunc
def as_text(name: bytes) -> bytes:
    """A name as UTF-8: bytes that are none become U+FFFD."""
    return name if name.isascii() else name.decode("utf-8", "replace").encode()


@cython.final
@cython.cclass
class EntryList:
    """Names and data by number.

    Numbers nearly always go up from 0 without a gap: the place of an entry is then its number.

    Args:
        item: the type of the entries made of them.
    """

    # stub: def __init__(self, item: type[StringTableItem]) -> None: ...
    # stub: def items(self) -> dict[int, StringTableItem]: ...
    # stub: def news(self, dump: DumpedTable) -> list[tuple[int, str, bytes | None, bool]]: ...
    # stub: def places_that_differ(self, dump: DumpedTable) -> list[int]: ...

    def __init__(self, item: Any) -> None:
        self._item = item
        self._clear()

    @cython.cfunc
    def _clear(self) -> object:
        self._names = []
        self._values = []
        # Numbers by place, and places by number; None as long as both are the same.
        self._numbers = None
        self._places = None
        # The entries made, of the first places; and those of these places whose data has changed since.
        self._items = {}
        self._made = 0
        self._stale = []
        # A dump that was found to list just this.
        self._agreed = None
        return None

    def __len__(self) -> int:
        return len(self._names)

    @cython.ccall
    @cython.exceptval(-2, check=False)
    def place_of(self, number: cython.longlong) -> cython.Py_ssize_t:
        """The place of an entry; -1 if there is none of that number."""
        if self._places is None:
            return number if 0 <= number < len(self._names) else -1
        found: object = self._places.get(number)
        return -1 if found is None else found

    @cython.ccall
    def name_at(self, place: cython.Py_ssize_t) -> bytes:
        """The name of the entry at a place, UTF-8."""
        return self._names[place]

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add(self, number: cython.longlong, name: bytes, value: object) -> cython.int:
        """Add an entry of a number that there is not yet."""
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

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def put(self, place: cython.Py_ssize_t, value: object) -> cython.int:
        """Give the entry at a place other data."""
        self._values[place] = value
        self._agreed = None
        if place < self._made:
            if len(self._stale) >= self._made:
                self._made = 0
                self._stale.clear()
            else:
                self._stale.append(place)
        return 0

    def items(self) -> dict:
        """The entries by number, in the order in which they came; the same dict every time, brought up to date."""
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _make(self, place: cython.Py_ssize_t) -> cython.int:
        number: object = place if self._numbers is None else self._numbers[place]
        name: bytes = self._names[place]
        # Made as tuples are: a recording has ten thousands of them.
        self._items[number] = tuple.__new__(self._item, (number, name.decode("utf-8"), self._values[place]))
        return 0

    # -- dumps ------------------------------------------------------------------------------------------

    def news(self, dump: DumpedTable) -> list:
        """Return number, name and data of the entries of a dump that are not here, or have another name or other
        data; and whether the entry is new. No data and empty data are the same.
        """
        found: list = []
        number: cython.Py_ssize_t
        place: cython.Py_ssize_t
        agreed: cython.bint = self._places is None and len(dump) == len(self._names)
        for number in range(len(dump)):
            place = self.place_of(number)
            if place >= 0 and dump.has(number, self._names[place], self._values[place], True):
                continue
            agreed = False
            if place < 0 or not dump.has(number, self._names[place], self._values[place], False):
                found.append((number, dump.name_of(number).decode("utf-8"), dump.value_of(number), place < 0))
        if agreed:
            self._agreed = dump
        return found

    def places_that_differ(self, dump: DumpedTable) -> list:
        """Return the places at which a dump of as many entries has another name or other data."""
        place: cython.Py_ssize_t
        found: list = []
        for place in range(len(self._names)):
            if not dump.has(place, self._names[place], self._values[place], False):
                found.append(place)
        return found

    def restore(self, dump: DumpedTable) -> None:
        """Hold what a dump lists, and nothing else."""
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
