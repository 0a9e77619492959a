"""The protobuf wire format: both directions, unknown fields kept, typed errors for damage."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.source2.messages import wire

I32 = st.integers(-(2**31), 2**31 - 1)
TEXT = st.text("aé\0中", max_size=6)
DOTA = st.fixed_dictionaries(
    {},
    optional={
        "match_id": st.integers(0, 2**64 - 1),
        "game_mode": I32,
        "player_info": st.lists(
            st.fixed_dictionaries({}, optional={"hero_name": TEXT, "is_fake_client": st.booleans()}),
            min_size=1,
            max_size=3,
        ),
    },
)
FILE_INFO = st.fixed_dictionaries(
    {},
    optional={
        "playback_time": st.floats(width=32, allow_nan=False),
        "playback_ticks": I32,
        "game_info": st.fixed_dictionaries({}, optional={"dota": DOTA}),
    },
)


@given(FILE_INFO)
def test_messages_round_trip(message: dict[str, Any]) -> None:
    assert wire.decode("CDemoFileInfo", wire.encode("CDemoFileInfo", message)) == message


@given(st.integers(0, 2**64 - 1), TEXT)
def test_fixed_width_fields(xuid: int, name: str) -> None:
    message = {"name": name, "xuid": xuid}
    assert wire.decode("CMsgPlayerInfo", wire.encode("CMsgPlayerInfo", message)) == message


# Computed by hand from the protobuf encoding document: key = number << 3 | wire type.
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\x10\x96\x01", {"playback_ticks": 150}),
        (b"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", {"playback_ticks": -1}),
        (b"\x0d\x00\x00\xc0\x3f", {"playback_time": 1.5}),
        (b"\xf8\x01\x05", {31: [5]}),
        (b"\x12\x01a\x12\x01b", {2: [b"a", b"b"]}),  # known number, another wire type
        (b"\xf9\x01ABCDEFGH\xfd\x01ABCD", {31: [0x4847464544434241, 0x44434241]}),
    ],
)
def test_bytes_and_unknown_fields(data: bytes, expected: dict[Any, Any]) -> None:
    assert wire.decode("CDemoFileInfo", data) == expected


def test_repeated_numbers_packed_or_not() -> None:
    packed = wire.decode("CGameInfo.CCSGameInfo", b"\x0a\x03\x01\x96\x01")
    loose = wire.decode("CGameInfo.CCSGameInfo", b"\x08\x01\x08\x96\x01")
    assert packed == loose == {"round_start_ticks": [1, 150]}


def test_invalid_utf8_is_replaced() -> None:
    assert wire.decode("CMsgPlayerInfo", b"\x0a\x02\xffx") == {"name": "\N{REPLACEMENT CHARACTER}x"}


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"\x10", TruncatedReplay),
        (b"\x12\x05ab", TruncatedReplay),
        (b"\x13", CorruptReplay),
        (b"\x0d\0", TruncatedReplay),
    ],
)
def test_damage(data: bytes, error: type[ReplayError]) -> None:
    with pytest.raises(error):
        wire.decode("CDemoFileInfo", data)


@given(st.binary(max_size=80))
def test_any_bytes_decode_or_raise_a_replay_error(data: bytes) -> None:
    for message in ("CDemoFileInfo", "CDemoStringTables", "CSVCMsg_ServerInfo"):
        with contextlib.suppress(ReplayError):
            assert isinstance(wire.decode(message, data), dict)


@given(st.lists(st.binary(max_size=20), min_size=1, max_size=3), st.integers(0, 2**32 - 1))
def test_one_field_without_the_rest(values: list[bytes], number: int) -> None:
    data = wire.encode("CDemoFullPacket", {"packet": {"data": values[0]}})
    packet = wire.field_bytes(data, 2)
    assert packet is not None
    assert wire.field_bytes(packet, 3) == values[0]
    assert wire.field_bytes(data, 1) is None


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(KeyError):
        wire.encode("CDemoFileInfo", {"nonsense": 1})


def test_a_field_of_another_wire_type_is_not_treated_as_missing() -> None:
    with pytest.raises(CorruptReplay, match="wire type 0"):
        wire.field_bytes(b"\x18\x05", 3)


def test_the_fields_beside_the_wanted_one_are_bounded() -> None:
    assert wire.field_bytes(b"\x78\x00" * 9 + b"\x1a\x01a", 3, 10) == b"a"
    with pytest.raises(LimitExceeded, match="more than 10 fields"):
        wire.field_bytes(b"\x78\x00" * 10 + b"\x1a\x01a", 3, 10)
