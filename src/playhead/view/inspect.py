"""One thing looked at closely: its fields at a tick, how one of them changed, and which packet changed it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

from playhead.json_text import to_json

if TYPE_CHECKING:
    from playhead.replay import Replay

#: Seconds of a history before and behind the tick, and samples of it where the engine has no changes.
SECONDS = 30.0
SAMPLES = 240


def thing_fields(replay: Replay, tick: int, key: str) -> dict[str, Any]:
    """Return the fields of something that is there at a tick, JSON-ready; `key` is as a `Motion` names it.

    Raises:
        KeyError: there is nothing of that key then.
    """
    fields = _fields(replay, tick, key)
    return {"tick": tick, "id": key, "fields": json.loads(to_json(fields))}


def field_history(replay: Replay, tick: int, key: str, name: str, last: int) -> dict[str, Any]:
    """Return the values of a field around a tick, a pair for each change: tick and value.

    Raises:
        KeyError: there is nothing of that key then, or it has no such field.
    """
    rate = replay.info.ticks_per_second or 1.0
    start, end = max(0, tick - round(SECONDS * rate)), min(last, tick + round(SECONDS * rate))
    if name not in _fields(replay, tick, key):
        raise KeyError(f"no field {name!r} in {key}")
    found: list[tuple[int, Any]] = []
    for when, value in _values(replay, start, end, key, name):
        if not found or found[-1][1] != value:
            found.append((when, value))
    packets = _packets(replay, start, end)
    changes = [{"tick": when, "value": value, "why": packets.get(when, "")} for when, value in found]
    return {"field": name, "start": start, "end": end, "changes": json.loads(to_json(changes))}


def _fields(replay: Replay, tick: int, key: str) -> Mapping[str, Any]:
    units = replay.at(tick).units
    if replay.format == "source2":
        found = next((unit for unit in units.values() if str(unit.handle) == key), None)
        if found is not None:
            return {"class": found.class_name, "index": found.index, "serial": found.serial, **found.to_dict()}
    elif replay.format == "sc2":
        found = units.get(int(key)) if key.isdigit() else None
    else:
        found = next((unit for unit in units.values() if str(_plain(unit).get("player")) == key), None)
    if found is None:
        raise KeyError(f"nothing with the id {key} at tick {tick}")
    return _plain(found)


def _plain(unit: Any) -> dict[str, Any]:
    if hasattr(unit, "as_row"):
        return dict(unit.as_row())
    return asdict(unit) if is_dataclass(unit) and not isinstance(unit, type) else dict(vars(unit))


def _values(replay: Any, start: int, end: int, key: str, name: str) -> Iterator[tuple[int, Any]]:
    """Yield tick and value; of Source 2 for every tick, of the others in samples."""
    if replay.format != "source2":
        for tick in range(start, end + 1, max(1, (end - start) // SAMPLES)):
            try:
                yield tick, _fields(replay, tick, key).get(name)
            except KeyError:
                yield tick, None
        return
    only: Callable[[str], bool] = {name}.__contains__
    playback = replay.playback((), wanted=lambda _class: only, on_problem=lambda *_: None)
    playback.seek(start)
    for tick in range(start, end + 1):
        playback.advance(tick)
        found = playback.entities.find_by_handle(int(key))
        yield tick, None if found is None else found.get(name)


def _packets(replay: Any, start: int, end: int) -> Mapping[int, str]:
    """Return where in the recording each tick of a Source 2 demo begins; empty of other formats."""
    found: dict[int, str] = {}
    if replay.format == "source2":
        for number, frame in enumerate(replay.frames):
            if start <= frame.tick <= end and frame.tick not in found:
                found[frame.tick] = f"frame {number} at byte {frame.offset}"
    return found
