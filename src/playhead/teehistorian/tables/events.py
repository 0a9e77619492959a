"""Table ``events``: all events of `TeehistorianReplay.events`, built in the pass of the other tables."""

from __future__ import annotations

from typing import ClassVar

from playhead.events import event_batches
from playhead.runtime.libraries import pa
from playhead.tables.shared import EVENTS
from playhead.teehistorian.state.driver import PassOutcome
from playhead.teehistorian.state.events import TeehistorianEvent, event_kinds
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.extensions import EXTENSIONS
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Extra, Join, NetMessage
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import TableBuilder


@TABLES.maker_of(EVENTS)
class Events(TableBuilder):
    """Collects events of some kinds, and builds table ``events``."""

    handles: ClassVar[tuple[type, ...]] = (Join, Drop, ConsoleCommand, NetMessage, Extra, *EXTENSIONS.values())

    def __init__(self, header: Header, kinds: frozenset[str] | None = None) -> None:
        super().__init__(header)
        self._kinds = frozenset(event_kinds()) if kinds is None else kinds
        self._network = any(kind.startswith("net_") for kind in self._kinds)
        self._events: list[TeehistorianEvent] = []

    def on_message(self, rare: RareMessage) -> None:
        message = rare.message
        if isinstance(message, NetMessage) and not self._network:
            return
        record = rare.record
        event = TeehistorianEvent.of(rare.tick, rare.client, record, rare.connection)
        if event.kind in self._kinds:
            self._events.append(event)

    def drain(self) -> list[TeehistorianEvent]:
        """Return the events since the last call."""
        found, self._events = self._events, []
        return found

    def build(self, outcome: PassOutcome) -> pa.Table:
        return pa.concat_tables(event_batches(self._events))
