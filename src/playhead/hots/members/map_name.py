"""The map by the game's own name, which is equal in every language: reports of the tracker have it."""

from __future__ import annotations

from playhead.blizzard.encoding import tags
from playhead.blizzard.encoding.versioned import VersionedReader
from playhead.blizzard.members.text import decode_text
from playhead.errors import ReplayError

#: Reports that name the map, of the end and of what players show, with the key of the name.
_REPORTS = {
    b"EndOfGameTalentChoices": b"Map",
    **dict.fromkeys((b"LootSprayUsed", b"LootVoiceLineUsed", b"LootWheelUsed"), b"MapID"),
}
#: Numbers of fields: of a report its texts; of a text its value, its head and in that the key.
_TEXTS, _VALUE, _HEAD, _KEY = 1, 1, 0, 0


def read_map_name(data: bytes) -> str | None:
    """Return the name of the map from the data of ``replay.tracker.events``; None if no report has it. Only one
    report is decoded: all events take many times longer."""
    for report, key in _REPORTS.items():
        # A struct of up to 63 fields, which begins with the name.
        start = data.find(bytes((0, tags.BLOB, 2 * len(report))) + report) - 2
        if start < 0 or data[start] != tags.STRUCT:
            continue
        try:
            texts = VersionedReader(data, start).read_value()[_TEXTS] or ()
            named = next((text[_VALUE] for text in texts if text[_HEAD][_KEY] == key), b"")
            if name := decode_text(named):
                return name
        except (ReplayError, LookupError, TypeError, AttributeError):  # bytes that only look like a report
            continue
    return None
