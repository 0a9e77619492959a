"""All figures of one player of a recording, ready for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playhead.teehistorian.patterns.aim import describe_aim
from playhead.teehistorian.patterns.effects import describe_effects
from playhead.teehistorian.patterns.presses import BUTTONS, describe_presses
from playhead.teehistorian.patterns.sequences import SequenceIndex
from playhead.teehistorian.patterns.visits import InputSource, InputTables, Visit
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

if TYPE_CHECKING:
    from playhead.teehistorian.tables.window import Window


def player_names(replay: InputSource) -> tuple[str, ...]:
    """Every name that a player of the recording had, in order of appearance."""
    names: dict[str, None] = {}
    for connection in replay.clients.connections:
        names.update(dict.fromkeys(connection.names()))
    return tuple(names)


def player_report(
    replay: InputSource, name: str, *, window: Window | None = None, compare: bool = True
) -> dict[str, Any]:
    """The figures of everybody who was called `name` for a time; ticks are 20 ms, angles are degrees.

    Args:
        replay: the recording.
        name: exactly as it is in the recording.
        window: of `replay` and about everybody (`TeehistorianReplay.window`), to look at these ticks only.
        compare: look for the same inputs in all other players' (reads everybody's inputs).

    Raises:
        KeyError: nobody had that name.
    """
    connections = [c for c in replay.clients.connections if name in c.names()]
    if not connections:
        raise KeyError(f"no player was called {name!r}; there were {', '.join(map(repr, player_names(replay)))}")
    numbers = {connection.number for connection in connections}
    tables = InputTables(replay, window)
    own: list[Visit] = []
    for cid in sorted({connection.cid for connection in connections}):
        own += [visit for visit in tables.visits(cid) if visit.connection.number in numbers]
    inputs = sum(len(visit.tick) for visit in own)
    ticks = sum(visit.tick[-1] - visit.tick[0] for visit in own)
    report: dict[str, Any] = {
        "player": name,
        "sessions": [visit.connection.number for visit in own],
        "inputs": inputs,
        "seconds": ticks / TICKS_PER_SECOND,
        "presses": {button: describe_presses(own, button) for button in BUTTONS},
        "aim": describe_aim(own),
        "effects": describe_effects(own),
    }
    if compare:
        report["same_inputs"] = _same_inputs(tables, own, numbers)
    return report


def _same_inputs(tables: InputTables, own: list[Visit], numbers: set[int]) -> list[dict[str, Any]]:
    index = SequenceIndex(own)
    found: list[dict[str, Any]] = []
    for cid in sorted({connection.cid for connection in tables.connections}):
        for visit in tables.visits(cid, with_path=False):
            if visit.connection.number not in numbers:
                found += index.find(visit)
    found.sort(key=lambda stretch: (-stretch["inputs"], stretch["first_tick"]))
    return found
