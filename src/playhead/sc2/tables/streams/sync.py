"""The tables ``sync`` (checksums of the players' games) and ``resume_points``."""

from __future__ import annotations

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.protocol.tables import NO_USER
from playhead.blizzard.tables.columns import moment, when
from playhead.runtime.libraries import pa
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.number_columns import int64_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

SYNC = TableSchema.of(
    "sync",
    "Checksums with which the game compared the players' states: every loop in betas, every 64 loops since.",
    *words("tick seconds"),
    Column("flag", "int64", "One bit; always 1 so far."),
    Column("checksum", "int64", "16 bits."),
    group="messages",
)

RESUME_POINTS = TableSchema.of(
    "resume_points",
    "Markers of ``replay.resumable.events``: moments at which users left, from which the game can be resumed.",
    *words("tick seconds"),
    Column("kind_id", "int64", "0 to 3."),
    word("user"),
    Column("color", "int64", "Alpha, red, green, blue from the highest byte down; null in betas."),
    word("name", "Of the user; null in betas."),
    group="file",
)


@table(SYNC)
def sync(source: TableSource) -> pa.Table:
    """Return the table ``sync``."""
    held = source.sync_columns
    if held is None:
        return SYNC.build_rows([])
    return SYNC.build(
        {
            **when(held.ticks, source),
            "flag": int64_column(held.flags, NOTHING),
            "checksum": int64_column(held.checksums, NOTHING),
        }
    )


@table(RESUME_POINTS)
def resume_points(source: TableSource) -> pa.Table:
    """Return the table ``resume_points``."""
    return RESUME_POINTS.build_rows(
        [
            marker._asdict()
            | {
                **moment(marker.tick, source.loops_per_second),
                "user": None if marker.user == NO_USER else marker.user,
            }
            for marker in source.resume_markers
        ]
    )
