"""The picture of the map: maps' own files and plain pictures, made here; and what is no such thing."""

from __future__ import annotations

import base64
import hashlib
import io
import random
import struct
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.in_process import run as run_playhead
from tests.samples import teehistorian
from tests.samples.sc2 import replay as sc2_sample

import playhead
from playhead.blizzard.mpq.writer import NewMember, write_archive
from playhead.presentation.picture import DRAWN
from playhead.sc2.members.map_file import strings_name
from playhead.view.map import read_picture
from playhead.view.match import MapFile
from playhead.web.shelf import open_match

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

BOUNDS = (3, 4, 173, 104)
MAP_INFO = (
    b"MapI"
    + struct.pack("<I4I", 0x10, 176, 174, 1, 1)
    + bytes(4)
    + b"Dark\0Korhal\0"
    + struct.pack("<4I", *BOUNDS)
)


def picture(kind: str, width: int = 4, height: int = 2) -> bytes:
    out = io.BytesIO()
    image = Image.new("RGB", (width, height), (200, 30, 40))
    image.putpixel((0, 0), (10, 220, 30))
    image.save(out, kind)
    return out.getvalue()


def opened(found: Any) -> Any:
    return Image.open(io.BytesIO(found.data)).convert("RGB")


@pytest.mark.parametrize(("kind", "media"), [("PNG", "png"), ("JPEG", "jpeg"), ("GIF", "gif"), ("WEBP", "webp")])
def test_what_browsers_know_stays_as_it_is(
    samples: dict[str, Path], tmp_path: Path, kind: str, media: str
) -> None:
    path = tmp_path / "map.picture"
    path.write_bytes(picture(kind))
    found = read_picture(path, playhead.open(samples["source2"]), (1, 2, 3, 4))
    assert (found.data, found.kind, found.bounds) == (path.read_bytes(), f"image/{media}", (1, 2, 3, 4))


@pytest.mark.parametrize("kind", ["TGA", "BMP", "DDS"])
def test_others_become_png(samples: dict[str, Path], tmp_path: Path, kind: str) -> None:
    path = tmp_path / "map.picture"
    path.write_bytes(picture(kind))
    found = read_picture(path, playhead.open(samples["source2"]))
    assert found.kind == "image/png"
    assert found.bounds is None
    assert opened(found).getpixel((0, 0)) == (10, 220, 30)


def test_a_starcraft_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A square picture of bounds that are wider than high: these are in its middle."""
    path = tmp_path / "two rivers.SC2Map"
    members = {"MapInfo": MAP_INFO, "Minimap.tga": picture("TGA", 8, 8)}
    path.write_bytes(write_archive([NewMember(name, data) for name, data in members.items()], b""))
    handle = b"s2ma\0\0EU" + hashlib.sha256(path.read_bytes()).digest()
    monkeypatch.setattr(sc2_sample, "DETAILS", replace(sc2_sample.DETAILS, cache_handles=(handle,)))
    found = read_picture(path, playhead.open(sc2_sample.sample_bytes()))
    assert found.bounds == (3, 173, 54 - 85, 54 + 85)
    assert opened(found).size == (8, 8)
    assert opened(found).getpixel((0, 0)) == (10, 220, 30)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="is not the map of this replay"):
        read_picture(path, playhead.open(sc2_sample.sample_bytes()))


@pytest.mark.parametrize(
    ("name", "width", "drawn"),
    [("Two Rivers LE", 176, True), ("Two Rivers LE", 160, False), ("Three Rivers", 176, False)],
)
def test_another_version_of_a_starcraft_map(tmp_path: Path, name: str, width: int, drawn: bool) -> None:
    """Its name is that of the replay's map, and its size too."""
    path = tmp_path / "older.SC2Map"
    members = {
        "MapInfo": MAP_INFO,
        "Minimap.tga": picture("TGA", 8, 8),
        strings_name("enUS"): f"DocInfo/Name={name}\r\n".encode(),
    }
    path.write_bytes(write_archive([NewMember(name, data) for name, data in members.items()], b""))
    replay = playhead.open(sc2_sample.sample_bytes())
    replay.info.details.update(map_width=width, map_height=174)
    with nullcontext() if drawn else pytest.raises(ValueError, match="is not the map of this replay"):
        assert read_picture(path, replay).kind == "image/png"


def ddnet_map(path: Path) -> None:
    """5 tiles wide, 3 high: hookable at (1, 2), a finish in the front layer at (4, 0)."""
    twmap = pytest.importorskip("twmap", reason="twmap is not installed")
    numpy = pytest.importorskip("numpy")
    made = twmap.Map.empty("DDNet06")
    layers = made.groups.new_physics().layers
    for layer, x, y, tile in ((layers.new_game(5, 3), 1, 2, 1), (layers.new_physics("Front"), 4, 0, 34)):
        tiles = numpy.zeros((3, 5, 2), numpy.uint8)
        tiles[y, x, 0] = tile
        layer.tiles = tiles
    made.save(str(path))


def test_a_ddnet_map(samples: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "race.map"
    ddnet_map(path)
    recording = samples["teehistorian"].read_bytes()
    with pytest.raises(ValueError, match="is not the map of this recording"):
        read_picture(path, playhead.open(recording))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    played = playhead.open(samples["teehistorian"]).info.details["map_sha256"]
    found = read_picture(path, playhead.open(recording.replace(played.encode(), digest.encode())))
    assert found.bounds == (0, 160, 0, 96)
    assert not found.smooth
    pixels = Image.open(io.BytesIO(found.data))
    assert pixels.size == (5, 3)
    shown = {(x, y) for x in range(5) for y in range(3) if pixels.getpixel((x, y))[3]}
    assert shown == {(1, 2), (4, 0)}


@pytest.mark.parametrize("name", ["map.png", "map.SC2Map", "map.map", "map.tga"])
@pytest.mark.parametrize("data", [b"", b"nothing of that kind", b"\0" * 300])
def test_what_is_no_map_is_told(samples: dict[str, Path], tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    recording = samples["sc2" if name.endswith("2Map") else "teehistorian"]
    found = open_match(str(recording), map_file=MapFile(str(path))).ground()
    assert found["picture"]["source"] == DRAWN
    assert found["picture"]["drawn"]
    assert found["picture_error"]


def test_a_picture_that_is_a_program_is_none(samples: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "map.png"
    path.write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n%%EOF\n")
    with pytest.raises(ValueError, match="expected a picture: cannot identify"):
        read_picture(path, playhead.open(samples["source2"]))


def test_a_picture_with_too_many_pixels(
    samples: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "map.tga"
    path.write_bytes(picture("TGA"))
    monkeypatch.setattr("playhead.presentation.picture.MOST_PIXELS", 7)
    with pytest.raises(ValueError, match="expected at most 7 pixels, found 4 x 2"):
        read_picture(path, playhead.open(samples["source2"]))


@pytest.mark.long
def test_the_ground_has_it_and_so_has_a_report(samples: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "map.png"
    path.write_bytes(picture("PNG"))
    found = open_match(str(samples["source2"]), map_file=MapFile(str(path), (-1, 1, -2, 2))).ground()["picture"]
    assert not found["drawn"]
    assert found["bounds"] == [-1, 1, -2, 2]
    assert base64.b64decode(found["url"].partition(",")[2]) == path.read_bytes()
    report = tmp_path / "match.html"
    options = ["--map", str(path), "--map-bounds", "-1,1,-2,2"]
    done = run_playhead("report", str(samples["source2"]), "-o", str(report), *options)
    assert done.returncode == 0, done.stderr
    for wrong in (["--map-bounds", "1,2,3,4"], ["--map", str(path), "--map-bounds", "2,1,0,1"]):
        assert run_playhead("report", str(samples["sc2"]), "-o", str(report), *wrong).returncode == 2


@pytest.mark.long
@pytest.mark.parametrize("kind", ["PNG", "TGA"])
def test_a_report_has_a_large_picture_in_small(samples: dict[str, Path], tmp_path: Path, kind: str) -> None:
    path = tmp_path / "map.picture"
    noise = Image.frombytes("RGB", (1500, 900), random.Random(18).randbytes(1500 * 900 * 3))
    noise.save(path, kind)
    report = tmp_path / "match.html"
    done = run_playhead("report", str(samples["source2"]), "-o", str(report), "--map", str(path))
    assert done.returncode == 0, done.stderr
    assert 100_000 < report.stat().st_size <= 3_000_000
    found = read_picture(path, playhead.open(samples["source2"]), (1, 2, 3, 4))
    small = found.shrunk(200_000)
    assert len(small.data) <= 200_000 < len(found.data)
    assert (small.kind, small.bounds) == ("image/jpeg", (1, 2, 3, 4))
    width, height = opened(small).size
    assert abs(width / height - 1500 / 900) < 0.01
    assert found.shrunk(len(found.data)) is found
    with pytest.raises(ValueError, match="expected a picture of the map that fits 100 bytes"):
        found.shrunk(100)


def test_the_sample_is_of_no_map_file() -> None:
    """What the tests above replace is there."""
    assert playhead.open(teehistorian.sample_bytes()).info.details["map_sha256"]
