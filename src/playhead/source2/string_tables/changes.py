"""`ChangeColumns`: the changes of string tables as columns, filled while entries are decoded."""

from __future__ import annotations

from playhead.runtime import cython
from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.nullable_columns import TextColumn
from playhead.tables.value_arrays import array_of

if not cython.compiled:
    # Kinds of a change; indices into `KINDS`.
    UPDATED, CREATED, BROUGHT = range(3)
    # The codes of the kinds in four bits each; initially no kind has a code.
    NO_CODE, NO_CODES = 0xF, 0xFFF
    NO_TABLE = -1

#: Names of the kinds of a change in table ``string_tables``.
KINDS: tuple[str, ...] = ("updated", "created", "full_packet")


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
        """Append a change.

        Args:
            number: index of the entry.
            name: its key.
            value: its value; None if the message has none.
            kind: `UPDATED`, `CREATED`, or `BROUGHT` for a change found only in a dump.
        """
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
