"""Every recipe runs on sample and real replays and has an answer; the pages show the answer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from markdown_blocks import Block, python_blocks

from playhead.samples import write_sample_broadcast

pytestmark = pytest.mark.slow_interpreted

ROOT = Path(__file__).parents[2]
COOKBOOK = ROOT / "docs/cookbook"
PAGES = (
    "dota2",
    "cs2",
    "deadlock",
    "starcraft2",
    "starcraft2-coach",
    "starcraft2-research",
    "hots",
    "teehistorian",
)

# A real recording for each page, and the recipes without an answer in it.
REAL = {
    # It ends half a minute after loading, before the horn.
    "dota2": (
        "source2/dota2_build9912_10bots.dem",
        (
            "Who killed whom, and how often?",
            "Which deaths were ganks, and which kills were part of a series?",
            "What did each hero buy, and when?",
            "Which skills and items did the most damage to heroes?",
            "When and where were the fights, and who came out ahead?",
            "Who did what in the largest fight?",
            "What came of each smoke, and what broke it?",
            "How long did wards stand, and whom did they see?",
            "When did towers and Roshan fall?",
            "What state were the heroes in at a moment?",  # 1:00 on the game's clock
        ),
    ),
    "cs2": (
        "source2/cs2_14090.dem",  # half a minute with a fight, without the end of a round
        (
            "How did everybody do?",
            "Which kills were trades, through smoke or without scope?",
            "Which grenades did the players throw, and how long did they fly?",
            "Who blinded whom, and for how long?",
            "What happened to the bomb?",
            "Where was everybody ten seconds into a round, and with what in the hands?",
            "Which clutches were there, and who won them?",
            "Who played better on which side?",
            "Which victims were blinded or in the air?",
            "Who wrote in the chat?",
            "Who spoke, and how much?",
        ),
    ),
    "deadlock": (
        "source2/deadlock_broadcast",  # 27 seconds, before the first purchase
        (
            "What did each player buy, and from which components?",
            "When did the structures fall, and by whom?",
        ),
    ),
    "starcraft2": ("sc2/5.0.14.93333/*.SC2Replay", ()),
    **dict.fromkeys(
        ("starcraft2-coach", "starcraft2-research"), ("sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay", ())
    ),
    "hots": ("hots/volskaya_77548.StormReplay", ()),
    "teehistorian": ("teehistorian/head20.1-with-debug-log/*.teehistorian", ()),
}


def _recipes(page: str) -> tuple[Block, list[Block]]:
    start, *recipes = python_blocks(COOKBOOK / f"{page}.md")
    return start, recipes


def _size(answer: Any) -> int:
    return answer.height if hasattr(answer, "height") else len(answer)


@pytest.mark.parametrize("page", PAGES)
def test_ten_questions_each(page: str) -> None:
    _, recipes = _recipes(page)
    assert len(recipes) >= 10
    assert all(recipe.heading.endswith("?") for recipe in recipes[:10])


@pytest.mark.long
def test_results_on_the_pages_are_current(
    tool: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("polars", "matplotlib"):
        pytest.importorskip(name, reason="the recipes use it")
    writer = tool("write_recipe_results")
    writer.write_samples(tmp_path)
    monkeypatch.chdir(tmp_path)
    for page in writer.PAGES:
        is_old = writer.new_text(page, tmp_path) != (ROOT / "docs" / page).read_text(encoding="utf-8")
        assert not is_old, f"{page} is old: run {writer.COMMAND}"


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("page", PAGES)
def test_recipes_on_a_real_recording(page: str, corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("polars", reason="the cookbook uses polars")
    pattern, unanswered = REAL[page]
    path = max(corpus.glob(pattern), key=lambda found: found.stat().st_size, default=None)
    if path is None:
        pytest.skip(f"no {pattern} in the corpus")
    start, recipes = _recipes(page)
    names: dict[str, Any] = {"path": path, "folder": tmp_path}
    if page == "dota2":
        names["broadcast"] = write_sample_broadcast(tmp_path)
    start.run(names)
    without = []
    for recipe in recipes:
        names.pop("answer", None)
        try:
            recipe.run(names)
        except ValueError as error:
            if not str(error).startswith("expected a moment of the recording"):  # the recording is too short
                raise
        if not _size(names.get("answer", ())):
            without.append(recipe.heading)
    assert tuple(without) == unanswered
