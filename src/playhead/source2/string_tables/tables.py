"""String tables: what the server names by number, and small blobs of data under those names.

A table is created once (its number is its place in the order of creation), then changed by updates. Both carry the
same bit-packed list of entries. Full packets repeat the tables that changed since the full packet before, whole;
they must be what the updates have led to, which is a check on everything decoded so far.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.limits import Limits
from playhead.runtime.records import NamedTuple
from playhead.source2.container.snappy import decompress
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import shallow_decoder
from playhead.source2.string_tables import lzss
from playhead.source2.string_tables.changes import ChangeColumns
from playhead.source2.string_tables.dumps import DumpedTable
from playhead.source2.string_tables.entries import COMPRESSED_VALUES, EntryReader
from playhead.source2.string_tables.entry_list import EntryList

# Numbers of the name and of an entry in CDemoStringTables.table_t.
_TABLE_NAME, _ENTRY = 1, 2

#: Tables that there may be at a time; games have some twenty.
MOST_TABLES = 4096

#: Bytes of a recording that pay for one entry. Entries of real ones take hundreds of its bytes each, of floods a
#: fraction of one.
BYTES_AN_ENTRY = 16


class StringTableItem(NamedTuple):
    """One entry: its number, its name, and its data (None where it never had any)."""

    index: int  # type: ignore[assignment]  # also a method of tuples
    key: str
    value: bytes | None


class StringTableChange(NamedTuple):
    """What one entry of a create or update message did.

    `sent` is the value in the message: None where it has none, and the entry keeps the value it had.
    """

    table: str
    index: int  # type: ignore[assignment]  # also a method of tuples
    key: str
    sent: bytes | None
    created: bool


#: Tables as a CDemoStringTables lists them.
Dump = Sequence[DumpedTable]


class StringTable:
    """One table.

    Attributes:
        name: as the server calls it (``instancebaseline``, ``userinfo`` …).
        id: its number, the order of its creation.
        fixed_bits: size in bits of every value where all have the same, else None.
        flags: bit 0: values may be Snappy blocks.
        varint_sizes: a value's size is a ubitvar, not 17 bits.
        applied: how many entries messages have brought.
        entry_list: the entries, without an object each.
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
        """Hold what a dump lists, and nothing else."""
        self.entry_list.restore(dump)

    def news(self, dump: DumpedTable) -> Iterator[StringTableChange]:
        """Yield the entries of a dump that are not here, or have another name or other data."""
        for entry in self.entry_list.news(dump):
            yield StringTableChange(self.name, *entry)

    def places_that_differ(self, dump: DumpedTable) -> list[int]:
        """Return the places at which a dump of as many entries has another name or other data."""
        return self.entry_list.places_that_differ(dump)

    def __len__(self) -> int:
        return len(self.entry_list)

    def __iter__(self) -> Iterator[StringTableItem]:
        return iter(self.items.values())

    def by_key(self, key: str) -> StringTableItem | None:
        """The entry of that name; None if there is none."""
        return next((item for item in self.items.values() if item.key == key), None)

    def apply(
        self,
        data: bytes,
        count: int,
        limits: Limits,
        on_change: Callable[[StringTableChange], None] | None = None,
        columns: Sequence[ChangeColumns] = (),
    ) -> None:
        """Decode and apply `count` entries; each is added to `columns`, and `on_change` is called with it, once it
        is applied. No budget counts them (see `StringTables.apply`).

        An entry without a key keeps the name it has; a key for a known index does not rename it.

        Raises:
            ReplayError: the entries cannot be decoded; those before stay applied.
        """
        reader = self._reader(data, limits)
        try:
            reader.apply(self.entry_list, count, self.name, columns, StringTableChange, on_change)
        finally:
            self.applied += reader.applied

    def entries(self, data: bytes, count: int, limits: Limits) -> Iterator[StringTableItem]:
        """Yield `count` entries as the bytes have them, under the names that they have or get; nothing is applied.

        The index of an entry is the one before plus 1, or plus 2 and a varint.

        Raises:
            ReplayError: they cannot be decoded; those before were yielded.
        """
        reader = self._reader(data, limits)
        for _ in range(count):
            yield StringTableItem(*reader.read(self.entry_list))

    def _reader(self, data: bytes, limits: Limits) -> EntryReader:
        return EntryReader(
            data,
            -1 if self.fixed_bits is None else self.fixed_bits,
            bool(self.flags & COMPRESSED_VALUES),
            self.varint_sizes,
            limits,
        )


class StringTables:
    """All tables of a recording, by number and by name.

    `followed` names those whose entries are decoded; the others exist and stay empty. None follows all.

    Attributes:
        limits: bounds on what may be allocated.
        by_id, by_name: the tables.
        numbers_followed: of the tables whose entries are decoded.
        entries_read: by messages and dumps, of all tables there have been.
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
        """Allow for the entries of a recording of which `size` bytes are known."""
        most = self.limits.rows + size // BYTES_AN_ENTRY
        if most > self._most_entries:
            self._most_entries = most

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
        """Decode and apply `count` entries of a table, as far as the budget goes.

        Raises:
            LimitExceeded: there are more entries than `limits.rows` and what the recording's bytes pay for.
            ReplayError: the entries cannot be decoded; those before stay applied.
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
        """Take a new table, whose number is the next one.

        Raises:
            LimitExceeded: there are `MOST_TABLES` already.
        """
        if len(self.by_id) >= MOST_TABLES:
            raise LimitExceeded(f"expected at most {MOST_TABLES} string tables, found more")
        self.by_id.append(table)
        self.by_name[table.name] = table
        if self.follows(table.name):
            self.numbers_followed |= {table.id}

    def follows(self, name: str) -> bool:
        """Whether the entries of the table of that name are decoded."""
        return self._followed is None or name in self._followed

    def follows_update(self, payload: bytes) -> bool:
        """Whether the CSVCMsg_UpdateStringTable in these bytes is of a table that is followed.

        Only the table's number, which comes first, is looked at; a message that begins otherwise counts as
        followed.
        """
        if self._followed is None or payload[:1] != b"\x08":
            return True
        number = payload[1] if len(payload) > 1 else 0x80
        if number >= 0x80:
            number = ByteReader(payload, 1).read_varuint32()
        return number >= len(self.by_id) or number in self.numbers_followed

    def clear(self) -> None:
        """Apply CSVCMsg_ClearAllStringTables: numbering begins anew."""
        self.by_id.clear()
        self.numbers_followed = frozenset()
        self.by_name.clear()

    def differences(self, dump: Dump) -> Iterator[str]:
        """Where a CDemoStringTables dump is not what these tables hold, in words; nothing if they agree."""
        for listed in dump:
            name = listed.name
            table = self.by_name.get(name)
            if table is None:
                yield f"table {name} was never created"
                continue
            if len(listed) != len(table):
                yield f"table {name} has {len(table)} entries, expected {len(listed)}"
                continue
            odd = table.places_that_differ(listed)
            if odd:
                yield f"{len(odd)} of {len(table)} entries of table {name} differ, the first is number {odd[0]}"

    def read_dump(self, payload: bytes | memoryview) -> Dump:
        """Return those tables of a CDemoStringTables that are followed; the others are skipped by size.

        Raises:
            LimitExceeded: there are more entries than the budget has (see `apply`), or more than `MOST_TABLES`.
            ReplayError: it cannot be decoded.
        """
        listed = shallow_decoder("CDemoStringTables").decode(payload).get("tables", ())
        if len(listed) > MOST_TABLES:
            raise LimitExceeded(f"expected at most {MOST_TABLES} string tables, found more")
        tables = []
        for packed in listed:
            if not self.follows((wire.field_bytes(packed, _TABLE_NAME) or b"").decode("utf-8", "replace")):
                continue
            # Counted before anything is made of one: an empty entry takes two bytes.
            count = wire.field_count(packed, _ENTRY)
            if count > self._left:
                raise self._flood()
            self.entries_read += count
            tables.append(DumpedTable(packed, count))
        return tables

    def news(self, dump: Dump) -> Iterator[StringTableChange]:
        """Yield the entries of a dump that followed tables do not have, or have with another name or value."""
        for listed in dump:
            if self.follows(listed.name):
                yield from (self.by_name.get(listed.name) or StringTable(listed.name, -1)).news(listed)

    def restore(self, dump: Dump) -> None:
        """Set the tables of a CDemoStringTables dump to what it holds; tables that it does not list stay."""
        for listed in dump:
            table = self.by_name.get(listed.name)
            if table is not None and self.follows(table.name):
                table.restore(listed)


def parse_string_table(
    data: bytes, count: int, table: StringTable, limits: Limits | None = None
) -> list[StringTableItem]:
    """Decode `count` entries of `table`, which stays as it is; `value` is None where the bytes have none.

    Raises:
        ReplayError: they cannot be decoded.
    """
    return list(table.entries(data, count, limits or Limits()))


def handle_create(
    message: Mapping[str | int, Any],
    string_tables: StringTables,
    on_change: Callable[[StringTableChange], None] | None = None,
    columns: Sequence[ChangeColumns] = (),
) -> StringTable:
    """Apply CSVCMsg_CreateStringTable, of which `message` has the fields by name; return the new table.

    Args:
        on_change: called with each entry once it is in the table.
        columns: what each is added to then.

    Raises:
        ReplayError: the entries cannot be decoded; the table is there, with those before the damage.
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
        if data.startswith(lzss.MAGIC):
            data = lzss.unpack(data, limits.frame)
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
    """Apply CSVCMsg_UpdateStringTable, of which `message` has the fields by name; return the table.

    Args:
        on_change: called with each entry once it is in the table.
        columns: what each is added to then.

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
