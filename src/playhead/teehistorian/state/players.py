"""The participants of a recording, as `Replay.players` has them."""

from __future__ import annotations

from collections.abc import Iterable

from playhead.model import Player
from playhead.teehistorian.state.connections import Connection


def players_of(connections: Iterable[Connection]) -> tuple[Player, ...]:
    """Return one for each client id and name that was ever connected, in the order of appearance."""
    by_identity: dict[tuple[int, str], list[Connection]] = {}
    for connection in connections:
        if connection.name is not None:
            by_identity.setdefault((connection.cid, connection.name), []).append(connection)
    return tuple(
        Player(
            player=cid,
            name=name,
            clan=found[-1].clan,
            character=found[-1].skin,
            details={
                "country": found[-1].country,
                "protocol": found[-1].protocol,
                "connected": [[c.tick, c.drop_tick] for c in found],
            },
        )
        for (cid, name), found in by_identity.items()
    )
