"""Print what sc2reader and spawningtool say of StarCraft II replays, one JSON object for each file.

    peers/bin/python benchmarks/peers/sc2_dump.py FILE… > dump.ndjson

`sc2_compare.py` runs it in the environment of the peers, in which playhead need not be installed.
"""

from __future__ import annotations

import json
import logging
import sys
import warnings
from collections import Counter
from typing import Any


def of_sc2reader(path: str) -> dict[str, Any]:
    """Return players, chat, orders and the tracker's facts by sc2reader."""
    import sc2reader
    from sc2reader.engine.plugins import GameHeartNormalizer

    sc2reader.engine.register_plugin(GameHeartNormalizer())
    replay = sc2reader.load_replay(path, load_level=4)
    events = replay.events
    orders = [each for each in events if each.name.endswith("CommandEvent")]
    born = [each for each in events if each.name in ("UnitBornEvent", "UnitInitEvent")]
    died = [each for each in events if each.name == "UnitDiedEvent"]
    return {
        "players": [[each.name, each.play_race, (each.result or "").lower()] for each in replay.players],
        "observers": [each.name for each in replay.observers],
        "teams": [[each.name for each in team.players] for team in replay.teams],
        "chat": [[each.player.name, each.text] for each in events if each.name == "ChatEvent"],
        "orders": Counter(each.name for each in orders if not each.name.startswith("Update")),
        "updates": sum(each.name.startswith("Update") for each in orders),
        "abilities": [
            [each.frame, each.ability_link, each.command_index, each.ability_name]
            for each in orders
            if getattr(each, "has_ability", False) and not each.name.startswith("Update")
        ],
        "born": [[each.control_pid, each.unit_type_name] for each in born],
        "died": [[each.unit_id_index, each.killing_player_id] for each in died],
        "upgrades": [[each.pid, each.upgrade_type_name] for each in events if each.name == "UpgradeCompleteEvent"],
        "statistics": [[each.pid, each.minerals_current] for each in events if each.name == "PlayerStatsEvent"],
    }


def of_spawningtool(path: str) -> dict[str, Any]:
    """Return build orders and losses by spawningtool: name, loop, and killer; and supply."""
    from spawningtool.parser import parse_replay

    players = parse_replay(path)["players"]
    return {
        "built": {
            number: [[step["name"], step["frame"]] for step in each["buildOrder"]]
            for number, each in players.items()
        },
        "supply": {number: each["supply"] for number, each in players.items()},
        "lost": {
            number: [[loss["name"], loss["frame"], loss["killer"]] for loss in each["unitsLost"]]
            for number, each in players.items()
        },
    }


def main() -> None:
    """Print the facts of each file; a failure has its reason."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    for path in sys.argv[1:]:
        row: dict[str, Any] = {"file": path}
        for name, ask in (("sc2reader", of_sc2reader), ("spawningtool", of_spawningtool)):
            try:
                row[name] = ask(path)
            except Exception as error:  # a peer may fail in any way
                row[name] = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
