"""The tables ``chat`` and ``pings``: the messages of players."""

from __future__ import annotations

from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.game import HijackReplayGameEvent
from playhead.blizzard.events.messages import ChatMessage, PingMessage
from playhead.blizzard.tables.columns import WHO, when_and_who
from playhead.runtime.libraries import pa, pc
from playhead.sc2.state.players.takeover import taken_over
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.schema import TableSchema
from playhead.tables.shared import CHAT
from playhead.tables.vocabulary import words

PINGS = TableSchema.of(
    "pings",
    "One row for each ping on the minimap that was sent as a message.",
    *WHO,
    *words("channel x y"),
)


@event_table(CHAT, ChatMessage, HijackReplayGameEvent)
def chat(messages: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``chat``."""
    lines = messages.of(ChatMessage)
    columns = when_and_who(lines, source)
    users = columns.pop("user")
    columns["name"] = arrow.lookup(users, source.names_by_user, pa.string())
    resumed = taken_over(source)
    if resumed is not None:
        since, names = resumed
        later = pc.greater_equal(lines.tick, since)
        columns["name"] = pc.if_else(later, arrow.lookup(users, names, pa.string()), columns["name"])
    return CHAT.build({**columns, **lines.friendly("channel", "text", scope=source.event_scope)})


@event_table(PINGS, PingMessage)
def pings(messages: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``pings``."""
    sent = messages.of(PingMessage)
    fields = sent.friendly("channel", "x", "y", scope=source.event_scope)
    return PINGS.build({**when_and_who(sent, source), **fields})
