"""`PathSteps`: what operations on field paths led to, found again by their bits.

The list of fields that a delta brings is encoded as Huffman-coded operations that lead from one path to the next,
up to Fin (`field_path`). What an operation leads to depends on nothing but the path before it: the slot of the
one and the bits of the other name the next slot. An entity's class has some thousands of such steps, which come
again and again; a step that is known needs neither decoding nor the path's slot to be looked up.
"""

from __future__ import annotations

from array import array

from playhead.bits.bit_reader import BitReader
from playhead.source2.entities.field_path import FieldPathReader
from playhead.source2.schema.path_codes import FIN, OPERATIONS

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

if not cython.compiled:
    # The same numbers as the enums in the .pxd files.
    PEEK_BITS = 56
    AT_START, MOST_BITS, SLOT_AT, MOST_SLOTS = -1, 31, 48, 1 << 16
    ONE_NUMBER, OTHER, END = 64, 65, 66

# Bound on what a class remembers; a recording that reaches it is not slower than one without memory.
_MOST_STEPS = 1 << 15

# Bits behind the code of each operation: how many, or that a number of the field-path form stands there (which
# begins with how long it is), or anything else.
_BEHIND = {
    "PlusN": ONE_NUMBER,
    "Push1L0RN": ONE_NUMBER,
    "Push1L1RN": ONE_NUMBER,
    "Push1LNR0": ONE_NUMBER,
    "Push1LNRN6": 6,
    "Push1LNRN8": 8,
    "Pop1PN": ONE_NUMBER,
    "PopAllPN": ONE_NUMBER,
    "PopAllP3": 3,
    "PopAllP6": 6,
    "PopNP1": ONE_NUMBER,
    "Fin": END,
}
_NOTHING_BEHIND = (
    "PlusOne",
    "PlusTwo",
    "PlusThree",
    "PlusFour",
    "Push1L0R0",
    "Push1L1R0",
    "Pop1P1",
    "PopAllP1",
    "NonTopoPen",
)
_SIZES = array("i", [_BEHIND.get(name, 0 if name in _NOTHING_BEHIND else OTHER) for name, _ in OPERATIONS])
assert _SIZES[FIN] == END

# Bits of a number of the field-path form, by its first four (`BitReader.read_ubit_var_fp`).
_NUMBER_SIZES = array("i", [35, 3, 6, 3, 13, 3, 6, 3, 21, 3, 6, 3, 13, 3, 6, 3])


@cython.final
@cython.cclass
class PathSteps:
    """The steps of one class.

    Attributes:
        word: behind a list that was read to its end: the bits that it ends in, and those behind them.
        before: how many of them stand before the values.
    """

    def __init__(self) -> None:
        self._count = 0
        self._array = array("Q")
        self._mask = 0
        self._shift = 0
        self._unknown = 0
        self.word = 0
        self.before = 0
        self._sizes_held = _SIZES
        self._number_sizes_held = _NUMBER_SIZES
        if cython.compiled:
            self._sizes = cython.cast(array, _SIZES).data.as_ints
            self._number_sizes = cython.cast(array, _NUMBER_SIZES).data.as_ints
        else:
            self._sizes = _SIZES
            self._number_sizes = _NUMBER_SIZES
        self._make_room(64)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _make_room(self, places: cython.Py_ssize_t) -> cython.int:
        """Take a table of that many places, a power of two."""
        i: cython.Py_ssize_t
        old = self._array
        self._array = array("Q", bytes(8 * places))
        self._mask = cython.cast(cython.ulonglong, places - 1)
        self._shift = 64 - (places - 1).bit_length()
        if cython.compiled:
            self._table = self._array.data.as_ulonglongs
        else:
            self._table = self._array
        for i in range(len(old)):
            if old[i]:
                self._put(old[i])
        return 0

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _place(self, key: cython.ulonglong) -> cython.ulonglong:
        """Where in the table the step of a key stands, or has its place."""
        # The upper bits of a product; its factor as a literal would be a Python object.
        product: cython.ulonglong = key * ((cython.cast(cython.ulonglong, 0x1E3779B9) << 32) | 0x7F4A7C15)
        at: cython.ulonglong = (product >> self._shift) & self._mask
        while self._table[at] and (self._table[at] ^ key) & ((cython.cast(cython.ulonglong, 1) << SLOT_AT) - 1):
            at = (at + 1) & self._mask
        return at

    @cython.cfunc
    @cython.exceptval(check=False)
    def _put(self, step: cython.ulonglong) -> cython.void:
        self._table[self._place(step & ((cython.cast(cython.ulonglong, 1) << SLOT_AT) - 1))] = step

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def remember(self, slot: cython.int) -> cython.int:
        """Remember that the step which was not known leads to a slot; where it is one that can be."""
        key: cython.ulonglong = self._unknown
        if key == 0 or self._count >= _MOST_STEPS or slot >= MOST_SLOTS:
            return 0
        if 2 * (self._count + 1) > cython.cast(cython.longlong, self._mask):
            self._make_room(2 * len(self._array))
        self._put(key | cython.cast(cython.ulonglong, slot) << SLOT_AT)
        self._count += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read(self, reader: BitReader, paths: FieldPathReader, behind: cython.int) -> cython.int:
        """Append the slots that known steps lead to, from `behind` on, to the numbers of `paths`.

        Returns 1 where they end with Fin: `reader` then stands where it had `word`. Returns 0 where a step is not
        known: `reader` stands at its operation.

        Raises:
            LimitExceeded: there are too many.
            TruncatedReplay: the bits end.
        """
        count: cython.Py_ssize_t = paths.count
        capacity: cython.Py_ssize_t = paths._capacity
        entry: cython.int
        size: cython.int
        more: cython.int
        loaded: cython.ulonglong = reader.peek_bits(PEEK_BITS)
        word: cython.ulonglong = loaded
        ready: cython.int = PEEK_BITS  # bits of `word` that are still to come, then zeros
        key: cython.ulonglong
        at: cython.ulonglong
        while True:
            entry = paths._short[word & 255]
            if entry == 0:
                entry = paths._long[word & 131071]
            size = entry >> 8
            more = self._sizes[entry & 255]
            if more == END:
                if size <= ready:
                    paths.count = count
                    self.word = loaded
                    self.before = PEEK_BITS - ready + size
                    return 1
            elif more == ONE_NUMBER:
                size += self._number_sizes[(word >> size) & 15]
            elif more != OTHER:
                size += more
            if size > ready and ready < PEEK_BITS:
                # What goes beyond the bits that are there is read again, once more are.
                reader.skip_bits(cython.cast(cython.ulonglong, PEEK_BITS - ready))
                loaded = word = reader.peek_bits(PEEK_BITS)
                ready = PEEK_BITS
                continue
            if more == OTHER or size > MOST_BITS:
                self._unknown = 0
                break
            key = word & ((cython.cast(cython.ulonglong, 1) << size) - 1)
            key |= cython.cast(cython.ulonglong, behind + 2) << MOST_BITS
            at = self._place(key)
            if self._table[at] == 0:
                self._unknown = key
                break
            behind = cython.cast(cython.int, self._table[at] >> SLOT_AT)
            if count == capacity:
                paths.grow()
                capacity = paths._capacity
            paths._numbers[count] = behind
            count += 1
            word >>= size
            ready -= size
        paths.count = count
        reader.skip_bits(cython.cast(cython.ulonglong, PEEK_BITS - ready))
        return 0

    def __len__(self) -> int:
        return self._count
