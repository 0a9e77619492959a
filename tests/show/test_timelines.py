"""Build orders and held keys: every bar is a row of the table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import playhead
from playhead import NothingToPlot, Replay

pytestmark = pytest.mark.slow_interpreted

matplotlib = pytest.importorskip("matplotlib", reason="plots are drawn with it")
matplotlib.use("Agg")


def bars(axes: matplotlib.axes.Axes) -> list[tuple[str, float, float]]:
    """Row label, start and end of every bar, in seconds."""
    labels = {
        tick: label.get_text() for tick, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
    }
    found = []
    for each in axes.collections:
        for path in each.get_paths():
            (left, low), (right, high) = path.get_extents().get_points()
            found.append((labels[round((low + high) / 2)], left * 60, right * 60))
    return found


def test_build_order(replays: Mapping[str, Replay]) -> None:
    replay = replays["sc2"]
    axes = replay.plot.build_order()
    rows = replay.table("build_order").to_pylist()
    shown = replay.presentation.wording.shown
    least = max(row["end_seconds"] for row in rows) / 400  # narrower bars could not be seen
    times = ((row["product"], row["seconds"], row["end_seconds"]) for row in rows)
    wanted = sorted((shown(name), start, max(end, start + least)) for name, start, end in times)
    drawn = sorted(bars(axes))
    assert [name for name, *_ in drawn] == [name for name, *_ in wanted]
    assert [times for _, *times in drawn] == [pytest.approx(times) for _, *times in wanted]
    names = [text.get_text() for text in axes.texts]
    assert names == ["Needle (Terran)", "Spindle (Zerg)"]


def test_part_of_a_build_order(short_game: Replay) -> None:
    replay = short_game
    structures = replay.plot.build_order(kinds=["structure"])
    assert [name for name, *_ in bars(structures)] == ["Barracks"]
    of_one = replay.plot.build_order("Spindle")
    assert {name for name, *_ in bars(of_one)} == {"Lair", "Metabolic Boost"}
    early = replay.plot.build_order(until="1:00")
    assert [name for name, *_ in bars(early)] == ["Barracks"]
    assert early.get_xlim()[1] <= 1.02
    with pytest.raises(NothingToPlot, match="nothing was built that fits"):
        replay.plot.build_order("Spindle", until="0:01")


def test_build_order_of_a_real_match(corpus: Path) -> None:
    path = corpus / "sc2/5.0.14.93333/Ro4_-_Classic_vs_Maru_-_G2_-_Pylon.SC2Replay"
    if not path.is_file():
        pytest.skip("this replay is not in the corpus")
    replay = playhead.open(path)
    rows = [row for row in replay.table("build_order").to_pylist() if row["player"] == 1]
    axes = replay.plot.build_order(1)
    drawn = bars(axes)
    assert len(drawn) == len(rows)
    assert sorted(start for name, start, _ in drawn if name == "Nexus") == pytest.approx(
        sorted(row["seconds"] for row in rows if row["product"] == "Nexus")
    )
    failed = sum(row["outcome"] in ("cancelled", "lost") for row in rows)
    assert sum(len(each.get_paths()) for each in axes.collections if each.get_hatch()) == failed > 0


def test_held_keys(replays: Mapping[str, Replay]) -> None:
    replay = replays["teehistorian"]
    axes = replay.plot.input_timing(0, start=0.0, end=10.0)
    rows = [row for row in replay.table("inputs").to_pylist() if row["player"] == 0]
    held = {name.partition(":")[0]: [] for name in (label.get_text() for label in axes.get_yticklabels())}
    for name, start, end in bars(axes):
        held[name.partition(":")[0]].append((start, end))
    assert list(held) == ["left", "right", "jump", "fire", "hook"]
    for key, down in {
        "hook": lambda row: row["hook"],
        "jump": lambda row: row["jump"],
        "fire": lambda row: row["fire"] & 1,
        "left": lambda row: row["direction"] < 0,
    }.items():
        for row in rows[:-1]:
            inside = any(start - 1e-6 <= row["seconds"] < end - 1e-6 for start, end in held[key])
            assert inside == bool(down(row)), f"{key} at {row['seconds']}"
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == [f"{key}: {len(held[key])}" for key in held]


def test_the_stretch_with_the_most_presses(replays: Mapping[str, Replay]) -> None:
    axes = replays["teehistorian"].plot.input_timing()
    left, right = axes.get_xlim()
    assert 0 < (right - left) * 60 <= 10.0 + 1e-6
    with pytest.raises(ValueError, match="expected an end after the start, got 5 s and 2 s"):
        replays["teehistorian"].plot.input_timing(start=5.0, end=2.0)
    with pytest.raises(NothingToPlot, match="held no key in these"):
        replays["teehistorian"].plot.input_timing(0, start=0.0, end=0.02)


def test_clock_of_short_and_long_stretches(replays: Mapping[str, Replay]) -> None:
    axes = replays["teehistorian"].plot.input_timing(0, start=2.0, end=6.0)
    axes.figure.canvas.draw()
    assert [label.get_text() for label in axes.get_xticklabels()] == [
        *("0:02", "0:02.5", "0:03", "0:03.5", "0:04", "0:04.5", "0:05", "0:05.5", "0:06"),
    ]
    economy = replays["source2"].plot.economy()
    economy.set_xlim(-1.0, 40.0)
    economy.figure.canvas.draw()
    assert [label.get_text() for label in economy.get_xticklabels()] == [
        f"{minute}:00" for minute in range(0, 41, 5)
    ]
    economy.set_xlim(-1.0, 0.5)
    economy.figure.canvas.draw()
    texts = [label.get_text() for label in economy.get_xticklabels()]
    assert texts == ["-1:00", "-0:50", "-0:40", "-0:30", "-0:20", "-0:10", "0:00", "0:10", "0:20", "0:30"] or (
        texts == ["-1:00", "-0:45", "-0:30", "-0:15", "0:00", "0:15", "0:30"]
    )
