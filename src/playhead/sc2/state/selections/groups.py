"""The groups of all users while changes of selections are applied; compiled, as a game has thousands of changes.

`playhead.sc2.state.selections.timeline` explains the changes. The units of all groups, past and present, are in
one column, and a group is a slice of it: setting one group from another copies nothing.
"""

from __future__ import annotations

from array import array

from playhead.runtime import cython
from playhead.runtime.libraries import pa
from playhead.tables.column_buffers import Int32Buffer, Int64Buffer

if cython.compiled:
    from cython.cimports.playhead.tables.column_buffers import Int32Buffer, Int64Buffer

if not cython.compiled:  # compiled code has them from the .pxd
    from playhead.blizzard.events.commands import (
        ACTIVE,
        GROUP_APPEND,
        GROUP_CLEAR,
        GROUP_RECALL,
        GROUP_SET,
        GROUP_STEAL,
        GROUP_STEAL_APPEND,
        NO_REMOVAL,
        ZERO_INDICES,
    )


@cython.final
@cython.cclass
class SelectionSteps:
    """Changes of one kind, in file order, as columns (``array('q')``, of equal length).

    Args:
        orders: row of each in the stream.
        loops: loop of each.
        users: its user.
        groups: its group.
        actions: the action on a control group; for a selection delta the active subgroup.
        removals: how units are removed.
        place_ends: the end of its indices in `places`.
        places: the indices of all changes.
        added_ends: the end of its added units in `added`.
        added: the added units of all changes.
    """

    def __init__(
        self,
        orders: array,
        loops: array,
        users: array,
        groups: array,
        actions: array,
        removals: array,
        place_ends: array,
        places: array,
        added_ends: array,
        added: array,
    ) -> None:
        self.orders = orders
        self.loops = loops
        self.users = users
        self.groups = groups
        self.actions = actions
        self.removals = removals
        self.place_ends = place_ends
        self.places = places
        self.added_ends = added_ends
        self.added = added

    def __len__(self) -> int:
        return len(self.orders)


@cython.final
@cython.cclass
class SelectionGroups:
    """The groups of each user by number.

    Attributes:
        misfits: by user, the number of indices outside the selection that they refer to.
        subgroups: by user, the active subgroup; None if unknown after the recall of a group.
    """

    misfits: dict[int, int]
    subgroups: dict[int, int | None]

    def __init__(self) -> None:
        self._units = Int64Buffer()
        self._users = {}
        self.misfits = {}
        self.subgroups = {}
        self._change_marks = Int64Buffer()
        self._use_marks = Int64Buffer()
        self._changes_done = 0
        self._uses_done = 0
        self._loop = 0
        self._first = 0
        self._end = 0

    @property
    def loop(self) -> int:
        """The loop of the last change that was applied."""
        return self._loop

    def _unit(self, place: cython.Py_ssize_t) -> cython.longlong:
        if cython.compiled:
            return self._units._data[place]
        return self._units._array[place]

    def _load(self, held: dict, group: object) -> cython.int:
        """Make the units of a group the current ones."""
        found = held.get(group)
        self._first = self._end = 0
        if found is not None:
            self._first, self._end = found
        return 0

    def _keep(
        self,
        user: object,
        removal: cython.longlong,
        places: cython.longlong[::1],
        first: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
    ) -> cython.int:
        """Remove units from the current ones."""
        if first == end:
            if removal == ZERO_INDICES:
                self._first = self._end
            return 0
        count: cython.Py_ssize_t = self._end - self._first
        most: cython.longlong = places[first]
        ascending: cython.bint = True
        i: cython.Py_ssize_t
        for i in range(first + 1, end):
            if places[i] <= most:
                ascending = False
            else:
                most = places[i]
        if removal == NO_REMOVAL or most >= count:
            self.misfits[user] += 1
        if removal == NO_REMOVAL:
            return 0
        if not ascending:
            ordered = array("q", sorted({places[i] for i in range(first, end)}))
            places = ordered
            first, end = 0, len(ordered)
        kept: cython.bint = removal == ZERO_INDICES
        start: cython.Py_ssize_t = len(self._units)
        at: cython.Py_ssize_t = first
        for i in range(count):
            named: cython.bint = at < end and places[at] == i
            if named:
                at += 1
            if named == kept:
                self._units.append(self._unit(self._first + i))
        self._first, self._end = start, len(self._units)
        return 0

    def _join(self, more: cython.Py_ssize_t, more_end: cython.Py_ssize_t) -> cython.int:
        """Add units, ascending from `more` on, to the current ones."""
        if more == more_end:
            return 0
        if self._first == self._end:
            self._first, self._end = more, more_end
            return 0
        start: cython.Py_ssize_t = len(self._units)
        at: cython.Py_ssize_t = self._first
        while at < self._end or more < more_end:
            if more == more_end:
                unit: cython.longlong = self._unit(at)
                at += 1
            elif at == self._end or self._unit(more) < self._unit(at):
                unit = self._unit(more)
                more += 1
            else:
                unit = self._unit(at)
                at += 1
                if self._unit(more) == unit:
                    more += 1
            self._units.append(unit)
        self._first, self._end = start, len(self._units)
        return 0

    def _of_user(self, user: object) -> dict:
        held = self._users.get(user)
        if held is None:
            self._users[user] = held = {}
            self.misfits[user] = 0
            self.subgroups[user] = None
        return held

    def _change(
        self,
        user: object,
        group: object,
        subgroup: object,
        removal: cython.longlong,
        places: cython.longlong[::1],
        first: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        added: cython.longlong[::1],
        added_first: cython.Py_ssize_t,
        added_end: cython.Py_ssize_t,
    ) -> cython.int:
        """Apply a selection delta; afterwards the current units are the group's."""
        held: dict = self._of_user(user)
        self._load(held, group)
        self._keep(user, removal, places, first, end)
        if added_first < added_end:
            i: cython.Py_ssize_t
            for i in range(added_first + 1, added_end):
                if added[i] <= added[i - 1]:
                    ordered = array("q", sorted({added[i] for i in range(added_first, added_end)}))
                    added = ordered
                    added_first, added_end = 0, len(ordered)
                    break
            start: cython.Py_ssize_t = len(self._units)
            for i in range(added_first, added_end):
                self._units.append(added[i])
            self._join(start, len(self._units))
        held[group] = (self._first, self._end)
        if group == ACTIVE:
            self.subgroups[user] = subgroup
        return 0

    def _use(
        self,
        user: object,
        group: object,
        action: cython.longlong,
        removal: cython.longlong,
        places: cython.longlong[::1],
        first: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
    ) -> cython.int:
        """Apply a use of a control group; afterwards the current units are the group's or, after a recall, the
        selection's."""
        held: dict = self._of_user(user)
        if action == GROUP_SET or action == GROUP_STEAL:  # noqa: SIM109
            self._load(held, ACTIVE)
        elif action == GROUP_APPEND or action == GROUP_STEAL_APPEND:  # noqa: SIM109
            self._load(held, ACTIVE)
            more: cython.Py_ssize_t = self._first
            more_end: cython.Py_ssize_t = self._end
            self._load(held, group)
            self._keep(user, removal, places, first, end)
            self._join(more, more_end)
        elif action == GROUP_RECALL:
            self._load(held, group)
            self._keep(user, removal, places, first, end)
            held[ACTIVE] = (self._first, self._end)
            self.subgroups[user] = None
            return 0
        elif action == GROUP_CLEAR:
            self._first = self._end = 0
        else:
            self._load(held, group)
            return 0
        held[group] = (self._first, self._end)
        return 0

    def _at_hand(self) -> tuple:
        return self._between(self._first, self._end)

    def _between(self, first: cython.Py_ssize_t, end: cython.Py_ssize_t) -> tuple:
        return tuple([self._unit(place) for place in range(first, end)])

    def change(
        self, user: int, group: int, subgroup: int, removal: cython.longlong, places: array, added: array
    ) -> tuple[int, ...]:
        """Apply a selection delta of a user; return the group's units afterwards."""
        self._change(user, group, subgroup, removal, places, 0, len(places), added, 0, len(added))
        return self._at_hand()

    def use(
        self, user: int, group: int, action: cython.longlong, removal: cython.longlong, places: array
    ) -> tuple[int, ...]:
        """Apply a use of a control group; return the group's units, or, after a recall, the selection's."""
        self._use(user, group, action, removal, places, 0, len(places))
        return self._at_hand()

    def play(self, changes: SelectionSteps, uses: SelectionSteps, loop: cython.longlong) -> None:
        """Apply the pending selection deltas and uses of groups, up to and including a loop."""
        orders: cython.longlong[::1] = changes.orders
        loops: cython.longlong[::1] = changes.loops
        actions: cython.longlong[::1] = changes.actions
        removals: cython.longlong[::1] = changes.removals
        place_ends: cython.longlong[::1] = changes.place_ends
        places: cython.longlong[::1] = changes.places
        added_ends: cython.longlong[::1] = changes.added_ends
        added: cython.longlong[::1] = changes.added
        use_orders: cython.longlong[::1] = uses.orders
        use_loops: cython.longlong[::1] = uses.loops
        use_actions: cython.longlong[::1] = uses.actions
        use_removals: cython.longlong[::1] = uses.removals
        use_place_ends: cython.longlong[::1] = uses.place_ends
        use_places: cython.longlong[::1] = uses.places
        users, groups, use_users, use_groups = changes.users, changes.groups, uses.users, uses.groups
        i: cython.Py_ssize_t = self._changes_done
        j: cython.Py_ssize_t = self._uses_done
        count: cython.Py_ssize_t = len(changes)
        use_count: cython.Py_ssize_t = len(uses)
        while i < count or j < use_count:
            if j == use_count or (i < count and orders[i] < use_orders[j]):
                if loops[i] > loop:
                    break
                self._loop = loops[i]
                self._change(
                    users[i],
                    groups[i],
                    actions[i],
                    removals[i],
                    places,
                    place_ends[i - 1] if i else 0,
                    place_ends[i],
                    added,
                    added_ends[i - 1] if i else 0,
                    added_ends[i],
                )
                self._change_marks.append(self._first)
                self._change_marks.append(self._end)
                i += 1
            else:
                if use_loops[j] > loop:
                    break
                self._loop = use_loops[j]
                self._use(
                    use_users[j],
                    use_groups[j],
                    use_actions[j],
                    use_removals[j],
                    use_places,
                    use_place_ends[j - 1] if j else 0,
                    use_place_ends[j],
                )
                self._use_marks.append(self._first)
                self._use_marks.append(self._end)
                j += 1
            self._changes_done = i
            self._uses_done = j

    def users(self) -> list[int]:
        """Return the users with changes, in the order of their first changes."""
        return list(self._users)

    def groups(self, user: int) -> dict[int, tuple[int, ...]]:
        """Return the units of a user's groups by number."""
        return {group: self._between(first, end) for group, (first, end) in self._users[user].items()}

    def units_after_step(self, place: cython.Py_ssize_t, uses: cython.bint) -> tuple[int, ...]:
        """Return the units after one use of a group, or after one selection delta.

        Raises:
            IndexError: it has not been applied.
        """
        marks: Int64Buffer = self._use_marks if uses else self._change_marks
        if place < 0 or 2 * place >= len(marks):
            raise IndexError(f"expected one of {len(marks) // 2} applied steps, got {place}")
        if cython.compiled:
            return self._between(marks._data[2 * place], marks._data[2 * place + 1])
        return self._between(marks._array[2 * place], marks._array[2 * place + 1])

    def units_after(self, uses: cython.bint) -> pa.Array:
        """Return the units after each use of a group, or after each selection delta, as lists of int64."""
        marks: Int64Buffer = self._use_marks if uses else self._change_marks
        values = Int64Buffer()
        ends = Int32Buffer()
        ends.append(0)
        i: cython.Py_ssize_t
        place: cython.Py_ssize_t
        first: cython.Py_ssize_t
        end: cython.Py_ssize_t
        total: cython.Py_ssize_t = 0
        for i in range(len(marks) // 2):
            if cython.compiled:
                first, end = marks._data[2 * i], marks._data[2 * i + 1]
            else:
                first, end = marks._array[2 * i], marks._array[2 * i + 1]
            for place in range(first, end):
                values.append(self._unit(place))
            total += end - first
            if total > 0x7FFFFFFF:
                raise OverflowError("expected less than 2**31 units in the lists of a column")
            ends.append(total)
        return pa.ListArray.from_arrays(ends.to_arrow(), values.to_arrow())
