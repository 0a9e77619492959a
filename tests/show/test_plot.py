"""Plots of every kind: where they draw, what they are called, and what they say where there is nothing to draw."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import playhead
from playhead import NothingToPlot, Replay
from playhead.show.plots import Plots

pytestmark = pytest.mark.slow_interpreted

matplotlib = pytest.importorskip("matplotlib", reason="plots are drawn with it")
matplotlib.use("Agg")

METHODS = {
    "source2": ("positions", "kills", "economy", "advantage", "activity", "compare"),
    "sc2": ("positions", "kills", "economy", "advantage", "activity", "build_order", "compare"),
    "teehistorian": ("positions", "activity", "input_timing"),
}
ALL = sorted({name for names in METHODS.values() for name in names})


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
def test_every_plot_has_a_title_with_map_game_and_players_and_cuts_no_text_off(
    replays: Mapping[str, Replay], name: str
) -> None:
    replay = replays[name]
    for method in METHODS[name]:
        axes = getattr(replay.plot, method)()
        assert str(replay.info.map) in axes.get_title(loc="left")
        text = drawn_text(axes)
        if method not in ("compare", "input_timing", "advantage", "build_order"):
            assert all(player.name in text for player in replay.players if player.name in active(replay, method))
        check_nothing_is_cut_off(axes.figure)


def active(replay: Replay, method: str) -> set[str | None]:
    """The players that a plot has something of."""
    if method != "activity":
        return {player.name for player in replay.players}
    numbers = set(replay.table("inputs")["player"].to_pylist())
    return {player.name for player in replay.players if player.player in numbers}


def drawn_text(axes: matplotlib.axes.Axes) -> str:
    """Title and legends."""
    legends = [axes.get_legend(), *axes.figure.legends]
    texts = [text.get_text() for legend in legends if legend is not None for text in legend.get_texts()]
    return "\n".join([axes.get_title(loc="left"), *texts])


@pytest.mark.parametrize("name", METHODS)
def test_nothing_is_an_error_that_lists_the_plots_of_the_game(replays: Mapping[str, Replay], name: str) -> None:
    import matplotlib.pyplot as plt

    declared = {plot.replace(" ", "_") for plot in replays[name].presentation.plots}
    assert {*METHODS[name]} - {"compare"} <= declared
    for method in set(ALL) - set(METHODS[name]):
        with pytest.raises(NothingToPlot, match=r"Plots of (Dota 2|StarCraft II|DDNet).*: positions \("):
            getattr(replays[name].plot, method)()
    assert plt.get_fignums() == []


def test_a_replay_without_inputs_has_no_activity(samples: Mapping[str, Path]) -> None:
    replay = playhead.open(samples["sc2"])
    replay._tables["inputs"] = replay.table("inputs").slice(0, 0)
    with pytest.raises(NothingToPlot, match="table inputs is empty: "):
        replay.plot.activity()


def test_a_replay_with_camera_moves_alone_has_no_activity(samples: Mapping[str, Path]) -> None:
    import pyarrow.compute as pc

    replay = playhead.open(samples["sc2"])
    inputs = replay.table("inputs")
    replay._tables["inputs"] = inputs.filter(pc.equal(inputs["kind"].cast("string"), "camera_moved"))
    assert replay.table("inputs").num_rows
    with pytest.raises(NothingToPlot, match="no input in it is an action"):
        replay.plot.activity()


def test_no_advantage_between_four(samples: Mapping[str, Path]) -> None:
    replay = playhead.open(samples["sc2"])
    first = replay.players[0]
    replay.__dict__["players"] = (*replay.players, replace(first, player=3, team=2))
    with pytest.raises(NothingToPlot, match="this replay has 3 sides, not two"):
        replay.plot.advantage()


def test_drawing_into_given_axes(replays: Mapping[str, Replay]) -> None:
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(2, 2)
    replay = replays["sc2"]
    for axes, method in zip(grid.flat, ("positions", "economy", "kills", "build_order"), strict=True):
        assert getattr(replay.plot, method)(ax=axes) is axes
    assert plt.get_fignums() == [figure.number]
    assert not figure.legends, "legends are inside of the axes that were given"
    figure.canvas.draw()


def test_size_of_the_figure(replays: Mapping[str, Replay]) -> None:
    import matplotlib.pyplot as plt

    axes = replays["sc2"].plot.economy(figsize=(12.0, 3.0))
    assert axes.figure.get_figwidth() == 12.0
    assert axes.figure.get_figheight() == pytest.approx(3.0, abs=0.4), "but for the lines of the title"
    with pytest.raises(ValueError, match="expected ax= or figsize=, got both"):
        replays["sc2"].plot.economy(ax=axes, figsize=(1.0, 1.0))
    assert len(plt.get_fignums()) == 1


REAL = {
    "source2/dota2_build9912_10bots.dem": ("positions", "economy", "advantage"),  # Cyrillic, Han and an emoji
    "sc2/2.1.9.34644/ffa.SC2Replay": ("positions", "kills", "economy", "build_order"),
    "sc2/3.7.0.47185/3.7.0__1.SC2Replay": ("positions", "kills"),  # a narrow map
    "teehistorian/deb16.4-slot-reuse/*.teehistorian": (
        "positions",
        "kills",
        "activity",
        "input_timing",
    ),  # a wide one
}


@pytest.mark.long
@pytest.mark.one_of("name")
@pytest.mark.parametrize("name", REAL)
@pytest.mark.filterwarnings("ignore:no installed font")
def test_no_text_of_real_replays_is_cut_off(corpus: Path, name: str) -> None:
    path = next(corpus.glob(name), None)
    if path is None:
        pytest.skip("this replay is not in the corpus")
    replay = playhead.open(path)
    for method in REAL[name]:
        check_nothing_is_cut_off(getattr(replay.plot, method)().figure)


def check_nothing_is_cut_off(figure: matplotlib.figure.Figure) -> None:
    """All that is drawn is inside of the figure."""
    figure.canvas.draw()
    boxes = [part.get_tightbbox() for part in figure.axes]  # with titles, labels, ticks and legends
    boxes += [legend.get_window_extent() for legend in figure.legends]
    for box in boxes:
        assert box.x0 >= -1
        assert box.y0 >= -1
        assert box.x1 <= figure.bbox.width + 1
        assert box.y1 <= figure.bbox.height + 1


def test_a_failed_plot_leaves_no_figure(replays: Mapping[str, Replay]) -> None:
    import matplotlib.pyplot as plt

    with pytest.raises(KeyError, match="no column of player_series 'nonsense'; the nearest are"):
        replays["sc2"].plot.economy("nonsense")
    with pytest.raises(KeyError, match="did you mean minerals, minerals_collection_rate"):
        replays["sc2"].plot.advantage("minerals_coll")
    assert plt.get_fignums() == []


def test_settings_of_the_user_stay_as_they_are(replays: Mapping[str, Replay]) -> None:
    before = dict(matplotlib.rcParams)
    replays["sc2"].plot.economy()
    assert dict(matplotlib.rcParams) == before


def test_every_method_is_listed(replays: Mapping[str, Replay]) -> None:
    methods = [name for name in vars(Plots) if not name.startswith("_")]
    assert repr(replays["sc2"].plot) == f"<plots {', '.join(f'{name}()' for name in methods)}>"
    assert sorted(methods) == ALL


def test_matplotlib_is_named_with_its_extra(
    replays: Mapping[str, Replay], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name in METHODS["sc2"]:
        with pytest.raises(ModuleNotFoundError, match=r"pip install 'matplotlib[<>=.,\d]+' \(the extra plot\)"):
            getattr(replays["sc2"].plot, name)()
