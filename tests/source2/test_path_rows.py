"""Fields found in rows of neighbouring paths: the same values and errors as without rows."""

from __future__ import annotations

from itertools import combinations, islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.source2.match_schema import declare_field

from playhead.bits import BitWriter
from playhead.errors import ReplayError
from playhead.source2.entities.manager import EntityManager
from playhead.source2.messages import wire
from playhead.source2.schema.path_codes import OPERATIONS
from playhead.source2.schema.send_tables import SendTables, Serializer
from playhead.source2.writing.entities import ClassWriter, EntityMessage
from playhead.source2.writing.field_lists import write_operation

BITS = 1


RULES = Serializer("CRules", 0, (declare_field("m_iMode int32"),))
TURBO = Serializer("CTurboRules", 0, (declare_field("m_iMode int32"),))
UNIT = Serializer(
    "CUnit",
    0,
    (
        declare_field("m_bAlive bool"),
        declare_field("m_iHealth int32"),
        declare_field("m_nTotal uint64"),
        declare_field("m_flPlain float32"),
        declare_field("m_flX float32", bit_count=8, low=0.0, high=255.0),
        declare_field("m_flY float32", bit_count=10, low=-1.0, high=1.0, flags=4),
        declare_field("m_hOwner CHandle< CBaseEntity >"),
        declare_field("m_szName CUtlString"),
        declare_field("m_vecAt Vector"),
        declare_field("m_iMany int32[200]"),
        declare_field("m_pRules CRules*", serializer=("CRules", 0), polymorphic=(("CTurboRules", 0),)),
    ),
)
TABLES = SendTables({(s.name, s.version): s for s in (UNIT, RULES, TURBO)})
WRITER = ClassWriter(0, "CUnit", TABLES)

numbers = st.one_of(st.integers(-70, 70), st.integers(-(1 << 31), (1 << 31) - 1))
unit_values = st.fixed_dictionaries(
    {},
    optional={
        "m_bAlive": st.booleans(),
        "m_iHealth": numbers,
        "m_nTotal": st.one_of(st.integers(0, 200), st.integers(0, (1 << 64) - 1)),
        "m_flPlain": st.floats(width=32, allow_nan=False),
        "m_flX": st.just(0.0),
        "m_flY": st.just(0.0),
        "m_hOwner": st.integers(0, (1 << 24) - 1),
        "m_szName": st.text(alphabet="abc\u00e9", max_size=12),
        "m_vecAt": st.tuples(*[st.floats(width=32, allow_nan=False)] * 3),
        "m_iMany.0000": numbers,
        "m_iMany.0199": numbers,
    },
)


def started() -> EntityManager:
    made = EntityManager(TABLES)
    made.on_server_info({"max_classes": 1, "tick_interval": 0.5})
    made.on_class_info({0: "CUnit"})
    begin = EntityMessage(BITS, delta=False)
    begin.create(5, 77, WRITER, {"m_bAlive": True})
    made.apply(begin.encode()[1])
    return made


def encoded(values: dict[str, Any]) -> bytes:
    change = EntityMessage(BITS)
    change.update(5, WRITER, values)
    return change.encode()[1]


@given(st.lists(unit_values, min_size=1, max_size=12))
def test_cached_lists_give_the_same_values(changes: list[dict[str, Any]]) -> None:
    made = started()
    expected: dict[str, Any] = {"m_bAlive": True}
    entity = made.find(5)
    assert entity is not None
    for change in changes + changes:  # the second time, every list is known
        made.apply(encoded(change))
        expected |= change
        assert entity.to_dict() == expected


def test_paths_are_remembered_once() -> None:
    made = started()
    rows = made.classes_by_id[0].rows
    seen = []
    for health in (1, 2, 300, -4):
        made.apply(encoded({"m_iHealth": health, "m_flX": 7.0, "m_hOwner": 1}))
        seen.append(len(rows))
    # Paths of the first message were new: they are looked up, and cached from the second message on.
    assert seen[0] < seen[1] == seen[2] == seen[3]
    made.apply(encoded({"m_iHealth": 5, "m_hOwner": 1}))  # other steps between the same paths
    made.apply(encoded({"m_iHealth": 6, "m_flX": 7.0}))
    assert len(rows) == seen[3]


def test_fields_that_depend_on_a_pointer_are_not_remembered() -> None:
    made = started()
    rows = made.classes_by_id[0].rows
    for _ in range(2):
        made.apply(encoded({"m_pRules": 1}))
    before = len(rows)
    for mode in (3, 4):
        made.apply(encoded({"m_pRules.m_iMode": mode}))
    assert len(rows) == before
    made.apply(encoded({"m_pRules": 2}))
    made.apply(encoded({"m_pRules.m_iMode": 9}))
    entity = made.find(5)
    assert entity is not None
    assert entity["m_pRules.m_iMode"] == 9


def test_rows_that_grow() -> None:
    made = started()
    entity = made.find(5)
    assert entity is not None
    for number, (a, b) in enumerate(2 * list(islice(combinations(range(200), 2), 3000))):
        made.apply(encoded({f"m_iMany.{a:04}": number, f"m_iMany.{b:04}": -number}))
        assert (entity[f"m_iMany.{a:04}"], entity[f"m_iMany.{b:04}"]) == (number, -number)
    assert len(made.classes_by_id[0].rows) == 200


def test_a_place_far_behind_the_others_is_not_worth_the_places_between() -> None:
    made = started()
    rows = made.classes_by_id[0].rows
    entity = made.find(5)
    assert entity is not None
    for value in range(3):
        made.apply(encoded({"m_bAlive": True, "m_iMany.0000": value, "m_iMany.0199": -value, "m_szName": "a"}))
        assert (entity["m_iMany.0000"], entity["m_iMany.0199"]) == (value, -value)
    before = len(rows)
    for number in range(40):
        for _ in range(2):
            made.apply(encoded({f"m_iMany.{number:04}": 1}))
    assert len(rows) == before + 39
    for _ in range(2):
        made.apply(encoded({"m_iMany.0199": 5}))
    assert len(rows) == before + 40
    assert entity["m_iMany.0199"] == 5


@pytest.mark.parametrize(
    "values",
    [
        {"m_bAlive": True, "m_iHealth": -5, "m_nTotal": 1 << 60, "m_flPlain": 1.5, "m_flX": 3.0},
        {"m_flPlain": 1.5, "m_flX": 3.0, "m_flY": 0.0, "m_hOwner": 70_000},
        {"m_iHealth": 1, "m_szName": "abc", "m_vecAt": (1.0, 2.0, 3.0)},
    ],
)
def test_truncated_bits_raise_the_same_error(values: dict[str, Any]) -> None:
    data = BitWriter()
    data.write_ubit_var(5)
    data.write_bits(0, 2)
    WRITER.write_fields(data, values)
    whole = data.to_bytes()
    fields = set()
    for size in range(len(whole)):
        message = wire.encode(
            "CSVCMsg_PacketEntities",
            {"updated_entries": 1, "legacy_is_delta": True, "entity_data": whole[:size]},
        )
        told = []
        for known in (False, True):
            made = started()
            if known:
                made.apply(encoded(values))
            with pytest.raises(ReplayError) as caught:
                made.apply(message)
            told.append(caught.value.message)
        cold, warm = told
        if "field" in cold:  # otherwise the list itself is truncated, which another code path reads
            assert warm == cold
            fields.add(cold.split("field ")[1].split(":")[0])
    assert len(fields) >= len(values) - 1  # one may end in the first byte of the next


CELL = Serializer("CCell", 0, tuple(declare_field(f"m_i{name} int32") for name in "ABCDEFGH"))
LINE = Serializer(
    "CLine",
    0,
    (declare_field("m_iOwn int32"), declare_field("m_vecCells CUtlVector< CCell >", serializer=("CCell", 0))),
)
GRID = Serializer(
    "CUnit",
    0,
    (
        declare_field("m_bAlive bool"),
        declare_field("m_iFirst int32"),
        declare_field("m_vecLines CUtlVector< CLine >", serializer=("CLine", 0)),
        declare_field("m_iLast int32"),
    ),
)
GRID_TABLES = SendTables({(s.name, s.version): s for s in (CELL, LINE, GRID)})
CODES = {name: number for number, (name, _) in enumerate(OPERATIONS)}

MOST = 5
places = st.integers(0, MOST)
leaves = st.one_of(
    st.sampled_from([(1,), (3,)]),
    st.tuples(st.just(2), places, st.just(0)),
    st.tuples(st.just(2), places, st.just(1), places, st.integers(0, 7)),
)


def name_of(path: tuple[int, ...]) -> str:
    """Return the field of a path in `GRID`."""
    if len(path) == 1:
        return "m_iFirst" if path == (1,) else "m_iLast"
    if len(path) == 3:
        return f"m_vecLines.{path[1]:04}.m_iOwn"
    return f"m_vecLines.{path[1]:04}.m_vecCells.{path[3]:04}.m_i{'ABCDEFGH'[path[4]]}"


def write_step(writer: BitWriter, now: list[int], path: tuple[int, ...], narrow: bool) -> None:
    """Write operations from one path to another that change or add several levels."""
    if len(now) > len(path):
        steps = [there - here for here, there in zip(now, path, strict=False)]
        only_last = narrow and not any(steps[:-1])
        kind = "PopNNonTopo" if not only_last else "PopNP1" if steps[-1] == 1 else "PopNPN"
        write_operation(writer, CODES[kind])
        writer.write_ubit_var_fp(len(now) - len(path))
        if kind == "PopNNonTopo":
            write_levels(writer, steps)
        elif kind == "PopNPN":
            writer.write_varint32(steps[-1])
        now[:] = path
        return
    if len(now) == len(path):
        steps = [there - here for here, there in zip(now, path, strict=True)]
        if narrow and all(-7 <= step <= 8 for step in steps):
            write_operation(writer, CODES["NonTopo4"])
            for step in steps:
                writer.write_boolean(step != 0)
                if step:
                    writer.write_bits(step + 7, 4)
        else:
            write_operation(writer, CODES["NonTopo"])
            write_levels(writer, steps)
        now[:] = path
        return
    more = path[len(now) :]
    begin = path[len(now) - 1] - now[-1]
    narrow = narrow and max(more) < 32
    if len(more) in (2, 3) and now[:-1] == list(path[: len(now) - 1]) and begin >= 0:
        kind = ("L0", "L1")[begin] if begin < 2 else "LN"
        write_operation(writer, CODES[f"Push{len(more)}{'P5' if narrow else ''}{kind}"])
        if kind == "LN":
            writer.write_ubit_var(begin - 2)
        for number in more:
            writer.write_bits(number, 5) if narrow else writer.write_ubit_var_fp(number)
    elif now[:-1] == list(path[: len(now) - 1]) and begin >= 0:
        write_operation(writer, CODES["PushN"])
        writer.write_ubit_var(len(more))
        writer.write_ubit_var(begin)
        for number in more:
            writer.write_ubit_var_fp(number)
    else:
        write_operation(writer, CODES["PushNNonTopo"])
        for here, there in zip(now, path, strict=False):
            writer.write_boolean(here != there)
            if here != there:
                writer.write_varint32(there - here - 1)
        writer.write_ubit_var(len(more))
        for number in more:
            writer.write_ubit_var_fp(number)
    now[:] = path


def write_levels(writer: BitWriter, steps: list[int]) -> None:
    for step in steps:
        writer.write_boolean(step != 0)
        if step:
            writer.write_varint32(step)


@given(st.lists(st.lists(st.tuples(leaves, numbers, st.booleans()), max_size=9), min_size=1, max_size=5))
def test_operations_that_change_many_levels(deltas: list[list[tuple[tuple[int, ...], int, bool]]]) -> None:
    made = EntityManager(GRID_TABLES)
    made.on_server_info({"max_classes": 1, "tick_interval": 0.5})
    made.on_class_info({0: "CUnit"})
    begin = EntityMessage(BITS, delta=False)
    begin.create(5, 77, ClassWriter(0, "CUnit", GRID_TABLES), {"m_bAlive": True})
    made.apply(begin.encode()[1])
    entity = made.find(5)
    assert entity is not None
    expected: dict[str, Any] = {"m_bAlive": True}
    # All paths are known, so a wrong result is not corrected by a look-up.
    everything = [(1,), (3,)]
    for line in range(MOST + 1):
        everything.append((2, line, 0))
        everything += [(2, line, 1, cell, leaf) for cell in range(MOST + 1) for leaf in range(8)]
    learnt = [[(path, 0, False) for path in everything]] * 2
    for turn, taken in enumerate((learnt, deltas)):
        for delta in taken:
            data = BitWriter()
            data.write_ubit_var(5)
            data.write_bits(0, 2)
            now = [-1]
            for path, _value, narrow in delta:
                write_step(data, now, path, narrow)
            write_operation(data, CODES["Fin"])
            for path, value, _narrow in delta:
                data.write_varint32(value)
                expected[name_of(path)] = value
            content = {"updated_entries": 1, "legacy_is_delta": True, "entity_data": data.to_bytes()}
            made.apply(wire.encode("CSVCMsg_PacketEntities", content))
            assert entity.to_dict() == expected, turn
