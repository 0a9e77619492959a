"""User messages and game events: typed access, tables, wrapped and unknown ones, damage."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.opened import open_as
from tests.samples.source2.encoding import GameEventWriter, encode_delta, encode_message, wrap
from tests.samples.source2.engine import sample_demo

import playhead
from playhead import LimitExceeded, ReplayError
from playhead.source2.games import GAMES
from playhead.source2.messages import wire
from playhead.source2.messages.packet import MOST_IN_A_PACKET
from playhead.source2.messages.user_commands import (
    COMMAND_COLUMNS,
    ServerCommand,
    ServerCommands,
    UserCommand,
    command_values,
    decode_user_command,
)
from playhead.source2.replay import Source2Replay
from playhead.source2.writing.demo import DemoWriter, InnerMessage

CHAT_EVENT, CHAT_MESSAGE, SAY_TEXT_2, WRAPPER, EVENT_LIST, EVENT = 466, 612, 118, 72, 205, 207
KILL = {"type": "CHAT_MESSAGE_HERO_KILL", "value": 250, "playerid_1": 3, "playerid_2": -1}


def _demo(messages: list[InnerMessage], game: str = "dota2") -> Source2Replay:
    writer = DemoWriter({"game": GAMES[game].word})
    writer.signon([(40, wire.encode("CSVCMsg_ServerInfo", {"tick_interval": 1 / 32}))])
    writer.packet(64, messages)
    return open_as(Source2Replay, writer.finish(64, {"playback_ticks": 64}))


def _chat_event(fields: dict[str, Any] = KILL) -> InnerMessage:
    return CHAT_EVENT, wire.encode("CDOTAUserMsg_ChatEvent", fields)


@pytest.mark.parametrize("name", ["CDOTAUserMsg_ChatEvent", "DOTA_UM_ChatEvent", "*_ChatEvent", "466", CHAT_EVENT])
def test_typed_access(name: str | int) -> None:
    other = (483, wire.encode("CDOTAUserMsg_OverheadEvent", {"value": 5}))
    (found,) = _demo([other, _chat_event(), (4, b"\x08\x01")]).messages(name)
    assert (found.tick, found.number, found.name) == (64, CHAT_EVENT, "DOTA_UM_ChatEvent")
    assert found.type == "CDOTAUserMsg_ChatEvent"
    assert found.fields == KILL
    assert found.value("playerid_1") == 3
    assert found.value("playerid_3") == -1  # declared default
    with pytest.raises(KeyError, match="has no field 'player'; it has type, value"):
        found.value("player")


def test_all_messages_come_in_file_order() -> None:
    replay = _demo([_chat_event(), (4, b"\x08\x01"), (999, b"xyz")])
    found = list(replay.messages())
    assert [message.number for message in found] == [40, CHAT_EVENT, 4, 999]
    assert found[-1] == (64, 999, None, None, None, b"xyz")
    with pytest.raises(KeyError, match="no definition"):
        found[-1].value("x")


def test_a_wrong_name_raises_at_the_call() -> None:
    with pytest.raises(KeyError, match="did you mean CDOTAUserMsg_ChatEvent"):
        _demo([]).messages("CDOTAUserMsg_ChatEvnt")
    with pytest.raises(KeyError, match="no message of cs2 "):
        _demo([], "cs2").messages("DOTA_UM_ChatEvent")


def test_wrapped_messages_are_yielded_like_others() -> None:
    replay = _demo([wrap(_chat_event()), wrap((999, b"xyz")), wrap((2, b"?"))])
    assert [message.fields for message in replay.messages("DOTA_UM_ChatEvent")] == [KILL]
    assert [message.number for message in replay.messages("svc_UserMessage")] == [WRAPPER] * 3
    assert [row["message_id"] for row in replay.table("user_messages").to_pylist()] == [CHAT_EVENT, 999, 2]


def test_wrapped_chat_is_chat() -> None:
    say = wire.encode("CUserMessageSayText2", {"entityindex": 3, "param1": "Ann", "param2": "hello"})
    rows = _demo([wrap((SAY_TEXT_2, say))], "cs2").table("chat").to_pylist()
    assert [(row["player"], row["name"], row["text"]) for row in rows] == [(2, "Ann", "hello")]


def test_table_user_messages() -> None:
    rows = _demo([(4, b"\x08\x01"), _chat_event(), (999, b"xyz")]).table("user_messages").to_pylist()
    assert [json.loads(row.pop("fields") or "null") for row in rows] == [KILL, None]
    assert rows == [
        {"tick": 64, "seconds": 2.0, "message": "DOTA_UM_ChatEvent", "message_id": CHAT_EVENT, "data": None},
        {"tick": 64, "seconds": 2.0, "message": None, "message_id": 999, "data": b"xyz"},
    ]


def test_an_unreadable_message_is_kept_raw_and_is_a_problem() -> None:
    replay = _demo([(CHAT_EVENT, b"\x0a\x50"), _chat_event()])
    rows = replay.table("user_messages").to_pylist()
    assert [(row["fields"] is None, row["data"]) for row in rows] == [(True, b"\x0a\x50"), (False, None)]
    assert [message.fields for message in replay.messages(CHAT_EVENT)] == [KILL]
    (problem,) = replay.problems
    assert (problem.where, problem.tick) == ("DOTA_UM_ChatEvent", 64)


def test_an_unreadable_wrapper_is_a_problem() -> None:
    replay = _demo([(WRAPPER, b"\x12\x50"), _chat_event()])
    assert replay.table("user_messages").num_rows == 1
    assert len(list(replay.messages(CHAT_EVENT))) == 1
    assert [problem.where for problem in replay.problems] == ["svc_UserMessage"]


@pytest.mark.parametrize("most", [1000, pytest.param(MOST_IN_A_PACKET, marks=pytest.mark.slow_interpreted)])
def test_the_messages_of_a_packet_are_bounded(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("messages.packet", "playback.fast_path", "tables.message_columns"):
        monkeypatch.setattr(f"playhead.source2.{module}.MOST_IN_A_PACKET", most)
    replay = _demo([(999, b"")] * (most + 1))
    assert replay.table("user_messages").num_rows == most
    (problem,) = replay.problems
    assert (problem.kind, problem.tick) == ("LimitExceeded", 64)


def test_messages_of_other_games_are_kept_raw() -> None:
    (row,) = _demo([_chat_event()], "cs2").table("user_messages").to_pylist()
    assert (row["message"], row["fields"], row["data"]) == (None, None, _chat_event()[1])


DEATH = {
    "eventid": 7,
    "name": "player_death",
    "keys": [{"type": 4, "name": "userid"}, {"type": 1, "name": "weapon"}, {"type": 6, "name": "headshot"}],
}


def _event_list(*descriptors: dict[str, Any]) -> InnerMessage:
    return EVENT_LIST, wire.encode("CMsgSource1LegacyGameEventList", {"descriptors": descriptors})


def _event(number: int, *keys: dict[str, Any], **more: Any) -> InnerMessage:
    content = {"eventid": number, "keys": keys, **more}
    return EVENT, wire.encode("CMsgSource1LegacyGameEvent", content)


WEAPON = {"type": 1, "val_string": "knife"}


def test_game_events() -> None:
    replay = _demo(
        [
            _event_list(DEATH),
            _event(7, {"type": 4, "val_short": -2}, WEAPON, {"type": 6, "val_bool": True}, server_tick=1000),
            _event(7, {"type": 4}, WEAPON, {"type": 6, "val_bool": False}, {"type": 2, "val_float": 0.5}),
            _event(8, WEAPON),
        ]
    )
    rows = replay.table("game_events").to_pylist()
    assert [json.loads(row.pop("fields")) for row in rows] == [
        {"userid": -2, "weapon": "knife", "headshot": True},
        {"userid": None, "weapon": "knife", "headshot": False, "3": 0.5},
        {"0": "knife"},
    ]
    assert rows[0] == {
        "tick": 64,
        "seconds": 2.0,
        "event": "player_death",
        "descriptor_id": 7,
        "server_tick": 1000,
    }
    assert (rows[2]["event"], rows[2]["descriptor_id"]) == (None, 8)
    assert [event.descriptor_id for event in replay.game_events()] == [7, 7, 8]
    assert [event.fields["userid"] for event in replay.game_events("player_death")] == [-2, None]
    assert replay.table("user_messages").num_rows == 0
    assert replay.problems == ()


def test_a_repeated_descriptor_replaces_the_first() -> None:
    renamed = {"eventid": 7, "name": "other_death", "keys": [{"type": 1, "name": "how"}]}
    replay = _demo([_event_list(DEATH), _event(7, WEAPON), _event_list(renamed), _event(7, WEAPON)])
    assert [(event.name, event.fields) for event in replay.game_events()] == [
        ("player_death", {"userid": "knife"}),
        ("other_death", {"how": "knife"}),
    ]


@pytest.mark.parametrize("bad", [(EVENT, b"\x1a\x50"), (EVENT_LIST, b"\x0a\x50")])
def test_a_damaged_event_is_a_problem(bad: InnerMessage) -> None:
    replay = _demo([_event_list(DEATH), bad, _event(7, WEAPON)])
    assert replay.table("game_events").num_rows == 1
    assert [event.name for event in replay.game_events()] == ["player_death"]
    assert len(replay.problems) == 1
    strict = playhead.open(bytes(replay.source.data), strict=True)
    with pytest.raises(ReplayError):
        strict.table("game_events")


@given(
    st.lists(st.tuples(st.sampled_from([72, 118, 205, 207, 466, 612, 999]), st.binary(max_size=12)), max_size=6)
)
def test_any_content_gives_rows_or_problems(messages: list[InnerMessage]) -> None:
    replay = _demo(messages)
    tables = replay.read_tables(["chat", "game_events", "user_messages"])
    for number, data in messages:
        if number == 999:
            assert data in tables["user_messages"].column("data").to_pylist()
    list(replay.messages())
    list(replay.game_events())
    assert isinstance(replay.problems, tuple)


VALUES = {
    "string": st.text("aé中", max_size=4),
    "float": st.floats(width=32, allow_nan=False),
    "long": st.integers(-(2**31), 2**31 - 1),
    "short": st.integers(-(2**15), 2**15 - 1),
    "byte": st.integers(0, 255),
    "bool": st.booleans(),
    "uint64": st.integers(0, 2**64 - 1),
}


@given(st.fixed_dictionaries({}, optional=VALUES), st.none() | st.integers(0, 2**31 - 1))
def test_events_round_trip(values: dict[str, Any], server_tick: int | None) -> None:
    writer = GameEventWriter({"other": {}, "everything": {kind: kind for kind in VALUES}})
    replay = _demo([writer.event_list(), writer.event("everything", values, server_tick)])
    (event,) = replay.game_events()
    assert (event.name, event.descriptor_id, event.server_tick) == ("everything", 1, server_tick)
    assert event.fields == {**dict.fromkeys(VALUES), **values}


def test_the_writer_refuses_unknown_names() -> None:
    writer = GameEventWriter({"one": {"a": "long"}})
    with pytest.raises(KeyError, match="has no b"):
        writer.event("one", {"b": 1})
    with pytest.raises(KeyError, match="no definition"):
        encode_message("cs2", "CDOTAUserMsg_ChatEvent", {})


def test_the_sample_decodes_to_its_story() -> None:
    replay = open_as(Source2Replay, sample_demo())
    kills = [
        (event.tick, event.fields["killer1_userid"], event.fields["victim_userid"])
        for event in replay.game_events("dota_player_kill")
    ]
    assert kills == [(300, 2, 8), (640, 7, 1)]
    types = [message.value("type") for message in replay.messages("CDOTAUserMsg_ChatEvent")]
    assert types == ["CHAT_MESSAGE_HERO_KILL", "CHAT_MESSAGE_FIRSTBLOOD", "CHAT_MESSAGE_HERO_KILL"]
    pings = [message.value("location_ping")["x"] for message in replay.messages("DOTA_UM_LocationPing")]
    assert pings == [-1480, -1475, 3210]
    assert replay.table("user_messages").num_rows == 15
    assert replay.problems == ()


def commands_of(entries: list[dict[str, Any]], game: str = "cs2") -> list[ServerCommand]:
    return list(ServerCommands(game).read(wire.encode("CSVCMsg_UserCommands", {"commands": entries}, "cs2")))


def test_commands_that_a_server_records() -> None:
    base = {"client_tick": 77, "mousedx": -3}
    whole = wire.encode("CSGOUserCmdPB", {"base": base, "left_hand_desired": True}, "cs2")
    ticks = {"server_tick_executed": 80, "client_tick": 77}
    commands = [
        {"data": whole, "cmd_number": 5, "player_slot": 2, **ticks},
        {"cmd_number": 7, "player_slot": 2, "data": b""},
    ]
    assert commands_of(commands) == [
        ServerCommand(2, 5, 80, 77, UserCommand(5, base, {"left_hand_desired": True}), b""),
        ServerCommand(2, 7, None, None, UserCommand(7, {}, {}), b""),
    ]
    # The engine knows only the part that all games share; the rest keeps its numbers.
    (first, *_) = commands_of(commands, "dota2")
    assert first.command == UserCommand(5, base, {9: [1]})
    with pytest.raises(ReplayError):
        commands_of([{"data": whole[:-1]}])


_STEPS = [{"button": 1, "pressed": True, "when": 0.5}, {"button": 2}]
_FIRST = {"base": {"client_tick": 1, "mousedx": 4, "buttons_pb": {"buttonstate1": 8}, "subtick_moves": _STEPS}}
_LATER: list[dict[str, Any]] = [
    {"base": {"client_tick": 2, "mousedx": 4, "buttons_pb": {"buttonstate1": 8, "buttonstate2": 1}}},
    {"base": {"client_tick": 3, "subtick_moves": [{"button": 1}]}, "left_hand_desired": True},
    {
        "base": {"client_tick": 4, "subtick_moves": [{"button": 1}, *_STEPS]},
        "input_history": [{"frame_number": 9}],
    },
    {"base": {"client_tick": 4, "subtick_moves": [{"button": 1}, _STEPS[0], {"button": 3}]}},
]


def test_commands_sent_as_deltas() -> None:
    whole = {"data": wire.encode("CSGOUserCmdPB", _FIRST, "cs2"), "cmd_number": 9, "player_slot": 3}
    steps = itertools.pairwise([_FIRST, *_LATER])
    deltas = [encode_delta(before, after, "CSGOUserCmdPB", "cs2") for before, after in steps]
    entries = [{"delta_data": delta, "cmd_number": 10 + i, "player_slot": 3} for i, delta in enumerate(deltas)]
    found = commands_of([whole, *entries])
    assert [{"base": each.base, **each.own} for each in (one.command for one in found) if each] == [
        _FIRST,
        *_LATER,
    ]
    assert [bool(each.delta) for each in found] == [False, True, True, True, True]
    # Every command after a lost one is lost, up to the next whole one of that player.
    lost = commands_of([*entries[:2], whole, entries[2] | {"cmd_number": 8}, entries[3]])
    assert [each.command is None for each in lost] == [True, True, False, True, True]
    assert "found none" in str(lost[0].error)
    assert lost[3].error is None
    # A refused delta changes nothing: the next one applies to the command before it. One that cannot be decoded
    # takes those after it along.
    late, wrong = entries[0] | {"cmd_number": 3}, entries[1] | {"delta_data": b"\0"}
    assert [each.command is None for each in commands_of([whole, late, *entries])] == [False, True, *[False] * 4]
    assert [each.command is None for each in commands_of([whole, wrong, entries[2], whole, entries[0]])] == [
        *(False, True, True, False, False)
    ]


def test_states_of_buttons_within_a_tick() -> None:
    planes = {f"buttonstate{number + 1}": sum(1 << n for n in range(8) if n >> number & 1) for number in range(3)}
    entry = ServerCommand(0, 1, None, None, UserCommand(1, {"buttons_pb": planes}, {}), b"")
    columns = dict(zip(COMMAND_COLUMNS, command_values(entry), strict=True))
    # Up, down, down to up, up to down, up down up, down up down, down up down up, up down up down.
    assert columns["buttons"] == 0b10101010
    assert columns["buttons_pressed"] == 0b11111000
    assert columns["buttons_released"] == 0b11110100


@pytest.mark.parametrize(
    "delta",
    [
        bytes([0]),  # field 0
        bytes([0x0B]),  # wire type 3
        bytes([0x12, 2, 0x02, 0x00]),  # an element of an empty list
        bytes([0x12, 2, 0x87, 0x11]),  # 272 elements
        bytes([0x12, 1, 0x00]),  # an operation of wire type 0
        bytes([0x0A, 9]),  # longer than the bytes
    ],
)
def test_a_wrong_delta_costs_one_command(delta: bytes) -> None:
    whole = {"data": wire.encode("CSGOUserCmdPB", {}, "cs2"), "cmd_number": 1, "player_slot": 0}
    entries = [whole, {"delta_data": delta, "cmd_number": 2, "player_slot": 0}, whole | {"cmd_number": 3}]
    found = commands_of(entries)
    assert [each.command is None for each in found] == [False, True, False]
    assert isinstance(found[1].error, ReplayError)


def test_small_deltas_do_not_repeat_long_lists_without_end() -> None:
    whole = {"data": wire.encode("CSGOUserCmdPB", {}, "cs2"), "cmd_number": 1, "player_slot": 0}
    long = {"delta_data": bytes([0x12, 2, 0x87, 0x10]), "cmd_number": 2, "player_slot": 0}  # 256 elements
    again = [{"delta_data": bytes([0x48, 1]), "cmd_number": 3 + i, "player_slot": 0} for i in range(400)]
    found = commands_of([whole, long, *again])
    lost = [each for each in found if each.command is None]
    assert 0 < len(lost) < 200
    assert isinstance(lost[0].error, LimitExceeded)
    assert "found none" in str(lost[1].error)


def test_a_command_frame_of_a_game() -> None:
    data = wire.encode("CCitadelUserCmdPB", {"base": {"client_tick": 1}, "in_shop": True}, "deadlock")
    frame = wire.encode("CDemoUserCmd", {"cmd_number": 9, "data": bytes([len(data)]) + data})
    assert decode_user_command(frame, "deadlock") == UserCommand(9, {"client_tick": 1}, {"in_shop": True})
    assert decode_user_command(frame) == UserCommand(9, {"client_tick": 1}, {5: [1]})
