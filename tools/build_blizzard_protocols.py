"""Rebuild ``src/playhead/GAME/protocol/tables.json.zlib``, the type tables of published builds.

    python tools/build_blizzard_protocols.py GAME                # adds newer builds of the installed package
    python tools/build_blizzard_protocols.py GAME TABLES.json    # anew

GAME is sc2 or hots; the packages are Blizzard's s2protocol and heroprotocol, whose modules are parsed, not run.
TABLES.json is a list with one object per distinct table: ``base_builds`` and the module-level names of
``protocolNNNNN.py`` (``typeinfos``, ``game_event_types`` …). Equal types of all tables are stored once, in one
pool; types refer to each other by position in it.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path
from typing import Any

from playhead.blizzard.protocol.tables import TypePool
from playhead.sc2.protocol.tables import literals, modules

PUBLISHED = {"sc2": "s2protocol", "hots": "heroprotocol"}
PACKAGES = Path(__file__).parents[1] / "src" / "playhead"


def add_newer(game: str, pool: TypePool, tables: list[dict[str, Any]]) -> None:
    """Add the tables of the installed package that are newer than all others."""
    newest = max(build for table in tables for build in table["builds"])
    for build, path in sorted(modules(PUBLISHED[game]).items()):
        if build <= newest:
            continue
        new = pool.add_table([build], literals(path))
        same = next((table for table in tables if {**table, "builds": []} == {**new, "builds": []}), None)
        if same is None:
            tables.append(new)
        else:
            same["builds"].append(build)
        print(f"{build}: {'a new table' if same is None else 'as ' + str(same['builds'][0])}")


def main(game: str, source: str = "") -> None:
    """Read the tables at `source`, or the known and newer ones, and write those of the game."""
    target = PACKAGES / game / "protocol" / "tables.json.zlib"
    if source:
        pool = TypePool()
        tables = [pool.add_table(raw["base_builds"], raw) for raw in json.loads(Path(source).read_text("utf-8"))]
    else:
        held = json.loads(zlib.decompress(target.read_bytes()))
        pool, tables = TypePool(held["types"]), held["tables"]
        add_newer(game, pool, tables)
    text = json.dumps({"types": pool.types, "tables": tables}, separators=(",", ":"))
    target.write_bytes(zlib.compress(text.encode(), 9))
    print(f"{target}: {target.stat().st_size} bytes, {len(tables)} tables, {len(pool.types)} types")


if __name__ == "__main__":
    main(*sys.argv[1:])
