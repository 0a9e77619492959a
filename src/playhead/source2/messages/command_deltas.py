"""The delta form of user commands: `CMsgServerUserCmd.delta_data`, sent by CS2 servers since July 2026.

It is the wire form of protobuf with two changes. Wire type 7 takes a field back to its default. The bytes of a
list of messages are operations: a varint ``index * 8 + 7`` sets the length of the list, ``index * 8 + 2`` and a
sized message change the element. Messages inside others, and elements, are merged; a field that is not sent keeps
its value. `ServerCommands` finds the command that a delta applies to. We have no recording with such commands: the
form is that which demoinfocs-golang (pull request 669) and demoparser (pull requests 348, 352) published.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay
from playhead.runtime.typing import Any
from playhead.source2.messages.definitions import FieldDef, fields

RESET, SIZED = 7, 2
_FIXED = {1: 8, 5: 4}
#: Most elements of a list; the game refuses longer ones.
MOST_ELEMENTS = 256

Values = Mapping[Any, Any]
#: Returns the fields of bytes as a definition of the game.
Decode = Callable[[str, bytes | memoryview], dict[str | int, Any]]


def apply_delta(before: Values, delta: bytes, message: str, game: str, decode: Decode) -> dict[str | int, Any]:
    """Return a command as the delta changes it; `before` stays as it is.

    Args:
        before: the earlier command, as `wire.decode` returns it.
        delta: bytes of the delta.
        message: name of the message's definition.
        game: whose definition it is.
        decode: decodes the values that the delta sets.

    Raises:
        ReplayError: the bytes are no delta of such a message, or change an element that is not there.
    """
    known = {field.number: field for field in fields(message, game)}
    after = dict(before)
    plain = bytearray()
    reader = ByteReader(delta)
    while reader.remaining():
        start = reader.tell()
        tag = reader.read_varuint64()
        number, form = tag >> 3, tag & 7
        field = known.get(number)
        name = number if field is None else field.name
        if number == 0:
            raise CorruptReplay("expected a field of a command, found number 0")
        if form == RESET:
            after.pop(name, None)
            continue
        content = _skip(reader, form)
        if field is None or field.kind != "message" or form != SIZED:
            # A value replaces the earlier one; the decoder of messages decodes it.
            after.pop(name, None)
            plain += delta[start : reader.tell()]
        elif field.repeated:
            after[field.name] = _apply_to_list(after.get(field.name, ()), content, field, game, decode)
        else:
            after[field.name] = apply_delta(after.get(field.name, {}), content, _target(field), game, decode)
    return after | decode(message, bytes(plain)) if plain else after


def _apply_to_list(before: Any, operations: bytes, field: FieldDef, game: str, decode: Decode) -> list[Values]:
    elements: list[Values] = list(before)
    reader = ByteReader(operations)
    while reader.remaining():
        key = reader.read_varuint64()
        index, form = key >> 3, key & 7
        if form == RESET:
            if index > MOST_ELEMENTS:
                raise CorruptReplay(f"expected at most {MOST_ELEMENTS} elements of {field.name}, found {index}")
            elements = elements[:index] + [{}] * (index - len(elements))
        elif form == SIZED and index < len(elements):
            elements[index] = apply_delta(elements[index], _skip(reader, form), _target(field), game, decode)
        else:
            raise CorruptReplay(
                f"expected a change of one of {len(elements)} elements of {field.name}, found number {index} "
                f"with wire type {form}"
            )
    return elements


def _target(field: FieldDef) -> str:
    assert field.target is not None
    return field.target


def _skip(reader: ByteReader, form: int) -> bytes:
    """Skip a value; return the content of a sized one."""
    if form == SIZED:
        return reader.read_bytes(reader.read_varuint32())
    if form == 0:
        reader.read_varuint64()
    elif form in _FIXED:
        reader.skip(_FIXED[form])
    else:
        raise CorruptReplay(f"expected a value of a command, found wire type {form}")
    return b""
