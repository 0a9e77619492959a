"""Table ``string_tables``: every change of an entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from playhead.source2.playback.collector import Collector
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.string_tables.tables import StringTableChange
from playhead.tables.arrow import seconds_of
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
        self._ticks: list[int] = []
        self._changes: list[StringTableChange] = []
        self._kinds: list[str] = []

    def attach(self, playback: Playback) -> None:
        playback.on_string_table(None, self._on_change, full_packets=self._on_full_packet)

    def _on_change(self, change: StringTableChange, tick: int) -> None:
        self._add(change, tick, "created" if change.created else "updated")

    def _on_full_packet(self, change: StringTableChange, tick: int) -> None:
        self._add(change, tick, "full_packet")

    def _add(self, change: StringTableChange, tick: int, kind: str) -> None:
        self._ticks.append(tick)
        self._changes.append(change)
        self._kinds.append(kind)

    def tables(self) -> Mapping[str, pa.Table]:
        import pyarrow as pa

        ticks = pa.array(self._ticks, pa.int32())
        table = STRING_TABLES.build(
            {
                "tick": ticks,
                "seconds": seconds_of(ticks, self._rate),
                "table": [change.table for change in self._changes],
                "index": [change.index for change in self._changes],
                "key": [change.key for change in self._changes],
                "value": [change.sent for change in self._changes],
                "change": self._kinds,
            }
        )
        return {STRING_TABLES.name: table}
