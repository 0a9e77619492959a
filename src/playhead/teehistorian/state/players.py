"""The participants of a recording, for `Replay.players`."""

from __future__ import annotations

from collections.abc import Iterable

from playhead.model import Player
from playhead.teehistorian.state.connections import Connection


def players_of(connections: Iterable[Connection]) -> tuple[Player, ...]:
    """Return one player per session, in the order of first messages; its number is the session's."""
    return tuple(
        Player(
            player=connection.number,
            name=connection.name,
            clan=connection.clan,
            character=connection.skin,
            details={
                "client": connection.cid,
                "names": list(connection.names()),
                "country": connection.country,
                "protocol": connection.protocol,
                "connected": [connection.tick, connection.end_tick],
            },
        )
        for connection in connections
    )
