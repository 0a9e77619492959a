"""Pictures: what is drawn is what the tables have."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import playhead
from playhead import list_formats

pytestmark = pytest.mark.slow_interpreted

matplotlib = pytest.importorskip("matplotlib", reason="plots are drawn with it")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("samples")
    return {known.name: known.write_sample(folder) for known in list_formats()}


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def test_positions_of_every_format(samples: dict[str, Path], tmp_path: Path) -> None:
    for name, path in samples.items():
        replay = playhead.open(path)
        axes = replay.plot.positions()
        [drawn] = axes.collections
        table = replay.table("positions")
        known = sum(None not in (row["x"], row["y"]) for row in table.to_pylist())
        assert drawn.get_array().sum() == known
        assert axes.yaxis_inverted() == (name == "teehistorian")
        axes.figure.savefig(tmp_path / f"{name}.png")


def test_positions_of_one_player(samples: dict[str, Path]) -> None:
    replay = playhead.open(samples["teehistorian"])
    player = replay.players[0]
    count = sum(number == player.player for number in replay.table("positions")["player"].to_pylist())
    for named in (player.player, player.name):
        axes = replay.plot.positions(named)
        assert axes.collections[0].get_array().sum() == count
        assert player.name in axes.get_title(loc="left")
    with pytest.raises(KeyError, match="no player 'Nobody'; there are nameless tee"):
        replay.plot.positions("Nobody")


def test_economy(samples: dict[str, Path], tmp_path: Path) -> None:
    dota = playhead.open(samples["source2"])
    axes = dota.plot.economy()
    assert [line.get_label() for line in axes.lines] == [player.name for player in dota.players]
    series = dota.table("player_series", every="10s").to_pylist()
    assert list(axes.lines[3].get_ydata()) == [row["net_worth"] for row in series if row["player"] == 3]
    axes.figure.savefig(tmp_path / "dota.png")
    sc2 = playhead.open(samples["sc2"])
    assert len(sc2.plot.economy().lines) == 2 * len(sc2.players)
    assert len(sc2.plot.economy("workers_active_count").lines) == len(sc2.players)
    with pytest.raises(NotImplementedError, match="no economy"):
        playhead.open(samples["teehistorian"]).plot.economy()


def test_activity_counts_inputs(samples: dict[str, Path], tmp_path: Path) -> None:
    for name, path in samples.items():
        replay = playhead.open(path)
        axes = replay.plot.activity()
        drawn = sum(patch.get_data().values.sum() for patch in axes.patches)
        rows = [row for row in replay.table("inputs").to_pylist() if row["player"] is not None]
        assert drawn == sum(row["kind"] not in ("camera", "update_point", "update_unit") for row in rows)
        axes.figure.savefig(tmp_path / f"{name}.png")


def test_drawing_into_given_axes(samples: dict[str, Path]) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2)
    replay = playhead.open(samples["sc2"])
    assert replay.plot.positions(ax=left) is left
    assert replay.plot.economy(ax=right) is right
    assert plt.get_fignums() == [figure.number]


def test_a_failed_plot_leaves_no_figure(samples: dict[str, Path]) -> None:
    import matplotlib.pyplot as plt

    with pytest.raises((KeyError, ValueError)):
        playhead.open(samples["sc2"]).plot.economy("nonsense")
    assert plt.get_fignums() == []


def test_matplotlib_is_named_with_its_extra(samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'matplotlib[<>=.,\d]+' \(the extra plot\)"):
        playhead.open(samples["sc2"]).plot.activity()
