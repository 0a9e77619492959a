"""The tracker's events about units, in the form that the state and several tables read."""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events import Event, tracker
from playhead.blizzard.events.base import PLAYER_FIELDS
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.conversions import unit_tag
from playhead.blizzard.events.merged_rows import gathered
from playhead.blizzard.events.tracker import split_tag
from playhead.blizzard.units import changes
from playhead.blizzard.units.history import UnitHistory, positions_of
from playhead.blizzard.units.states import Spans, UnitStates, places_with, spans_of, times_of
from playhead.runtime.records import dataclass

#: Higher indices of units come from damage: their tags would not fit 64 bits.
_MOST_INDEX = 1 << 44

#: The words for changes in the columns of tables, by number.
CHANGE_NAMES = ("init", "born", "done", "type", "owner", "died", "sample")

_, _OWNER, _ = PLAYER_FIELDS
#: Fields of an event's unit, by column of `UnitHistory`.
_UNIT = dict(zip(("index", "recycle"), tracker.UNIT, strict=True))
_OTHER = ("other_index", "other_recycle")
_PLACED = {**_UNIT, "x": "x", "y": "y"}
_APPEARANCE = {
    **_PLACED,
    "unit_type": "unit_type",
    "player": _OWNER,
    "ability": tracker.CREATOR_ABILITY,
    **dict(zip(_OTHER, tracker.CREATOR, strict=True)),
}
_DEATH = {**_PLACED, "player": "attacker_player", **dict(zip(_OTHER, tracker.KILLER, strict=True))}
#: Columns of `UnitHistory` and the fields that they come from.
_HISTORY: tuple[tuple[type[Event], int, Mapping[str, str]], ...] = (
    (tracker.UnitInitEvent, changes.INIT, _APPEARANCE),
    (tracker.UnitBornEvent, changes.BORN, _APPEARANCE),
    (tracker.UnitDoneEvent, changes.DONE, _UNIT),
    (tracker.UnitTypeChangeEvent, changes.TYPE, {**_UNIT, "unit_type": "unit_type"}),
    (tracker.UnitOwnerChangeEvent, changes.OWNER, {**_UNIT, "player": _OWNER}),
    (tracker.UnitDiedEvent, changes.DIED, _DEATH),
    (tracker.UnitRevivedEvent, changes.BORN, _PLACED),
)
#: The events that `unit_history` reads.
HISTORY_EVENTS = tuple(type_ for type_, _, _ in _HISTORY)


def unit_history(stream: EventStream) -> UnitHistory:
    """Return the unit history, cached with the stream for several tables and states."""
    return stream.once("unit_history", _unit_history)


def _unit_history(stream: EventStream) -> UnitHistory:
    parts = [
        (change, events.orders, {name: events.numbers(path) for name, path in fields.items()})
        for type_, change, fields in _HISTORY
        if len(events := stream.of(type_))
    ]
    history = UnitHistory(parts, stream.rows.heads[0], stream.rows.texts)
    if len(revived := stream.of(tracker.UnitRevivedEvent)):
        _fill_revived(history, frozenset(revived.orders))
    return history


def _fill_revived(history: UnitHistory, revived: frozenset[int]) -> None:
    """Give the rows of units that live again the type and the owner that these units had, which the event does
    not repeat. From here on such a row is a birth."""
    types, owners = dict[int, int](), dict[int, int]()
    for row, (order, change, unit) in enumerate(zip(history.order, history.change, history.unit, strict=True)):
        if order in revived:
            history.unit_type[row], history.player[row] = types.get(unit, NOTHING), owners.get(unit, NOTHING)
        elif change in (changes.INIT, changes.BORN):
            types[unit], owners[unit] = history.unit_type[row], history.player[row]
        elif change == changes.TYPE:
            types[unit] = history.unit_type[row]
        elif change == changes.OWNER:
            owners[unit] = history.player[row]


class Samples(NamedTuple):
    """The samples of positions: row of each in the stream, its first unit index, the end of its items, and the
    items of all: index delta, x and y of one unit after the other."""

    orders: array[int]
    firsts: array[int]
    ends: array[int]
    items: array[int]


def position_samples(stream: EventStream) -> Samples:
    """Return the samples of positions."""
    events = stream.of(tracker.UnitPositionsEvent)
    return Samples(events.orders, events.numbers("m_firstUnitIndex"), *events.flat_lists("m_items"))


def unit_spans(stream: EventStream) -> Spans:
    """Return the spans of units (`states.spans_of`), cached with the stream."""
    return stream.once("unit_spans", lambda held: spans_of(unit_history(held)))


def unit_positions(stream: EventStream) -> dict[str, array[int]]:
    """Return the positions of units (`history.positions_of`), cached with the stream."""
    return stream.once(
        "unit_positions",
        lambda held: positions_of(unit_history(held), *position_samples(held), held.rows.heads[0]),
    )


def spans_of_types(
    spans: Spans, texts: Sequence[str], wanted: Container[str], *names: str
) -> Iterator[tuple[int, ...]]:
    """Yield the named columns of the spans with a type of `wanted`.

    Args:
        texts: the names that `unit_type` refers to.
    """
    flags = [text in wanted for text in texts]
    if not any(flags):
        return iter(())
    places = places_with(spans.columns["unit_type"], flags)
    return zip(*(gathered(spans.columns[name], places) for name in names), strict=True)


def deaths_in(spans: Spans, *names: str) -> Iterator[tuple[int, ...]]:
    """Yield the named columns of the spans that end with a death."""
    places = places_with(spans.columns["cause"], [change == changes.DIED for change in range(changes.DIED + 1)])
    return zip(*(gathered(spans.columns[name], places) for name in names), strict=True)


def tag_in(index: int, recycle: int) -> int | None:
    """Return the tag of a unit; None if it has none, or an impossible one."""
    if recycle == NOTHING or not 0 <= index < _MOST_INDEX:
        return None
    tag: int = unit_tag(index, recycle)
    return tag


def own_tag(history: UnitHistory, row: int) -> int | None:
    """Return the tag of the unit of a row of the history; None if it has none, or an impossible one."""
    return tag_in(history.index[row], history.recycle[row])


@dataclass(slots=True)
class Unit:
    """A living unit.

    Attributes:
        unit: its tag: index and recycle together, which are unique; an index alone is reused.
        unit_type: name of its present type.
        player: its present owner; 0 is the neutral player.
        finished: False while it is under construction.
        x, y: last known position in cells: at birth or at the last sample; None if unknown.
        position_tick: loop of that position.
        tick: loop of its appearance, complete or as a construction.
        first_unit_type, first_player: at that time.
    """

    unit: int
    unit_type: str
    player: int
    finished: bool
    x: float | None
    y: float | None
    position_tick: int
    tick: int
    first_unit_type: str
    first_player: int

    @property
    def index(self) -> int:
        """Index of the unit; later units reuse it."""
        return split_tag(self.unit)[0]

    @property
    def recycle(self) -> int:
        """Number of earlier uses of the index."""
        return split_tag(self.unit)[1]


class LivingUnits:
    """The living units of a tracker's stream. Moving forward is cheap; moving back restarts.

    Attributes:
        when: the time of each row of the stream, as the tracker of a resumed game restarts at loop 0.
    """

    def __init__(self, stream: EventStream, cells: float, *others: array[int]) -> None:
        """Prepare.

        Args:
            stream: of the tracker.
            cells: in one unit of the tracker's positions.
            others: rows in the stream of more events whose time counts.
        """
        samples, changed = position_samples(stream), [stream.of(type_).orders for type_ in HISTORY_EVENTS]
        self.when = times_of(stream.rows.heads[0], [*changed, samples.orders, *others])
        self._states = UnitStates(unit_history(stream), *samples, self.when)
        self._cells = cells
        self._loop = 0

    def advance(self, loop: int) -> None:
        """Move to the end of a loop."""
        self._states.advance(loop, loop < self._loop)
        self._loop = loop

    def units(self) -> dict[int, Unit]:
        """Return the living units by tag, in order of their appearance."""
        return {row[0]: Unit(*row) for row in self._states.alive(self._cells)}
