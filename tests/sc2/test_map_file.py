"""A map's own file: what it says, and whether the replay was played on it. The one here does not exist."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.cli.in_process import run as run_playhead
from tests.opened import open_as
from tests.samples.sc2 import replay as sample

import playhead
from playhead.blizzard.mpq.writer import NewMember, write_archive
from playhead.sc2.members.map_file import MapArchive, read_map_info, strings_name
from playhead.sc2.replay import Sc2Replay

PICTURE = bytes(12) + struct.pack("<HHBB", 2, 2, 24, 0) + bytes(range(12))
OBJECTS = b"""<?xml version="1.0" encoding="utf-8"?>
<PlacedObjects Version="27"><!-- two players -->
    <ObjectPoint Id="1" Position="33.5,140.5,8" Scale="1,1,1" Type="StartLoc" Name="Start Location 001"/>
    <ObjectPoint Id="2" Position="142.5,35.5,8" Scale="1,1,1" Type="StartLoc" Name="Start Location 002"/>
    <ObjectPoint Id="3" Position="88,88,0" Scale="1,1,1" Type="Normal" Name="Middle"/>
    <ObjectUnit Id="4" Position="30,147,0" Scale="1,1,1" UnitType="MineralField"/>
</PlacedObjects>"""
DOCUMENT = b"""<?xml version="1.0" encoding="utf-8"?>
<DocInfo><Dependencies><Value>bnet:Void (Mod)/0.0/999,file:Mods/Void.SC2Mod</Value></Dependencies></DocInfo>"""


def map_info(version: int, bounds: tuple[int, int, int, int] = (3, 4, 172, 170), magic: bytes = b"MapI") -> bytes:
    out = magic + struct.pack("<I", version)
    if version >= 0x18:
        out += bytes(8)
    out += struct.pack("<IIII", 176, 174, 1, 2) + b"Assets\\Preview.dds\0"
    out += b"\0" if version >= 0x1F else b""
    out += b"\0" if version >= 0x26 else b""
    out += bytes(4) if version >= 0x1F else b""
    return out + bytes(4) + b"Dark\0" + b"Korhal\0" + struct.pack("<5I", *bounds, 1 << 15) + b"more"


def cliffs(width: int = 8, height: int = 6, magic: bytes = b"CLIF") -> bytes:
    """A low plateau, a ramp of two cells, a high plateau; the bottom row is outside of the ground."""
    row = [64, 64, 64, 72, 104, 128, 128, 128][:width]
    rows = [[0] * width, *([row] * (height - 1))]
    body = b"".join(struct.pack("<H", level) for each in rows for level in each)
    return struct.pack("<4s3I16x", magic, 100, width, height) + body


def heights(width: int = 9, height: int = 7) -> bytes:
    return struct.pack("<4s3I48x", b"SMAP", 102, width, height) + struct.pack("<hH", 512, 3) * (width * height)


PAINTED = bytes(4) + bytes(8 * 5) + bytes([255] * 8)
TERRAIN = {"t3SyncCliffLevel": cliffs(), "t3SyncHeightMap": heights(), "CellAttribute_Pnp": PAINTED}

MEMBERS = {
    "MapInfo": map_info(0x27),
    "Minimap.tga": PICTURE,
    "Objects": OBJECTS,
    "DocumentInfo": DOCUMENT,
    strings_name("enUS"): b"\xef\xbb\xbfDocInfo/Author=Somebody\r\nDocInfo/Name=Two Rivers LE\r\n",
    strings_name("deDE"): "DocInfo/Name=Zwei Fl\u00fcsse LE\r\n".encode(),
}


def made(members: Mapping[str, bytes]) -> bytes:
    return write_archive([NewMember(name, data) for name, data in members.items()], b"")


MAP = made(MEMBERS)


def played_on(data: bytes | None, monkeypatch: pytest.MonkeyPatch) -> Sc2Replay:
    """The sample, with the handle of a map in its cache."""
    handles = () if data is None else (b"s2ma\0\0EU" + hashlib.sha256(data).digest(),)
    monkeypatch.setattr(sample, "DETAILS", replace(sample.DETAILS, cache_handles=handles))
    return open_as(Sc2Replay, sample.sample_bytes())


def test_what_a_map_says(monkeypatch: pytest.MonkeyPatch) -> None:
    found = played_on(MAP, monkeypatch).read_map(MAP)
    assert found.belongs
    assert found.sha256 == hashlib.sha256(MAP).hexdigest()
    assert found.name == "Two Rivers LE"
    assert found.names == {"enUS": "Two Rivers LE", "deDE": "Zwei Fl\u00fcsse LE"}
    assert (found.width, found.height, found.bounds) == (176, 174, (3, 4, 172, 170))
    assert found.tile_set == "Korhal"
    assert found.start_locations == ((33.5, 140.5), (142.5, 35.5))
    assert found.dependencies == ("bnet:Void (Mod)/0.0/999,file:Mods/Void.SC2Mod",)
    assert (found.minimap_name, found.minimap) == ("Minimap.tga", PICTURE)
    assert found.problems == ()
    assert found.as_dict()["minimap"] == len(PICTURE)


def test_whether_it_is_the_map_of_the_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    assert played_on(MAP + b"another version", monkeypatch).read_map(MAP).belongs is False
    assert played_on(None, monkeypatch).read_map(MAP).belongs is None


@pytest.mark.parametrize("version", [0x17, 0x18, 0x1E, 0x1F, 0x20, 0x25, 0x26, 0x27])
@pytest.mark.parametrize("magic", [b"MapI", b"IpaM"])
def test_every_version_of_the_head(version: int, magic: bytes) -> None:
    info = read_map_info(map_info(version, magic=magic))
    assert (info.width, info.height, info.tile_set, info.bounds) == (176, 174, "Korhal", (3, 4, 172, 170))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("MapInfo", b"Map?", "expected MapI"),
        ("MapInfo", map_info(0x27)[:30], "MapInfo"),
        ("MapInfo", map_info(0x27, bounds=(3, 4, 999, 170)), "expected bounds"),
        ("Objects", b"<open>", "expected XML"),
        ("Objects", b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "document type"),
        ("Objects", b'<x><ObjectPoint Type="StartLoc" Position="here"/></x>', "expected a position"),
    ],
)
def test_a_damaged_member_costs_itself(name: str, data: bytes, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = played_on(None, monkeypatch).read_map(made({**MEMBERS, name: data}))
    (problem,) = found.problems
    assert said in problem
    assert found.name == "Two Rivers LE"
    assert (found.width is None) == (name == "MapInfo")
    assert (found.start_locations == ()) == (name == "Objects")


def test_what_is_no_map_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    replay = played_on(None, monkeypatch)
    for wrong in (b"", b"no archive at all", sample.sample_bytes(), made({"Other": b"x"})):
        with pytest.raises(playhead.ReplayError):
            replay.read_map(wrong)
    with pytest.raises(OSError, match="missing"):
        replay.read_map(tmp_path / "missing.SC2Map")


@given(st.integers(0, len(MAP) - 1), st.integers(1, 255))
@example(1732, 1)  # an encoding that there is not
def test_damage_anywhere_is_a_typed_error_or_told(place: int, mask: int) -> None:
    hurt = bytearray(MAP)
    hurt[place] ^= mask
    replay = playhead.open(sample.sample_bytes())
    try:
        found = replay.read_map(bytes(hurt))
    except playhead.ReplayError:
        return
    assert found.sha256 != hashlib.sha256(MAP).hexdigest()


def test_the_command_shows_it_and_warns_of_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "two.SC2Map").write_bytes(MAP)
    replay = tmp_path / "game.SC2Replay"
    played_on(MAP, monkeypatch)
    replay.write_bytes(sample.sample_bytes())
    shown = run_playhead("info", str(replay), "--map", str(tmp_path / "two.SC2Map"))
    assert shown.returncode == 0, shown.stderr
    assert "Two Rivers LE" in shown.stdout
    assert "(33.5, 140.5), (142.5, 35.5)" in shown.stdout
    assert shown.stderr == ""
    (tmp_path / "other.SC2Map").write_bytes(made({**MEMBERS, "Minimap.tga": PICTURE + b"!"}))
    warned = run_playhead("info", str(replay), "--json", "--map", str(tmp_path / "other.SC2Map"))
    assert warned.returncode == 0
    assert "another map" in warned.stderr
    assert '"belongs": false' in warned.stdout or '"belongs":false' in warned.stdout
    assert run_playhead("info", str(replay), "--map", str(replay)).returncode == 2


def opened_map(data: bytes) -> MapArchive:
    return open_as(Sc2Replay, sample.sample_bytes()).read_map(data)


def test_terrain_and_resources() -> None:
    found = opened_map(made({**MEMBERS, **TERRAIN}))
    assert found.resources == (("MineralField", 30.0, 147.0),)
    terrain = found.terrain
    assert terrain is not None
    assert (terrain.width, terrain.height) == (8, 6)
    assert terrain.heights is not None
    assert set(terrain.heights) == {2.0}
    assert [terrain.ground(0, y) for y in range(6)] == [False, True, True, True, True, False]
    assert [terrain.is_ramp(x, 2) for x in range(8)] == [False, False, False, True, True, False, False, False]
    assert terrain.is_edge(0, 1)
    assert not terrain.is_edge(1, 3)
    assert terrain.ground_rows() == [0, 255, 255, 255, 255, 0]
    assert found.as_dict()["terrain"] == {"width": 8, "height": 6, "plateaus": 2}
    assert found.problems == ()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (cliffs()[:20], "expected 32 bytes"),
        (cliffs()[:-1], "expected 8 x 6 values"),
        (cliffs(magic=b"CLIP"), "expected b'CLIF'"),
        (struct.pack("<4s3I16x", b"CLIF", 100, 1 << 31, 1 << 31), "expected sides of 1 to 257"),
        (struct.pack("<4s3I16x", b"CLIF", 100, 0, 6), "expected sides of 1 to 257"),
    ],
)
def test_damaged_terrain_is_a_problem(data: bytes, text: str) -> None:
    found = opened_map(made({**MEMBERS, "t3SyncCliffLevel": data}))
    assert found.terrain is None
    assert text in found.problems[0]


def test_parts_of_another_size_are_left_out() -> None:
    members = {**TERRAIN, "t3SyncHeightMap": heights(5, 5), "CellAttribute_Pnp": bytes(9)}
    terrain = opened_map(made({**MEMBERS, **members})).terrain
    assert terrain is not None
    assert terrain.heights is None
    assert terrain.painted is None


@pytest.mark.long
def test_the_terrain_is_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("PIL")
    from playhead.sc2.ground import terrain_image
    from playhead.view.map import read_picture

    data = made({**MEMBERS, **TERRAIN})
    path = tmp_path / "two.SC2Map"
    path.write_bytes(data)
    terrain = opened_map(data).terrain
    assert terrain is not None
    image = terrain_image(terrain)
    assert image.size == (24, 18)
    low, high = image.getpixel((4, 8)), image.getpixel((22, 8))
    assert sum(low) < sum(high)
    assert image.getpixel((4, 17)) == (12, 12, 16)
    replay = played_on(data, monkeypatch)
    assert read_picture(path, replay).bounds == (0.0, 8.0, 0.0, 6.0)
    assert read_picture(tmp_path, replay).bounds == (0.0, 8.0, 0.0, 6.0)
    pytest.importorskip("matplotlib")
    for background in (path, tmp_path):
        (drawn,) = replay.plot.positions(background=background).images
        assert tuple(drawn.get_extent()) == (0.0, 8.0, 0.0, 6.0)


def test_a_folder_of_maps_by_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = made({**MEMBERS, **TERRAIN})
    replay = played_on(data, monkeypatch)
    with pytest.raises(FileNotFoundError, match="0 maps"):
        replay.read_map(tmp_path)
    (tmp_path / "other.SC2Map").write_bytes(MAP)
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "two.s2ma").write_bytes(data)
    assert replay.read_map(tmp_path).belongs
    named = tmp_path / f"{hashlib.sha256(data).hexdigest()}.s2ma"
    named.write_bytes(data)
    assert replay.read_map(tmp_path).sha256 == named.stem


def test_creep_is_on_ground(tmp_path: Path) -> None:
    path = tmp_path / "two.SC2Map"
    path.write_bytes(
        made(
            {
                **MEMBERS,
                "t3SyncCliffLevel": struct.pack("<4s3I16x", b"CLIF", 100, 121, 121)
                + struct.pack("<H", 64) * 121 * 121,
            }
        )
    )
    replay = open_as(Sc2Replay, sample.sample_bytes())
    whole = replay.table("creep")["area"][0].as_py()
    assert 0 < replay.table("creep", map=path)["area"][0].as_py() < whole
    (tmp_path / "flat.SC2Map").write_bytes(MAP)
    with pytest.raises(ValueError, match="no terrain"):
        replay.table("creep", map=tmp_path / "flat.SC2Map")
