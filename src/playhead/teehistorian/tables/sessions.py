"""Tables ``sessions``, ``names`` and ``periods``: every connection and its names, the game and its pauses.

The shared table ``players`` has only the columns of all formats; ``sessions`` adds the ticks, client and end of
each visit.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from playhead.runtime.libraries import pa
from playhead.tables import Column, TableSchema
from playhead.tables.shared import PERIODS
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.driver import PassOutcome
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, ConsoleCommand, seconds_or_none
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder, TableBuilder

SESSIONS = TableSchema.of(
    "sessions",
    "One row for each connection to the server.",
    word("player", "Number of the connection, from 0 in the order of their first message."),
    word("tick", "That of the first message about the connection."),
    *words("seconds end_tick end_seconds client"),
    Column("ready_tick", "int32", "Tick it entered the game; null before 16.0 or if it never did.", "ticks"),
    word("reason", "The text of the server or the client, often empty; null for a rejoin and without an end."),
    word("name", "The last one; null for a client that left without sending one."),
    *words("name_known_by"),
    word("names", "Every one it had, in order."),
    word("clan", "The last the client sent; null if the file does not say."),
    word("country", "The last the client sent."),
    word("skin", "The last the client sent; for 0.7 the names of six parts joined by blanks."),
    word("protocol", "Null if the file does not say."),
    Column("ddnet_version", "int32", "Version of the client, 20010 for 20.1; null if it sent none."),
    Column("ddnet_version_text", "string", "Its version as the client writes it; null if it sent none."),
    Column("connection_uuid", "string", "UUID that the client gives itself; null if it gave none."),
    word(
        "known_by",
        "join; rejoin: the same address again; activity: stayed over a map change, and this server "
        "recorded no join then.",
    ),
    Column(
        "took_over_player",
        "int32",
        "`player` whose connection this one took over with a timeout code: its client had timed out and came "
        "back; that connection goes on with this one's client. Deduced from equal codes.",
    ),
    Column("taken_over_ticks", "list<int32>", "Ticks at which its player came back that way.", "ticks"),
)


@TABLES.maker_of(SESSIONS)
class Sessions(TableBuilder):
    """Builds table ``sessions``."""

    def build(self, outcome: PassOutcome) -> pa.Table:
        return self.schema.build_rows([_row(connection) for connection in outcome.connections])


def _row(connection: Connection) -> Mapping[str, Any]:
    identity = connection.identity
    return {
        **{name: getattr(connection, name) for name in ("tick", "ready_tick", "end_tick", "reason", "known_by")},
        **{
            name: getattr(identity, name) for name in (*_FIELDS, "protocol", "ddnet_version", "ddnet_version_text")
        },
        "player": connection.number,
        "seconds": connection.tick / TICKS_PER_SECOND,
        "client": connection.cid,
        "end_seconds": seconds_or_none(connection.end_tick),
        "names": list(connection.names()),
        "connection_uuid": None if identity.connection_uuid is None else str(identity.connection_uuid),
        "took_over_player": connection.took_over,
        "taken_over_ticks": [tick for tick, _ in connection.taken_over],
    }


_FIELDS = ("name", "name_known_by", "clan", "country", "skin")


NAMES = TableSchema.of(
    "names",
    "One row for each stretch in which a connection kept name, clan, country and skin. The stretches of a "
    "connection follow each other without a gap.",
    *words("tick seconds end_tick end_seconds player client"),
    word("name", "Of a client that had sent none yet, the first that it sent."),
    *words("name_known_by"),
    word("clan", "As the client sent it; null before it did."),
    word("country", "As the client sent it; null before it did."),
    word("skin", "As the client sent it; null before it did."),
)


@TABLES.maker_of(NAMES)
class Names(TableBuilder):
    """Builds table ``names``."""

    def build(self, outcome: PassOutcome) -> pa.Table:
        return self.schema.build_rows([row for connection in outcome.connections for row in _rows(connection)])


def _rows(connection: Connection) -> list[dict[str, Any]]:
    stretches: list[dict[str, Any]] = []
    for tick, identity in connection.history or [(connection.tick, connection.identity)]:
        facts: dict[str, Any] = {field: getattr(identity, field) for field in _FIELDS}
        facts["name"] = connection.name_at(tick)
        if not stretches or {field: stretches[-1][field] for field in _FIELDS} != facts:
            stretches.append({"player": connection.number, "client": connection.cid, "tick": tick, **facts})
    for stretch, following in pairwise(stretches):
        stretch["end_tick"] = following["tick"]
    if stretches:
        stretches[-1]["end_tick"] = connection.end_tick
    for stretch in stretches:
        stretch["seconds"] = stretch["tick"] / TICKS_PER_SECOND
        stretch["end_seconds"] = seconds_or_none(stretch["end_tick"])
    return stretches


@TABLES.maker_of(PERIODS)
class Periods(RowBuilder):
    """Builds table ``periods``: the command ``pause_game`` begins and ends a pause."""

    handles = (ConsoleCommand,)

    def on_message(self, rare: RareMessage) -> None:
        message = rare.message
        if isinstance(message, ConsoleCommand) and message.command == "pause_game":
            if self._rows and "end_tick" not in self._rows[-1]:
                self._rows[-1] |= {"end_tick": rare.tick, "end_seconds": rare.tick / TICKS_PER_SECOND}
            else:
                self._add(rare.tick, None, kind="pause", number=len(self._rows) + 1, counts=True)

    def build(self, outcome: PassOutcome) -> pa.Table:
        end = outcome.last_tick if outcome.complete else None
        game: dict[str, Any] = {"tick": 0, "seconds": 0.0, "kind": "game", "number": 1, "counts": True}
        game |= {"end_tick": end, "end_seconds": seconds_or_none(end)}
        return self.schema.build_rows([game, *self.rows()])
