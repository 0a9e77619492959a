"""Count agreement of playhead and sc2reader on players: kinds, observers, races, teams, results, type of game.

    python tools/compare_sc2_sc2reader.py CORPUS [--details]

CORPUS has ``sc2/INDEX.csv`` and its replays. Files that sc2reader cannot read are counted and skipped. With
``--details``, every differing file is printed with its differences.
"""

from __future__ import annotations

import csv
import logging
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import sc2reader

import playhead

QUESTIONS = ("players", "observers", "race", "race_picked", "team", "result", "mode", "ladder")

_RESULTS = {"Win": "win", "Loss": "loss"}
#: Games by matchmaking; sc2reader gives them the category Ladder.
_MATCHED = frozenset({"ladder", "unranked", "training", "versus AI", "co-op"})


def files(corpus: Path, step: int = 1) -> list[str]:
    """Every `step`-th file of the index."""
    with (corpus / "sc2" / "INDEX.csv").open(encoding="utf-8", newline="") as file:
        return [row["file"] for row in csv.DictReader(file)][::step]


def ours(replay: playhead.Replay) -> dict[str, Any]:
    """Return playhead's answers, by question."""
    playing = [player for player in replay.players if player.kind not in ("observer", "referee")]
    teams = defaultdict(list)
    for player in playing:
        teams[player.team].append(player.name or "")
    facts = replay.info.details
    return {
        "players": sorted((player.name or "", player.kind) for player in playing),
        "observers": sorted((p.name or "", p.kind) for p in replay.players if p.kind in ("observer", "referee")),
        "race": sorted((player.name or "", player.details.get("race")) for player in playing),
        "race_picked": sorted((player.name or "", player.details.get("race_picked")) for player in playing),
        "team": sorted(sorted(names) for names in teams.values()),
        "result": sorted((player.name or "", str(player.details["recorded_result"])) for player in playing),
        "mode": facts["mode"],
        "ladder": facts["game_type"] in _MATCHED,
    }


def theirs(replay: Any) -> dict[str, Any]:
    """Return sc2reader's answers, by question."""
    return {
        "players": sorted((p.name or "", "human" if p.is_human else "computer") for p in replay.players),
        "observers": sorted((p.name or "", "referee" if p.is_referee else "observer") for p in replay.observers),
        "race": sorted((player.name or "", player.play_race) for player in replay.players),
        "race_picked": sorted((player.name or "", player.pick_race) for player in replay.players),
        "team": sorted(sorted(player.name or "" for player in team.players) for team in replay.teams),
        "result": sorted((p.name or "", str(_RESULTS.get(p.result))) for p in replay.players),
        "mode": replay.real_type,
        "ladder": replay.category == "Ladder",
    }


def differences(corpus: Path, names: Iterable[str]) -> Iterator[tuple[str, dict[str, tuple[Any, Any]] | None]]:
    """Yield each file with its differences: ours and theirs by question; None if sc2reader cannot read the
    file.
    """
    logging.disable(logging.CRITICAL)
    for name in names:
        path = corpus / "sc2" / name
        try:
            other = theirs(sc2reader.load_replay(str(path), load_level=2))
        except Exception:
            yield name, None
            continue
        mine = ours(playhead.open(path))
        yield name, {what: (mine[what], other[what]) for what in QUESTIONS if mine[what] != other[what]}


def main(corpus: Path, details: bool) -> None:
    """Print the counts."""
    counts: Counter[str] = Counter()
    read = unread = 0
    for name, found in differences(corpus, files(corpus)):
        if found is None:
            unread += 1
            continue
        read += 1
        counts.update(found.keys())
        if details:
            for what, (mine, other) in found.items():
                print(f"{name}  {what}\n    playhead   {mine}\n    sc2reader  {other}")
    print(f"{read} replays read by both, {unread} not by sc2reader")
    for what in QUESTIONS:
        print(f"{what:<12} equal in {read - counts[what]}, different in {counts[what]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--details" in sys.argv)
