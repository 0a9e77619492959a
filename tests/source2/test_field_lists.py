"""Field lists: the same bits as single paths and values, and readable by the decoder."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.source2.match_schema import build_schema

from playhead.bits import BitReader, BitWriter
from playhead.source2.entities.field_path import FieldPathReader
from playhead.source2.schema.decoder import FieldDecoder
from playhead.source2.schema.encoding import Kind
from playhead.source2.schema.tree import Slot
from playhead.source2.writing.entities import ClassWriter
from playhead.source2.writing.field_lists import FieldList, write_field_paths, write_value

_TABLES, _NAMES = build_schema()
_HERO = next(name for name in _NAMES.values() if "_Hero_" in name)
_CLASS = ClassWriter(0, _HERO, _TABLES)

number = st.integers(0, 200)
share = st.floats(0.0, 1.0)
place = st.tuples(*[st.floats(-1000.0, 1000.0, width=32)] * 3)

#: A field of each encoding, with its possible values.
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "m_bSimulatedEveryTick": st.booleans(),
    "m_iHealth": st.integers(-(2**31), 2**31 - 1),
    "m_iTaggedAsVisibleByTeam": st.integers(0, 2**32 - 1),
    "m_nUnitState64": st.integers(0, 2**64 - 1),
    "m_ulBanner": st.integers(0, 2**64 - 1),
    "m_nBloodColor": number,
    "CBodyComponent.m_hSequence": st.integers(-1, 200),
    "m_flSimulationTime": number,
    "m_flElasticity": st.floats(width=32, allow_nan=False),
    "m_flShadowStrength": st.floats(-100.0, 100.0),
    "CBodyComponent.m_flCycle": share,
    "CBodyComponent.m_flPoseParameter.0003": st.floats(-1.0, 2.0),
    "m_flMana": st.floats(-10.0, 70_000.0),
    "m_flHealthThinkRegen": st.floats(-256.0, 256.0),
    "m_iszUnitName": st.sampled_from(("", "npc_dota_hero_axe")),
    "m_vecNetworkOrigin": place,
    "m_vecAimAngles": place,
    "CBodyComponent.m_angRotation": place,
    "m_pCollision": st.booleans(),
    "m_hAbilities": number,
    "m_hAbilities.0002": number,
}

deltas = st.lists(st.sampled_from(sorted(FIELDS)), unique=True).flatmap(
    lambda names: st.fixed_dictionaries({name: FIELDS[name] for name in names})
)


def _slots(names: Any) -> list[Slot]:
    return [_CLASS.slot(name) for name in names]


@given(deltas)
def test_lists_give_the_same_bits_as_single_writes(values: dict[str, Any]) -> None:
    one_by_one, together = BitWriter(), BitWriter()
    ordered = sorted(values, key=lambda name: _CLASS.slot(name).path)
    write_field_paths(one_by_one, [_CLASS.slot(name).path for name in ordered])
    for name in ordered:
        write_value(one_by_one, _CLASS.slot(name).encoding, values[name])
    FieldList(_slots(values)).write(together, list(values.values()))
    assert (together.tell(), together.to_bytes()) == (one_by_one.tell(), one_by_one.to_bytes())


@given(deltas)
def test_read_back(values: dict[str, Any]) -> None:
    writer = BitWriter()
    _CLASS.write_fields(writer, values)
    reader = BitReader(writer.to_bytes())
    slots = sorted(_slots(values), key=lambda slot: slot.path)
    assert FieldPathReader().read_paths(reader) == [slot.path for slot in slots]
    by_path = {_CLASS.slot(name).path: value for name, value in values.items()}
    exact = (
        Kind.BOOL,
        Kind.SIGNED,
        Kind.UNSIGNED,
        Kind.FIXED64,
        Kind.TICKS,
        Kind.SEQUENCE,
        Kind.FLOAT,
        Kind.LENGTH,
    )
    for slot in slots:
        found = FieldDecoder(slot.encoding).read(reader)
        if slot.encoding.kind in exact and slot.encoding.cells == 1:
            assert found == by_path[slot.path]
    assert reader.rem_bits() < 8


def test_every_form_of_the_schema_is_tried() -> None:
    of_hero = {slot.encoding.kind for slot in _slots(FIELDS)}
    assert len(of_hero) >= 15


def test_too_few_values() -> None:
    fields = FieldList(_slots(["m_iHealth", "m_flMana"]))
    assert len(fields) == 2
    with pytest.raises(ValueError, match="expected 2 values, got 1"):
        fields.write(BitWriter(), [1])
    with pytest.raises(ValueError, match="does not fit"):
        fields.write(BitWriter(), [1 << 31, 1.0])
