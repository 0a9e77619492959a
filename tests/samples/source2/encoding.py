"""Write messages and game events by name, deltas of user commands, and the frames of the schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from playhead.bits import ByteWriter
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import fields, message_numbers
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.user_commands import RESET, SIZED, Values
from playhead.source2.schema.send_tables import Serializer, SerializerField
from playhead.source2.writing.demo import InnerMessage

# Type of a game event's value: its number in descriptors, and the field with the value.
_VALUE_TYPES = {
    **{kind: (n, f"val_{kind}") for n, kind in enumerate("string float long short byte bool uint64".split(), 1)},
    "pawn": (8, "val_long"),
    "player": (9, "val_short"),
}


def encode_message(game: str, name: str, fields: Mapping[str, Any]) -> InnerMessage:
    """Return an inner message, by its name or that of its definition.

    Raises:
        KeyError: the game has no definition of that message, or the definition has no such field.
    """
    for entry in message_numbers(game).values():
        if entry.message is not None and name in (entry.name, entry.message):
            return entry.number, wire.encode(entry.message, fields, game)
    raise KeyError(f"game {game} has no definition of a message {name!r}")


def wrap(message: InnerMessage) -> InnerMessage:
    """Return the message inside svc_UserMessage."""
    number, data = message
    return Engine.USER_MESSAGE, wire.encode("CSVCMsg_UserMessage", {"msg_type": number, "msg_data": data})


class GameEventWriter:
    """Writes the game events of one recording.

    Args:
        events: types of values by event and value name: ``string``, ``float``, ``long``, ``short``, ``byte``,
            ``bool``, ``uint64``, ``pawn`` (a handle) or ``player`` (a slot).
        numbers: number of each event; by default they are counted.
    """

    def __init__(self, events: Mapping[str, Mapping[str, str]], numbers: Mapping[str, int] | None = None) -> None:
        self._events = events
        self._numbers = numbers or {name: number for number, name in enumerate(events)}

    def event_list(self) -> InnerMessage:
        """Return the message with the descriptors, for the sign-on."""
        descriptors = [
            {
                "eventid": self._numbers[event],
                "name": event,
                "keys": [{"type": _VALUE_TYPES[kind][0], "name": name} for name, kind in values.items()],
            }
            for event, values in self._events.items()
        ]
        return Engine.GAME_EVENT_LIST, wire.encode("CMsgSource1LegacyGameEventList", {"descriptors": descriptors})

    def event(self, name: str, values: Mapping[str, Any], server_tick: int | None = None) -> InnerMessage:
        """Return one event; omitted values are not sent.

        Raises:
            KeyError: there is no such event, or it has no such value.
        """
        types = self._events[name]
        unknown = values.keys() - types.keys()
        if unknown:
            raise KeyError(f"game event {name} has no {', '.join(sorted(unknown))}")
        keys = []
        for key, kind in types.items():
            number, field = _VALUE_TYPES[kind]
            keys.append({"type": number, **({field: values[key]} if key in values else {})})
        content: dict[str, Any] = {"eventid": self._numbers[name], "keys": keys}
        if server_tick is not None:
            content["server_tick"] = server_tick
        return Engine.GAME_EVENT, wire.encode("CMsgSource1LegacyGameEvent", content)


def encode_send_tables(serializers: Iterable[Serializer]) -> bytes:
    """Return the payload of a SendTables frame. Equal fields are written once.

    A serializer must come before those whose fields refer to it.
    """
    symbols: dict[str, int] = {}
    fields: dict[SerializerField, int] = {}
    listed = []
    for serializer in serializers:
        numbers = [fields.setdefault(field, len(fields)) for field in serializer.fields]
        name = symbols.setdefault(serializer.name, len(symbols))
        listed.append(
            {"serializer_name_sym": name, "serializer_version": serializer.version, "fields_index": numbers}
        )
    declared = [_declared(field, symbols) for field in fields]
    content = wire.encode(
        "CSVCMsg_FlattenedSerializer", {"serializers": listed, "symbols": list(symbols), "fields": declared}
    )
    packed = ByteWriter()
    packed.write_varuint32(len(content))
    packed.write_bytes(content)
    return wire.encode("CDemoSendTables", {"data": packed.to_bytes()})


def _declared(field: SerializerField, symbols: dict[str, int]) -> dict[str, Any]:
    def symbol(text: str | None) -> int | None:
        return None if text is None else symbols.setdefault(text, len(symbols))

    serializer, version = field.serializer or (None, None)
    out: dict[str, Any] = {
        "var_type_sym": symbol(str(field.type)),
        "var_name_sym": symbol(field.name),
        "bit_count": field.bit_count,
        "low_value": field.low,
        "high_value": field.high,
        "encode_flags": field.flags,
        "var_encoder_sym": symbol(field.encoder),
        "send_node_sym": symbol(field.send_node),
        "field_serializer_name_sym": symbol(serializer),
        "field_serializer_version": version,
    }
    if field.polymorphic:
        keys = ("polymorphic_field_serializer_name_sym", "polymorphic_field_serializer_version")
        others = [(symbol(name), version) for name, version in field.polymorphic]
        out["polymorphic_types"] = [dict(zip(keys, each, strict=True)) for each in others]
    if field.signed_enum:
        out["var_enum_info"] = {"is_signed_enum": True}
    return {key: value for key, value in out.items() if value is not None}


def encode_class_names(names: Mapping[int, str]) -> bytes:
    """Return the payload of a ClassInfo frame."""
    classes = [{"class_id": number, "network_name": name} for number, name in names.items()]
    return wire.encode("CDemoClassInfo", {"classes": classes})


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
