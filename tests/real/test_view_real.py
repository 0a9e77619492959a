"""The viewer on real replays: moving things are where the state has them; reports of all formats are written."""

from __future__ import annotations

from pathlib import Path

import pytest

import playhead
from playhead.view import write_report
from playhead.web.shelf import open_match


def test_heroes_of_a_real_match(corpus: Path) -> None:
    path = corpus / "source2" / "dota2_build9912_10bots.dem"
    match, replay = open_match(path), playhead.open(path)
    tick = match.stretch  # start of the second segment
    rows = match.motion.rows(tick, tick, match.step)
    heroes = {}
    for place, thing in enumerate(rows.things):
        about = rows.directory[thing]
        if about["role"] == "hero":
            heroes[about["player"]] = rows.numbers[place * 4 : place * 4 + 2].tolist()
    players = replay.at(tick).players
    assert len(players) == len(heroes) == 10
    for row in players:
        assert heroes[row["player"]] == pytest.approx([row["x"], row["y"]], abs=0.1)


@pytest.mark.stepped
@pytest.mark.parametrize(
    "name",
    [
        "source2/cs2_14155.dem",
        "source2/deadlock_10423.dem",
        "source2/dota2_pov.dem",
        "hostile/evil.dem",
        "hostile/tickgap.dem",
        "hostile/evil.teehistorian",
    ],
)
def test_reports_of_real_and_hostile_replays(corpus: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "match.html"
    assert 100_000 < write_report(playhead.open(corpus / name), path) < 3_000_000
