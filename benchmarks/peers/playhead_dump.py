"""Play a Source 2 demo with playhead and print its final state, in the form of `canonical`.

    python benchmarks/peers/playhead_dump.py FILE.dem [--quiet]

In addition to the value of a field, this prints its name and declaration, which explain differences.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from canonical import canonical

import playhead
from playhead.source2.entities.entity import Entity
from playhead.source2.schema.encoding import ENCODINGS, Kind

_COMBAT_LOG = 554
_KINDS = list(ENCODINGS)


def _fields(entity: Entity) -> Iterator[tuple[str, str, str, Any, dict[str, float] | None]]:
    for number, slot in enumerate(entity.class_info.slots()):
        value = entity.raw_value(number)
        if value is None:
            continue
        encoding = slot.encoding
        if encoding.kind == Kind.STRING:
            value = value.decode("utf-8", "replace")
        elif encoding.kind == Kind.POINTER:
            value = bool(value)  # other parsers do not show the number of its type
        scale = None
        if encoding.quantized is not None:
            scale = {
                "low": encoding.quantized.low,
                "range": encoding.quantized.range,
                "step": encoding.quantized.step,
                "flags": slot.field.flags or 0,
                "declared_high": 1.0 if slot.field.high is None else slot.field.high,
            }
        yield ".".join(map(str, slot.path)), slot.name, _KINDS[encoding.kind], canonical(value), scale


def lines(path: str, quiet: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the lines that are printed."""
    replay = playhead.open(path)
    playback = replay.playback(None)
    combat_log = 0

    def count(_tick: int, _payload: bytes) -> None:
        nonlocal combat_log
        combat_log += 1

    if not quiet and replay.info.game == "dota2":
        playback.on_message(_COMBAT_LOG, count)
    playback.run()
    entities = playback.entities
    for entity in () if quiet else entities:
        fields, about = {}, {}
        for key, name, kind, value, scale in _fields(entity):
            fields[key] = value
            about[key] = [name, kind, scale]
        yield {
            "entity": entity.index,
            "serial": entity.serial,
            "class": entity.class_name,
            "active": entity.active,
            "fields": fields,
            "about": about,
        }
    for table in () if quiet else playback.string_tables:
        items = [[item.index, item.key, None if item.value is None else item.value.hex()] for item in table]
        yield {"table": table.name, "items": items}
    counters = {"creates": entities.creates, "updates": entities.updates, "combat_log": combat_log}
    last: dict[str, Any] = {"counters": counters}
    if not quiet:  # both read the file again
        last |= {"game": replay.info.game, "problems": [str(problem) for problem in replay.problems]}
    yield last


if __name__ == "__main__":
    for line in lines(sys.argv[1], "--quiet" in sys.argv):
        print(json.dumps(line))
