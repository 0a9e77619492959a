"""Users' selections: the changes that the game recorded, applied one after another.

A change gives indices of units in the selection before it, in ascending order of unit tags. It removes units by a
mask or by indices and then adds units by tag. Changes also remove units that die and units that another control
group steals. Both rules were found by counting: with them, no index of any change in the corpus is outside its
selection.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING, chosen, first_lists_of, wide, zero_for_nothing
from playhead.blizzard.events import Event, commands
from playhead.blizzard.events.columns import EventFields, EventStream
from playhead.blizzard.events.commands import ACTIVE, GROUP_RECALL, ControlGroupUpdateEvent, SelectionDeltaEvent
from playhead.blizzard.events.merged_rows import MergedRows, matched, repeated
from playhead.blizzard.units.states import places_with
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass, field
from playhead.sc2.state.selections.groups import SelectionGroups, SelectionSteps
from playhead.tables.arrow import to_list

#: After any loop.
_FOREVER = (1 << 63) - 1

#: The events that change selections.
SELECTION_EVENTS = (commands.SelectionDeltaEvent, commands.ControlGroupUpdateEvent)
_REMOVAL_PATHS: dict[type[Event], str] = {
    commands.SelectionDeltaEvent: commands.SELECTION_REMOVAL,
    commands.ControlGroupUpdateEvent: commands.GROUP_REMOVAL,
}


@dataclass(slots=True)
class UserSelection:
    """One user's groups by number, 10 being the active selection; `subgroup` is its active subgroup, None if
    unknown after the recall of a group.

    `misfits` counts indices outside the selection that they refer to; 0 means that the rules above held.
    """

    groups: dict[int, tuple[int, ...]] = field(default_factory=dict)
    subgroup: int | None = None
    misfits: int = 0

    def units(self, group: int = commands.ACTIVE) -> tuple[int, ...]:
        """Return the unit tags of a group, in the order in which changes count them."""
        return self.groups.get(group, ())


class Removals(NamedTuple):
    """The units that changes or uses remove: the kind of removal of each (``array('q')``), the end of its indices
    (``array('i')``), and the indices of all."""

    kinds: array[int]
    ends: array[int]
    places: array[int]


def removals(stream: EventStream, type_: type[Event]) -> Removals:
    """Return the units that each change or use removes."""
    path = _REMOVAL_PATHS[type_]
    return stream.once(f"removals {path}", lambda held: _removals(held.of(type_), path))


def _removals(changes: EventFields, path: str) -> Removals:
    if path in changes.columns:
        # Betas and 1.0: only a mask.
        ends, places = changes.flat_lists(path)
        starts = chain((0,), ends)
        kinds = [
            commands.MASK if end > start else commands.NO_REMOVAL for start, end in zip(starts, ends, strict=False)
        ]
        return Removals(array("q", kinds), ends, places)
    lists = [changes.flat_lists(f"{path}.{name}") for name in commands.REMOVAL_CASES]
    return Removals(zero_for_nothing(changes.numbers(path + "#")), *first_lists_of(lists))


class SelectionChange(NamedTuple):
    """One applied change: `order` and loop of its event, and the units of its group afterwards."""

    order: int
    loop: int
    user: int
    is_use: bool
    units: tuple[int, ...]


def _steps(stream: EventStream, type_: type[Event], action: str, added: str | None) -> SelectionSteps:
    changes = stream.of(type_)
    orders = changes.orders
    loops, users, *_ = stream.rows.heads
    kinds, ends, places = removals(stream, type_)
    none = (array("i", [0]) * len(orders), array("q"))
    more_ends, more = none if added is None else changes.flat_lists(added)
    when, who = (chosen(values, orders) for values in (loops, users))
    groups, done = (zero_for_nothing(changes.numbers(name)) for name in ("group", action))
    return SelectionSteps(
        *(wide(orders), when, who, groups, done), *(kinds, wide(ends), places), *(wide(more_ends), more)
    )


class SelectionTimeline:
    """The changes of one replay's game events. Moving forward is cheap; moving back restarts."""

    def __init__(self, stream: EventStream) -> None:
        self._changes = _steps(stream, commands.SelectionDeltaEvent, "subgroup", "m_delta.m_addUnitTags")
        self._uses = _steps(stream, commands.ControlGroupUpdateEvent, "action", None)
        self._held = SelectionGroups()

    def units_after(self, *, uses: bool) -> pa.Array:
        """Return the units of the changed group after each use of a control group, or after each selection delta,
        in file order."""
        return self.played().units_after(uses)

    def played(self) -> SelectionGroups:
        """Return the groups after all changes."""
        self._held.play(self._changes, self._uses, _FOREVER)
        return self._held

    def changes(self) -> Iterator[SelectionChange]:
        """Yield all changes, from the first, in file order."""
        found = []
        for steps, is_use in ((self._changes, False), (self._uses, True)):
            units = to_list(self.units_after(uses=is_use))
            about = zip(steps.orders, steps.loops, steps.users, map(tuple, units), strict=True)
            found += [SelectionChange(order, loop, user, is_use, after) for order, loop, user, after in about]
        yield from sorted(found, key=itemgetter(0))

    def at(self, loop: int) -> dict[int, UserSelection]:
        """Return groups by user id after all changes up to `loop`. Later calls do not change the result."""
        if self._held.loop > loop:
            self._held = SelectionGroups()
        held = self._held
        held.play(self._changes, self._uses, min(loop, _FOREVER))
        return {
            user: UserSelection(held.groups(user), held.subgroups[user], held.misfits[user])
            for user in held.users()
        }


_NO_UNITS: tuple[int, ...] = ()


def selected_before(game: EventStream, rows: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the unit tags that the user of each event had selected before it; none if unknown.

    Args:
        game: the stream of game events.
        rows: of the events in the stream, ascending; no changes of selections.
    """
    groups = game.once("selections", SelectionTimeline).played()
    orders, ranks, uses = [], [], []
    for type_, name, wanted in (
        (SelectionDeltaEvent, "group", ACTIVE),
        (ControlGroupUpdateEvent, "action", GROUP_RECALL),
    ):
        if game.has(type_):
            done = game.of(type_)
            orders.append(done.orders)
            # 0 for a change of the active selection
            ranks.append(matched(done.numbers(name), wanted, 0, NOTHING))
            uses.append(type_ is ControlGroupUpdateEvent)
    merged = MergedRows([*orders, array("i", rows)], len(game))
    last, *_ = repeated(merged.column([*ranks, None]), merged.orders, game.rows.heads[1])
    parts, count = merged.part, len(orders)
    before, units = -1, _NO_UNITS
    for place in places_with(parts, [False] * count + [True]):
        change = last[place]
        if change != before:  # many orders in a row are of one selection
            before, kind = change, parts[change]
            if kind == count:
                units = _NO_UNITS
            else:
                units = groups.units_after_step(bisect_left(orders[kind], merged.orders[change]), uses[kind])
        yield units
