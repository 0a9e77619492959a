"""`stays_of`: where town halls were, from when to when. A Terran one can fly to another place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.units import changes
from playhead.blizzard.units.spans import Spans
from playhead.blizzard.units.tracked import spans_of_types
from playhead.runtime.records import dataclass
from playhead.sc2.abilities.unit_types import TOWN_HALLS

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
        spans: of units (`playhead.blizzard.units.spans`).
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
