"""The tables of a game on Source 2, from a demo that is changed as those of `targets.source2_demo` are."""

from __future__ import annotations

from zlib import crc32

from targets import LIMITS

import playhead


def read_facts(data: bytes, game: str) -> None:
    """Build half of the game's tables, chosen by the bytes, and its clock, players and events."""
    if data[:8] != b"PBDEMS2\0":
        return
    replay = playhead.open(data, limits=LIMITS)
    if replay.info.game != game:
        return
    names = sorted(replay.tables)
    tables = replay.read_tables(names[crc32(data) % 2 :: 2])
    for name, table in tables.items():
        table.validate(full=True)
        assert table.column_names == list(replay.tables[name].column_names)
    assert isinstance(replay.players, tuple | list)
    if crc32(data) % 3 == 0:
        for _ in replay.events():
            pass
