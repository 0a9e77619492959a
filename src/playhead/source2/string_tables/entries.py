"""The bit-packed list of entries that messages about string tables carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playhead.bits.bit_reader import BitReader
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.source2.container.snappy import decompress
from playhead.source2.string_tables.changes import ChangeColumns
from playhead.source2.string_tables.entry_list import EntryList

if TYPE_CHECKING:
    from playhead.limits import Limits

try:
    import cython
except ModuleNotFoundError:
    from playhead.runtime import cython_shim as cython

if not cython.compiled:
    from playhead.source2.string_tables.changes import CREATED, UPDATED
    from playhead.source2.string_tables.entry_list import as_text

    # An entry may borrow the beginning of its key from one of the last 32.
    HISTORY = 32

# stub: from collections.abc import Callable, Sequence
# stub: from playhead.source2.string_tables.tables import StringTableChange

#: Bit of a table's flags: each of its values says whether it is a Snappy block.
COMPRESSED_VALUES = 1

# Bits that hold the size of a value where it is not a ubitvar (before patch 7.33 of April 2023).
_OLD_SIZE_BITS = 17


@cython.final
@cython.cclass
class EntryReader:
    """Reads one entry after the other, as the bytes have them.

    The index of an entry is the one before plus 1, or plus 2 and a varint.

    Args:
        data: the entries.
        fixed_bits: size in bits of every value; -1 where each says its own.
        compressed: values may be Snappy blocks.
        varint_sizes: a value's size is a ubitvar, not 17 bits.
        limits: bounds on an index and on an unpacked value.

    Attributes:
        applied: how many entries `apply` has put into a list.
    """

    def __init__(self, data: Any, fixed_bits: int, compressed: bool, varint_sizes: bool, limits: Limits) -> None:
        self._reader = BitReader(data)
        self._fixed_bits = fixed_bits
        self._compressed = compressed
        self._varint_sizes = varint_sizes
        self._most_index = limits.elements
        self._most_bytes = limits.frame
        self._index = -1
        self._key = None
        self._value = None
        # The last keys, the one of entry n at place n % 32.
        self._history = [None] * HISTORY
        self._passed = 0
        self.applied = 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    @cython.nonecheck(True)
    def _read(self) -> cython.int:
        """Read the next entry: its index, key and value, each None where the bytes have none."""
        reader: BitReader = self._reader
        step: cython.longlong = 1
        if not reader.read_boolean():
            step = 2 + reader.read_varuint32()
        self._index += step
        if self._index > self._most_index:
            raise LimitExceeded(f"index {self._index} of a string table is over the limit of {self._most_index}")
        self._key = self._read_key() if reader.read_boolean() else None
        self._value = self._read_value() if reader.read_boolean() else None
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _remember(self, name: bytes) -> cython.int:
        """Let the entries that come borrow from the key of this one, otherwise from its name."""
        history: list = self._history
        history[self._passed % HISTORY] = name if self._key is None else self._key
        self._passed += 1
        return 0

    # stub: def read(self, entries: EntryList) -> tuple[int, str, bytes | None]: ...

    @cython.nonecheck(True)
    def read(self, entries: EntryList) -> tuple:
        """Read the next entry: its index, the name that it has among `entries` or else gets, its value.

        Raises:
            ReplayError: it cannot be decoded.
        """
        self._read()
        place: cython.Py_ssize_t = entries.place_of(self._index)
        name: bytes = entries.name_at(place) if place >= 0 else as_text(self._key or b"")
        self._remember(name)
        return (self._index, name.decode("utf-8"), self._value)

    # stub: def apply(self, entries: EntryList, count: int, table: str, columns: Sequence[ChangeColumns],
    #     change: type[StringTableChange], on_change: Callable[[StringTableChange], None] | None) -> None: ...

    @cython.nonecheck(True)
    def apply(
        self, entries: EntryList, count: cython.longlong, table: str, columns: Any, change: Any, on_change: Any
    ) -> None:
        """Read `count` entries; put each into `entries`, then add it to `columns` and call `on_change` with it.

        Args:
            table: name of the string table.
            change: type of a change.

        Raises:
            ReplayError: an entry cannot be decoded; those before are applied.
        """
        left: cython.longlong = count
        created: cython.bint
        name: bytes
        place: cython.Py_ssize_t
        kept: ChangeColumns
        recorded: cython.bint = bool(columns)
        while left > 0:
            left -= 1
            self._read()
            place = entries.place_of(self._index)
            created = place < 0
            if created:
                name = as_text(self._key) if self._key is not None else b""
                entries.add(self._index, name, self._value)
            else:
                name = entries.name_at(place)
                if self._value is not None:
                    entries.put(place, self._value)
            self._remember(name)
            self.applied += 1
            if recorded:
                for kept in columns:
                    kept.add(self._index, name, self._value, CREATED if created else UPDATED)
            if on_change is not None:
                on_change(
                    tuple.__new__(change, (table, self._index, name.decode("utf-8"), self._value, bool(created)))
                )

    @cython.cfunc
    @cython.nonecheck(True)
    def _read_key(self) -> bytes:
        reader: BitReader = self._reader
        if not reader.read_boolean():
            return reader.read_string()
        position: cython.int = reader.read_bits(5)
        length: cython.int = reader.read_bits(5)
        known: cython.longlong = min(self._passed, HISTORY)
        if position >= known:
            raise CorruptReplay(f"expected one of the last {known} keys, found a reference to {position}")
        begin: bytes = self._history[(self._passed - known + position) % HISTORY]
        return reader.read_string_after(begin[:length])

    @cython.cfunc
    @cython.nonecheck(True)
    def _read_value(self) -> bytes:
        reader: BitReader = self._reader
        if self._fixed_bits >= 0:
            return reader.read_bits_as_bytes(self._fixed_bits)
        compressed = self._compressed and reader.read_boolean()
        size = reader.read_ubit_var() if self._varint_sizes else reader.read_bits(_OLD_SIZE_BITS)
        data: bytes = reader.read_bytes(size)
        return decompress(data, self._most_bytes) if compressed else data
