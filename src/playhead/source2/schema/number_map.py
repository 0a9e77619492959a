"""A hash table from numbers to numbers, without an object a number: paths to slots, declarations to fields."""

from __future__ import annotations

from array import array

from playhead.runtime import cython


@cython.final
@cython.cclass
class NumberMap:
    """Numbers by other numbers, which are not 0: a hash table without an object a number."""

    def __init__(self) -> None:
        self._size = 0
        self._mask = 0
        # Compiled, two words a place: the key, or 0, and its number.
        self._places = array("q")
        if not cython.compiled:
            self._map = {}

    def get(self, key: cython.ulonglong) -> cython.longlong:
        """Return the number of a key; -2 if it has none."""
        if not cython.compiled:
            return self._map.get(key, -2)
        if self._size:
            places: cython.p_longlong = self._places.data.as_longlongs
            at: cython.ulonglong = _place_of(places, self._mask, key)
            if places[2 * at]:
                return places[2 * at + 1]
        return -2

    def put(self, key: cython.ulonglong, number: cython.longlong) -> cython.longlong:
        """Set the number of a key; return the one before, -2 if it had none."""
        if not cython.compiled:
            before: int = self._map.get(key, -2)
            self._map[key] = number
            return before
        if 4 * (self._size + 1) > len(self._places):
            self.make_room(2 * (self._size + 1))
        places: cython.p_longlong = self._places.data.as_longlongs
        at: cython.ulonglong = _place_of(places, self._mask, key)
        known: cython.longlong = places[2 * at + 1] if places[2 * at] else -2
        self._size += places[2 * at] == 0
        places[2 * at] = cython.cast(cython.longlong, key)
        places[2 * at + 1] = number
        return known

    def make_room(self, keys: cython.Py_ssize_t) -> cython.int:
        """Reserve memory for so many keys at once."""
        if cython.compiled:
            capacity: cython.Py_ssize_t = 32
            while capacity < 2 * keys:
                capacity *= 2
            if 2 * capacity > len(self._places):
                old: array = self._places
                i: cython.Py_ssize_t
                self._places = clone(old, 2 * capacity, True)
                self._mask = capacity - 1
                places: cython.p_longlong = self._places.data.as_longlongs
                for i in range(0, len(old), 2):
                    if old.data.as_longlongs[i]:
                        key: cython.ulonglong = cython.cast(cython.ulonglong, old.data.as_longlongs[i])
                        at: cython.ulonglong = _place_of(places, self._mask, key)
                        places[2 * at] = old.data.as_longlongs[i]
                        places[2 * at + 1] = old.data.as_longlongs[i + 1]
        return 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _place_of(places: cython.p_longlong, mask: cython.ulonglong, key: cython.ulonglong) -> cython.ulonglong:
    """Return the place of a key, or the free one where it belongs."""
    at: cython.ulonglong = (((key ^ (key >> 29)) * 0x5BD1E995) >> 12) & mask
    while places[2 * at] and cython.cast(cython.ulonglong, places[2 * at]) != key:
        at = (at + 1) & mask
    return at
