"""A moment in a notebook has the words of players."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from playhead.replay import Replay
from playhead.text.html import moment_html


@pytest.mark.parametrize(
    ("name", "word", "bare"), [("source2", "Tower", "CDOTA_"), ("sc2", "Supply Depot", "SupplyDepot")]
)
def test_units_have_the_names_of_the_game(replays: Mapping[str, Replay], name: str, word: str, bare: str) -> None:
    replay = replays[name]
    page = replay.at(replay.first_tick + (replay.info.duration_ticks or 0) // 2).to_html()
    assert word in page
    assert bare not in page


def test_names_of_people_stay() -> None:
    page = moment_html("now", {}, [{"player": 1, "name": "Bo_XeR", "item": "item_x"}], {}, [], lambda name: "word")
    assert "Bo_XeR" in page
    assert "item_x" not in page
