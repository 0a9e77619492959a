"""Cuts some ticks out of a recording as a valid recording.

In the range of a slice from tick `start` to tick `end`, ticks, positions and inputs equal those of the original.
The slice consists of:

1. The header of the original, byte for byte, with the added key ``playhead_slice`` (``"42150-42250"``).
2. Messages before the slice that runs depend on, at their own ticks; see `writing.history`.
3. Synthesised messages at tick `start` - 2 for the state at the end of that tick: for each connected client,
copies of
   its earlier messages (JOINVER, JOIN or REJOIN, StartInfo, the latest ChangeInfo, PLAYER_NAME, PLAYER_READY,
   DDNETVER, AUTH, PLAYER_TEAM, its last timeout code, the request of a pending save or load), then a PLAYER_NEW
   for each tee (and the DROP of a client that has just left and still has a tee), and an INPUT_NEW with the last
   input of each slot. The input of a former player in a slot comes one tick earlier. A client that returned with a
   timeout code has the JOINVER and DDNETVER of its new connection, under the old id.
4. All messages of the ticks from `start` - 1 (whose inputs act on `start`) to `end`, byte for byte; only the
   TICK_SKIP before them is new.
5. FINISH, unless the slice reaches the end of an original without FINISH (a killed server).

A slice that starts at tick 2 or before has neither the second nor the third part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

from playhead.bits import ByteReader
from playhead.errors import TruncatedReplay
from playhead.limits import Limits
from playhead.runtime.records import replace
from playhead.teehistorian.network import seven, six
from playhead.teehistorian.state.tracker import CHAT_COMMAND, ConnectionTracker, RareMessage, command_origin
from playhead.teehistorian.stream import extensions
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.feed import Feed
from playhead.teehistorian.stream.header import MAGIC, Header
from playhead.teehistorian.stream.messages import (
    MAX_CLIENTS,
    ConsoleCommand,
    Drop,
    Extra,
    Finish,
    InputNew,
    Join,
    Message,
    MessageKind,
    NetMessage,
    PlayerNew,
    TickSkip,
)
from playhead.teehistorian.writing.writer import encode_message

_STRETCH = 1 << 16
_MARK = re.compile(rb',?"playhead_slice":"[0-9-]*"')

#: First bytes of the network messages that a client sends on entering.
_ENTERING = frozenset(record.number << 1 for record in (six.StartInfo, seven.StartInfo))
#: First bytes of all network messages with a client's name and skin.
_INTRODUCTIONS = _ENTERING | {record.number << 1 for record in (six.ChangeInfo, seven.SkinChange)}

#: Extensions about a client's identity, each valid until the next one of its kind.
_LASTING: tuple[type[extensions.Extension], ...] = (
    extensions.PlayerName,
    extensions.PlayerReady,
    extensions.DDNetVersion,
    extensions.DDNetVersionOld,
    extensions.AuthInit,
    extensions.AuthLogin,
    extensions.AuthLogout,
)

#: Messages of a client, not of its slot: a client that takes over the slot has its own.
_OF_ONE_CLIENT: tuple[UUID | int | str, ...] = ("version", *(record.uuid for record in _LASTING[2:]))


class _Introductions:
    """Collects, for every connected client, the latest message of each kind that a slice has to repeat."""

    def __init__(self, header: Header, limits: Limits) -> None:
        self._tracker = ConnectionTracker.for_header(header, limits.sessions)
        self._clients: dict[int, dict[UUID | int | str, Message]] = {}
        self._connections: dict[int, int] = {}  # number of the connection
        self._versions: dict[int, Message] = {}
        self._left: dict[int, Message] = {}
        self._teams: dict[int, Message] = {}
        self._history = History()

    def __call__(self, tick: int, message: Message) -> None:
        rare = self._tracker.on_message(tick, message)
        self._history.on_message(rare)
        match message:
            case Join(cid):
                self._join(cid, message)
            case Drop(cid):
                self._drop(cid, message)
            case NetMessage(cid, data):
                kind = _message_head(data)
                if kind in _INTRODUCTIONS:
                    self._introduce(cid, kind, message)
            case ConsoleCommand(cid, flags, "timeout", (_, *_)) if cid >= 0 and flags & CHAT_COMMAND:
                self._keep(cid, "timeout", message)
            case Extra() if rare.extension is not None:  # a damaged one cannot be repeated
                self._on_extension(message, rare.extension)
            case _:
                pass

    def _join(self, cid: int, message: Message) -> None:
        connection = self._tracker.current(cid)
        number = -1 if connection is None else connection.number
        # A server that starts a new file writes the logins of remaining clients before their JOIN.
        kept = self._clients.get(cid, {}) if self._connections.get(cid) == number else {}
        self._clients[cid] = kept
        self._connections[cid] = number
        if cid in self._versions:
            kept["version"] = self._versions.pop(cid)
        kept["join"] = message

    def _drop(self, cid: int, message: Message) -> None:
        kept = self._clients.pop(cid, {})
        self._left[cid] = message
        number = self._connections.pop(cid, -1)
        if number < 0 or (old := self._tracker.connections[number].took_over) is None:
            return
        # Its client continues in its old slot, with its own version and without rcon.
        former = self._tracker.connections[old].cid
        into = self._clients.setdefault(former, {})
        for lost in _OF_ONE_CLIENT:
            into.pop(lost, None)
        for kind in ("version", extensions.DDNetVersionOld.uuid, extensions.DDNetVersion.uuid):
            found = kept.get(kind)
            if isinstance(found, Extra) and (extension := extensions.decode_extension(found)) is not None:
                into[kind] = extensions.encode_extension(replace(extension, cid=former))  # type: ignore[type-var]
        if "version" in into:
            self._clients[former] = {"version": into.pop("version"), **into}

    def _introduce(self, cid: int, kind: int, message: Message) -> None:
        if kind in _ENTERING:  # earlier changes are obsolete
            kept = self._clients.get(cid, {})
            for change in _INTRODUCTIONS:
                kept.pop(change, None)
        self._keep(cid, kind, message)

    def _on_extension(self, message: Extra, extension: extensions.Extension) -> None:
        match extension:
            case extensions.JoinVersion6(cid) | extensions.JoinVersion7(cid):
                self._versions[cid] = message
            case extensions.PlayerRejoin(cid):
                self._rejoin(cid, message)
            case extensions.PlayerTeam(cid, team):
                self._teams.pop(cid, None)
                if team:
                    self._teams[cid] = message
            case _ if isinstance(extension, _LASTING):
                self._keep(extension.cid, message.uuid, message)  # type: ignore[attr-defined]
            case _:
                pass

    def _rejoin(self, cid: int, message: Message) -> None:
        """Remove all messages except the name."""
        former = self._clients.pop(cid, {})
        name = former.get(extensions.PlayerName.uuid)
        if name is None:  # known from earlier messages of the client
            self._clients[cid] = {kind: former[kind] for kind in former if kind in _INTRODUCTIONS}
        if cid in self._versions:
            self._keep(cid, "version", self._versions.pop(cid))
        self._keep(cid, "join", message)
        if name is not None:
            self._keep(cid, extensions.PlayerName.uuid, name)

    def _keep(self, cid: int, kind: UUID | int | str, message: Message) -> None:
        connection = self._tracker.current(cid)
        if connection is not None:
            self._connections[cid] = connection.number
        kept = self._clients.setdefault(cid, {})
        kept.pop(kind, None)  # the latest last
        kept[kind] = message

    def connected_since(self) -> dict[int, int]:
        """Return the first tick of the last connection of each client."""
        return {connection.cid: connection.tick for connection in self._tracker.connections}

    def farewell(self, cid: int) -> Message | None:
        """Return the DROP of a client that left; its tee may exist for another tick."""
        return self._left.get(cid) if self._tracker.current(cid) is None else None

    def messages(self) -> Iterator[Message]:
        for cid in sorted(self._clients):
            yield from self._clients[cid].values()
        yield from self._history.asked(self._tracker)
        yield from self._teams.values()

    def history(self) -> list[tuple[int, Message]]:
        """Return the earlier messages that the slice repeats, with their ticks."""
        return self._history.messages(self._tracker)


def _message_head(data: bytes) -> int:
    """Return the first packed int of a network message: its id, doubled, or -1."""
    try:
        return ByteReader(data).read_packed_int()
    except TruncatedReplay:
        return -1


def _marked_header(header: Header, mark: str) -> bytes:
    """Return the header's bytes with an added key; unchanged if they are not a JSON object."""
    raw = header.raw.rstrip()
    if header.problem is None and raw.endswith(b"}"):
        raw = _MARK.sub(b"", raw)  # key of a slice of a slice
        comma = b"" if raw.rstrip(b" }").endswith(b"{") else b","
        raw = raw[:-1] + comma + f'"playhead_slice":"{mark}"}}'.encode()
    else:
        raw = header.raw
    return MAGIC + raw + b"\0"


def _state(base: int, columns: ColumnPass, introductions: _Introductions) -> Iterator[Message]:
    """Yield parts 2 and 3: the messages for the state at the end of tick `base`."""
    since = introductions.connected_since()
    inputs = [(cid, columns.inputs.get(cid)) for cid in range(MAX_CLIENTS)]
    messages = [(cid, InputNew(cid, tuple(values))) for cid, values in inputs if values is not None]
    former = {cid for cid, _ in messages if columns.input_tick(cid) < since.get(cid, 0)}
    past = introductions.history()
    past += [(max(base - 1, 0), message) for cid, message in messages if cid in former]
    tick = 0
    for when, message in sorted(past, key=lambda each: each[0]):
        if when > tick:
            yield TickSkip(when - tick - 1)
            tick = when
        yield message
    if tick < base:
        yield TickSkip(base - tick - 1)
    yield from introductions.messages()
    for cid in range(MAX_CLIENTS):
        position = columns.positions.get(cid)
        if position is not None:
            yield PlayerNew(cid, *position)
            farewell = introductions.farewell(cid)
            if farewell is not None:
                yield farewell
    yield from (message for cid, message in messages if cid not in former)


def slice_recording(feed: Feed, header: Header, start: int, end: int) -> Iterator[bytes]:
    """Yield the bytes of the slice of the ticks `start` to `end`, in pieces; `feed` is before the first message.

    Raises:
        ReplayError: the recording is damaged at or before `end`; raised after all messages before the damage. The
            bytes yielded so far are a valid recording without FINISH.
    """
    reader = feed.reader
    yield _marked_header(header, f"{start}-{end}")
    base = start - 2
    if base > 0:
        introductions = _Introductions(header, feed.limits)
        columns = ColumnPass(reader, listener=introductions)
        columns.set_limit(base)
        while not columns.at_limit and feed.drive(columns, _STRETCH):
            pass
        yield b"".join(map(encode_message, _state(base, columns, introductions)))
        if not columns.at_limit:  # the recording ends earlier
            if reader.finished:
                yield encode_message(Finish())
            elif feed.damage is not None:
                raise feed.damage
            return
        if reader.tick <= end:  # the reader is on the first message after `base`
            yield encode_message(TickSkip(reader.tick - base - 1))
            if reader.kind != MessageKind.TICK_SKIP:
                yield reader.raw()
    if reader.tick <= end:
        yield from feed.bytes_to(end)
    if reader.tick > end:
        yield encode_message(Finish())


class History:
    """Collects the messages that a slice repeats at their own ticks, and the pending saves and loads."""

    def __init__(self) -> None:
        self._past: list[tuple[int, Message]] = []
        self._last: dict[tuple[str, int], tuple[int, Message]] = {}
        self._asked: dict[tuple[str, int], tuple[int, Message]] = {}  # by kind and team: connection, command

    def on_message(self, rare: RareMessage) -> None:
        """Handle one message, after `rare.clients`."""
        tick, message = rare.tick, rare.message
        if isinstance(message, ConsoleCommand):
            if command_origin(message.cid, message.flags) != "chat":
                self._past.append((tick, message))
            elif message.command in ("save", "load"):
                self._ask(message, rare.clients)
            return
        match rare.extension:
            case extensions.PlayerSwap():
                self._past.append((tick, message))
            case extensions.TeamPractice(team):
                self._past.append((tick, message))
                self._last["practice", team] = (tick, message)
            case extensions.SaveSuccess(team) | extensions.SaveFailure(team):
                self._asked.pop(("save", team), None)
            case extensions.LoadSuccess(team):
                self._last["load", team] = (tick, message)
                self._asked.pop(("load", team), None)
            case extensions.LoadFailure(team):
                self._asked.pop(("load", team), None)
            case _:
                pass

    def _ask(self, message: ConsoleCommand, clients: ConnectionTracker) -> None:
        connection = clients.current(message.cid)
        if connection is not None and connection.identity.team is not None:
            self._asked[message.command, connection.identity.team] = connection.number, message

    def messages(self, clients: ConnectionTracker) -> list[tuple[int, Message]]:
        """Return the messages that a slice repeats, with their ticks, in order."""
        since = min((one.tick for one in clients.connections if clients.current(one.cid) is one), default=None)
        recent = [] if since is None else [each for each in self._past if each[0] >= since]
        known = {id(message) for _, message in recent}
        older = [each for each in self._last.values() if id(each[1]) not in known]
        return sorted([*older, *recent], key=lambda each: each[0])

    def asked(self, clients: ConnectionTracker) -> Iterator[Message]:
        """Yield messages that repeat the requests of pending saves and loads.

        The client is in the team of its request; if it has changed its team since, another message follows.
        """
        for (_, team), (number, message) in self._asked.items():
            connection = clients.connections[number]
            if clients.current(connection.cid) is not connection:
                continue
            yield _team(connection.cid, team)
            yield message
            yield _team(connection.cid, connection.identity.team or 0)


def _team(cid: int, team: int) -> Message:
    change: extensions.Extension = extensions.PlayerTeam(cid, team)
    return extensions.encode_extension(change)
