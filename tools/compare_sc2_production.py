"""Compare build orders and metrics with spawningtool and zephyrus, and count differences by reason.

python tools/compare_sc2_production.py peers.ndjson        # of tools/ask_sc2_peers.py
python tools/compare_sc2_production.py --supply FILE|DIR…  # supply against the game's own samples
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from learn_sc2_unit_links import replays

import playhead

#: Starts within this difference are equal: spawningtool's build times, in whole seconds, are off by up to half a
#: second of the game's clock, and steps of research and chrono boosts by more.
NEAR_LOOPS = 16
#: Starts within this difference may still belong to the same step.
FAR_LOOPS = 1200


#: spawningtool's names that differ from the tracker's and are not in its own table of names.
ALIASES = {
    "GhostAlternate": "GhostAlternate (Error on build time)",
    "HellionTank": "Hellbat",
    "LurkerMP": "Lurker",
    "SwarmHostMP": "SwarmHost",
}


def ours(path: Path) -> list[dict[str, Any]]:
    """Return the rows of the table ``build_order``."""
    rows: list[dict[str, Any]] = playhead.open(path).table("build_order").to_pylist()
    return rows


def plain(name: str) -> str:
    """Return a name without the notational differences between both."""
    return "".join(char for char in name.lower() if char.isalnum())


def paired(
    mine: Sequence[dict[str, Any]], theirs: Sequence[float]
) -> tuple[list[tuple[dict[str, Any], float]], list[dict[str, Any]], list[float]]:
    """Return the matching steps of one player and name, nearest first, and the unmatched steps of both."""
    ways = sorted(
        (abs(row["tick"] - start), a, b)
        for a, row in enumerate(mine)
        for b, start in enumerate(theirs)
        if abs(row["tick"] - start) <= FAR_LOOPS
    )
    taken_a: set[int] = set()
    taken_b: set[int] = set()
    pairs = []
    for _, a, b in ways:
        if a not in taken_a and b not in taken_b:
            taken_a.add(a)
            taken_b.add(b)
            pairs.append((mine[a], theirs[b]))
    left = [row for place, row in enumerate(mine) if place not in taken_a]
    return pairs, left, [start for place, start in enumerate(theirs) if place not in taken_b]


def with_spawningtool(rows: Sequence[dict[str, Any]], answer: Mapping[str, Any], count: Counter[str]) -> None:
    """Count equal and different steps of one replay."""
    names = answer["names"]
    mine: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for row in rows:
        mine.setdefault(
            (row["player"], plain(ALIASES.get(row["product"]) or names.get(row["product"], row["product"]))), []
        ).append(row)
    theirs: dict[tuple[int, str], list[float]] = {}
    for step in answer["spawningtool"]:
        theirs.setdefault((step["player"], plain(step["name"])), []).append(step["start"])
    players = {player for player, _ in theirs}
    for key in {*mine, *theirs}:
        if key[0] not in players:
            continue
        pairs, extra, missing = paired(mine.get(key, ()), theirs.get(key, ()))
        for row, start in pairs:
            near = abs(row["tick"] - start) <= NEAR_LOOPS
            count["same start" if near else f"start differs: {row['known_by']}"] += 1
        for row in extra:
            count[f"only ours: {row['kind']} {row['outcome']} {row['known_by']}"] += 1
        if missing:
            count[f"only theirs: {key[1]}"] += len(missing)


def with_zephyrus(rows: Sequence[dict[str, Any]], answer: Mapping[str, Any], count: Counter[str]) -> None:
    """Count units of both, by tag, with their loops of start and birth."""
    mine = {row["unit"]: row for row in rows if row["unit"] is not None and row["kind"] != "morph"}
    theirs = {}
    for unit in answer["zephyrus"]["units"]:
        if unit["init"] or unit["born"]:
            theirs[unit["tag"]] = unit
    for tag, row in mine.items():
        unit = theirs.get(tag)
        if unit is None:
            count[f"only ours: {row['product']}"] += 1
            continue
        end = row["end_tick"] if row["outcome"] == "finished" else None
        same = unit["born"] == end and (row["known_by"] != "init" or unit["init"] == row["tick"])
        count["same loops" if same else "loops differ"] += 1
    for tag, unit in theirs.items():
        if tag not in mine:
            count[f"only theirs: {unit['name']}"] += 1


def metrics(path: Path, answer: Mapping[str, Any], differences: dict[str, list[float]]) -> None:
    """Collect the differences of the whole game's metrics: ours minus zephyrus'."""
    summary = answer["zephyrus"]["summary"]
    for row in playhead.open(path).table("player_stats").to_pylist():
        player = str(row["player"])
        if player not in summary["sq"]:
            continue
        for column, theirs in (
            ("spending_quotient", summary["sq"][player]),
            ("supply_blocked_seconds", summary["supply_block"][player]),
            ("workers_made", summary["workers_produced"][player]),
            ("screens_per_minute", summary["spm"][player]),
            ("pac_per_minute", summary["avg_pac_per_min"][player]),
            ("pac_actions", summary["avg_pac_actions"][player]),
            ("pac_latency", summary["avg_pac_action_latency"][player]),
            ("minerals_collected", summary["resources_collected"]["minerals"][player]),
            ("vespene_collected", summary["resources_collected"]["gas"][player]),
        ):
            if row[column] is not None and theirs is not None:
                differences.setdefault(column, []).append(row[column] - theirs)


def show(title: str, count: Counter[str], *, most: int = 30) -> None:
    """Print the counts."""
    print(f"\n{title}")
    for name, number in count.most_common(most):
        print(f"{number:8}  {name}")


def main(lines: Iterable[str]) -> None:
    """Compare every replay that a peer can read."""
    read: Counter[str] = Counter()
    spawningtool: Counter[str] = Counter()
    zephyrus: Counter[str] = Counter()
    differences: dict[str, list[float]] = {}
    for line in lines:
        answer = json.loads(line)
        path = Path(answer["file"])
        if "spawningtool" not in answer and "zephyrus" not in answer:
            continue
        rows = ours(path)
        if answer.get("spawningtool"):
            read["spawningtool"] += 1
            with_spawningtool(rows, answer, spawningtool)
        if answer.get("zephyrus"):
            read["zephyrus"] += 1
            with_zephyrus(rows, answer, zephyrus)
            metrics(path, answer, differences)
    show("replays", read)
    show("build orders, spawningtool", spawningtool, most=60)
    show("units, zephyrus", zephyrus)
    print("\nmetrics less those of zephyrus: 5 %, median, 95 %")
    for column, found in differences.items():
        found.sort()
        low, middle, high = (found[int(len(found) * part)] for part in (0.05, 0.5, 0.95))
        print(f"{column:24} {low:10.2f} {middle:10.2f} {high:10.2f}   {len(found)} players")


def supply(places: Sequence[str]) -> None:
    """Count the samples of two-player games in which the derived supply equals the game's."""
    from playhead.blizzard.protocol.tables import TRACKER
    from playhead.sc2.replay import Sc2Replay
    from playhead.sc2.state.production.from_replay import production
    from playhead.sc2.state.production.production import supply_at

    off: dict[str, Counter[float]] = {"used": Counter(), "made": Counter()}
    games: Counter[str] = Counter()
    for path in replays(places):
        replay = playhead.open(path)
        assert isinstance(replay, Sc2Replay)
        samples = replay.table("player_series").to_pylist()
        players = sorted({row["player"] for row in samples})
        stream = replay.recording.stream(TRACKER)
        if len(players) != 2 or sum(each.player is not None for each in replay.players) != 2 or stream is None:
            continue
        games["of two players"] += 1
        made = production(stream, replay.recording)
        for player in players:
            rows = [row for row in samples if row["player"] == player and row["tick"] > 1]
            found = supply_at(made.supply_of(player), [row["tick"] for row in rows])
            for row, (used, provided) in zip(rows, found, strict=True):
                off["used"][abs(used - row["supply"])] += 1
                off["made"][abs(provided - row["supply_made"])] += 1
    show("games", games)
    for what, count in off.items():
        total = count.total()
        within = [sum(number for by, number in count.items() if by <= most) / total for most in (0, 1, 2)]
        print(f"supply {what}: {total} samples, exact {within[0]:.1%}, by 1 {within[1]:.1%}, by 2 {within[2]:.1%}")


if __name__ == "__main__":
    if sys.argv[1] == "--supply":
        supply(sys.argv[2:])
        raise SystemExit
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        main(file)
