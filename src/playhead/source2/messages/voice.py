"""Packets of voice: svc_VoiceData of CS2 and Deadlock, the columns of their tables ``voice`` after the speaker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.source2.messages.definitions import enumeration
from playhead.tables.schema import Column

_PREFIX = "VOICEDATA_FORMAT_"

VOICE_COLUMNS = (
    Column("account", "string", "Steam id of the message; null if it has none."),
    Column("client", "int32", "client_deprecated of the message, the slot of the speaker; null if not sent."),
    Column("format", "category", "VoiceDataFormat_t without its prefix: STEAM, ENGINE or OPUS."),
    Column("data", "binary", "The packet as it is."),
    Column("sample_rate", "int64", "Samples a second; null if not sent.", "1/s"),
    Column("section", "int64", "section_number: counts stretches of speech; null if not sent."),
    Column("level", "float64", "voice_level, 0 to 1; null if not sent."),
)


def account_of(fields: Mapping[Any, Any]) -> int | None:
    """Return the Steam id of a message; None if it has none."""
    return fields.get("xuid") or None


def voice_row(fields: Mapping[Any, Any]) -> dict[str, Any]:
    """Return `VOICE_COLUMNS` of the fields of a message; a format without a name is its number."""
    account, audio = account_of(fields), fields.get("audio") or {}
    word = audio.get("format")
    if isinstance(word, int):
        names = {number: name for name, number in enumeration("VoiceDataFormat_t").items()}
        word = names.get(word, str(word))
    return {
        "account": None if account is None else str(account),
        "client": fields.get("client_deprecated"),
        "format": None if word is None else word.removeprefix(_PREFIX),
        "data": audio.get("voice_data"),
        "sample_rate": audio.get("sample_rate"),
        "section": audio.get("section_number"),
        "level": audio.get("voice_level"),
    }
