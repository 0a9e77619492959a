"""The table ``members``: the files in the archive."""

from __future__ import annotations

from playhead.blizzard.tables.registry import GameSource, GameTables
from playhead.runtime.libraries import pa
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

MEMBERS = TableSchema.of(
    "members",
    "One row for each block of the MPQ archive: the files inside the file.",
    word("member"),
    Column("block", "int32", "Row of the archive's block table."),
    Column("stored_bytes", "int64", "Size in the archive, as declared.", "bytes"),
    Column("unpacked_bytes", "int64", "Size unpacked, as declared.", "bytes"),
    word("flags", "Of MPQ, as they are stored."),
    Column(
        "compression",
        "category",
        "bzip2, zlib, stored, or the number of another method; null if the block has no data.",
    ),
    Column("encrypted", "bool", "The data is enciphered with a key made of the name."),
    Column("deleted", "bool", "The row of a member that was removed; its data may be gone."),
    group="file",
)


def members(source: GameSource) -> pa.Table:
    """Return the table ``members``."""
    return MEMBERS.build_rows(source.member_rows())


def add_to(tables: GameTables) -> None:
    """Add the table to those of a game."""
    tables.table(MEMBERS)(members)
