"""`Connection`: one visit of a client, with its identity over time; `Clients`: connections by client id and tick.

A client id is a slot that the server assigns to one client after another. `state.tracker` creates a `Connection`
for each visit, with an `Identity` for each change.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from playhead.model import Player
from playhead.runtime.records import dataclass, field, replace


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


@dataclass(frozen=True, slots=True)
class Identity:
    """Name and rights of a client from one tick on; None: not in the file.

    Attributes:
        name: None before the client sent its name.
        name_known_by: ``player_name``: the name assigned by the server (18.3 and later); ``start_info``,
            ``change_info``: the name requested by the client.
        clan, country, skin: as the client sent them; a server may have refused a change.
        protocol: 6 or 7.
        ddnet_version: number of the client's version, 20010 for 20.1; None also for other clients.
        ddnet_version_text: the version as the client writes it.
        connection_uuid: UUID that the client sent; None if it sent none, or zeros.
        team: DDRace team, 0 for none. Not recorded before 15.6.
        auth_level: rcon: 0 none, 1 helper, 2 moderator, 3 administrator. Not recorded before 11.0.3.
        auth_key: name of the key of its login.
        colors: colours of body and feet, as the game packs them; None if the skin has its own, and for 0.7.
    """

    name: str | None = None
    name_known_by: str | None = None
    clan: str | None = None
    country: int | None = None
    skin: str | None = None
    protocol: int | None = None
    ddnet_version: int | None = None
    ddnet_version_text: str | None = None
    connection_uuid: UUID | None = None
    team: int | None = None
    auth_level: int | None = None
    auth_key: str | None = None
    colors: tuple[int, int] | None = None


@dataclass(slots=True)
class Connection:
    """One connection of a client, from joining to leaving.

    Attributes:
        cid: its slot.
        tick: tick of the first message about it.
        known_by: the first evidence: ``join``; ``rejoin`` (same address again, without leaving); ``activity``: no
            JOIN, because the client stayed over a map change (servers before version_minor 6 and from 15 to 21
            record none then).
        number: number of the connection, from 0 in the order of first messages.
        identity: identity after the last message.
        history: (tick, identity) of every change; the identity is valid from the end of that tick on.
        ready_tick: tick at which it entered the game; None if not recorded (before 16.0) or if it never did.
        end_tick, reason: tick and reason of its end; None if the recording ends first.
        taken_over: (tick, number of the other connection) of each time that its client, after a timeout, came back
            in another connection and took this one over with its timeout code.
        took_over: number of the connection that this one took over; this one ended then.
    """

    cid: int
    tick: int
    known_by: str
    number: int = 0
    identity: Identity = field(default_factory=Identity)
    history: list[tuple[int, Identity]] = field(default_factory=list)
    ready_tick: int | None = None
    end_tick: int | None = None
    reason: str | None = None
    taken_over: list[tuple[int, int]] = field(default_factory=list)
    took_over: int | None = None

    def become(self, tick: int, **changes: Any) -> None:
        """Change fields of its identity from `tick` on."""
        changed = replace(self.identity, **changes)
        if changed == self.identity:
            return
        self.identity = changed
        if self.history and self.history[-1][0] == tick:
            self.history[-1] = (tick, changed)
        else:
            self.history.append((tick, changed))

    def at(self, tick: int) -> Identity:
        """Return its identity at the end of `tick`; before its first message, the first identity."""
        if not self.history:
            return self.identity
        index = bisect_right(self.history, tick, key=lambda change: change[0])
        return self.history[max(index - 1, 0)][1]

    def name_at(self, tick: int) -> str | None:
        """Return its name at the end of `tick`; before it sent a name, the first name that it sent."""
        name = self.at(tick).name
        if name is not None:
            return name
        # It never loses a name again.
        first = bisect_left(self.history, True, key=lambda change: change[1].name is not None)
        return self.history[first][1].name if first < len(self.history) else None

    def names(self) -> tuple[str, ...]:
        """Return every name it had, in order."""
        return tuple(dict.fromkeys(change.name for _, change in self.history if change.name is not None))

    @property
    def name(self) -> str | None:
        """The last name known."""
        return self.identity.name

    @property
    def name_known_by(self) -> str | None:
        """Source of `name`; see `Identity`."""
        return self.identity.name_known_by

    @property
    def clan(self) -> str | None:
        """The last clan known."""
        return self.identity.clan

    @property
    def country(self) -> int | None:
        """The last country known."""
        return self.identity.country

    @property
    def skin(self) -> str | None:
        """The last skin known."""
        return self.identity.skin

    @property
    def protocol(self) -> int | None:
        """6 or 7; None if unknown."""
        return self.identity.protocol


class Clients:
    """Connections by client id and tick, of a recording or the part read so far."""

    def __init__(self, connections: Iterable[Connection]) -> None:
        self.connections = tuple(connections)
        self._by_cid: dict[int, list[Connection]] = {}
        for connection in self.connections:
            self._by_cid.setdefault(connection.cid, []).append(connection)

    def connection(self, cid: int, tick: int) -> Connection | None:
        """Return the connection in a slot at the end of `tick`; None if the slot is empty."""
        visits = self._by_cid.get(cid, [])
        index = bisect_right(visits, tick, key=lambda visit: visit.tick)
        if not index:
            return None
        last = visits[index - 1]
        return last if last.end_tick is None or tick < last.end_tick else None

    def at(self, cid: int, tick: int) -> Identity | None:
        """Return the identity of a client id at the end of `tick`; None if the slot is empty."""
        connection = self.connection(cid, tick)
        return None if connection is None else connection.at(tick)

    def present(self, tick: int) -> dict[int, Identity]:
        """Return all clients connected at the end of `tick`, by client id."""
        found = ((cid, self.at(cid, tick)) for cid in sorted(self._by_cid))
        return {cid: identity for cid, identity in found if identity is not None}
