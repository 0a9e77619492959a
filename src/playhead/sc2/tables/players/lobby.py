"""The tables ``slots`` and ``attributes``: the lobby."""

from __future__ import annotations

from playhead.runtime.libraries import pa
from playhead.sc2.events.tracker import PlayerSetupEvent
from playhead.sc2.members.attribute_names import words_of
from playhead.sc2.members.lobby import slot_rows
from playhead.sc2.tables.columns import PLAYER
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import Column, TableSchema

ATTRIBUTES = TableSchema.of(
    "attributes",
    "Rows of ``replay.attributes.events``: settings of the lobby as the map sees them.",
    Column("namespace", "int64", "999 for the game's own attributes."),
    Column("attribute", "int64", "Number of the attribute."),
    Column("scope", "int64", "Player that it is about; 16 is the game."),
    Column("value", "string", "Up to four characters."),
    Column("name", "category", "Name of the attribute; null if unknown, as for a map's own."),
    Column("meaning", "category", "The value in words; null if unknown."),
    version=2,
)

SLOTS = TableSchema.of(
    "slots",
    "Slots of the lobby, from ``replay.initData``.",
    Column("slot", "int64", "Place in the lobby, from 0."),
    Column("control", "int64", "0 open, 1 closed, 2 human, 3 computer."),
    Column("user", "int64", "Index in the lobby's list of users; null for none."),
    PLAYER,
    Column("name", "string", "Name of the user; null for none."),
    Column("team", "int32", "Number of the team."),
    Column("observe", "int64", "0 plays, 1 observer, 2 referee."),
    Column("color", "int64", "Number of the colour."),
    Column("race", "int64", "Number of the preferred race; null for random."),
    Column("difficulty", "int64", "Difficulty of a computer."),
    Column("handicap", "int64", "Percent."),
    Column("mmr", "int64", "Rating by which the game scales opponents; null if there is none."),
    Column("account", "string", "Toon handle of the slot."),
    Column("fields", "string", "All fields of the slot as a JSON object under Blizzard's names."),
    version=2,
)


@table(ATTRIBUTES)
def attributes(source: TableSource) -> pa.Table:
    """Return the table ``attributes``."""
    rows = source.attributes
    if not rows:
        return ATTRIBUTES.build_rows([])
    namespaces, numbers, scopes, values = zip(*rows, strict=True)
    names, meanings = zip(*map(words_of, namespaces, numbers, values), strict=True)
    columns = (namespaces, numbers, scopes, values, names, meanings)
    return ATTRIBUTES.build(dict(zip(ATTRIBUTES.column_names, columns, strict=True)))


@table(SLOTS, reads=(PlayerSetupEvent,))
def slots(source: TableSource) -> pa.Table:
    """Return the table ``slots``."""
    lobby = source.lobby
    return SLOTS.build_rows([] if lobby is None else slot_rows(lobby, source.players_by_lobby_user))
