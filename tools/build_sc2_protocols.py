"""Rebuild ``src/playhead/sc2/protocol/tables.json.zlib`` from type tables of published builds.

    python tools/build_sc2_protocols.py TABLES.json

TABLES.json is a list with one object per distinct table: ``base_builds`` and the module-level names of
Blizzard's ``protocolNNNNN.py`` (``typeinfos``, ``game_event_types`` …). Equal types of all tables are stored
once, in one pool; types refer to each other by position in it.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path

from playhead.blizzard.protocol.pool import TypePool

TARGET = Path(__file__).parents[1] / "src" / "playhead" / "sc2" / "protocol" / "tables.json.zlib"


def main(source: str) -> None:
    """Read the tables at `source` and write `TARGET`."""
    pool = TypePool()
    tables = [pool.add_table(raw["base_builds"], raw) for raw in json.loads(Path(source).read_text("utf-8"))]
    text = json.dumps({"types": pool.types, "tables": tables}, separators=(",", ":"))
    TARGET.write_bytes(zlib.compress(text.encode(), 9))
    print(f"{TARGET}: {TARGET.stat().st_size} bytes, {len(tables)} tables, {len(pool.types)} types")


if __name__ == "__main__":
    main(sys.argv[1])
