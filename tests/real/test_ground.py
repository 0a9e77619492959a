"""The ground of real recordings, compared with the maps that were played."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import playhead
from playhead.cs2.sources.maps import CORNER, sites
from playhead.presentation.picture import WALL
from playhead.sc2.ground import saved_picture
from playhead.teehistorian.physics.game_map import MapContainer
from playhead.view.map import ground

np = pytest.importorskip("numpy", reason="NumPy is not installed")
Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

#: Left, right, low and high of the playable part of maps by size of map and of picture file: the extremes of all
#: orders and screens in the replays of the corpus on these maps, of later versions too.
PLAYABLE = {
    (160, 160, 7034): (14, 146, 12, 146),  # Lost Temple
    (160, 168, 6421): (10, 150, 8, 148),  # Metalopolis
    (176, 168, 10190): (26, 150, 8, 132),  # Steppes of War
    (192, 184, 6116): (14, 174, 8, 162),  # Scrap Station
    (160, 168, 8629): (10, 150, 8, 148),  # Desert Oasis
    (160, 168, 8626): (10, 150, 8, 148),
    (192, 192, 7020): (26, 166, 20, 154),  # Kulas Ravine
    (176, 184, 8494): (10, 166, 8, 164),  # Twilight Fortress
}


def test_the_pictures_of_the_betas_cover_the_playable_part(corpus: Path) -> None:
    found = 0
    for path in sorted((corpus / "sc2").glob("0.*/*.SC2Replay")):
        replay = playhead.open(path)
        picture = saved_picture(replay)
        if picture is None:
            continue
        found += 1
        size = len(replay.recording.container.archive.read("save.jpg"))
        info = replay.info.details
        expected = PLAYABLE[info["map_width"], info["map_height"], size]
        assert picture.bounds == pytest.approx(expected, abs=2.5), path
    assert found == 21


@pytest.mark.parametrize(
    ("name", "map_name"),
    [
        ("deb16.4-physics/sunny", "deb16.4-physics/sunny.map"),
        ("deb16.4-physics/tsunami", "deb16.4-physics/tsunami.map"),
        ("head20.1-crowd24-killed/49b83563-ec82-48c0-b710-549060b18974", "maps/Tutorial.map"),
    ],
)
def test_walls_are_solid_tiles_and_the_rest_is_not(corpus: Path, name: str, map_name: str) -> None:
    folder = corpus / "teehistorian"
    width, height, layers = MapContainer((folder / map_name).read_bytes(), map_name).layers(1 << 24)
    game = np.frombuffer(layers["game"], np.uint8)[::4].reshape(height, width)
    solid = (game == 1) | (game == 3)
    replay: Any = playhead.open(folder / f"{name}.teehistorian")
    picture = replay.presentation.map.ground(replay)
    pixels = np.asarray(Image.open(io.BytesIO(picture.data)))
    left, _, top, _ = (int(edge) // 32 for edge in picture.bounds)

    def tiles(chosen: Any) -> Any:
        rows, columns = np.nonzero(chosen)
        return solid[np.clip(rows + top, 0, height - 1), np.clip(columns + left, 0, width - 1)]

    walls, free = tiles(pixels == WALL), tiles((pixels > 0) & (pixels != WALL))
    assert len(walls) > 250
    assert walls.mean() > 0.97
    assert not free.any()


def test_bomb_sites_are_where_the_game_says(corpus: Path) -> None:
    replay: Any = playhead.open(corpus / "source2" / "cs2_14155.dem")
    found = [(kind, x, y) for kind, x, y, *_ in sites(replay)]
    resource = next(
        each for each in replay.at(100).units.values() if each.class_name == "CCSPlayerResource"
    ).to_dict()
    said = [resource[f"m_bombsiteCenter{letter}"][:2] for letter in "AB"]
    assert [place for kind, *place in found if kind == "bomb site"] == [list(map(float, each)) for each in said]
    assert sum(kind == CORNER for kind, *_ in found) == 4


def test_every_recording_has_a_ground(corpus: Path, step: int) -> None:
    paths = sorted((corpus / "sc2").glob("*/*.SC2Replay"))[:: 12 * step]
    paths += sorted((corpus / "teehistorian").glob("*/*.teehistorian"))[:: 2 * step]
    paths += [corpus / "source2" / name for name in ("cs2_14065.dem", "dota2_pov.dem", "deadlock_10423.dem")]
    bare = []
    for path in paths:
        replay = playhead.open(path)
        found = ground(replay, ())
        if found["picture"] is None and not (replay.info.duration_ticks or 0) < 100:
            bare.append(path.name)
    assert not bare
