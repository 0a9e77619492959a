"""Real StarCraft II replays, first beta to today: agreement with the list of the corpus and with other readers."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.opened import open_as
from tests.real.sc2_index import sc2_rows
from tests.samples.blizzard import write_details, write_header

import playhead
from playhead.blizzard.members.details import read_details
from playhead.blizzard.members.header import read_header
from playhead.blizzard.mpq import UserData
from playhead.errors import ReplayError
from playhead.sc2.recording.game import STARCRAFT2
from playhead.sc2.replay import Sc2Replay

#: Every problem of the whole corpus: file, place, beginning of the text.
EXPECTED_PROBLEMS = {
    # Tracker stream overwritten with noise, to test another reader's error path.
    ("5.0.10.88500/testError.SC2Replay", "replay.tracker.events", "expected the tag of a value, 0 to 9, found 80"),
    # An archive without a single member, made for the same purpose.
    (
        "5.0.10.88500/testError2.SC2Replay",
        "archive",
        "expected entries in the block table, found an empty archive",
    ),
    # A repair tool for regional patches shortened the text and left the declared size.
    (
        "5.0.15.96828/test_fix_A_base_only.SC2Replay",
        "replay.gamemetadata.json",
        "expected 631 bytes unpacked, but the zlib data ends after 621",
    ),
}

INCOMPLETE = {"5.0.10.88500/testError2.SC2Replay"}


@pytest.fixture
def sc2(corpus: Path) -> Path:
    return corpus / "sc2"


def open_sc2(path: Path) -> Sc2Replay:
    return open_as(Sc2Replay, path)


def replays(folder: Path, step: int = 1) -> Iterator[tuple[dict[str, str], Sc2Replay]]:
    for row in sc2_rows(folder)[::step]:
        yield row, open_sc2(folder / row["file"])


@pytest.mark.slow_interpreted
def test_every_file_equals_its_entry_in_the_list(sc2: Path, step: int) -> None:
    assert len(sc2_rows(sc2)) == 330
    problems = set()
    incomplete = set()
    taken = {row["file"] for row in sc2_rows(sc2)[::step]}
    for row, replay in replays(sc2, step):
        info = replay.info
        assert info.version == row["version"], row["file"]
        assert (info.build, info.duration_ticks) == (int(row["base_build"]), int(row["loops"])), row["file"]
        problems |= {(row["file"], problem.where, problem.what) for problem in replay.problems}
        if not info.complete:
            incomplete.add(row["file"])
    assert problems == {each for each in EXPECTED_PROBLEMS if each[0] in taken}
    assert incomplete == INCOMPLETE & taken


@pytest.mark.slow_interpreted
def test_every_block_has_a_known_name(sc2: Path, step: int) -> None:
    compressions: set[str | None] = set()
    for row, replay in replays(sc2, step):
        if row["file"] in INCOMPLETE:
            continue
        for member in replay.table("members").to_pylist():
            assert member["member"] or member["deleted"], row["file"]
            compressions.add(member["compression"])
    assert compressions == {"bzip2", "zlib", "stored", None}


def test_an_encrypted_listfile_is_read(sc2: Path) -> None:
    replay = open_sc2(sc2 / "1.1.3.16939/1.1.3.16939__11.SC2Replay")
    listfile = next(m for m in replay.table("members").to_pylist() if m["member"] == "(listfile)")
    assert listfile["encrypted"]
    assert b"replay.details" in replay.recording.container.read_member("(listfile)")
    assert replay.problems == ()


def test_header_and_details_are_written_back_byte_for_byte(sc2: Path) -> None:
    headers = details = 0
    for _, replay in replays(sc2):
        if (
            replay.recording.container.header is not None
            and replay.recording.container.header.ngdp_root_key_is_dev_data is not None
        ):
            content = UserData.read(replay.source.data).content
            assert write_header(read_header(content, STARCRAFT2)) == content
            headers += 1
        for name in ("replay.details", "replay.details.backup"):
            if replay.recording.container.archive is not None and name in replay.recording.container.archive:
                data = replay.recording.container.archive.read(name)
                decoded = read_details(data)
                if decoded.disable_recover_game is not None:
                    assert write_details(decoded) == data
                    details += 1
    assert (headers, details) == (122, 232)


def test_names_carry_no_markup(sc2: Path) -> None:
    clans = set()
    for _, replay in replays(sc2):
        for player in replay.recording.details.players if replay.recording.details is not None else ():
            assert "<" not in player.name
            marked = "<sp/>" in player.marked_name or player.marked_name.startswith("[")
            assert (player.clan is not None) == marked, player.marked_name
            if player.clan is not None:
                clans.add(player.marked_name[0])
    assert clans == {"[", "<", "&"}


def test_all_first_betas_have_players_and_a_map(sc2: Path) -> None:
    seen = 0
    for row, replay in replays(sc2):
        if row["tags"] != "wol-beta-v1":
            continue
        seen += 1
        assert replay.recording.details is None
        assert replay.recording.replay_info is not None
        assert replay.info.map
        assert replay.info.winner_name is replay.info.end_time is None
        assert len(replay.players) >= 2
        for player in replay.players:
            assert player.kind == ("human" if player.player is not None else "referee")
            if player.player is None:
                continue
            assert player.character
            assert player.team is not None
    assert seen == 21


def test_a_beta_with_observers(sc2: Path) -> None:
    found = [replay for row, replay in replays(sc2) if row["version"] == "0.6.0.14259"]
    watched = next(replay for replay in found if len(replay.players) > 2)
    facts = [(p.player, p.kind, p.team, p.details.get("race")) for p in watched.players]
    assert facts == [(1, "human", 0, "Terran"), (2, "human", 1, "Protoss"), *[(None, "referee", None, None)] * 5]


def test_a_later_beta(sc2: Path) -> None:
    replay = open_sc2(sc2 / "0.13.0.15250/0.13.0.15250__0.13.0.15250.SC2Replay")
    assert [(p.player, p.name, p.team, p.result, p.kind, p.account) for p in replay.players] == [
        (1, "Jinro", 0, "loss", "human", "2-S2-1337-Jinro#jinro"),
        (2, "ZpuX", 1, "win", "human", "2-S2-1337-ZpuX#unique"),
    ]
    assert replay.info.winner_name == "ZpuX"
    assert str(replay.info.end_time) == "2010-05-08 16:06:46.656250+00:00"
    assert replay.info.ticks_per_second == 16


def test_clocks(sc2: Path) -> None:
    for row, replay in replays(sc2, 5):
        major = int(row["version"].split(".")[0])
        if major < 2:
            assert replay.info.ticks_per_second == 16
        elif (
            major == 5
            and replay.recording.container.header is not None
            and replay.recording.container.header.use_scaled_time
        ):
            assert replay.info.ticks_per_second == 22.4
    coop = open_sc2(sc2 / "4.2.1.62848/kerrigan.SC2Replay")
    assert coop.info.ticks_per_second == 16


def test_the_metadata_counts_normal_seconds(sc2: Path) -> None:
    """True in every replay, with scaled clock or not; a peer's notes contradict."""
    compared = 0
    for row, replay in replays(sc2):
        if (
            replay.recording.metadata is not None
            and replay.recording.metadata.duration
            and replay.recording.container.header is not None
        ):
            assert abs(replay.recording.container.header.loops / 16 - replay.recording.metadata.duration) < 6, row[
                "file"
            ]
            compared += 1
    assert compared > 100


def test_metadata_belongs_to_the_same_player(sc2: Path) -> None:
    races = {"Terran": "Terr", "Zerg": "Zerg", "Protoss": "Prot"}
    compared = mixed = 0
    for _, replay in replays(sc2):
        for player in replay.players:
            assigned = player.details.get("assigned_race")
            if assigned and player.character in races:
                compared += 1
                mixed += races[player.character][:3] != assigned[:3]  # TerT is Terran Tychus
    assert compared > 200
    assert mixed == 0


def test_an_anonymised_pack_has_players_without_names(sc2: Path) -> None:
    seen = 0
    for row, replay in replays(sc2):
        if row["tags"] == "anonymised-pack" and row["version"] == "3.16.1.55958":
            seen += 1
            assert replay.info.details["details_member"] == "replay.details.backup"
            assert replay.info.map
            assert replay.info.winner_name is None
            assert [(player.name, player.account) for player in replay.players] == [(None, None)] * 2
            assert all(player.character for player in replay.players)
    assert seen == 5


def test_agrees_with_s2protocol(sc2: Path, step: int) -> None:
    """Header and details, field by field, on every file that s2protocol and mpyq read."""
    mpyq: Any = pytest.importorskip("mpyq", reason="mpyq is not installed")
    versions: Any = pytest.importorskip("s2protocol.versions", reason="s2protocol is not installed")
    compared = 0
    for row, replay in replays(sc2, 3 * step):
        try:
            archive = mpyq.MPQArchive(io.BytesIO(bytes(replay.source.data)))
            theirs = versions.latest().decode_replay_header(archive.header["user_data_header"]["content"])
            details = versions.build(int(row["base_build"])).decode_replay_details(
                archive.read_file("replay.details")
            )
        except (Exception, SystemExit):
            continue  # no table for the build, or its container reader fails
        compared += 1
        header = replay.recording.container.header
        assert header is not None
        assert header.loops == theirs["m_elapsedGameLoops"]
        assert header.data_build == theirs.get("m_dataBuildNum")
        assert bool(header.use_scaled_time) == bool(theirs.get("m_useScaledTime"))
        assert (header.ngdp_root_key or None) == (theirs.get("m_ngdpRootKey") or {}).get("m_data")
        ours = replay.recording.details
        assert ours is not None
        assert ours.title == details["m_title"].decode()
        assert ours.time_utc == details["m_timeUTC"]
        assert ours.game_speed == details["m_gameSpeed"]
        assert list(ours.cache_handles) == (details["m_cacheHandles"] or [])
        assert ours.map_file == details["m_mapFileName"].decode()
        for mine, other in zip(ours.players, details["m_playerList"], strict=True):
            assert mine.marked_name == other["m_name"].decode()
            assert mine.race == other["m_race"].decode()
            # Its one table for the first retail builds has the beta's toon, which has no id.
            assert mine.toon.id == other["m_toon"].get("m_id", mine.toon.id)
            assert mine.toon.program.encode() == other["m_toon"]["m_programId"].strip(b"\0")
            assert mine.color == tuple(other["m_color"][f"m_{part}"] for part in "argb")
            assert (mine.control, mine.team, mine.handicap, mine.observe, mine.result) == tuple(
                other[f"m_{name}"] for name in ("control", "teamId", "handicap", "observe", "result")
            )
            assert mine.working_set_slot == other.get("m_workingSetSlotId")
    assert compared >= 60 // step


def test_agrees_with_sc2reader(sc2: Path) -> None:
    """Names, clans, races, results and accounts of players if sc2reader loads the file."""
    sc2reader: Any = pytest.importorskip("sc2reader", reason="sc2reader is not installed")
    compared = 0
    for row, replay in replays(sc2, 11):
        try:
            theirs = sc2reader.load_replay(str(sc2 / row["file"]), load_level=2)
        except Exception:
            continue  # betas, computers without cache handles, …
        compared += 1
        mine = {player.player: player for player in replay.players}
        assert theirs.frames == replay.info.duration_ticks
        assert theirs.release_string == replay.info.version
        assert theirs.map_name == replay.info.map
        for other in theirs.players:
            player = mine[other.detail_data_index if hasattr(other, "detail_data_index") else other.pid]
            assert player.name == other.name
            assert (player.details["recorded_result"] or "").capitalize() == (other.result or "")
            assert player.details["race_localized"] == other.detail_data["race"]
            assert player.character in ("Terran", "Protoss", "Zerg")
            assert player.details["handicap"] == other.detail_data["handicap"]
            assert (player.kind == "human") == other.is_human
    assert compared >= 20


def test_every_table_is_json_and_arrow(sc2: Path, step: int) -> None:
    for _, replay in replays(sc2, 10 * step):
        tables = replay.read_tables()
        json.loads(tables["info"].column("details")[0].as_py())
        for text in tables["players"].column("details").to_pylist():
            json.loads(text)


def test_joint_winners_share_a_team_before_2_0(sc2: Path) -> None:
    """``replay.details`` has wrong teams; the lobby has the correct ones."""
    compared = mended = 0
    for _, replay in replays(sc2):
        if (
            replay.recording.details is None
            or replay.recording.container.header is None
            or replay.recording.container.header.build >= 24764
        ):
            continue
        winners = {player.team for player in replay.players if player.result == "win"}
        losers = {player.team for player in replay.players if player.result == "loss"}
        assert len(winners) <= 1
        assert not winners & losers
        compared += bool(winners)
        listed = {player.team for player in replay.recording.details.players if player.result == 1}
        mended += len(listed) > 1
    assert compared > 90
    assert mended > 15


@pytest.mark.parametrize("damage", ["another name", "a byte", "no header", "cut", "noise"])
def test_damaged_heroes_of_the_storm_end_in_problems(corpus: Path, damage: str) -> None:
    """If damage took the name of the game, an archive of another game is a damaged replay."""
    file = min((corpus / "hots").glob("*.StormReplay"), key=lambda path: path.stat().st_size, default=None)
    if file is None:
        pytest.skip("no replays of Heroes of the Storm")
    data = bytearray(file.read_bytes())
    name = data.index(b"Heroes of the Storm replay")
    random = Random(damage)
    if damage == "another name":
        data[name : name + 26] = b"StarCraft II replay".ljust(26)
    elif damage == "a byte":
        data[name] = 0
    elif damage == "no header":
        data[name - 4 : name + 100] = bytes(104)
    elif damage == "cut":
        del data[:1024]
    else:
        data[name] = 0
        for _ in range(20):
            data[random.randrange(name, len(data))] = random.randrange(256)
    try:
        replay = playhead.open(bytes(data))
        assert replay.info.complete is not True or replay.problems
        replay.read_tables(["players", "commands", "units", "bases", "slots"])
        assert replay.problems
    except ReplayError:
        pass
