"""Who was connected when, and who is behind a client id at any tick.

A client id is a slot that the server gives to one client after another. `ConnectionTracker` follows the messages
and keeps one `Connection` for each visit, with an `Identity` for every change of it; `Clients` answers for a tick.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from playhead.teehistorian.network import decode_network, may_tell_player, player_info
from playhead.teehistorian.stream.extensions import (
    EXTENSIONS,
    AuthInit,
    AuthLogin,
    AuthLogout,
    DDNetVersion,
    DDNetVersionOld,
    Extension,
    JoinVersion6,
    JoinVersion7,
    PlayerName,
    PlayerReady,
    PlayerRejoin,
    PlayerTeam,
    decode_extension,
)
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Extra, Join, Message, NetMessage, PlayerNew
from playhead.teehistorian.stream.text import printable

#: Flag of a console command that was typed into the chat.
CHAT_COMMAND = 128

_TAKEOVER_REASON = "timeout protection used"
_ALL_EXTENSIONS = frozenset(record.extension_name for record in EXTENSIONS.values())


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a client is and what it may, from one tick on. None is "the file does not tell".

    Attributes:
        name: None for a client that has not told one yet.
        name_source: ``player_name``: the name that the server gave (18.3 and later); ``start_info``,
            ``change_info``: the one that the client asked for.
        clan, country, skin: as the client told them; a server may have refused a change.
        protocol: 6 or 7.
        ddnet_version: number of the client's version, 20010 for 20.1; None also for other clients.
        ddnet_version_text: the version as the client writes it.
        connection_id: what the client calls itself; None if it does not, or all zero.
        team: DDRace team, 0 for none. Not recorded before 15.6.
        auth_level: rcon: 0 none, 1 helper, 2 moderator, 3 administrator. Not recorded before 11.0.3.
        auth_key: the key it logged in with.
    """

    name: str | None = None
    name_source: str | None = None
    clan: str | None = None
    country: int | None = None
    skin: str | None = None
    protocol: int | None = None
    ddnet_version: int | None = None
    ddnet_version_text: str | None = None
    connection_id: UUID | None = None
    team: int | None = None
    auth_level: int | None = None
    auth_key: str | None = None


@dataclass(slots=True)
class Connection:
    """One connection of a client, from joining to leaving.

    Attributes:
        cid: its slot.
        tick: tick of the first message about it.
        known_by: how it is known: ``join``; ``rejoin`` (same address again, without leaving); ``activity``: there
            is no JOIN, because the client stayed over a map change (servers before version_minor 6 and from 15 to
            21 record none then).
        number: counts connections from 0 in the order of their first message.
        identity: who it is by the last message.
        history: (tick, identity) of every change; the identity holds from the end of that tick on.
        ready_tick: when it entered the game; None if that is not recorded (before 16.0) or did not happen.
        drop_tick, reason: when and why it ended; None if the recording ends first.
        taken_over: (tick, number of the other connection) of each time that a client which had timed out came
            back as another connection and took this one over with its timeout code.
        took_over: number of the connection that this one took over; its own ended with that.
    """

    cid: int
    tick: int
    known_by: str
    number: int = 0
    identity: Identity = field(default_factory=Identity)
    history: list[tuple[int, Identity]] = field(default_factory=list)
    ready_tick: int | None = None
    drop_tick: int | None = None
    reason: str | None = None
    taken_over: list[tuple[int, int]] = field(default_factory=list)
    took_over: int | None = None

    def become(self, tick: int, **changes: Any) -> None:
        """From `tick` on these fields of its identity are others."""
        changed = replace(self.identity, **changes)
        if changed == self.identity:
            return
        self.identity = changed
        if self.history and self.history[-1][0] == tick:
            self.history[-1] = (tick, changed)
        else:
            self.history.append((tick, changed))

    def at(self, tick: int) -> Identity:
        """Who it was at the end of `tick`; before its first message, who it was at that."""
        if not self.history:
            return self.identity
        index = bisect_right(self.history, tick, key=lambda change: change[0])
        return self.history[max(index - 1, 0)][1]

    def name_at(self, tick: int) -> str | None:
        """Its name at the end of `tick`; before it told one, the first that it told."""
        name = self.at(tick).name
        if name is not None:
            return name
        return next((identity.name for _, identity in self.history if identity.name is not None), None)

    def names(self) -> tuple[str, ...]:
        """Every name it had, in order."""
        return tuple(dict.fromkeys(change.name for _, change in self.history if change.name is not None))

    @property
    def name(self) -> str | None:
        """The last name known."""
        return self.identity.name

    @property
    def name_source(self) -> str | None:
        """Where `name` is from; see `Identity`."""
        return self.identity.name_source

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
        """6 or 7; None if nothing tells."""
        return self.identity.protocol


class Clients:
    """Who is behind a client id at a tick, for a recording or the part of one that was read."""

    def __init__(self, connections: Iterable[Connection]) -> None:
        self.connections = tuple(connections)
        self._by_cid: dict[int, list[Connection]] = {}
        for connection in self.connections:
            self._by_cid.setdefault(connection.cid, []).append(connection)

    def connection(self, cid: int, tick: int) -> Connection | None:
        """The connection in a slot at the end of `tick`; None if the slot is empty."""
        visits = self._by_cid.get(cid, [])
        index = bisect_right(visits, tick, key=lambda visit: visit.tick)
        if not index:
            return None
        last = visits[index - 1]
        return last if last.drop_tick is None or tick < last.drop_tick else None

    def at(self, cid: int, tick: int) -> Identity | None:
        """Who is behind a client id at the end of `tick`; None if nobody is."""
        connection = self.connection(cid, tick)
        return None if connection is None else connection.at(tick)

    def present(self, tick: int) -> dict[int, Identity]:
        """Everybody connected at the end of `tick`, by client id."""
        found = ((cid, self.at(cid, tick)) for cid in sorted(self._by_cid))
        return {cid: identity for cid, identity in found if identity is not None}


class ConnectionTracker:
    """Follows the messages and keeps every connection, in the order of their first message."""

    def __init__(self, knows: Collection[str] = _ALL_EXTENSIONS, version_minor: int | None = None) -> None:
        """
        Args:
            knows: names of the extensions that the server can record: what is not recorded although the server
                could did not happen; what it cannot record is unknown.
            version_minor: of the file.
        """
        self.connections: list[Connection] = []
        self._open: dict[int, Connection] = {}
        # Servers that cannot record JOINVER7 speak 0.6 only.
        self._first_protocol = None if JoinVersion6.extension_name in knows else 6
        self._announced_protocols: dict[int, int] = {}
        self._first_team = 0 if PlayerTeam.extension_name in knows else None
        self._teams: dict[int, int] = {}
        self._first_auth_level = 0 if AuthLogin.extension_name in knows else None
        # From 15 to 21 the logins of those who stayed over a map change are not recorded.
        self._stayed_auth_level = None if version_minor in range(15, 22) else self._first_auth_level
        self._server_tells_names = PlayerName.extension_name in knows
        self._timeout_codes: dict[int, str] = {}

    @classmethod
    def for_header(cls, header: Header) -> ConnectionTracker:
        """For the messages behind `header`."""
        if header.version >= 2 and "uuids" not in header.fields:
            return cls()  # no server's head: it does not tell what could be recorded
        return cls(header.extension_names, header.version_minor)

    def current(self, cid: int) -> Connection | None:
        """The connection in a slot now."""
        return self._open.get(cid)

    def on_message(self, tick: int, message: Message) -> Extension | None:
        """Take one message; those that say nothing of connections change nothing. Gives a decoded extension back.

        Raises:
            TruncatedReplay: an extension's payload is too short; nothing changed.
        """
        match message:
            case PlayerNew(cid):  # the most frequent first
                self._current(cid, tick)
            case NetMessage(cid, data):
                self._on_network(cid, tick, data)
            case Join(cid):
                self._join(cid, tick)
            case Drop(cid, reason):
                self._end(cid, tick, reason)
            case ConsoleCommand(cid, flags, "timeout", arguments) if cid >= 0 and flags & CHAT_COMMAND:
                if arguments:
                    self._timeout_codes[self._current(cid, tick).number] = arguments[0]
            case Extra():
                extension = decode_extension(message)
                self._on_extension(tick, extension)
                return extension
            case _:
                pass
        return None

    def _join(self, cid: int, tick: int) -> None:
        known = self._open.get(cid)
        if known is not None and known.known_by == "activity" and known.tick == tick:
            # AUTH_INIT comes before the JOIN of those who stayed over a map change.
            known.known_by = "join"
            known.become(tick, protocol=self._announced_protocols.pop(cid, known.protocol))
        else:
            self._start(cid, tick, "join")

    def protocol(self, cid: int) -> int | None:
        """Protocol that the client speaks now, 6 or 7; None if nothing tells."""
        connection = self._open.get(cid)
        return None if connection is None else connection.protocol

    def _start(self, cid: int, tick: int, known_by: str) -> Connection:
        former = self._open.pop(cid, None)
        if former is not None:  # a damaged or foreign file; a server never does that
            former.drop_tick = tick
        stayed = known_by == "activity"
        identity = Identity(
            protocol=self._announced_protocols.pop(cid, self._first_protocol),
            team=self._teams.get(cid, self._first_team),
            auth_level=self._stayed_auth_level if stayed else self._first_auth_level,
        )
        connection = Connection(cid, tick, known_by, len(self.connections), identity, [(tick, identity)])
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
        if reason.lower() == _TAKEOVER_REASON:
            self._take_over(connection, tick)
        self._timeout_codes.pop(connection.number, None)

    def _take_over(self, new: Connection, tick: int) -> None:
        """A client that came back used its timeout code: its old slot goes on with the new connection.

        Which slot that is follows from an earlier ``timeout`` command with the same code; it stays unknown if none
        is in this recording or several are.
        """
        code = self._timeout_codes.get(new.number)
        found = [c for c in self._open.values() if code is not None and self._timeout_codes.get(c.number) == code]
        if len(found) != 1:
            return
        (old,) = found
        new.took_over = old.number
        old.taken_over.append((tick, new.number))
        old.become(
            tick,
            protocol=new.identity.protocol,
            ddnet_version=new.identity.ddnet_version,
            ddnet_version_text=new.identity.ddnet_version_text,
            connection_id=new.identity.connection_id,
            auth_level=self._first_auth_level,
            auth_key=None,
        )

    def _on_network(self, cid: int, tick: int, data: bytes) -> None:
        connection = self._current(cid, tick)
        if not may_tell_player(data):
            return
        message = decode_network(data, connection.protocol)
        info = player_info(message.record)
        if info is None:
            return
        changes: dict[str, Any] = {"protocol": message.protocol, "skin": printable(info.skin)}
        if info.clan is not None:
            changes["clan"] = printable(info.clan)
            changes["country"] = info.country
        if info.name is not None and self._may_rename(connection, info.entering):
            changes["name"] = printable(info.name)
            changes["name_source"] = "start_info" if info.entering else "change_info"
        connection.become(tick, **changes)

    def _may_rename(self, connection: Connection, entering: bool) -> bool:
        # A server that tells names says PLAYER_NAME whenever one changes. It says nothing if a player that stayed
        # over a map change enters with the name it had.
        return connection.name_source != "player_name" and (entering or not self._server_tells_names)

    def _on_extension(self, tick: int, extension: Extension | None) -> None:
        match extension:
            case JoinVersion6(cid):
                self._announced_protocols[cid] = 6
            case JoinVersion7(cid):
                self._announced_protocols[cid] = 7
            case PlayerRejoin(cid):
                self._rejoin(cid, tick)
            case PlayerName(cid, name):
                self._current(cid, tick).become(tick, name=printable(name), name_source="player_name")
            case PlayerReady(cid):
                self._current(cid, tick).ready_tick = tick
            case PlayerTeam(cid, team):
                self._teams[cid] = team
                if cid in self._open:
                    self._open[cid].become(tick, team=team)
            case AuthInit(cid, level, key) | AuthLogin(cid, level, key):
                self._current(cid, tick).become(tick, auth_level=level, auth_key=printable(key))
            case AuthLogout(cid):
                self._current(cid, tick).become(tick, auth_level=0, auth_key=None)
            case DDNetVersionOld(cid, version):
                self._current(cid, tick).become(tick, ddnet_version=version)
            case DDNetVersion(cid, connection_id, version, text):
                self._current(cid, tick).become(
                    tick,
                    ddnet_version=version,
                    ddnet_version_text=printable(text),
                    connection_id=connection_id if connection_id.int else None,
                )
            case _:
                pass

    def _rejoin(self, cid: int, tick: int) -> None:
        """The server forgets what it knew of the client's version, and keeps its name."""
        former = self._open.pop(cid, None)
        connection = self._start(cid, tick, "rejoin")
        if former is not None:
            former.drop_tick = tick
            former.reason = None
            connection.become(tick, name=former.name, name_source=former.name_source)
