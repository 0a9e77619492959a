"""Places of resources, and the stays of town halls at them."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from math import atan2, hypot, pi
from operator import itemgetter
from typing import NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.units import changes
from playhead.blizzard.units.states import Spans
from playhead.blizzard.units.tracked import spans_of_types, unit_history, unit_spans
from playhead.runtime.records import dataclass
from playhead.sc2.abilities.unit_types import TOWN_HALLS
from playhead.sc2.state.map.nearby import first_of_groups

#: Largest gap between neighbours of one place, in cells.
_GAP = 6.5
#: Largest distance from the middle of the resources to a town hall that uses them, in cells.
_REACH = 9.0
#: A wall of minerals with few patches is no place for a town hall.
_LEAST_PATCHES = 4
#: Maps of real games have a few hundred resources.
_MOST_RESOURCES = 2_000
_HOURS = 12


class ResourcePlace(NamedTuple):
    """A place for a town hall.

    Attributes:
        number: from 1, clockwise from 12 o'clock.
        clock: direction from the middle of the map, as the hour of a clock.
        x, y: middle of the resources, in cells.
        minerals, geysers: number of patches and geysers.
    """

    number: int
    clock: int
    x: float
    y: float
    minerals: int
    geysers: int


def clock_position(x: float, y: float) -> int:
    """Return the direction of a point from the middle of the map as the hour of a clock: 12 is at the top."""
    return round(atan2(x, y) * _HOURS / (2 * pi)) % _HOURS or _HOURS


class ResourcePlaces:
    """The places of a map, in their order.

    Args:
        minerals, geysers: the x and y of each, in cells.
    """

    def __init__(self, minerals: Sequence[tuple[float, float]], geysers: Sequence[tuple[float, float]]) -> None:
        spots = [*minerals, *geysers][:_MOST_RESOURCES]
        self.middle = (0.0, 0.0)
        if spots:
            xs, ys = zip(*spots, strict=True)
            self.middle = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
        found = []
        for members in _chains(spots):
            patches = sum(member < len(minerals) for member in members)
            if patches >= _LEAST_PATCHES:
                x, y = (sum(spots[member][axis] for member in members) / len(members) for axis in (0, 1))
                found.append((x, y, patches, len(members) - patches))
        found.sort(key=lambda place: (atan2(*self._from_middle(*place[:2])) % (2 * pi), place))
        self.all = [
            ResourcePlace(number, self.clock(x, y), x, y, patches, gas)
            for number, (x, y, patches, gas) in enumerate(found, 1)
        ]

    def _from_middle(self, x: float, y: float) -> tuple[float, float]:
        return x - self.middle[0], y - self.middle[1]

    def clock(self, x: float, y: float) -> int:
        """Return the hour of a position."""
        return clock_position(*self._from_middle(x, y))

    def at(self, x: float, y: float) -> ResourcePlace | None:
        """Return the place whose resources a town hall at a position uses, or None."""
        near = min(self.all, key=lambda place: hypot(place.x - x, place.y - y), default=None)
        return near if near is not None and hypot(near.x - x, near.y - y) <= _REACH else None


def _chains(spots: Sequence[tuple[float, float]]) -> list[list[int]]:
    """Return groups of spots, each with a neighbour within `_GAP`, as indices."""
    xs, ys = (array("d", map(itemgetter(axis), spots)) for axis in (0, 1))
    chains: dict[int, list[int]] = {}
    firsts = first_of_groups(array("q", [0]) * len(spots), xs, ys, _GAP, 0, len(spots))
    for number, first in enumerate(firsts):
        chains.setdefault(first, []).append(number)
    return list(chains.values())


def places_of(tracker: EventStream, cells: float) -> ResourcePlaces:
    """Return the places whose resources stand at the start of a game, cached with the stream.

    Args:
        cells: in one unit of the tracker's positions.
    """
    return tracker.once("places", lambda held: _places_of(unit_spans(held), unit_history(held).texts, cells))


def _places_of(spans: Spans, texts: Sequence[str], cells: float) -> ResourcePlaces:
    kinds = {number: "MineralField" in text for number, text in enumerate(texts) if _is_resource(text)}
    found: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    for kind, start, x, y in zip(*(spans.columns[name] for name in ("unit_type", "start", "x", "y")), strict=True):
        if start > 0:
            break
        if kind in kinds:
            found[not kinds[kind]].append((x * cells, y * cells))
    return ResourcePlaces(*found)


def _is_resource(unit_type: str) -> bool:
    return "MineralField" in unit_type or "Geyser" in unit_type


_FLYING = "Flying"
#: A landing is compared with so many orders before it.
_COMPARED = 64
#: Why a stay ended.
LOST, CANCELLED, LIFTED, HANDED_OVER, REMOVED = "lost", "cancelled", "lifted", "handed over", "removed"


@dataclass(slots=True)
class Stay:
    """The stay of a town hall at a position.

    Attributes:
        unit: number of the unit in the history.
        row: of its birth in the history.
        player: its owner.
        start: loop in which its construction began, or in which it landed.
        unit_type: its last type.
        x, y: in cells; None if unknown, as after a landing without a known order.
        finished: loop in which it was finished; None if never.
        end: loop in which it ended; None if it lasted until the end.
        ended: the reason.
        killer: the player who destroyed it.
    """

    unit: int
    row: int
    player: int
    start: int
    unit_type: str
    x: float | None
    y: float | None
    finished: int | None = None
    end: int | None = None
    ended: str | None = None
    killer: int | None = None


def stays_of(
    spans: Spans,
    texts: Sequence[str],
    cells: float,
    landings: Sequence[tuple[int, int, float, float]],
) -> list[Stay]:
    """Return the stays of the players' town halls, in order of their starts.

    Args:
        spans: of units (`playhead.blizzard.units.states`).
        texts: the names that `unit_type` refers to.
        cells: in one unit of the tracker's positions.
        landings: loop, player, x and y (in cells) of each order to land a town hall, in order of time.
    """
    found: list[Stay] = []
    open_: dict[int, Stay] = {}
    lifted: dict[int, int] = {}
    names = ("unit", "row", "unit_type", "player", "start", "end", "x", "y", "finished", "cause", "killer")
    for span in spans_of_types(spans, texts, TOWN_HALLS, *names):
        unit, row, kind, player, start, end, x, y, finished, cause, killer = span
        if player == 0:
            continue
        name = texts[kind]
        if name.endswith(_FLYING):
            lifted.setdefault(unit, start)
            left = open_.pop(unit, None)
            if left is not None:
                left.end, left.ended = start, LIFTED
            continue
        stay = open_.get(unit)
        if stay is None:
            place = None if NOTHING in (x, y) else (x * cells, y * cells)
            if unit in lifted:
                place = _landed(landings, player, lifted.pop(unit), start)
            stay = Stay(unit, row, player, start, name, *(place or (None, None)))
            open_[unit] = stay
            found.append(stay)
        stay.unit_type = name
        if finished and stay.finished is None:
            stay.finished = start
        ended = None if end == NOTHING else _end(cause, bool(finished), killer != NOTHING, killer == player)
        if ended is not None:
            stay.end, stay.ended = end, ended
            stay.killer = killer if ended == LOST else None
            del open_[unit]
    return found


def _landed(
    landings: Sequence[tuple[int, int, float, float]], player: int, since: int, until: int
) -> tuple[float, float] | None:
    """Return the position of a player's last order to land in a span of loops."""
    last = bisect_right(landings, until, key=itemgetter(0))
    for loop, who, x, y in reversed(landings[max(0, last - _COMPARED) : last]):
        if loop >= since and who == player:
            return x, y
    return None


def _end(cause: int, finished: bool, killed: bool, by_owner: bool) -> str | None:
    if cause == changes.OWNER:
        return HANDED_OVER
    if cause != changes.DIED:
        return None
    if killed and not (by_owner and not finished):  # the tracker may name the owner where he cancelled it
        return LOST
    return REMOVED if finished else CANCELLED
