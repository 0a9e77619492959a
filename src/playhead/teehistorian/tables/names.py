"""Table ``names``: names of each session, with their ticks."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from playhead.runtime.libraries import pa
from playhead.tables import TableSchema
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.driver import PassOutcome
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, seconds_or_none
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import TableBuilder

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
