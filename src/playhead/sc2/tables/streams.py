"""Tables of streams and members: those of the engine, checksums, points of resumption, files of the cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.commands import CommandManagerStateEvent
from playhead.blizzard.events.triggers import TriggerPortraitLoadedEvent
from playhead.blizzard.members import member_names
from playhead.blizzard.members.text import decode_text
from playhead.blizzard.protocol.tables import NO_USER
from playhead.blizzard.tables.registry import moment, when
from playhead.blizzard.tables.streams import add_to, events
from playhead.runtime.libraries import pa
from playhead.sc2.tables.registry import TABLES, TableSource, table
from playhead.tables.number_columns import int64_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import EVENTS
from playhead.tables.vocabulary import word, words

add_to(TABLES, tracker_since="From 2.0.8 on.")
# The most frequent events that no other table reads become columns: the rows of ``events`` are made faster so.
TABLES.table(EVENTS, reads=(CommandManagerStateEvent, TriggerPortraitLoadedEvent))(events)

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


CACHE_FILES = TableSchema.of(
    "cache_files",
    "One row for each file of the game's cache: the map, its mods and, from 2.0.3 on, the server's additions "
    "to each. Empty for anonymised packs.",
    word("member", "The one that lists it: ``replay.server.battlelobby``, or else the details."),
    Column(
        "file_type",
        "category",
        "s2ma map or mod, s2ml its texts in a language, s2mh its head; s2mv is undocumented.",
    ),
    Column("region_code", "category", "Where the file was published, as the handle has it (``US``)."),
    Column("sha256", "string", "SHA-256 of the file, which is its name in the cache."),
    group="file",
)


@table(CACHE_FILES)
def cache_files(source: TableSource) -> pa.Table:
    lobby = source.battle_lobby
    member, handles = source.cache_handles_source
    rows = [*_rows(member, handles)]
    if lobby is not None:
        rows = [*_rows(member_names.BATTLE_LOBBY, (*lobby.cache_handles, *lobby.more_handles))]
    return CACHE_FILES.build_rows(rows)


def _rows(member: str | None, handles: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    for handle in handles:
        yield {
            "member": member,
            "file_type": decode_text(handle[:4]),
            "region_code": decode_text(handle[4:8].strip(b"\0")),
            "sha256": handle[8:].hex(),
        }
