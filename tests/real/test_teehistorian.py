"""Recordings of real servers, 11.0.2 to 20.1; two have the server's own log of every message and tick."""

from __future__ import annotations

import lzma
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.opened import open_as

import playhead
from playhead.bits import ByteReader
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.stream import extensions as ex
from playhead.teehistorian.stream.extensions import EXTENSIONS, Extension, decode_extension, encode_extension
from playhead.teehistorian.stream.messages import (
    ConsoleCommand,
    Drop,
    Extra,
    Finish,
    InputDiff,
    InputNew,
    Join,
    Message,
    NetMessage,
    PlayerDiff,
    PlayerNew,
    PlayerOld,
    TickSkip,
)
from playhead.teehistorian.stream.ticks import INPUT_FIELDS
from playhead.teehistorian.writing.writer import TeehistorianWriter

#: Folder, game id: (build, map, last tick, messages, rows of positions, of inputs, of sessions).
GOLDEN: dict[str, tuple[int | None, str, int, int, int, int, int]] = {
    # deb16.4-bigsave
    "ed42737b-68f2-475f-944d-7b531d9a1907": (4, "raceA", 915, 541, 418, 30, 5),
    # deb16.4-slot-reuse
    "704f526e-a577-4688-bd4d-938b7cd365d7": (4, "raceA", 6686, 50215, 26951, 23022, 22),
    # deb16.4-invalid-utf8-header
    "4f63d565-1fac-4d7a-8c5b-f63c4a025b4e": (4, "raceA", 299, 38, 4, 9, 2),
    # deb16.4
    "1ed87a7e-1d33-4c1d-a961-541e7492ac71": (4, "raceB", 1128, 10765, 6371, 4362, 6),
    "3ee7bf0a-308d-4dc7-a6cc-c317eea6d1c2": (4, "raceA", 6312, 37377, 24780, 12406, 9),
    "62fd077a-449f-40f7-a6e3-0ebf8a0471e2": (4, "raceB", 902, 8056, 4502, 3529, 6),
    # head20.1-antibot-stub
    "361fdea6-564f-41e4-b055-2a460dcea9e4": (22, "raceA", 2463, 26878, 19642, 7023, 12),
    # head20.1-bigsave
    "f7794073-c046-41c2-8b3c-f5d84297792e": (22, "raceA", 914, 511, 383, 30, 5),
    # head20.1-crowd24-killed
    "49b83563-ec82-48c0-b710-549060b18974": (22, "Tutorial", 20972, 560862, 393320, 166794, 47),
    # head20.1-with-debug-log
    "180dab3e-6d96-48b4-97be-12de644a210a": (22, "raceB", 901, 7825, 4504, 3275, 6),
    "3cc3aa6e-0cd8-4adf-a211-4bb4e17f3131": (22, "raceB", 1125, 10358, 6244, 4058, 6),
    "f68a0bdb-4858-4c87-a58d-182b8c75c194": (22, "raceA", 6166, 36637, 24773, 11624, 10),
    # old11.0.2
    "65a0ee02-d57e-496f-81b0-9c260e50244b": (None, "raceB", 902, 6593, 3662, 2919, 5),
    "8125bd58-1e57-458e-a41b-55f386b51c60": (None, "raceB", 1127, 8452, 4763, 3671, 5),
    "d7250c23-c605-4f45-9fd5-70006a535f97": (None, "raceA", 6243, 31656, 20873, 10582, 8),
    # old13.1
    "781e1e04-1977-4aef-acdc-7cc33373b832": (None, "raceB", 902, 6619, 3686, 2918, 5),
    "9c35aeb1-9f04-49c2-8d7f-3213a8743396": (None, "raceA", 6171, 31200, 20439, 10587, 8),
    "fe1bf900-45aa-4cd8-bf1b-6d0baf8bd7d6": (None, "raceB", 1126, 8065, 4380, 3665, 5),
    # old15.9.1
    "3888a2f3-78c8-40ba-bc50-2407e4f92ce6": (2, "raceB", 900, 8271, 4737, 3515, 6),
    "4cb5bb29-3bb7-43d2-b211-ea73b9b1f35d": (2, "raceA", 0, 1, 0, 0, 0),
    "832dbedc-c2d4-428b-bb3b-185aad268114": (2, "raceA", 6176, 36239, 23632, 12431, 9),
    "bfc8e99d-686a-4841-8965-771096acedbd": (2, "raceB", 1127, 10483, 6091, 4366, 6),
    # old17.4.2
    "645688a3-065d-46e0-b925-57c239ba5d29": (6, "raceB", 1127, 10633, 6233, 4356, 6),
    "8f8562b1-e632-4d01-8f0d-a4be27466d9d": (6, "raceA", 6167, 35084, 22459, 12418, 10),
    "ff2eceb2-74c9-441c-9c3c-99928677da33": (6, "raceB", 901, 8285, 4728, 3520, 6),
    # old19.7
    "06310d2c-8998-4388-9b68-7d0ba862ef20": (18, "raceB", 1125, 10445, 6159, 4247, 6),
    "4eb80285-0e13-4660-8f83-e9efd1b938cd": (18, "raceA", 6165, 36443, 24617, 11603, 10),
    "e742cc8b-4f81-4491-81b1-86946e593d6f": (18, "raceB", 901, 7867, 4577, 3259, 6),
}

#: Folders of servers that were ended by kill -9.
KILLED = {"head20.1-crowd24-killed", "deb16.4-slot-reuse"}


def recordings(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.teehistorian"))


@pytest.fixture(scope="module")
def files(corpus: Path) -> list[Path]:
    found = recordings(corpus / "teehistorian")
    if not found:
        pytest.skip("no teehistorian recordings in the corpus")
    return found


def open_replay(path: Path) -> TeehistorianReplay:
    return open_as(TeehistorianReplay, path)


def test_golden_facts(files: list[Path]) -> None:
    checked = 0
    for path in files:
        known = GOLDEN.get(path.stem)
        if known is None:
            continue
        replay = open_replay(path)
        tables = replay.read_tables()
        rows = [tables[name].num_rows for name in ("messages", "positions", "inputs", "sessions")]
        info = replay.info
        assert (info.build, info.map, info.duration_ticks, *rows) == known, path
        assert len(replay.players) == rows[-1]
        checked += 1
    assert checked


def test_only_killed_servers_leave_problems(files: list[Path]) -> None:
    for path in files:
        replay = open_replay(path)
        if path.parent.name in KILLED:
            (problem,) = replay.problems
            assert "FINISH" in problem.what
            assert problem.offset == path.stat().st_size
            assert not replay.info.complete
        else:
            assert replay.problems == (), path
            assert replay.info.complete
        assert replay.info.start_time is not None


@pytest.mark.long
def test_writing_the_messages_again_gives_the_same_bytes(files: list[Path]) -> None:
    for path in files:
        if path.stat().st_size > 1 << 20:
            continue
        replay = open_replay(path)
        writer = TeehistorianWriter(replay.header)
        for _, message in replay.messages():
            writer.write(message)
        assert writer.to_bytes() == path.read_bytes(), path


def test_extension_records_decode_whole_and_encode_to_the_same_bytes(files: list[Path]) -> None:
    seen: Counter[str] = Counter()
    for path in files:
        if path.stat().st_size > 1 << 20:
            continue
        for _, message in open_replay(path).messages():
            if isinstance(message, Extra):
                record = decode_extension(message)
                assert record is not None, (path, message)
                assert encode_extension(record) == message
                seen[record.extension_name] += 1
    assert len(seen) >= len(EXTENSIONS) - 3


def test_header_cut_inside_a_character(corpus: Path) -> None:
    found = sorted((corpus / "teehistorian").glob("*invalid-utf8-header/*.teehistorian"))
    if not found:
        pytest.skip("no such recording in the corpus")
    for path in found:
        replay = open_replay(path)
        assert not replay.header.valid_utf8
        assert (replay.header.text("server_name") or "").endswith("\ufffd")
        assert replay.problems == ()


def test_compressed_recording_reads_the_same(corpus: Path) -> None:
    folder = corpus / "teehistorian" / "head20.1-crowd24-killed"
    for packed in folder.glob("*.teehistorian.xz"):
        plain = playhead.open(packed.with_suffix(""))
        for name, table in playhead.open(packed).read_tables(["positions", "inputs", "sessions"]).items():
            assert table.equals(plain.table(name))
        return
    pytest.skip("no compressed recording in the corpus")


def test_players_that_stay_over_a_map_change(corpus: Path) -> None:
    """Servers of some versions write no JOIN for them."""
    expected = {
        "old11.0.2": "activity",
        "old19.7": "activity",
        "old17.4.2": "join",
        "head20.1-with-debug-log": "join",
    }
    checked = 0
    for folder, known_by in expected.items():
        for path in recordings(corpus / "teehistorian"):
            if path.parent.name != folder:
                continue
            replay = open_replay(path)
            if replay.info.map == "raceB":
                assert {row["known_by"] for row in replay.table("sessions").to_pylist()} == {known_by}
                assert {p.name for p in replay.players} >= {"alice", "Cärl✓"}
                checked += 1
    if not checked:
        pytest.skip("no such recordings in the corpus")


# -- ground truth: the server's own log ---------------------------------------------------------------------

_LINE = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d . teehistorian: (.*)$")


def parse_logs(path: Path) -> dict[str, list[tuple[int, str]]]:
    """Return (tick, text) of every logged message, by game id. A message of several lines keeps its first line."""
    games: dict[str, list[tuple[int, str]]] = {}
    current: list[tuple[int, str]] = []
    tick = 0
    with lzma.open(path, "rt", encoding="utf-8") as log:
        for line in log:
            match = _LINE.match(line.rstrip("\n"))
            if match is None:
                continue
            text = match[1]
            if recording := re.search(r"([0-9a-f-]{36})\.teehistorian", text):
                current = games.setdefault(recording[1], [])
                tick = 0
            elif text.startswith("tick "):
                tick = int(text.split()[1])
            else:
                current.append((tick, text))
    return games


def as_logged(message: Message) -> str | None:
    """Return the server's log text of a message; None for unlogged ones: swaps, logouts, and those during an
    rcon command.
    """
    match message:
        case PlayerDiff(cid, dx, dy):
            return f"diff cid={cid} dx={dx} dy={dy}"
        case PlayerNew(cid, x, y):
            return f"new cid={cid} x={x} y={y}"
        case PlayerOld(cid):
            return f"old cid={cid}"
        case InputDiff(cid, values):
            return f"diff_input cid={cid} {' '.join(map(str, values))}"
        case InputNew(cid, _):
            return f"new_input cid={cid}"
        case TickSkip(dt):
            return f"skip_ticks tick_delta={dt}"
        case Join(cid):
            return f"join cid={cid}"
        case Drop(_, reason) if reason.startswith("Kicked"):
            return None
        case Drop(cid, reason):
            return f"drop cid={cid} reason='{reason}'"
        case Finish():
            return "finish"
        case NetMessage(cid, data):
            head = ByteReader(data).read_packed_int()
            return f"msg cid={cid} sys={head & 1} msgid={head >> 1}"
        case ConsoleCommand(cid, 4, _, _) if cid >= 0:
            return None
        case ConsoleCommand(cid, _, command, _):
            return f"ccmd cid={cid} cmd='{command}'"
        case Extra():
            record = decode_extension(message)
            assert record is not None
            return logged_extension(record)


def logged_extension(record: Extension) -> str | None:
    match record:
        case ex.JoinVersion6(cid):
            return f"joinver6 cid={cid}"
        case ex.JoinVersion7(cid):
            return f"joinver7 cid={cid}"
        case ex.PlayerReady(cid):
            return f"player_ready cid={cid}"
        case ex.PlayerName(cid, name):
            return f"player_name cid={cid} name='{name}'"
        case ex.PlayerFinish(cid, time):
            return f"player_finish cid={cid} time={time}"
        case ex.TeamFinish(team, time):
            return f"team_finish cid={team} time={time}"
        case ex.PlayerTeam(cid, team):
            return f"player_team cid={cid} team={team}"
        case ex.TeamPractice(team, practice):
            return f"team_practice team={team} practice={practice}"
        case ex.PlayerRejoin(cid):
            return f"player_rejoin cid={cid}"
        case ex.AuthLogin(cid, level, key):
            return f"auth_login cid={cid} level={level} auth_name={key}"
        case ex.DDNetVersionOld(cid, version):
            return f"ddnetver_old cid={cid} ddnet_version={version}"
        case ex.DDNetVersion(cid, connection_uuid, version, text):
            start = f"ddnetver cid={cid} connection_id={connection_uuid}"
            return f"{start} ddnet_version={version} ddnet_version_str={text}"
        case ex.SaveSuccess(team, save_uuid, save):
            return f"save_success team={team} save_id={save_uuid} team_save='{save}".split("\n")[0]
        case ex.LoadSuccess(team, save_uuid, save):
            return f"load_success team={team} save_id={save_uuid} team_save='{save}".split("\n")[0]
        case ex.SaveFailure(team):
            return f"save_failure team={team}"
        case ex.LoadFailure(team):
            return f"load_failure team={team}"
        case ex.Antibot(data):
            return f"antibot data_size={len(data)}"
        case _:
            return None


def ground_truth(corpus: Path) -> Iterator[tuple[Path, list[tuple[int, str]]]]:
    for log in sorted((corpus / "teehistorian").glob("*/server_debug.log.xz")):
        for game, logged in parse_logs(log).items():
            path = log.parent / f"{game}.teehistorian"
            if path.exists():
                yield path, logged


def test_every_message_and_tick_equals_the_servers_log(corpus: Path) -> None:
    compared = 0
    unlogged: Counter[str] = Counter()
    logged_early = set()
    for path, logged in ground_truth(corpus):
        position = 0
        for tick, message in open_replay(path).messages():
            text = as_logged(message)
            if text is None:
                unlogged[type(decode_extension(message) if isinstance(message, Extra) else message).__name__] += 1
                continue
            if isinstance(message, TickSkip) and logged[position + 1 : position + 2] == [(tick, text)]:
                # Some messages are logged before the skip that precedes them in the file.
                logged_early.add(logged[position][1].split()[0])
                logged[position : position + 2] = reversed(logged[position : position + 2])
            logged_tick, logged_text = logged[position]
            assert logged_text == text, (path, tick)
            if not isinstance(message, Finish):  # it has no tick: idle ticks before the end are lost
                assert logged_tick == tick, (path, logged_text)
            position += 1
        assert position == len(logged), path
        compared += position
    if not compared:
        pytest.skip("no server log in the corpus")
    assert compared == 81_682
    assert unlogged == {"ConsoleCommand": 13, "PlayerSwap": 1, "AuthLogout": 1, "Drop": 1}
    assert logged_early == {"antibot", "player_finish"}


def test_inputs_are_the_sums_of_their_differences(corpus: Path) -> None:
    for path, _ in ground_truth(corpus):
        replay = open_replay(path)
        pressed: dict[int, list[int]] = {}
        expected = []
        for tick, message in replay.messages():
            if isinstance(message, InputNew):
                pressed[message.cid] = list(message.values)
            elif isinstance(message, InputDiff):
                pressed[message.cid] = [a + b for a, b in zip(pressed[message.cid], message.values, strict=True)]
            else:
                continue
            expected.append((tick + 1, "input", message.cid, tick, *pressed[message.cid], False))
        table = replay.table("inputs").drop_columns(["seconds", "player", "wanted_weapon"])
        assert [tuple(row.values()) for row in table.to_pylist()] == expected
        assert set(table.column("direction").to_pylist()) == {-1, 0, 1}
        assert table.column_names[4:-1] == list(INPUT_FIELDS)
        return
    pytest.skip("no server log in the corpus")
