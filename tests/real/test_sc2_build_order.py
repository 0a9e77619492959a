"""Build orders and metrics of real games: golden rows, the game's own samples, and spawningtool if installed.

`benchmarks/peers/sc2_compare.py` counts all replays that spawningtool reads, with reasons for differences.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as

from playhead.blizzard.protocol.tables import TRACKER
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.state.production.from_replay import production
from playhead.sc2.state.production.production import supply_at

#: A game of Zerg (1) and Terran (2).
GOLDEN = "5.0.12.91115/patch_5_0_11.SC2Replay"
#: Two-player games, with the least share of samples in which supply in use is exact.
EXACT = {
    GOLDEN: 0.9,
    "4.9.2.74741/patch_4_9_2_zvt.SC2Replay": 0.8,
    "2.0.9.26147/2.0.8.25605__ggtracker_3621402.SC2Replay": 0.75,
    "5.0.16.97563/patch_5_0_16b.SC2Replay": 0.85,
}

#: A game that zephyrus-sc2-parser 0.3.8 reads, and by player its spending quotient (rounded up), workers
#: (including the initial ones), screens and perception-action cycles per minute.
OF_ZEPHYRUS = "4.9.2.74741/patch_4_9_2_zvt.SC2Replay"
ZEPHYRUS = {1: (127, 107, 18.0, 30.27), 2: (106, 107, 34.9, 46.45)}


def opened(corpus: Path, file: str) -> Sc2Replay:
    return open_as(Sc2Replay, corpus / "sc2" / file)


def test_the_first_minutes_of_a_game(corpus: Path) -> None:
    rows = [row for row in opened(corpus, GOLDEN).table("build_order").to_pylist() if row["outcome"] == "finished"]
    first = {
        player: [(row["supply"], row["tick"], row["product"]) for row in rows if row["player"] == player][:10]
        for player in (1, 2)
    }
    assert first == {
        1: [
            (12.0, 6, "Drone"),
            (13.0, 269, "Overlord"),
            (13.0, 367, "Drone"),
            (14.0, 670, "Drone"),
            (15.0, 670, "Drone"),
            (16.0, 1065, "Hatchery"),
            (15.0, 1137, "Drone"),
            (16.0, 1211, "Drone"),
            (17.0, 1302, "Drone"),
            (18.0, 1532, "Extractor"),
        ],
        2: [
            (12.0, 10, "SCV"),
            (13.0, 282, "SCV"),
            (14.0, 389, "SupplyDepot"),
            (14.0, 553, "SCV"),
            (15.0, 870, "SCV"),
            (16.0, 909, "Barracks"),
            (16.0, 970, "Refinery"),
            (16.0, 1142, "SCV"),
            (17.0, 1413, "SCV"),
            (18.0, 1684, "SCV"),
        ],
    }


def test_morphs_failures_and_no_automatic_units(corpus: Path) -> None:
    rows = opened(corpus, GOLDEN).table("build_order").to_pylist()
    counts = Counter((row["product"], row["outcome"]) for row in rows if row["kind"] == "morph")
    assert counts["Lair", "finished"] == 1
    assert counts["OrbitalCommand", "finished"] == 2
    assert counts["Baneling", "finished"] == 30
    assert counts["Baneling", "cancelled"] + counts["Baneling", "lost"] == 17
    assert counts["Overseer", "finished"] == 1
    names = {row["product"] for row in rows}
    assert not names & {"Larva", "Egg", "Broodling", "MULE", "CreepTumor", "CreepTumorQueen", "SprayZerg"}
    assert Counter(row["product"] for row in rows)["Drone"] >= 82


@pytest.mark.parametrize(("file", "share"), EXACT.items())
def test_supply_equals_the_games_samples(corpus: Path, file: str, share: float) -> None:
    replay = opened(corpus, file)
    tracker = replay.recording.stream(TRACKER)
    assert tracker is not None
    made = production(tracker, replay.recording)
    right = total = 0
    for player in (1, 2):
        samples = [
            row for row in replay.table("player_series").to_pylist() if row["player"] == player and row["tick"] > 1
        ]
        found = supply_at(made.supply_of(player), [row["tick"] for row in samples])
        right += sum(used == row["supply"] for row, (used, _) in zip(samples, found, strict=True))
        total += len(samples)
    assert right / total >= share


def test_dead_hallucinations_free_no_supply(corpus: Path) -> None:
    replay = opened(corpus, "5.0.14.93333/Ro4_-_Classic_vs_Maru_-_G2_-_Pylon.SC2Replay")
    tracker = replay.recording.stream(TRACKER)
    assert tracker is not None
    changes = production(tracker, replay.recording).supply_of(1)
    rows = [row for row in replay.table("player_series").to_pylist() if row["player"] == 1 and row["tick"] > 6478]
    found = supply_at(changes, [row["tick"] for row in rows])
    assert sum(used == row["supply"] for row, (used, _) in zip(rows, found, strict=True)) >= 0.8 * len(rows)


def test_metrics_add_up(corpus: Path) -> None:
    replay = opened(corpus, GOLDEN)
    whole = {row["player"]: row for row in replay.table("player_stats").to_pylist()}
    minutes = replay.table("player_stats", every="1 min").to_pylist()
    for name in ("workers_made", "workers_lost", "workers_killed", "minerals_lost", "minerals_spent"):
        for player, row in whole.items():
            assert sum(part[name] for part in minutes if part["player"] == player) == row[name]
    assert whole[1]["workers_lost"] == whole[2]["workers_killed"] == 44
    assert whole[1]["workers_made"] == 82
    assert whole[2]["first_expansion_seconds"] == pytest.approx(2213 / 22.4)
    assert whole[1]["first_tech_seconds"] < 300


def test_computers_have_metrics_and_leavers_one_last_row(corpus: Path) -> None:
    replay = opened(corpus, "2.0.10.26490/2.0.10.26490__replay26490_friendlyfire.SC2Replay")
    whole = replay.table("player_stats").to_pylist()
    assert [(row["player"], row["workers_made"], row["apm"] is None) for row in whole] == [
        (1, 3, False),
        (8, 18, True),
    ]
    stats = replay.table("player_series").to_pylist()
    assert len({(row["tick"], row["player"]) for row in stats}) == len(stats)


def test_metrics_equal_zephyrus(corpus: Path) -> None:
    rows = opened(corpus, OF_ZEPHYRUS).table("player_stats").to_pylist()
    whole = {row["player"]: row for row in rows}
    for player, (quotient, workers, screens, cycles) in ZEPHYRUS.items():
        ours = whole[player]
        assert ours["spending_quotient"] == pytest.approx(quotient, abs=2)
        assert ours["workers_made"] + 12 == workers
        assert ours["screens_per_minute"] == pytest.approx(screens, rel=0.02)
        assert ours["pac_per_minute"] == pytest.approx(cycles, rel=0.02)


@pytest.mark.parametrize("file", EXACT)
def test_spawningtool_agrees(corpus: Path, file: str) -> None:
    parser = pytest.importorskip("spawningtool.parser")
    try:
        answer: dict[str, Any] = parser.parse_replay(str(corpus / "sc2" / file))
    except Exception as error:
        pytest.skip(f"spawningtool cannot read it: {error}")
    rows = opened(corpus, file).table("build_order").to_pylist()
    for number, player in answer["players"].items():
        theirs = Counter(
            round(step["frame"] / 64)
            for step in player["buildOrder"]
            if step["name"] in ("SCV", "Drone", "Marine")
        )
        ours = Counter(
            round(row["tick"] / 64)
            for row in rows
            if row["player"] == int(number)
            and row["product"] in ("SCV", "Drone", "Marine")
            and row["outcome"] == "finished"
        )
        assert (theirs & ours).total() >= 0.8 * max(theirs.total(), ours.total())
