"""The tables ``chat`` and ``pings``: the messages of players."""

from __future__ import annotations

from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.game import HijackReplayGameEvent
from playhead.blizzard.events.messages import ChatMessage, PingMessage
from playhead.blizzard.events.takeover import taken_over
from playhead.blizzard.tables.columns import WHO, when_and_who
from playhead.blizzard.tables.registry import GameSource, GameTables
from playhead.runtime.libraries import pa, pc
from playhead.tables import arrow
from playhead.tables.schema import TableSchema
from playhead.tables.shared import CHAT
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import words

PINGS = TableSchema.of(
    "pings",
    "One row for each ping on the minimap that was sent as a message.",
    *WHO,
    *words("channel x y"),
)


def chat(messages: EventStream, source: GameSource) -> pa.Table:
    """Return the table ``chat``."""
    lines = messages.of(ChatMessage)
    columns = when_and_who(lines, source)
    users = columns.pop("user")
    columns["name"] = arrow.lookup(users, source.names_by_user, pa.string())
    resumed = taken_over(source)
    if resumed is not None:
        since, names = resumed
        later = pc.greater_equal(lines.tick, scalar_of(since, lines.tick.type))
        columns["name"] = pc.if_else(later, arrow.lookup(users, names, pa.string()), columns["name"])
    return CHAT.build({**columns, **lines.friendly("channel", "text", scope=source.event_scope)})


def pings(messages: EventStream, source: GameSource) -> pa.Table:
    """Return the table ``pings``."""
    sent = messages.of(PingMessage)
    fields = sent.friendly("channel", "x", "y", scope=source.event_scope)
    return PINGS.build({**when_and_who(sent, source), **fields})


def add_to(tables: GameTables) -> None:
    """Add the tables to those of a game."""
    tables.event_table(CHAT, ChatMessage, HijackReplayGameEvent)(chat)
    tables.event_table(PINGS, PingMessage)(pings)
