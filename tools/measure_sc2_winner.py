"""Measure `inferred_winner_name` on replays with a recorded result.

    python tools/measure_sc2_winner.py CORPUS

CORPUS has ``sc2/INDEX.csv`` and its replays. Games with two or more teams count: the share with an inferred
winner (coverage), and the share of correct ones among those with a recorded winner (precision). A winner is
recorded if one team has a win, or if all teams but one have a loss.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import playhead
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.state.players.winner import Side

KINDS = ("duel of people", "teams of people", "with a computer", "arcade, archon, co-op")


class Game(NamedTuple):
    """One replay: the kind of game, the recorded and the inferred winner, and the evidence."""

    file: str
    kind: str
    recorded: int | None
    inferred: int | None
    evidence: str | None


def recorded_winner(found: Iterable[Side]) -> int | None:
    """Return the winning team according to the file."""
    sides = list(found)
    winners = [side.team for side in sides if side.recorded == "win"]
    if len(winners) == 1:
        return winners[0]
    left = [side.team for side in sides if side.recorded != "loss"]
    return left[0] if not winners and len(left) == 1 else None


def _kind(replay: Sc2Replay) -> str:
    if replay.info.details["mode"] in ("arcade", "archon", "co-op"):
        return KINDS[3]
    if any(player.kind == "computer" for player in replay.players):
        return KINDS[2]
    return KINDS[0] if replay.info.details["mode"] == "1v1" else KINDS[1]


def games(corpus: Path, step: int = 1) -> Iterator[Game]:
    """Yield every `step`-th replay of the index that has two teams."""
    with (corpus / "sc2" / "INDEX.csv").open(encoding="utf-8", newline="") as file:
        names = [row["file"] for row in csv.DictReader(file)][::step]
    for name in names:
        replay = playhead.open(corpus / "sc2" / name)
        assert isinstance(replay, Sc2Replay)
        if len(replay.recording.sides) < 2:
            continue
        found = replay.recording.inferred_winner
        yield Game(
            name,
            _kind(replay),
            recorded_winner(replay.recording.sides),
            None if found is None else found.team,
            None if found is None else found.evidence,
        )


def main(corpus: Path) -> None:
    """Print two tables in Markdown, and the games with a wrong inference."""
    found = list(games(corpus))
    for title, key in (("games", "kind"), ("evidence", "evidence")):
        print(f"| {title} | with a result | inferred | right | precision | coverage | without | inferred |")
        print("|---|---|---|---|---|---|---|---|")
        for value in dict.fromkeys(
            [*(KINDS if key == "kind" else ()), *sorted({str(getattr(g, key)) for g in found})]
        ):
            print(_row(value, [game for game in found if str(getattr(game, key)) == value]))
        print(_row("all", found) + "\n")
    for game in found:
        if None not in (game.recorded, game.inferred) and game.recorded != game.inferred:
            print(f"wrong: {game.file} ({game.kind}, {game.evidence})")


def _row(name: str, chosen: list[Game]) -> str:
    counts: Counter[str] = Counter()
    for game in chosen:
        has = "with" if game.recorded is not None else "without"
        counts[has] += 1
        counts[f"{has} inferred"] += game.inferred is not None
        counts["right"] += game.inferred is not None and game.inferred == game.recorded
    done, all_ = counts["with inferred"], counts["with"]
    precision = f"{100 * counts['right'] / done:.1f} %" if done else "–"
    coverage = f"{100 * done / all_:.1f} %" if all_ else "–"
    cells = (all_, done, counts["right"], precision, coverage, counts["without"], counts["without inferred"])
    return f"| {name} | " + " | ".join(str(cell) for cell in cells) + " |"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
