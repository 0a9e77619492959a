"""Table ``string_tables``: every change of an entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from playhead.runtime.libraries import pa
from playhead.source2.playback.collector import Collector, Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.string_tables.entries import ChangeColumns
from playhead.source2.tables import TABLES
from playhead.tables.arrow import seconds_of
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

STRING_TABLES = TableSchema.of(
    "string_tables",
    "One row for each change of an entry of a string table, in file order.",
    *words("tick seconds"),
    Column("table", "category", "Name of the string table."),
    word("index", "That of the entry in it."),
    Column("key", "string", "Name of the entry; it never changes. Bytes that are no UTF-8 are U+FFFD."),
    word("data", "Null if none was sent: the entry then keeps its data."),
    word(
        "change",
        "created, updated, or full_packet: found in no message, only in the first full packet or in the "
        "StringTables frame before it.",
    ),
    group="messages",
)


@TABLES.maker_of(STRING_TABLES)
class StringTableChanges(Collector):
    """Table ``string_tables``."""

    jobs: ClassVar = Jobs(4, anew=True)
    string_tables: ClassVar = None

    def __init__(self, recording: Recording) -> None:
        self._rate = recording.ticks_per_second
        self._changes = ChangeColumns()

    def attach(self, playback: Playback) -> None:
        playback.keep_string_tables(self._changes)

    def tables(self) -> Mapping[str, pa.Table]:
        columns = self._changes.to_arrow()
        columns["seconds"] = seconds_of(columns["tick"], self._rate)
        return {STRING_TABLES.name: STRING_TABLES.build(columns)}
