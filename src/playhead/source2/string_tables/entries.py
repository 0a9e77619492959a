"""The bit-packed list of entries that messages about string tables carry."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from playhead.bits.bit_reader import BitReader
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.source2.container.snappy import decompress

if TYPE_CHECKING:
    from playhead.limits import Limits

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

# stub: from collections.abc import Callable
# stub: from playhead.source2.string_tables.tables import StringTableChange, StringTableItem

#: Bit of a table's flags: each of its values says whether it is a Snappy block.
COMPRESSED_VALUES = 1

# An entry may borrow the beginning of its key from one of the last 32.
_HISTORY = 32
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
        applied: how many entries `apply` has put into a table.
    """

    def __init__(self, data: Any, fixed_bits: int, compressed: bool, varint_sizes: bool, limits: Limits) -> None:
        self._reader = BitReader(data)
        self._fixed_bits = fixed_bits
        self._compressed = compressed
        self._varint_sizes = varint_sizes
        self._most_index = limits.elements
        self._most_bytes = limits.frame
        self._index = -1
        self._history: Any = deque(maxlen=_HISTORY)
        self.applied = 0

    @cython.ccall
    @cython.nonecheck(True)
    def read(self, names: Any) -> Any:
        """Read the next entry: its index, the name that it has in `names` or else gets, its value.

        Args:
            names: entries by index, each with its name as `key`.

        Raises:
            ReplayError: it cannot be decoded.
        """
        reader: BitReader = self._reader
        step: cython.longlong = 1
        if not reader.read_boolean():
            step = 2 + reader.read_varuint32()
        self._index += step
        if self._index > self._most_index:
            raise LimitExceeded(f"index {self._index} of a string table is over the limit of {self._most_index}")
        key = self._read_key() if reader.read_boolean() else None
        value = self._read_value() if reader.read_boolean() else None
        old = names.get(self._index)
        name = old.key if old is not None else (key or b"").decode("utf-8", "replace")
        self._history.append(key if key is not None else name.encode())
        return (self._index, name, value)

    # stub: def apply(self, items: dict[int, StringTableItem], count: int, table: str, item: type[StringTableItem],
    #     change: type[StringTableChange], on_change: Callable[[StringTableChange], None] | None) -> None: ...

    @cython.nonecheck(True)
    def apply(
        self, items: dict, count: cython.longlong, table: Any, item: Any, change: Any, on_change: Any
    ) -> None:
        """Read `count` entries and put each into `items`; call `on_change` with it then.

        Args:
            table: name of the string table.
            item, change: types of an entry and of a change.

        Raises:
            ReplayError: an entry cannot be decoded; those before are applied.
        """
        left: cython.longlong = count
        created: cython.bint
        entry: tuple
        while left > 0:
            left -= 1
            entry = self.read(items)
            index, key, value = entry
            created = index not in items
            # Made as tuples are: a recording has ten thousands of them.
            if created or value is not None:
                items[index] = tuple.__new__(item, entry)
            self.applied += 1
            if on_change is not None:
                on_change(tuple.__new__(change, (table, index, key, value, bool(created))))

    @cython.cfunc
    @cython.nonecheck(True)
    def _read_key(self) -> bytes:
        reader: BitReader = self._reader
        if not reader.read_boolean():
            return reader.read_string()
        position: cython.int = reader.read_bits(5)
        length: cython.int = reader.read_bits(5)
        history = self._history
        if position >= len(history):
            raise CorruptReplay(f"expected one of the last {len(history)} keys, found a reference to {position}")
        begin: bytes = history[position]
        return begin[:length] + reader.read_string()

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
