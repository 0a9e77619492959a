"""What users have selected: the changes that the game writes, applied one after another.

A change speaks of places in the selection before it, which is in ascending order of unit tags; it removes units by
a mask or by indices and then adds units by tag. Units that die are removed by changes like any others, and so are
units that another control group steals. Both was found out by counting: with this order, and with these rules, no
place that any change in the replays at hand speaks of lies outside the selection.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from playhead.sc2.events.columns import Fields, Stream

#: Number of the group that is the active selection.
ACTIVE = 10
#: What `remove` says of the places; the number is the tag of the choice.
REMOVALS = ("none", "mask", "one_indices", "zero_indices")
#: What is done with a control group; from 36442 the field has three bits and the last three.
GROUP_ACTIONS = ("set", "append", "recall", "clear", "steal", "steal_append")
SELECTION_EVENT = "SSelectionDeltaEvent"
GROUP_EVENT = "SControlGroupUpdateEvent"
_REMOVAL_PATHS = {SELECTION_EVENT: "m_delta.m_removeMask", GROUP_EVENT: "m_mask"}


@dataclass(slots=True)
class UserSelection:
    """One user's groups by number, 10 being the active selection; `subgroup` is the active one of its subgroups,
    None where the recall of a group does not tell it.

    `misfits` counts places that lie outside of the selection they speak of; 0 means that the rules above held.
    """

    groups: dict[int, tuple[int, ...]] = field(default_factory=dict)
    subgroup: int | None = None
    misfits: int = 0

    def units(self, group: int = ACTIVE) -> tuple[int, ...]:
        """Unit tags of a group, in the order that changes count them in."""
        return self.groups.get(group, ())

    def _kept(self, group: int, removal: int, places: Sequence[int]) -> tuple[int, ...]:
        held = self.groups.get(group, ())
        if not places:
            return () if removal == 3 else held
        if removal == 0 or max(places) >= len(held):
            self.misfits += 1
        named = set(places)
        if removal == 3:
            return tuple(unit for place, unit in enumerate(held) if place in named)
        return held if removal == 0 else tuple(unit for place, unit in enumerate(held) if place not in named)

    def change(
        self, group: int, subgroup: int, removal: int, places: Sequence[int], added: Collection[int]
    ) -> tuple[int, ...]:
        """Apply a selection delta; the group's units afterwards."""
        self.groups[group] = units = _together(self._kept(group, removal, places), added)
        if group == ACTIVE:
            self.subgroup = subgroup
        return units

    def use(self, group: int, action: int, removal: int, places: Sequence[int]) -> tuple[int, ...]:
        """Apply a use of a control group; the group's units afterwards, or, after a recall, the selection's."""
        active = self.groups.get(ACTIVE, ())
        if action in (0, 4):
            self.groups[group] = active
        elif action in (1, 5):
            self.groups[group] = _together(self._kept(group, removal, places), active)
        elif action == 2:
            self.groups[ACTIVE] = self._kept(group, removal, places)
            self.subgroup = None
            return self.units()
        elif action == 3:
            self.groups[group] = ()
        return self.units(group)


def _together(kept: tuple[int, ...], added: Collection[int]) -> tuple[int, ...]:
    return tuple(sorted({*kept, *added})) if added else kept


def removals(stream: Stream, event: str) -> tuple[list[int], list[Sequence[int]]]:
    """What each change or use removes: number of the kind of removal, and the places."""
    path = _REMOVAL_PATHS[event]
    return stream.once(f"removals {event}", lambda held: _removals(held.kinds[event], path))


def _removals(changes: Fields, path: str) -> tuple[list[int], list[Sequence[int]]]:
    if path in changes.columns:
        # Betas and 1.0: nothing but a mask.
        masks = [places or () for places in changes.columns[path].to_pylist()]
        return [1 if places else 0 for places in masks], masks
    kinds = [kind or 0 for kind in changes.get(path + "#").to_pylist()]
    lists = [changes.columns[f"{path}.{name}"].to_pylist() for name in ("Mask", "OneIndices", "ZeroIndices")]
    return kinds, [mask or one or zero or () for mask, one, zero in zip(*lists, strict=True)]


@dataclass(frozen=True, slots=True)
class Change:
    """One applied change: `order` and loop of its event, and the units of the group it is about afterwards."""

    order: int
    loop: int
    user: int
    is_use: bool
    units: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """A change that is still to be applied: `arguments` of `UserSelection.use` or `change`."""

    order: int
    loop: int
    user: int
    is_use: bool
    arguments: tuple[Any, ...]


def _steps(stream: Stream) -> list[_Step]:
    """All changes in the order of the file."""
    steps = []
    for event, fields in (
        (SELECTION_EVENT, ("m_controlGroupId", "m_delta.m_subgroupIndex")),
        (GROUP_EVENT, ("m_controlGroupIndex", "m_controlGroupUpdate")),
    ):
        if event not in stream.kinds:
            continue
        changes = stream.kinds[event]
        is_use = event == GROUP_EVENT
        rows: list[Any] = changes.rows(*fields, *(() if is_use else ("m_delta.m_addUnitTags",)))
        users = changes.user.to_pylist()
        for (order, loop, *about), user, kind, places in zip(rows, users, *removals(stream, event), strict=True):
            added = () if is_use else (about.pop() or (),)
            steps.append(_Step(order, loop, user, is_use, (*about, kind, places, *added)))
    steps.sort(key=lambda step: step.order)
    return steps


class SelectionTimeline:
    """The changes of one replay's game events; going forward is cheap, going back starts anew."""

    def __init__(self, stream: Stream) -> None:
        self._steps = _steps(stream)
        self._next = 0
        self._users: dict[int, UserSelection] = {}

    def _apply(self) -> Change:
        step = self._steps[self._next]
        self._next += 1
        held = self._users.setdefault(step.user, UserSelection())
        units = held.use(*step.arguments) if step.is_use else held.change(*step.arguments)
        return Change(step.order, step.loop, step.user, step.is_use, units)

    def changes(self) -> Iterator[Change]:
        """All changes, from the first, in the order of the file."""
        self._next, self._users = 0, {}
        while self._next < len(self._steps):
            yield self._apply()

    def at(self, loop: int) -> dict[int, UserSelection]:
        """Groups by user id after all changes up to `loop`; they stay as they are when the next is asked for."""
        if self._next and self._steps[self._next - 1].loop > loop:
            self._next, self._users = 0, {}
        while self._next < len(self._steps) and self._steps[self._next].loop <= loop:
            self._apply()
        return {
            user: UserSelection(dict(held.groups), held.subgroup, held.misfits)
            for user, held in self._users.items()
        }
