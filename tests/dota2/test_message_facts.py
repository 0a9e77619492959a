"""Rows of messages, which are read from bytes, against their forms and the decoded fields."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from tests.opened import open_as

from playhead.dota2.facts.messages import Orders, Particles, Sounds, TempEntities
from playhead.dota2.replay import Dota2Replay
from playhead.dota2.sources.message_facts import MessageFacts, columns_of
from playhead.source2.entities.entity import INDEX_MASK
from playhead.source2.message_rows import CellSource, EntityNames, MessageForm, MessageTable, own_columns
from playhead.source2.message_rows.table import Content
from playhead.source2.messages import wire
from playhead.source2.messages.decoded import MessageFields
from playhead.source2.messages.definitions import decoder, enumeration, fields
from playhead.tables.packed import Room
from playhead.tables.schema import TableSchema
from playhead.text.json import to_json

_PLACE = {"x": 1.5, "z": -2.0}
_NOWHERE = 0xFFFFFF
# What chance seldom makes: handles of nothing, one place or the other or both.
_CASES: dict[str, list[dict[str, Any]]] = {
    "CUserMsg_ParticleManager": [
        {"type": 9, "index": 4, "update_particle_ent": {"entity_handle": handle, "control_point": 1} | place}
        for handle in (_NOWHERE, 0xFFFFFFFF, 300)
        for place in ({}, {"fallback_position": _PLACE}, {"fallback_position": {}})
    ],
    "CMsgTEEffectDispatch": [
        {"effectdata": {"entity": handle, "scale": 0.1} | first | second}
        for handle in (_NOWHERE, 300)
        for first in ({}, {"origin": _PLACE})
        for second in ({}, {"start": {"y": 7.25}})
    ],
    "CDOTAUserMsg_TE_ProjectileLoc": [
        {"move_speed": 5} | first | second
        for first in ({}, {"source_loc": _PLACE})
        for second in ({}, {"target_loc": {"y": 7.25}}, {"target_loc": {"y": 0.5}, "target": _NOWHERE})
    ],
}
_LATER = 3000


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Dota2Replay:
    from tests.samples.source2.dota2 import write_sample

    return open_as(Dota2Replay, write_sample(tmp_path_factory.mktemp("sample")))


def some_value(rng: random.Random, field: Any) -> Any:
    """A value as an encoder takes it; handles of nothing are among the numbers."""
    if field.kind == "message":
        return some_fields(rng, field.target)
    if field.kind == "string":
        return rng.choice(("", "plain", 'q"\\', "ünïcode"))
    if field.kind == "bytes":
        return rng.randbytes(rng.randrange(5))
    if field.kind == "bool":
        return rng.random() < 0.5
    if field.kind in ("float", "double"):
        return rng.choice((0.0, 1.5, -2.25))
    numbers = [0, 1, 7, 148, 300, 16383]
    if field.kind in ("uint32", "fixed32", "uint64", "fixed64"):
        numbers += [0xFFFFFF, 0xFFFFFFFF, 1572900]
    return rng.choice(numbers)


def some_fields(rng: random.Random, message: str, most: int = 6) -> dict[str, Any]:
    known = fields(message)
    chosen = rng.sample(known, min(len(known), rng.randrange(most)))
    return {
        field.name: [some_value(rng, field) for _ in range(1 + rng.randrange(3))]
        if field.repeated
        else some_value(rng, field)
        for field in chosen
    }


def table(schema: TableSchema, names: EntityNames) -> MessageTable:
    types = ["others" if each.name == "details" else each.type for each in own_columns(schema)]
    return MessageTable(types, Room(), names)


def read_columns(rows: MessageTable, schema: TableSchema) -> dict[str, Any]:
    columns = columns_of(rows, schema)
    return columns | {"details": columns["details"].read()}


def expected_row(form: MessageForm, found: MessageFields, names: EntityNames) -> dict[str, Any]:
    """The row of a message by what its form declares, from its decoded fields."""
    sources = [each for each in form.columns.values() if isinstance(each, CellSource)]
    outside = {name for each in sources if each.outside for name in each.names}
    flattened = {
        name for name, value in found.items() if name == form.inside or (form.flat and isinstance(value, dict))
    }
    inner: dict[Any, Any] = {}
    rest: dict[Any, Any] = {}
    for name, value in found.items():
        if name in flattened:
            inner |= value
        elif name not in outside:
            rest[name] = value
    has_inside = form.flat or any(field.name == form.inside for field in fields(form.definition))
    scope = inner if has_inside else rest
    row: dict[str, Any] = {}
    shown = set()
    for column, source in form.columns.items():
        if isinstance(source, str):
            row[column] = source
            continue
        of = found if source.outside else scope
        name = next((each for each in source.names if each in of), None)
        value = None if name is None else of[name]
        row[column] = meaning(source, value, names)
        if name is not None and not source.outside and not (source.shown and value in _NO_HANDLES):
            shown.add(name)
    others = {key: value for key, value in scope.items() if key not in shown}
    if has_inside:
        others |= rest
    row["details"] = others or None
    return row


_NO_HANDLES = (0xFFFFFF, 0xFFFFFFFF)


def meaning(source: CellSource, value: Any, names: EntityNames) -> Any:
    """The value of a column, given a field's value; None if it was not sent."""
    content = source.content
    if content == Content.NAME and isinstance(value, list):
        return [names.name(each) for each in value]
    if Content.HANDLE in (content, source.number if content == Content.NAME else None):
        value = None if value is None or value in _NO_HANDLES else value & INDEX_MASK
    if Content.NOT_ZERO in (content, source.number if content == Content.NAME else None):
        value = value or None
    if content == Content.NOT_NEGATIVE:
        return None if value is None or value < 0 else value
    if content == Content.NAME:
        return names.name(value)
    if content == Content.AXIS:
        return None if value is None else float(value.get("xyz"[source.number], 0.0))
    if content == Content.TEXT_OF:
        return source.extra.get(source.number if value is None else value, str(value))
    if content == Content.CALL:
        return source.extra(value)
    if content == Content.FIELD:
        return None if value is None else names.number(value + source.number, source.extra)
    return value


def numbered(definition: str, found: MessageFields) -> MessageFields:
    """Fields with numbers in place of names of enumerations."""
    values = {f.name: enumeration(f.target) for f in fields(definition) if f.kind == "enum" and f.target}
    return {
        key: values[key].get(value, value) if isinstance(key, str) and key in values else value
        for key, value in found.items()
    }


@pytest.mark.parametrize("kind", [Sounds, Particles, TempEntities, Orders])
def test_a_row_is_what_its_form_declares(kind: type[MessageFacts], replay: Dota2Replay) -> None:
    follower, facts = replay._facts([kind])
    assert isinstance(facts, MessageFacts)
    playback = replay.playback(None)
    for collector in (follower, facts):
        collector.attach(playback)
    playback.seek(_LATER)
    names = EntityNames(playback.entities)
    rng = random.Random(9)
    for schema, form in facts.forms.values():
        rows, disordered, expected = table(schema, names), table(schema, names), []
        plan = form.plan(schema)
        for message in [
            *_CASES.get(form.definition, ()),
            *(some_fields(rng, form.definition, 4) for _ in range(60)),
        ]:
            payload = wire.encode(form.definition, message)
            found = decoder(form.definition).decode(payload)
            if form.flat and sum(isinstance(value, dict) for value in found.values()) > 1:
                continue  # real messages have one message inside
            expected.append(expected_row(form, numbered(form.definition, found), names))
            assert rows.append(plan, 5, payload)
            backwards = b"".join(wire.encode(form.definition, {name: message[name]}) for name in reversed(message))
            if not disordered.append(plan, 5, backwards):
                assert disordered.append(plan, 5, form.in_order(decoder(form.definition).decode(backwards)))
        assert len(expected) > 30
        ours, theirs = read_columns(rows, schema), read_columns(disordered, schema)
        for name, column in ours.items():
            found_values = column.to_pylist()
            assert theirs[name].to_pylist() == found_values, (form.definition, name)
            if name == "details":
                found_values = [None if each is None else json.loads(each) for each in found_values]
                of_rows = [row["details"] and json.loads(to_json(row["details"])) for row in expected]
            else:
                of_rows = [row.get(name) for row in expected]
            assert found_values == of_rows, (form.definition, name)


def test_unknown_fields_are_among_the_details(replay: Dota2Replay) -> None:
    _, facts = replay._facts([Sounds])
    assert isinstance(facts, MessageFacts)
    schema, form = next(iter(facts.forms.values()))
    rows = table(schema, EntityNames(replay.playback(None).entities))
    assert rows.append(
        form.plan(schema), 5, wire.encode(form.definition, {"soundevent_guid": 3, 77: [b"\xff", 4]})
    )
    found = read_columns(rows, schema)
    assert found["guid"].to_pylist() == [3]
    assert found["details"].to_pylist() == ['{"77": [{"hex": "ff"}, 4]}']
