"""The bit-packed list of entries in messages about string tables, and the changes that it makes, as columns."""

from __future__ import annotations

from playhead.bits.bit_reader import BitReader
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.runtime import cython
from playhead.runtime.libraries import pa
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.container.snappy import decompress
from playhead.source2.messages.definitions import decoder
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.json_columns import TextColumn
from playhead.tables.value_arrays import array_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playhead.limits import Limits
    from playhead.source2.string_tables.items import StringTableChange, StringTableItem

if not cython.compiled:
    # Kinds of a change; indices into `KINDS`.
    UPDATED, CREATED, BROUGHT = range(3)
    # The codes of the kinds in four bits each; initially no kind has a code.
    NO_CODE, NO_CODES = 0xF, 0xFFF
    NO_TABLE = -1
    # A key may begin with a prefix of one of the last 32 keys.
    HISTORY = 32


@cython.final
@cython.cclass
class DumpedTable:
    """One table of a CDemoStringTables; the number of an entry is its position.

    Attributes:
        name: name of the table.
        names, values: names (UTF-8) and data (None without any) of its entries.
    """

    def __init__(self, packed: bytes) -> None:
        content: dict = decoder("CDemoStringTables.table_t").decode(packed)
        items: list = content.get("items", [])
        self.name = content.get("table_name", "")
        self.names = [each.get("str", "").encode() for each in items]
        self.values = [each.get("data") for each in items]

    def __len__(self) -> int:
        return len(self.names)

    def has(self, index: cython.Py_ssize_t, name: bytes, value: object) -> cython.bint:
        """Return whether an entry has this name and data; missing and empty data are equal."""
        return self.names[index] == name and (self.values[index] or b"") == (value or b"")


def as_text(name: bytes) -> bytes:
    """Return a name as valid UTF-8; invalid bytes become U+FFFD."""
    return name if name.isascii() else name.decode("utf-8", "replace").encode()


@cython.final
@cython.cclass
class EntryList:
    """Names and data of entries, by number.

    Numbers nearly always count up from 0 without a gap, so the position of an entry is its number.
    """

    def __init__(self, item: type[StringTableItem]) -> None:
        self._item = item
        self._clear()

    def _clear(self) -> object:
        self._names = []
        self._values = []
        # Numbers by position, and positions by number; None while both are equal.
        self._numbers = None
        self._places = None
        # Entry objects of the first positions, and positions whose data has changed since.
        self._items = {}
        self._made = 0
        self._stale = []
        return None

    def __len__(self) -> int:
        return len(self._names)

    def place_of(self, number: cython.longlong) -> cython.Py_ssize_t:
        """Return the position of an entry; -1 if there is no entry of that number."""
        if self._places is None:
            return number if 0 <= number < len(self._names) else -1
        found: object = self._places.get(number)
        return -1 if found is None else found

    def name_at(self, place: cython.Py_ssize_t) -> bytes:
        """Return the name of the entry at a position, UTF-8."""
        return self._names[place]

    def add(self, number: cython.longlong, name: bytes, value: object) -> cython.int:
        """Append an entry with a new number."""
        if self._places is None and number != len(self._names):
            self._numbers = list(range(len(self._names)))
            self._places = {each: each for each in self._numbers}
        if self._places is not None:
            self._places[number] = len(self._names)
            self._numbers.append(number)
        self._names.append(name)
        self._values.append(value)
        return 0

    def put(self, place: cython.Py_ssize_t, value: object) -> cython.int:
        """Replace the data of the entry at a position."""
        self._values[place] = value
        if place < self._made:
            if len(self._stale) >= self._made:
                self._made = 0
                self._stale.clear()
            else:
                self._stale.append(place)
        return 0

    def items(self) -> dict[int, StringTableItem]:
        """Return the entries by number, in order of creation; always the same dict, updated by this call."""
        stale: list = self._stale
        place: cython.Py_ssize_t
        if stale:
            for each in stale:
                self._make(each)
            stale.clear()
        if self._made < len(self._names):
            for place in range(self._made, len(self._names)):
                self._make(place)
            self._made = len(self._names)
        return self._items

    def _make(self, place: cython.Py_ssize_t) -> cython.int:
        number: object = place if self._numbers is None else self._numbers[place]
        name: bytes = self._names[place]
        # Bypass __new__, which is slow: a recording has tens of thousands of entries.
        self._items[number] = tuple.__new__(self._item, (number, name.decode("utf-8"), self._values[place]))
        return 0

    # -- dumps ------------------------------------------------------------------------------------------

    @cython.nonecheck(True)
    def news(self, dump: DumpedTable) -> list[tuple[int, str, bytes | None, bool]]:
        """Return the entries of a dump that differ from this list: number, name, data, and whether the entry is
        new.
        """
        found: list = []
        number: cython.Py_ssize_t
        for number in range(len(dump.names)):
            place: cython.Py_ssize_t = self.place_of(number)
            if place < 0 or not dump.has(number, self._names[place], self._values[place]):
                found.append((number, dump.names[number].decode("utf-8"), dump.values[number], place < 0))
        return found

    @cython.nonecheck(True)
    def places_that_differ(self, dump: DumpedTable) -> list[int]:
        """Return the positions at which a dump of equal length has another name or other data."""
        place: cython.Py_ssize_t
        found: list = []
        for place in range(len(self._names)):
            if not dump.has(place, self._names[place], self._values[place]):
                found.append(place)
        return found

    @cython.nonecheck(True)
    def restore(self, dump: DumpedTable) -> None:
        """Replace all entries by those of a dump."""
        count: cython.Py_ssize_t = len(dump.names)
        place: cython.Py_ssize_t
        if self._places is not None or count < len(self._names):
            self._clear()
        for place in range(count):
            if place == len(self._names):
                self._names.append(dump.names[place])
                self._values.append(dump.values[place])
            elif self._names[place] != dump.names[place] or self._values[place] != dump.values[place]:
                self._names[place] = dump.names[place]
                self.put(place, dump.values[place])


#: Names of the kinds of a change in table ``string_tables``.
KINDS: tuple[str, ...] = ("updated", "created", "full_packet")

#: Bit of a table's flags: each value has a bit for whether it is a Snappy block.
COMPRESSED_VALUES = 1

# Bits of a value's size if it is not a ubitvar (before patch 7.33 of April 2023).
_OLD_SIZE_BITS = 17


@cython.final
@cython.cclass
class ChangeColumns:
    """One row per change of an entry, in order of occurrence."""

    def __init__(self) -> None:
        self._tick = -1
        self._table = ""
        self._table_code = NO_TABLE
        self._ticks = Int32Buffer()
        self._tables = Int32Buffer()
        self._numbers = Int32Buffer()
        self._kinds = Int32Buffer()
        self._names = TextColumn()
        self._values = TextColumn()
        # Codes of tables and kinds, in order of first occurrence.
        self._table_codes = {}
        self._kind_codes = {}
        self._packed_codes = NO_CODES

    def __len__(self) -> int:
        return len(self._ticks)

    def begin(self, tick: cython.int, table: str) -> None:
        """Set the tick and the table of the rows added from now on."""
        self._tick = tick
        self._table = table
        self._table_code = NO_TABLE  # assigned at the first change, so a table without changes has no code

    @cython.nonecheck(True)
    def add(self, number: cython.longlong, name: bytes, value: object, kind: cython.int) -> cython.int:
        """Append a change."""
        if self._table_code == NO_TABLE:
            self._table_code = self._table_codes.setdefault(self._table, len(self._table_codes))
        self._ticks.append(self._tick)
        self._tables.append(self._table_code)
        self._numbers.append(cython.cast(cython.int, number))
        code: cython.int = self._packed_codes >> 4 * kind & NO_CODE
        if code == NO_CODE:
            code = self._add_kind(kind)
        self._kinds.append(code)
        self._names.data.add_bytes(name)
        self._names.end(True)
        if value is not None:
            data: bytes = value
            self._values.data.add_bytes(data)
        self._values.end(value is not None)
        return 0

    def _add_kind(self, kind: cython.int) -> cython.int:
        code: cython.int = len(self._kind_codes)
        self._kind_codes[KINDS[kind]] = code
        self._packed_codes ^= (NO_CODE ^ code) << 4 * kind
        return code

    def add_brought(self, number: int, name: str, value: bytes | None) -> None:
        """Append a change found only in a dump."""
        self.add(number, name.encode(), value, BROUGHT)

    def to_arrow(self) -> dict[str, Any]:
        """Return the columns of table ``string_tables``, except the seconds."""

        def named(codes: Int32Buffer, names: dict) -> pa.Array:
            return pa.DictionaryArray.from_arrays(codes.to_arrow(), array_of(list(names), pa.string()))

        return {
            "tick": self._ticks.to_arrow(),
            "table": named(self._tables, self._table_codes),
            "index": self._numbers.to_arrow(),
            "key": self._names.to_arrow(pa.string()),
            "data": self._values.to_arrow(pa.binary()),
            "change": named(self._kinds, self._kind_codes),
        }


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
        """Return the next entry: index, name and value. A known entry keeps its name in `entries`."""
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
