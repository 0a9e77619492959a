"""Everything in the 2010 description of the beta's format is accessible, on real beta replays."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.opened import open_as

import playhead
from playhead.sc2.members.clock import GAME_SPEEDS
from playhead.sc2.members.metadata import read_load_info
from playhead.sc2.members.setting import RACES
from playhead.sc2.replay import Sc2Replay

#: The first replay in the description's examples, and one of the later betas.
FIRST = "0.9.0.14621/replay1.SC2Replay"
LATER = "0.13.0.15250/0.13.0.15250__0.13.0.15250.SC2Replay"


def open_sc2(corpus: Path, name: str) -> Sc2Replay:
    return open_as(Sc2Replay, corpus / "sc2" / name)


@pytest.fixture
def first(corpus: Path) -> Sc2Replay:
    return open_sc2(corpus, FIRST)


@pytest.fixture
def later(corpus: Path) -> Sc2Replay:
    return open_sc2(corpus, LATER)


def test_version_and_duration(first: Sc2Replay) -> None:
    header = first.recording.container.header
    assert header is not None
    assert (header.major, header.minor, header.revision, header.build) == (0, 9, 0, 14621)
    # `02 00 07 53 05`: the loops are 0x0753 * 8 + 5, and the 16-bit number of half seconds their eighth.
    assert bytes(first.recording.container.data[0x32:0x37]) == bytes.fromhex("0200075305")
    assert header.loops == 15_005
    assert header.loops >> 3 == int.from_bytes(first.recording.container.data[0x34:0x36], "big")
    assert first.info.duration_ticks == 15_005
    assert first.info.ticks_per_second == 16
    assert first.info.duration_seconds == pytest.approx(15_005 / 16)


def test_files_in_the_archive(first: Sc2Replay, later: Sc2Replay) -> None:
    names = [{row["member"] for row in replay.table("members").to_pylist()} for replay in (first, later)]
    streams = {f"replay.{name}.events" for name in ("game", "message", "smartcam", "sync")}
    assert names[0] == streams | {"replay.info", "save.jpg", "(listfile)", "(attributes)"}
    extra = {"replay.details", "replay.initData", "replay.attributes.events"}
    assert names[1] == streams | extra | {"(listfile)", "(attributes)"}
    assert first.recording.preview is not None
    assert first.recording.preview.startswith(b"\xff\xd8\xff")
    assert later.recording.preview is None


def test_replay_info(first: Sc2Replay) -> None:
    """Names with the five bytes after each, speed, cache, map, players with races and colours."""
    info = first.recording.replay_info
    assert info is not None
    users = [user for user in info.users if user.name]
    assert [user.name for user in users] == ["Valaraukador", "tehmasterer"]
    assert all(user.random_seed >= 0 and user.observe == 0 for user in users)
    assert all(user.race_preference is None or user.race_preference < len(RACES) for user in users)
    assert info.game_cache_name == "Dflt"
    assert GAME_SPEEDS[info.game_speed][0] == first.info.details["game_speed"] == "faster"
    assert len(info.map_file) == 75
    assert info.map_file.endswith(".s2ma")
    assert info.title == first.info.map
    assert info.map_size == (160, 168)
    assert all(len(handle) == 40 and handle.startswith(b"s2ma") for handle in info.cache_handles)
    assert [player.number for player in info.players] == [1, 2]
    assert [player.character for player in first.players] == [player.race for player in info.players]
    # Red and blue, the first two colours of the lobby.
    assert [player.color for player in info.players] == [(255, 180, 20, 30), (255, 0, 66, 255)]
    assert [player.details["color"] for player in first.players] == [[255, 180, 20, 30], [255, 0, 66, 255]]
    assert [slot.color for slot in info.slots] == [1, 2]
    assert all(slot.race is not None and RACES[slot.race] for slot in info.slots)
    assert [slot.difficulty for slot in info.slots] == [0, 0]
    assert [slot.handicap for slot in info.slots] == [100, 100]


def test_the_lobby_of_the_first_betas(first: Sc2Replay) -> None:
    assert first.recording.lobby is not None
    assert first.recording.lobby.game["m_mapSizeX"] == 160
    assert first.recording.lobby.game["m_modFileName"] == b""
    assert first.recording.lobby.state["m_hostUserId"] in (0, None)
    rows = first.table("slots").to_pylist()
    assert [(row["slot"], row["name"], row["player"], row["handicap"]) for row in rows] == [
        (0, "Valaraukador", 1, 100),
        (1, "tehmasterer", 2, 100),
    ]
    assert first.recording.players_by_user == {1: 1, 2: 2}


def test_serialised_details(later: Sc2Replay) -> None:
    """Every numbered field of the description: 0.n.0 to 0.n.8, and 1 to 12."""
    details = later.recording.details
    assert details is not None
    jinro, zpux = (player for player in details.players if not player.empty)
    assert (jinro.name, jinro.race, jinro.color) == ("Jinro", "Terran", (255, 180, 20, 30))
    # 0.n.1 is the account: region, program, realm and, only in betas, its name.
    toon = jinro.toon
    assert (toon.region, toon.program, toon.realm, toon.name) == (2, "S2", 1337, "Jinro#jinro")
    assert (jinro.control, jinro.team, jinro.handicap, jinro.observe, jinro.result) == (2, 1, 100, 0, 2)
    assert zpux.result == 1
    assert details.title == "Metalopolis"
    assert details.thumbnail == "Minimap.tga"
    assert details.is_blizzard_map
    assert str(details.ended) == "2010-05-08 16:06:46.656250+00:00"
    assert details.time_local_offset == 2 * 3600 * 10_000_000
    assert details.map_file.endswith(".s2ma")
    assert len(details.cache_handles) == 5
    assert (details.game_speed, details.default_difficulty) == (4, 2)


def test_attributes(later: Sc2Replay) -> None:
    found = {(row["attribute_id"], row["scope"]): row["code"] for row in later.table("attributes").to_pylist()}
    assert found[500, 1] == "Humn"
    assert found[3001, 1] == "Terr"
    assert found[3001, 2] == "Zerg"
    assert found[3000, 16].strip() == "4"  # speed, a number in the betas
    assert found[3004, 1].strip()  # difficulty


def test_events(first: Sc2Replay) -> None:
    """Abilities with their codes and targets, selections, groups, camera, chat, leaving."""
    commands = first.table("commands").to_pylist()
    assert len(commands) > 500
    assert {row["player"] for row in commands} == {1, 2}
    smart = [row for row in commands if row["ability_id"] is None]
    coded = [row for row in commands if row["ability_id"] is not None]
    assert smart
    assert coded
    assert all(row["ability_index"] is not None for row in coded)
    assert {row["target_kind"] for row in commands} >= {"none", "point", "unit"}
    assert "set" in first.table("control_groups")["action"].to_pylist()
    selections = first.table("selections").to_pylist()
    assert any(row["added_units"] for row in selections)
    size = first.recording.replay_info.map_size if first.recording.replay_info is not None else (0, 0)
    camera = first.table("camera").to_pylist()
    assert all(0 <= row["x"] <= size[0] and 0 <= row["y"] <= size[1] for row in camera if row["x"] is not None)
    chat = [(row["name"], row["text"]) for row in first.table("chat").to_pylist()]
    assert chat
    assert all(name in ("Valaraukador", "tehmasterer") and text for name, text in chat)
    last = first.table("game_events")["tick"].to_pylist()[-1]
    assert last <= 15_005


def test_control_groups(later: Sc2Replay) -> None:
    groups = later.table("control_groups").to_pylist()
    assert {row["action"] for row in groups} == {"set", "recall"}
    assert {row["group"] for row in groups} <= set(range(10))
    assert later.table("leaves").num_rows == 1


def test_one_check_a_loop(first: Sc2Replay) -> None:
    assert first.table("sync").num_rows == 15_005


def test_loading_screens(corpus: Path) -> None:
    """All replays with the member; in three it has more than a picture."""
    seen = texts = 0
    for path in sorted((corpus / "sc2").rglob("*.[sS][cC]2[rR]eplay")):
        replay = open_as(Sc2Replay, path)
        if (
            replay.recording.container.archive is None
            or "replay.load.info" not in replay.recording.container.archive
        ):
            continue
        seen += 1
        info = replay.recording.load_info
        assert info is not None, path.name
        assert not info.image or info.image.endswith((".dds", ".tga"))
        assert info.screen in ("", "BattleNet")
        texts += any(info.texts)
        with pytest.raises(playhead.ReplayError):
            read_load_info(replay.recording.container.read_member("replay.load.info")[:-1])
    assert (seen, texts) == (304, 2)
