"""Aliases of float encoders: ServerInfo defines each, and declared fields refer to them by name.

``game_session_config.quantized_float_encoder_aliases`` of CSVCMsg_ServerInfo lists them. A field whose encoder
is an alias has its bits, flags and range, unless the field declares its own, as in haste
(github.com/blukai/haste). No recording of our tests has any.
"""

from __future__ import annotations

from collections.abc import Mapping

from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.schema.send_tables import SendTables, Serializer, SerializerField


class EncoderAlias(NamedTuple):
    """One alias of an encoder; None for values absent from the message."""

    name: str
    bit_count: int | None = None
    flags: int | None = None
    low: float | None = None
    high: float | None = None


def encoder_aliases(server_info: Mapping[str | int, Any]) -> tuple[EncoderAlias, ...]:
    """Return the encoder aliases of a CSVCMsg_ServerInfo."""
    listed = server_info.get("game_session_config", {}).get("quantized_float_encoder_aliases", ())
    keys = ("bit_count", "encode_flags", "min_value", "max_value")
    return tuple(EncoderAlias(entry.get("name", ""), *map(entry.get, keys)) for entry in listed)


def with_aliases(send_tables: SendTables, aliases: tuple[EncoderAlias, ...]) -> SendTables:
    """Return `send_tables` with aliases resolved; the same object if no field uses one."""
    named = {alias.name: alias for alias in aliases}
    # Serializers share declarations, and readers of serializers compare them by identity.
    meant = {
        id(field): _meant(field, named[field.encoder])
        for serializer in send_tables
        for field in serializer.fields
        if field.encoder in named
    }
    if not meant:
        return send_tables
    serializers = {
        key: Serializer(s.name, s.version, tuple([meant.get(id(field), field) for field in s.fields]))
        for key, s in send_tables.serializers.items()
    }
    return SendTables(serializers, send_tables.early_references)


def _meant(field: SerializerField, alias: EncoderAlias) -> SerializerField:
    unset = [name for name in ("bit_count", "flags", "low", "high") if getattr(field, name) is None]
    return field._replace(encoder=None, **{name: getattr(alias, name) for name in unset})
