"""The statements of docs/agents.md answer what the stories of written matches tell."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.samples.dota2_match.recording import write_sample

import playhead
from playhead.sql import query_replays

pytest.importorskip("duckdb", reason="SQL is DuckDB's")
pytestmark = pytest.mark.slow_interpreted

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"
Rows = list[tuple[Any, ...]]


def statement(words: str) -> str:
    """Return the statement of the page's row that begins so."""
    (found,) = re.findall(
        rf"^\| {re.escape(words)}.*? \| `(SELECT .*?)` \|$", PAGE.read_text("utf-8"), re.MULTILINE
    )
    return str(found)


def answered(path: Path, words: str, *columns: str) -> Rows:
    """Return columns of the answer to a statement, all by default."""
    with playhead.open(path) as replay:
        found = query_replays(statement(words), [replay]).to_pylist()
    return [tuple(row[name] for name in columns or row) for row in found]


def told(path: Path) -> dict[str, Any]:
    story: dict[str, Any] = json.loads(path.with_suffix(".json").read_text())
    return story


@pytest.fixture(scope="module")
def dota2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (path,) = write_sample(tmp_path_factory.mktemp("story"))
    return Path(path)


def _counting(story: Mapping[str, Any], table: str) -> list[tuple[Any, dict[str, Any]]]:
    """Return the rows of a table in rounds that count, each with the number of its round."""
    found = []
    for row in story[table]:
        within = [each for each in story["rounds"] if each["start_tick"] <= row["tick"]]
        if within and within[-1]["counts"]:
            found.append((within[-1]["round_num"], row))
    return found


def test_cs2(short_match: Callable[[str], Path]) -> None:
    path = short_match("cs2")
    story = told(path)
    names = "round_num", "winner_side", "t_score", "ct_score"
    expected = [tuple(row[name] for name in names) for row in story["rounds"] if row["counts"]]
    found = answered(path, "Who won each round, and how?", *names)
    assert found == expected
    assert len({number for number, *_ in found}) == len(found)
    kills = answered(path, "Who killed whom, with what, through smoke?")
    assert [(row[0], *row[2:]) for row in kills] == [
        (number, *(row[name] for name in "attacker victim weapon headshot thrusmoke".split()))
        for number, row in _counting(story, "kills")
    ]
    plants = answered(path, "Which sites were the plants on?", "round_num", "name", "bomb_site")
    assert plants == [
        (number, row["player"], next(each["bomb_site"] for each in story["rounds"] if each["round_num"] == number))
        for number, row in _counting(story, "bomb")
        if row["event"] == "planted"
    ]


def test_deadlock(short_match: Callable[[str], Path]) -> None:
    path = short_match("deadlock")
    story = told(path)
    seconds = answered(path, "Who killed whom, with what?", "game_seconds")
    assert [value for (value,) in seconds] == [
        pytest.approx((row["tick"] - story["zero_tick"]) / story["ticks_per_second"]) for row in story["kills"]
    ]
    fell = [row for row in story["structure_series"] if row.get("destroyed")]
    assert answered(path, "When did the objectives fall?", "kind", "end_game_seconds") == [
        (row["kind"], pytest.approx((row["tick"] - story["zero_tick"]) / story["ticks_per_second"]))
        for row in fell
    ]
    bought = [row for row in story["item_events"] if row["change_id"] == 0]
    assert answered(path, "What did each player buy?", "cost") == [(row["cost"],) for row in bought]


@pytest.mark.long
def test_dota2(dota2: Path) -> None:
    story = told(dota2)
    heroes = [hero for (_, hero, *_) in answered(dota2, "`get_match_heroes`")]
    assert heroes == story["heroes"]
    deaths = answered(dota2, "`get_hero_deaths`", "victim_hero")
    assert [hero for (hero,) in deaths] == [story["heroes"][victim] for _, victim, *_ in story["deaths"]]
    fights = answered(dota2, "`list_fights`", "deaths", "winner_side")
    assert fights == [(deaths, None if side == "draw" else side) for _, deaths, side in story["fights"]]
    stacks = answered(dota2, "`get_camp_stacks`", "hero")
    assert len(stacks) == len(story["stacks"])
