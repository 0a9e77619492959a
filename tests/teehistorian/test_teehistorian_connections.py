from __future__ import annotations

import pytest

from playhead import TruncatedReplay
from playhead.bits import ByteWriter
from playhead.teehistorian import extensions as ex
from playhead.teehistorian.connections import ConnectionTracker
from playhead.teehistorian.extensions import encode_extension
from playhead.teehistorian.messages import Drop, Extra, Finish, Join, Message, NetMessage, PlayerNew
from playhead.teehistorian.network import StartInfo, decode_start_info


def start_info(message: int, name: bytes, *, skins: int = 1, ints: int = 3, clan: bytes = b"clan") -> bytes:
    out = ByteWriter()
    out.write_packed_int(message << 1)
    out.write_cstring(name)
    out.write_cstring(clan)
    out.write_packed_int(276)
    for i in range(skins):
        out.write_cstring(b"skin%d" % i)
    for _ in range(ints):
        out.write_packed_int(-1)
    return out.to_bytes()


SIX = start_info(20, b"alice")
SEVEN = start_info(27, b"bob", skins=6, ints=12)


def follow(*messages: Message | ex.Extension) -> ConnectionTracker:
    tracker = ConnectionTracker()
    for tick, message in enumerate(messages):
        tracker.on_message(tick, encode_extension(message) if isinstance(message, ex.Extension) else message)
    return tracker


def test_start_info_of_both_protocols() -> None:
    assert decode_start_info(SIX, 6) == StartInfo(6, "alice", "clan", 276, "skin0")
    assert decode_start_info(SEVEN, 7) == StartInfo(7, "bob", "clan", 276, "skin0 skin1 skin2 skin3 skin4 skin5")
    for data in (SIX, SEVEN):
        assert decode_start_info(data, None) is not None
        assert decode_start_info(data + b"\0", None) is None
    assert decode_start_info(SIX + b"\0", 6) is not None
    assert decode_start_info(SIX, 7) is None
    assert decode_start_info(SEVEN, 6) is None
    for data in (b"", b"\x80", SIX[:1], SIX[:-1], start_info(21, b"changed")):
        assert decode_start_info(data, None) is None


def test_a_whole_visit() -> None:
    (one,) = follow(
        ex.JoinVersion7(4), Join(4), NetMessage(4, SEVEN), ex.PlayerName(4, "(1)bob"), NetMessage(4, SEVEN),
        PlayerNew(4, 0, 0), Drop(4, "bye \udcff"), Finish(),
    ).connections  # fmt: skip
    assert (one.cid, one.tick, one.known_by, one.protocol, one.drop_tick, one.reason) == (
        4, 1, "join", 7, 6, "bye \ufffd",
    )  # fmt: skip
    assert (one.name, one.name_source, one.clan, one.country) == ("(1)bob", "player_name", "clan", 276)


def test_slots_are_reused_and_protocols_are_not_inherited() -> None:
    first, second = follow(
        ex.JoinVersion7(0), Join(0), Drop(0, ""), Join(0), NetMessage(0, SIX)
    ).connections  # fmt: skip
    assert (first.protocol, first.name, first.reason) == (7, None, "")
    assert (second.protocol, second.name, second.drop_tick) == (6, "alice", None)


@pytest.mark.parametrize(
    "message", [NetMessage(3, b"\x2a"), PlayerNew(3, 1, 1), ex.PlayerName(3, "x"), ex.PlayerReady(3), Drop(3, "x")]
)
def test_players_that_stayed_over_a_map_change_are_known_by_what_they_do(message: Message) -> None:
    (one,) = follow(message, Finish()).connections
    assert (one.cid, one.tick, one.known_by, one.protocol) == (3, 0, "activity", None)


def test_rejoin_ends_one_connection_and_begins_another() -> None:
    first, second = follow(Join(1), NetMessage(1, SIX), ex.PlayerRejoin(1), NetMessage(1, SIX)).connections
    assert (first.drop_tick, first.reason) == (2, None)
    assert (second.tick, second.known_by, second.name) == (2, "rejoin", "alice")


def test_a_damaged_extension_raises_and_changes_nothing() -> None:
    tracker = ConnectionTracker()
    with pytest.raises(TruncatedReplay):
        tracker.on_message(0, Extra(ex.PlayerName.uuid, b"\x01unterminated"))
    assert tracker.connections == []
