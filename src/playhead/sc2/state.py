"""The state of a game at a loop, as far as the tracker tells it (from 2.0.8 on)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from playhead.sc2.streams import Stream
from playhead.sc2.tracker_tables import unit_history
from playhead.sc2.unit_tag import unit_tag


@dataclass(slots=True)
class Unit:
    """A unit that is alive: `finished` is False while it is under construction, `x` and `y` are cells where it was
    born or, later, last sampled."""

    unit: int
    unit_type: str
    player: int
    finished: bool
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class State:
    """What is known at `loop`: living units by tag, levels of upgrades by player and name, and the last row of
    the table ``player_stats`` of each player."""

    loop: int
    units: Mapping[int, Unit]
    upgrades: Mapping[int, Mapping[str, int]]
    stats: Mapping[int, Mapping[str, Any]]


def _units(stream: Stream, positions: Iterable[Mapping[str, Any]], loop: int, cells: float) -> dict[int, Unit]:
    alive: dict[int, Unit] = {}
    for _, tick, what, index, recycle, *rest in unit_history(stream):
        tag = unit_tag(index, recycle)
        if tick > loop or tag is None:
            continue
        if what in ("init", "born"):
            alive[tag] = Unit(
                tag, rest[0], rest[1], what == "born", (rest[2] or 0) * cells, (rest[3] or 0) * cells
            )
        elif tag in alive:
            if what == "died":
                del alive[tag]
            elif what == "done":
                alive[tag].finished = True
            elif what == "type":
                alive[tag].unit_type = rest[0]
            else:
                alive[tag].player = rest[0]
    for row in positions:
        if row["cause"] == "sample" and row["tick"] <= loop and row["unit"] in alive:
            alive[row["unit"]].x, alive[row["unit"]].y = row["x"], row["y"]
    return alive


def state_at(
    stream: Stream,
    loop: int,
    cells: float,
    positions: Iterable[Mapping[str, Any]],
    upgrades: Iterable[Mapping[str, Any]],
    stats: Iterable[Mapping[str, Any]],
) -> State:
    """The state after all events of `loop`, from the tracker and the rows of three of its tables."""
    levels: dict[int, dict[str, int]] = {}
    for row in upgrades:
        if row["tick"] <= loop:
            of_player = levels.setdefault(row["player"], {})
            of_player[row["upgrade"]] = of_player.get(row["upgrade"], 0) + (row["count"] or 0)
    last = {row["player"]: row for row in stats if row["tick"] <= loop}
    return State(loop, _units(stream, positions, loop, cells), levels, last)
