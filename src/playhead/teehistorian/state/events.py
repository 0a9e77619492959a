"""`TeehistorianEvent`: a rare message of a recording, decoded, with its kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from playhead.events import Event
from playhead.runtime.records import dataclass, field, field_names
from playhead.teehistorian.network import NetworkMessage, NetworkRecord, extended, seven, six
from playhead.teehistorian.network.records import record_fields
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.stream.extensions import EXTENSIONS, Extension
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, Message

Record = Message | Extension | NetworkMessage

_NETWORK = "net_"
_UNKNOWN_NETWORK = "net_unknown"


def _first_line(record: type) -> str:
    return (record.__doc__ or "").strip().split("\n")[0]


@cache
def _kind(class_name: str) -> str:
    """Convert a class name: ``PlayerTeam`` is ``player_team``, ``DDNetVersion`` is ``ddnet_version``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", class_name.replace("DDNet", "Ddnet")).lower()


def _network_kinds() -> Mapping[str, str]:
    known: list[type[NetworkRecord]] = []
    for table in (six.MESSAGES, seven.MESSAGES, extended.MESSAGES):
        known += table.values()
    return {_NETWORK + record.kind: f"A client sent {record.kind}." for record in known}


@cache
def event_kinds() -> Mapping[str, str]:
    """Return every kind with a sentence that describes it."""
    return {
        "join": "A client connected.",
        "drop": "A client left, and why.",
        "console_command": "A console or chat command, by a client or the server's console.",
        **{_kind(record.__name__): _first_line(record) for record in EXTENSIONS.values()},
        "extra": "An extension that playhead does not know.",
        **_network_kinds(),
        _UNKNOWN_NETWORK: "A client sent a network message that playhead does not know.",
    }


@dataclass(frozen=True, slots=True)
class TeehistorianEvent(Event):
    """One event.

    Attributes:
        tick: server tick.
        seconds: the same in seconds.
        kind: word for the kind of event: ``join``, ``player_team``, ``net_emoticon``.
        player: session as in `Replay.players`; None if there is none or it is unknown.
        client: client id, the slot; None if there is none.
        record: the content of the file: a message, a record of `stream.extensions`, an `Extra` for an unknown
            extension, or a `NetworkMessage`. Its attributes are also attributes of the event.
    """

    tick: int
    seconds: float
    kind: str
    player: int | None
    client: int | None
    record: Record
    _connection: Connection | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, tick: int, client: int | None, record: Record, connection: Connection | None) -> TeehistorianEvent:
        """Return the event of a record."""
        # The console of the server is client -1 (and lower).
        client = None if client is None or client < 0 else client
        player = None if connection is None else connection.number
        return cls(tick, tick / TICKS_PER_SECOND, kind_of(record), player, client, record, connection)

    @property
    def session(self) -> int | None:
        """Equals `player`."""
        return self.player

    @property
    def player_name(self) -> str | None:
        """Name of its player at the end of that tick, from the part of the recording read so far."""
        return None if self._connection is None else self._connection.name_at(self.tick)

    @property
    def payload(self) -> Mapping[str, Any]:
        """The fields of the record; for a record about a client also `client`, `session` and `player_name`."""
        if self.client is None:
            return self._fields()
        who = {"client": self.client, "session": self.session, "player_name": self.player_name}
        return {**who, **self._fields()}

    def _fields(self) -> dict[str, Any]:
        record = self.record
        if isinstance(record, NetworkMessage):
            payload: dict[str, Any] = {} if record.record is None else dict(record_fields(record.record))
            payload["protocol"] = record.protocol
            if record.record is None:
                payload |= {"number": record.number, "uuid": record.uuid}
            if record.rest:
                payload["rest"] = record.rest
            return payload
        return {name: getattr(record, name) for name in field_names(record) if name != "cid"}


def kind_of(record: Record) -> str:
    """Return the kind of a record's event."""
    if isinstance(record, NetworkMessage):
        return _UNKNOWN_NETWORK if record.record is None else _NETWORK + record.record.kind
    return _kind(type(record).__name__)
