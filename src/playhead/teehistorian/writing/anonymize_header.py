"""Anonymises the header of a recording: removes the server's texts.

A known key whose value has the usual form is kept (`_KEPT`), and so are numbers of the configuration and the
tuning, except settings with a text, key or address. All other values become ``redacted``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from playhead.teehistorian.stream.header import Header, encode_header
from playhead.teehistorian.writing.pseudonyms import Ledger, Words

#: Fields that can be replaced on request, with their values for an empty text; an id is derived from the old one.
REPLACEABLE: Mapping[str, str] = {"game_uuid": "", "start_time": "1970-01-01T00:00:00+0000", "server_port": "0"}

_REDACTED = "redacted"
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DIGITS = re.compile("[0-9]{1,10}")
_TITLE = re.compile(r"[^\0-\x1f]*", re.DOTALL)
#: Form of a kept value, by key.
_KEPT: Mapping[str, re.Pattern[str]] = {
    "comment": re.compile(r"teehistorian@ddnet\.tw"),
    "version": _DIGITS,
    "version_minor": _DIGITS,
    "minor_version": _DIGITS,
    "game_uuid": _UUID,
    "prev_game_uuid": _UUID,
    "server_version": re.compile(r"[0-9][\w.,()+ -]{0,100}"),
    "start_time": re.compile(r"[0-9]{4}(-[0-9]{2}){2}[T ][0-9]{2}(:[0-9]{2}){2} ?[+-][0-9]{4}"),
    "server_port": re.compile("[0-9]{1,5}"),
    "game_type": _TITLE,
    "map_name": _TITLE,
    "map_size": _DIGITS,
    "map_crc": re.compile("[0-9a-f]{8}"),
    "map_sha256": re.compile("[0-9a-f]{64}"),
    "prng_description": re.compile(r"[\w-]+(:[0-9a-f]+)*"),
    "playhead_slice": re.compile("[0-9]+-[0-9]+"),
}
_EXTENSION_NAME = re.compile(r"[a-z0-9_-]+@[a-z0-9.-]+")
_CONFIG_TITLES = frozenset({"sv_map", "sv_gametype"})

#: Complete addresses, 0.6 and 0.7, with and without port; shorter ones are recognised only by their position.
ADDRESS = re.compile(r"(?<![0-9])[0-9]{1,3}(\.[0-9]{1,3}){3}(?![0-9])|(?i:[0-9a-f]{0,4}(:[0-9a-f]{0,4}){2,})")

#: Parts of the names of settings with texts, keys or addresses, which may look like numbers.
_TEXT_SETTING = re.compile(
    "pass|auth|key|code|login|token|rcon|addr|host|motd|url|file|message|welcome|announce|banner|title"
    "|(^|_)(name|msg|text|rules?|info|desc|ip)$"
)
#: Seven digits: an address written as one decimal number has more.
WHOLE_NUMBER = re.compile("-?[0-9]{1,7}")


def is_numeric_setting(name: str) -> bool:
    """Return whether the setting of this name has a number that may be published."""
    return _TEXT_SETTING.search(name) is None


def check_replacements(replace: Mapping[str, str]) -> None:
    """Check the replacements that a caller requests.

    Raises:
        ValueError: the field cannot be replaced, or the text has another form.
    """
    for key, text in replace.items():
        if key not in REPLACEABLE:
            raise ValueError(f"cannot replace {key!r}; what can be is {', '.join(REPLACEABLE)}")
        if text and _KEPT[key].fullmatch(text) is None:
            raise ValueError(f"{text!r} is no {key} as servers write it")


def anonymized_name(header: Header, words: Words, replace: Mapping[str, str]) -> str:
    """Return the name of the file of an anonymised recording: the id of its game, with ``.teehistorian``."""
    kept = header.text("game_uuid")
    name = kept if kept is not None and _UUID.fullmatch(kept) else str(UUID(int=0))
    if "game_uuid" in replace:
        name = replace["game_uuid"] or str(words.replace_id(UUID(name)))
    return f"{name}.teehistorian"


def anonymize_header(header: Header, words: Words, replace: Mapping[str, str], ledger: Ledger) -> bytes:
    """Return the header without the server's texts; of an invalid one, only the version remains."""
    fields: dict[str, Any] = {"version": str(header.version)}
    for key, value in header.fields.items():
        if key == "version":
            ledger.kept["header version"] += 1
        elif key in ("config", "tuning") and isinstance(value, dict):
            fields[key] = {name: _setting(key, name, text, ledger) for name, text in value.items()}
        elif key == "uuids" and isinstance(value, list):
            fields[key] = [text if _is_shaped(text, _EXTENSION_NAME) else _REDACTED for text in value]
            ledger.kept["header uuids"] += 1
        elif key == "playhead_anonymized":
            pass  # added below
        else:
            fields[key] = _field(key, value, words, replace, ledger)
    return encode_header({**fields, "playhead_anonymized": "1"})


def _field(key: str, value: Any, words: Words, replace: Mapping[str, str], ledger: Ledger) -> Any:
    kept = value is None or (key in _KEPT and _is_shaped(value, _KEPT[key]))
    if key in _KEPT and _KEPT[key] is _TITLE and isinstance(value, str) and ADDRESS.search(value):
        kept = False
    asked = replace.get("game_uuid" if key == "prev_game_uuid" else key)
    if kept and value is not None and asked is not None:
        ledger.replaced[f"header {key}"] += 1
        if key == "prev_game_uuid" or (key == "game_uuid" and not asked):
            return str(words.replace_id(UUID(value)))
        return asked or REPLACEABLE[key]
    (ledger.kept if kept else ledger.replaced)[f"header {key}"] += 1
    return value if kept else _REDACTED


def _is_shaped(value: object, shape: re.Pattern[str]) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return False
    return shape.fullmatch(str(value)) is not None


def _setting(key: str, name: str, text: object, ledger: Ledger) -> object:
    if name in _CONFIG_TITLES:
        kept = isinstance(text, str) and not ADDRESS.search(text)
    else:
        kept = is_numeric_setting(name) and _is_shaped(text, WHOLE_NUMBER)
    (ledger.kept if kept else ledger.replaced)[f"{key} {name}"] += 1
    return text if kept else _REDACTED
