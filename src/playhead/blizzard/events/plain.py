"""`plain_events`: classes of events whose fields are copies of raw ones, from a line of text each.

Most events have nothing but such fields, and no module refers to them by class.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from playhead.blizzard.events.base import Event, EventClass, raw
from playhead.blizzard.events.conversions import AS_TEXT, IN_FINE, KNOWN_TEXT, NUMBERS

#: Arguments of `raw` by the word after the name of a field.
_CONVERSIONS: Mapping[str, Mapping[str, Any]] = {
    "": {},
    "text": {"convert": AS_TEXT, "default": ""},
    "known": {"convert": KNOWN_TEXT},
    "cells": {"convert": IN_FINE},
    "numbers": {"convert": NUMBERS, "default": ()},
}


def plain_events(module: str, text: str) -> dict[str, type[Event]]:
    """Return a module's classes by name.

    A line is ``Name field=m_raw other:text=m_first|m_second: Sentence.``: the class, its friendly fields with the
    raw ones that each comes from, and its docstring. The word after a field's name names the conversion:
    ``text``, ``known`` (text, or None if empty), ``cells`` (a coordinate), ``numbers``. An indented line continues
    the one above.
    """
    made = {}
    for line in re.sub(r"\n\s+", " ", text).strip().splitlines():
        declared, _, sentence = line.partition(": ")
        name, *pairs = declared.split()
        own: dict[str, Any] = {"__module__": module, "__doc__": sentence}
        for pair in pairs:
            field, _, paths = pair.partition("=")
            field, _, how = field.partition(":")
            own[field] = raw(*paths.split("|"), **_CONVERSIONS[how])
        own["__annotations__"] = {field: Any for field in own if not field.startswith("__")}
        made[name] = EventClass(name, (Event,), own)
    return made
