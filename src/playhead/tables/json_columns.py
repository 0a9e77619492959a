"""Growing bytes and JSON text, columns whose values may be missing, and rows of columns as JSON objects.

Readers of messages fill these without a Python object or string for each value. JSON is as
`playhead.text.json.to_json` writes it; a test compares the two. The module is long because one more compiled
module takes seconds of each installation.
"""

from __future__ import annotations

from array import array

from playhead.bits.byte_reader import ByteReader
from playhead.runtime import cython
from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any
from playhead.tables.arrow import numbers_in
from playhead.tables.number_columns import packed_bits, presence_bits
from playhead.tables.value_arrays import array_of
from playhead.text.json import quoted, to_json

if cython.compiled:
    from cython.cimports.cpython.array import clone


_FIRST_BYTES = 256
# Up to how many bytes a buffer grows to four times as many.
_SOON_BYTES = cython.declare(cython.Py_ssize_t, 1 << 20)
# `playhead.text.json.MOST_EXACT`.
_MOST_EXACT = cython.declare(cython.longlong, 1 << 53)
# No number between 2**-12 and 2**64 has as many characters. Declared for the compiler.
_MOST_DIGITS = cython.declare(cython.Py_ssize_t, 48)


@cython.final
@cython.cclass
class ByteBuffer:
    """Growing bytes, and JSON values appended to them."""

    def __init__(self) -> None:
        self._array = array("B")
        self._size = 0
        self._capacity = 0

    def _grow(self, more: cython.Py_ssize_t) -> cython.int:
        if cython.compiled:
            times: cython.int = 4 if self._capacity < _SOON_BYTES else 2  # few copies; unused pages take no memory
            capacity: cython.Py_ssize_t = max(_FIRST_BYTES, times * self._capacity, self._size + more)
            resize(self._array, capacity)
            self._data, self._capacity = self._array.data.as_uchars, capacity
        return 0

    def tell(self) -> cython.Py_ssize_t:
        """Return the number of bytes."""
        return self._size

    def add(self, byte: cython.int) -> cython.int:
        """Append one byte."""
        if cython.compiled:
            if self._size == self._capacity:
                self._grow(1)
            self._data[self._size] = cython.cast(cython.uchar, byte)
        else:
            self._array.append(byte)
        self._size += 1
        return 0

    def add_bytes(self, data: bytes) -> cython.int:
        """Append bytes."""
        size: cython.Py_ssize_t = len(data)
        if not size:  # an empty buffer may have no memory to copy to
            return 0
        if cython.compiled:
            if size > self._capacity - self._size:
                self._grow(size)
            memcpy(self._data + self._size, PyBytes_AS_STRING(data), size)
        else:
            self._array.extend(data)
        self._size += size
        return 0

    def add_read(self, reader: ByteReader, count: cython.ulonglong) -> cython.int:
        """Append the next `count` bytes of a reader.

        Raises:
            TruncatedReplay: fewer bytes remain.
        """
        if cython.compiled:
            start: cython.p_const_uchar = reader._data + reader._pos
            reader.skip(count)
            if not count:
                return 0
            if cython.cast(cython.Py_ssize_t, count) > self._capacity - self._size:
                self._grow(count)
            memcpy(self._data + self._size, start, count)
            self._size += count
        else:
            self.add_bytes(reader.read_bytes(count))
        return 0

    def add_utf8(self, reader: ByteReader, count: cython.ulonglong) -> cython.int:
        """Append the next `count` bytes of a reader as a JSON string; bytes that are no UTF-8 become U+FFFD.

        Raises:
            TruncatedReplay: fewer bytes remain.
        """
        plain: cython.bint = cython.compiled and count <= reader.remaining()
        if plain:
            data: cython.p_const_uchar = reader._data + reader._pos
            i: cython.ulonglong
            for i in range(count):
                if data[i] < 32 or data[i] > 126 or data[i] == 34 or data[i] == 92:
                    plain = False
                    break
        if not plain:
            return self.add_text(reader.read_bytes(count).decode("utf-8", "replace"))
        self.add(34)
        self.add_read(reader, count)
        return self.add(34)

    def add_text(self, value: str) -> cython.int:
        """Append a JSON string."""
        return self.add_bytes(quoted(value).encode())

    def add_hex(self, value: bytes) -> cython.int:
        """Append bytes as the JSON object ``{"hex": "…"}``."""
        self.add_bytes(b'{"hex": "')
        self.add_bytes(value.hex().encode())
        return self.add_bytes(b'"}')

    def add_number(self, value: cython.longlong) -> cython.int:
        """Append a whole number in decimal digits, of one that JavaScript would round as a string."""
        if value < -_MOST_EXACT:
            return self.add_bytes(b'"%d"' % value)
        if value < 0:
            self.add(45)
            return self.add_unsigned(0 - cython.cast(cython.ulonglong, value))
        return self.add_unsigned(cython.cast(cython.ulonglong, value))

    def add_float(self, value: cython.double) -> cython.int:
        """Append the shortest digits that mean this number, or ``"NaN"``, ``"Infinity"`` or ``"-Infinity"``."""
        if value - value != 0 or not cython.compiled:
            return self.add_bytes(to_json(value).encode())
        if -1e15 < value < 1e15 and value != 0:
            whole: cython.longlong = cython.cast(cython.longlong, value)
            if whole == value:
                self.add_number(whole)
                return self.add_bytes(b".0")
            if self._add_shortest(value):
                return 0
        text: cython.p_char = PyOS_double_to_string(value, 114, 0, Py_DTSF_ADD_DOT_0, cython.NULL)  # as repr
        if text == cython.NULL:
            raise MemoryError
        size: cython.Py_ssize_t = strlen(text)
        if size > self._capacity - self._size:
            self._grow(size)
        memcpy(self._data + self._size, text, size)
        self._size += size
        PyMem_Free(text)
        return 0

    def _add_shortest(self, value: cython.double) -> cython.bint:
        """Append the shortest digits that mean this number, the nearest of several; return whether it could.

        This is Steele and White's algorithm for numbers between 2**-12 and 2**49, whose steps fit in 64 bits. All
        Dota 2 tables take a third longer with `PyOS_double_to_string` alone, those of StarCraft II a seventh. The
        neighbours of a power of 2 are not equally far, but a power of 2 in this range is whole or ends after so
        few digits that no other number is near.
        """
        bits: cython.ulonglong = 0
        if cython.compiled:
            memcpy(cython.address(bits), cython.address(value), 8)
        exponent: cython.int = cython.cast(cython.int, bits >> 52 & 2047) - 1023
        fraction: cython.ulonglong = bits & ((cython.cast(cython.ulonglong, 1) << 52) - 1)
        if not -12 <= exponent < 49:
            return False
        start: cython.Py_ssize_t = self._size
        if self._capacity - start < _MOST_DIGITS:
            self._grow(_MOST_DIGITS)
        # Everything is in units of half the distance to the next number.
        places: cython.int = 53 - exponent
        rest: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << 52 | fraction) << 1
        near: cython.ulonglong = 1
        even: cython.bint = (fraction & 1) == 0
        if value < 0:
            self.add(45)
        if exponent < 0:
            self.add(48)
        else:
            self.add_unsigned(rest >> places)
            rest &= (cython.cast(cython.ulonglong, 1) << places) - 1
        self.add(46)
        to: cython.p_uchar = self._data + self._size
        made: cython.int = 0
        while True:
            # Ten times as much, in units of twice the size.
            rest *= 5
            near *= 5
            places -= 1
            if places > 63:
                to[made] = 48
                made += 1
                continue
            one: cython.ulonglong = cython.cast(cython.ulonglong, 1) << places
            digit: cython.int = cython.cast(cython.int, rest >> places)
            rest &= one - 1
            below: cython.bint = rest < near or (even and rest == near)
            above: cython.bint = rest + near > one or (even and rest + near == one)
            if below or above:
                # Of two that are equally near, the even digit.
                if above and (not below or 2 * rest > one or (2 * rest == one and digit & 1)):
                    digit += 1
                if digit > 9:
                    break
                to[made] = cython.cast(cython.uchar, 48 + digit)
                self._size += made + 1
                return True
            to[made] = cython.cast(cython.uchar, 48 + digit)
            made += 1
        self._size = start
        return False

    def add_unsigned(self, value: cython.ulonglong) -> cython.int:
        """Append a whole number of 0 or more, as `add_number`."""
        if value > _MOST_EXACT:
            return self.add_bytes(b'"%d"' % value)
        if not cython.compiled:
            return self.add_bytes(str(value).encode())
        if self._capacity - self._size < _MOST_DIGITS:
            self._grow(_MOST_DIGITS)
        digits: cython.uchar[20]
        first: cython.int = 20
        while True:
            first -= 1
            digits[first] = cython.cast(cython.uchar, 48 + value % 10)
            value //= 10
            if not value:
                break
        memcpy(self._data + self._size, digits + first, 20 - first)
        self._size += 20 - first
        return 0

    def cut(self, first: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
        """Remove the bytes from `first` up to `end`."""
        if first < 0 or end < first or end > self._size:
            raise IndexError(f"expected bytes of 0 to {self._size}, got {first} to {end}")
        if cython.compiled:
            if end < self._size:
                memmove(self._data + first, self._data + end, self._size - end)
        else:
            del self._array[first:end]
        self._size -= end - first
        return 0

    def put(self, at: cython.Py_ssize_t, byte: cython.int) -> cython.int:
        """Replace the byte at a place."""
        if at < 0 or at >= self._size:
            raise IndexError(f"expected a place of 0 to {self._size - 1}, got {at}")
        if cython.compiled:
            self._data[at] = cython.cast(cython.uchar, byte)
        else:
            self._array[at] = byte
        return 0

    def detach(self) -> array:
        """Return the bytes and start anew with none."""
        done = self._array
        if cython.compiled:
            resize(self._array, self._size)
        self._array = array("B")
        self._size = self._capacity = 0
        return done


# Rows of the first allocation, and up to how many a column grows to four times as many.
_FIRST_CAPACITY = cython.declare(cython.Py_ssize_t, 1024)
_SOON = cython.declare(cython.Py_ssize_t, 8192)
# Arrays whose types new ones have.
_INTS, _FLAGS = array("i"), array("B")
# Arrow counts the bytes of one array of text with 32 bits.
_MOST_BYTES = (1 << 31) - 1


@cython.final
@cython.cclass
class ValueColumn:
    """A column of numbers, each kept in 64 bits: whole ones, or the bits of a double."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> object:
        self._cells = array("q")
        self._valid = array("B")
        self._size = self._capacity = 0
        return None

    def __len__(self) -> int:
        return self._size

    def _grow(self, rows: cython.Py_ssize_t) -> cython.int:
        """Make room for at least that many rows."""
        if cython.compiled:
            capacity: cython.Py_ssize_t = self._capacity or _FIRST_CAPACITY
            while capacity < rows:  # few copies; pages that are never written take no memory
                capacity *= 4 if capacity < _SOON else 2
            resize(self._cells, capacity)
            self._cell = self._cells.data.as_longlongs
            resize(self._valid, capacity)
            self._there, self._capacity = self._valid.data.as_uchars, capacity
        return 0

    def append(self, value: cython.longlong, there: cython.bint) -> cython.int:
        """Append a value, or null."""
        if cython.compiled:
            if self._size == self._capacity:
                self._grow(self._size + 1)
            self._cell[self._size] = value
            self._there[self._size] = there
        else:
            self._cells.append((value + (1 << 63)) % (1 << 64) - (1 << 63))
            self._valid.append(bool(there))
        self._size += 1
        return 0

    def fill(self, rows: cython.Py_ssize_t) -> cython.int:
        """Append null for each missing row."""
        if not cython.compiled:
            while self._size < rows:
                self.append(0, False)
            return 0
        if self._size < rows:
            if self._capacity < rows:
                self._grow(rows)
            memset(self._cell + self._size, 0, (rows - self._size) * 8)
            memset(self._there + self._size, 0, rows - self._size)
            self._size = rows
        return 0

    def to_arrow(self, form: pa.DataType) -> pa.Array:
        """The column, its 64 bits taken for int64, uint64 or float64; it is handed over and starts anew."""
        if cython.compiled:
            resize(self._cells, self._size)
            resize(self._valid, self._size)
        cells, valid, size = self._cells, self._valid, self._size
        self._begin()
        return pa.Array.from_buffers(form, size, [presence_bits(valid), pa.py_buffer(cells)])

    def to_bools(self) -> pa.Array:
        """Return the column as bool, true for numbers other than 0; the column is empty again."""
        size: cython.Py_ssize_t = self._size
        flags: array = clone(_FLAGS, size, False) if cython.compiled else array("B", bytes(size))
        to: cython.p_uchar = flags.data.as_uchars if cython.compiled else flags
        given: cython.p_longlong = self._cells.data.as_longlongs if cython.compiled else self._cells
        place: cython.Py_ssize_t
        for place in range(size):
            to[place] = given[place] != 0
        valid: array = self._valid
        if cython.compiled:
            resize(valid, size)
        self._begin()
        return pa.Array.from_buffers(pa.bool_(), size, [presence_bits(valid), packed_bits(flags)])

    def to_int32(self) -> pa.Array:
        """As `to_arrow`, as int32 if each value fits, else as int64."""
        row: cython.Py_ssize_t
        size: cython.Py_ssize_t = self._size
        narrow: array = clone(_INTS, size, False) if cython.compiled else array("i", bytes(4 * size))
        cells: cython.p_longlong = self._cells.data.as_longlongs if cython.compiled else self._cells
        valid: cython.p_uchar = self._valid.data.as_uchars if cython.compiled else self._valid
        to: cython.p_int = narrow.data.as_ints if cython.compiled else narrow
        wide: cython.ulonglong = 0
        half: cython.ulonglong = 1 << 31
        for row in range(size):
            value: cython.longlong = cells[row]
            wide |= cython.cast(cython.ulonglong, value) + half >> 32
            if cython.compiled:
                to[row] = cython.cast(cython.int, value)
            else:
                to[row] = (value + (1 << 31)) % (1 << 32) - (1 << 31)
        if wide:  # perhaps only where there is none
            for row in range(size):
                if valid[row] and cells[row] >> 31 not in (0, -1):
                    return self.to_arrow(pa.int64())
        there: array = self._valid
        if cython.compiled:
            resize(there, size)
        self._begin()
        return pa.Array.from_buffers(pa.int32(), size, [presence_bits(there), pa.py_buffer(narrow)])


@cython.final
@cython.cclass
class TextColumn:
    """A column of text or bytes. A value consists of the bytes appended to `data` since the previous value.

    Attributes:
        data: the bytes of all values.
    """

    data: ByteBuffer

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> object:
        self.data = ByteBuffer()
        self._ends = ValueColumn()
        return None

    def __len__(self) -> int:
        return self._ends._size

    @cython.nonecheck(True)
    def end(self, there: cython.bint) -> cython.int:
        """End the value here, or append null."""
        return self._ends.append(self.data._size, there)

    @cython.nonecheck(True)
    def append(self, value: bytes | None) -> None:
        """Append a value, or null."""
        if value is not None:
            self.data.add_bytes(value)
        self.end(value is not None)

    @cython.nonecheck(True)
    def _in_one(self, form: object) -> object:
        """Return the column in one chunk; the buffers are moved out and the column is empty again."""
        rows: cython.Py_ssize_t = self._ends._size
        ends: array = self._ends._cells
        limits: array = array("i", bytes(4 * (rows + 1)))
        end: cython.longlong[::1] = ends
        limit: cython.int[::1] = limits
        row: cython.Py_ssize_t
        for row in range(rows):
            limit[row + 1] = cython.cast(cython.int, end[row])
        there: array = self._ends._valid
        if cython.compiled:
            resize(there, rows)
        buffers = [presence_bits(there), pa.py_buffer(limits), pa.py_buffer(self.data.detach())]
        self._begin()
        return pa.chunked_array([pa.Array.from_buffers(form, rows, buffers)], form)

    def to_arrow(self, form: pa.DataType) -> pa.ChunkedArray:
        """Return the column as text or bytes, in chunks. The buffers are moved out; the column is empty again."""
        if self.data._size <= _MOST_BYTES:
            return self._in_one(form)
        ends = self._ends.to_arrow(pa.int64())
        data = pa.py_buffer(self.data.detach())
        self._begin()
        limits = pa.Array.from_buffers(pa.int64(), len(ends), [None, ends.buffers()[1]])
        limits = pa.concat_arrays([array_of([0], pa.int64()), limits])
        large = pa.large_string() if form == pa.string() else pa.large_binary()
        whole = pa.Array.from_buffers(large, len(ends), [ends.buffers()[0], limits.buffers()[1], data])
        chunks = []
        first = 0
        while first < len(whole):
            last = len(whole)
            while last > first + 1 and limits[last].as_py() - limits[first].as_py() > _MOST_BYTES:
                last = (first + last) // 2
            # Taken one by one, since the offsets of a slice count from the beginning of all.
            chunks.append(whole.take(array_of(range(first, last), pa.int64())).cast(form))
            first = last
        return pa.chunked_array(chunks, form)


if not cython.compiled:
    # The same as the inline functions and kinds of a column's values in the .pxd.
    put_byte = ByteBuffer.add
    put_bytes = ByteBuffer.add_bytes
    append_value = ValueColumn.append
    WHOLE, REAL, CODE, WHOLES = range(4)

    def put_part(buffer: ByteBuffer, data: bytes, start: int, size: int) -> int:
        return buffer.add_bytes(data[start : start + size])


# Number of rows without columns.
_ANY = 1 << 62


@cython.final
@cython.cclass
class JsonColumn:
    """A column whose values become text.

    Args:
        key: name of the column as a JSON key.
        kind: whole numbers, real numbers, codes of texts, or lists of whole numbers.
        there: whether each row has a value.
        wholes: whole numbers, codes, or the values of all lists.
        reals: real numbers.
        ends: a 0, then the end of each list.
        texts: texts by code.
    """

    # stub: def __init__(self, key: bytes, kind: int, there: array[int], wholes: array[int], reals: array[float],
    #     ends: array[int], texts: list[bytes]) -> None: ...
    def __init__(
        self,
        key: bytes,
        kind: cython.int,
        there: array,
        wholes: array,
        reals: array,
        ends: array,
        texts: list[bytes],
    ) -> None:
        self._key, self._kind, self._texts = key, kind, texts
        self._there, self._wholes, self._reals, self._ends = there, wholes, reals, ends
        if cython.compiled:
            self._there_of = there.data.as_uchars
            self._whole_of = wholes.data.as_longlongs
            self._real_of = reals.data.as_doubles
            self._end_of = ends.data.as_longlongs
        else:
            self._there_of, self._whole_of, self._real_of, self._end_of = there, wholes, reals, ends

    def add(self, data: ByteBuffer, row: cython.Py_ssize_t) -> cython.int:
        """Append key and value of a row that has a value."""
        put_bytes(data, self._key)
        if self._kind == WHOLE:
            return data.add_number(self._whole_of[row])
        if self._kind == REAL:
            return data.add_float(self._real_of[row])
        if self._kind == CODE:
            return put_bytes(data, self._texts[self._whole_of[row]])
        return self._add_list(data, row)

    def _add_list(self, data: ByteBuffer, row: cython.Py_ssize_t) -> cython.int:
        at: cython.longlong
        put_byte(data, 91)  # [
        for at in range(self._end_of[row], self._end_of[row + 1]):
            if at > self._end_of[row]:
                put_bytes(data, b", ")
            data.add_number(self._whole_of[at])
        return put_byte(data, 93)  # ]


@cython.final
@cython.cclass
class JsonRows:
    """Columns whose rows become JSON objects, without nulls."""

    def __init__(self) -> None:
        self._columns = []

    @cython.nonecheck(True)
    def add(self, name: str, values: pa.Array, *, parse: bool = False) -> None:
        """Add a column.

        Args:
            name: key of the values in the objects.
            values: as many values as in the columns before.
            parse: text is JSON, and its value becomes part of the object.

        Raises:
            ValueError: `parse` is True, and a text is no JSON.
        """
        type_ = values.type
        if pa.types.is_dictionary(type_) and values.dictionary.null_count:
            values = values.cast(type_.value_type)
        wholes: array = array("q")
        reals: array = array("d")
        ends: array = array("q")
        texts: list = []
        there: array = array("B", b"\1") * len(values)
        if values.null_count:
            there = _numbers(values.is_valid().cast(pa.uint8()), "B")
        kind = CODE
        if pa.types.is_integer(type_) and type_ != pa.uint64():
            kind = WHOLE
            wholes = _numbers(values.cast(pa.int64()), "q")
        elif pa.types.is_floating(type_):
            kind = REAL
            reals = _numbers(values.cast(pa.float64()), "d")
        elif pa.types.is_list(type_) and pa.types.is_integer(type_.value_type) and not values.values.null_count:
            kind = WHOLES
            wholes = _numbers(values.values.cast(pa.int64()), "q")
            ends = _numbers(values.offsets.cast(pa.int64()), "q")
        elif values.null_count < len(values):
            indices, different = _coded(values)
            wholes = _numbers(indices.cast(pa.int64()), "q")
            if parse and pa.types.is_string(different.type):
                from json import loads  # a start needs neither this nor `tables.arrow`

                texts = [_text(loads(value)) for value in different.to_pylist()]
            else:
                texts = [_text(value) for value in different.to_pylist()]
        key = f"{to_json(name)}: ".encode()
        self._columns.append(JsonColumn(key, kind, there, wholes, reals, ends, texts))

    @cython.nonecheck(True)
    def write(self, count: cython.Py_ssize_t) -> pa.ChunkedArray:
        """Return the objects of the first `count` rows, as text.

        Raises:
            ValueError: a column has fewer rows.
        """
        text: TextColumn = TextColumn()
        row: cython.Py_ssize_t
        if count > self._rows():
            raise ValueError(f"expected columns of at least {count} rows, got {self._rows()}")
        for row in range(count):
            self._add_row(text.data, row)
            text.end(True)
        return text.to_arrow(pa.string())

    def _rows(self) -> cython.Py_ssize_t:
        """Return the number of rows that every column has."""
        rows: cython.Py_ssize_t = _ANY
        column: JsonColumn
        for column in self._columns:
            rows = min(rows, len(column._there))
        return rows

    def _add_row(self, data: ByteBuffer, row: cython.Py_ssize_t) -> cython.int:
        first: cython.bint = True
        column: JsonColumn
        put_byte(data, 123)  # {
        for column in self._columns:
            if not column._there_of[row]:
                continue
            if not first:
                put_bytes(data, b", ")
            first = False
            column.add(data, row)
        return put_byte(data, 125)  # }


@cython.nonecheck(True)
def merged_rows(parts: list[JsonRows], part_of: pa.Array, row_of: pa.Array) -> pa.ChunkedArray:
    """Return rows of several parts as text.

    Args:
        part_of: the place in `parts` of each row's part; int32.
        row_of: the place of each row in its part; int32.

    Raises:
        ValueError: there is no such part or row.
    """
    text: TextColumn = TextColumn()
    numbers: array = _numbers(part_of, "i")
    rows: array = _numbers(row_of, "i")
    sizes: array = array("q")
    place: cython.Py_ssize_t
    part: JsonRows
    for part in parts:
        sizes.append(part._rows())
    if len(rows) != len(numbers):
        raise ValueError(f"expected a row for each of {len(numbers)} parts, got {len(rows)}")
    for place in range(len(numbers)):
        number: cython.int = numbers.data.as_ints[place] if cython.compiled else numbers[place]
        row: cython.int = rows.data.as_ints[place] if cython.compiled else rows[place]
        if not 0 <= number < len(parts) or not 0 <= row < sizes[number]:
            raise ValueError(f"expected a row of one of {len(parts)} parts, got row {row} of part {number}")
        part = parts[number]
        part._add_row(text.data, row)
        text.end(True)
    return text.to_arrow(pa.string())


def _text(value: object) -> bytes:
    return to_json(value).encode()


def _coded(values: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return each value's place among the distinct values, and these; floats and lists are not compared."""
    if pa.types.is_dictionary(values.type):
        return values.indices, values.dictionary
    if pa.types.is_nested(values.type) or pa.types.is_floating(values.type):
        from playhead.tables.arrow import row_numbers

        return row_numbers(len(values), pa.int64()), values
    found = values.dictionary_encode()
    return found.indices, found.dictionary


def _numbers(values: pa.Array, code: str) -> array[Any]:
    """Return the numbers of a column; a null is any number."""

    return numbers_in(values.buffers()[1], code, values.offset, len(values))
