"""Hostile files of maps beside a replay (`--map`), and recordings that load many saves in a simulation."""

from __future__ import annotations

import lzma
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from tests.hostile import attempts
from tests.samples.sc2.replay import sample_bytes
from tests.teehistorian.physics.written_games import write_map

import playhead
from playhead.blizzard.mpq.compression import ZLIB
from playhead.blizzard.mpq.writer import NewMember, write_archive
from playhead.sc2.members.map_file import CLIFFS, MAP_INFO, OBJECTS, strings_name
from playhead.teehistorian.stream.extensions import LoadSuccess, PlayerName
from playhead.teehistorian.stream.messages import Finish, Join
from playhead.teehistorian.writing.writer import TeehistorianWriter

_ENTITIES = f'<!DOCTYPE a [<!ENTITY b "{"x" * 50_000}">]><a>{"&b;" * 50_000}</a>'
_STRINGS = strings_name("enUS")

#: The member that is hostile, its content, and the problem that the map has.
MEMBERS: Mapping[str, tuple[str, Callable[[], bytes], str]] = {
    "elements": (OBJECTS, lambda: b"<a>" + b"<a/>" * (3 << 20) + b"</a>", "at most 8388608 bytes"),
    "nested": (OBJECTS, lambda: b"<a>" * (1 << 20) + b"</a>" * (1 << 20), ""),
    "attributes": (OBJECTS, lambda: b"<a>" + b"<a b=''/>" * 900_000 + b"</a>", ""),
    "entities": (OBJECTS, lambda: _ENTITIES.encode(), "without a document type"),
    "entities_utf16": (
        OBJECTS,
        lambda: f'<?xml version="1.0" encoding="utf-16"?>{_ENTITIES}'.encode("utf-16"),
        "without a document type",
    ),
    "nowhere": (OBJECTS, lambda: b'<a><ObjectPoint Type="StartLoc" Position="nan,1,0"/></a>', "on the map"),
    "far": (OBJECTS, lambda: b'<a><ObjectUnit UnitType="Geyser" Position="1e308,-inf,0"/></a>', "on the map"),
    "lines": (_STRINGS, lambda: b"\n" * (12 << 20), "at most 8388608 bytes"),
    "sides": (
        CLIFFS,
        lambda: b"CLIF" + struct.pack("<3I", 1, 0xFFFFFFFF, 1) + bytes(16),
        "expected sides of 1 to",
    ),
}


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.stepped
@pytest.mark.parametrize("name", MEMBERS)
def test_members_of_a_map_are_bounded(name: str, tmp_path: Path) -> None:
    member, content, problem = MEMBERS[name]
    path, replay = tmp_path / "hostile.SC2Map", tmp_path / "game.SC2Replay"
    members = [NewMember(MAP_INFO, b"MapI"), NewMember(member, content(), method=ZLIB)]
    path.write_bytes(write_archive(members, b""))
    replay.write_bytes(sample_bytes())
    found = attempts.program(
        f"""
        import playhead
        print(*playhead.open({str(replay)!r}).read_map({str(path)!r}).problems, sep="|")
        """
    )
    assert attempts.kept_within(found, 1 << 30)
    assert problem in found.out
    attempts.command("report", replay, "--map", path, "-o", tmp_path / "report.html")


def server(tmp_path: Path, tees: int) -> TeehistorianWriter:
    """Return a recording of some tees, and write its map."""
    header = {"version": "2", "version_minor": "22", "map_name": "floor"}
    writer = TeehistorianWriter({**header, "map_sha256": write_map(tmp_path / "floor.map")})
    for cid in range(tees):
        writer.record(Join(cid))
    for tick in (1, 2):
        writer.set_tick(tick)
        for cid in range(tees):
            writer.tee_at(cid, 400, 100)
    return writer


@pytest.mark.slow_interpreted
def test_ticks_of_a_small_recording_have_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from playhead.teehistorian.physics import simulation

    monkeypatch.setattr(simulation, "_FREE_ROWS", 10_000)
    monkeypatch.setattr(simulation, "_ROWS_FOR_BYTE", 1)
    data = server(tmp_path, 64).to_bytes() + b"\x41\x00" * 300
    path = tmp_path / "ticks.teehistorian.xz"
    path.write_bytes(lzma.compress(data))
    with pytest.raises(playhead.LimitExceeded, match="small compressed recording"):
        playhead.open(path).simulate(tmp_path).table()
    with ZipFile(tmp_path / "ticks.zip", "w", ZIP_DEFLATED) as pack:
        pack.writestr("ticks.teehistorian", data)
    with pytest.raises(playhead.LimitExceeded, match="small compressed recording"):
        playhead.open(f"{tmp_path}/ticks.zip::ticks.teehistorian").simulate(tmp_path).table()
    assert len(playhead.open(data).simulate(tmp_path).table()) > 64 * 300


@pytest.mark.slow_interpreted
def test_places_of_shots_have_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from playhead.teehistorian.physics import scenes, simulation

    monkeypatch.setattr(scenes, "MOST_SHOTS", 200)
    monkeypatch.setattr(scenes, "_ROWS", 8)
    monkeypatch.setattr(simulation, "_STRETCH", 16)
    writer = server(tmp_path, 1)
    for tick in range(3, 200):
        writer.set_tick(tick)
        writer.set_input(0, (0, 100, -100, 0, 2 * tick + 1, 0, 0, 2, 0, 0))
    found = scenes.Scenes(playhead.open(writer.to_bytes()).simulate(tmp_path))
    found.until(1000)
    assert found.ended
    shots = list(found.shots(0, 200))
    assert 0 < len(shots) <= 200
    assert 0 < len(list(found.shots(0, 200, 5))) < len(shots) / 3


@pytest.mark.slow_interpreted
def test_loaded_saves_have_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    from playhead.teehistorian.physics.rerun import message_effects

    if step > 1:
        monkeypatch.setattr(message_effects, "_SAVE_LINES", message_effects._SAVE_LINES // 16)
    header = {"version": "2", "version_minor": "22", "map_name": "floor"}
    writer = TeehistorianWriter({**header, "map_sha256": write_map(tmp_path / "floor.map")})
    for cid in range(64):
        writer.record(Join(cid))
        writer.record(PlayerName(cid, str(cid)))
    for tick in (200, 201):
        writer.set_tick(tick)
        for cid in range(64):
            writer.tee_at(cid, 400, 100)
    before = len(writer.to_bytes())
    line = "\t".join({46: "400", 47: "100"}.get(place, "0") for place in range(68))
    writer.record(LoadSuccess(3, UUID(int=9), "\n".join(["2\t128\t1", *[line] * 128])))
    data = writer.to_bytes()
    writer.record(Finish())
    path = tmp_path / "saves.teehistorian.xz"
    loads = data[before:] * (1500 if step == 1 else 100)
    path.write_bytes(lzma.compress(data + loads + writer.to_bytes()[len(data) :]))
    with pytest.raises(playhead.LimitExceeded, match="loaded saves"):
        playhead.open(path).simulate(tmp_path).table()
    if step == 1:
        assert "loaded saves" in attempts.command("simulate", path, "--maps", tmp_path).err
