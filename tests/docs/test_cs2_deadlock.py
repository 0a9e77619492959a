"""Python of the pages about CS2 and Deadlock on real recordings.

test_cookbook.py runs the recipes on a synthetic recording of CS2; there is none of Deadlock.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from markdown_blocks import python_blocks

pytestmark = pytest.mark.slow_interpreted

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "cs2-deadlock.md"


@pytest.mark.long
@pytest.mark.parametrize("name", ["cs2_14065", "cs2_14132", "cs2_14155", "deadlock_10423"])
def test_recipes_on_real_recordings(name: str, corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("polars", reason="the page uses polars")
    start, *recipes = python_blocks(PAGE)
    names: dict[str, Any] = {"path": corpus / "source2" / f"{name}.dem", "folder": tmp_path}
    start.run(names)
    found = {}
    for recipe in recipes:
        recipe.run(names)
        found[recipe.heading] = names.pop("answer")
        assert len(found[recipe.heading]) > 0, recipe.heading
    assert found["How do I keep a few seconds as a demo of its own?"]["problems"] == 0
    if (
        name == "cs2_14155"
    ):  # de_dust2 at the start of a round: Terrorists in the south, their opponents in the north
        places = found["Where was everybody, second by second?"]
        assert places.height >= 10
        assert (places["y"].is_between(-950, -650) | places["y"].is_between(2100, 2600)).all()


def test_page_of_deadlock_on_a_broadcast(corpus: Path) -> None:
    names: dict[str, Any] = {"path": corpus / "source2/deadlock_broadcast"}
    for block in python_blocks(DOCS / "deadlock.md"):
        block.run(names)
    replay = names["replay"]
    assert replay.table("kills").num_rows == 1
    assert len(replay.at("2:00").players) == 12
