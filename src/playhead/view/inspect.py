"""One thing in detail: its fields at a tick, and the changes of a field."""

from __future__ import annotations

import json
from typing import Any

from playhead.presentation.motion import Change, Motion
from playhead.text.json import to_json

#: Seconds of a history before and after the tick.
SECONDS = 30.0


def thing_fields(motion: Motion, tick: int, key: str) -> dict[str, Any]:
    """Return the fields of a thing at a tick, JSON-ready; `key` is its id in the directory of its `Motion`.

    Raises:
        KeyError: there is no such thing at that tick.
    """
    return {"tick": tick, "id": key, "fields": json.loads(to_json(dict(motion.fields(tick, key))))}


def field_history(motion: Motion, tick: int, key: str, name: str, last: int) -> dict[str, Any]:
    """Return the first value of a field around a tick, and its changes: tick, value and `why`.

    Raises:
        KeyError: there is no such thing at that tick, or it has no such field.
    """
    rate = motion.replay.info.ticks_per_second or 1.0
    start, end = max(0, tick - round(SECONDS * rate)), min(last, tick + round(SECONDS * rate))
    if name not in motion.fields(tick, key):
        raise KeyError(f"no field {name!r} in {key}")
    found: list[Change] = []
    for change in motion.values(start, end, key, name):
        if not found or found[-1].value != change.value:
            found.append(change)
    changes = [{"tick": each.tick, "value": each.value, "why": each.why} for each in found]
    return {"field": name, "start": start, "end": end, "changes": json.loads(to_json(changes))}
