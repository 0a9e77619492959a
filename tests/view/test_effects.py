"""What is on the map for a while: hits, smokes, timers, kills."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.samples.dota2_match.recording import write_sample
from tests.samples.games import write_match
from tests.view.pages import Page

import playhead
from playhead.presentation.map import BLAST, FIRE, FLASH, HIT, KILL, SHOT, SIGHT, SMOKE, TIMER, Effect
from playhead.view import map as ground

pytestmark = pytest.mark.slow_interpreted


@pytest.fixture(scope="module")
def cs2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A written match of CS2 with every grenade and a bomb."""
    return Path(write_match("cs2", tmp_path_factory.mktemp("match"), 4)[0])


@pytest.mark.long
def test_effects_of_cs2_are_those_of_its_tables(cs2: Path) -> None:
    replay = playhead.open(cs2)
    found: dict[str, list[Effect]] = {}
    for each in replay.presentation.map.effects(replay):
        found.setdefault(each.kind, []).append(each)
    assert found.keys() == {SHOT, HIT, KILL, SMOKE, FIRE, TIMER, FLASH, BLAST}
    last = replay.info.duration_ticks
    smokes = replay.table("smokes").to_pylist()
    assert [(each.tick, each.end) for each in found[SMOKE]] == [
        (row["tick"], row["end_tick"] or last) for row in smokes
    ]
    assert len(found[HIT]) + len(found[KILL]) == replay.table("damage").num_rows
    bomb = replay.table("bomb").to_pylist()
    assert [each.tick for each in found[TIMER]] == [row["tick"] for row in bomb if row["event"] == "planted"]
    for timer in found[TIMER]:
        over = {row["tick"] for row in bomb if row["event"] in ("defused", "exploded")}
        assert timer.due is not None
        assert timer.end in over | {timer.due}
        assert timer.due >= timer.end > timer.tick


def test_an_answer_has_the_longest_effects_and_those_of_its_ticks(
    cs2: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = playhead.open(cs2)
    all_of_them = ground.effects(replay)
    (smoke, *_) = (each for each in all_of_them if each[0] == SMOKE)
    inside = ground.effects(replay, (smoke[2] - 1, smoke[2]))
    assert smoke in inside
    assert all(each[1] <= smoke[2] and each[2] >= smoke[2] - 1 for each in inside)
    monkeypatch.setattr(ground, "MOST_EFFECTS", 3)
    kept = ground.effects(replay)
    assert sorted(each[2] - each[1] for each in kept) == sorted(each[2] - each[1] for each in all_of_them)[-3:]
    assert kept == sorted(kept, key=lambda each: each[1])


@pytest.mark.long
@pytest.mark.parametrize("game", ["dota2", "deadlock"])
def test_kills_of_heroes_are_on_the_map(game: str, tmp_path: Path) -> None:
    (path, *_) = write_sample(tmp_path) if game == "dota2" else write_match(game, tmp_path, 2)
    replay = playhead.open(path)
    kills = [row for row in replay.table("kills").to_pylist() if row["victim_x"] is not None]
    found = list(replay.presentation.map.effects(replay))
    wards = replay.table("wards").to_pylist() if game == "dota2" else []
    assert [(each.kind, each.tick, each.x) for each in found] == [
        *((KILL, row["tick"], row["victim_x"]) for row in kills),
        *((SIGHT, row["tick"], row["x"]) for row in wards),
    ]
    last = replay.info.duration_ticks
    ends = [last if row["end_tick"] is None else row["end_tick"] for row in wards]
    assert [each.end for each in found[len(kills) :]] == ends


def test_the_pointer_is_told_and_what_is_drawn_is_in_the_link(
    cs2: Path, serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed = shown()
    page = viewed.open(serve(cs2), at="#t=2400")
    first = page.locator(".column .player:not(.dead) .name").first
    first.click()  # the camera follows
    viewed.settle()
    box = page.locator("canvas.map").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    told = page.locator(".tip.hover").inner_text()
    assert first.inner_text() in told
    assert "% health" in told
    page.get_by_role("button", name="draw", exact=True).click()
    left, top = box["x"] + 200, box["y"] + 200
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(left + 60, top + 20, steps=4)
    page.mouse.up()
    page.mouse.click(left, top + 60)
    page.get_by_label("note").fill("wait here; then go")
    page.get_by_label("note").press("Enter")
    viewed.settle()
    address = page.evaluate("decodeURIComponent(location.hash)")
    assert "wait+here++then+go" in address
    other = shown()
    drawn = other.open(serve(cs2), at=page.evaluate("location.hash"))
    assert drawn.get_by_role("button", name="undo", exact=True).count() == 1
    drawn.get_by_role("button", name="undo", exact=True).click()
    other.settle()
    assert "wait" not in drawn.evaluate("location.hash")
    assert "ink=" in drawn.evaluate("location.hash")
