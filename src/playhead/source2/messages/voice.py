"""Packets of voice: svc_VoiceData of CS2 and Deadlock, the columns of their tables ``voice`` after the speaker."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.runtime.typing import Any
from playhead.source2.messages.definitions import enumeration
from playhead.tables.vocabulary import word, words

_PREFIX = "VOICEDATA_FORMAT_"

VOICE_COLUMNS = (
    word("account", "Of the message; null if it has none."),
    word("client", "client_deprecated of the message; null if not sent."),
    word("encoding", "VoiceDataFormat_t without its prefix, in lower case: steam, engine, opus."),
    *words("data sample_rate section"),
    word("loudness", "voice_level, 0 to 1; null if not sent."),
)


def account_of(fields: Mapping[Any, Any]) -> int | None:
    """Return the Steam id of a message; None if it has none."""
    return fields.get("xuid") or None


def voice_row(fields: Mapping[Any, Any]) -> dict[str, Any]:
    """Return `VOICE_COLUMNS` of the fields of a message; a format without a name is its number."""
    account, audio = account_of(fields), fields.get("audio") or {}
    encoding = audio.get("format")
    if isinstance(encoding, int):
        names = {number: name for name, number in enumeration("VoiceDataFormat_t").items()}
        encoding = names.get(encoding, str(encoding))
    return {
        "account": None if account is None else str(account),
        "client": fields.get("client_deprecated"),
        "encoding": None if encoding is None else encoding.removeprefix(_PREFIX).lower(),
        "data": audio.get("voice_data"),
        "sample_rate": audio.get("sample_rate"),
        "section": audio.get("section_number"),
        "loudness": audio.get("voice_level"),
    }
