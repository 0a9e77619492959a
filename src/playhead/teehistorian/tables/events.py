"""`TeehistorianEvent`: a rare message of a recording, decoded, with its kind; table ``events`` of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

from playhead.events import Event, event_batches
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass, field, field_names
from playhead.tables.shared import EVENTS
from playhead.teehistorian.network import NetworkMessage, extended, seven, six
from playhead.teehistorian.network.records import record_fields
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.driver import PassOutcome
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream import extensions as ex
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import (
    TICKS_PER_SECOND,
    ConsoleCommand,
    Drop,
    Extra,
    Join,
    Message,
    NetMessage,
)
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import TableBuilder


@dataclass(frozen=True, slots=True)
class TeeDeath:
    """A tee died or left the game, as a row of table ``deaths`` of a simulation has it."""

    reason: str | None
    team: int
    x: float
    y: float
    attacker_player: int | None
    weapon: str | None


#: The kind of events of `TeeDeath`, which a recording has with its map (`TeehistorianReplay.use_map`).
DIED = "tee_died"
DIED_MEANING = "A tee died or left the game: table `deaths` of the simulation."

Record = Message | ex.Extension | NetworkMessage | TeeDeath

#: Kinds of events by type of record, each with a sentence that describes it; of an extension, its own by default.
_KINDS: Mapping[type, tuple[str, str]] = {
    Join: ("player_joined", "A client connected."),
    Drop: ("player_left", "A client left, and why."),
    ConsoleCommand: ("command_given", "A console or chat command, by a client or the server's console."),
    Extra: ("extension_recorded", "An extension that playhead does not know."),
    ex.ServerTest: ("server_tested", ""),
    ex.AuthInit: ("login_kept", ""),
    ex.AuthLogin: ("player_logged_in", ""),
    ex.AuthLogout: ("player_logged_out", ""),
    ex.DDNetVersionOld: ("client_version_sent", ""),
    ex.DDNetVersion: ("client_version_sent", ""),
    ex.JoinVersion6: ("protocol_announced", "Protocol of the client about to join. Since 14.0."),
    ex.JoinVersion7: ("protocol_announced", "Protocol of the client about to join. Since 14.0."),
    ex.SaveSuccess: ("team_saved", ""),
    ex.SaveFailure: ("team_save_failed", ""),
    ex.LoadSuccess: ("team_loaded", ""),
    ex.LoadFailure: ("team_load_failed", ""),
    ex.PlayerTeam: ("team_changed", ""),
    ex.TeamPractice: ("practice_changed", ""),
    ex.PlayerReady: ("player_entered", ""),
    ex.PlayerSwap: ("players_swapped", ""),
    ex.PlayerRejoin: ("player_rejoined", ""),
    ex.Antibot: ("antibot_recorded", ""),
    ex.PlayerName: ("player_named", ""),
    ex.PlayerFinish: ("run_finished", ""),
    ex.TeamFinish: ("team_run_finished", ""),
}
_SENT = {"say": "chat_sent", "call_vote": "vote_called", "vote": "vote_cast", None: "message_sent"}


def _sent(message: str | None) -> str:
    """Return the kind of event of a network message."""
    return _SENT.get(message) or f"{message}_sent"


@cache
def network_kinds() -> Mapping[str, str]:
    """Return the kinds of network messages, each with a sentence that describes it."""
    tables = (six.MESSAGES, seven.MESSAGES, extended.MESSAGES)
    messages = [record.kind for table in tables for record in table.values()]
    return {
        **{_sent(message): f"A client sent {message}." for message in messages},
        _sent(None): "A client sent a network message that playhead does not know.",
    }


@cache
def event_kinds() -> Mapping[str, str]:
    """Return every kind with a sentence that describes it."""
    own = {kind: doc or (record.__doc__ or "").strip().split("\n")[0] for record, (kind, doc) in _KINDS.items()}
    return {**own, **network_kinds()}


@dataclass(frozen=True, slots=True)
class TeehistorianEvent(Event):
    """One event.

    Attributes:
        tick: server tick.
        seconds: the same in seconds.
        kind: word for the kind of event: ``player_joined``, ``team_changed``, ``emoticon_sent``.
        player: number as in `Replay.players`; None if there is none or it is unknown.
        client: client id, the slot, or None.
        record: the content of the file: a message, a record of `stream.extensions`, an `Extra` for an unknown
            extension, or a `NetworkMessage`.
    """

    tick: int
    seconds: float
    kind: str
    player: int | None
    client: int | None
    record: Record
    _connection: Connection | None = field(default=None, repr=False, compare=False)
    _target: Connection | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, rare: RareMessage) -> TeehistorianEvent:
        """Return the event of a message."""
        record, connection = rare.record, rare.connection
        if isinstance(record, NetworkMessage):
            kind = _sent(None if record.record is None else record.kind)
        else:
            kind = _KINDS[type(record)][0]
        # The console of the server is client -1 (and lower).
        client = None if rare.client is None or rare.client < 0 else rare.client
        player = None if connection is None else connection.number
        target = rare.clients.current(record.target_client) if isinstance(record, ex.PlayerSwap) else None
        return cls(rare.tick, rare.tick / TICKS_PER_SECOND, kind, player, client, record, connection, target)

    @classmethod
    def of_death(cls, row: Mapping[str, Any]) -> TeehistorianEvent:
        """Return the event of a row of table ``deaths``."""
        death = TeeDeath(**{name: row[name] for name in field_names(TeeDeath)})
        return cls(row["tick"], row["seconds"], DIED, row["player"], row["client"], death)

    @property
    def player_name(self) -> str | None:
        """Name of its player at the end of that tick, from the part of the recording read so far."""
        return None if self._connection is None else self._connection.name_at(self.tick)

    @property
    def payload(self) -> Mapping[str, Any]:
        """The fields of the record; for a record about a client also `client` and `player_name`."""
        who = {} if self.client is None else {"client": self.client, "player_name": self.player_name}
        record = self.record
        if isinstance(record, NetworkMessage):
            fields: dict[str, Any] = {} if record.record is None else dict(record_fields(record.record))
            fields["protocol"] = record.protocol
            if record.record is None:
                fields |= {"message_id": record.number, "message_uuid": record.uuid}
            if record.rest:
                fields["rest"] = record.rest
            return {**who, **fields}
        fields = {name: getattr(record, name) for name in field_names(record) if name != "cid"}
        if isinstance(record, ex.JoinVersion6 | ex.JoinVersion7):
            fields["protocol"] = 6 if isinstance(record, ex.JoinVersion6) else 7
        elif isinstance(record, ex.PlayerFinish | ex.TeamFinish):
            fields["duration_seconds"] = record.duration_ticks / TICKS_PER_SECOND
        elif isinstance(record, ex.PlayerSwap):
            fields["target_player"] = None if self._target is None else self._target.number
        return {**who, **fields}


@TABLES.maker_of(EVENTS)
class Events(TableBuilder):
    """Collects events of some kinds, and builds table ``events``."""

    handles: ClassVar[tuple[type, ...]] = (Join, Drop, ConsoleCommand, NetMessage, Extra, *ex.EXTENSIONS.values())

    def __init__(self, header: Header, kinds: frozenset[str] | None = None) -> None:
        super().__init__(header)
        self._kinds = frozenset(event_kinds()) if kinds is None else kinds
        self._network = not self._kinds.isdisjoint(network_kinds())
        self._events: list[TeehistorianEvent] = []

    def on_message(self, rare: RareMessage) -> None:
        if isinstance(rare.message, NetMessage) and not self._network:
            return
        event = TeehistorianEvent.of(rare)
        if event.kind in self._kinds:
            self._events.append(event)

    def drain(self) -> list[TeehistorianEvent]:
        """Return the events since the last call."""
        found, self._events = self._events, []
        return found

    def build(self, outcome: PassOutcome) -> pa.Table:
        return pa.concat_tables(event_batches(self._events))
