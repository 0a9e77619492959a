"""Names of files and folders in a lake."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

#: Names in a lake: no part is empty or of dots alone.
_NAME = re.compile(r"(?:\.*[\w~=%-][\w.~=%-]*/)*\.*[\w~=%-][\w.~=%-]*", re.ASCII)

#: Characters of the name of a folder, which is ASCII.
_MOST_NAME = 120

_NOTHING = "__HIVE_DEFAULT_PARTITION__"


def is_name(name: object) -> bool:
    """Return whether a value is a name inside of a lake."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def folder_of(table: str, divided: Iterable[tuple[str, Any]]) -> str:
    """Return the folder in a lake of the data files of one table and partition."""
    parts = [_short(f"{name}={_quoted(_NOTHING if value is None else value)}") for name, value in divided]
    return "/".join([_quoted(table), *parts])


def held_in(folder: str) -> tuple[str, Mapping[str, Any]] | None:
    """Return table and partition of a folder; None if they cannot be told from its name."""
    table, *folders = map(_unquoted, folder.split("/"))
    parts: dict[str, Any] = {}
    for each in folders:
        name, _, value = each.partition("=")
        parts[name] = None if value == _NOTHING else int(value) if name == "build" and value.isdigit() else value
    return (table, parts) if folder_of(table, parts.items()) == folder else None


def _quoted(value: object) -> str:
    text = str(value).encode(errors="replace").decode()
    return re.sub(
        r"[^a-zA-Z0-9_.-]|\.$", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), text
    )


def _unquoted(text: str) -> str:
    data = re.sub(rb"%([0-9A-F]{2})", lambda found: bytes.fromhex(found[1].decode()), text.encode())
    return data.decode(errors="replace")


def _short(name: str) -> str:
    """Return a name of a folder that every file system takes: a longer one is cut, and ends with its hash."""
    if len(name) <= _MOST_NAME:
        return name
    return f"{name[:_MOST_NAME]}~{hashlib.sha256(name.encode()).hexdigest()[:16]}"
