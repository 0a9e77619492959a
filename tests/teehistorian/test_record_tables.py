"""Tables of rare messages, each from a few messages."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from tests.opened import open_as

import playhead
from playhead.teehistorian.network import encode_network, extended, seven, six
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.stream import extensions as ex
from playhead.teehistorian.stream.extensions import Extension
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Extra, Finish, Join, NetMessage
from playhead.teehistorian.tables.runs import save_players
from playhead.teehistorian.writing.writer import TeehistorianWriter

Record = Join | Drop | NetMessage | ConsoleCommand | Extension | Extra
ALL = [record.extension_name for record in ex.EXTENSIONS.values()]
SAVE = UUID(int=7)
ENTER = (Join(0), ex.PlayerName(0, "a"), Join(1), ex.PlayerName(1, "b"), Join(2), ex.PlayerName(2, "c"))


def replay_of(*happenings: tuple[int, *tuple[Record, ...]], minor: int = 22) -> TeehistorianReplay:
    writer = TeehistorianWriter({"version": "2", "version_minor": str(minor), "uuids": ALL})
    for tick, *records in happenings:
        writer.set_tick(tick)
        for record in records:
            writer.record(record)
    writer.record(Finish())
    replay = open_as(TeehistorianReplay, writer.to_bytes())
    assert replay.problems == ()
    return replay


def rows(replay: TeehistorianReplay, table: str, *columns: str) -> list[Any]:
    found = replay.table(table).to_pylist()
    return [row[columns[0]] if len(columns) == 1 else tuple(row[c] for c in columns) for row in found]


def chat(cid: int, command: str, *arguments: str) -> ConsoleCommand:
    return ConsoleCommand(cid, 128, command, arguments)


# -- runs -----------------------------------------------------------------------------------------------------


def test_a_solo_run_starts_its_time_before_its_finish() -> None:
    replay = replay_of((10, *ENTER), (300, ex.PlayerFinish(1, 120)))
    assert rows(
        replay,
        "runs",
        "tick",
        "kind",
        "team",
        "clients",
        "names",
        "duration_ticks",
        "duration_seconds",
        "start_tick",
    ) == [(300, "solo", 0, [1], ["b"], 120, 2.4, 180)]
    assert rows(replay, "runs", "loaded", "load_tick", "practice", "swaps", "rcon_commands", "other_commands") == [
        (False, None, False, 0, 0, 0)
    ]


def test_a_team_run_has_the_players_of_its_tick_and_team() -> None:
    replay = replay_of(
        (10, *ENTER, ex.PlayerTeam(0, 3), ex.PlayerTeam(2, 3)),
        (200, ex.PlayerFinish(2, 50)),
        (300, ex.PlayerFinish(1, 90), ex.PlayerFinish(0, 70), ex.PlayerFinish(2, 70), ex.TeamFinish(3, 70)),
    )
    assert rows(replay, "runs", "tick", "kind", "team", "clients", "start_tick") == [
        (200, "solo", 3, [2], 150),
        (300, "solo", 0, [1], 210),
        (300, "team", 3, [0, 2], 230),
    ]
    assert rows(replay, "finishes", "kind", "client", "name", "team", "duration_ticks") == [
        ("player", 2, "c", 3, 50),
        ("player", 1, "b", 0, 90),
        ("player", 0, "a", 3, 70),
        ("player", 2, "c", 3, 70),
        ("team", None, None, 3, 70),
    ]


@pytest.mark.parametrize(("load_tick", "loaded"), [(149, False), (150, False), (151, True), (199, True)])
def test_a_load_after_the_clock_started_makes_a_run_a_loaded_one(load_tick: int, loaded: bool) -> None:
    replay = replay_of(
        (10, *ENTER, ex.PlayerTeam(0, 3)),
        (load_tick, ex.LoadSuccess(4, UUID(int=1), ""), ex.LoadSuccess(3, SAVE, "")),
        (200, ex.PlayerFinish(0, 50)),
    )
    expected = (None, True, load_tick, str(SAVE)) if loaded else (150, False, None, None)
    assert rows(replay, "runs", "start_tick", "loaded", "load_tick", "save_uuid") == [expected]


def test_a_clock_that_started_before_the_recording_is_no_start() -> None:
    replay = replay_of((10, *ENTER), (30, ex.PlayerFinish(0, 31)), (40, ex.PlayerFinish(0, -5)))
    assert rows(replay, "runs", "start_tick", "duration_ticks") == [(None, 31), (None, -5)]


def test_practice_counts_while_the_run_lasts() -> None:
    def practised(*changes: tuple[int, int, int]) -> bool:
        told = [(tick, ex.TeamPractice(team, on)) for tick, team, on in changes]
        return bool(
            rows(
                replay_of((10, *ENTER, ex.PlayerTeam(0, 3)), *told, (200, ex.PlayerFinish(0, 50))),
                "runs",
                "practice",
            )[0]
        )

    assert not practised()
    assert not practised((100, 3, 1), (149, 3, 0))
    assert not practised((160, 4, 1))
    assert practised((100, 3, 1))
    assert practised((100, 3, 1), (170, 3, 0))
    assert practised((160, 3, 1), (170, 3, 0))


def test_rcon_and_swaps_count_while_the_run_lasts() -> None:
    def rcon(cid: int) -> ConsoleCommand:
        return ConsoleCommand(cid, 4, "x", ())

    replay = replay_of(
        (10, *ENTER, ex.PlayerTeam(0, 3), ex.PlayerTeam(1, 3)),
        (149, rcon(0), rcon(-1), ex.PlayerSwap(0, 1)),
        (150, rcon(0), chat(0, "x"), rcon(2)),
        (200, rcon(1), rcon(-1), rcon(-2), ex.PlayerSwap(1, 0), ex.PlayerSwap(2, 0)),
        (200, ex.PlayerFinish(0, 50), ex.PlayerFinish(1, 50), ex.TeamFinish(3, 50)),
        (201, rcon(0)),
    )
    assert rows(replay, "runs", "clients", "rcon_commands", "other_commands", "swaps") == [([0, 1], 2, 3, 1)]


# -- teams and saves ------------------------------------------------------------------------------------------


def test_teams() -> None:
    replay = replay_of(
        (10, *ENTER, ex.PlayerTeam(0, 3), ex.PlayerTeam(0, 4)),
        (20, ex.TeamPractice(4, 1), ex.PlayerSwap(0, 1)),
        (30, Drop(0, ""), ex.PlayerTeam(0, 0)),
    )
    columns = ("event", "client", "name", "team", "previous_team", "practice", "target_client")
    assert rows(replay, "teams", *columns) == [
        ("team", 0, "a", 3, 0, None, None),
        ("team", 0, "a", 4, 3, None, None),
        ("practice", None, None, 4, None, True, None),
        ("swap", 0, "a", 4, 4, None, 1),
        ("team", 0, "a", 0, 4, None, None),
    ]


def test_saves_and_who_asked_for_them() -> None:
    replay = replay_of(
        (10, *ENTER, ex.PlayerTeam(0, 3), ex.PlayerTeam(1, 3), ex.PlayerTeam(2, 5)),
        (20, chat(0, "save", "x"), chat(2, "save", "y"), chat(1, "load", "z"), ConsoleCommand(1, 4, "save", ())),
        (21, ex.SaveSuccess(3, SAVE, "2\t2\t0\t0\na\t1\nb\t1"), ex.SaveFailure(3)),
        (30, ex.LoadFailure(3), ex.LoadSuccess(5, SAVE, "nonsense")),
    )
    columns = ("event", "success", "team", "client", "name", "save_uuid", "names", "bytes", "cut")
    assert rows(replay, "saves", *columns) == [
        ("save", True, 3, 0, "a", str(SAVE), ["a", "b"], 33, False),
        ("save", False, 3, None, None, None, None, 1, False),
        ("load", False, 3, 1, "b", None, None, 1, False),
        ("load", True, 5, None, None, str(SAVE), [], 26, False),
    ]


@pytest.mark.parametrize(("minor", "size", "cut"), [(8, 2048, True), (9, 2048, False), (8, 2047, False)])
def test_cut_saves_are_flagged(minor: int, size: int, cut: bool) -> None:
    save = ex.SaveSuccess(3, SAVE, "x" * (size - 18))
    replay = replay_of((10, save), minor=minor)
    assert rows(replay, "saves", "bytes", "cut") == [(size, cut)]


def test_names_of_a_save_go_as_far_as_it_goes() -> None:
    assert save_players("2\t3\t0\nalice\t1\nbo") == ["alice", "bo"]
    assert save_players("2\t1\t0\nalice\t1\nbob") == ["alice"]
    for odd in ("", "2", "2\tx\na", "2\t99999\na", "2\t-1\na"):
        assert save_players(odd) == []


# -- commands, auth, antibot, network messages ----------------------------------------------------------------


def test_commands_tell_who_ran_them() -> None:
    replay = replay_of(
        (10, *ENTER, ex.AuthLogin(0, 2, "key")),
        (
            20,
            ConsoleCommand(0, 4, "kick", ("1", "a b")),
            chat(1, "team", "5"),
            ConsoleCommand(-1, 4, "say", ("\udcff",)),
        ),
        (21, ConsoleCommand(9, 128, "x", ()), ConsoleCommand(-2, 4, "y", ())),
    )
    columns = ("client", "name", "origin", "command", "arguments", "auth_level", "issuer_id", "flags")
    assert rows(replay, "commands", *columns) == [
        (0, "a", "rcon", "kick", ["1", "a b"], 2, 0, 4),
        (1, "b", "chat", "team", ["5"], 0, 1, 128),
        (None, None, "server", "say", ["\ufffd"], None, -1, 4),
        (9, None, "chat", "x", [], None, 9, 128),
        (None, None, "server", "y", [], None, -2, 4),
    ]  # fmt: skip


def test_auth() -> None:
    replay = replay_of(
        (5, ex.AuthInit(2, 1, "h")),
        (10, ex.AuthInit(1, 1, "i"), *ENTER, ex.AuthLogin(0, 3, "k"), ex.AuthLogout(0)),
    )
    assert rows(replay, "auth", "client", "name", "event", "auth_level", "auth_key") == [
        (2, None, "init", 1, "h"),
        (1, "b", "init", 1, "i"),
        (0, "a", "login", 3, "k"),
        (0, "a", "logout", 0, None),
    ]


def test_antibot() -> None:
    assert rows(replay_of((5, ex.Antibot(b"\0abc"))), "antibot", "tick", "bytes", "data") == [(5, 4, b"\0abc")]


def test_network_messages_follow_the_protocol_of_their_client() -> None:
    same = encode_network(seven.Vote(1))
    odd = NetMessage(0, b"\x28\xff\0")
    replay = replay_of(
        (10, ex.JoinVersion6(0), Join(0), ex.JoinVersion7(1), Join(1)),
        (11, NetMessage(0, same), NetMessage(1, same), NetMessage(2, same), odd, NetMessage(0, b"\x8e\2?")),
        (12, NetMessage(1, encode_network(extended.ShowOthers(2)) + b"more"), NetMessage(1, b"")),
        (13, NetMessage(0, encode_network(six.Say(0, "\udcff")))),
    )
    columns = ("client", "protocol", "message_id", "message", "fields", "unread_bytes")
    assert rows(replay, "net_messages", *columns) == [
        (0, 6, 31, "show_others_legacy", '{"show": 1}', 0),
        (1, 7, 31, "vote", '{"vote": 1}', 0),
        (2, None, 31, None, None, 1),
        (0, 6, 20, "start_info", None, 2),
        (0, 6, 71, None, None, 1),
        (1, 7, 0, "show_others", '{"show": 2}', 4),
        (1, 7, None, None, None, 0),
        (0, 6, 17, "say", '{"team": 0, "text": "\ufffd"}', 0),
    ]
    assert rows(replay, "net_messages", "data")[3] == odd.data
    assert rows(replay, "net_messages", "message_uuid")[5] == str(extended.ShowOthers.uuid)


# -- typed access ---------------------------------------------------------------------------------------------


def test_events_are_decoded_records_in_order() -> None:
    stranger = Extra(ex.named_uuid("new@mod.example"), b"?")
    replay = replay_of(
        (10, ex.JoinVersion7(1), Join(1), NetMessage(1, encode_network(seven.Kill()))),
        (20, ex.TeamPractice(3, 1), stranger, chat(1, "x"), Drop(1, "bye")),
    )
    found = list(replay.events())
    assert [(event.tick, event.player) for event in found] == [
        (10, None), (10, 0), (10, 0), (20, None), (20, None), (20, 0), (20, 0),
    ]  # fmt: skip
    assert [event.client for event in found] == [1, 1, 1, None, None, 1, 1]
    records = [event.record for event in found]
    assert [event.kind for event in found] == [
        "protocol_announced", "player_joined", "kill_sent", "practice_changed", "extension_recorded",
        "command_given", "player_left",
    ]  # fmt: skip
    assert [event.reason for event in replay.events("player_l*t")] == ["bye"]
    assert found[-1].payload == {"client": 1, "player_name": None, "reason": "bye"}
    assert not hasattr(found[-1], "reson")
    with pytest.raises(KeyError, match="did you mean practice_changed"):
        replay.events("practise_changed")
    assert records[0] == ex.JoinVersion7(1)
    assert records[2].record == seven.Kill()  # type: ignore[union-attr]
    assert records[3:] == [ex.TeamPractice(3, 1), stranger, chat(1, "x"), Drop(1, "bye")]


def test_events_before_damage_come_first() -> None:
    whole = replay_of((10, *ENTER), (20, Drop(1, "bye")))
    cut = open_as(TeehistorianReplay, bytes(whole.source.data)[:-3])
    events = cut.events()
    assert [event.player for event in events] == [0, 0, 1, 1, 2, 2]
    assert [problem.kind for problem in cut.problems_so_far] == ["TruncatedReplay"]
    strict = playhead.open(bytes(cut.source.data), strict=True)
    with pytest.raises(playhead.TruncatedReplay):
        list(strict.events())


def test_clients_answers_for_a_tick() -> None:
    replay = replay_of((10, *ENTER), (20, Drop(1, "bye")))
    assert {cid: identity.name for cid, identity in replay.clients.present(19).items()} == {0: "a", 1: "b", 2: "c"}
    assert set(replay.clients.present(20)) == {0, 2}
