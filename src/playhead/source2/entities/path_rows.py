"""`PathRows`: the slots of known paths, stored next to the slots of neighbouring paths.

The field list of a delta is a sequence of Huffman-coded operations that lead from one path to the next, up to
Fin (`field_path`). Most lead to a nearby path: the next field of the same serializer, or an element of a vector.
All paths that differ only in their last number form a row, with a place for each last number. A step along a row
needs neither the whole path nor a look-up of its slot, and reads adjacent memory.

`read` is long because it is one loop over all common operations.
"""

from __future__ import annotations

from array import array

from playhead.bits.bit_reader import BitReader
from playhead.runtime import cython
from playhead.source2.entities.field_path import FieldPathReader
from playhead.source2.schema.path_codes import lookup_table

if not cython.compiled:
    # Equal to the constants in the .pxd files.
    from playhead.bits.bit_reader import PEEK_BITS, peek_word, ubit_var_of, ubit_var_size
    from playhead.source2.entities.field_path import (
        FIN,
        NON_TOPO,
        NON_TOPO4,
        NON_TOPO_PEN,
        PLUS_FOUR,
        PLUS_N,
        PLUS_ONE,
        POP1_P1,
        POP1_PN,
        POP_ALL_P1,
        POP_ALL_P3,
        POP_ALL_P6,
        POP_ALL_PN,
        POP_N_NON_TOPO,
        POP_N_P1,
        POP_N_PN,
        PUSH1_L0_R0,
        PUSH1_L0_RN,
        PUSH1_L1_R0,
        PUSH1_L1_RN,
        PUSH1_LN_RN,
        PUSH1_LN_RN6,
        PUSH1_LN_RN8,
        PUSH2_L0,
        PUSH2_L1,
        PUSH2_LN,
        PUSH3_P5_L1,
        PUSH_N,
        PUSH_N_NON_TOPO,
    )
    from playhead.source2.schema.path_codes import LEVELS

    ROW, FIRST, PLACES, ABOVE, ABOVE_AT, TAKEN = 5, 0, 1, 2, 3, 4
    NOWHERE = -2

# A place beyond this, and beyond this many times the used places of its row, is not worth the unused places
# between, except in the row of the class's own fields. The third number bounds the places of a class. Paths
# without a place are looked up instead.
_FAR = 128
_SPARSE = 4
_MOST_PLACES = 1 << 17

# Codes of up to ten bits cover all frequent operations.
_SHORT = lookup_table(10)
_LONG = lookup_table(17, known=8)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _number_size(word: cython.ulonglong) -> cython.int:
    """Return the bits of the field-path number (`BitReader.read_ubit_var_fp`) at the start of `word`."""
    if word & 1:
        return 3
    if word & 2:
        return 6
    if word & 4:
        return 13
    return 21 if word & 8 else 35


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _number_of(word: cython.ulonglong) -> cython.int:
    """Return the field-path number at the start of `word`."""
    if word & 1:
        return cython.cast(cython.int, (word >> 1) & 3)
    if word & 2:
        return cython.cast(cython.int, (word >> 2) & 15)
    if word & 4:
        return cython.cast(cython.int, (word >> 3) & 1023)
    return cython.cast(cython.int, (word >> 4) & (0x1FFFF if word & 8 else 0x7FFFFFFF))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _signed_size(word: cython.ulonglong) -> cython.int:
    """Return the bits of the signed varint at the start of `word`; 0 for one of more than two bytes."""
    if word & 128:
        return 0 if word & 0x8000 else 16
    return 8


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _signed_of(word: cython.ulonglong) -> cython.longlong:
    """Return the signed varint of one or two bytes at the start of `word`."""
    raw: cython.longlong = cython.cast(cython.longlong, word & 127)
    if word & 128:
        raw |= cython.cast(cython.longlong, (word >> 1) & 0x3F80)
    return (raw >> 1) ^ -(raw & 1)


@cython.final
@cython.cclass
class PathRows:
    """The rows of one class.

    A place has two numbers: slot + 1 (0: none, or it depends on the types of pointers), and the row below it (0:
    none).

    Attributes:
        word: after a complete list, the loaded bits that contain its end and the following bits.
        before: how many of these bits precede the values.
    """

    def __init__(self) -> None:
        self._rows_array = array("i")
        self._places_array = array("i")
        self._row_count = 0
        self._place_count = 0
        self._count = 0
        self._row = 0
        self._number = -1
        self.word = 0
        self.before = 0
        self._to_row = -1
        self._to = 0
        if not cython.compiled:
            self._path = [0] * LEVELS
        self._short_held = _SHORT
        self._long_held = _LONG
        self._short = cython.cast(array, _SHORT).data.as_ushorts if cython.compiled else _SHORT
        self._long = cython.cast(array, _LONG).data.as_ushorts if cython.compiled else _LONG
        self._new_row(0, -1)

    def _refresh(self) -> object:
        """Refresh the pointers into the arrays."""
        self._rows = self._rows_array.data.as_ints if cython.compiled else self._rows_array
        self._places = self._places_array.data.as_ints if cython.compiled else self._places_array
        return None

    def _new_row(self, above: cython.int, above_at: cython.int) -> cython.int:
        """Add a row below that place; return its number."""
        number: cython.int = self._row_count
        self._rows_array.extend((0, 0, above, above_at, 0))
        self._row_count = number + 1
        self._refresh()
        return number

    def _has_room(self, row: cython.int, number: cython.int) -> cython.bint:
        """Make room for a place in a row. Return whether there is room, which the bounds above limit."""
        places: cython.int = self._rows[ROW * row + PLACES]
        first: cython.int = self._rows[ROW * row + FIRST]
        wanted: cython.int = 8
        if number < places:
            return True
        if row and number >= _FAR + _SPARSE * self._rows[ROW * row + TAKEN]:
            return False
        while wanted <= number:
            wanted *= 2
        if self._place_count + wanted > _MOST_PLACES:
            return False
        # The row moves to the end; the places that it leaves unused are at most as many as it has now.
        old = self._places_array[2 * first : 2 * (first + places)]
        self._places_array.extend(old)
        self._places_array.extend(array("i", bytes(8 * (wanted - places))))
        self._refresh()
        self._rows[ROW * row + FIRST] = self._place_count
        self._rows[ROW * row + PLACES] = wanted
        self._place_count += wanted
        return True

    def remember(self, paths: FieldPathReader, packed: cython.ulonglong, slot: cython.int) -> cython.int:
        """Remember the slot of a packed path, and continue from there."""
        row: cython.int = 0
        level: cython.int = 0
        self._row = -1
        while True:
            word: cython.ulonglong
            word = (packed >> paths._shift[level]) & cython.cast(cython.ulonglong, paths._most[level] + 1)
            number: cython.int = cython.cast(cython.int, word) - 1
            if not self._has_room(row, number):
                return 0
            at: cython.int = 2 * (self._rows[ROW * row + FIRST] + number)
            level += 1
            if level == LEVELS or not (packed >> paths._shift[level]):
                break
            below: cython.int = self._places[at + 1]
            if below == 0:
                below = self._new_row(row, number)
                self._places[at + 1] = below
                self._rows[ROW * row + TAKEN] += 1
            row = below
        if self._places[at] == 0:
            self._places[at] = slot + 1
            self._rows[ROW * row + TAKEN] += 1
            self._count += 1
        self._row = row
        self._number = number
        return 0

    def read(self, reader: BitReader, paths: FieldPathReader) -> cython.int:
        """Append the slots of the next operations to the numbers of `paths`: from the last remembered path on, or
        without any path in `paths`, from the beginning of a delta.

        Returns:
            1 if they end with Fin; `reader` is then where `word` was loaded. 0 if the next operation is rare or
            leads to an unknown path; `reader` is then at this operation.
        """
        count: cython.Py_ssize_t = paths.count
        capacity: cython.Py_ssize_t = paths._capacity
        rows: cython.p_int = self._rows
        all_places: cython.p_int = self._places
        row: cython.int = 0
        number: cython.int = -1  # last number of the path; undefined if `row` is -1
        loaded: cython.ulonglong
        word: cython.ulonglong
        ready: cython.int = PEEK_BITS  # remaining bits of `word`, followed by zeros
        if count:
            row = self._row
            number = self._number
            if row < 0:
                return 0
        loaded = word = peek_word(reader)
        first: cython.int = rows[ROW * row + FIRST]
        places: cython.int = rows[ROW * row + PLACES]
        while True:
            entry: cython.int = self._short[word & 1023]
            if entry == 0:
                entry = self._long[word & 131071]
            size: cython.int = entry >> 8
            op: cython.int = entry & 255
            # Target of the operation, if all its bits are loaded: place `to` of row `to_row` (-1: unknown), or
            # of the row below place `above` of it.
            to_row: cython.int = row
            to: cython.longlong = number
            above: cython.longlong = NOWHERE
            if op == PLUS_ONE:
                to += 1
            elif op == FIN:
                if size <= ready:
                    paths.count = count
                    self.word = loaded
                    self.before = PEEK_BITS - ready + size
                    return 1
            elif op <= PLUS_FOUR:
                to += op + 1
            elif op == PUSH1_LN_RN6:
                above = to + cython.cast(cython.longlong, (word >> size) & 7) + 2
                to = cython.cast(cython.longlong, (word >> (size + 3)) & 7) + 1
                size += 6
            elif op == PLUS_N:
                to += _number_of(word >> size) + 5
                size += _number_size(word >> size)
            elif op <= PUSH1_LN_RN8:  # the other operations that push one level, from PUSH1_L0_R0 on
                if op in (PUSH1_L0_R0, PUSH1_L1_R0):
                    above = to + (op == PUSH1_L1_R0)
                    to = 0
                elif op in (PUSH1_L0_RN, PUSH1_L1_RN):
                    above = to + (op == PUSH1_L1_RN)
                    to = _number_of(word >> size)
                    size += _number_size(word >> size)
                elif op == PUSH1_LN_RN8:
                    above = to + cython.cast(cython.longlong, (word >> size) & 15) + 2
                    to = cython.cast(cython.longlong, (word >> (size + 4)) & 15) + 1
                    size += 8
                else:
                    above = to + _number_of(word >> size)
                    size += _number_size(word >> size)
                    to = 0
                    if op == PUSH1_LN_RN:
                        above += 2
                        if size < PEEK_BITS:  # two numbers of any size may not fit
                            to = _number_of(word >> size) + 1
                            size += _number_size(word >> size)
                        if size > PEEK_BITS:
                            to_row = -1
                            size = 0
            elif POP_ALL_P1 <= op <= POP_ALL_P6:
                while to_row:
                    to = rows[ROW * to_row + ABOVE_AT]
                    to_row = rows[ROW * to_row + ABOVE]
                to += 1
                if op == POP_ALL_P3:
                    to += cython.cast(cython.longlong, (word >> size) & 7)
                    size += 3
                elif op == POP_ALL_P6:
                    to += cython.cast(cython.longlong, (word >> size) & 63)
                    size += 6
                elif op == POP_ALL_PN:
                    to += _number_of(word >> size)
                    size += _number_size(word >> size)
            elif op in (POP1_P1, POP1_PN) and row:
                to = rows[ROW * row + ABOVE_AT] + 1
                to_row = rows[ROW * row + ABOVE]
                if op == POP1_PN:
                    to += _number_of(word >> size)
                    size += _number_size(word >> size)
            elif op == NON_TOPO_PEN and row:
                above = rows[ROW * row + ABOVE_AT] + 1
                to_row = rows[ROW * row + ABOVE]
            elif op not in (POP1_P1, POP1_PN, NON_TOPO_PEN):
                size = self._walk(op, word, size, row, to)
                to_row = self._to_row
                to = self._to
            else:
                to_row = -1
                size = 0
            if size > ready and ready < PEEK_BITS:
                # An operation that is not loaded completely is read again after the next load.
                reader.skip_bits(cython.cast(cython.ulonglong, PEEK_BITS - ready))
                loaded = word = peek_word(reader)
                ready = PEEK_BITS
                continue
            if above != NOWHERE and to_row >= 0:
                if above < 0 or above >= rows[ROW * to_row + PLACES]:
                    break
                to_row = all_places[2 * (rows[ROW * to_row + FIRST] + above) + 1]
                if to_row == 0:
                    break
            if to_row != row:
                if to_row < 0:
                    break
                row = to_row
                first = rows[ROW * row + FIRST]
                places = rows[ROW * row + PLACES]
            if to < 0 or to >= places:
                break
            slot: cython.int = all_places[2 * (first + to)]
            if slot == 0:
                break
            number = to
            if count == capacity:
                paths.grow()
                capacity = paths._capacity
            paths._numbers[count] = slot - 1
            count += 1
            word >>= size
            ready -= size
        paths.count = count
        reader.skip_bits(cython.cast(cython.ulonglong, PEEK_BITS - ready))
        return 0

    def _walk(
        self, op: cython.int, word: cython.ulonglong, size: cython.int, row: cython.int, to: cython.longlong
    ) -> cython.int:
        """Find the target of an operation that changes any numbers of a path, or pushes or removes several levels.

        The operation begins at `word`; its numbers follow after `size` bits. Returns the bits of both and sets
        `_to_row` (-1: unknown) and `_to`; returns 0, or more bits than one load has, for an operation of uncommon
        length.
        """
        rows: cython.p_int = self._rows
        depth: cython.int = 0
        level: cython.int = row
        pushed: cython.longlong = 0
        short: cython.bint = False  # whether the pushed numbers have 5 bits each
        self._to_row = -1
        while level:
            depth += 1
            level = rows[ROW * level + ABOVE]
        self._path[depth] = to
        level = depth
        at: cython.int = row
        while at:
            level -= 1
            self._path[level] = rows[ROW * at + ABOVE_AT]
            at = rows[ROW * at + ABOVE]
        if POP_N_P1 <= op <= POP_N_NON_TOPO:
            at = _number_of(word >> size)
            size += _number_size(word >> size)
            if at > depth:
                return 0
            depth -= at
        if op == NON_TOPO4:
            for level in range(depth + 1):  # 17 bits and 5 for each of 7 levels are always loaded
                if (word >> size) & 1:
                    self._path[level] += cython.cast(cython.longlong, (word >> (size + 1)) & 15) - 7
                    size += 4
                size += 1
        elif op in (NON_TOPO, POP_N_NON_TOPO, PUSH_N_NON_TOPO):
            for level in range(depth + 1):
                if size > PEEK_BITS - 17:
                    return size + 17
                size += 1
                if (word >> (size - 1)) & 1:
                    at = _signed_size(word >> size)
                    if at == 0:
                        return 0
                    self._path[level] += _signed_of(word >> size) + (op == PUSH_N_NON_TOPO)
                    size += at
        elif op == POP_N_P1:
            self._path[depth] += 1
        elif op == POP_N_PN:
            at = _signed_size(word >> size)
            if at == 0:
                return 0
            self._path[depth] += _signed_of(word >> size)
            size += at
        elif op == PUSH_N:
            pushed = cython.cast(cython.longlong, ubit_var_of(word >> size))
            size += cython.cast(cython.int, ubit_var_size(word >> size))
            if size > PEEK_BITS - 10:
                return size + 10
            self._path[depth] += cython.cast(cython.longlong, ubit_var_of(word >> size))
            size += cython.cast(cython.int, ubit_var_size(word >> size))
        else:  # pushes of two or three levels, as in `FieldPathReader`
            if PUSH2_L1 <= op <= PUSH3_P5_L1:
                self._path[depth] += 1
            elif op >= PUSH2_LN:
                self._path[depth] += cython.cast(cython.longlong, ubit_var_of(word >> size)) + 2
                size += cython.cast(cython.int, ubit_var_size(word >> size))
            pushed = 2 if ((op - PUSH2_L0) & 3) < 2 else 3
            short = ((op - PUSH2_L0) & 1) != 0
        if op == PUSH_N_NON_TOPO:
            if size > PEEK_BITS - 10:
                return size + 10
            pushed = cython.cast(cython.longlong, ubit_var_of(word >> size))
            size += cython.cast(cython.int, ubit_var_size(word >> size))
        if size > PEEK_BITS:
            return size
        if depth + pushed >= LEVELS:
            return 0
        for _ in range(pushed):
            depth += 1
            if short:
                self._path[depth] = cython.cast(cython.longlong, (word >> size) & 31)
                size += 5
            else:
                self._path[depth] = _number_of(word >> size)
                size += _number_size(word >> size)
            if size > PEEK_BITS:
                return size
        at = 0
        for level in range(depth):
            number: cython.longlong = self._path[level]
            if number < 0 or number >= rows[ROW * at + PLACES]:
                return size
            at = self._places[2 * (rows[ROW * at + FIRST] + cython.cast(cython.int, number)) + 1]
            if at == 0:
                return size
        self._to_row = at
        self._to = self._path[depth]
        return size

    def __len__(self) -> int:
        return self._count
