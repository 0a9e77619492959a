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
            at: cython.ulonglong = _start(key, self._mask)
            while places[2 * at]:
                if cython.cast(cython.ulonglong, places[2 * at]) == key:
                    return places[2 * at + 1]
                at = (at + 1) & self._mask
        return -2

    def add(self, key: cython.ulonglong, number: cython.longlong) -> cython.int:
        """Add a new key."""
        if not cython.compiled:
            self._map[key] = number
            return 0
        if 2 * (self._size + 1) > len(self._places) // 2:
            self.make_room(2 * (self._size + 1))
        _place(self._places.data.as_longlongs, self._mask, key, number)
        self._size += 1
        return 0

    def make_room(self, keys: cython.Py_ssize_t) -> cython.int:
        """Make room for that many keys at once."""
        if cython.compiled:
            capacity: cython.Py_ssize_t = 32
            while capacity < 2 * keys:
                capacity *= 2
            if 2 * capacity > len(self._places):
                old: array = self._places
                i: cython.Py_ssize_t
                self._places = clone(old, 2 * capacity, True)
                self._mask = capacity - 1
                for i in range(0, len(old), 2):
                    if old.data.as_longlongs[i]:
                        _place(
                            self._places.data.as_longlongs,
                            self._mask,
                            cython.cast(cython.ulonglong, old.data.as_longlongs[i]),
                            old.data.as_longlongs[i + 1],
                        )
        return 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _start(key: cython.ulonglong, mask: cython.ulonglong) -> cython.ulonglong:
    return (((key ^ (key >> 29)) * 0x5BD1E995) >> 12) & mask


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _place(
    places: cython.p_longlong, mask: cython.ulonglong, key: cython.ulonglong, number: cython.longlong
) -> cython.void:
    """Write a key at its place in a hash table, which has room."""
    at: cython.ulonglong = _start(key, mask)
    while places[2 * at]:
        at = (at + 1) & mask
    places[2 * at] = cython.cast(cython.longlong, key)
    places[2 * at + 1] = number
