"""Synthetic recordings: those that playhead stores, long ones, and one of CS2."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.samples import cs2
from tests.samples.games import stored_samples, write_match
from tests.samples.sc2.game import game_bytes

import playhead
from playhead.samples import FILES, stored_bytes


def test_a_game_of_starcraft_goes_on_as_long_as_asked() -> None:
    game = playhead.open(game_bytes(3))
    assert game.problems == ()
    assert all(check.failed == 0 for check in game.verify())
    assert game.info.duration_seconds == pytest.approx(180, abs=1)
    stats = game.table("player_series")
    assert stats.num_rows == 2 * (180 * 22.4 // 160)
    lost = [row for row in game.table("units").to_pylist() if row["end_tick"] is not None]
    assert {row["attacker_player"] for row in lost} == {1, 2}
    assert {row["player"] for row in game.table("build_order").to_pylist()} == {1, 2}
    assert game_bytes(3) == game_bytes(3)


def test_cs2_is_what_it_was_written_from() -> None:
    match = playhead.open(cs2.sample_demo())
    assert match.problems == ()
    assert all(check.failed == 0 for check in match.verify())
    assert (match.info.game, match.info.map, match.info.duration_seconds) == ("cs2", "de_sample", 20.0)
    assert [player.name for player in match.players] == [name for name, *_ in cs2.PLAYERS]
    died = [event for event in match.game_events() if event.name == "player_death"]
    assert [(event.tick, event.fields["userid"]) for event in died] == [
        (when, who) for when, who, *_ in cs2.DEATHS
    ]
    health = match.table("entities:CCSPlayerPawn", fields=["m_iHealth"]).to_pylist()
    assert [row["entity"] for row in health if row["m_iHealth"] == 0] == [20 + who for _, who, *_ in cs2.DEATHS]


@pytest.mark.parametrize("game", ["dota2", "sc2"])
def test_a_recording_is_as_long_as_asked(game: str, tmp_path: Path) -> None:
    (path,) = write_match(game, tmp_path, 0.5)
    assert playhead.open(path).info.duration_seconds == pytest.approx(30)


@pytest.mark.slow_interpreted
def test_what_is_stored_is_what_the_writers_make() -> None:
    made = dict(stored_samples())
    assert sorted(made) == sorted(name for names in FILES.values() for name in names)
    for name, data in made.items():
        assert stored_bytes(name) == data, f"{name} is old: run python tools/write_samples.py"


def test_stored_samples_are_small() -> None:
    folder = Path(playhead.samples.__file__).parent / "stored"
    stored = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert sorted(stored) == sorted(f"{name}.xz" for names in FILES.values() for name in names)
    assert sum(stored.values()) < 1_000_000
