"""Players, teams and runs of real recordings, compared with server logs if there are any."""

from __future__ import annotations

import lzma
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

import playhead
from playhead.teehistorian.network import encode_network
from playhead.teehistorian.replay import TeehistorianReplay

pytestmark = pytest.mark.slow_interpreted

#: Start of the game id: rows of net_messages, commands, auth, antibot, teams, saves, finishes, runs.
GOLDEN: dict[str, tuple[int, ...]] = {
    "ed42737b": (5, 13, 1, 0, 15, 2, 0, 0),  # deb16.4-bigsave
    "4f63d565": (2, 0, 0, 0, 0, 0, 0, 0),
    "1ed87a7e": (7, 2, 3, 0, 0, 0, 0, 0),  # deb16.4
    "3ee7bf0a": (35, 36, 5, 0, 14, 4, 0, 0),
    "62fd077a": (6, 1, 3, 0, 0, 0, 0, 0),
    "361fdea6": (35, 12, 0, 28, 4, 0, 12, 12),  # head20.1-antibot-stub
    "f7794073": (5, 13, 1, 0, 15, 2, 0, 0),  # head20.1-bigsave
    "49b83563": (364, 117, 0, 0, 0, 0, 0, 0),  # head20.1-crowd24-killed: no finish line in reach, teams are off
    "180dab3e": (6, 1, 3, 0, 0, 0, 4, 4),  # head20.1-with-debug-log
    "3cc3aa6e": (7, 2, 3, 0, 0, 0, 6, 6),
    "f68a0bdb": (35, 37, 5, 0, 14, 4, 22, 14),
    "65a0ee02": (5, 1, 0, 0, 0, 0, 0, 0),  # old11.0.2
    "8125bd58": (5, 2, 0, 0, 0, 0, 0, 0),
    "d7250c23": (27, 30, 0, 0, 0, 0, 0, 0),
    "781e1e04": (5, 1, 2, 0, 0, 0, 0, 0),  # old13.1
    "9c35aeb1": (27, 30, 4, 0, 0, 0, 0, 0),
    "fe1bf900": (5, 2, 2, 0, 0, 0, 0, 0),
    "3888a2f3": (6, 1, 3, 0, 0, 0, 0, 0),  # old15.9.1
    "4cb5bb29": (0, 0, 0, 0, 0, 0, 0, 0),
    "832dbedc": (35, 36, 5, 0, 13, 4, 0, 0),
    "bfc8e99d": (7, 2, 3, 0, 0, 0, 0, 0),
    "645688a3": (7, 2, 3, 0, 0, 0, 0, 0),  # old17.4.2
    "8f8562b1": (35, 36, 5, 0, 14, 4, 0, 0),
    "ff2eceb2": (6, 1, 3, 0, 0, 0, 0, 0),
    "06310d2c": (7, 2, 0, 0, 0, 0, 5, 5),  # old19.7
    "4eb80285": (35, 37, 5, 0, 14, 4, 21, 15),
    "e742cc8b": (6, 1, 0, 0, 0, 0, 4, 4),
}
TABLES = ["net_messages", "commands", "auth", "antibot", "teams", "saves", "finishes", "runs"]


@pytest.fixture(scope="module")
def replays(corpus: Path) -> list[TeehistorianReplay]:
    found = [playhead.open(path) for path in sorted((corpus / "teehistorian").glob("*/*.teehistorian"))]
    if not found:
        pytest.skip("no teehistorian recordings in the corpus")
    return [replay for replay in found if isinstance(replay, TeehistorianReplay)]


def game(replay: playhead.Replay) -> str:
    return Path(replay.name).stem[:8]


def rows(replay: playhead.Replay, table: str) -> list[dict[str, Any]]:
    return replay.table(table).to_pylist()


def test_golden_rows(replays: list[TeehistorianReplay]) -> None:
    checked = 0
    for replay in replays:
        if game(replay) in GOLDEN:
            built = replay.read_tables(TABLES)
            assert tuple(built[name].num_rows for name in TABLES) == GOLDEN[game(replay)], replay.name
            checked += 1
    assert checked


def test_every_network_message_is_known_to_its_last_byte(replays: list[TeehistorianReplay]) -> None:
    kinds: Counter[tuple[int | None, str | None]] = Counter()
    for replay in replays:
        for row in rows(replay, "net_messages"):
            assert row["fields"] is not None, (replay.name, row)
            assert row["unread_bytes"] == 0, (replay.name, row)
            kinds[row["protocol"], row["message"]] += 1
        for event in replay.events():
            record = event.record
            if hasattr(record, "record") and record.record is not None:
                assert encode_network(record.record)
    assert None not in {protocol for protocol, _ in kinds}
    assert {(6, "start_info"), (6, "is_ddnet_legacy"), (6, "show_distance")} <= set(kinds)
    assert {(7, "start_info"), (7, "skin_change"), (7, "vote"), (7, "command")} <= set(kinds)
    # Messages that DDNet's servers do not record.
    assert not {(6, "say"), (6, "vote"), (6, "call_vote"), (7, "say"), (7, "set_team")} & set(kinds)


def test_names_and_protocols_of_the_scenario(replays: list[TeehistorianReplay]) -> None:
    checked = 0
    for replay in replays:
        if replay.info.map != "raceA" or len(replay.players) < 7 or replay.players[0].name != "alice":
            continue
        checked += 1
        sessions = rows(replay, "sessions")
        assert [s["names"] for s in sessions if s["client"] == 1] == [["bob", "bobby"]], replay.name
        versions = {s["names"][0]: s["ddnet_version"] for s in sessions if s["known_by"] == "join"}
        seven = [s["name"] for s in sessions if s["protocol"] == 7]
        assert seven == (["evan7"] if "evan7" in versions else []), replay.name
        # The player who timed out returned with a newer client and took over the old slot.
        (new,) = [s for s in sessions if s["took_over_player"] is not None]
        old = sessions[new["took_over_player"]]
        assert (old["name"], new["reason"]) == ("dora", "Timeout Protection used"), replay.name
        assert old["taken_over_ticks"] == [new["end_tick"]]
        assert old["ddnet_version"] == new["ddnet_version"]
        assert old["end_tick"] != new["end_tick"]
    if not checked:
        pytest.skip("no recording of the scenario in the corpus")


def test_saves_that_old_servers_cut_are_flagged(corpus: Path) -> None:
    found = {}
    for path in (corpus / "teehistorian").glob("*bigsave/*.teehistorian"):
        saves = rows(playhead.open(path), "saves")
        found[path.parent.name] = {(row["event"], row["bytes"], row["cut"], len(row["names"])) for row in saves}
        assert {row["name"] for row in saves} == {"saver00"}
    if not found:
        pytest.skip("no such recordings in the corpus")
    for folder, saves in found.items():
        if folder == "head20.1-bigsave":
            assert {(event, cut, count) for event, _, cut, count in saves} == {
                ("save", False, 5),
                ("load", False, 5),
            }
            assert all(size > 2048 for _, size, _, _ in saves)
        else:
            assert {(event, size, cut) for event, size, cut, _ in saves} == {
                ("save", 2048, True),
                ("load", 2048, True),
            }


# -- the server's own log -------------------------------------------------------------------------------------


def logged_games(corpus: Path) -> Iterator[tuple[playhead.Replay, list[str]]]:
    """Yield each recording with its lines of the server's log, without the date."""
    for log in sorted((corpus / "teehistorian").glob("*/server_debug.log.xz")):
        games: dict[str, list[str]] = {}
        lines: list[str] = []
        with lzma.open(log, "rt", encoding="utf-8") as text:
            for line in text:
                if recording := re.search(r"teehistorian: .*([0-9a-f-]{36})\.teehistorian", line):
                    lines = games.setdefault(recording[1], [])
                elif not re.search(r"^\S+ \S+ . teehistorian:", line):
                    lines.append(line.rstrip("\n")[22:])
        for name, found in games.items():
            path = log.parent / f"{name}.teehistorian"
            if path.exists():
                yield playhead.open(path), found


@pytest.fixture(scope="module")
def logged(corpus: Path) -> list[tuple[playhead.Replay, list[str]]]:
    found = list(logged_games(corpus))
    if not found:
        pytest.skip("no server log in the corpus")
    return found


def matches(pattern: str, lines: list[str]) -> list[tuple[str, ...]]:
    return [match.groups() for line in lines if (match := re.search(pattern, line))]


def test_finishes_equal_the_servers_announcements(logged: list[tuple[playhead.Replay, list[str]]]) -> None:
    count = 0
    for replay, lines in logged:
        seen = matches(r"chat: \*\*\* (.*) finished in:\s+(\d+) minute\(s\)\s+([\d.]+) second", lines)
        finishes = [row for row in rows(replay, "finishes") if row["kind"] == "player"]
        assert [(row["name"], row["duration_seconds"]) for row in finishes] == [
            (name, pytest.approx(int(minutes) * 60 + float(seconds))) for name, minutes, seconds in seen
        ], replay.name
        in_runs = sorted(name for run in rows(replay, "runs") for name in run["names"])
        assert in_runs == sorted(name for name, _, _ in seen)
        count += len(seen)
    assert count == 40


def test_each_run_equals_the_servers_announcement(
    logged: list[tuple[playhead.Replay, list[str]]], tmp_path: Path
) -> None:
    cut = arrays = loaded = 0
    for replay, lines in logged:
        seen = matches(r"chat: \*\*\* (.*) finished in:\s+(\d+) minute\(s\)\s+([\d.]+) second", lines)
        times = Counter((name, round(int(minutes) * 60 + float(seconds), 2)) for name, minutes, seconds in seen)
        runs = replay.runs()
        assert Counter((name, round(run["duration_seconds"], 2)) for run in runs for name in run["names"]) == times
        sessions = {row["player"]: row for row in rows(replay, "sessions")}
        saved = matches(r"save: Save successful: (.*)$", lines)
        for run in runs:
            assert [sessions[one]["client"] for one in run["players"]] == run["clients"]
            assert all(
                name in sessions[one]["names"] for one, name in zip(run["players"], run["names"], strict=True)
            )
            if run["loaded"]:
                loaded += 1
                assert (run["save_uuid"],) in saved
                assert run["saved_tick"] < run["load_tick"] == run["first_tick"]
            else:
                assert run["first_tick"] == run["tick"] - run["duration_ticks"]
            positions = replay.table("positions")
            for player in run["players"]:
                dense = replay.run_arrays(run["run"], player)
                assert dense["tick"].to_pylist() == list(range(run["first_tick"], run["tick"] + 1))
                assert {len(column) for column in dense.values()} == {len(dense["tick"])}
                where = {
                    tick: (x, y, there)
                    for tick, x, y, there in zip(
                        *(dense[n].to_pylist() for n in ("tick", "x", "y", "alive")), strict=True
                    )
                }
                mine = positions.filter(pc.equal(positions["player"], player)).to_pylist()
                for row in mine:
                    if row["tick"] in where:
                        assert where[row["tick"]] == (row["x"], row["y"], row["event"] != "gone")
                        arrays += 1
            if run["run"] < 3:
                path = tmp_path / f"{game(replay)}-{run['run']}.teehistorian"
                replay.write_run(path, run["run"])
                again = playhead.open(path).runs()
                assert any(
                    (one["tick"], one["duration_ticks"], one["names"])
                    == (run["tick"], run["duration_ticks"], run["names"])
                    for one in again
                )
                trace = replay.run_trace(run["run"])
                assert set(trace["name"].to_pylist()) == set(run["names"])
                cut += 1
    assert cut > 5
    assert arrays > 1000
    assert loaded


def test_teams_saves_and_logins_equal_the_servers_log(
    logged: list[tuple[playhead.Replay, list[str]]],
) -> None:
    counts: Counter[str] = Counter()
    for replay, lines in logged:
        told_teams = matches(r"chat: \*\*\* '(.*)' joined team ([1-9]\d*)", lines)  # 0 is not always logged
        joined = [row for row in rows(replay, "teams") if row["event"] == "team" and row["team"]]
        assert [(row["name"], str(row["team"])) for row in joined] == told_teams
        saves = rows(replay, "saves")
        for event, word in (("save", "Save"), ("load", "Load")):
            seen = matches(f"save: {word} successful: (.*)$", lines)
            assert [(row["save_uuid"],) for row in saves if row["event"] == event and row["success"]] == seen
            counts[event] += len(seen)
        keys = matches(r"server: ClientId=(\d+) authed with key='(.*)' \((.*)\)", lines)
        levels = {"helper": 1, "moderator": 2, "admin": 3}
        logins = [row for row in rows(replay, "auth") if row["event"] == "login" and row["tick"] > 0]
        assert [(row["client"], row["auth_key"], row["auth_level"]) for row in logins] == [
            (int(client), key, levels[level]) for client, key, level in keys
        ]
        counts["team"] += len(told_teams)
        counts["login"] += len(keys)
    assert counts == {"team": 9, "save": 2, "load": 1, "login": 4}


def test_rcon_commands_equal_the_servers_log(logged: list[tuple[playhead.Replay, list[str]]]) -> None:
    count = 0
    for replay, lines in logged:
        typed = matches(r"server: ClientId=(\d+) key='default_admin' rcon='(.*)'$", lines)
        seen = [(int(client), one.split()[0]) for client, line in typed for one in line.split(";")]
        seen = [one for one in seen if one[1] != "hot_reload"]  # the only command here that is not recorded
        ran = [(row["client"], row["command"]) for row in rows(replay, "commands") if row["origin"] == "rcon"]
        assert ran == seen, replay.name
        count += len(seen)
    assert count == 13


def test_sessions_equal_the_servers_log(logged: list[tuple[playhead.Replay, list[str]]]) -> None:
    for replay, lines in logged:
        sessions = rows(replay, "sessions")
        entered = matches(r"player has entered the game\. ClientId=(\d+) addr=\S+ sixup=(\d)", lines)
        assert Counter((s["client"], s["protocol"]) for s in sessions if s["ready_tick"] is not None) == Counter(
            (int(client), 7 if sixup == "1" else 6) for client, sixup in entered
        ), replay.name
        left = matches(r"chat: \*\*\* '(.*)' has left the game(?: \((.*)\))?$", lines)
        dropped = [s for s in sessions if s["reason"] is not None and not s["reason"].startswith("Kicked")]
        assert sorted((s["name"], s["reason"]) for s in dropped) == sorted((name, why or "") for name, why in left)
        renamed = matches(r"chat: \*\*\* '(.*)' changed name to '(.*)'", lines)
        assert [tuple(s["names"]) for s in sessions if len(s["names"]) > 1] == renamed
        for client, version in matches(r"ddnet: cid=(\d+) version=(\d+)", lines):
            assert any(s["client"] == int(client) and s["ddnet_version"] is not None for s in sessions), version


# -- inputs ---------------------------------------------------------------------------------------------------


def test_inputs_by_version(replays: list[TeehistorianReplay]) -> None:
    """Two inputs per tick up to version_minor 10, and inputs of continued slots before version_minor 4."""
    twice: dict[bool, int] = {True: 0, False: 0}
    for replay in replays:
        minor = replay.header.version_minor
        new = minor is not None and minor >= 11
        table = replay.table("inputs")
        ticks = len(table.select(["tick", "player"]).group_by(["tick", "player"]).aggregate([]))
        assert (pc.sum(pc.invert(table["replaces"])).as_py() or 0) == ticks, replay.name
        twice[new] += len(table) - ticks
        if minor is not None and minor >= 4:
            continue
        kinds = Counter(replay.table("messages", columns=["message"])["message"].to_pylist())
        if kinds["join"]:
            assert kinds["input_new"] < kinds["join"], replay.name
    assert twice[True] == 0
    if {game(replay) for replay in replays} & {"d7250c23", "832dbedc"}:
        assert twice[False] > 1000


def test_an_input_acts_on_the_tick_of_its_row(replays: list[TeehistorianReplay]) -> None:
    """Pressing left or right moves a resting tee on the same tick, from version_minor 11 on."""
    waited: Counter[int] = Counter()
    for replay in replays:
        if (replay.header.version_minor or 0) < 11 or replay.source.data.nbytes > 1 << 20:
            continue
        moves: dict[int, list[tuple[int, int, int]]] = {}
        for row in rows(replay, "positions"):
            moves.setdefault(row["player"], []).append((row["tick"], row["x"], row["y"]))
        direction: dict[int, int] = {}
        for row in rows(replay, "inputs"):
            before = direction.get(row["player"])
            direction[row["player"]] = row["direction"]
            if before != 0 or row["direction"] == 0:
                continue
            path = moves.get(row["player"], [])
            index = next((i for i, (tick, _, _) in enumerate(path) if tick >= row["recorded_tick"]), len(path))
            if not 0 < index < len(path) or path[index][0] - path[index - 1][0] < 10:
                continue  # it was not resting
            step = path[index][1] - path[index - 1][1]
            if step * row["direction"] > 0 and path[index][2] == path[index - 1][2]:
                waited[path[index][0] - row["tick"]] += 1
    if not waited:
        pytest.skip("no recording of version_minor 11 or later in the corpus")
    assert set(waited) == {0}
    assert waited[0] > 20


@pytest.mark.long
def test_runs_start_and_end_at_the_lines_of_the_map(replays: list[TeehistorianReplay]) -> None:
    """The start line of both maps is the column of tiles from x 448 to 479; the finish begins at 1280.

    The clock of a player without a team starts when leaving the start line, that of a team when its first member
    reaches it. The server notices one tick after the position shows it.
    """
    checked: Counter[str] = Counter()
    for replay in replays:
        if replay.info.map not in ("raceA", "raceB"):
            continue
        where: dict[int, dict[int, int]] = {}
        for row in rows(replay, "positions"):
            where.setdefault(row["client"], {})[row["tick"]] = row["x"]
        for run in rows(replay, "runs"):
            if run["start_tick"] is None:
                continue
            start, end = run["start_tick"], run["tick"]
            paths = [where[client] for client in run["clients"]]
            line = 448 if run["team"] else 480
            assert max(path[start - 2] for path in paths) < line <= max(path[start - 1] for path in paths), run
            assert min(path[end - 2] for path in paths) < 1280 <= min(path[end - 1] for path in paths), run
            checked["team" if run["team"] else "solo"] += 1
    if not checked:
        pytest.skip("no recordings with finishes in the corpus")
    assert checked["solo"] > 30
    assert checked["team"] > 3


def test_every_null_column_of_the_corpus_has_a_reason_of_its_own(corpus: Path) -> None:
    paths = sorted((corpus / "teehistorian").glob("*/*.teehistorian"))
    if not paths:
        pytest.skip("the corpus has no recordings of DDNet")
    for path in paths:
        found = playhead.open(path).unfilled
        assert not [name for name, reason in found.items() if reason.startswith("none of")], path
