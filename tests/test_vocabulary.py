"""One word, one type, unit and meaning, in all tables of all games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import playhead
from playhead.cs2.facts import TABLES as CS2
from playhead.deadlock.facts import TABLES as DEADLOCK
from playhead.dota2.facts import TABLES as DOTA2
from playhead.hots.tables.info_and_players import INFO, PLAYERS
from playhead.hots.tables.registry import TABLES as HOTS
from playhead.tables.registry import TableRegistry
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import ROLES, SUFFIXES, WORDS, conflicts, word, words
from playhead.teehistorian.client_demos import TABLES as OF_DEMOS
from playhead.teehistorian.physics.tables.event_tables import EVENT_TABLES, PHYSICS
from playhead.teehistorian.runs import RUN_VERDICTS


def _schemas(samples: Mapping[str, Path]) -> Iterator[TableSchema]:
    """Yield the schemas of all tables of all games."""
    registries: tuple[TableRegistry, ...] = (DOTA2, CS2, DEADLOCK, HOTS)
    for registry in registries:
        yield from registry.schemas().values()
    for name in ("source2", "sc2", "teehistorian"):
        yield from playhead.open(samples[name]).tables.values()
    yield from (INFO, PLAYERS)
    yield from (*EVENT_TABLES.values(), PHYSICS, RUN_VERDICTS, *OF_DEMOS)


def test_every_table_is_in_the_words(samples: Mapping[str, Path]) -> None:
    assert list(conflicts(_schemas(samples))) == []


def test_every_word_is_used(samples: Mapping[str, Path]) -> None:
    tables = defaultdict(set)
    for schema in _schemas(samples):
        for name in schema.column_names:
            tables[name].add(schema.name)
    endings = {name.split("_", 1)[-1] for name in tables}
    unused = sorted(name for name in WORDS.keys() - tables.keys() if name not in endings | SUFFIXES)
    assert unused == []


def test_a_conflict_is_found() -> None:
    first = TableSchema.of("first", "One.", word("player"), Column("mine", "int32", "Mine."))
    for column, said in (
        (
            Column("player", "int64", word("player").doc),
            "first.player: int64, and `player` of the voc",
        ),
        (
            Column("x", "float32", word("x").doc, "cells"),
            "float32 in cells, and `x` of the vocabulary",
        ),
        (Column("name", "string", "Other."), "means 'Other.', and in the vocabulary"),
        (Column("hooked_player", "string", "Who."), "first.hooked_player: string, and `player` of the vocabulary"),
        (Column("attacker_hero", "string", "Who."), "`attacker_hero` of the vocabulary is category"),
    ):
        (found,) = conflicts([TableSchema.of("first", "One.", column)])
        assert said in found
    other = TableSchema.of("second", "Two.", Column("mine", "int32", "Mine."))
    (found,) = conflicts([first, other])
    assert found == "second.mine: first has a column of that name too, so it needs a word in the vocabulary"
    assert list(conflicts([first, first])) == []


def test_words_are_found_by_name_and_by_role() -> None:
    tick, attacker = words("tick! attacker_player")
    assert (tick.name, tick.required, attacker.type) == ("tick", True, word("player").type)
    assert word("player", "The buyer.").doc == f"{word('player').doc} The buyer."
    with pytest.raises(KeyError, match="no word 'plyaer'"):
        word("plyaer")
    assert ROLES.keys() & WORDS.keys() <= {"attacker", "victim", "target", "caster", "owner"}
