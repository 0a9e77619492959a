"""Write SendTables and ClassInfo frames: the inverse of `source2.schema.send_tables`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from playhead.bits import ByteWriter
from playhead.source2.messages import wire
from playhead.source2.schema.send_tables import Serializer, SerializerField


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
    def symbol(text: str) -> int:
        return symbols.setdefault(text, len(symbols))

    out: dict[str, Any] = {"var_type_sym": symbol(str(field.type)), "var_name_sym": symbol(field.name)}
    numbers = {
        "bit_count": field.bit_count,
        "low_value": field.low,
        "high_value": field.high,
        "encode_flags": field.flags,
    }
    out |= {key: value for key, value in numbers.items() if value is not None}
    if field.encoder is not None:
        out["var_encoder_sym"] = symbol(field.encoder)
    if field.send_node is not None:
        out["send_node_sym"] = symbol(field.send_node)
    if field.serializer is not None:
        out["field_serializer_name_sym"] = symbol(field.serializer[0])
        out["field_serializer_version"] = field.serializer[1]
    if field.polymorphic:
        out["polymorphic_types"] = [
            {
                "polymorphic_field_serializer_name_sym": symbol(name),
                "polymorphic_field_serializer_version": version,
            }
            for name, version in field.polymorphic
        ]
    if field.signed_enum:
        out["var_enum_info"] = {"is_signed_enum": True}
    return out


def encode_class_names(names: Mapping[int, str]) -> bytes:
    """Return the payload of a ClassInfo frame."""
    classes = [{"class_id": number, "network_name": name} for number, name in names.items()]
    return wire.encode("CDemoClassInfo", {"classes": classes})
