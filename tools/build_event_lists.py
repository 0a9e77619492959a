"""Add the lists of game events that recordings of CS2 have to the known ones: ``build_event_lists.py RECORDING…``.

The result, `src/playhead/source2/messages/event_lists_cs2.zlib`, has names, numbers and types of events by build.
Recordings of other games, and those without a list or a build, are named and skipped.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path

import playhead
from playhead.io.inputs import expand_inputs
from playhead.source2.messages.numbers import Engine
from playhead.source2.replay import Source2Replay

GAME = "cs2"
TARGET = Path(__file__).parents[1] / "src" / "playhead" / "source2" / "messages" / f"event_lists_{GAME}.zlib"


def main() -> None:
    lists = dict(json.loads(zlib.decompress(TARGET.read_bytes())))
    for path in expand_inputs(sys.argv[1:]):
        replay = playhead.open(path.path)
        if not isinstance(replay, Source2Replay) or replay.info.game != GAME:
            print(f"{path.path}: skipped, no recording of {GAME}")
            continue
        found = next(replay.messages(Engine.GAME_EVENT_LIST), None)
        if found is None or replay.info.build is None:
            print(f"{path.path}: skipped, no list of events or no build")
            continue
        lists[replay.info.build] = [
            [each["eventid"], each["name"], [[key["name"], key["type"]] for key in each.get("keys", ())]]
            for each in (found.fields or {})["descriptors"]
        ]
    data = zlib.compress(json.dumps(sorted(lists.items()), separators=(",", ":")).encode(), 9)
    TARGET.write_bytes(data)
    print(f"{TARGET.name}: {len(lists)} builds, {len(data)} bytes")


if __name__ == "__main__":
    main()
