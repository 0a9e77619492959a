"""`Corpus.series` of real replays: golden values, and agreement with sc2reader on tracker data."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import playhead

GAME = "sc2/5.0.9.87702/test5.SC2Replay"
MATCH = "source2/dota2_build9912_10bots.dem"


def rows(path: Path, every: str, fields: list[str]) -> dict[tuple[float, int], dict[str, Any]]:
    found = playhead.scan(path, jobs=0).series(every=every, fields=fields).read_all().to_pylist()
    return {(row["seconds"], row["player"]): row for row in found}


def in_order(table: pa.Table) -> list[dict[str, Any]]:
    return sorted(table.to_pylist(), key=lambda row: (row["replay"], row["player"], row["seconds"]))


def test_starcraft(corpus: Path) -> None:
    found = rows(corpus / GAME, "30s", ["minerals", "army_value", "supply", "x"])
    row = found[300.0, 1]
    assert (row["minerals"], row["army_value"], row["supply"], row["x"]) == (225.0, 3340.0, 22.0, None)
    assert found[990.0, 3]["army_value"] == 13455.0
    assert max(found) == (990.0, 6)  # the game lasts 992 seconds


@pytest.mark.filterwarnings("ignore")
def test_agreement_with_sc2reader(corpus: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    sc2reader = pytest.importorskip("sc2reader")
    game = sc2reader.load_replay(str(corpus / GAME), load_level=3)
    theirs = [each for each in game.tracker_events if each.name == "PlayerStatsEvent"]
    with playhead.open(corpus / GAME) as replay:
        rate = replay.info.ticks_per_second
    assert rate is not None
    found = rows(corpus / GAME, "5s", ["minerals", "vespene", "workers", "army_value", "supply_made"])
    assert len(found) > 1000
    for (seconds, player), row in found.items():
        last = [each for each in theirs if each.pid == player and each.frame <= seconds * rate + 0.001][-1]
        assert row["minerals"] == last.minerals_current
        assert row["vespene"] == last.vespene_current
        assert row["workers"] == last.workers_active_count
        assert row["supply_made"] == last.food_made
        assert row["army_value"] == last.minerals_used_current_army + last.vespene_used_current_army


def test_dota(corpus: Path) -> None:
    found = rows(corpus / MATCH, "500ms", ["net_worth", "level", "x", "y", "minerals"])
    row = found[10.0, 1]
    assert (row["net_worth"], row["level"], row["x"], row["y"]) == (700.0, 1.0, -6328.875, 840.78125)
    assert {player for _, player in found} == set(range(10))
    assert {seconds % 0.5 for seconds, _ in found} == {0.0}
    assert len({row["x"] for (_, player), row in found.items() if player == 1}) > 10


def test_games_of_one_format(corpus: Path, tmp_path: Path) -> None:
    fields = ["game_seconds", "gold", "souls", "net_worth", "money", "health", "alive", "x", "y"]
    files = [corpus / "source2" / name for name in ("cs2_14155.dem", "deadlock_10423.dem", Path(MATCH).name)]
    scanned = playhead.scan(files, jobs=0)
    mine = scanned.series(every="1s", fields=fields).read_all()
    filled = {}
    for path in files:
        with playhead.open(path) as replay:
            rows = mine.filter(pc.equal(mine["replay"].cast("string"), replay.content_hash))
            filled[replay.info.game] = {name for name in fields if rows[name].null_count < rows.num_rows}
    shared = {"health", "alive", "x", "y"}
    assert filled == {
        "cs2": {"money", *shared},
        "deadlock": {"game_seconds", "souls", "net_worth", *shared},
        "dota2": {"game_seconds", "gold", "net_worth", *shared},
    }
    scanned.export(tmp_path, tables="player_series")
    lake = playhead.open_lake(tmp_path).series(every="1s", fields=fields).read_all()
    assert in_order(lake) == in_order(mine)


def test_teehistorian(corpus: Path) -> None:
    path = next((corpus / "teehistorian/deb16.4-slot-reuse").glob("*.teehistorian"))
    found = rows(path, "5s", ["x", "y", "hook"])
    assert (found[10.0, 0]["x"], found[10.0, 0]["y"], found[10.0, 0]["hook"]) == (410.0, 1039.0, 1.0)
    with playhead.open(path) as replay:
        sessions = {row["player"]: row for row in replay.table("sessions").to_pylist()}
    assert {player for _, player in found} <= sessions.keys()
    assert len({player for _, player in found}) > 12  # more than ever existed at once
