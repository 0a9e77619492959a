"""Names and values of lobby attributes in words. In the file, the game's own attributes have numbers as names and
up to four letters as values.

The words are in ``attribute_names.json``, with their source and licence; ``tools/build_sc2_attributes.py`` writes
it.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from typing import Any

from playhead.blizzard.members.attributes import Attribute
from playhead.runtime.beside import read_beside

#: Namespace of the game's own attributes; all others belong to a map or mod, and only its data names them.
GAME_NAMESPACE = 999

CONTROLLER, RACE, DIFFICULTY, ROLE, COMMANDER = 500, 3001, 3004, 3007, 3013


@cache
def _known() -> dict[int, tuple[str, dict[str, str]]]:
    data: dict[str, Any] = json.loads(read_beside(__file__, "attribute_names.json"))
    return {int(number): (name, data["values"][place]) for number, (name, place) in data["attributes"].items()}


@lru_cache(1 << 12)
def words_of(namespace: int, attribute: int, value: str) -> tuple[str | None, str | None]:
    """Return the name of an attribute and its value in words; see `attribute_name` and `value_name`."""
    row = Attribute(namespace, attribute, 0, value)
    return attribute_name(row), value_name(row)


def attribute_name(row: Attribute) -> str | None:
    """Return the name of an attribute (``Difficulty``); None if unknown, or a map's own."""
    if row.namespace != GAME_NAMESPACE or row.attribute not in _known():
        return None
    return _known()[row.attribute][0]


def value_name(row: Attribute) -> str | None:
    """Return the value of an attribute in words (``Medium``), or a number unchanged; None if unknown."""
    if attribute_name(row) is None:
        return None
    code = row.value.strip()
    word = _known()[row.attribute][1].get(code)
    if word is None and code.isdigit() and all(each.isdigit() for each in _known()[row.attribute][1]):
        return code
    return word
