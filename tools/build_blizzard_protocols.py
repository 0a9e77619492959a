"""Rebuild ``src/playhead/GAME/protocol/tables.json.zlib`` from type tables of published builds.

    python tools/build_blizzard_protocols.py GAME TABLES.json

GAME is sc2 or hots. TABLES.json is a list with one object per distinct table: ``base_builds`` and the
module-level names of Blizzard's ``protocolNNNNN.py`` (``typeinfos``, ``game_event_types`` …). Equal types of all
tables are stored once, in one pool; types refer to each other by position in it.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path

from playhead.blizzard.protocol.pool import TypePool

PACKAGES = Path(__file__).parents[1] / "src" / "playhead"


def main(game: str, source: str) -> None:
    """Read the tables at `source` and write those of the game."""
    target = PACKAGES / game / "protocol" / "tables.json.zlib"
    pool = TypePool()
    tables = [pool.add_table(raw["base_builds"], raw) for raw in json.loads(Path(source).read_text("utf-8"))]
    text = json.dumps({"types": pool.types, "tables": tables}, separators=(",", ":"))
    target.write_bytes(zlib.compress(text.encode(), 9))
    print(f"{target}: {target.stat().st_size} bytes, {len(tables)} tables, {len(pool.types)} types")


if __name__ == "__main__":
    main(*sys.argv[1:])
