"""Who was connected when, under which name: one record for each connection to the server."""

from __future__ import annotations

from dataclasses import dataclass

from playhead.teehistorian.extensions import (
    Extension,
    JoinVersion6,
    JoinVersion7,
    PlayerName,
    PlayerReady,
    PlayerRejoin,
    decode_extension,
)
from playhead.teehistorian.messages import Drop, Extra, Join, Message, NetMessage, PlayerNew
from playhead.teehistorian.network import decode_start_info
from playhead.teehistorian.text import printable


@dataclass(slots=True)
class Connection:
    """One connection of a client, from joining to leaving.

    Attributes:
        cid: its slot.
        tick: tick of the first message about it.
        known_by: how it is known: ``join``; ``rejoin`` (same address again, without leaving); ``activity``: there
            is no JOIN, because the client stayed over a map change (servers before version_minor 6 and from 15 to
            21 record none then).
        drop_tick, reason: when and why it ended; None if the recording ends first.
        protocol: 6 or 7; None if nothing tells.
        name: the last name known; None for a client that left before it told one.
        name_source: ``player_name``: the name that the server gave; ``start_info``: the one that the client asked
            for.
        clan, country, skin: as the client told them first.
    """

    cid: int
    tick: int
    known_by: str
    protocol: int | None = None
    drop_tick: int | None = None
    reason: str | None = None
    name: str | None = None
    name_source: str | None = None
    clan: str | None = None
    country: int | None = None
    skin: str | None = None


class ConnectionTracker:
    """Follows the messages and keeps every connection, in the order of their first message."""

    def __init__(self) -> None:
        self.connections: list[Connection] = []
        self._open: dict[int, Connection] = {}
        self._protocols: dict[int, int] = {}

    def on_message(self, tick: int, message: Message) -> None:
        """Take one message; those that say nothing of connections are ignored.

        Raises:
            TruncatedReplay: an extension's payload is too short; nothing changed.
        """
        match message:
            case Join(cid):
                self._start(cid, tick, "join")
            case Drop(cid, reason):
                self._end(cid, tick, reason)
            case NetMessage(cid, data):
                self._on_network(cid, tick, data)
            case PlayerNew(cid):
                self._current(cid, tick)
            case Extra():
                self._on_extension(tick, decode_extension(message))
            case _:
                pass

    def protocol(self, cid: int) -> int | None:
        """Protocol that the client speaks now, 6 or 7; None if nothing tells."""
        connection = self._open.get(cid)
        return None if connection is None else connection.protocol

    def _start(self, cid: int, tick: int, known_by: str) -> Connection:
        connection = Connection(cid, tick, known_by, self._protocols.pop(cid, None))
        self._open[cid] = connection
        self.connections.append(connection)
        return connection

    def _current(self, cid: int, tick: int) -> Connection:
        return self._open.get(cid) or self._start(cid, tick, "activity")

    def _end(self, cid: int, tick: int, reason: str) -> None:
        connection = self._current(cid, tick)
        connection.drop_tick = tick
        connection.reason = printable(reason)
        del self._open[cid]

    def _on_network(self, cid: int, tick: int, data: bytes) -> None:
        connection = self._current(cid, tick)
        info = decode_start_info(data, connection.protocol)
        if info is None:
            return
        connection.protocol = info.protocol
        connection.clan = printable(info.clan)
        connection.country = info.country
        connection.skin = printable(info.skin)
        if connection.name_source != "player_name":
            connection.name = printable(info.name)
            connection.name_source = "start_info"

    def _on_extension(self, tick: int, extension: Extension | None) -> None:
        match extension:
            case JoinVersion6(cid):
                self._protocols[cid] = 6
            case JoinVersion7(cid):
                self._protocols[cid] = 7
            case PlayerRejoin(cid):
                former = self._open.pop(cid, None)
                if former is not None:
                    former.drop_tick = tick
                    former.reason = None
                self._start(cid, tick, "rejoin")
            case PlayerName(cid, name):
                connection = self._current(cid, tick)
                connection.name = printable(name)
                connection.name_source = "player_name"
            case PlayerReady(cid):
                self._current(cid, tick)
            case _:
                pass
