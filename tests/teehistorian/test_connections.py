from __future__ import annotations

from uuid import UUID

import pytest

from playhead import TruncatedReplay
from playhead.bits import ByteWriter
from playhead.teehistorian.state.connections import Clients, Identity
from playhead.teehistorian.state.tracker import ConnectionTracker
from playhead.teehistorian.stream import extensions as ex
from playhead.teehistorian.stream.extensions import encode_extension
from playhead.teehistorian.stream.messages import (
    ConsoleCommand,
    Drop,
    Extra,
    Finish,
    Join,
    Message,
    NetMessage,
    PlayerNew,
)


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


def follow(
    *messages: Message | ex.Extension, knows: tuple[str, ...] | None = None, version_minor: int | None = None
) -> ConnectionTracker:
    names = [record.extension_name for record in ex.EXTENSIONS.values()] if knows is None else knows
    tracker = ConnectionTracker(names, version_minor)
    for tick, message in enumerate(messages):
        tracker.on_message(tick, encode_extension(message) if isinstance(message, ex.Extension) else message)
    return tracker


def test_a_whole_visit() -> None:
    (one,) = follow(
        ex.JoinVersion7(4), Join(4), NetMessage(4, SEVEN), ex.PlayerName(4, "(1)bob"), NetMessage(4, SEVEN),
        PlayerNew(4, 0, 0), Drop(4, "bye \udcff"), Finish(),
    ).connections  # fmt: skip
    assert (one.cid, one.tick, one.known_by, one.protocol, one.end_tick, one.reason) == (
        4, 1, "join", 7, 6, "bye \ufffd",
    )  # fmt: skip
    assert (one.name, one.name_known_by, one.clan, one.country) == ("(1)bob", "player_name", "clan", 276)


def test_slots_are_reused_and_protocols_are_not_inherited() -> None:
    first, second = follow(
        ex.JoinVersion7(0), Join(0), Drop(0, ""), Join(0), NetMessage(0, SIX)
    ).connections  # fmt: skip
    assert (first.protocol, first.name, first.reason) == (7, None, "")
    assert (second.protocol, second.name, second.end_tick) == (6, "alice", None)


@pytest.mark.parametrize(
    "message", [NetMessage(3, b"\x2a"), PlayerNew(3, 1, 1), ex.PlayerName(3, "x"), ex.PlayerReady(3), Drop(3, "x")]
)
def test_players_that_stayed_over_a_map_change_are_known_by_what_they_do(message: Message) -> None:
    (one,) = follow(message, Finish()).connections
    assert (one.cid, one.tick, one.known_by, one.protocol) == (3, 0, "activity", None)


def test_rejoin_ends_one_connection_and_begins_another() -> None:
    first, second = follow(Join(1), NetMessage(1, SIX), ex.PlayerRejoin(1), NetMessage(1, SIX)).connections
    assert (first.end_tick, first.reason) == (2, None)
    assert (second.tick, second.known_by, second.name) == (2, "rejoin", "alice")


def test_a_damaged_extension_changes_nothing() -> None:
    tracker = ConnectionTracker()
    rare = tracker.on_message(0, Extra(ex.PlayerName.uuid, b"\x01unterminated"))
    assert isinstance(rare.damage, TruncatedReplay)
    assert rare.extension is None
    assert rare.record is rare.message
    assert tracker.connections == []


def test_a_rare_message_is_decoded_as_far_as_it_is_known() -> None:
    tracker = ConnectionTracker()
    assert tracker.on_message(0, encode_extension(ex.PlayerTeam(1, 5))).record == ex.PlayerTeam(1, 5)
    unknown = Extra(UUID(int=77), b"")
    assert tracker.on_message(0, unknown).record is unknown
    network = tracker.on_message(0, NetMessage(0, SIX)).network
    assert network is not None
    assert (network.kind, network.protocol) == ("start_info", 6)
    assert tracker.on_message(0, Join(0)).network is None


def test_identity_changes_with_time() -> None:
    tracker = follow(
        ex.JoinVersion6(2), Join(2), NetMessage(2, SIX), ex.DDNetVersionOld(2, 302), ex.AuthLogin(2, 3, "key"),
        ex.PlayerTeam(2, 7), NetMessage(2, start_info(21, b"other", clan=b"new")), ex.PlayerName(2, "other"),
        ex.AuthLogout(2), Drop(2, ""), ex.PlayerTeam(2, 0), Join(2), Finish(),
    )  # fmt: skip
    clients = Clients(tracker.connections)
    assert clients.at(2, 0) is None
    assert clients.at(2, 1) == Identity(protocol=6, team=0, auth_level=0)
    assert clients.at(2, 2) == Identity(
        "alice", "start_info", "clan", 276, "skin0", 6, team=0, auth_level=0, colors=(-1, -1)
    )
    expected = {
        "ddnet_version": [None, None, None, 302, 302, 302, 302, 302, 302],
        "auth_level": [None, 0, 0, 0, 3, 3, 3, 3, 0],
        "auth_key": [None, None, None, None, "key", "key", "key", "key", None],
        "team": [None, 0, 0, 0, 0, 7, 7, 7, 7],
        "clan": [None, None, "clan", "clan", "clan", "clan", "new", "new", "new"],
        "name": [None, None, "alice", "alice", "alice", "alice", "alice", "other", "other"],
    }
    for field, found in expected.items():
        assert [getattr(clients.at(2, tick), field, None) for tick in range(9)] == found, field
    assert clients.at(2, 9) is clients.at(2, 10) is None
    assert clients.at(2, 999) == Identity(team=0, auth_level=0)
    assert clients.at(3, 5) is None
    assert clients.present(5) == {2: clients.at(2, 5)}
    first, second = tracker.connections
    assert (first.number, second.number, clients.connection(2, 4)) == (0, 1, first)
    assert [tick for tick, _ in first.history] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert (first.name_at(1), first.name_at(6), first.name_at(7), second.name_at(50)) == (
        "alice", "alice", "other", None,
    )  # fmt: skip


def test_servers_that_cannot_record_something_leave_it_unknown() -> None:
    old = follow(Join(0), NetMessage(0, SIX), NetMessage(0, start_info(21, b"renamed")), knows=())
    (one,) = old.connections
    assert one.history[0][1] == Identity(protocol=6)  # 0.7 came with JOINVER7
    assert (one.name, one.name_known_by) == ("renamed", "change_info")
    assert (one.identity.team, one.identity.auth_level) == (None, None)
    stayed = follow(NetMessage(0, SIX), version_minor=18).connections[0]
    assert (stayed.known_by, stayed.identity.auth_level, stayed.identity.team) == ("activity", None, 0)
    assert follow(NetMessage(0, SIX), version_minor=9).connections[0].identity.auth_level == 0


def timeout(cid: int, code: str) -> ConsoleCommand:
    return ConsoleCommand(cid, 128, "timeout", (code,))


TAKEN_OVER = Drop(9, "Timeout Protection used")


def test_a_timeout_code_takes_the_old_slot_over() -> None:
    tracker = follow(
        ex.JoinVersion6(3), Join(3), NetMessage(3, SIX), timeout(3, "code"), timeout(4, "other"),
        ex.AuthLogin(3, 2, "key"), ex.JoinVersion7(9), Join(9), NetMessage(9, SEVEN),
        ex.DDNetVersion(9, UUID(int=5), 20010, "new"), timeout(9, "code"), TAKEN_OVER,
    )  # fmt: skip
    old, other, new = tracker.connections
    assert (new.took_over, new.end_tick, old.taken_over, old.end_tick) == (old.number, 11, [(11, 2)], None)
    assert old.at(10).protocol == 6
    assert old.identity == Identity(
        "alice", "start_info", "clan", 276, "skin0", 7, 20010, "new", UUID(int=5), 0, 0, None, (-1, -1),
    )  # fmt: skip
    assert other.taken_over == []


@pytest.mark.parametrize(
    "messages",
    [
        (timeout(3, "one"), timeout(9, "two"), TAKEN_OVER),
        (timeout(3, "one"), timeout(4, "one"), timeout(9, "one"), TAKEN_OVER),
        (timeout(3, "one"), Drop(3, ""), timeout(9, "one"), TAKEN_OVER),
        (timeout(3, "one"), timeout(9, "one"), Drop(9, "other reason")),
        (timeout(3, "one"), ConsoleCommand(9, 4, "timeout", ("one",)), Join(9), TAKEN_OVER),
        (ConsoleCommand(9, 128, "timeout", ()), Join(3), TAKEN_OVER),
    ],
    ids=["other code", "two with it", "gone", "no takeover", "rcon", "no code"],
)
def test_a_takeover_that_cannot_be_told_stays_unknown(messages: tuple[Message, ...]) -> None:
    for connection in follow(*messages).connections:
        assert (connection.took_over, connection.taken_over) == (None, [])


def test_a_rejoin_keeps_name_and_team_and_forgets_the_version() -> None:
    tracker = follow(
        Join(1), ex.PlayerName(1, "(1)bob"), ex.DDNetVersionOld(1, 5), ex.PlayerTeam(1, 4),
        ex.AuthLogin(1, 3, "k"),
        ex.PlayerRejoin(1), NetMessage(1, SEVEN),
    )  # fmt: skip
    _, second = tracker.connections
    identity = second.identity
    assert (identity.name, identity.team, identity.ddnet_version, identity.auth_level) == ("(1)bob", 4, None, 0)
