"""`FieldReader` compared with `WireDecoder` for the values of fields and with `JsonWriter` for the text."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.many import many

from playhead.errors import ReplayError
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import FieldDef, decoder, enumeration, fields
from playhead.source2.messages.field_reader import FieldReader
from playhead.source2.messages.wire_decoder import FieldPlan
from playhead.tables.json_columns import ByteBuffer
from playhead.text.json import to_json

MESSAGES = (
    "CMsgSosStartSoundEvent",
    "CMsgTEEffectDispatch",
    "CUserMsg_ParticleManager",
    "CDOTAUserMsg_TE_Projectile",
    "CDOTAUserMsg_SpectatorPlayerUnitOrders",
    "CMsgDOTACombatLogEntry",
    "CMsgSource1LegacyGameEvent",
    "CSVCMsg_Sounds",
)

_FLOATS = st.floats(width=32, allow_nan=False)
_VALUES = {
    "bool": st.booleans(),
    "string": st.text(max_size=8),
    "bytes": st.binary(max_size=8),
    "float": _FLOATS | st.just(math.inf),
    "double": st.floats(allow_nan=False),
    "uint64": st.integers(0, 2**64 - 1),
    "fixed64": st.integers(0, 2**64 - 1),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "sint64": st.integers(-(2**63), 2**63 - 1),
    "sfixed64": st.integers(-(2**63), 2**63 - 1),
    "uint32": st.integers(0, 2**32 - 1),
    "fixed32": st.integers(0, 2**32 - 1),
}


def _value(field: FieldDef, depth: int) -> st.SearchStrategy[Any]:
    if field.kind == "message":
        return values_of(field.target or "", depth + 1)
    if field.kind == "enum":
        return st.sampled_from(list(enumeration(field.target or "").values())) | st.integers(0, 1 << 20)
    return _VALUES.get(field.kind, st.integers(-(2**31), 2**31 - 1))


def values_of(message: str, depth: int = 0) -> st.SearchStrategy[dict[str, Any]]:
    """Fields of a message, some of them."""
    chosen = [field for field in fields(message) if depth < 2 or field.kind != "message"]
    # Generate some fields of a message.
    return st.fixed_dictionaries(
        {},
        optional={
            field.name: st.lists(_value(field, depth), min_size=1, max_size=3)
            if field.repeated
            else _value(field, depth)
            for field in chosen
        },
    )


def text_of(message: str, payload: bytes) -> tuple[bool, str]:
    buffer = ByteBuffer()
    read = FieldReader(buffer).read(FieldPlan(decoder(message)), payload)
    return read, bytes(buffer.detach()).decode()


def expected(message: str, payload: bytes) -> str:
    found = decoder(message).decode(payload)
    return to_json(found) if found else ""


@pytest.mark.long
@pytest.mark.parametrize("message", MESSAGES)
@many(1.5)
@given(data=st.data())
def test_text_equals_that_of_decoder_and_writer(message: str, data: st.DataObject) -> None:
    payload = wire.encode(message, data.draw(values_of(message)))
    assert text_of(message, payload) == (True, expected(message, payload))


@many(4)
@given(st.sampled_from(MESSAGES), st.binary(max_size=40))
def test_any_bytes_are_read_like_the_decoder(message: str, payload: bytes) -> None:
    read, text = text_of(message, payload)
    checked = FieldReader(None).read(FieldPlan(decoder(message), False), payload)
    skipping = FieldReader(None, True)
    assert skipping.read(FieldPlan(decoder(message)), payload) == read
    if read or checked:
        assert checked
        assert not read or skipping.others == bool(text)
        assert not read or text == expected(message, payload)
    else:
        assert text == ""
    try:
        decoder(message).decode(payload)
    except ReplayError:
        assert not read
        assert not checked


SOUND = "CMsgSosStartSoundEvent"


def test_fields_out_of_order_and_twice_are_left_to_the_decoder() -> None:
    one = wire.encode(SOUND, {"soundevent_guid": 5})
    two = wire.encode(SOUND, {"soundevent_hash": 6})
    assert text_of(SOUND, one + two)[0]
    for payload in (two + one, one + one, one[:1]):
        assert text_of(SOUND, payload) == (False, "")
    # The key of a field that may come several times, and no value after it.
    assert text_of("CDOTAUserMsg_TE_Projectile", b"z") == (False, "")
    assert text_of("CDOTAUserMsg_SpectatorPlayerUnitOrders", b"\x18") == (False, "")


_RAW = st.lists(st.integers(0, 2**64 - 1) | st.binary(max_size=3), min_size=1, max_size=3)


@many(2)
@given(st.sampled_from(MESSAGES), st.data())
def test_unknown_fields_are_read_by_number(message: str, data: st.DataObject) -> None:
    known = {field.number for field in fields(message)}
    numbers = st.integers(1, 5000).filter(lambda number: number not in known)
    payload = wire.encode(message, data.draw(values_of(message)) | data.draw(st.dictionaries(numbers, _RAW)))
    assert text_of(message, payload) == (True, expected(message, payload))
    assert FieldReader(None).read(FieldPlan(decoder(message), False), payload)


@many(4)
@given(st.sampled_from(MESSAGES), st.binary(max_size=40))
def test_every_decoded_message_can_be_encoded_in_order(message: str, payload: bytes) -> None:
    try:
        found = decoder(message).decode(payload)
    except ReplayError:
        return
    read, text = text_of(message, wire.encode(message, found))
    assert read
    assert json.loads(text or "{}") == json.loads(to_json(found))


def test_plans_refuse_invalid_fields() -> None:
    plan = FieldPlan(decoder("CMsgTEEffectDispatch"))
    for wrong in (
        lambda: plan.store("effectdata", 0),
        lambda: plan.store("nothing", 0),
        lambda: plan.inner("nothing"),
        lambda: plan.inner("effectdata").store("scale", 128),
        lambda: plan.inner("effectdata").inner("scale"),
        lambda: plan.inner("effectdata").enter("scale", plan, 0),
        lambda: FieldPlan(decoder("CSVCMsg_Sounds")).flatten("sounds", plan),
    ):
        with pytest.raises(ValueError, match=r"cannot be|expected a message|not in"):
            wrong()


@pytest.mark.parametrize("count", [8, 9])
def test_skipped_text_is_refused_as_written_text(count: int) -> None:
    message = "CMsgEffectData"
    kinds = ("uint32", "int32", "float", "fixed32")
    names = [field.name for field in fields(message) if field.kind in kinds][:count]
    assert len(names) == count
    plan = FieldPlan(decoder(message))
    for slot, name in enumerate(names):
        plan.store(name, slot + 1, before=1)
    payload = wire.encode(message, dict.fromkeys(names, 1))
    written = FieldReader(ByteBuffer()).read(plan, payload)
    assert FieldReader(None, True).read(plan, payload) == written
    assert written == (count == 8)
