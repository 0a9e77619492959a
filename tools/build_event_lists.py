"""Write the lists of game events that recordings of one game have: ``build_event_lists.py GAME RECORDING…``.

The result, `src/playhead/source2/messages/event_lists_GAME.zlib`, has names, numbers and types of events by build.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path

import playhead
from playhead.source2.messages.numbers import Engine
from playhead.source2.replay import Source2Replay

TARGET = Path(__file__).parent.parent / "src" / "playhead" / "source2" / "messages"


def main() -> None:
    game, *paths = sys.argv[1:]
    lists = {}
    for path in paths:
        replay = playhead.open(path)
        assert isinstance(replay, Source2Replay)
        found = next(replay.messages(Engine.GAME_EVENT_LIST), None)
        if found is None or replay.info.build is None:
            raise SystemExit(f"{path} has no list of events")
        lists[replay.info.build] = [
            [each["eventid"], each["name"], [[key["name"], key["type"]] for key in each.get("keys", ())]]
            for each in (found.fields or {})["descriptors"]
        ]
    data = zlib.compress(json.dumps(sorted(lists.items()), separators=(",", ":")).encode(), 9)
    (TARGET / f"event_lists_{game}.zlib").write_bytes(data)


if __name__ == "__main__":
    main()
