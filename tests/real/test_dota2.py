"""Facts of the real Dota 2 recording: 27 seconds of pre-game with nine bots."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import playhead
from playhead.replay import Replay

sys.path.append(str(Path(__file__).parents[1] / "dota2"))

import gem_agreement as gem

pytestmark = pytest.mark.slow_interpreted

NAME = "dota2_build9912_10bots.dem"


@pytest.fixture(scope="module")
def replay(corpus: Path) -> Replay:
    return playhead.open(corpus / "source2" / NAME, strict=True)


@pytest.fixture(scope="module")
def theirs(corpus: Path) -> Any:
    return gem.parse(str(corpus / "source2" / NAME))


def rows_of(replay: Replay, name: str) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in row.items() if value is not None} for row in replay.table(name).to_pylist()
    ]


def test_pre_game_counts_down(replay: Replay) -> None:
    (row,) = rows_of(replay, "periods")
    assert (row["tick"], row["kind"], row["state"]) == (0, "pre_game", "PRE_GAME")
    assert row["server_seconds"] == pytest.approx(128.5667, abs=1e-3)
    assert row["game_seconds"] == pytest.approx(128.5667 - 175.9667, abs=1e-3)


def test_the_log_agrees_with_the_clock(replay: Replay) -> None:
    """Entries have the server's time, which matches the clock of the game rules."""
    rows = rows_of(replay, "combat_log")
    assert len(rows) == 36
    assert Counter(row["log_type"] for row in rows) == {"MODIFIER_ADD": 16, "MODIFIER_REMOVE": 20}
    for row in rows:
        # An entry may be sent up to a packet, two ticks, after its event.
        assert -0.001 <= row["game_seconds"] - (row["server_seconds"] - 175.9667) <= 0.068
        assert row["inflictor"] == "modifier_tower_aura_bonus"
        assert row["target"].startswith("npc_dota_hero_")
        assert "details" not in row


def test_match(replay: Replay) -> None:
    (row,) = rows_of(replay, "match")
    assert (row["match_id"], row["game_mode"], row["pauses"]) == (7518690009, "ALL_DRAFT", 0)
    assert not {"winner_side", "horn_tick", "end_tick", "duration_seconds", "radiant_team_name"} & row.keys()


def test_players(replay: Replay) -> None:
    rows = rows_of(replay, "player_stats")
    assert [row["hero"].removeprefix("npc_dota_hero_") for row in rows] == [
        *("viper", "dragon_knight", "lina", "juggernaut", "axe"),
        *("tidehunter", "bloodseeker", "razor", "chaos_knight", "kunkka"),
    ]
    assert rows[0]["account"] == "76561198170642933"
    assert [row["bot"] for row in rows] == [False] + [True] * 9
    assert rows[9]["items"] == [
        *("item_tango", "item_flask", "item_clarity"),
        *("item_branches", "item_branches", "item_magic_stick"),
    ]
    assert not any("gpm" in row or "result" in row for row in rows)


def test_draft(replay: Replay) -> None:
    rows = rows_of(replay, "draft")
    assert [row["action"] for row in rows] == ["ban"] * 16 + ["pick"] * 10
    assert [row["hero_id"] for row in rows[:5]] == [16, 30, 12, 27, 48]
    assert [row["team"] for row in rows[16:]] == [2] * 5 + [3] * 5
    assert not any("tick" in row for row in rows)  # it was over when the recording began


def test_nothing_else_happened(replay: Replay) -> None:
    for name in (
        "unit_deaths",
        "damage",
        "orders",
        "chat_wheel",
        "pings",
        "voice",
        "sounds",
        "particles",
        "temp_entities",
    ):
        assert replay.table(name).num_rows == 0, name


def test_agreement_with_gem_dota(replay: Replay, theirs: Any) -> None:
    assert gem.agree_on_the_combat_log(replay, theirs) == 36
    gem.agree_on_players(replay, theirs)
    gem.agree_on_items(replay, theirs)
    gem.agree_on_the_match(replay, theirs)
    gem.agree_on_the_clock(replay, theirs)
    gem.agree_on_the_draft(replay, theirs)
