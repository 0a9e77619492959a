"""Messages by definition: every definition round-trips; defaults, limits, damage."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loading import load_module
from tests.many import many

from playhead import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.runtime import hot
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import (
    FieldDef,
    decoder,
    defaults,
    enumeration,
    fields,
    message_names,
    message_numbers,
)
from playhead.source2.messages.wire_decoder import KINDS, MAX_DEPTH, WIRE_TYPES, WireDecoder

I32, I64 = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)
U32, U64 = st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1)
BY_KIND: dict[str, st.SearchStrategy[Any]] = {
    "int32": I32,
    "int64": I64,
    "uint32": U32,
    "uint64": U64,
    "sint32": I32,
    "sint64": I64,
    "bool": st.booleans(),
    "fixed32": U32,
    "sfixed32": I32,
    "float": st.floats(width=32, allow_nan=False),
    "fixed64": U64,
    "sfixed64": I64,
    "double": st.floats(allow_nan=False),
    "string": st.text("aé\0中", max_size=6),
    "bytes": st.binary(max_size=6),
}


def _values(field: FieldDef, depth: int) -> st.SearchStrategy[Any]:
    if field.kind == "message":
        assert field.target is not None
        return _contents(field.target, depth + 1)
    if field.kind == "enum":
        assert field.target is not None
        known = enumeration(field.target)
        first_names = {number: name for name, number in reversed(known.items())}
        named = st.sampled_from(sorted(first_names.values()))
        # Among repeated values, protobuf's runtime loses the order of unknown numbers.
        return named if field.repeated else named | I32.filter(lambda number: number not in first_names)
    return BY_KIND[field.kind]


def _is_map(field: FieldDef) -> bool:
    """Return whether protobuf's runtime treats the field as a map and drops missing entries' defaults.

    On the wire, and for us, it is a repeated message.
    """
    return [inner.name for inner in fields(field.target or "")] == ["key", "value"]


@st.composite
def _contents(draw: st.DrawFn, message: str, depth: int = 0) -> dict[str, Any]:
    """Generate some fields of a message, with valid values."""
    usable = [field for field in fields(message) if field.kind != "message" or (depth < 4 and not _is_map(field))]
    if not usable:
        return {}
    out = {}
    for field in draw(st.lists(st.sampled_from(usable), max_size=4, unique_by=lambda field: field.number)):
        one = _values(field, depth)
        out[field.name] = draw(st.lists(one, min_size=1, max_size=3) if field.repeated else one)
    return out


@given(st.sampled_from(message_names()).flatmap(lambda name: st.tuples(st.just(name), _contents(name))))
@many(3)
def test_every_definition_comes_back(case: tuple[str, dict[str, Any]]) -> None:
    name, content = case
    assert wire.decode(name, wire.encode(name, content)) == content


#: Messages that the generated classes of gem-dota lack.
_NOT_IN_PEER = {
    "CEntityMessageRemoveAllDecals",
    "CUserMessageCloseCaption",
    "CUserMessageCloseCaptionDirect",
}


@given(
    st.sampled_from(sorted({*message_names()} - _NOT_IN_PEER)).flatmap(
        lambda name: st.tuples(st.just(name), _contents(name))
    )
)
@many(3)
def test_protobuf_reads_the_same(
    protobuf: Callable[[str, bytes], dict[str | int, Any]], case: tuple[str, dict[str, Any]]
) -> None:
    name, content = case
    assert protobuf(name, wire.encode(name, content)) == content


def test_every_definition_compiles() -> None:
    for name in message_names():
        assert decoder(name).decode(b"") == {}
        numbers = [field.number for field in fields(name)]
        assert numbers == sorted(set(numbers))


def test_every_numbered_message_is_defined() -> None:
    for game in ("dota2", "cs2", "deadlock"):
        known = message_numbers(game)
        assert all(entry.message is None or fields(entry.message, game) is not None for entry in known.values())
    assert message_numbers("dota2")[466].message == "CDOTAUserMsg_ChatEvent"
    assert message_numbers("dota2")[554].message == "CMsgDOTACombatLogEntry"
    assert message_numbers("dota2")[557].message == "CDOTAMatchMetadataFile"
    assert 466 not in message_numbers("cs2")
    assert message_numbers("cs2")[118].message == "CUserMessageSayText2"


def test_absent_fields() -> None:
    absent = defaults("CDOTAUserMsg_ChatEvent")
    assert absent["playerid_1"] == -1
    assert absent["type"] == "CHAT_MESSAGE_INVALID"
    assert absent["value"] == 0
    assert defaults("CMsgDOTACombatLogEntry")["assist_players"] == ()


def _one(kind: str, *, repeated: bool = False) -> WireDecoder:
    return WireDecoder("Test", [(1, KINDS.index(kind), "x", repeated)])


# Expected values computed by hand from the protobuf encoding document.
@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("int32", b"\x08\xff\xff\xff\xff\x0f", -1),  # 32 bits written, not sign-extended to 64
        ("int32", b"\x08\x80\x80\x80\x80\x10", 0),  # bit 32: dropped
        ("int64", b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", -1),
        ("uint32", b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 2**32 - 1),
        ("sint32", b"\x08\x03", -2),
        ("sint64", b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", -(2**63)),
        ("bool", b"\x08\x80\x80\x80\x80\x80\x01", True),
        ("sfixed32", b"\x0d\xfe\xff\xff\xff", -2),
        ("fixed64", b"\x09\xfe\xff\xff\xff\xff\xff\xff\xff", 2**64 - 2),
        ("sfixed64", b"\x09\xfe\xff\xff\xff\xff\xff\xff\xff", -2),
        ("double", b"\x09\0\0\0\0\0\0\xf8\x3f", 1.5),
    ],
)
def test_kinds(kind: str, data: bytes, expected: Any) -> None:
    assert _one(kind).decode(data) == {"x": expected}


@pytest.mark.parametrize(
    "kind", [kind for kind, wire_type in zip(KINDS, WIRE_TYPES, strict=True) if wire_type != 2]
)
def test_packed_values(kind: str) -> None:
    width = {0: 1, 5: 4, 1: 8}[WIRE_TYPES[KINDS.index(kind)]]
    element = b"\0" * width
    decoded = _one(kind, repeated=True).decode(b"\x0a" + bytes([3 * width]) + 3 * element)
    assert decoded == {"x": [0, 0, 0]}
    with pytest.raises(ReplayError):
        _one(kind, repeated=True).decode(b"\x0a" + bytes([width + 1]) + element + b"\x80" + 8 * b"\0")


def test_names_of_enumerations() -> None:
    decoder = _one("enum")
    assert decoder.decode(b"\x08\x02") == {"x": 2}
    decoder.link(0, {2: "TWO"})
    assert decoder.decode(b"\x08\x02") == {"x": "TWO"}
    assert decoder.decode(b"\x08\x03") == {"x": 3}


def test_a_message_in_parts_is_one() -> None:
    inner = WireDecoder("Inner", [(1, 0, "a", False), (2, 0, "b", False)])
    outer = WireDecoder("Outer", [(1, KINDS.index("message"), "x", False)])
    outer.link(0, inner)
    assert outer.decode(b"\x0a\x02\x08\x01\x0a\x02\x10\x02") == {"x": {"a": 1, "b": 2}}


def _nested(depth: int) -> bytes:
    data = b""
    for _ in range(depth):
        data = b"\x0a" + bytes([len(data)]) + data  # sizes below 128 are one byte
    return data


def test_depth_is_bounded() -> None:
    recursive = _one("message")
    recursive.link(0, recursive)
    assert recursive.decode(_nested(MAX_DEPTH))
    with pytest.raises(LimitExceeded, match="nest"):
        recursive.decode(_nested(MAX_DEPTH + 1))


@pytest.mark.parametrize(
    "data",
    [
        b"\x08\0" * 11,
        b"\x78\0" * 11,  # an unknown field, again and again
        b"\x0a\x0b" + b"\x01" * 11,  # packed
    ],
)
def test_the_number_of_fields_is_bounded(data: bytes) -> None:
    roomy, narrow = (WireDecoder("Test", [(1, KINDS.index("bool"), "x", True)], most) for most in (12, 10))
    assert roomy.decode(data)
    with pytest.raises(LimitExceeded, match="fewer fields"):
        narrow.decode(data)


def test_fields_of_messages_inside_count_too() -> None:
    outer = WireDecoder("Outer", [(1, KINDS.index("message"), "x", False)], 10)
    outer.link(0, _one("bool", repeated=True))
    with pytest.raises(LimitExceeded, match="found more in Test"):
        outer.decode(b"\x0a\x14" + b"\x08\x00" * 10)


@pytest.mark.parametrize(
    ("data", "error", "text"),
    [
        (b"\x0a\x05\x08\x01", TruncatedReplay, "fewer are left"),
        (b"\x0a\x02\x08\x81\x01", CorruptReplay, "passes it by 1"),  # the inner message's varint runs out of it
        (b"\x0a\x02\x12\x05abcdefg", TruncatedReplay, "5 bytes in Inner"),
        (b"\x0a\x01\x0b", CorruptReplay, "wire type"),
        (b"\x00\x01", CorruptReplay, "number 0"),
    ],
)
def test_nothing_reads_past_its_message(data: bytes, error: type[ReplayError], text: str) -> None:
    inner = WireDecoder("Inner", [(1, 0, "a", False), (2, KINDS.index("bytes"), "b", False)])
    outer = WireDecoder("Outer", [(1, KINDS.index("message"), "x", False)])
    outer.link(0, inner)
    with pytest.raises(error, match=text):
        outer.decode(data)


@pytest.mark.parametrize("fields", [[(0, 0, "x", False)], [(5000, 0, "x", False)], [(1, 17, "x", False)]])
def test_definitions_are_checked(fields: list[tuple[int, int, str, bool]]) -> None:
    with pytest.raises(ValueError, match="expected"):
        WireDecoder("Test", fields)


@given(st.sampled_from(message_names()), st.binary(max_size=60))
@many(3)
def test_any_bytes_decode_or_raise_a_replay_error(name: str, data: bytes) -> None:
    with contextlib.suppress(ReplayError):
        assert isinstance(decoder(name).decode(data), dict)


def _interpreted() -> ModuleType:
    return load_module("interpreted", hot.source_path(WireDecoder.__module__))


def _every_kind(decoder: Callable[..., Any]) -> Any:
    """Build a decoder with a field of every kind, repeated and not; messages are recursive."""
    numbered = enumerate([(kind, repeated) for kind in range(len(KINDS)) for repeated in (False, True)])
    fields = [(number + 1, kind, f"f{number + 1}", repeated) for number, (kind, repeated) in numbered]
    out = decoder("Test", fields, 200)
    for place, (_, kind, *_) in enumerate(fields):
        if KINDS[kind] == "message":
            out.link(place, out)
        elif KINDS[kind] == "enum":
            out.link(place, {1: "ONE", -1: "MINUS"})
    return out


def _outcome(decoder: Any, data: bytes) -> str:
    try:
        return repr(decoder.decode(data))
    except ReplayError as error:
        return f"{type(error).__name__} {error.message} {error.offset}"


# One field: a key, and bytes that may be valid for it.
FIELD = st.tuples(st.integers(1, 40), st.sampled_from([0, 1, 2, 5]), st.binary(max_size=12)).map(
    lambda field: wire_field(*field)
)


def wire_field(number: int, wire_type: int, data: bytes) -> bytes:
    key = number << 3 | wire_type
    head = bytes([key]) if key < 128 else bytes([key & 127 | 128, key >> 7])
    if wire_type == 2:
        return head + bytes([len(data)]) + data
    return head + (data + bytes(8))[: {0: 10, 1: 8, 5: 4}[wire_type]]


@pytest.mark.skipif(hot.summary() != "compiled", reason="the hot modules run interpreted: nothing to compare")
@given(st.lists(FIELD | st.binary(max_size=3), max_size=8).map(b"".join))
@many(5)
def test_compiled_equals_interpreted(data: bytes) -> None:
    assert _outcome(COMPILED, data) == _outcome(INTERPRETED, data)


COMPILED, INTERPRETED = _every_kind(WireDecoder), _every_kind(_interpreted().WireDecoder)
