from __future__ import annotations

from dataclasses import fields
from typing import get_args, get_origin, get_type_hints
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.bits import ByteWriter
from playhead.teehistorian.network import (
    NetworkRecord,
    PlayerInfo,
    decode_network,
    encode_network,
    extended,
    may_describe_player,
    player_info,
    seven,
    six,
)
from playhead.teehistorian.network.records import record_fields
from playhead.teehistorian.stream.extensions import named_uuid

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
TEXT = st.binary(max_size=20).map(lambda raw: raw.replace(b"\0", b"").decode("utf-8", "surrogateescape"))
RECORDS: list[tuple[int | None, type[NetworkRecord]]] = [
    *[(6, record) for record in six.MESSAGES.values()],
    *[(7, record) for record in seven.MESSAGES.values()],
    *[(None, record) for record in extended.MESSAGES.values()],
]


def values(hint: object) -> st.SearchStrategy[object]:
    if get_origin(hint) is tuple:
        return st.tuples(*map(values, get_args(hint)))
    return TEXT if hint is str else INT32


@given(st.data())
def test_every_record_reads_back_and_ends_where_its_fields_end(data: st.DataObject) -> None:
    protocol, kind = data.draw(st.sampled_from(RECORDS))
    hints = get_type_hints(kind)
    record = kind(*[data.draw(values(hints[field.name])) for field in fields(kind)])  # type: ignore[arg-type]
    payload = encode_network(record)
    message = decode_network(payload + b"\1x", protocol)
    assert message.record == record
    assert (message.protocol, message.number, message.kind) == (protocol, kind.number, kind.kind)
    assert (message.uuid, message.system, message.rest) == (kind.uuid, False, b"\1x")


@given(st.binary(max_size=60), st.sampled_from([6, 7, None]))
def test_any_bytes_are_a_message_of_some_sort(payload: bytes, protocol: int | None) -> None:
    message = decode_network(payload, protocol)
    assert payload.endswith(message.rest)
    if message.record is not None:
        assert message.kind == message.record.kind
        again = decode_network(encode_network(message.record), message.protocol)
        assert again.record == message.record


@pytest.mark.parametrize(
    ("payload", "protocol", "record"),
    [
        # As recorded by real servers.
        (
            b"(alice\0red\0@default\0\1\x80\xfe\7\xbf\3",
            6,
            six.StartInfo("alice", "red", -1, "default", 1, 65408, 255),
        ),
        (b"4\xae\4", 6, six.IsDDNetLegacy(302)),
        (b"4\1\1", 7, seven.SetSpectatorMode(1, 1)),
        (b">\1", 6, six.ShowOthersLegacy(1)),
        (b">\1", 7, seven.Vote(1)),
        (b"$@", 6, six.SetTeam(-1)),
        (b",", 6, six.Kill()),
        (b"8", 7, seven.Kill()),
        (b"\x8e\1rank\0\0", 7, seven.Command("rank", "")),
        (
            b"\0S\xbb(\xafBR:\xc9\x8f\xd3l\xcb\xc2\xa6\3\xe3\x9c\x17\x84\x0e",
            7,
            extended.ShowDistance(1500, 900),
        ),
    ],
)
def test_recorded_messages(payload: bytes, protocol: int, record: NetworkRecord) -> None:
    message = decode_network(payload, protocol)
    assert (message.record, message.protocol, message.rest) == (record, protocol, b"")
    assert encode_network(record) == payload


def test_the_same_number_means_different_things() -> None:
    assert six.MESSAGES[24].kind == "vote"
    assert seven.MESSAGES[24].kind == "say"
    assert six.StartInfo.kind == seven.StartInfo.kind == "start_info"
    assert six.IsDDNetLegacy.kind == "is_ddnet_legacy"


def test_a_message_that_fits_one_protocol_tells_it() -> None:
    start = encode_network(six.StartInfo("a", "b", 1, "c", 0, 0, 0))
    assert decode_network(start, None).protocol == 6
    assert decode_network(start + b"\0", None).record is None
    assert decode_network(start + b"\0", 6).record is not None
    assert decode_network(start, 7).record is None
    both = encode_network(six.ShowOthersLegacy(1))
    assert both == encode_network(seven.Vote(1))
    unclear = decode_network(both, None)
    assert (unclear.protocol, unclear.number, unclear.kind, unclear.record, unclear.rest) == (
        None, 31, None, None, b"\1",
    )  # fmt: skip


def test_old_clients_leave_out_their_version() -> None:
    message = decode_network(b"4", 6)
    assert message.record == six.IsDDNetLegacy(None)
    assert encode_network(six.IsDDNetLegacy(None)) == b"4"
    assert record_fields(six.IsDDNetLegacy(None)) == {}
    assert record_fields(six.IsDDNetLegacy(302)) == {"version": 302}


def test_unknown_and_malformed_messages_keep_number_uuid_and_bytes() -> None:
    unknown = decode_network(b"\x8e\2rest", 6)
    assert (unknown.number, unknown.kind, unknown.record, unknown.rest) == (71, None, None, b"rest")
    cut = decode_network(b"(alice\0red", 6)
    assert (cut.number, cut.kind, cut.record, cut.rest) == (20, "start_info", None, b"alice\0red")
    stranger = named_uuid("new@mod.example")
    ex = decode_network(b"\0" + stranger.bytes + b"\5", 6)
    assert (ex.number, ex.uuid, ex.record, ex.rest) == (0, stranger, None, b"\5")
    for payload in (b"", b"\x80", b"\0" + bytes(15)):
        nothing = decode_network(payload, 6)
        assert (nothing.number, nothing.record, nothing.rest) == (None, None, payload)
    system = decode_network(b"\x29alice\0", 6)
    assert (system.system, system.number, system.record, system.rest) == (True, 20, None, b"alice\0")


def test_uuids_are_those_of_the_files() -> None:
    assert extended.ShowDistance.uuid == UUID("53bb28af-4252-3ac9-8fd3-6ccbc2a603e3")
    assert extended.ShowDistance.extended_name == "show-distance@netmsg.ddnet.tw"


def test_what_a_client_says_of_itself() -> None:
    parts = ("standard", "", "", "standard", "standard", "standard")
    none = (0,) * 6
    assert player_info(six.StartInfo("a", "b", 1, "c", 0, 0, 0)) == PlayerInfo(True, "a", "b", 1, "c")
    assert player_info(six.ChangeInfo("a", "b", 1, "c", 0, 0, 0)) == PlayerInfo(False, "a", "b", 1, "c")
    joined = " ".join(parts)
    assert player_info(seven.StartInfo("a", "b", 1, parts, none, none)) == PlayerInfo(True, "a", "b", 1, joined)
    assert player_info(seven.SkinChange(parts, none, none)) == PlayerInfo(False, None, None, None, joined)
    assert player_info(six.Kill()) is player_info(None) is None


def test_a_written_message_is_what_the_format_says() -> None:
    out = ByteWriter()
    out.write_packed_int(32 << 1)
    for text in (b"kick", b"3", b"spam"):
        out.write_cstring(text)
    out.write_packed_int(1)
    assert encode_network(seven.CallVote("kick", "3", "spam", 1)) == out.to_bytes()


@given(st.binary(max_size=40), st.sampled_from([6, 7, None]))
def test_the_quick_look_misses_nothing(payload: bytes, protocol: int | None) -> None:
    for data in (payload, b"\x28" + payload, b"\xa8\0" + payload + bytes(9), b"\x84\1" + payload):
        if player_info(decode_network(data, protocol).record) is not None:
            assert may_describe_player(data)
    assert not may_describe_player(b"")
    assert not may_describe_player(encode_network(six.Kill()))
