"""Table ``events``: every event of `TeehistorianReplay.events`, in the pass that makes the other tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from playhead.events import event_batches
from playhead.tables.shared import EVENTS
from playhead.teehistorian.events import TeehistorianEvent
from playhead.teehistorian.network import decode_network
from playhead.teehistorian.stream.extensions import EXTENSIONS
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Extra, Join, NetMessage
from playhead.teehistorian.tables.collector import Collector, Happening

if TYPE_CHECKING:
    import pyarrow as pa


class Events(Collector):
    """Makes table ``events``."""

    takes: ClassVar = (Join, Drop, ConsoleCommand, NetMessage, Extra, *EXTENSIONS.values())
    schema = EVENTS

    def __init__(self, version_minor: int | None) -> None:
        super().__init__(version_minor)
        self._events: list[TeehistorianEvent] = []

    def take(self, happening: Happening) -> None:
        message = happening.message
        if isinstance(message, NetMessage):
            connection = happening.clients.current(message.cid)
            record = decode_network(message.data, None if connection is None else connection.protocol)
            event = TeehistorianEvent.of(happening.tick, message.cid, record)
        else:
            told = message if happening.extension is None else happening.extension
            event = TeehistorianEvent.of(happening.tick, getattr(told, "cid", None), told)
        self._events.append(event)

    def build(self) -> pa.Table:
        import pyarrow as pa

        return pa.concat_tables(event_batches(self._events))
