"""The bit-packed list of entries in messages about string tables."""

from __future__ import annotations

from playhead.bits.bit_reader import BitReader
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.runtime import cython
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.container.snappy import decompress
from playhead.source2.string_tables.changes import ChangeColumns
from playhead.source2.string_tables.entry_list import EntryList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playhead.limits import Limits
    from playhead.source2.string_tables.items import StringTableChange


if not cython.compiled:
    from playhead.source2.string_tables.changes import CREATED, UPDATED
    from playhead.source2.string_tables.entry_list import as_text

    # A key may begin with a prefix of one of the last 32 keys.
    HISTORY = 32


#: Bit of a table's flags: each value has a bit for whether it is a Snappy block.
COMPRESSED_VALUES = 1

# Bits of a value's size if it is not a ubitvar (before patch 7.33 of April 2023).
_OLD_SIZE_BITS = 17


@cython.final
@cython.cclass
class EntryReader:
    """Decodes entries one after the other.

    The index of an entry is the previous index plus 1, or plus 2 and a varint.

    Args:
        data: the entries.
        fixed_bits: bits of every value; -1 if each value has its own size.
        compressed: whether values may be Snappy blocks.
        varint_sizes: whether a value's size is a ubitvar, not 17 bits.
        limits: bounds on an index and on an unpacked value.

    Attributes:
        applied: number of entries applied by `apply`.
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
        # The latest keys; entry n has position n % 32.
        self._history = [None] * HISTORY
        self._passed = 0
        self.applied = 0

    @cython.nonecheck(True)
    def _read(self) -> cython.int:
        """Read index, key and value of the next entry; a missing key or value is None."""
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

    def _remember(self, name: bytes) -> cython.int:
        """Remember the key of this entry, or else its name, for later keys that share its prefix."""
        history: list = self._history
        history[self._passed % HISTORY] = name if self._key is None else self._key
        self._passed += 1
        return 0

    @cython.nonecheck(True)
    def read(self, entries: EntryList) -> tuple[int, str, bytes | None]:
        """Return the next entry: index, name and value. A known entry keeps its name in `entries`.

        Raises:
            ReplayError: the entry cannot be decoded.
        """
        self._read()
        place: cython.Py_ssize_t = entries.place_of(self._index)
        name: bytes = entries.name_at(place) if place >= 0 else as_text(self._key or b"")
        self._remember(name)
        return (self._index, name.decode("utf-8"), self._value)

    @cython.nonecheck(True)
    def apply(
        self,
        entries: EntryList,
        count: cython.longlong,
        table: str,
        columns: Sequence[ChangeColumns],
        change: type[StringTableChange],
        on_change: Callable[[StringTableChange], None] | None,
    ) -> None:
        """Apply the next `count` entries to `entries`, append each to `columns`, and call `on_change` with it.

        Args:
            entries: the entries of the table.
            count: number of entries to read.
            table: name of the string table.
            columns: each change is appended to these.
            change: type of a change.
            on_change: called with each change; None calls nothing.

        Raises:
            ReplayError: an entry cannot be decoded; earlier ones stay applied.
        """
        left: cython.longlong = count
        kept: ChangeColumns
        recorded: cython.bint = bool(columns)
        while left > 0:
            left -= 1
            self._read()
            place: cython.Py_ssize_t = entries.place_of(self._index)
            created: cython.bint = place < 0
            if created:
                name: bytes = as_text(self._key) if self._key is not None else b""
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

    @cython.nonecheck(True)
    def _read_value(self) -> bytes:
        reader: BitReader = self._reader
        if self._fixed_bits >= 0:
            return reader.read_bits_as_bytes(self._fixed_bits)
        compressed = self._compressed and reader.read_boolean()
        size = reader.read_ubit_var() if self._varint_sizes else reader.read_bits(_OLD_SIZE_BITS)
        data: bytes = reader.read_bytes(size)
        return decompress(data, self._most_bytes) if compressed else data
