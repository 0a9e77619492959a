"""Rows of each table of CS2 recordings: playhead, awpy and demoparser2.

PLAYHEAD_AWPY_PYTHON=…/bin/python python benchmarks/peers/cs2_rows.py FILE.dem…
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import playhead

#: Table, its frame in awpy, its call in demoparser2.
TABLES = (
    ("rounds", "rounds", "event round_end"),
    ("kills", "kills", "event player_death"),
    ("damage", "damages", "event player_hurt"),
    ("shots", "shots", "event weapon_fire"),
    ("grenades", "", ""),
    ("grenade_series", "grenades", "parse_grenades"),
    ("smokes", "smokes", "event smokegrenade_detonate"),
    ("infernos", "fires", "event inferno_startburn"),
    ("flashes", "blinds", "event player_blind"),
    ("bomb", "bomb", "event bomb_planted"),
    ("item_events", "item_events", "event item_purchase"),
    ("economy", "round_economy", ""),
    ("player_stats", "stats", ""),
    ("match", "", ""),
    ("players", "players", "parse_player_info"),
    ("chat", "chat", "event chat_message"),
    ("voice", "", "parse_voice"),
    ("skins", "", "parse_skins"),
    ("inputs", "", "ticks usercmd_mouse_dx"),
    ("convars", "convars", ""),
    ("player_series", "snapshots", "ticks X"),
)
_THEIRS = """
import json, sys
from awpy import Demo
from demoparser2 import DemoParser

def count(read):
    try:
        return len(read())
    except Exception as error:
        return "error"

def of_awpy(name):
    demo = Demo(sys.argv[1])
    if name == "snapshots":
        return demo.snapshots(every=1)
    found = getattr(demo, name)
    return found() if callable(found) else found

def of_demoparser(name):
    parser = DemoParser(sys.argv[1])
    how, _, what = name.partition(" ")
    if how == "ticks":
        found = parser.parse_ticks([what])
        return found[found[what].notna()] if what in found else []
    return parser.parse_event(what) if how == "event" else getattr(parser, how)()

print(json.dumps([
    [count(lambda: of_awpy(awpy)) if awpy else "-", count(lambda: of_demoparser(other)) if other else "-"]
    for _, awpy, other in json.loads(sys.argv[2])
]))
"""


def main() -> None:
    for path in map(Path, sys.argv[1:]):
        command = [os.environ["PLAYHEAD_AWPY_PYTHON"], "-c", _THEIRS, str(path), json.dumps(TABLES)]
        theirs = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        replay = playhead.open(path)
        print(f"\n{path.name}\n\n| table | playhead | awpy 3.1.1 | demoparser2 0.42.0 |\n|---|--:|--:|--:|")
        for (name, awpy, other), counts in zip(TABLES, theirs, strict=True):
            options = {"every": "1 tick", "columns": ["tick"]} if name == "player_series" else {}
            mine = replay.table(name, **options).num_rows
            cells = [f"{count} `{of}`" if of else "" for count, of in zip(counts, (awpy, other), strict=True)]
            print(f"| `{name}` | {mine} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
