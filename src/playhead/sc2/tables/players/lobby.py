"""The tables ``slots`` and ``attributes``: the lobby."""

from __future__ import annotations

from playhead.blizzard.events.tracker import PlayerSetupEvent
from playhead.runtime.libraries import pa
from playhead.sc2.members.attribute_names import words_of
from playhead.sc2.members.lobby import slot_rows
from playhead.sc2.members.lobby_players import Sources, computer_numbers, slot_difficulties
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

ATTRIBUTES = TableSchema.of(
    "attributes",
    "Rows of ``replay.attributes.events``: settings of the lobby as the map sees them.",
    Column("namespace", "int64", "999 for the game's own attributes."),
    Column("attribute", "category", "Name of the attribute; null if unknown, as for a map's own."),
    Column("attribute_id", "int64", "Number of the attribute."),
    Column("scope", "int64", "Player that it is about; 16 is the game."),
    Column("meaning", "category", "The value in words; null if unknown."),
    Column("code", "string", "The value as it is stored: up to four characters."),
    group="file",
)

SLOTS = TableSchema.of(
    "slots",
    "Slots of the lobby, from ``replay.initData``.",
    word("slot", "From 0."),
    word("kind", "open, closed, human, computer, observer or referee."),
    Column("control_id", "int64", "0 open, 1 closed, 2 human, 3 computer."),
    Column("observe_id", "int64", "0 plays, 1 observer, 2 referee."),
    *words("user player name team"),
    Column("color_id", "int64", "Number of the colour."),
    word("race", "The preferred one."),
    Column("race_id", "int64", "Number of the preferred race; null for random."),
    word("difficulty"),
    Column("difficulty_id", "int64", "Number of the difficulty."),
    Column("handicap", "int64", "Percent.", "%"),
    word("mmr", "By which the game scales opponents; null if there is none."),
    word("account"),
    word("fields", "All of the slot, under Blizzard's names."),
    group="file",
)


@table(ATTRIBUTES)
def attributes(source: TableSource) -> pa.Table:
    """Return the table ``attributes``."""
    rows = source.attributes
    if not rows:
        return ATTRIBUTES.build_rows([])
    namespaces, numbers, scopes, values = zip(*rows, strict=True)
    names, meanings = zip(*map(words_of, namespaces, numbers, values), strict=True)
    columns = (namespaces, names, numbers, scopes, meanings, values)
    return ATTRIBUTES.build(dict(zip(ATTRIBUTES.column_names, columns, strict=True)))


@table(SLOTS, reads=(PlayerSetupEvent,))
def slots(source: TableSource) -> pa.Table:
    """Return the table ``slots``."""
    if source.lobby is None:
        return SLOTS.build_rows([])
    known = Sources(source.lobby, source.attributes, {}, source.builds[1])
    numbers = computer_numbers(source.lobby, source.players)
    rows = slot_rows(source.lobby, source.players_by_lobby_user, slot_difficulties(known))
    return SLOTS.build_rows([row | {"player": numbers.get(row["slot"], row["player"])} for row in rows])
