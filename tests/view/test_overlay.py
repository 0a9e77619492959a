"""The overlay of rounds: the server's answer is that of `Replays.overlay`, and the page shows what is chosen."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.view.pages import DRAWING, Page

import playhead
from playhead.ask import overlay as laid
from playhead.web.shelf import Shelf
from playhead.web.viewer import make_app

pytestmark = pytest.mark.slow_interpreted


@pytest.fixture(scope="module")
def matches(short_match: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A written match with rounds, and the same again as another recording on its map."""
    path = short_match("cs2")
    return [path, Path(shutil.copy(path, tmp_path_factory.mktemp("other") / "other.dem"))]


@pytest.fixture(scope="module")
def answer(matches: list[Path]) -> dict[str, Any]:
    with playhead.open(matches[0]) as replay:
        return laid.overlay(replay)


def test_places_are_those_of_the_library(matches: list[Path], answer: dict[str, Any]) -> None:
    rows = playhead.scan([matches[0]], jobs=0).overlay("player_series", align="round", every=laid.STEP).table
    ends = {each["number"]: each["seconds"] for each in answer["rounds"]}
    expected = {
        (row["round_num"], row["player"], row["side"], round(row["overlay_seconds"], 2)): (
            round(row["x"]),
            round(row["y"]),
        )
        for row in rows.to_pylist()
        if row["alive"] and row["x"] is not None and 0 <= row["overlay_seconds"] <= ends[row["round_num"]]
    }
    found = {
        (each["number"], track["player"], track["side"], round(each["first"] + at * laid.STEP, 2)): (x, y)
        for each in answer["rounds"]
        for track in each["tracks"]
        for at, (x, y) in enumerate(zip(track["x"], track["y"], strict=True), track["start"])
        if x is not None
    }
    assert found == expected
    assert len(found) > 500


def test_rounds_have_their_facts_and_deaths(matches: list[Path], answer: dict[str, Any]) -> None:
    replay = playhead.open(matches[0])
    rounds = [row for row in replay.table("rounds").to_pylist() if row["counts"]]
    assert [(each["number"], each["tick"], each["winner"]) for each in answer["rounds"]] == [
        (row["round_num"], row["freeze_end_tick"], row["winner_side"]) for row in rounds
    ]
    for each, row in zip(answer["rounds"], rounds, strict=True):
        assert {side: own["buy"] for side, own in each["sides"].items()} == {
            "t": row["t_buy_type"],
            "ct": row["ct_buy_type"],
        }
    ends = {row["round_num"]: row["end_tick"] for row in rounds}
    kills = [row for row in replay.table("kills").to_pylist() if row["counts"]]
    kills = [row for row in kills if row["tick"] <= ends[row["round_num"]]]
    assert [death[4] for each in answer["rounds"] for death in each["deaths"]] == [
        row["victim_name"] for row in kills
    ]
    names = {replay.players[0].clan, replay.players[-1].clan}
    assert {own["team"] for each in answer["rounds"] for own in each["sides"].values()} == names


def test_an_answer_is_bounded(
    matches: list[Path], answer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = len(answer["rounds"])
    with playhead.open(matches[0]) as replay:
        monkeypatch.setattr(laid, "MOST_ROUNDS", 2)
        monkeypatch.setattr(laid, "MOST_SECONDS", 5.0)
        short = laid.overlay(replay)
        assert (len(short["rounds"]), short["left"]) == (2, whole - 2)
        assert max(each["seconds"] for each in short["rounds"]) == 5.0
        assert max(track["start"] + len(track["x"]) for each in short["rounds"] for track in each["tracks"]) <= 21
        monkeypatch.setattr(laid, "MOST_PLACES", 10)
        assert laid.overlay(replay)["left"] == whole


def test_places_that_are_no_numbers_are_none() -> None:
    row = {"overlay_seconds": 0.0, "player": 1, "side": "t", "name": "a", "alive": True, "x": 1.0, "y": 2.0}
    odd = [{**row, "overlay_seconds": 0.25, "x": value} for value in (float("nan"), float("inf"), 1e30, None)]
    twice = [row, *odd, {**row, "overlay_seconds": 0.5}, {**row, "overlay_seconds": 0.5, "x": 9.0}]
    first, (track,) = laid._tracks(twice)
    assert (first, track["x"], track["y"]) == (0.0, [1, None, 1], [2, None, 2])


def test_the_server_answers_from_another_process(matches: list[Path], answer: dict[str, Any]) -> None:
    client = TestClient(make_app(Shelf([str(matches[0])]), "secret"), base_url="http://127.0.0.1:8000")
    assert client.get("/secret/m/0/overlay").json() == json.loads(json.dumps(answer))


def test_a_recording_without_rounds_is_refused(samples: dict[str, Path]) -> None:
    with playhead.open(samples["sc2"]) as replay, pytest.raises(KeyError, match="no rounds"):
        laid.overlay(replay)


def test_chosen_rounds_on_the_map(
    matches: list[Path], answer: dict[str, Any], serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed = shown()
    page = viewed.open(serve(*matches), at="#m=0&t=0&tab=overlay")
    panel = page.locator(".overlay")
    panel.get_by_text(f"{len(answer['rounds'])} of {len(answer['rounds'])} rounds are on the map").wait_for()
    viewed.settle()
    bar = page.get_by_label("seconds since the rounds began")
    bar.fill(str(5 * 64))
    viewed.settle()

    def living(*sides: str, rounds: int = 99) -> int:
        at = [round((5 - each["first"]) / laid.STEP) for each in answer["rounds"][:rounds]]
        return sum(
            track["side"] in sides and track["x"][max(0, place - track["start"]) :][:1] not in ([], [None])
            for place, each in zip(at, answer["rounds"][:rounds], strict=True)
            for track in each["tracks"]
        )

    things = page.locator("canvas.map")
    assert abs(int(things.get_attribute("data-things")) - living("t")) <= 1, "the players of one side at first"
    panel.locator("select").nth(1).select_option("")
    panel.get_by_label("only their players").uncheck()
    viewed.settle()
    assert abs(int(things.get_attribute("data-things")) - living("t", "ct")) <= 2  # between two steps
    viewed.check_axe("overlay")
    viewed.shoot("overlay")
    panel.locator("select").nth(1).select_option("ct")
    panel.get_by_label("only their players").check()
    viewed.settle()
    assert abs(int(things.get_attribute("data-things")) - living("ct")) <= 1
    panel.get_by_label(matches[1].name, exact=True).check()
    panel.get_by_text("rounds are on the map").wait_for()
    page.wait_for_function("() => !document.querySelector('.overlay [role=status]').innerText.includes('reading')")
    viewed.settle()
    assert int(things.get_attribute("data-things")) > living("ct")
    link, drawing = page.evaluate("location.hash"), page.evaluate(DRAWING)
    viewed.shoot("overlay-two")
    other = shown()
    other.open(serve(*matches), at=link)
    other.page.locator(".overlay").get_by_label(matches[1].name, exact=True).wait_for()
    other.page.wait_for_function(
        f"() => document.querySelector('canvas.map').dataset.things === '{things.get_attribute('data-things')}'"
    )
    other.settle()
    assert other.page.evaluate(DRAWING) == drawing
    other.page.keyboard.press("End")
    other.settle()
    assert other.page.evaluate(DRAWING) != drawing
    other.tab("events")
    other.settle()
    assert other.page.locator(".timeline").is_visible()
