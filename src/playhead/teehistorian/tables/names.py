"""Table ``names``: names of each session, with their ticks."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from playhead.runtime.libraries import pa
from playhead.tables import Column, TableSchema
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.driver import PassOutcome
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import TableBuilder
from playhead.teehistorian.tables.columns import CLIENT, NAME, SESSION

_FIELDS = ("name", "name_source", "clan", "country", "skin")


NAMES = TableSchema.of(
    "names",
    "One row for each stretch in which a session kept name, clan, country and skin. The stretches of a "
    "session follow each other without a gap.",
    SESSION,
    CLIENT,
    Column(NAME.name, NAME.type, "Its name; of a client that had sent none yet, the first that it sent."),
    Column("name_source", "category", "Who says so, as in `sessions`."),
    Column("clan", "string", "As the client sent it; null before it did."),
    Column("country", "int32", "ISO 3166-1 number or -1, as the client sent it; null before it did."),
    Column("skin", "string", "As the client sent it; null before it did."),
    Column("from_tick", "int32", "First tick of it.", "ticks"),
    Column("to_tick", "int32", "First tick behind it; null if the recording ends first.", "ticks"),
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
            stretches.append({"session": connection.number, "client": connection.cid, "from_tick": tick, **facts})
    for stretch, following in pairwise(stretches):
        stretch["to_tick"] = following["from_tick"]
    if stretches:
        stretches[-1]["to_tick"] = connection.drop_tick
    return stretches
