"""Rows of messages: those that are read from bytes are those that are made of decoded fields."""

from __future__ import annotations

import random
from typing import Any

import pytest

import playhead
from playhead.dota2.facts.messages.effects import Particles, Sounds, TempEntities
from playhead.dota2.facts.messages.orders import Orders
from playhead.dota2.replay import Dota2Replay
from playhead.dota2.sources.message_forms import own_columns
from playhead.dota2.sources.message_rows import MessageRows
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import decoder, fields
from playhead.source2.tables.message_rows import EntityNames, MessageTable
from playhead.tables.schema import TableSchema
from playhead.text.json import to_json

_WRITE = to_json
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
    from playhead.samples.source2.dota2 import write_sample

    opened = playhead.open(write_sample(tmp_path_factory.mktemp("sample")))
    assert isinstance(opened, Dota2Replay)
    return opened


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
    return MessageTable(["others" if each.name == "details" else each.type for each in own_columns(schema)], names)


@pytest.mark.parametrize("kind", [Sounds, Particles, TempEntities, Orders])
def test_a_row_is_the_same_from_bytes_and_from_decoded_fields(
    kind: type[MessageRows], replay: Dota2Replay
) -> None:
    follower, rows = replay._facts([kind])
    assert isinstance(rows, MessageRows)
    playback = replay.playback(None)
    for collector in (follower, rows):
        collector.attach(playback)
    playback.seek(_LATER)
    names = EntityNames(playback.entities)
    rng = random.Random(9)
    for schema, form in rows.forms.values():
        direct, decoded = table(schema, names), table(schema, names)
        plan = form.plan(schema)
        read = 0
        for message in [
            *_CASES.get(form.definition, ()),
            *(some_fields(rng, form.definition, 4) for _ in range(60)),
        ]:
            payload = wire.encode(form.definition, message)
            row = form.row(decoder(form.definition).decode(payload), names, lambda rest: _WRITE(rest) or None)
            if not row.get("details") or row["details"] == "{}":
                row["details"] = None
            if direct.add(plan, 5, payload):
                read += 1
                decoded.add_row(5, [row.get(column.name) for column in own_columns(schema)])
        assert read > 30, "messages as encoders write them are read from their bytes"
        assert len(direct) == len(decoded) == read
        ours = dict(zip((each.name for each in own_columns(schema)), direct.to_arrow(), strict=True))
        theirs = dict(zip((each.name for each in own_columns(schema)), decoded.to_arrow(), strict=True))
        for name, column in ours.items():
            assert column.to_pylist() == theirs[name].to_pylist(), (form.definition, name)
