"""Table ``string_tables``: every change of an entry."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from playhead.source2.playback.collector import Collector
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.string_tables.tables import StringTableChange
from playhead.tables.arrow import int32_array, seconds_of
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK

if TYPE_CHECKING:
    import pyarrow as pa

STRING_TABLES = TableSchema(
    name="string_tables",
    version=2,
    doc="One row for each change of an entry of a string table, in file order.",
    columns=(
        TICK,
        SECONDS,
        Column("table", "category", "Name of the string table."),
        Column("index", "int32", "Number of the entry in it."),
        Column("key", "string", "Name of the entry; it never changes. Bytes that are no UTF-8 are U+FFFD."),
        Column("value", "binary", "The data sent; null where none was, and the entry keeps what it had."),
        Column(
            "change",
            "category",
            "created, updated, or full_packet: no message brought it, the first full packet did, or before it "
            "the StringTables frame.",
        ),
    ),
)


class StringTableChanges(Collector):
    """Table ``string_tables``."""

    schemas: ClassVar = (STRING_TABLES,)
    string_tables: ClassVar = None

    def __init__(self, recording: Recording) -> None:
        self._rate = recording.ticks_per_second
        self._ticks = array("i")
        self._changes: list[StringTableChange] = []
        # Places of the changes that a full packet brought.
        self._full: list[int] = []

    def attach(self, playback: Playback) -> None:
        playback.on_string_table(None, self._on_change, full_packets=self._on_full_packet)

    def _on_change(self, change: StringTableChange, tick: int) -> None:
        self._ticks.append(tick)
        self._changes.append(change)

    def _on_full_packet(self, change: StringTableChange, tick: int) -> None:
        self._full.append(len(self._changes))
        self._on_change(change, tick)

    def tables(self) -> Mapping[str, pa.Table]:
        ticks = int32_array(self._ticks)
        names, indices, keys, values, created = zip(*self._changes, strict=True) if self._changes else [()] * 5
        kinds = ["created" if each else "updated" for each in created]
        for place in self._full:
            kinds[place] = "full_packet"
        table = STRING_TABLES.build(
            {
                "tick": ticks,
                "seconds": seconds_of(ticks, self._rate),
                "table": names,
                "index": indices,
                "key": keys,
                "value": values,
                "change": kinds,
            }
        )
        return {STRING_TABLES.name: table}
