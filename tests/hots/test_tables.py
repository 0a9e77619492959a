"""Tables of the synthetic replay of Heroes of the Storm."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.cli.in_process import run
from tests.samples.hots.replay import DEATH, REVIVAL, sample_bytes, write_sample

import playhead


@pytest.fixture(scope="module")
def replay() -> Any:
    return playhead.open(sample_bytes(), strict=True)


def _rows(replay: Any, table: str, *columns: str, **options: Any) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in columns) for row in replay.table(table, **options).to_pylist()]


def test_a_hero_who_lives_again_is_a_second_life_of_the_same_unit(replay: Any) -> None:
    lives = [row for row in replay.table("units").to_pylist() if row["unit_type"] == "HeroValla"]
    assert [(row["tick"], row["end_tick"], row["player"]) for row in lives] == [
        (lives[0]["tick"], DEATH, 3),
        (REVIVAL, None, 3),
    ]
    assert len({row["unit"] for row in lives}) == 1
    assert _rows(replay, "kills", "victim_player", "attacker_player", "assister_players") == [(3, 1, [2])]


def test_the_series_counts_what_was_reported_by_each_step(replay: Any) -> None:
    columns = (
        "player",
        "game_seconds",
        "level",
        "kills",
        "deaths",
        "assists",
        "regen_globes",
        "talents_chosen",
        "xp",
    )
    rows = _rows(replay, "player_series", *columns, every="2 min")
    assert [row[1] for row in rows[::4]] == [0.0, 120.0, 240.0]
    assert rows[:3] == [
        (1, 0.0, 1, 0, 0, 0, 0, 1, None),
        (2, 0.0, 1, 0, 0, 0, 0, 1, None),
        (3, 0.0, 1, 0, 0, 0, 0, 1, None),
    ]
    assert [row[3:7] for row in rows[4:8]] == [(1, 0, 0, 0), (0, 0, 1, 1), (0, 1, 0, 0), (0, 0, 0, 0)]
    assert [row[-1] for row in rows[4:8]] == [1375, 1375, 2175, 2175]
    with pytest.raises(ValueError, match="interval"):
        replay.table("player_series", every=None)


def test_every_table_of_facts_has_the_clock_of_the_game(replay: Any) -> None:
    for name, schema in replay.tables.items():
        timed = "seconds" in schema.column_names and not schema.is_copy and schema.group != "messages"
        assert ("game_seconds" in schema.column_names) == timed, name
    for tick, shown in _rows(replay, "chat", "tick", "game_seconds"):
        assert shown == replay.clock.game_seconds(tick)


def test_the_cookbook_has_a_command_for_win_rates_of_talents(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="SQL is DuckDB's")
    page = (Path(__file__).parents[2] / "docs/cookbook/hots.md").read_text(encoding="utf-8")
    (command,) = re.findall(r'`playhead (sql "[^"]+" replays/)`', page)
    write_sample(tmp_path)
    asked = [str(tmp_path) if word == "replays/" else word for word in shlex.split(command)]
    found = run(*asked, "--format", "csv")
    assert found.stdout.replace('"', "").split() == [
        "hero,tier,talent,games,won",
        "Jaina,1,JainaWintersReach,1,1",
        "Muradin,1,MuradinPerfectStorm,1,1",
        "Rehgar,1,RehgarColossalTotem,1,0",
        "Valla,1,DemonHunterHotPursuit,1,0",
    ]
