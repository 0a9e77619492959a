"""Plots over time: economy, activity, advantage, comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import playhead
from playhead import NothingToPlot, Replay

pytestmark = pytest.mark.slow_interpreted

matplotlib = pytest.importorskip("matplotlib", reason="plots are drawn with it")
matplotlib.use("Agg")


def legend_of(axes: matplotlib.axes.Axes) -> matplotlib.legend.Legend:
    return axes.get_legend() or axes.figure.legends[0]


def legend(axes: matplotlib.axes.Axes) -> list[str]:
    """What the legend says, from the top."""
    return [text.get_text() for text in legend_of(axes).get_texts()]


def test_economy_of_dota(replays: Mapping[str, Replay]) -> None:
    replay = replays["source2"]
    axes = replay.plot.economy()
    assert legend(axes)[:3] == ["Radiant", "Aster (Axe)", "Birch (Lina)"]
    assert legend(axes)[6:8] == ["Dire", "Fern (Pudge)"]
    rows = [row for row in replay.table("player_series", every="10s").to_pylist() if row["player"] == 3]
    line = next(line for line in axes.lines if line.get_label() == "Dill (Tiny)")
    assert list(line.get_ydata()) == [row["net_worth"] for row in rows]
    assert list(line.get_xdata() * 60) == pytest.approx([row["game_seconds"] for row in rows]), "the game's clock"
    assert "0:00 is the horn" in axes.get_xlabel()


def test_players_differ_by_more_than_colour(replays: Mapping[str, Replay]) -> None:
    lines = replays["source2"].plot.economy().lines
    looks = {(line.get_color(), line.get_linestyle()) for line in lines}
    assert len(looks) == len(lines) == 10
    for side in (lines[:5], lines[5:]):
        assert len({line.get_color() for line in side}) == len({str(line._dash_pattern) for line in side}) == 5
    greens, reds = (
        [matplotlib.colors.to_rgb(line.get_color()) for line in side] for side in (lines[:5], lines[5:])
    )
    assert all(green > red for red, green, _ in greens)
    assert all(red > green for red, green, _ in reds)


# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB; https://www.inf.ufrgs.br/~oliveira/pubs_files/CVD_Simulation/
_BLIND = {
    "none": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


@pytest.mark.parametrize("kind", _BLIND)
def test_sides_differ_for_every_eye(replays: Mapping[str, Replay], kind: str) -> None:
    """Distance in OKLab times 100; the red and green of the game itself have 17 for deutans."""
    radiant, dire = (line.get_color() for line in replays["source2"].plot.economy().lines[::5])
    first, second = (oklab(_BLIND[kind] @ linear(colour)) for colour in (radiant, dire))
    assert 100 * float(np.linalg.norm(first - second)) > 20


def linear(colour: str) -> np.ndarray:
    """Linear RGB of a colour."""
    values = np.array(matplotlib.colors.to_rgb(colour))
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def oklab(rgb: np.ndarray) -> np.ndarray:
    """OKLab of linear RGB; https://bottosson.github.io/posts/oklab/"""
    to_lms = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566]]
    to_lms += [[0.0883024619, 0.2817188376, 0.6299787005]]
    to_lab = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099]]
    to_lab += [[0.0259040371, 0.7827717662, -0.8086757660]]
    return np.array(to_lab) @ np.cbrt(np.array(to_lms) @ np.clip(rgb, 0, 1))


def test_one_moment_is_a_dot_and_no_lead(short_game: Replay) -> None:
    assert {line.get_marker() for line in short_game.plot.economy("supply").lines} == {"o"}
    with pytest.raises(NothingToPlot, match="is 0 throughout"):
        short_game.plot.economy()
    with pytest.raises(NothingToPlot, match="at one moment only"):
        short_game.plot.advantage("supply")


def test_economy_of_starcraft(replays: Mapping[str, Replay]) -> None:
    replay = replays["sc2"]
    axes = replay.plot.economy()
    assert legend(axes)[0] == "Needle (Terran): minerals collection rate"
    assert len(axes.lines) == 2 * len(replay.players)
    minerals, vespene = axes.lines[:2]
    assert minerals.get_color() == vespene.get_color()
    assert minerals.get_linestyle() != vespene.get_linestyle()
    one = replay.plot.economy("workers")
    assert [line.get_label() for line in one.lines] == ["Needle (Terran)", "Spindle (Zerg)"]
    rows = [row for row in replay.table("player_series").to_pylist() if row["player"] == 1]
    assert list(one.lines[0].get_ydata()) == [row["workers"] for row in rows]


@pytest.mark.parametrize("name", ["source2", "sc2", "teehistorian"])
def test_activity_counts_inputs(replays: Mapping[str, Replay], name: str) -> None:
    replay = replays[name]
    axes = replay.plot.activity()
    drawn = sum(patch.get_data().values.sum() for patch in axes.patches)
    rows = [row for row in replay.table("inputs").to_pylist() if row["player"] is not None]
    assert drawn == sum(row["kind"] not in replay.presentation.no_actions for row in rows)
    [counts] = [
        patch.get_data() for patch in axes.patches if patch.get_label().startswith(str(replay.players[0].name))
    ]
    width = 10.0 / 60.0  # the samples are shorter than three minutes of inputs
    assert np.diff(counts.edges) == pytest.approx(width)


def test_activity_of_who_recorded(corpus: Path) -> None:
    """A Dota 2 recording of a player has that player's commands, and no clock of the game."""
    replay = playhead.open(corpus / "source2/dota2_pov.dem")
    axes = replay.plot.activity()
    assert sum(patch.get_data().values.sum() for patch in axes.patches) == replay.table("inputs").num_rows
    assert axes.get_xlabel() == "time since the recording began (min:s)"


def test_those_beyond_a_dozen_are_grey(corpus: Path) -> None:
    [path] = (corpus / "teehistorian/head20.1-crowd24-killed").glob("*.teehistorian")
    axes = playhead.open(path).plot.activity()
    named = legend(axes)
    assert len(named) == 13
    assert named[-1] == f"{len(axes.patches) - 12} others"


def test_advantage(replays: Mapping[str, Replay]) -> None:
    replay = replays["source2"]
    axes = replay.plot.advantage()
    rows = replay.table("player_series", every="10s").to_pylist()
    lead = next(line for line in axes.lines if line.get_label() == "lead")
    for minutes, value in zip(lead.get_xdata(), lead.get_ydata(), strict=True):
        now = [row for row in rows if row["game_seconds"] == pytest.approx(minutes * 60)]
        assert value == sum(row["net_worth"] * (1 if row["team"] == 2 else -1) for row in now)
    assert legend(axes)[:2] == ["Radiant ahead", "Dire ahead"]


def test_advantage_has_objectives_and_deaths(replays: Mapping[str, Replay]) -> None:
    replay = replays["source2"]
    axes = replay.plot.advantage()
    points = {str(each.get_label()): each for each in axes.collections}
    roshan = [row for row in replay.table("objective_events").to_pylist() if row["boss"] == "roshan"]
    assert [x * 60 for x, _ in points["killed Roshan"].get_offsets()] == pytest.approx(
        [row["game_seconds"] for row in roshan]
    )
    assert matplotlib.colors.to_hex(points["killed Roshan"].get_facecolor()[0]) == "#8f221b", "Dire killed it"
    deaths = [row for row in replay.table("kills").to_pylist() if row["victim_team"] == 2]
    strokes = points["deaths of heroes: Radiant"].get_segments()
    assert sorted(stroke[0][0] * 60 for stroke in strokes) == pytest.approx(
        [row["game_seconds"] for row in deaths]
    )
    bare = replay.plot.advantage(events=False)
    assert not [each for each in bare.collections if "Roshan" in str(each.get_label())]


def test_advantage_of_a_real_match(corpus: Path) -> None:
    path = corpus / "sc2/5.0.14.93333/Ro4_-_Classic_vs_Maru_-_G2_-_Pylon.SC2Replay"
    if not path.is_file():
        pytest.skip("this replay is not in the corpus")
    replay = playhead.open(path)
    axes = replay.plot.advantage("supply")
    rows = replay.table("player_series").to_pylist()
    used = {(row["player"], row["seconds"]): row["supply"] for row in rows}
    lead = next(line for line in axes.lines if line.get_label() == "lead")
    both = [(x * 60, y) for x, y in zip(lead.get_xdata(), lead.get_ydata(), strict=True)]
    checked = [(y, used[2, s] - used[1, s]) for s, y in ((round(s, 9), y) for s, y in both) if (1, s) in used]
    assert all(drawn == known for drawn, known in checked)
    rows = replay.table("build_order").to_pylist()
    begun = [row for row in rows if row["product"] in ("Nexus", "CommandCenter")]
    [points] = [each for each in axes.collections if each.get_label() == "began a town hall"]
    assert len(points.get_offsets()) == len(begun)


def test_comparison(samples: Mapping[str, Path], replays: Mapping[str, Replay]) -> None:
    first, second = replays["sc2"], playhead.open(samples["sc2"].read_bytes())
    axes = first.plot.compare(second, column="supply")
    assert [line.get_label() for line in axes.lines] == [
        "sample_sc2_3min.SC2Replay: Needle",
        "sample_sc2_3min.SC2Replay: Spindle",
        "<bytes>: Needle",
        "<bytes>: Spindle",
    ]
    assert axes.lines[0].get_color() == axes.lines[1].get_color() != axes.lines[2].get_color()
    assert axes.lines[0].get_linestyle() == axes.lines[2].get_linestyle() != axes.lines[1].get_linestyle()
    rows = [row for row in first.table("player_series").to_pylist() if row["player"] == 2]
    assert list(axes.lines[1].get_ydata()) == [row["supply"] for row in rows]
    one = first.plot.compare(second, player="Spindle")
    assert [line.get_label() for line in one.lines] == [
        "sample_sc2_3min.SC2Replay: Spindle (Zerg)",
        "<bytes>: Spindle (Zerg)",
    ]
    with pytest.raises(NothingToPlot, match="has nothing of the kind"):
        first.plot.compare(replays["teehistorian"])
    with pytest.raises(NothingToPlot, match=r"the economy of .* is in other columns"):
        first.plot.compare(replays["source2"])
    with pytest.raises(TypeError, match=r"found 'a\.dem': open it first"):
        first.plot.compare("a.dem")


def test_names_are_no_formulas_and_stay_in_legends(samples: Mapping[str, Path]) -> None:
    replay = playhead.open(samples["sc2"])
    first, second = replay.players
    replay.__dict__["players"] = (replace(first, name="$a_{1}$"), replace(second, name="_hidden"))
    axes = replay.plot.economy("supply")
    axes.figure.canvas.draw()
    assert [text.lstrip("\u200b") for text in legend(axes)] == ["$a_{1}$ (Terran)", "_hidden (Zerg)"]
    assert not any(text.get_parse_math() for text in legend_of(axes).get_texts())
    assert "$a_{1}$" in axes.get_title(loc="left")


def test_two_of_one_name_are_told_apart(samples: Mapping[str, Path]) -> None:
    replay = playhead.open(samples["sc2"])
    replay.__dict__["players"] = tuple(replace(each, name="Twin") for each in replay.players)
    assert legend(replay.plot.economy("supply")) == ["Twin #1 (Terran)", "Twin #2 (Zerg)"]
