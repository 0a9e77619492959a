"""Build orders of a StarCraft II game side by side, with supply, and each player's actions a minute.

    python examples/starcraft2_build_order.py game.SC2Replay

Needs nothing but playhead.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from itertools import zip_longest

import playhead

WIDTH = 38


def build_orders(replay: playhead.Replay, *, until: float = 480) -> dict[int, list[str]]:
    """Lines of each player's build order, up to so many seconds."""
    orders: dict[int, list[str]] = defaultdict(list)
    for row in replay.table("build_order").to_pylist():
        if row["seconds"] <= until:
            minute, second = divmod(int(row["seconds"]), 60)
            failed = "" if row["outcome"] == "finished" else f" ({row['outcome']})"
            orders[row["player"]].append(f"{minute}:{second:02}  {row['supply']:>3.0f}  {row['product']}{failed}")
    return orders


def actions_a_minute(replay: playhead.Replay) -> dict[int, float]:
    """Mean of the actions in each minute, by player."""
    counts: dict[int, list[int]] = defaultdict(list)
    for row in replay.table("apm").to_pylist():
        if row["player"] is not None:
            counts[row["player"]].append(row["actions"])
    return {player: sum(found) / len(found) for player, found in counts.items()}


def main() -> None:
    replay = playhead.open(sys.argv[1])
    orders, actions = build_orders(replay), actions_a_minute(replay)
    players = [player for player in replay.players if player.player in orders]
    if not players:
        sys.exit("no build order: the game writes what it needs since 2.0.8")
    print(f"{replay.info.map}, {replay.info.version}")
    for player in players:
        apm = actions.get(player.player, 0)
        print(f"{player.name} ({player.character}, {player.result}), {apm:.0f} actions a minute")
    print()
    for line in zip_longest(*(orders[player.player] for player in players), fillvalue=""):
        print("".join(text.ljust(WIDTH) for text in line).rstrip())
    for problem in replay.problems_so_far:
        print(f"problem: {problem}", file=sys.stderr)


if __name__ == "__main__":
    main()
