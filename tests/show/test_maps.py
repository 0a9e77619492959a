"""Maps: positions and deaths are where the tables have them, above what the replay has of the map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import playhead
from playhead import NothingToPlot, Replay

pytestmark = pytest.mark.slow_interpreted

matplotlib = pytest.importorskip("matplotlib", reason="plots are drawn with it")
matplotlib.use("Agg")


def heat(axes: matplotlib.axes.Axes) -> matplotlib.collections.QuadMesh:
    """The heat map, which lies above the ground."""
    meshes = [each for each in axes.collections if isinstance(each, matplotlib.collections.QuadMesh)]
    return max(meshes, key=lambda mesh: mesh.get_zorder())


def scattered(axes: matplotlib.axes.Axes) -> dict[str, np.ndarray]:
    """Places of what is scattered, by label."""
    return {
        str(each.get_label()): np.asarray(each.get_offsets())
        for each in axes.collections
        if isinstance(each, matplotlib.collections.PathCollection)
    }


@pytest.mark.long
@pytest.mark.parametrize("name", ["source2", "sc2", "teehistorian"])
def test_positions_are_counted_where_they_are(replays: Mapping[str, Replay], name: str) -> None:
    replay = replays[name]
    axes = replay.plot.positions(bins=40)
    mesh = heat(axes)
    scale = {"teehistorian": 32.0}.get(name, 1.0)
    places = [(row["x"] / scale, row["y"] / scale) for row in replay.table("positions").to_pylist() if row["x"]]
    counts = mesh.get_array()
    assert counts.sum() == len(places)
    corners = mesh.get_coordinates()
    assert np.allclose(np.diff(corners[0, :, 0]), np.diff(corners[:, 0, 1])[0]), "fields are square"
    assert counts.shape[0] <= 42
    assert counts.shape[1] <= 42
    x, y = places[len(places) // 2]
    column = int(np.searchsorted(corners[0, :, 0], x, side="right")) - 1
    row = int(np.searchsorted(corners[:, 0, 1], y, side="right")) - 1
    assert counts[row, column] >= 1
    assert axes.yaxis_inverted() == (name == "teehistorian")
    assert axes.get_aspect() == 1.0


def test_the_scale_of_colours_is_explained(replays: Mapping[str, Replay]) -> None:
    axes = replays["source2"].plot.positions()
    [bar] = [each for each in axes.figure.axes if each is not axes]
    assert "log scale: equal steps of colour multiply the count" in bar.get_ylabel()
    assert "seconds of a hero or courier per field of" in bar.get_ylabel()
    axes.figure.canvas.draw()
    low, high = bar.get_ylim()
    shown = [label.get_text() for label in bar.get_yticklabels() if low <= label.get_position()[1] <= high]
    assert shown[:4] == ["1", "2", "5", "10"]


@pytest.mark.long
def test_positions_of_one_player(replays: Mapping[str, Replay]) -> None:
    replay = replays["teehistorian"]
    player = replay.players[0]
    count = sum(number == player.player for number in replay.table("positions")["player"].to_pylist())
    for named in (player.player, player.name):
        axes = replay.plot.positions(named)
        assert heat(axes).get_array().sum() == count
        assert axes.get_title(loc="left").startswith(f"Positions of {player.name}")
    whole, part = (heat(replay.plot.positions(name)).get_array() for name in ("brownbear", "BROWNB"))
    assert np.array_equal(whole, part)
    with pytest.raises(KeyError, match="no player 'Nobody'; there are nameless tee"):
        replay.plot.positions("Nobody")
    with pytest.raises(ValueError, match="expected at least one field across the map, got bins=0"):
        replay.plot.positions(bins=0)


def test_the_ground_is_where_anybody_was(replays: Mapping[str, Replay]) -> None:
    replay = replays["teehistorian"]
    alone = replay.plot.positions(1)
    ground, own = sorted(
        (each for each in alone.collections if isinstance(each, matplotlib.collections.QuadMesh)),
        key=lambda mesh: mesh.get_zorder(),
    )
    assert ground.get_array().sum() == replay.table("positions").num_rows > own.get_array().sum()
    assert len(replay.plot.positions(1, background=False).collections) == 1


def test_buildings_are_where_the_replay_has_them(replays: Mapping[str, Replay]) -> None:
    replay = replays["source2"]
    found = scattered(replay.plot.positions())
    rows = replay.table("structures").to_pylist()
    towers = {(row["x"], row["y"]) for row in rows if row["kind"] == "tower" and row["team"] == 3}
    assert {tuple(place) for place in found["tower, Dire"].tolist()} == towers
    assert {label.partition(",")[0] for label in found} == {"tower", "barracks", "ancient", "building", "Roshan"}
    legend = [text.get_text() for text in replay.plot.positions().figure.legends[0].get_texts()]
    assert legend == ["ancient", "tower", "barracks", "building", "Roshan", "Radiant", "Dire"]


@pytest.mark.long
def test_a_picture_of_the_map(replays: Mapping[str, Replay], tmp_path: Path) -> None:
    path = tmp_path / "map.png"
    matplotlib.image.imsave(path, np.zeros((4, 4, 3)))
    bounds = (-9000.0, 9000.0, -8000.0, 8000.0)
    for background in (path, str(path), np.zeros((4, 4, 3))):
        axes = replays["source2"].plot.positions(background=background, bounds=bounds)
        [image] = axes.images
        assert tuple(image.get_extent()) == bounds
        assert (*axes.get_xlim(), *axes.get_ylim()) == bounds
        assert not scattered(axes)
    tee = replays["teehistorian"].plot.positions(background=path, bounds=(0.0, 80.0, 50.0, 0.0))
    assert tee.yaxis_inverted()
    free = replays["teehistorian"].plot.positions(background=path)
    left, right, bottom, top = free.images[0].get_extent()
    assert left < right
    assert top < bottom, "y counts downwards"


def test_kills_by_side(replays: Mapping[str, Replay]) -> None:
    replay = replays["source2"]
    rows = replay.table("kills").to_pylist()
    axes = replay.plot.kills()
    found = scattered(axes)
    for team, side in ((2, "Radiant"), (3, "Dire")):
        places = [(row["victim_x"], row["victim_y"]) for row in rows if row["victim_team"] == team]
        assert sorted(map(tuple, found[f"lost by {side}: {len(places)}"].tolist())) == sorted(places)
    colours = {
        str(each.get_label()).split(":")[0]: matplotlib.colors.to_hex(each.get_facecolor()[0])
        for each in axes.collections
        if str(each.get_label()).startswith("lost")
    }
    assert colours == {"lost by Radiant": "#53a653", "lost by Dire": "#8f221b"}


def test_kills_and_losses_of_one_player(replays: Mapping[str, Replay]) -> None:
    replay = replays["source2"]
    rows = replay.table("kills").to_pylist()
    lost = sum(row["victim_player"] == 5 for row in rows)
    killed = sum(row["attacker_player"] == 5 for row in rows)
    assert lost
    assert killed
    found = scattered(replay.plot.kills(5))
    assert len(found[f"losses of Fern (Pudge): {lost}"]) == lost
    assert len(found[f"kills by Fern (Pudge): {killed}"]) == killed


def without_places(table: pa.Table, chosen: Callable[[int], bool]) -> pa.Table:
    """Rows of which the chosen ones have no place of the victim."""
    for name in ("victim_x", "victim_y"):
        values = [None if chosen(row) else value for row, value in enumerate(table[name].to_pylist())]
        field = table.schema.field(name)
        table = table.set_column(table.column_names.index(name), field, pa.array(values, field.type))
    return table


def test_what_has_no_place_is_counted(samples: Mapping[str, Path]) -> None:
    replay = playhead.open(samples["source2"])
    replay._tables["kills"] = table = without_places(replay.table("kills"), lambda row: row == 0)
    axes = replay.plot.kills()
    assert f"1 of {table.num_rows} without a place" in axes.get_title(loc="left")
    replay._tables["kills"] = table.slice(0, 1)
    with pytest.raises(NothingToPlot, match="none of 1 deaths has a place"):
        replay.plot.kills()


def test_kills_of_real_replays(corpus: Path) -> None:
    path = corpus / "sc2/5.0.14.93333/Ro4_-_Classic_vs_Maru_-_G2_-_Pylon.SC2Replay"
    if not path.is_file():
        pytest.skip("this replay is not in the corpus")
    replay = playhead.open(path)
    rows = [row for row in replay.table("units").to_pylist() if row["attacker_player"] is not None]
    lost = {
        number: sum(row["player"] == number and row["attacker_player"] != number for row in rows)
        for number in (1, 2)
    }  # not what players killed themselves
    found = scattered(replay.plot.kills())
    drawn = [len(places) for label, places in found.items() if label.startswith("lost by")]
    assert sorted(drawn) == sorted(lost.values())
    assert len(found["minerals"]) == 112
    assert len(found["vespene"]) == 26
