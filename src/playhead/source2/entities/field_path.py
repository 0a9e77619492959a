"""Field paths: the list of changed fields that precedes the values of a delta.

A path is up to seven numbers, one per level of the serializer. Huffman-coded operations (`schema.path_codes`)
change it step by step; after each operation but the last (Fin), the current path is appended to the list. The
path before the first operation is -1.
"""

from __future__ import annotations

from array import array

from playhead.bits.bit_reader import BitReader
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.runtime import cython
from playhead.source2.schema.path_codes import OPERATIONS, SHIFTS, WIDTHS, lookup_table, unpack

if not cython.compiled:
    # Equal to the enums in the .pxd files.
    (
        PLUS_ONE,
        PLUS_TWO,
        PLUS_THREE,
        PLUS_FOUR,
        PLUS_N,
        PUSH1_L0_R0,
        PUSH1_L0_RN,
        PUSH1_L1_R0,
        PUSH1_L1_RN,
        PUSH1_LN_R0,
        PUSH1_LN_RN,
        PUSH1_LN_RN6,
        PUSH1_LN_RN8,
        PUSH2_L0,
        PUSH2_P5_L0,
        PUSH3_L0,
        PUSH3_P5_L0,
        PUSH2_L1,
        PUSH2_P5_L1,
        PUSH3_L1,
        PUSH3_P5_L1,
        PUSH2_LN,
        PUSH2_P5_LN,
        PUSH3_LN,
        PUSH3_P5_LN,
        PUSH_N,
        PUSH_N_NON_TOPO,
        POP1_P1,
        POP1_PN,
        POP_ALL_P1,
        POP_ALL_PN,
        POP_ALL_P3,
        POP_ALL_P6,
        POP_N_P1,
        POP_N_PN,
        POP_N_NON_TOPO,
        NON_TOPO,
        NON_TOPO_PEN,
        NON_TOPO4,
        FIN,
    ) = range(len(OPERATIONS))
    FIN_CODE, FIN_BITS = 1, 2
    PEEK_BITS = 56
    # Bound on the paths of one delta; real ones have a few thousand at most.
    MOST_PATHS = 1 << 18
    from playhead.source2.schema.path_codes import LEVELS

_SHORT = lookup_table(8)
_LONG = lookup_table(17, known=8)


@cython.final
@cython.cclass
class FieldPathReader:
    """Read the paths of one delta after another into the same memory.

    Each path has a companion number, which callers set to the slot of the path.

    Attributes:
        count: paths, or numbers of slots, since `begin`.
    """

    def __init__(self) -> None:
        self._array = array("Q")
        self._numbers_array = array("i")
        self._capacity = 0
        self.count = 0
        self._last = 0
        self._short_held = _SHORT
        self._long_held = _LONG
        if cython.compiled:
            self._short = cython.cast(array, _SHORT).data.as_ushorts
            self._long = cython.cast(array, _LONG).data.as_ushorts
        else:
            self._short = _SHORT
            self._long = _LONG
            self._paths = self._array
            self._numbers = self._numbers_array
            self._path = [0] * LEVELS
            self._prefix = [0] * LEVELS
            self._shift = [0] * LEVELS
            self._most = [0] * LEVELS
        for level in range(LEVELS):
            self._shift[level] = SHIFTS[level]
            self._most[level] = (1 << WIDTHS[level]) - 2

    def grow(self) -> cython.int:
        capacity: cython.Py_ssize_t = max(1024, 2 * self._capacity)
        if capacity > MOST_PATHS:
            raise LimitExceeded(f"one entity has more than {MOST_PATHS} fields in one delta")
        if cython.compiled:
            resize(self._array, capacity)
            self._paths = self._array.data.as_ulonglongs
            resize(self._numbers_array, capacity)
            self._numbers = self._numbers_array.data.as_ints
        else:
            self._array.extend([0] * (capacity - len(self._array)))
            self._numbers_array.extend([0] * (capacity - len(self._numbers_array)))
        self._capacity = capacity
        return 0

    def _bad(self, op: cython.int, level: cython.int) -> cython.int:
        name = OPERATIONS[op][0]
        if level >= LEVELS:
            raise CorruptReplay(f"expected a field path of at most {LEVELS} levels; {name} makes it longer")
        if level < 0:
            raise CorruptReplay(f"expected a field path of at least one level; {name} removes more than it has")
        raise CorruptReplay(
            f"expected a field number of 0 to {self._most[level]} at level {level}, {name} "
            f"gives {self._path[level]}"
        )

    def _push(self, op: cython.int, last: cython.int, value: cython.longlong) -> cython.int:
        """Append a level after `last`; return the new last level."""
        number: cython.longlong = self._path[last]
        if last == LEVELS - 1:
            self._bad(op, LEVELS)
        if number < 0 or number > self._most[last]:
            self._bad(op, last)
        self._prefix[last + 1] = (
            self._prefix[last] | cython.cast(cython.ulonglong, number + 1) << self._shift[last]
        )
        self._path[last + 1] = value
        return last + 1

    def _repack(self, op: cython.int, last: cython.int) -> cython.int:
        """Refresh the prefixes after a change of levels before the last."""
        level: cython.int
        for level in range(last):
            number: cython.longlong = self._path[level]
            if number < 0 or number > self._most[level]:
                self._bad(op, level)
            self._prefix[level + 1] = (
                self._prefix[level] | cython.cast(cython.ulonglong, number + 1) << self._shift[level]
            )
        return 0

    def _apply_with_numbers(self, reader: BitReader, op: cython.int, last: cython.int) -> cython.int:
        """Apply an operation followed by numbers of any size; return the new last level."""
        if op == PLUS_N:
            self._path[last] += cython.cast(cython.longlong, reader.read_ubit_var_fp()) + 5
        elif op == PUSH1_L0_RN:
            last = self._push(op, last, cython.cast(cython.longlong, reader.read_ubit_var_fp()))
        elif op == PUSH1_L1_RN:
            self._path[last] += 1
            last = self._push(op, last, cython.cast(cython.longlong, reader.read_ubit_var_fp()))
        elif op == PUSH1_LN_R0:
            self._path[last] += cython.cast(cython.longlong, reader.read_ubit_var_fp())
            last = self._push(op, last, 0)
        elif op == PUSH1_LN_RN:
            self._path[last] += cython.cast(cython.longlong, reader.read_ubit_var_fp()) + 2
            last = self._push(op, last, cython.cast(cython.longlong, reader.read_ubit_var_fp()) + 1)
        elif op == PUSH1_LN_RN8:
            self._path[last] += cython.cast(cython.longlong, reader.read_bits(4)) + 2
            last = self._push(op, last, cython.cast(cython.longlong, reader.read_bits(4)) + 1)
        elif op == POP_ALL_PN:
            last = 0
            self._path[0] += cython.cast(cython.longlong, reader.read_ubit_var_fp()) + 1
        else:
            last = self._apply_rare(reader, op, last)
        return last

    def _apply_rare(self, reader: BitReader, op: cython.int, last: cython.int) -> cython.int:
        """Apply a rare operation; return the new last level."""
        times: cython.int = 0
        level: cython.int
        if PUSH2_L0 <= op <= PUSH3_P5_LN:  # four each with L0, L1 and LN; every second one has 5-bit numbers
            if PUSH2_L1 <= op <= PUSH3_P5_L1:
                self._path[last] += 1
            elif op >= PUSH2_LN:
                self._path[last] += cython.cast(cython.longlong, reader.read_ubit_var()) + 2
            times = 2 if ((op - PUSH2_L0) & 3) < 2 else 3
            for _ in range(times):
                if (op - PUSH2_L0) & 1 == 0:
                    last = self._push(op, last, cython.cast(cython.longlong, reader.read_ubit_var_fp()))
                else:
                    last = self._push(op, last, cython.cast(cython.longlong, reader.read_bits(5)))
            return last
        if op in (PUSH_N, PUSH_N_NON_TOPO):
            if op == PUSH_N:
                count: cython.ulonglong = reader.read_ubit_var()
                self._path[last] += cython.cast(cython.longlong, reader.read_ubit_var())
            else:
                for level in range(last + 1):
                    if reader.read_boolean():
                        self._path[level] += reader.read_varint32() + 1
                self._repack(op, last)
                count = reader.read_ubit_var()
            while count:
                last = self._push(op, last, cython.cast(cython.longlong, reader.read_ubit_var_fp()))
                count -= 1
            return last
        if op in (POP1_P1, POP1_PN):
            if last == 0:
                self._bad(op, -1)
            last -= 1
            self._path[last] += 1 if op == POP1_P1 else cython.cast(cython.longlong, reader.read_ubit_var_fp()) + 1
            return last
        if POP_N_P1 <= op <= POP_N_NON_TOPO:
            count = reader.read_ubit_var_fp()
            if count > cython.cast(cython.ulonglong, last):
                self._bad(op, -1)
            last -= cython.cast(cython.int, count)
            if op == POP_N_P1:
                self._path[last] += 1
            elif op == POP_N_PN:
                self._path[last] += reader.read_varint32()
            else:
                for level in range(last + 1):
                    if reader.read_boolean():
                        self._path[level] += reader.read_varint32()
                self._repack(op, last)
            return last
        if op == NON_TOPO_PEN:
            if last == 0:
                self._bad(op, -1)
            self._path[last - 1] += 1
        else:  # NON_TOPO and NON_TOPO4
            for level in range(last + 1):
                if reader.read_boolean():
                    if op == NON_TOPO:
                        self._path[level] += reader.read_varint32()
                    else:
                        self._path[level] += cython.cast(cython.longlong, reader.read_bits(4)) - 7
        self._repack(op, last)
        return last

    def begin(self) -> cython.void:
        """Begin another delta."""
        self.count = 0
        self._last = 0
        self._path[0] = -1
        self._prefix[0] = 0

    def continue_from(self, packed: cython.ulonglong) -> cython.void:
        """Continue from a packed path of the list."""
        level: cython.int = 0
        prefix: cython.ulonglong = 0
        while level < LEVELS:
            number: cython.ulonglong
            number = (packed >> self._shift[level]) & cython.cast(cython.ulonglong, self._most[level] + 1)
            if number == 0:
                break
            self._path[level] = cython.cast(cython.longlong, number) - 1
            self._prefix[level] = prefix
            prefix |= number << self._shift[level]
            level += 1
        self._last = level - 1

    def read(self, reader: BitReader, most: cython.Py_ssize_t) -> cython.int:
        """Append up to `most` of the next paths, packed, to `_paths`. Return 1 if they end with Fin.

        One call reads at most one load of 56 bits, up to an operation with numbers of any size.
        """
        count: cython.Py_ssize_t = self.count
        capacity: cython.Py_ssize_t = self._capacity
        last: cython.int = self._last
        word: cython.ulonglong = reader.peek_bits(PEEK_BITS)
        ready: cython.int = PEEK_BITS  # remaining bits of `word`
        # An operation handled here has at most 17 bits and 6 more of numbers. Bits past the end look like zeros;
        # advancing the reader over the used bits detects that.
        while ready >= 0:
            entry: cython.int = self._short[word & 255]
            if entry == 0:
                entry = self._long[word & 131071]
            size: cython.int = entry >> 8
            op: cython.int = entry & 255
            if size + 6 > ready and (op != FIN or size > ready):
                break
            if op == PLUS_ONE:
                self._path[last] += 1
            elif op == FIN:
                reader.skip_bits(PEEK_BITS - ready + size)
                self.count = count
                return 1
            elif op <= PLUS_FOUR:
                self._path[last] += op + 1
            elif op == PUSH1_LN_RN6:
                self._path[last] += cython.cast(cython.longlong, (word >> size) & 7) + 2
                last = self._push(op, last, cython.cast(cython.longlong, (word >> (size + 3)) & 7) + 1)
                size += 6
            elif op == PUSH1_L0_R0:
                last = self._push(op, last, 0)
            elif op == PUSH1_L1_R0:
                self._path[last] += 1
                last = self._push(op, last, 0)
            elif op == POP_ALL_P1:
                last = 0
                self._path[0] += 1
            elif op == POP_ALL_P3:
                last = 0
                self._path[0] += cython.cast(cython.longlong, (word >> size) & 7) + 1
                size += 3
            elif op == POP_ALL_P6:
                last = 0
                self._path[0] += cython.cast(cython.longlong, (word >> size) & 63) + 1
                size += 6
            else:
                reader.skip_bits(PEEK_BITS - ready + size)
                last = self._apply_with_numbers(reader, op, last)
                ready = size = -1
            number: cython.longlong = self._path[last]
            if number < 0 or number > self._most[last]:
                self._bad(op, last)
            if count == capacity:
                self.grow()
                capacity = self._capacity
            self._paths[count] = (
                self._prefix[last] | cython.cast(cython.ulonglong, number + 1) << self._shift[last]
            )
            count += 1
            if ready < 0:
                break
            word >>= size
            ready -= size
            most -= 1
            if most == 0:
                break
        self.count = count
        self._last = last
        if ready >= 0:
            reader.skip_bits(PEEK_BITS - ready)
        return 0

    def read_paths(self, reader: BitReader) -> list[tuple[int, ...]]:
        """Return the paths of one delta, up to Fin."""
        self.begin()
        while not self.read(reader, MOST_PATHS):
            pass
        return [unpack(self._paths[i]) for i in range(self.count)]
