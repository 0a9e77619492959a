"""String tables: the server's numbered names, and small data blobs under these names.

A table is created once (its number is its position in the order of creation), then changed by updates. Both have
the same bit-packed list of entries. Full packets repeat each table that changed since the previous full packet.
They must equal the updated tables, which checks everything decoded so far.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.limits import Limits
from playhead.runtime.typing import Any
from playhead.source2.container.snappy import decompress
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import shallow_decoder
from playhead.source2.string_tables.entries import (
    COMPRESSED_VALUES,
    ChangeColumns,
    DumpedTable,
    EntryList,
    EntryReader,
)
from playhead.source2.string_tables.items import StringTableChange, StringTableItem

# Field numbers of the name and of an entry in CDemoStringTables.table_t.
_TABLE_NAME, _ENTRY = 1, 2

#: Bound on simultaneous tables; games have some twenty.
MOST_TABLES = 4096

# No table has as many entries; a field of a recording may name any.
_MOST_ENTRIES = 1 << 31

#: Bytes of a recording per allowed entry. Real recordings have hundreds of bytes per entry, floods less than
#: one.
BYTES_AN_ENTRY = 16

#: First bytes of data that `unpack_lzss` unpacks.
LZSS = b"LZSS"


#: The tables of a CDemoStringTables.
Dump = Sequence[DumpedTable]


class StringTable:
    """One table.

    Attributes:
        name: the server's name for it (``instancebaseline``, ``userinfo`` …).
        id: its number, in order of creation.
        fixed_bits: bits of every value if all are equally long, else None.
        flags: bit 0: values may be Snappy blocks.
        varint_sizes: whether a value's size is a ubitvar, not 17 bits.
        applied: number of entries applied from messages.
        entry_list: the entries, without an object for each.
    """

    def __init__(
        self, name: str, id: int, fixed_bits: int | None = None, flags: int = 0, varint_sizes: bool = True
    ) -> None:
        self.name = name
        self.id = id
        self.fixed_bits = fixed_bits
        self.flags = flags
        self.varint_sizes = varint_sizes
        self.entry_list = EntryList(StringTableItem)
        self.applied = 0

    def __repr__(self) -> str:
        return f"<StringTable {self.id} {self.name}, {len(self)} entries>"

    @property
    def items(self) -> dict[int, StringTableItem]:
        """Entries by index, in order of index."""
        return self.entry_list.items()

    def restore(self, dump: DumpedTable) -> None:
        """Replace all entries by those of a dump."""
        self.entry_list.restore(dump)

    def news(self, dump: DumpedTable) -> Iterator[StringTableChange]:
        """Yield the entries of a dump that are missing here, or have another name or other data."""
        for entry in self.entry_list.news(dump):
            yield StringTableChange(self.name, *entry)

    def __len__(self) -> int:
        return len(self.entry_list)

    def __iter__(self) -> Iterator[StringTableItem]:
        return iter(self.items.values())

    def key_of(self, index: int) -> str | None:
        """Return the name of the entry of that index, without objects for all; None if there is no such entry."""
        place = self.entry_list.place_of(index) if index < _MOST_ENTRIES else -1
        return None if place < 0 else self.entry_list.name_at(place).decode()

    def by_key(self, key: str) -> StringTableItem | None:
        """Return the entry of that name; None if there is no such entry."""
        return next((item for item in self.items.values() if item.key == key), None)

    def apply(
        self,
        data: bytes,
        count: int,
        limits: Limits,
        on_change: Callable[[StringTableChange], None] | None = None,
        columns: Sequence[ChangeColumns] = (),
    ) -> None:
        """Decode and apply `count` entries, without counting them (see `StringTables.apply`).

        An entry without a key keeps its name; a key for a known index does not rename it.

        Args:
            data: the bit-packed entries.
            count: number of entries.
            limits: bounds on an index and on an unpacked value.
            on_change: called with each entry after it is applied.
            columns: each change is appended to these.

        Raises:
            ReplayError: the entries cannot be decoded; earlier ones stay applied.
        """
        reader = self.reader(data, limits)
        try:
            reader.apply(self.entry_list, count, self.name, columns, StringTableChange, on_change)
        finally:
            self.applied += reader.applied

    def reader(self, data: bytes, limits: Limits) -> EntryReader:
        """Return a reader of the entries of a message."""
        return EntryReader(
            data,
            -1 if self.fixed_bits is None else self.fixed_bits,
            bool(self.flags & COMPRESSED_VALUES),
            self.varint_sizes,
            limits,
        )


class StringTables:
    """All tables of a recording, by number and by name.

    Args:
        limits: bounds on allocations.
        followed: names of the tables whose entries are decoded; others exist and stay empty. None follows all.

    Attributes:
        limits: bounds on allocations.
        by_id, by_name: the tables.
        numbers_followed: numbers of the followed tables.
        entries_read: number of entries in messages and dumps so far, of all tables.
    """

    def __init__(self, limits: Limits | None = None, followed: Collection[str] | None = None) -> None:
        self.limits = limits or Limits()
        self._followed = followed
        self.by_id: list[StringTable] = []
        self.by_name: dict[str, StringTable] = {}
        self.numbers_followed: frozenset[int] = frozenset()
        self.entries_read = 0
        self._most_entries = self.limits.rows

    def allow(self, size: int) -> None:
        """Raise the bound on entries for a recording of at least `size` bytes."""
        most = self.limits.rows + size // BYTES_AN_ENTRY
        self._most_entries = max(self._most_entries, most)

    @property
    def _left(self) -> int:
        return max(0, self._most_entries - self.entries_read)

    def _flood(self) -> LimitExceeded:
        return LimitExceeded(
            f"expected at most {self._most_entries} entries of string tables in so many bytes, found more"
        )

    def apply(
        self,
        table: StringTable,
        data: bytes,
        count: int,
        on_change: Callable[[StringTableChange], None] | None = None,
        columns: Sequence[ChangeColumns] = (),
    ) -> None:
        """Decode and apply `count` entries of a table, within the bound on entries.

        Args:
            table: the table.
            data: the bit-packed entries.
            count: number of entries.
            on_change: called with each entry after it is applied.
            columns: each change is appended to these.

        Raises:
            LimitExceeded: there are more entries than `limits.rows` and the recording's size allow.
            ReplayError: the entries cannot be decoded; earlier ones stay applied.
        """
        left, before = self._left, table.applied
        try:
            table.apply(data, min(count, left), self.limits, on_change, columns)
        finally:
            self.entries_read += table.applied - before
        if count > left:
            raise self._flood()

    def __getitem__(self, name: str) -> StringTable:
        return self.by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self.by_name

    def __iter__(self) -> Iterator[StringTable]:
        return iter(self.by_id)

    def __len__(self) -> int:
        return len(self.by_id)

    def add(self, table: StringTable) -> None:
        """Add a new table with the next number.

        Raises:
            LimitExceeded: there are `MOST_TABLES` already.
            CorruptReplay: one has this name; if it counted, all later tables would have other numbers.
        """
        if table.name in self.by_name:
            raise CorruptReplay(f"expected string tables of different names, found {table.name} twice")
        if len(self.by_id) >= MOST_TABLES:
            raise LimitExceeded(f"expected at most {MOST_TABLES} string tables, found more")
        self.by_id.append(table)
        self.by_name[table.name] = table
        if self.follows(table.name):
            self.numbers_followed |= {table.id}

    def follows(self, name: str) -> bool:
        """Return whether the entries of the table of that name are decoded."""
        return self._followed is None or name in self._followed

    def follows_update(self, payload: bytes) -> bool:
        """Return whether a CSVCMsg_UpdateStringTable is for a followed table.

        Only the table's number is read, which comes first; a message that begins otherwise counts as followed.
        """
        if self._followed is None or payload[:1] != b"\x08":
            return True
        number = payload[1] if len(payload) > 1 else 0x80
        if number >= 0x80:
            number = ByteReader(payload, 1).read_varuint32()
        return number >= len(self.by_id) or number in self.numbers_followed

    def clear(self) -> None:
        """Apply CSVCMsg_ClearAllStringTables: numbering restarts."""
        self.by_id.clear()
        self.numbers_followed = frozenset()
        self.by_name.clear()

    def differences(self, dump: Dump) -> Iterator[str]:
        """Yield a sentence for each table that differs from a CDemoStringTables dump."""
        for listed in dump:
            name = listed.name
            table = self.by_name.get(name)
            if table is None:
                yield f"table {name} was never created"
                continue
            if len(listed) != len(table):
                yield f"table {name} has {len(table)} entries, expected {len(listed)}"
                continue
            odd = table.entry_list.places_that_differ(listed)
            if odd:
                yield f"{len(odd)} of {len(table)} entries of table {name} differ, the first is number {odd[0]}"

    def read_dump(self, payload: bytes | memoryview) -> Dump:
        """Return the followed tables of a CDemoStringTables; others are skipped by their size.

        Raises:
            LimitExceeded: there are too many entries (see `apply`), or more than `MOST_TABLES` tables.
            ReplayError: the dump cannot be decoded.
        """
        listed = shallow_decoder("CDemoStringTables").decode(payload).get("tables", ())
        if len(listed) > MOST_TABLES:
            raise LimitExceeded(f"expected at most {MOST_TABLES} string tables, found more")
        tables = []
        for packed in listed:
            if not self.follows((wire.field_bytes(packed, _TABLE_NAME) or b"").decode("utf-8", "replace")):
                continue
            # Counted before any allocation: an empty entry takes two bytes.
            count = wire.field_count(packed, _ENTRY)
            if count > self._left:
                raise self._flood()
            self.entries_read += count
            tables.append(DumpedTable(packed))
        return tables

    def news(self, dump: Dump) -> Iterator[StringTableChange]:
        """Yield the entries of a dump that are missing in followed tables, or have another name or value there."""
        for listed in dump:
            if self.follows(listed.name):
                yield from (self.by_name.get(listed.name) or StringTable(listed.name, -1)).news(listed)

    def restore(self, dump: Dump) -> None:
        """Replace the entries of all tables in a CDemoStringTables dump; other tables stay."""
        for listed in dump:
            table = self.by_name.get(listed.name)
            if table is not None and self.follows(table.name):
                table.restore(listed)


def parse_string_table(
    data: bytes, count: int, table: StringTable, limits: Limits | None = None
) -> list[StringTableItem]:
    """Decode `count` entries for `table` without applying them; `value` is None if an entry has none.

    Raises:
        ReplayError: the entries cannot be decoded.
    """
    reader = table.reader(data, limits or Limits())
    return [StringTableItem(*reader.read(table.entry_list)) for _ in range(count)]


def handle_create(
    message: Mapping[str | int, Any],
    string_tables: StringTables,
    on_change: Callable[[StringTableChange], None] | None = None,
    columns: Sequence[ChangeColumns] = (),
) -> StringTable:
    """Apply CSVCMsg_CreateStringTable; return the new table.

    Args:
        message: the decoded fields by name.
        string_tables: the tables of the recording.
        on_change: called with each entry after it is applied.
        columns: each change is appended to these.

    Raises:
        ReplayError: the entries cannot be decoded; the table keeps those before the damage.
    """
    fixed = message.get("user_data_fixed_size", False)
    table = StringTable(
        message.get("name", ""),
        len(string_tables),
        fixed_bits=max(0, message.get("user_data_size_bits", 0)) if fixed else None,
        flags=message.get("flags", 0),
        varint_sizes=message.get("using_varint_bitcounts", False),
    )
    string_tables.add(table)
    if string_tables.follows(table.name):
        limits = string_tables.limits
        data = message.get("string_data", b"")
        if data.startswith(LZSS):
            data = unpack_lzss(data, limits.frame)
        elif message.get("data_compressed", False):
            data = decompress(data, limits.frame)
        string_tables.apply(table, data, message.get("num_entries", 0), on_change, columns)
    return table


def handle_update(
    message: Mapping[str | int, Any],
    string_tables: StringTables,
    on_change: Callable[[StringTableChange], None] | None = None,
    columns: Sequence[ChangeColumns] = (),
) -> StringTable:
    """Apply CSVCMsg_UpdateStringTable; return the table.

    Args:
        message: the decoded fields by name.
        string_tables: the tables of the recording.
        on_change: called with each entry after it is applied.
        columns: each change is appended to these.

    Raises:
        CorruptReplay: there is no table of that number.
        ReplayError: the entries cannot be decoded; those before the damage stay applied.
    """
    number = message.get("table_id", 0)
    if not 0 <= number < len(string_tables):
        raise CorruptReplay(f"expected one of {len(string_tables)} string tables, found number {number}")
    table: StringTable = string_tables.by_id[number]
    if string_tables.follows(table.name):
        changes = message.get("num_changed_entries", 1)
        string_tables.apply(table, message.get("string_data", b""), changes, on_change, columns)
    return table


def unpack_lzss(data: bytes, most: int) -> bytes:
    """Return the unpacked data of Valve's LZSS, the compression of initial string tables in recordings of 2015.

    Layout: ``LZSS``, the unpacked size as u32 little-endian, then groups of a command byte and eight items. A
    command bit (lowest first) of 0 is a literal byte. A bit of 1 is two bytes: 12 bits of distance less one (upper
    byte first) and 4 bits of length less one; a length of one ends the data.

    Raises:
        LimitExceeded: it declares more than `most` bytes.
        TruncatedReplay: the data ends too early.
        CorruptReplay: a reference goes before the start, or the size is not the declared one.
    """
    reader = ByteReader(data)
    if reader.read_bytes(len(LZSS)) != LZSS:
        raise CorruptReplay(f"expected the magic bytes {LZSS!r}", offset=0)
    size = reader.read_u32()
    if size > most:
        raise LimitExceeded(f"an LZSS block of {size} bytes is over the limit of {most}")
    out = bytearray()
    while True:
        commands = reader.read_u8()
        for bit in range(8):
            if not commands >> bit & 1:
                out.append(reader.read_u8())
                continue
            upper, lower = reader.read_u8(), reader.read_u8()
            distance, count = (upper << 4 | lower >> 4) + 1, (lower & 15) + 1
            if count == 1:
                if len(out) != size:
                    raise CorruptReplay(f"expected {size} unpacked bytes, found {len(out)}", offset=reader.tell())
                return bytes(out)
            if distance > len(out):
                raise CorruptReplay(
                    f"expected a reference into {len(out)} bytes, found distance {distance}", offset=reader.tell()
                )
            for _ in range(count):
                out.append(out[-distance])
        if len(out) > size:
            raise CorruptReplay(f"expected {size} unpacked bytes, found more", offset=reader.tell())
