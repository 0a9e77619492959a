"""`DeltaCache`: lists of fields that deltas have brought, found again by their bits.

The same few lists of fields come again and again: the ones that change while a hero walks, while a creep fights.
A list is encoded as Huffman-coded operations that end with Fin (`field_path`), so no list's bits begin another's:
where a delta begins with the bits of a list that the class has had, it is that list, and its fields need be
neither decoded nor looked up. In Dota 2 recordings nine deltas of ten are such.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

# Bounds on what a class remembers; a recording that reaches them is not slower than one without memory.
_MOST_LISTS = 1 << 12
_MOST_NUMBERS = 1 << 16
_LONGEST_CHAIN = 24

# Lists of up to 16 bits are looked for by their first 8 bits, longer ones by their first 16. Bits of a list that
# is shorter than that are followed by others: it is remembered once for each way that those have occurred.
if not cython.compiled:
    # The same numbers as the enums in the .pxd.
    ENTRY, BITS, MASK, NEXT, SIZES = 4, 0, 1, 2, 3
    SHORT_BUCKETS, LONG_BUCKETS, SHORT_BITS = 256, 1024, 16


@cython.final
@cython.cclass
class DeltaCache:
    """The lists of one class."""

    def __init__(self) -> None:
        self._lists = 0
        self._taken = 0
        self._heads_array = array("i", [-1]) * (SHORT_BUCKETS + LONG_BUCKETS)
        self._entries_array = array("Q")
        self._numbers_array = array("i")
        self._refresh()

    @cython.cfunc
    def _refresh(self) -> object:
        """Renew the pointers into the arrays."""
        if cython.compiled:
            self._heads = self._heads_array.data.as_ints
            self._entries = self._entries_array.data.as_ulonglongs
            self._numbers = self._numbers_array.data.as_ints
        else:
            self._heads = self._heads_array
            self._entries = self._entries_array
            self._numbers = self._numbers_array
        return None

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _bucket(self, word: cython.ulonglong) -> cython.int:
        """Where lists of more than 16 bits are looked for."""
        return cython.cast(cython.int, SHORT_BUCKETS + ((((word & 0xFFFF) * 40503) >> 6) & (LONG_BUCKETS - 1)))

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_at(self, number: cython.int, word: cython.ulonglong) -> cython.bint:
        """Whether `word` begins with the bits of list `number`, if there is one."""
        return number < self._lists and self._begins(word, number)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _begins(self, word: cython.ulonglong, number: cython.int) -> cython.bint:
        return (word ^ self._entries[ENTRY * number + BITS]) & self._entries[ENTRY * number + MASK] == 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def find(self, word: cython.ulonglong) -> cython.int:
        """The list whose bits `word` begins with (56 bits of the stream); -1 if it is none of those remembered."""
        found: cython.int = self._find_in(self._bucket(word), word)
        return found if found >= 0 else self._find_in(cython.cast(cython.int, word & (SHORT_BUCKETS - 1)), word)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _find_in(self, bucket: cython.int, word: cython.ulonglong) -> cython.int:
        entries: cython.p_ulonglong = self._entries
        at: cython.int = self._heads[bucket]
        before: cython.int = -1
        while at >= 0:
            if self._begins(word, at):
                if before >= 0:
                    # To the front: what an entity brought last is what the next one is likely to bring.
                    entries[ENTRY * before + NEXT] = entries[ENTRY * at + NEXT]
                    entries[ENTRY * at + NEXT] = cython.cast(cython.ulonglong, self._heads[bucket] + 1)
                    self._heads[bucket] = at
                return at
            before = at
            at = cython.cast(cython.int, entries[ENTRY * at + NEXT]) - 1
        return -1

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def size_of(self, known: cython.int) -> cython.int:
        """Bits of a list."""
        return cython.cast(cython.int, self._entries[ENTRY * known + SIZES] & 63)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def first_of(self, known: cython.int) -> cython.int:
        """Where in `_numbers` the slots of a list begin."""
        return cython.cast(cython.int, self._entries[ENTRY * known + SIZES] >> 32)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def count_of(self, known: cython.int) -> cython.int:
        """How many fields a list has."""
        return cython.cast(cython.int, (self._entries[ENTRY * known + SIZES] >> 8) & 0xFFFFFF)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def remember(
        self, word: cython.ulonglong, size: cython.int, numbers: cython.p_int, count: cython.Py_ssize_t
    ) -> cython.int:
        """Remember the list of slots that the first `size` (at most 56) bits of `word` encode."""
        i: cython.Py_ssize_t
        length: cython.int = 0
        short: cython.int = cython.cast(cython.int, word & (SHORT_BUCKETS - 1))
        bucket: cython.int = short if size <= SHORT_BITS else self._bucket(word)
        at: cython.int = self._heads[bucket]
        while at >= 0:
            length += 1
            at = cython.cast(cython.int, self._entries[ENTRY * at + NEXT]) - 1
        if length >= _LONGEST_CHAIN or self._lists >= _MOST_LISTS or self._taken + count > _MOST_NUMBERS:
            return 0
        # Four numbers a list: bits, mask of them, the next of the chain (from 1), size with count and first slot.
        self._entries_array.append(word)
        self._entries_array.append((cython.cast(cython.ulonglong, 1) << size) - 1)
        self._entries_array.append(self._heads[bucket] + 1)
        self._entries_array.append(size | count << 8 | cython.cast(cython.ulonglong, self._taken) << 32)
        for i in range(count):
            self._numbers_array.append(numbers[i])
        self._heads[bucket] = self._lists
        self._lists += 1
        self._taken += cython.cast(cython.int, count)
        self._refresh()
        return 0

    def __len__(self) -> int:
        return self._lists
