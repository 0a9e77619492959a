"""Recordings of servers that are not DDNet's, as their sources write them."""

from __future__ import annotations

from typing import Any

import pytest

import playhead
from playhead.teehistorian.network import NetworkRecord, encode_network, seven, six
from playhead.teehistorian.stream.messages import Finish, Join, NetMessage
from playhead.teehistorian.writing.writer import TeehistorianWriter

PARTS = ("standard", "", "", "standard", "standard", "standard")
NEW = (seven.StartInfo("new", "clan", 1, PARTS, (0,) * 6, (0,) * 6), seven.SetTeam(-1), seven.Kill())
OLD = (six.StartInfo("old", "clan", 1, "default", 0, 0, 0), six.SetTeam(-1), six.Kill())


def recording(version: str, *clients: tuple[NetworkRecord, ...], **header: Any) -> bytes:
    """Client 0, client 1 … join, and send these messages on ticks 10, 20 and 30."""
    writer = TeehistorianWriter({"version": "2", "server_version": version, "uuids": [], **header})
    for client in range(len(clients)):
        writer.record(Join(client))
    for place in range(3):
        writer.set_tick(10 + 10 * place)
        for client, messages in enumerate(clients):
            writer.record(NetMessage(client, encode_network(messages[place])))
            if not place:
                writer.tee_at(client, 100, 305)
    writer.record(Finish())
    return writer.to_bytes()


@pytest.mark.parametrize(
    ("version", "clients"),
    [
        ("jsxl's zcatch 0.7.3", [NEW]),
        ("0.7.3, 0.0.1", [NEW, NEW]),
        ("0.7/0.6, 10.3", [NEW, OLD, NEW]),
        ("0.6.4, 1.0.0", [OLD, OLD]),
    ],
)
def test_who_plays_and_what_they_sent(version: str, clients: list[tuple[NetworkRecord, ...]]) -> None:
    with playhead.open(recording(version, *clients)) as replay:
        expected = [("new", 7) if each is NEW else ("old", 6) for each in clients]
        assert [(player.name, player.details["protocol"]) for player in replay.players] == expected
        sent = replay.table("net_messages").to_pylist()
        assert [row["message"] for row in sent] == [
            kind for kind in ("start_info", "set_team", "kill") for _ in clients
        ]
        assert [row["protocol"] for row in sent] == [protocol for _, protocol in expected] * 3
        assert replay.problems == ()
