"""String tables of dumps (full packets and StringTables frames); entries are decoded on access."""

from __future__ import annotations

from array import array

from playhead.bits.byte_reader import ByteReader
from playhead.errors import ReplayError
from playhead.runtime import cython
from playhead.runtime.typing import Any
from playhead.source2.messages import wire
from playhead.source2.messages.wire_decoder import MAX_FIELDS

if not cython.compiled:
    from playhead.bits.byte_reader import take_varuint32

    # Keys of fields: name, entry and flags of a table; name and data of an entry.
    TABLE_NAME, TABLE_ENTRY, TABLE_FLAGS = 0x0A, 0x12, 0x20
    ENTRY_NAME, ENTRY_DATA = 0x0A, 0x12
    # Marks an entry without data.
    NONE = -1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _low_32() -> cython.longlong:
    """Return the low 32 bits; a literal would be a Python object."""
    return (cython.cast(cython.longlong, 1) << 32) - 1


_DEFINITION = "CDemoStringTables.table_t"


@cython.final
@cython.cclass
class DumpedTable:
    """One table of a CDemoStringTables; the number of an entry is its position.

    Args:
        packed: the bytes of the table.
        count: number of its entries.

    Attributes:
        name: name of the table.

    Raises:
        ReplayError: the table cannot be decoded.
    """

    name: str

    def __init__(self, packed: bytes, count: cython.Py_ssize_t) -> None:
        self.name = ""
        self._data = packed
        # Offset and size of every name and every value, 32 bits each.
        self._names = array("q", bytes(8 * count))
        self._values = array("q", bytes(8 * count))
        try:
            plain = self._walk(packed, count)
        except ReplayError:  # decoding it raises the better error
            plain = False
        if not plain:
            self._decode(packed)

    def __len__(self) -> int:
        return len(self._names)

    def _walk(self, packed: bytes, count: cython.Py_ssize_t) -> cython.bint:
        """Find the entries; return False if they are not in the game's usual form."""
        reader: ByteReader = ByteReader(packed)
        names: cython.longlong[::1] = self._names
        values: cython.longlong[::1] = self._values
        found: cython.Py_ssize_t = 0
        name: cython.longlong
        value: cython.longlong
        left: cython.longlong = MAX_FIELDS
        while reader.remaining():
            left -= 3
            if left < 0:
                return False
            key: cython.longlong = take_varuint32(reader)
            if key == TABLE_NAME:
                self.name = reader.read_bytes(reader.read_varuint32()).decode("utf-8", "replace")
                continue
            if key == TABLE_FLAGS:
                reader.read_varuint64()
                continue
            if key != TABLE_ENTRY:
                return False
            size: cython.ulonglong = take_varuint32(reader)
            if size > reader.remaining():
                return False
            end: cython.ulonglong = reader.tell() + size
            name = value = NONE
            if reader.tell() < end:
                key = take_varuint32(reader)
                if key == ENTRY_NAME:
                    size = take_varuint32(reader)
                    at: cython.longlong = reader.tell()
                    reader.skip(size)
                    name = at << 32 | size
                    if not self._is_ascii(at, size):
                        return False
                    key = take_varuint32(reader) if reader.tell() < end else 0
                if key == ENTRY_DATA:
                    size = take_varuint32(reader)
                    at = reader.tell()
                    reader.skip(size)
                    value = at << 32 | size
            if reader.tell() != end or found == count:
                return False
            names[found] = 0 if name == NONE else name
            values[found] = value
            found += 1
        return found == count

    def _is_ascii(self, at: cython.longlong, size: cython.ulonglong) -> cython.bint:
        if not cython.compiled:
            return self._data[at : at + size].isascii()
        data: cython.p_char = PyBytes_AS_STRING(self._data) + at
        place: cython.ulonglong
        bits: cython.uchar = 0
        for place in range(size):
            bits |= cython.cast(cython.uchar, data[place])
        return bits < 0x80

    def _decode(self, packed: bytes) -> object:
        """Find the entries of an unusual table by its protobuf definition."""
        content: dict[str | int, Any] = wire.decode(_DEFINITION, packed)
        self.name = content.get("table_name", "")
        data = bytearray()
        names = array("q")
        values = array("q")
        for each in content.get("items", ()):
            name, value = each.get("str", "").encode(), each.get("data")
            names.append(len(data) << 32 | len(name))
            data += name
            values.append(NONE if value is None else len(data) << 32 | len(value))
            data += value or b""
        self._data, self._names, self._values = bytes(data), names, values
        return None

    def name_of(self, index: cython.Py_ssize_t) -> bytes:
        """Return the name of an entry, UTF-8."""
        return self._bytes(self._place(self._names, index))

    def value_of(self, index: cython.Py_ssize_t) -> object:
        """Return the data of an entry; None if it has none."""
        place: cython.longlong = self._place(self._values, index)
        return None if place == NONE else self._bytes(place)

    def _place(self, places: array, index: cython.Py_ssize_t) -> cython.longlong:
        """Return where an entry's name or data is; an array would make a Python object of it."""
        if not 0 <= index < len(places):
            raise IndexError(index)
        return places.data.as_longlongs[index] if cython.compiled else places[index]

    def _bytes(self, place: cython.longlong) -> bytes:
        at: cython.Py_ssize_t = place >> 32
        size: cython.Py_ssize_t = place & _low_32()
        if not cython.compiled:
            return self._data[at : at + size]
        # `_walk` and `_decode` have seen that it lies within; a slice would be three more objects.
        return PyBytes_FromStringAndSize(PyBytes_AS_STRING(self._data) + at, size)

    def has(self, index: cython.Py_ssize_t, name: bytes, value: object, strictly: cython.bint) -> cython.bint:
        """Return whether an entry has this name and data; unless `strictly`, missing and empty data are equal."""
        place: cython.longlong = self._place(self._values, index)
        if not self._equal(self._place(self._names, index), name):
            return False
        if value is None or place == NONE:
            if strictly:
                return value is None and place == NONE
            return (value is None or not value) and (place == NONE or place & _low_32() == 0)
        data: bytes = value
        return self._equal(place, data)

    def _equal(self, place: cython.longlong, other: bytes) -> cython.bint:
        at: cython.Py_ssize_t = place >> 32
        size: cython.Py_ssize_t = place & _low_32()
        if size != len(other):
            return False
        if not cython.compiled:
            return self._data[at : at + size] == other
        return memcmp(PyBytes_AS_STRING(self._data) + at, PyBytes_AS_STRING(other), size) == 0
