"""What users have selected: the changes that the game writes, applied one after another.

A change speaks of places in the selection before it, which is in ascending order of unit tags; it removes units by
a mask or by indices and then adds units by tag. Units that die are removed by changes like any others, and so are
units that another control group steals. Both were found by counting: with this order, and with these rules, no
place that any change in the replays at hand speaks of lies outside the selection.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final, NamedTuple

from playhead.sc2.events import Event
from playhead.sc2.events.columns import EventFields, EventStream
from playhead.sc2.events.commands import (
    ACTIVE,
    GROUP_APPEND,
    GROUP_CLEAR,
    GROUP_RECALL,
    GROUP_REMOVAL,
    GROUP_SET,
    GROUP_STEAL,
    GROUP_STEAL_APPEND,
    MASK,
    NO_REMOVAL,
    REMOVAL_CASES,
    SELECTION_REMOVAL,
    ZERO_INDICES,
    ControlGroupUpdateEvent,
    SelectionDeltaEvent,
)
from playhead.tables.arrow import to_list

#: The events that selections are made of.
SELECTION_EVENTS = (SelectionDeltaEvent, ControlGroupUpdateEvent)
_REMOVAL_PATHS: dict[type[Event], str] = {
    SelectionDeltaEvent: SELECTION_REMOVAL,
    ControlGroupUpdateEvent: GROUP_REMOVAL,
}


@dataclass(slots=True)
class UserSelection:
    """One user's groups by number, 10 being the active selection; `subgroup` is the active one of its subgroups,
    None where the recall of a group does not say.

    `misfits` counts places that lie outside of the selection they speak of; 0 means that the rules above held.
    """

    groups: dict[int, tuple[int, ...]] = field(default_factory=dict)
    subgroup: int | None = None
    misfits: int = 0

    def units(self, group: int = ACTIVE) -> tuple[int, ...]:
        """Return the unit tags of a group, in the order that changes count them in."""
        return self.groups.get(group, ())

    def _kept(self, group: int, removal: int, places: Sequence[int]) -> tuple[int, ...]:
        held = self.groups.get(group, ())
        if not places:
            return () if removal == ZERO_INDICES else held
        if removal == NO_REMOVAL or max(places) >= len(held):
            self.misfits += 1
        named = set(places)
        if removal == ZERO_INDICES:
            return tuple([unit for place, unit in enumerate(held) if place in named])
        if removal == NO_REMOVAL:
            return held
        return tuple([unit for place, unit in enumerate(held) if place not in named])

    def change(
        self, group: int, subgroup: int, removal: int, places: Sequence[int], added: Collection[int]
    ) -> tuple[int, ...]:
        """Apply a selection delta; return the group's units afterwards."""
        self.groups[group] = units = _together(self._kept(group, removal, places), added)
        if group == ACTIVE:
            self.subgroup = subgroup
        return units

    def use(self, group: int, action: int, removal: int, places: Sequence[int]) -> tuple[int, ...]:
        """Apply a use of a control group; return the group's units, or, after a recall, the selection's."""
        active = self.groups.get(ACTIVE, ())
        if action in (GROUP_SET, GROUP_STEAL):
            self.groups[group] = active
        elif action in (GROUP_APPEND, GROUP_STEAL_APPEND):
            self.groups[group] = _together(self._kept(group, removal, places), active)
        elif action == GROUP_RECALL:
            self.groups[ACTIVE] = self._kept(group, removal, places)
            self.subgroup = None
            return self.units()
        elif action == GROUP_CLEAR:
            self.groups[group] = ()
        return self.units(group)


def _together(kept: tuple[int, ...], added: Collection[int]) -> tuple[int, ...]:
    return tuple(sorted({*kept, *added})) if added else kept


def removals(stream: EventStream, type_: type[Event]) -> tuple[list[int], list[Sequence[int]]]:
    """Return what each change or use removes: number of the kind of removal, and the places."""
    path = _REMOVAL_PATHS[type_]
    return stream.once(f"removals {path}", lambda held: _removals(held.of(type_), path))


def _removals(changes: EventFields, path: str) -> tuple[list[int], list[Sequence[int]]]:
    if not len(changes):
        return [], []
    if path in changes.columns:
        # Betas and 1.0: nothing but a mask.
        masks = [places or () for places in to_list(changes.columns[path])]
        return [MASK if places else NO_REMOVAL for places in masks], masks
    kinds = [kind or NO_REMOVAL for kind in to_list(changes.get(path + "#"))]
    lists = [to_list(changes.columns[f"{path}.{name}"]) for name in REMOVAL_CASES]
    return kinds, [mask or one or zero or () for mask, one, zero in zip(*lists, strict=True)]


class Change(NamedTuple):
    """One applied change: `order` and loop of its event, and the units of the group it is about afterwards."""

    order: int
    loop: int
    user: int
    is_use: bool
    units: tuple[int, ...]


#: A change that is still to be applied: order and loop of its event, the user, whether it is a use of a control
#: group, and the arguments of `UserSelection.use` or `change`.
_Step = tuple[int, int, int, bool, tuple[Any, ...]]
_LOOP: Final = 1


def _steps(stream: EventStream) -> list[_Step]:
    """Return all changes in the order of the file."""
    steps: list[_Step] = []
    for type_, names in (
        (SelectionDeltaEvent, ("group", "subgroup", "added_units")),
        (ControlGroupUpdateEvent, ("group", "action")),
    ):
        changes = stream.of(type_)
        is_use = type_ is ControlGroupUpdateEvent
        users = to_list(changes.user)
        for (order, loop, *about), user, kind, places in zip(
            changes.rows(*names), users, *removals(stream, type_), strict=True
        ):
            added = () if is_use else (about.pop() or (),)
            steps.append((order, loop, user, is_use, (*about, kind, places, *added)))
    steps.sort(key=itemgetter(0))
    return steps


class SelectionTimeline:
    """The changes of one replay's game events; going forward is cheap, going back starts anew."""

    def __init__(self, stream: EventStream) -> None:
        self._steps = _steps(stream)
        self._next = 0
        self._users: dict[int, UserSelection] = {}

    def _apply(self, step: _Step) -> tuple[int, ...]:
        _, _, user, is_use, arguments = step
        held = self._users.get(user)
        if held is None:
            self._users[user] = held = UserSelection()
        return held.use(*arguments) if is_use else held.change(*arguments)

    def changes(self) -> Iterator[Change]:
        """Yield all changes, from the first, in the order of the file."""
        self._next, self._users = 0, {}
        for step in self._steps:
            order, loop, user, is_use, _ = step
            self._next += 1
            yield Change(order, loop, user, is_use, self._apply(step))

    def at(self, loop: int) -> dict[int, UserSelection]:
        """Return groups by user id after all changes up to `loop`; later calls leave them alone."""
        steps = self._steps
        if self._next and steps[self._next - 1][_LOOP] > loop:
            self._next, self._users = 0, {}
        while self._next < len(steps) and steps[self._next][_LOOP] <= loop:
            self._next += 1
            self._apply(steps[self._next - 1])
        return {
            user: UserSelection(dict(held.groups), held.subgroup, held.misfits)
            for user, held in self._users.items()
        }
