"""Fields of entities as columns, and as changes from look to look."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pyarrow as pa
import pytest
from tests.samples.source2.match_schema import declare_field

from playhead.runtime import hot
from playhead.source2.entities.classes import ClassLayouts, Projection
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.manager import EntityManager
from playhead.source2.entities.watching import FieldSlots
from playhead.source2.schema.send_tables import SendTables, Serializer
from playhead.source2.schema.tree import FieldTree
from playhead.source2.tables.entity_columns import EntityChanges, EntityColumns
from playhead.source2.writing.entities import ClassWriter, EntityMessage

ROW = Serializer("Row_t", 0, (declare_field("m_iGold int32"), declare_field("m_bBot bool")))
UNIT = Serializer(
    "CUnit",
    0,
    (
        declare_field("m_iHealth int32"),
        declare_field("m_vecRows CUtlVector< Row_t >", serializer=("Row_t", 0)),
        declare_field("m_hItems CHandle< CBaseEntity >[4]"),
        declare_field("m_szName CUtlString"),
        declare_field("m_flMana float32"),
        declare_field("m_bAlive bool"),
        declare_field("m_vecVelocity Vector"),
        declare_field("m_iSteam uint64"),
    ),
)
# Health has another type here.
OTHER = Serializer(
    "COther",
    0,
    (
        declare_field("m_iHealth CUtlString"),
        declare_field("m_iSteam int32"),
        declare_field("m_vecVelocity float32"),
    ),
)
TABLES = SendTables({(s.name, s.version): s for s in (ROW, UNIT, OTHER)})
NAMES = {0: "CUnit", 1: "COther"}
WRITERS = {number: ClassWriter(number, name, TABLES) for number, name in NAMES.items()}
BITS = 2


class Game:
    """Two entities of different classes."""

    def __init__(self) -> None:
        self.manager = EntityManager(TABLES)
        self.manager.on_server_info({"max_classes": 2, "tick_interval": 0.5})
        self.manager.on_class_info(NAMES)
        begin = EntityMessage(BITS, delta=False)
        begin.create(5, 7, WRITERS[0], {"m_iHealth": 100})
        begin.create(6, 7, WRITERS[1], {"m_iHealth": "well"})
        self._apply(begin)

    def _apply(self, message: EntityMessage) -> None:
        self.manager.apply(message.encode()[1])

    def set(self, values: dict[str, Any], index: int = 5) -> None:
        change = EntityMessage(BITS, delta=True)
        change.update(index, WRITERS[index - 5], values)
        self._apply(change)

    def entity(self, index: int = 5) -> Entity:
        found = self.manager.find(index)
        assert found is not None
        return found

    def columns(self, columns: EntityColumns) -> dict[str, list[Any]]:
        return {name: values.to_pylist() for name, values in columns.to_arrow(self.manager.pool).items()}


@pytest.fixture
def game() -> Game:
    return Game()


@pytest.mark.skipif(hot.summary() != "compiled", reason="arrays of Python keep some room more")
def test_columns_that_expect_their_rows_take_memory_once() -> None:
    """Columns that grow copy what they have into twice the room."""
    game, rows = Game(), 33_000  # by doubling there would be room for 65,536
    columns = EntityColumns(["m_iHealth"], expected=rows)
    tracemalloc.start()
    columns.add_all([game.entity()])
    try:
        assert tracemalloc.get_traced_memory()[0] > 8 * rows
        for _ in range(rows - 1):
            columns.add_all([game.entity()])
        assert tracemalloc.get_traced_memory()[1] < 9 * rows
    finally:
        tracemalloc.stop()
    assert game.columns(columns)["m_iHealth"] == [100] * rows


def test_values_come_in_the_types_of_their_fields(game: Game) -> None:
    columns = EntityColumns(
        ["m_iHealth", "m_szName", "m_flMana", "m_bAlive", "m_vecVelocity", "m_iSteam", "m_none"]
    )
    columns.add(game.entity())
    seen = {
        "m_iHealth": -3,
        "m_szName": "Ann",
        "m_flMana": 0.5,
        "m_bAlive": False,
        "m_vecVelocity": (1.0, 2.0, 3.0),
    }
    game.set(seen | {"m_iSteam": (1 << 64) - 1})
    columns.add(game.entity())
    found = columns.to_arrow(game.manager.pool)
    assert {name: values.to_pylist() for name, values in found.items()} == {
        "m_iHealth": [100, -3],
        "m_szName": [None, "Ann"],
        "m_flMana": [None, 0.5],
        "m_bAlive": [None, False],
        "m_vecVelocity": [None, [1.0, 2.0, 3.0]],
        "m_iSteam": [None, (1 << 64) - 1],
        "m_none": [None, None],
    }
    assert [values.type for values in found.values()] == [
        pa.int64(),
        pa.string(),
        pa.float64(),
        pa.bool_(),
        pa.list_(pa.float64(), 3),
        pa.uint64(),
        pa.null(),
    ]


def test_a_column_grows_and_keeps_its_gaps(game: Game) -> None:
    columns = EntityColumns(["m_iHealth"])
    for row in range(1000):
        game.set({"m_iHealth": row})
        columns.add_all([game.entity(), None])
    expected = [value for row in range(1000) for value in (row, None)]
    assert game.columns(columns) == {"m_iHealth": expected}
    assert columns.rows == 2000


def test_another_type_of_the_same_name_is_left_out(game: Game) -> None:
    columns = EntityColumns(["m_iHealth"])
    columns.add_all([game.entity(5), game.entity(6), game.entity(5)])
    assert game.columns(columns) == {"m_iHealth": [100, None, 100]}


@pytest.mark.parametrize("first", [5, 6])
def test_a_vector_and_a_number_of_the_same_name_do_not_mix(game: Game, first: int) -> None:
    game.set({"m_vecVelocity": (1.0, 2.0, 3.0)})
    game.set({"m_vecVelocity": 4.0}, 6)
    columns = EntityColumns(["m_vecVelocity"])
    columns.add(game.entity(first))
    columns.add(game.entity(11 - first))
    kept = {5: [1.0, 2.0, 3.0], 6: 4.0}[first]
    assert game.columns(columns) == {"m_vecVelocity": [kept, None]}


def test_a_prefix_is_added_to_each_name(game: Game) -> None:
    game.set({"m_vecRows": 2, "m_vecRows.0000.m_iGold": 600, "m_vecRows.0001.m_iGold": 700})
    columns = EntityColumns(["m_iGold"])
    columns.add_all([game.entity()] * 3, ["m_vecRows.0001.", "m_vecRows.0000.", "m_vecRows.0002."])
    assert game.columns(columns) == {"m_iGold": [700, 600, None]}


def test_fields_that_occur_later_get_columns(game: Game) -> None:
    columns = EntityColumns([], lambda name: name.startswith("m_hItems."))
    columns.add(game.entity())
    game.set({"m_hItems.0002": 11})
    columns.add(game.entity())
    assert game.columns(columns) == {"m_hItems.0002": [None, 11]}


def test_values_of_slots(game: Game) -> None:
    slots = FieldSlots(["m_szName", "m_iHealth", "m_none"])
    assert slots.values(game.entity(5)) == [None, 100, None]
    assert slots.values(game.entity(6)) == [None, "well", None]
    game.set({"m_szName": "Ann"})
    assert slots.values(game.entity(5)) == ["Ann", 100, None]


def test_only_changes_are_kept(game: Game) -> None:
    changes = EntityChanges(["m_iHealth", "m_bAlive"], absent=0)
    for tick, values in enumerate(({}, {"m_bAlive": True}, {}, {"m_iHealth": -5, "m_bAlive": False})):
        if values:
            game.set(values)
        changes.look(tick, ["ann"], [game.entity()])
    changes.look(4, ["ann"], [None])
    assert changes.changes == [
        (0, "ann", 0, 0, 100),
        (1, "ann", 1, 0, 1),
        (3, "ann", 0, 100, -5),
        (3, "ann", 1, 1, 0),
        (4, "ann", 0, -5, 0),
    ]


def test_changes_are_of_a_subject_not_of_an_entity(game: Game) -> None:
    game.set({"m_vecRows": 2, "m_vecRows.0000.m_iGold": 600, "m_vecRows.0001.m_iGold": 700})
    changes = EntityChanges(["m_iGold"], absent=0)
    both = [game.entity(), game.entity()]
    changes.look(1, [1, 2], both, ["m_vecRows.0000.", "m_vecRows.0001."])
    changes.look(2, [2, 1], both, ["m_vecRows.0001.", "m_vecRows.0001."])
    assert changes.changes == [(1, 1, 0, 0, 600), (1, 2, 0, 0, 700), (2, 1, 0, 600, 700)]


def test_values_other_than_int32(game: Game) -> None:
    game.set({"m_iSteam": (1 << 40) + (1 << 31) + 5, "m_flMana": 2.0})
    changes = EntityChanges(["m_iHealth", "m_flMana", "m_iSteam"], absent=-1)
    changes.look(0, ["unit", "other"], [game.entity(5), game.entity(6)])
    assert changes.changes == [(0, "unit", 0, -1, 100), (0, "unit", 2, -1, 5 - (1 << 31))]


def test_fields_are_added_while_looking(game: Game) -> None:
    changes = EntityChanges([], 0, lambda name: name.startswith("m_hItems."))
    changes.look(0, [1], [game.entity()])
    game.set({"m_hItems.0003": 9, "m_hItems.0001": 8})
    changes.look(1, [1], [game.entity()])
    found = {changes.names[field]: (tick, before, now) for tick, _, field, before, now in changes.changes}
    assert found == {"m_hItems.0001": (1, 0, 8), "m_hItems.0003": (1, 0, 9)}
    changes.look(2, [2], [game.entity(6)])
    assert len(changes.changes) == 2


def test_full_names_of_fields_under_nodes() -> None:
    body = Serializer("Body_t", 0, (declare_field("m_cellX uint16", send_node="m_node.m_vecOrigin"),))
    fields = (
        declare_field("m_vecX float32", send_node="m_vecVelocity"),
        declare_field("m_vecX float32", send_node="m_vecViewOffset"),
        declare_field("m_pBody CBodyComponent", serializer=("Body_t", 0)),
        declare_field("m_list int32[2]", send_node="m_node"),
        declare_field("m_twice int32", send_node="m_node"),
        declare_field("m_twice int32", send_node="m_node"),
        declare_field("m_plain int32"),
    )
    tables = SendTables({(s.name, s.version): s for s in (body, Serializer("CUnit", 0, fields))})
    values = {
        "m_vecX": 1.0,
        "m_vecX~2": 2.0,
        "m_pBody": True,
        "m_pBody.m_cellX": 3,
        "m_list.0001": 4,
        "m_twice": 5,
        "m_twice~2": 6,
        "m_plain": 7,
    }
    full_names = {
        "m_vecVelocity.m_vecX": 1.0,
        "m_vecViewOffset.m_vecX": 2.0,
        "m_pBody.m_node.m_vecOrigin.m_cellX": 3,
        "m_node.m_list.0001": 4,
        "m_node.m_twice": 5,
        "m_node.m_twice~2": 6,
        "m_plain": 7,
    }

    def entity(wanted: Projection | None = None) -> Entity:
        manager = EntityManager(ClassLayouts(FieldTree(tables), wanted))
        manager.on_server_info({"max_classes": 1, "tick_interval": 0.5})
        manager.on_class_info({0: "CUnit"})
        message = EntityMessage(1, delta=False)
        message.create(1, 7, ClassWriter(0, "CUnit", tables), values)
        manager.apply(message.encode()[1])
        found = manager.find(1)
        assert found is not None
        return found

    unit = entity()
    assert {name: unit.get(name) for name in full_names} == full_names
    assert unit.to_dict() == values
    for name in ("m_vecVelocity", "m_vecVelocity.m_vecY", "m_node.m_vecX", "m_pBody.m_node.m_cellX", "m_node"):
        assert unit.get(name) is None
    # The name of a field alone keeps it under both names, and no other field.
    for full_name, value in full_names.items():
        kept = entity(lambda _class, only=full_name: only.__eq__)
        assert kept.get(full_name) == value
        assert list(kept.to_dict().values()) == [value]
    columns = EntityColumns(["m_vecViewOffset.m_vecX"], lambda name: name.startswith("m_vecVelocity."))
    columns.add(unit)
    arrays = columns.to_arrow(EntityManager(tables).pool)
    assert {name: array.to_pylist() for name, array in arrays.items()} == {
        "m_vecViewOffset.m_vecX": [2.0],
        "m_vecX": [1.0],
    }
