"""User commands as deltas, the inverse of `playhead.source2.messages.user_commands`."""

from __future__ import annotations

from playhead.bits import ByteWriter
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import fields
from playhead.source2.messages.user_commands import RESET, SIZED, Values


def encode_delta(before: Values, after: Values, message: str, game: str) -> bytes:
    """Return the delta from one message to another, both by name of field."""
    writer = ByteWriter()
    for field in fields(message, game):
        old, new = before.get(field.name), after.get(field.name)
        if new == old:
            continue
        if new is None:
            writer.write_varuint32(field.number << 3 | RESET)
        elif field.target is None or field.kind != "message":
            writer.write_bytes(wire.encode(message, {field.name: new}, game))
        elif not field.repeated:
            _write_sized(writer, field.number, encode_delta(old or {}, new, field.target, game))
        else:
            operations, old = ByteWriter(), list(old or ())
            if len(new) != len(old):
                operations.write_varuint32(len(new) << 3 | RESET)
            for index, element in enumerate(new):
                known = old[index] if index < len(old) else {}
                if element != known:
                    _write_sized(operations, index, encode_delta(known, element, field.target, game))
            _write_sized(writer, field.number, operations.to_bytes())
    return writer.to_bytes()


def _write_sized(writer: ByteWriter, number: int, content: bytes) -> None:
    writer.write_varuint32(number << 3 | SIZED)
    writer.write_varuint32(len(content))
    writer.write_bytes(content)
