"""Write the results of spawningtool and zephyrus-sc2-parser on StarCraft II replays, one JSON object per file.

    python -m venv peers && peers/bin/pip install spawningtool==3.0.0 zephyrus-sc2-parser==0.3.8
    peers/bin/python tools/ask_sc2_peers.py FOLDER > peers.ndjson
    python tools/compare_sc2_production.py peers.ndjson

Run it in its own environment, without playhead: neither is a dependency.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any


def spawningtool_rows(path: Path) -> list[dict[str, Any]]:
    """Return player, name and start loop of each entry of spawningtool's build orders."""
    from spawningtool.parser import parse_replay

    rows = []
    for number, player in parse_replay(str(path))["players"].items():
        rows += (
            {"player": int(number), "name": step["name"], "start": step["frame"], "supply": step["supply"]}
            for step in player["buildOrder"]
        )
    return rows


def display_names() -> dict[str, str]:
    """Return spawningtool's names by the names of the game data."""
    from spawningtool import hots_constants, lotv_constants

    known = [*hots_constants.BUILD_DATA.items(), *lotv_constants.BUILD_DATA.items()]
    return {name: data["display_name"] for name, data in known if data.get("display_name")}


def zephyrus_replay(path: Path) -> dict[str, Any]:
    """Return the units and the statistics of zephyrus."""
    from zephyrus_sc2_parser import parse_replay

    replay = parse_replay(str(path), local=True, network=False)
    units = [
        {
            "player": number,
            "name": unit._name_history[0].name,
            "init": unit.init_time,
            "born": unit.birth_time,
            "tag": unit.game_id,
        }
        for number, player in replay.players.items()
        for unit in player.objects.values()
    ]
    return {"units": units, "summary": replay.summary, "loops": replay.metadata["game_length"]}


def main() -> None:
    """Run both on every replay of a folder."""
    logging.disable(logging.CRITICAL)
    names = display_names()
    for path in sorted(Path(sys.argv[1]).rglob("*.SC2Replay")):
        answer: dict[str, Any] = {"file": str(path), "names": names}
        for peer, ask in (("spawningtool", spawningtool_rows), ("zephyrus", zephyrus_replay)):
            try:
                answer[peer] = ask(path)
            except Exception as error:
                answer[f"{peer}_error"] = f"{type(error).__name__}: {error}"[:80]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
