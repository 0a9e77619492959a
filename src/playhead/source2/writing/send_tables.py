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
