"""Custom games, and recordings that end early."""

from __future__ import annotations

from typing import Any

import pytest
from tests.samples.hots.replay import END, sample_bytes

import playhead
from playhead.hots.members import setting
from playhead.hots.tables import expected, periods
from playhead.hots.tables.expected import missing

CUSTOM = sample_bytes(custom=True)


def test_a_custom_game_need_not_pick_nor_open_gates() -> None:
    replay: Any = playhead.open(CUSTOM, strict=True)
    assert all(check.failed == 0 for check in replay.verify())
    assert (replay.info.mode, replay.problems) == ("Custom", ())
    rows = replay.table("draft").to_pylist()
    assert [(row["action"], row["hero"]) for row in rows] == [("ban", "Alarak"), ("ban", None)]


def test_a_game_of_matchmaking_must(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expected, "mode_of", lambda *_: "Storm League")
    replay: Any = playhead.open(CUSTOM)
    found = [what for what, _ in missing(replay.recording)]
    assert [each.split(",")[0] for each in found] == [
        "expected the upgrade GatesAreOpen",
        "expected SHeroPickedEvent beside SHeroBannedEvent",
    ]


def test_a_recording_that_ends_before_the_gates_open_has_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def kinds() -> list[tuple[Any, ...]]:
        rows = playhead.open(CUSTOM).table("periods").to_pylist()
        return [(row["kind"], row["tick"], row["end_tick"], row["counts"]) for row in rows]

    assert kinds() == [("game", 0, END, True)]  # too long for a game without gates
    monkeypatch.setattr(periods, "LATEST_GATES", END)
    assert kinds() == [("pre_game", 0, END, False)]


def test_a_mode_without_a_lobby_is_not_known() -> None:
    assert setting.mode_of(None, ()) is None
