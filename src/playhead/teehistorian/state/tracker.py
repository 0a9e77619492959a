"""`ConnectionTracker`: tracks connections by rare messages, and finds the connection that a message is about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Protocol

from playhead.errors import LimitExceeded, TruncatedReplay
from playhead.runtime.records import replace
from playhead.teehistorian.network import NetworkMessage, decode_network, may_describe_player, player_info
from playhead.teehistorian.state.connections import Connection, Identity
from playhead.teehistorian.stream import extensions
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import (
    MAX_CLIENTS,
    ConsoleCommand,
    Drop,
    Extra,
    Join,
    Message,
    NetMessage,
    PlayerNew,
)
from playhead.teehistorian.stream.text import printable

#: Flag of a console command that was typed into the chat.
CHAT_COMMAND = 128

_TAKEOVER_REASON = "timeout protection used"
_ALL_EXTENSIONS = frozenset(record.extension_name for record in extensions.EXTENSIONS.values())


def command_origin(cid: int, flags: int) -> str:
    """Return ``chat``, ``rcon`` or ``server``; see table ``commands``."""
    if flags & CHAT_COMMAND:
        return "chat"
    return "rcon" if cid >= 0 else "server"


class RareMessage:
    """One rare message, decoded once for all handlers.

    Attributes:
        tick: its tick.
        message: the message as recorded.
        clients: the connections after this message.
        connection: the connection that it is about, after this message. For a DROP, and for later messages about
            the same client on that and the next tick, the ended connection. None if there is none or it is
            unknown.
        extension: the decoded extension, if it is known and complete.
        damage: the error of a known extension that cannot be decoded.
    """

    __slots__ = ("_network", "clients", "connection", "damage", "extension", "message", "tick")

    def __init__(self, tick: int, message: Message, clients: ConnectionTracker) -> None:
        self.tick = tick
        self.message = message
        self.clients = clients
        self.connection: Connection | None = None
        self.extension: extensions.Extension | None = None
        self.damage: TruncatedReplay | None = None
        self._network: NetworkMessage | None = None
        if isinstance(message, Extra):
            try:
                self.extension = extensions.decode_extension(message)
            except TruncatedReplay as error:
                self.damage = error

    @property
    def network(self) -> NetworkMessage | None:
        """The network message, decoded by the protocol of its client; None for other messages."""
        message = self.message
        if self._network is None and isinstance(message, NetMessage):
            self._network = decode_network(message.data, self.clients.protocol(message.cid))
        return self._network

    @property
    def client(self) -> int | None:
        """The client id in the message; None if it has none."""
        found = getattr(self.extension or self.message, "cid", None)
        return None if found is None else int(found)

    @property
    def record(self) -> Message | extensions.Extension | NetworkMessage:
        """The decoded message, or the raw one if its type is unknown."""
        return self.extension or self.network or self.message


class ConnectionTracker:
    """Tracks all connections, in the order of their first messages."""

    def __init__(
        self,
        knows: Collection[str] = _ALL_EXTENSIONS,
        version_minor: int | None = None,
        max_sessions: int | None = None,
        *,
        only_protocol: int | None = 6,
    ) -> None:
        """
        Args:
            knows: names of the extensions that the server can record. If such an extension is missing, its event
                did not happen; events of other extensions are unknown.
            version_minor: version of the file.
            max_sessions: largest number of connections; `on_message` raises LimitExceeded for one more. None for
                no limit.
            only_protocol: the protocol of a server that cannot record JOINVER7; None if it may speak both: the
                form of each client's start info decides.
        """
        self._max_sessions = max_sessions
        self.connections: list[Connection] = []
        self._open: dict[int, Connection] = {}
        self._left: dict[int, Connection] = {}  # the last ended connection of each slot
        self._first_protocol = None if extensions.JoinVersion6.extension_name in knows else only_protocol
        self._announced_protocols: dict[int, int] = {}
        self._first_team = 0 if extensions.PlayerTeam.extension_name in knows else None
        self._teams: dict[int, int] = {}
        self._first_auth_level = 0 if extensions.AuthLogin.extension_name in knows else None
        # From 15 to 21, logins of clients that stayed over a map change are not recorded.
        self._stayed_auth_level = None if version_minor in range(15, 22) else self._first_auth_level
        self._server_records_names = extensions.PlayerName.extension_name in knows
        self._timeout_codes: dict[int, str] = {}

    @classmethod
    def for_header(cls, header: Header, max_sessions: int) -> ConnectionTracker:
        """Return a tracker for the messages after `header`."""
        if header.version >= 2 and "uuids" not in header.fields:
            return cls(max_sessions=max_sessions)  # not a server's header: the list of extensions is missing
        # DDNet's servers without JOINVER7, and the mods of their time, speak 0.6 only; others are based on 0.7.
        only = 6 if (header.text("server_version") or "0.6").startswith("0.6") else None
        return cls(header.extension_names, header.version_minor, max_sessions, only_protocol=only)

    def current(self, cid: int) -> Connection | None:
        """Return the current connection of a slot."""
        return self._open.get(cid)

    def on_message(self, tick: int, message: Message) -> RareMessage:
        """Decode one message and update the connections.

        Messages that are not about connections, and damaged extensions, change nothing.
        """
        rare = RareMessage(tick, message, self)
        match message:
            case PlayerNew(cid):  # the most frequent first
                self._current(cid, tick)
            case NetMessage():
                self._on_network(message, rare)
            case Join(cid):
                self._join(cid, tick)
            case Drop(cid, reason):
                self._end(cid, tick, reason)
            case ConsoleCommand(cid, flags, "timeout", arguments) if cid >= 0 and flags & CHAT_COMMAND:
                if arguments:
                    self._timeout_codes[self._current(cid, tick).number] = arguments[0]
            case Extra() if rare.extension is not None:
                self._on_extension(tick, rare.extension)
            case _:
                pass
        rare.connection = self._whose(rare)
        return rare

    def _whose(self, rare: RareMessage) -> Connection | None:
        client = rare.client
        if client is None:
            return None
        now = self._open.get(client)
        left = self._left.get(client)
        ended = left is not None and left.end_tick is not None and left.end_tick >= rare.tick - 1
        return left if isinstance(rare.message, Drop) or (now is None and ended) else now

    def resume(self, connections: Sequence[Connection], sessions: Iterable[int], tick: int) -> None:
        """Continue at `tick` of an earlier pass: `connections` began before it, and those in `sessions` still
        exist."""
        self.connections = list(connections)
        for number in sessions:
            whole = self.connections[number]
            identity = whole.at(tick)
            part = replace(whole, identity=identity, history=[(tick, identity)], taken_over=[], end_tick=None)
            self.connections[number] = self._open[part.cid] = part

    def _join(self, cid: int, tick: int) -> None:
        known = self._open.get(cid)
        if known is not None and known.known_by == "activity" and known.tick == tick:
            # AUTH_INIT precedes the JOIN of clients that stayed over a map change.
            known.known_by = "join"
            known.become(tick, protocol=self._announced_protocols.pop(cid, known.protocol))
        else:
            self._start(cid, tick, "join")

    def protocol(self, cid: int) -> int | None:
        """Return the protocol of the client, 6 or 7; None if unknown."""
        connection = self._open.get(cid)
        return None if connection is None else connection.protocol

    def _start(self, cid: int, tick: int, known_by: str) -> Connection:
        if self._max_sessions is not None and len(self.connections) >= self._max_sessions:
            raise LimitExceeded(f"there are more connections than the limit of {self._max_sessions}")
        former = self._open.pop(cid, None)
        if former is not None:  # a damaged or foreign file; a server never does that
            former.end_tick = tick
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
        connection.end_tick = tick
        connection.reason = printable(reason)
        self._left[cid] = connection
        del self._open[cid]
        if reason.lower() == _TAKEOVER_REASON:
            self._take_over(connection, tick)
        self._timeout_codes.pop(connection.number, None)

    def _take_over(self, new: Connection, tick: int) -> None:
        """Handle a timeout code: the old slot of a returning client continues with the new connection.

        An earlier ``timeout`` command with the same code identifies the slot; the slot is unknown if the recording
        has none or several.
        """
        code = self._timeout_codes.get(new.number)
        found = [c for c in self._open.values() if code is not None and self._timeout_codes.get(c.number) == code]
        if len(found) != 1:
            return
        (old,) = found
        new.took_over = old.number
        old.taken_over.append((tick, new.number))
        fields = ("protocol", "ddnet_version", "ddnet_version_text", "connection_uuid")
        taken = {name: getattr(new.identity, name) for name in fields}
        old.become(tick, auth_level=self._first_auth_level, auth_key=None, **taken)

    def _on_network(self, message: NetMessage, rare: RareMessage) -> None:
        connection = self._current(message.cid, rare.tick)
        if not may_describe_player(message.data):
            return
        decoded = rare.network
        info = None if decoded is None else player_info(decoded.record)
        if decoded is None or info is None:
            return
        changes: dict[str, Any] = {
            "protocol": decoded.protocol,
            "skin": printable(info.skin),
            "colors": info.colors,
        }
        if info.clan is not None:
            changes["clan"] = printable(info.clan)
            changes["country"] = info.country
        if info.name is not None and self._may_rename(connection, info.entering):
            changes["name"] = printable(info.name)
            changes["name_known_by"] = "start_info" if info.entering else "change_info"
        connection.become(rare.tick, **changes)

    def _may_rename(self, connection: Connection, entering: bool) -> bool:
        # A server that records names writes PLAYER_NAME at each change. It writes none if a player that stayed
        # over a map change enters with an unchanged name.
        return connection.name_known_by != "player_name" and (entering or not self._server_records_names)

    def _on_extension(self, tick: int, extension: extensions.Extension) -> None:
        match extension:
            case extensions.JoinVersion6(cid):
                self._announced_protocols[cid] = 6
            case extensions.JoinVersion7(cid):
                self._announced_protocols[cid] = 7
            case extensions.PlayerRejoin(cid):
                self._rejoin(cid, tick)
            case extensions.PlayerName(cid, name):
                self._current(cid, tick).become(tick, name=printable(name), name_known_by="player_name")
            case extensions.PlayerReady(cid):
                self._current(cid, tick).ready_tick = tick
            case extensions.PlayerTeam(cid, team):
                self._teams[cid] = team
                if cid in self._open:
                    self._open[cid].become(tick, team=team)
            case extensions.AuthInit(cid, level, key) | extensions.AuthLogin(cid, level, key):
                self._current(cid, tick).become(tick, auth_level=level, auth_key=printable(key))
            case extensions.AuthLogout(cid):
                self._current(cid, tick).become(tick, auth_level=0, auth_key=None)
            case extensions.DDNetVersionOld(cid, version):
                self._current(cid, tick).become(tick, ddnet_version=version)
            case extensions.DDNetVersion(cid, connection_uuid, version, text):
                self._current(cid, tick).become(
                    tick,
                    ddnet_version=version,
                    ddnet_version_text=printable(text),
                    connection_uuid=connection_uuid if connection_uuid.int else None,
                )
            case _:
                pass

    def _rejoin(self, cid: int, tick: int) -> None:
        """Handle a rejoin: the server drops the client's version and keeps its name."""
        former = self._open.pop(cid, None)
        connection = self._start(cid, tick, "rejoin")
        if former is not None:
            former.end_tick = tick
            former.reason = None
            connection.become(tick, name=former.name, name_known_by=former.name_known_by)


class HolderKeeper(Protocol):
    """A pass that notes the session of each slot, as `ColumnPass` does."""

    def set_holder(self, cid: int, holder: int, of_tee: bool) -> None:
        """Set the session of a slot; see `ColumnPass.set_holder`."""


class SlotFollower:
    """Notifies a pass of the session in each slot.

    A tee belongs to the session for which it appeared: it disappears one tick after its player left, when the next
    player may already have the slot. A rejoin changes the session of the tee; a new player in the slot does not.
    """

    def __init__(self, tracker: ConnectionTracker) -> None:
        self.tracker = tracker
        self._sessions: dict[int, int] = {}

    def follow(self, rare: RareMessage, columns: HolderKeeper) -> None:
        """Update the session of the slot that a message is about."""
        cid = rare.client
        if cid is None or not 0 <= cid < MAX_CLIENTS:
            return
        connection = self.tracker.current(cid)
        session = -1 if connection is None else connection.number
        if session != self._sessions.get(cid, -1):
            self._sessions[cid] = session
            columns.set_holder(cid, session, connection is not None and connection.known_by == "rejoin")

    def resume(self, columns: HolderKeeper, slots: dict[int, tuple[int, int]]) -> None:
        """Restore all slots: by client id, the session of the slot and of its tee, each -1 without one."""
        for cid, (session, tee_session) in slots.items():
            if tee_session >= 0:
                columns.set_holder(cid, tee_session, True)
            columns.set_holder(cid, session, False)
            self._sessions[cid] = session
