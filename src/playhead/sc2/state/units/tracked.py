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
from playhead.sc2.members.lobby import PlayerSetup
from playhead.sc2.state.units import changes
from playhead.sc2.state.units.history import UnitHistory
from playhead.sc2.state.units.lives import positions_of
from playhead.sc2.state.units.spans import Spans, places_with, spans_of
from playhead.tables.arrow import player_number

#: Higher indices of units come from damage: their tags would not fit 64 bits.
_MOST_INDEX = 1 << 44
#: First base build with positions in cells; before, they are in blocks of four.
_FIRST_CELLS = 27950


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
)
#: The events that `unit_history` reads.
HISTORY_EVENTS = tuple(type_ for type_, _, _ in _HISTORY)


def cell_size(base_build: int) -> float:
    """Return the number of cells in one unit of the tracker's positions."""
    return 1.0 if base_build >= _FIRST_CELLS else 4.0


def player_setups(stream: EventStream | None) -> list[PlayerSetup]:
    """Return the player setups (from 2.1 on)."""
    if stream is None:
        return []
    setups = stream.of(tracker.PlayerSetupEvent)
    about = zip(*map(setups.numbers, ("m_playerId", "setup_user", "setup_slot")), strict=True)
    known = ([None if number == NOTHING else number for number in row] for row in about)
    return [PlayerSetup(player_number(player), user, slot) for player, user, slot in known]


#: Town hall of each race at the start.
_TOWN_HALLS = {"CommandCenter": "Terran", "Nexus": "Protoss", "Hatchery": "Zerg"}


def _halls(stream: EventStream) -> list[tuple[int, int, str]]:
    """Return loop, owner (`NOTHING` for none) and race of each of these town halls that appeared complete."""
    born, loops = stream.of(tracker.UnitBornEvent), stream.rows.heads[0]
    names = {place: _TOWN_HALLS[text] for place, text in enumerate(stream.rows.texts) if text in _TOWN_HALLS}
    about = zip(born.orders, born.numbers("unit_type"), born.numbers(_OWNER), strict=True)
    return [(loops[row], owner, names[type_]) for row, type_, owner in about if type_ in names]


def starting_races(stream: EventStream | None) -> dict[int, str]:
    """Return the race of each player who has a town hall from the first loop on, by number."""
    if stream is None:
        return {}
    return {owner: race for loop, owner, race in _halls(stream) if loop == 0 and owner != NOTHING}


class LateStart(NamedTuple):
    """A game that begins after its recording: the loop, and the race of each player by number."""

    tick: int
    races: Mapping[int, str]


#: Town halls of one start appear within so many loops.
_TOGETHER = 5


def late_start(stream: EventStream | None) -> LateStart | None:
    """Return the start of a game whose players get their first town halls, all together, after loop 0, as on the
    casting map GameHeart, where all participants choose sides in a lobby of the map. None for all others."""
    if stream is None or not stream.kinds:
        return None
    halls = [(loop, owner, race) for loop, owner, race in _halls(stream) if owner != NOTHING and owner > 0]
    if not halls or halls[0][0] == 0:
        return None
    races = {owner: race for loop, owner, race in halls if loop <= halls[0][0] + _TOGETHER}
    return LateStart(halls[0][0], races) if len(races) > 1 else None


def unit_history(stream: EventStream) -> UnitHistory:
    """Return the unit history, cached with the stream for several tables and states."""
    return stream.once("unit_history", _unit_history)


def _unit_history(stream: EventStream) -> UnitHistory:
    parts = [
        (change, events.orders, {name: events.numbers(path) for name, path in fields.items()})
        for type_, change, fields in _HISTORY
        if len(events := stream.of(type_))
    ]
    return UnitHistory(parts, stream.rows.heads[0], stream.rows.texts)


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
    """Return the spans of units (`spans.spans_of`), cached with the stream."""
    return stream.once("unit_spans", lambda held: spans_of(unit_history(held)))


def unit_positions(stream: EventStream) -> dict[str, array[int]]:
    """Return the positions of units (`lives.positions_of`), cached with the stream."""
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
