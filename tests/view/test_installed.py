"""The map among the files of installed games: made games in made folders."""

from __future__ import annotations

import hashlib
import io
import os
import re
import struct
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.cli.in_process import run as run_playhead
from tests.samples import teehistorian
from tests.samples.sc2 import replay as sc2_sample
from tests.teehistorian.physics.made_map import write_made_map
from tests.view.test_picture import MAP_INFO, picture

import playhead
from playhead.blizzard.mpq.writer import NewMember, write_archive
from playhead.cs2 import presentation as cs2
from playhead.deadlock import presentation as deadlock
from playhead.deadlock.sources.names import HEROES, picture_name
from playhead.dota2 import presentation as dota2
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, UnsupportedVersion
from playhead.presentation import installed
from playhead.presentation.picture import DRAWN
from playhead.source2.game_files.texture import decompress, read_texture
from playhead.source2.game_files.vpk import Vpk
from playhead.view.map import pictures
from playhead.view.match import MapFile, Match

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


@pytest.fixture
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which games keep files."""
    monkeypatch.setenv(installed.VARIABLE, str(tmp_path))
    return tmp_path


def literals(data: bytes) -> bytes:
    """Return a block of LZ4 without matches."""
    more, rest = divmod(len(data) - 15, 255)
    return b"\xf0" + b"\xff" * more + bytes([rest]) + data


def texture(data: bytes, size: tuple[int, int], format: int, compressed: bool = False) -> bytes:
    """Return a compiled texture with one level."""
    extras = struct.pack("<3I", 4, 8, 0) + struct.pack("<4I", 1, 8, 1, len(data)) if compressed else b""
    body = struct.pack("<2H4f3H2BI2I", 1, 0, 0, 0, 0, 0, *size, 1, format, 1, 0, 8, bool(extras)) + extras
    head = struct.pack("<I2H2I", 28 + len(body), 12, 1, 8, 1) + b"DATA" + struct.pack("<2I", 8, len(body))
    return head + body + data


def pack(path: Path, files: Mapping[str, bytes], archive: int = 0x7FFF) -> None:
    """Write a pack of version 2; with `archive`, the data is in another file."""
    tree, data = b"", b""
    for name, body in files.items():
        folder, _, file = name.rpartition("/")
        stem, _, extension = file.rpartition(".")
        entry = struct.pack("<IHHIIH", zlib.crc32(body), 2, archive, len(data), len(body) - 2, 0xFFFF)
        tree += (
            b"\0".join(part.encode() for part in (extension, folder, stem)) + b"\0" + entry + body[:2] + b"\0\0"
        )
        data += body[2:]
    tree += b"\0"
    path.parent.mkdir(parents=True, exist_ok=True)
    inside = data if archive == 0x7FFF else b""
    path.write_bytes(struct.pack("<7I", 0x55AA1234, 2, len(tree), len(inside), 0, 0, 0) + tree + inside)
    if archive != 0x7FFF:
        path.with_name(f"pak01_{archive:03d}.vpk").write_bytes(data)


def overview(material: str = "x", left: float = -2000.0, high: float = 3000.0, scale: float = 4.0) -> bytes:
    lines = (
        f'"material"\t"{material}" // "pos_x" "1"',
        f'"pos_x"\t"{left}"',
        f"pos_y {high}",
        f'"scale" "{scale}"',
    )
    return ('"x"\n{\n' + "\n".join(lines) + "\n}").encode()


def colour(found: Any, x: int, y: int) -> tuple[int, ...]:
    return tuple(Image.open(io.BytesIO(found.data)).convert("RGB").getpixel((x, y)))


RED, BLUE = bytes((255, 0, 0, 255)), bytes((0, 0, 255, 255))


@pytest.fixture
def cached(games: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The map of the sample of StarCraft II in a cache."""
    members = {"MapInfo": MAP_INFO, "Minimap.tga": picture("TGA", 8, 8)}
    data = write_archive([NewMember(name, body) for name, body in members.items()], b"")
    sha256 = hashlib.sha256(data).hexdigest()
    handles = (b"s2ma\0\0EU" + bytes.fromhex(sha256),)
    monkeypatch.setattr(sc2_sample, "DETAILS", replace(sc2_sample.DETAILS, cache_handles=handles))
    path = games / sha256[:2] / sha256[2:4] / f"{sha256}.s2ma"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    return path


def test_battle_nets_cache(cached: Path) -> None:
    replay = playhead.open(sc2_sample.sample_bytes())
    said: list[str] = []
    found = Match(replay, said=said.append).ground()["picture"]
    assert found["source"] == f"the map in Battle.net's cache: {cached}"
    assert found["bounds"] == [3, 173, 54 - 85, 54 + 85]
    assert said == [f"{Path(str(replay.name)).name}: ground from the map in Battle.net's cache, {cached}"]
    assert Match(replay, MapFile(None)).ground()["picture"]["source"] == DRAWN, "turned off"
    cached.write_bytes(cached.read_bytes()[:-1] + b"?")
    assert "its SHA-256 is not its name" in Match(replay).ground()["picture_error"]


def test_a_report_says_the_file_and_holds_its_name_alone(cached: Path, tmp_path: Path) -> None:
    recording, page = tmp_path / "a.SC2Replay", tmp_path / "a.html"
    recording.write_bytes(sc2_sample.sample_bytes())
    said = f"ground from the map in Battle.net's cache, {cached}"
    assert said in run_playhead("report", recording, "-o", page).stderr
    shown = Match(playhead.open(recording), most_picture=1 << 20).ground()["picture"]["source"]
    assert shown == f"the map in Battle.net's cache: {cached.name}"
    assert "ground" not in run_playhead("report", recording, "-o", page, "--no-game-files", "--force").stderr


@pytest.mark.parametrize(
    "name", ["downloadedmaps/M_{sha256}.map", "downloadedmaps/M_{crc}.map", "data/maps/M.map"]
)
def test_ddnets_maps(games: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    sha256 = write_made_map(tmp_path / "made.map")
    data = (tmp_path / "made.map").read_bytes()
    sums = {"sha256": sha256, "crc": f"{zlib.crc32(data):08x}"}
    header = {**teehistorian._HEADER, "map_name": "M", "map_sha256": sums["sha256"], "map_crc": sums["crc"]}
    monkeypatch.setattr(teehistorian, "_HEADER", header)
    replay = playhead.open(teehistorian.sample_bytes())
    path = games / name.format(**sums)
    path.parent.mkdir(parents=True)
    path.write_bytes(data + b"another")
    assert replay.presentation.map.installed(replay) is None, "another map of that name"
    path.write_bytes(data)
    found = replay.presentation.map.installed(replay)
    assert found is not None
    assert found.file == str(path)


@pytest.mark.parametrize("kind", ["teehistorian", "sc2"])
def test_a_map_beside_the_recording_is_taken_if_its_hash_is_right(
    kind: str, cached: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    if kind == "sc2":
        beside, data = folder / "Any Name.SC2Map", cached.read_bytes()
        cached.unlink()
        recording, content = folder / "a.SC2Replay", sc2_sample.sample_bytes()
    else:
        beside = folder / "any name.map"
        sha256 = write_made_map(beside)
        data = beside.read_bytes()
        header = {**teehistorian._HEADER, "map_name": "M", "map_sha256": sha256, "map_size": str(len(data))}
        monkeypatch.setattr(teehistorian, "_HEADER", header)
        recording, content = folder / "a.teehistorian", teehistorian.sample_bytes()
    recording.write_bytes(content)
    beside.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    replay = playhead.open(recording)
    assert replay.presentation.map.installed(replay) is None, "another map"
    beside.write_bytes(data)
    found = replay.presentation.map.installed(replay)
    assert found is not None
    assert (found.file, found.source.split()[:3]) == (str(beside), ["the", "map", "beside"])
    if kind == "teehistorian":
        assert ("#6b7486", "wall") in found.legend
        assert Match(replay).ground()["picture"]["legend"]


def test_a_name_of_a_map_is_no_path(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_made_map(games / "secret.map")
    (games / "maps").mkdir()
    for name in ("../secret", "C:secret", "..", "", "a\0b"):
        monkeypatch.setattr(teehistorian, "_HEADER", {**teehistorian._HEADER, "map_name": name})
        replay = playhead.open(teehistorian.sample_bytes())
        assert replay.presentation.map.installed(replay) is None


def of_map(map_name: str) -> Any:
    facts = SimpleNamespace(map=map_name)
    return SimpleNamespace(brief_info=facts, info=facts)


def install(games: Path, app: str, files: Mapping[str, bytes], archive: int = 0x7FFF) -> Path:
    """Install a game in another library of Steam."""
    library = games / "library"
    (games / "steamapps").mkdir()
    escaped = str(library).replace("\\", "\\\\")
    text = f'"libraryfolders"\n{{ "0" {{ "path"  "{escaped}" }} }}'
    (games / "steamapps" / "libraryfolders.vdf").write_text(text, encoding="utf-8")
    path = library / "steamapps" / "common" / app / "pak01_dir.vpk"
    pack(path, files, archive)
    return path


def test_the_levels_of_an_installed_radar(games: Path) -> None:
    """A compressed picture in an archive, red above and blue for the lower level of Nuke, one picture below."""
    radars = "panorama/images/overheadmaps/de_nuke"
    size = (8, 8)
    blue_first = bytes((RED[2], RED[1], RED[0], RED[3])) * 64
    files = {
        f"{radars}_radar_psd.vtex_c": texture(literals(blue_first), size, 28, compressed=True),
        f"{radars}_lower_radar_psd.vtex_c": texture(BLUE * 64, size, 4),
        "resource/overviews/de_nuke.txt": overview(left=-3453, high=2887, scale=7),
        "resource/other/de_nuke.txt": b"nothing",
    }
    path = install(games, "Counter-Strike Global Offensive/game/csgo", files, archive=3)
    found = cs2.installed(of_map("maps/de_nuke"))
    assert found is not None
    assert found.file == str(path)
    assert found.bounds == (-3453, -3453 + 7168, 2887 - 2 * 7168, 2887)
    assert colour(found, 4, 4) == (255, 0, 0)
    assert colour(found, 4, 12) == (0, 0, 255)
    assert cs2.installed(of_map("de_dust2")) is None


def test_dotas_minimap_is_that_of_its_material(games: Path) -> None:
    other = texture(BLUE * 16, (4, 4), 4)
    files = {
        "resource/overviews/dota.txt": overview("materials/overviews/dota.vmat", -9472, 9472, 18.5),
        "materials/overviews/dota.vmat_c": b"\0RERL\0materials/overviews/dota_tga_d8178876.vtex\0",
        "materials/overviews/dota_old_psd_12345678.vtex_c": other,
        "materials/overviews/dota_tga_d8178876.vtex_c": texture(RED * 16, (4, 4), 4),
    }
    install(games, "dota 2 beta/game/dota", files)
    found = dota2.installed(of_map("start"))
    assert found is not None
    assert dota2.installed(of_map("dota3v3")) is None, "a custom game"
    assert found.bounds == (-9472, 9472, -9472, 9472)
    assert colour(found, 1, 1) == (255, 0, 0)


def of_heroes(*heroes: str | None) -> Any:
    return SimpleNamespace(players=[SimpleNamespace(character=hero) for hero in heroes])


def test_faces_are_the_squares_of_heroes_pictures(games: Path) -> None:
    """A picture of 8 x 4: red at both sides, blue in the middle; another is damaged, a third hero has none."""
    row = RED * 2 + BLUE * 4 + RED * 2
    name = "panorama/images/heroes/npc_dota_hero_{}_png.vtex_c".format
    files = {name("axe"): texture(row * 4, (8, 4), 4), name("lina"): b"no texture"}
    install(games, "dota 2 beta/game/dota", files)
    heroes = [f"npc_dota_hero_{hero}" for hero in ("axe", "lina", "pudge")]
    found = dota2.pictures(of_heroes(*heroes, None))
    assert set(found) == {"Axe"}
    image = Image.open(io.BytesIO(found["Axe"])).convert("RGB")
    assert image.size == (76, 76)
    assert image.getpixel((38, 38)) == (0, 0, 255)
    red, _, blue = image.getpixel((2, 38))
    assert blue > red, "the sides are cut"


def test_heroes_of_deadlock_have_pictures_of_other_names(games: Path) -> None:
    name = "panorama/images/heroes/{}.vtex_c".format
    stems = ("spectre_sm_psd", "hornet_sm_png", "haze_sm_psd", "targetdummy_sm_psd")
    files = {name(stem): texture(BLUE * 16, (4, 4), 4) for stem in stems}
    install(games, "Deadlock/game/citadel", files)
    found = deadlock.pictures(of_heroes("Lady Geist", "Vindicta", "Haze", "Target Dummy", "Abrams"))
    assert set(found) == {"Lady Geist", "Vindicta", "Haze", "Target Dummy"}
    assert {picture_name(hero) for hero in HEROES.values()} >= {"bull", "digger", "unicorn", "viscous"}


def graphic(text: bytes) -> bytes:
    """Return a compiled vector graphic: a checksum, the number of its names, one of them, the text."""
    body = struct.pack("<IH", zlib.crc32(text), 1) + b"a name\0" + bytes(8) + text
    return struct.pack("<I2H2I", 28 + len(body), 12, 0, 8, 1) + b"DATA" + struct.pack("<2I", 8, len(body)) + body


UNSAFE = b"""<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 64 32"
 onload="alert(1)"><style>.a{fill:#FFF}</style><style>@import "http://elsewhere";</style>
<path class="a" d="M0 0h64v32z" style="fill:url(#b)" fill="url(http://elsewhere)"/><script>alert(1)</script>
<foreignObject><path d="M1 1"/></foreignObject><image xlink:href="http://elsewhere"/><text>words</text>
<g fill="url( //elsewhere )" stroke="\\75rl(x)"><rect width="3" onclick="alert(1)"/></g></svg>"""


def test_icons_of_weapons_are_shapes_alone(games: Path) -> None:
    """Of two files of knives the first counts; one icon is not XML, one has an entity, one is too deep."""
    name = "panorama/images/icons/equipment/{}.vsvg_c".format
    plain = b'<svg><path d="M0 0"/></svg>'
    files = {
        name("ak47"): graphic(UNSAFE),
        name("knife"): graphic(plain),
        name("knife_t"): graphic(b"<svg></svg>"),
        name("awp"): graphic(b"<svg><path></svg>"),
        name("aug"): graphic(b"<svg>&a;</svg>"),
        name("p90"): graphic(b"<svg>" + b"<g>" * 40 + b"</g>" * 40 + b"</svg>"),
        name("nova"): graphic(b"words"),
        name("mp7"): b"cut",
    }
    install(games, "Counter-Strike Global Offensive/game/csgo", files)
    found = cs2.pictures(None)
    assert set(found) == {"AK-47", "Knife"}
    assert found["Knife"] == b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"></path></svg>'
    assert re.sub(rb"\s+", b" ", found["AK-47"]) == (
        b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 32"><style>.a{fill:#FFF}</style><style></style>'
        b'<path class="a" d="M0 0h64v32z" style="fill:url(#b)"></path><g><rect width="3"></rect></g></svg>'
    )
    page = pictures(SimpleNamespace(presentation=cs2.PRESENTATION))
    assert page["Knife"].startswith("data:image/svg+xml;base64,PHN2Zy")
    assert cs2.known_title("weapon_knife_karambit") == "Knife"


@pytest.mark.parametrize("place", ["minimap_midtown_mid_psd", "minimap_midtown_mid_psd_dd4bcbf9"])
def test_deadlocks_minimap_covers_the_bounds_of_the_recording(games: Path, place: str) -> None:
    """The picture is black; its alpha has the shapes: nothing, a block, a street."""
    black = [bytes((9, 9, 9, alpha)) for alpha in (0, 110, 205, 205)]
    name = f"panorama/images/minimap/base/{place}.vtex"
    files = {
        "materials/minimap/dl_midtown.vmat_c": b"\0RERL\0" + name.encode() + b"\0",
        f"{name}_c": texture(b"".join(black) * 4, (4, 4), 4),
    }
    install(games, "Deadlock/game/citadel", files)
    row = {f"minimap_{end}_{axis}": side for end, side in (("min", -10752), ("max", 10752)) for axis in "xy"}
    rows = SimpleNamespace(to_pylist=lambda: [row])
    replay: Any = SimpleNamespace(**vars(of_map("dl_midtown")), table=lambda name: rows)
    found = deadlock.installed(replay)
    assert found is not None
    assert found.bounds == (-10752, 10752, -10752, 10752)
    image = Image.open(io.BytesIO(found.data)).convert("RGBA")
    nothing, block, street = (image.getpixel((x, 0)) for x in range(3))
    assert (nothing[3], block[3], street[3]) == (0, 255, 255)
    assert block[0] > street[0] + 40 > 90
    replay.info.map = "street_test"
    assert deadlock.installed(replay) is None


def test_a_damaged_game_is_told(games: Path) -> None:
    files = {
        "resource/overviews/de_x.txt": overview(),
        "panorama/images/overheadmaps/de_x_radar_psd.vtex_c": b"no",
    }
    path = install(games, "Counter-Strike Global Offensive/game/csgo", files)
    with pytest.raises(ReplayError):
        cs2.installed(of_map("de_x"))
    whole = path.read_bytes()
    for end in range(0, len(whole), 7):
        path.write_bytes(whole[:end])
        with pytest.raises(ReplayError):
            cs2.installed(of_map("de_x"))
    for place in range(12, len(whole), 3):
        path.write_bytes(whole[:place] + b"\xff" + whole[place + 1 :])
        with suppress(ReplayError, OSError):
            cs2.installed(of_map("de_x"))
    path.write_bytes(struct.pack("<7I", 0x55AA1234, 2, 0xFFFFFFFF, 0, 0, 0, 0))
    with pytest.raises(LimitExceeded):
        Vpk(path, ())
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(OSError, match="not an ordinary file"):
        Vpk(path, ())


@pytest.mark.parametrize("scale", [0.0, -1.0, 1e30, float("nan")])
def test_an_overview_has_a_place(games: Path, scale: float) -> None:
    install(
        games, "Counter-Strike Global Offensive/game/csgo", {"resource/overviews/de_x.txt": overview(scale=scale)}
    )
    with pytest.raises(CorruptReplay):
        cs2.installed(of_map("de_x"))


@pytest.mark.parametrize(("format", "name"), [(1, "DXT1"), (2, "DXT5")])
def test_textures_of_blocks(format: int, name: str) -> None:
    out = io.BytesIO()
    Image.new("RGBA", (8, 4), (255, 0, 0, 255)).save(out, "DDS", pixel_format=name)
    found = read_texture(texture(out.getvalue()[128:], (8, 4), format), "x")
    assert found.size == (8, 4)
    assert found.getpixel((5, 2)) == (255, 0, 0, 255)


def test_a_texture_of_bc7_and_one_of_a_png() -> None:
    solid = ((1 << 6) | (0x7F << 7) | (0x7F << 14) | (0x7F << 49) | (0x7F << 56) | (3 << 63)).to_bytes(
        16, "little"
    )
    red = read_texture(texture(solid, (4, 4), 20), "x").getpixel((0, 0))  # mode 6: both ends are red
    assert (red[0], red[1] < 3, red[2] < 3, red[3]) == (255, True, True, 255)
    assert read_texture(texture(picture("PNG", 5, 6), (5, 6), 16), "x").size == (5, 6)


def test_textures_that_are_none() -> None:
    good = texture(RED * 16, (4, 4), 4)
    for data in (b"", good[:20], good[:60], good.replace(b"DATA", b"RERL"), texture(RED, (4, 4), 4)[:64]):
        with pytest.raises(CorruptReplay):
            read_texture(data, "x")
    with pytest.raises(LimitExceeded):
        read_texture(texture(b"", (65535, 65535), 4), "x")
    with pytest.raises(UnsupportedVersion):
        read_texture(texture(b"", (4, 4), 8), "x")


def test_lz4_has_matches_that_overlap() -> None:
    assert decompress(b"\x14ab"[:2] + b"\x01\x00" + b"\x50hello", 14) == b"a" * 9 + b"hello"
    assert decompress(b"\x3fabc\x03\x00\x01" + b"\x00", 23) == (b"abc" * 8)[:23]
    for data in (b"\x14a\x00\x00", b"\x14a\x02\x00", b"\x1fa\x01\x00\xff\xff\xff", b"\xf0\xff", b"\x10"):
        with pytest.raises(CorruptReplay):
            decompress(data, 14)


def test_folders_by_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(installed.VARIABLE, raising=False)
    monkeypatch.setattr(installed.sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    cache = tmp_path / "Games" / "battlenet" / "drive_c" / "ProgramData/Blizzard Entertainment/Battle.net/Cache"
    for path in (cache, tmp_path / ".local/share/ddnet", tmp_path / ".steam/steam"):
        path.mkdir(parents=True)
    assert installed.folders("Battle.net's cache") == [cache]
    assert installed.folders("DDNet")[0] == tmp_path / ".local/share/ddnet"
    assert installed.folders("Steam") == [tmp_path / ".steam/steam"]
    monkeypatch.setattr(installed, "steam_of_windows", lambda: str(tmp_path / "Steam"))
    monkeypatch.setattr(installed.sys, "platform", "win32")
    monkeypatch.setenv("PROGRAMDATA", str(tmp_path))
    monkeypatch.delenv("APPDATA", raising=False)
    windows = tmp_path / "Blizzard Entertainment/Battle.net/Cache"
    windows.mkdir(parents=True)
    (tmp_path / "Steam").mkdir()
    assert installed.folders("Battle.net's cache") == [windows]
    assert installed.folders("DDNet") == []
    assert installed.folders("Steam") == [tmp_path / "Steam"]
    monkeypatch.setenv(installed.VARIABLE, "off")
    assert installed.folders("Battle.net's cache") == []
    monkeypatch.setenv(installed.VARIABLE, os.pathsep.join((str(tmp_path / "missing"), str(cache))))
    assert installed.folders("Steam") == [cache]
