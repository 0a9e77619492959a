"""Selections and control groups: changes applied one after another."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.blizzard import EventWriter

from playhead.blizzard.events import commands
from playhead.blizzard.events.columns import decode_stream
from playhead.blizzard.events.commands import ACTIVE
from playhead.blizzard.protocol.tables import GAME
from playhead.sc2.protocol.tables import event_program, protocol_table
from playhead.sc2.state.selections.groups import SelectionGroups
from playhead.sc2.state.selections.timeline import SELECTION_EVENTS, SelectionTimeline

BUILD = 93333


class Held:
    """The groups of one user."""

    def __init__(self) -> None:
        self._groups = SelectionGroups()

    def change(
        self, group: int, subgroup: int, removal: int, places: Iterable[int], added: Iterable[int]
    ) -> tuple[int, ...]:
        return self._groups.change(0, group, subgroup, removal, array("q", places), array("q", added))

    def use(self, group: int, action: int, removal: int, places: Iterable[int]) -> tuple[int, ...]:
        return self._groups.use(0, group, action, removal, array("q", places))

    def units(self, group: int = ACTIVE) -> tuple[int, ...]:
        return self._groups.groups(0)[group]

    @property
    def subgroup(self) -> int | None:
        return self._groups.subgroups[0]

    @property
    def misfits(self) -> int:
        return self._groups.misfits[0]


def test_each_way_to_remove() -> None:
    held = Held()
    assert held.change(ACTIVE, 0, 0, (), [30, 10, 20]) == (10, 20, 30)
    assert held.change(ACTIVE, 1, 1, (0,), [40]) == (20, 30, 40)
    assert held.change(ACTIVE, 0, 2, (1,), []) == (20, 40)
    assert held.change(ACTIVE, 0, 3, (1,), [5]) == (5, 40)
    assert (held.subgroup, held.misfits) == (0, 0)
    assert held.change(ACTIVE, 0, 1, (1, 2), []) == (5,)
    assert held.misfits == 1


def test_control_groups() -> None:
    held = Held()
    held.change(ACTIVE, 0, 0, (), [1, 2, 3])
    assert held.use(4, 0, 0, ()) == (1, 2, 3)
    held.change(ACTIVE, 0, 3, (), [7])
    assert held.use(4, 1, 1, (0,)) == (2, 3, 7)
    assert held.use(5, 4, 0, ()) == (7,)
    # That the unit left group 4 is told by a change of its own.
    assert held.units(4) == (2, 3, 7)
    assert held.change(4, 0, 2, (2,), []) == (2, 3)
    assert held.use(5, 5, 0, ()) == (7,)
    # A recall leaves out who is gone, of the selection and not of the group.
    assert held.use(4, 2, 1, (0,)) == (3,)
    assert held.units() == (3,)
    assert held.units(4) == (2, 3)
    assert held.subgroup is None
    assert held.use(4, 3, 0, ()) == ()
    assert held.use(9, 2, 0, ()) == ()
    assert held.misfits == 0


def test_an_unknown_action_changes_nothing() -> None:
    held = Held()
    held.change(ACTIVE, 0, 0, (), [1])
    held.use(1, 0, 0, ())
    assert held.use(1, 7, 0, ()) == (1,)


def test_up_to_a_loop_and_by_user() -> None:
    out = EventWriter(protocol_table(BUILD, BUILD))

    def select(loop: int, user: int, removed: set[int], *tags: int) -> None:
        delta = {"m_removeMask": {"Mask": frozenset(removed)}, "m_addUnitTags": list(tags)}
        out.write(loop, user, "SSelectionDeltaEvent", m_controlGroupId=ACTIVE, m_delta=delta)

    select(5, 0, set(), 1, 2, 3)
    select(5, 1, set(), 9)
    select(5, 0, {1})
    out.write(6, 0, "SControlGroupUpdateEvent", m_controlGroupIndex=3, m_controlGroupUpdate=0)
    select(7, 0, {0, 1}, 8)
    stream = decode_stream(out.to_bytes(), event_program(BUILD, BUILD, GAME), GAME, capture=SELECTION_EVENTS)
    timeline = SelectionTimeline(stream)
    assert timeline.at(4) == {}
    at_five = timeline.at(5)
    assert {user: held.units() for user, held in at_five.items()} == {0: (1, 3), 1: (9,)}
    end = timeline.at(100)[0]
    assert (end.units(), end.units(3)) == ((8,), (1, 3))
    assert timeline.at(5) == at_five
    changes = list(timeline.changes())
    assert [change.units for change in changes] == [(1, 2, 3), (9,), (1, 3), (1, 3), (8,)]
    assert [change.is_use for change in changes] == [False, False, False, True, False]


@given(st.data())
def test_masks_are_what_a_plain_list_says(data: st.DataObject) -> None:
    held, plain = Held(), list[int]()
    for _ in range(data.draw(st.integers(1, 8))):
        places = data.draw(st.sets(st.integers(0, max(len(plain) - 1, 0)), max_size=len(plain)))
        kind = data.draw(st.sampled_from([1, 2, 3])) if plain else 0
        added = data.draw(st.sets(st.integers(0, 2**32 - 1), max_size=5))
        kept = [unit for place, unit in enumerate(plain) if kind == 0 or (place in places) == (kind == 3)]
        plain = sorted(set(kept) | added)
        assert held.change(ACTIVE, 0, kind, sorted(places), added) == tuple(plain)
    assert held.misfits == 0


@pytest.mark.parametrize("action", range(8))
def test_uses_of_groups_that_never_were(action: int) -> None:
    held = Held()
    assert held.use(2, action, 0, ()) == ()


def test_compiled_numbers_are_those_of_the_events() -> None:
    declared = files("playhead.sc2.state.selections").joinpath("groups.pxd").read_text("utf-8")
    numbers = {found[1]: int(found[2]) for found in re.finditer(r"(\w+) = (\d+)", declared)}
    assert len(numbers) == 9
    assert numbers == {name: getattr(commands, name) for name in numbers}


def test_places_and_units_in_any_order_and_twice() -> None:
    held = Held()
    assert held.change(ACTIVE, 0, 0, (), [9, 3, 9, 5]) == (3, 5, 9)
    assert held.change(ACTIVE, 0, 1, (2, 0, 2), [4, 4, 5]) == (4, 5)
    assert held.misfits == 0


def test_groups_of_users_are_apart() -> None:
    groups = SelectionGroups()
    nothing = array("q")
    groups.change(1, ACTIVE, 0, 0, nothing, array("q", [5]))
    assert groups.use(2, 3, 0, 0, nothing) == ()
    assert groups.use(1, 3, 1, 0, nothing) == (5,)
    assert (groups.users(), groups.groups(2)) == ([1, 2], {3: ()})
