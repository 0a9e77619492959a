"""Table ``sessions``: every connection from joining to leaving.

The shared table ``players`` has only the columns of all formats; this table adds the ticks, client and end of each
visit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.runtime.libraries import pa
from playhead.tables import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.driver import PassOutcome
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import TableBuilder
from playhead.teehistorian.tables.columns import CLIENT, SESSION

SESSIONS = TableSchema.of(
    "sessions",
    "One row for each connection to the server.",
    Column(SESSION.name, SESSION.type, "Number of the connection, from 0 in the order of their first message."),
    Column("tick", TICK.type, "Tick of the first message about the connection.", TICK.unit),
    SECONDS,
    CLIENT,
    Column("ready_tick", "int32", "Tick it entered the game; null before 16.0 or if it never did.", "ticks"),
    Column("drop_tick", "int32", "Tick it ended; null if the recording ends first.", "ticks"),
    Column("reason", "string", "Why it ended, often empty; null for a rejoin and where it did not end."),
    Column("name", "string", "The last name known; null for a client that left without sending one."),
    Column(
        "name_source",
        "category",
        "player_name: the name the server gave (18.3 and later); start_info, change_info: the name the "
        "client asked for.",
    ),
    Column("names", "list<string>", "Every name it had, in order."),
    Column("clan", "string", "The last the client sent; null if the file does not say."),
    Column("country", "int32", "ISO 3166-1 number or -1, the last the client sent."),
    Column("skin", "string", "The last the client sent; for 0.7 the names of six parts joined by blanks."),
    Column("protocol", "int32", "6 or 7; null if the file does not say."),
    Column("ddnet_version", "int32", "Version of the client, 20010 for 20.1; null if it sent none."),
    Column("ddnet_version_text", "string", "Its version as the client writes it; null if it sent none."),
    Column("connection_id", "string", "UUID that the client gives itself; null if it gave none."),
    Column(
        "known_by",
        "category",
        "join; rejoin: the same address again; activity: stayed over a map change, and this server "
        "recorded no join then.",
    ),
    Column(
        "took_over",
        "int32",
        "`session` that this connection took over with a timeout code: its player had timed out and came "
        "back; that session goes on with this one's client. Deduced from equal codes.",
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
        "session": connection.number,
        "tick": connection.tick,
        "seconds": connection.tick / TICKS_PER_SECOND,
        "client": connection.cid,
        "ready_tick": connection.ready_tick,
        "drop_tick": connection.drop_tick,
        "reason": connection.reason,
        "name": identity.name,
        "name_source": identity.name_source,
        "names": list(connection.names()),
        "clan": identity.clan,
        "country": identity.country,
        "skin": identity.skin,
        "protocol": identity.protocol,
        "ddnet_version": identity.ddnet_version,
        "ddnet_version_text": identity.ddnet_version_text,
        "connection_id": None if identity.connection_id is None else str(identity.connection_id),
        "known_by": connection.known_by,
        "took_over": connection.took_over,
        "taken_over_ticks": [tick for tick, _ in connection.taken_over],
    }
