"""The table ``cache_files``: the files of the game's cache that a replay was played with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from playhead.blizzard.members import member_names
from playhead.blizzard.members.text import decode_text
from playhead.runtime.libraries import pa
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

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
    """Return the table ``cache_files``."""
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
