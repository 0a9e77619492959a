"""Areas of the nav mesh of an installed game: made files in a made folder."""

from __future__ import annotations

import struct
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from tests.samples.source2.cs2_match.demo import WrittenMatch

import playhead
from playhead.cs2.sources.maps import APP
from playhead.errors import ReplayError, UnsupportedVersion
from playhead.presentation import installed
from playhead.source2.game_files.nav import NavMesh, read_areas

#: A floor, a room above its right half, and a ramp that rises by 128 along x, each with its number.
FLOOR = (7, [(0, 0, 0), (512, 0, 0), (512, 512, 0), (0, 512, 0)])
ROOM = (8, [(256, 0, 200), (512, 0, 200), (512, 512, 200), (256, 512, 200)])
RAMP = (9, [(512, 0, 0), (768, 0, 128), (768, 512, 128), (512, 512, 0)])


def key_values(body: bytes, method: int = 0) -> bytes:
    """Write KeyValues of version 5; those that are compressed say another plain size."""
    plain, packed = (200, len(body)) if method else (len(body), 0)
    head = struct.pack("<4s16sI24x4I", b"\x053VK", b"format", method, plain, packed, 0, 0)
    return head + struct.pack("<8x4I32x", plain - 4, packed, 4, 0) + body


def nav(*areas: tuple[int, list[tuple[int, int, int]]], version: int = 35) -> bytes:
    """Write a nav mesh, each area with connections, a hiding spot and ladders."""
    out = struct.pack("<4I", 0xFEEDFACE, version, 1, 1)
    out += key_values(b"\0\0\0\0" + struct.pack("<I", 0xFFEEDD00)) if version > 35 else b""
    corners = [corner for _, each in areas for corner in each]
    if version > 30:
        out += struct.pack("<I", len(corners)) + b"".join(struct.pack("<3f", *corner) for corner in corners)
        out += struct.pack("<I", len(areas))
        first = 0
        for _, each in areas:
            out += struct.pack(f"<B{len(each)}I", len(each), *range(first, first + len(each)))
            out += struct.pack("<i", -1) if version > 34 else b""
            first += len(each)
    out += struct.pack("<I", 0) if version > 31 else b""
    out += struct.pack("<I", 1) + b"door\0" + bytes(48) if version > 34 else b""
    out += bytes(-len(out) % 8) + key_values(b"packed", method=2) if version > 35 else b""
    out += struct.pack("<I", len(areas) + 1)
    for place, (number, each) in enumerate((*areas, (99, areas[0][1]))):
        hull = number == 99  # the same floor for larger bodies
        out += struct.pack("<IQB", number, 0, hull)
        if version > 30:
            out += struct.pack("<I", place % len(areas))
        else:
            out += struct.pack("<I", len(each)) + b"".join(struct.pack("<3f", *corner) for corner in each)
        out += struct.pack("<f", 0) + struct.pack("<3I", 1, 8, 2) + struct.pack("<I", 0) * (len(each) - 1)
        out += b"\1" + bytes(17) + struct.pack("<I", 0) + struct.pack("<3I", 1, 5, 0)
    return out


@pytest.mark.parametrize("version", [30, 31, 32, 35, 36])
def test_a_place_is_on_the_nearest_area_below(version: int) -> None:
    areas = list(read_areas(nav(FLOOR, ROOM, RAMP, version=version)))
    assert [(area.number, area.hull) for area in areas] == [(7, 0), (8, 0), (9, 0), (99, 1)]
    mesh = NavMesh(areas)
    assert [mesh.area_at(300, 100, z) for z in (0, 60, 190, 230, 400)] == [7, 7, 8, 8, None]
    assert [mesh.area_at(640, 256, z) for z in (20, 64, 150, 200)] == [None, 9, 9, None]
    assert mesh.area_at(100, 600, 0) is mesh.area_at(-1, 5, 0) is None


def test_damage_is_told() -> None:
    data = nav(FLOOR, RAMP, version=36)
    for end in range(len(data)):
        with pytest.raises(ReplayError):
            list(read_areas(data[:end]))
    for place in range(8, len(data), 3):
        with suppress(ReplayError):
            NavMesh(list(read_areas(data[:place] + b"\xff\xff" + data[place + 2 :]))).area_at(1, 1, 1)
    with pytest.raises(UnsupportedVersion):
        list(read_areas(nav(FLOOR, version=37)))


@pytest.mark.long
def test_places_of_a_table_have_their_areas(
    written: WrittenMatch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(installed.VARIABLE, str(tmp_path))
    replay = playhead.open(written.data)
    with pytest.raises(ValueError, match="no installed game has the nav mesh of"):
        replay.table("kills", areas=True)
    wide = (21, [(-8000, -4000, 0), (0, -4000, 0), (0, 4000, 0), (-8000, 4000, 0)])
    body = nav(wide, (22, [(0, -4000, 0), (4000, -4000, 0), (4000, 4000, 0), (0, 4000, 0)]))
    name = str(replay.info.map).encode()
    entry = struct.pack("<IHHIIH", zlib.crc32(body), 0, 0x7FFF, 0, len(body), 0xFFFF)
    tree = b"nav\0maps\0" + name + b"\0" + entry + b"\0\0\0"
    path = tmp_path / "steamapps/common" / APP / "maps" / f"{replay.info.map}.vpk"
    path.parent.mkdir(parents=True)
    path.write_bytes(struct.pack("<3I", 0x55AA1234, 1, len(tree)) + tree + body)
    kills = replay.table("kills", columns=["attacker_x", "victim_x"], areas=True)
    assert kills.column_names == [
        "attacker_x",
        "victim_x",
        "attacker_area_id",
        "victim_area_id",
        "assister_area_id",
    ]
    for row in kills.to_pylist():
        for role in ("attacker", "victim"):
            x = row[f"{role}_x"]
            assert row[f"{role}_area_id"] == (None if x is None else 21 if x < 0 else 22)
    with pytest.raises(ValueError, match="has no places"):
        replay.table("rounds", areas=True)
