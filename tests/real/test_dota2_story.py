"""Every fact of the written match `dota2_story.dem.xz`, which `dota2_story.json` states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import playhead

NAME = "dota2_story"


@pytest.fixture(scope="module")
def story(corpus: Path) -> dict[str, Any]:
    path = corpus / "source2" / f"{NAME}.json"
    if not path.exists():
        pytest.skip(f"{NAME} is not in the corpus")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.fixture(scope="module")
def replay(corpus: Path) -> Any:
    path = corpus / "source2" / f"{NAME}.dem.xz"
    if not path.exists():
        pytest.skip(f"{NAME} is not in the corpus")
    return playhead.open(path)


def rows(replay: Any, table: str, **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = replay.table(table, **options).to_pylist()
    return found


def test_clock(replay: Any, story: dict[str, Any]) -> None:
    match = rows(replay, "match")[0]
    assert (match["horn_tick"], match["end_tick"]) == (story["horn"], story["end"])
    assert [[row["tick"], row["end_tick"]] for row in rows(replay, "pauses")] == story["pauses"]


def test_smokes_also_by_couriers(replay: Any, story: dict[str, Any]) -> None:
    heroes = story["heroes"]
    smokes = rows(replay, "smokes")
    by_couriers = [
        [row["tick"], row["team"], [heroes.index(hero) for hero in row["members"]]]
        for row in smokes
        if row["hero"] is None
    ]
    assert by_couriers == story["courier_smokes"]
    by_heroes = [[row["tick"], row["members"]] for row in smokes if row["hero"] is not None]
    assert by_heroes == [[tick, [member[0] for member in members]] for tick, members in story["members"]]
