"""The living units at any loop, from unit history and samples of positions; compiled, as a game has tens of
thousands of rows."""

from __future__ import annotations

from array import array

from playhead.bits.checked_arrays import LONGS
from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.conversions import unit_tag
from playhead.blizzard.units.history import UnitHistory
from playhead.runtime import cython

if cython.compiled:
    from cython.cimports.playhead.bits.checked_arrays import filled, zeros
    from cython.cimports.playhead.blizzard.units import changes
    from cython.cimports.playhead.blizzard.units.history import UnitHistory
else:
    from playhead.bits.checked_arrays import filled, zeros
    from playhead.blizzard.units import changes

#: Columns of `UnitStates.alive`: types as texts, None for an unknown player or position.
LIVING = "tag unit_type player finished x y position_tick tick first_unit_type first_player".split()

# The same as a 64-bit C constant.
_NOTHING = cython.declare(cython.longlong, NOTHING)


def times_of(loops: array, parts: list[array[int]]) -> array:
    """Return the time of each row of a stream, as ``array('q')``: the maximum loop up to it of the rows in
    `parts`.

    The tracker of a resumed game restarts at loop 0, with only the players; time continues.

    Args:
        loops: of all rows, ``array('i')``.
        parts: rows that count, each an ``array('i')``.
    """
    given: cython.int[::1] = loops
    times: array = zeros(LONGS, len(loops))
    found: cython.longlong[::1] = times
    row: cython.Py_ssize_t
    place: cython.Py_ssize_t
    now: cython.longlong = 0
    for rows in parts:
        chosen: cython.int[::1] = rows
        for place in range(len(rows)):
            found[chosen[place]] = 1
    for row in range(len(loops)):
        if found[row] and given[row] > now:
            now = given[row]
        found[row] = now
    return times


def upgrade_levels(
    orders: array, players: array, names: array, counts: array, when: array, last: cython.longlong
) -> list[tuple[int, int, int]]:
    """Return player, name and level of all upgrades up to a loop, in order of first appearance.

    Args:
        orders: row in the stream of each (``array('i')``).
        players, names, counts: of each (``array('q')``), `NOTHING` for null.
        when: time of each row of the stream (`times_of`).
        last: the loop.
    """
    rows: cython.int[::1] = orders
    whose: cython.longlong[::1] = players
    named: cython.longlong[::1] = names
    more: cython.longlong[::1] = counts
    times: cython.longlong[::1] = when
    places: dict = {}
    kinds: list = []
    levels: array = zeros(LONGS, len(orders))
    level: cython.longlong[::1] = levels
    place: cython.Py_ssize_t = -1
    row: cython.Py_ssize_t
    for row in range(len(rows)):
        if times[rows[row]] > last:
            break
        # Most are repetitions of one upgrade, such as the one that marks the host.
        if place < 0 or whose[row] != whose[row - 1] or named[row] != named[row - 1]:
            kind = (whose[row], named[row])
            place = places.setdefault(kind, len(kinds))
            if place == len(kinds):
                kinds.append(kind)
        if more[row] != _NOTHING:
            level[place] += more[row]
    return [(player, name, levels[place]) for place, (player, name) in enumerate(kinds)]


def types_at(history: UnitHistory, tags: array, loops: array) -> array:
    """Return the type of each unit just before a loop, as the index of its name in `UnitHistory.texts`; its first
    type if it appears later, `NOTHING` if the tracker never names it.

    Args:
        history: of all units.
        tags: of the units; `NOTHING` for none.
        loops: one for each tag, ascending.
    """
    asked: cython.longlong[::1] = tags
    until: cython.longlong[::1] = loops
    when: cython.longlong[::1] = history.loop
    what: cython.longlong[::1] = history.change
    whose: cython.longlong[::1] = history.unit
    kind: cython.longlong[::1] = history.unit_type
    types: array = filled(LONGS, NOTHING, history.units)
    type_of: cython.longlong[::1] = types
    out: array = filled(LONGS, NOTHING, len(tags))
    found: cython.longlong[::1] = out
    row: cython.Py_ssize_t
    place: cython.Py_ssize_t
    for row in range(len(what) - 1, -1, -1):
        if what[row] == changes.INIT or what[row] == changes.BORN:
            type_of[whose[row]] = kind[row]
    row = 0
    for place in range(len(asked)):
        while row < len(when) and when[row] < until[place]:
            if what[row] == changes.TYPE:
                type_of[whose[row]] = kind[row]
            row += 1
        if asked[place] != _NOTHING:
            unit: cython.longlong = history.number_of(asked[place] >> 18, asked[place] & 0x3FFFF)
            if unit >= 0:
                found[place] = type_of[unit]
    return out


def links_of_units(
    group_ends: array, links: array, counts: array, unit_ends: array
) -> tuple[array[int], array[int]]:
    """Return the link of each unit that changes of selections add, `NOTHING` where the counts of a change do not
    add up, and the place of its change (``array('q')``).

    Args:
        group_ends: the end of each change's subgroups (``array('i')``).
        links, counts: of all subgroups.
        unit_ends: the end of each change's units (``array('i')``).
    """
    group_end: cython.int[::1] = group_ends
    unit_end: cython.int[::1] = unit_ends
    link: cython.longlong[::1] = links
    count: cython.longlong[::1] = counts
    total: cython.Py_ssize_t = unit_end[len(unit_end) - 1] if len(unit_end) else 0
    out: array = filled(LONGS, NOTHING, total)
    found: cython.longlong[::1] = out
    places: array = zeros(LONGS, total)
    place_at: cython.longlong[::1] = places
    place: cython.Py_ssize_t
    group: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    unit: cython.Py_ssize_t = 0
    for place in range(len(unit_end)):
        left: cython.longlong = unit_end[place] - unit
        for at in range(group, group_end[place]):
            if count[at] < 0 or count[at] > left:
                left = -1
                break
            left -= count[at]
        if left == 0:
            for at in range(group, group_end[place]):
                for _ in range(count[at]):
                    found[unit] = link[at]
                    place_at[unit] = place
                    unit += 1
        while unit < unit_end[place]:
            place_at[unit] = place
            unit += 1
        group = group_end[place]
    return out, places


@cython.final
@cython.cclass
class UnitStates:
    """The living units. Moving forward is cheap; moving back restarts.

    Args:
        history: of the units.
        orders: row in the stream of each sample of positions (``array('i')``).
        firsts: first unit index of each sample, from which its index deltas count.
        ends: the end of each sample's items (``array('i')``).
        items: of all: index delta, x and y of one unit after the other.
        when: time of each row of the stream (`times_of`).
    """

    def __init__(
        self, history: UnitHistory, orders: array, firsts: array, ends: array, items: array, when: array
    ) -> None:
        self._history = history
        self._sample_orders = orders
        self._firsts = firsts
        self._ends = ends
        self._items = items
        self._when = when
        slots: dict = {}
        self._slot_of = filled(LONGS, -1, history.units)
        found: cython.longlong[::1] = self._slot_of
        units: cython.longlong[::1] = history.unit
        indices: cython.longlong[::1] = history.index
        recycles: cython.longlong[::1] = history.recycle
        place: cython.Py_ssize_t
        for place in range(len(units)):
            if found[units[place]] < 0 and indices[place] != _NOTHING and recycles[place] != _NOTHING:
                # Units are distinguished by their tags, which hold only some bits of the recycle.
                tag = unit_tag(indices[place], recycles[place])
                found[units[place]] = slots.setdefault(tag, len(slots))
        self._tags = list(slots)
        self._restart()

    def _restart(self) -> object:
        self._row = 0
        self._sample = 0
        self._born = 0
        self._by_index = {}
        nothing = filled(LONGS, NOTHING, len(self._tags))
        self._sequence = filled(LONGS, -1, len(self._tags))
        self._unit_type = nothing[:]
        self._first_type = nothing[:]
        self._player = nothing[:]
        self._first_player = nothing[:]
        self._finished = nothing[:]
        self._x = nothing[:]
        self._y = nothing[:]
        self._moved = nothing[:]
        self._appeared = nothing[:]
        return None

    @cython.nonecheck(True)
    def advance(self, loop: int, again: bool) -> None:
        """Move to the end of a loop, from the beginning if `again`."""
        if again:
            self._restart()
        orders: cython.longlong[::1] = self._history.order
        sampled: cython.int[::1] = self._sample_orders
        when: cython.longlong[::1] = self._when
        # One view of each array for all rows: to make one takes longer than to apply a row.
        slots: cython.longlong[::1] = self._slot_of
        units: cython.longlong[::1] = self._history.unit
        changed: cython.longlong[::1] = self._history.change
        alive: cython.longlong[::1] = self._sequence
        last: cython.longlong = loop
        while self._row < len(orders) or self._sample < len(sampled):
            is_sample: cython.bint = self._row == len(orders) or (
                self._sample < len(sampled) and sampled[self._sample] < orders[self._row]
            )
            order: cython.longlong = sampled[self._sample] if is_sample else orders[self._row]
            if when[order] > last:
                break
            if is_sample:
                self._apply_sample(self._sample, when[order])
                self._sample += 1
            else:
                slot: cython.longlong = slots[units[self._row]]
                change: cython.longlong = changed[self._row]
                if slot >= 0 and (change == changes.BORN or change == changes.INIT):
                    self._appear(self._row, slot, when[order])
                elif slot >= 0 and alive[slot] >= 0:
                    self._apply(self._row, slot, change)
                self._row += 1

    def _apply(self, row: cython.Py_ssize_t, slot: cython.longlong, change: cython.longlong) -> cython.int:
        """Change a living unit."""
        if change == changes.DONE:
            self._finished[slot] = 1
        elif change == changes.TYPE:
            self._unit_type[slot] = self._history.unit_type[row]
        elif change == changes.OWNER:
            self._player[slot] = self._history.player[row]
        else:
            self._sequence[slot] = -1
            index = self._tags[slot] >> 18
            if self._by_index.get(index) == slot:
                del self._by_index[index]
        return 0

    def _appear(self, row: cython.Py_ssize_t, slot: cython.longlong, loop: cython.longlong) -> cython.int:
        history: UnitHistory = self._history
        # A birth that is reported twice, as in a resumed game, starts a new life at the end.
        self._sequence[slot] = self._born
        self._born += 1
        self._by_index[self._tags[slot] >> 18] = slot
        self._unit_type[slot] = self._first_type[slot] = history.unit_type[row]
        self._player[slot] = self._first_player[slot] = history.player[row]
        self._finished[slot] = 1 if history.change[row] == changes.BORN else 0
        self._appeared[slot] = self._moved[slot] = loop
        x, y = history.x[row], history.y[row]
        known = x != NOTHING and y != NOTHING
        self._x[slot] = x if known else NOTHING
        self._y[slot] = y if known else NOTHING
        return 0

    def _apply_sample(self, sample: cython.Py_ssize_t, loop: cython.longlong) -> cython.int:
        ends: cython.int[::1] = self._ends
        items: cython.longlong[::1] = self._items
        xs: cython.longlong[::1] = self._x
        ys: cython.longlong[::1] = self._y
        moved: cython.longlong[::1] = self._moved
        start: cython.Py_ssize_t = ends[sample - 1] if sample else 0
        at: cython.Py_ssize_t
        index: cython.longlong = self._firsts[sample]
        if index == _NOTHING:
            index = 0
        for at in range(start, start + (ends[sample] - start) // 3 * 3, 3):
            index += items[at]
            held = self._by_index.get(index)
            if held is not None:
                slot: cython.Py_ssize_t = held
                xs[slot] = items[at + 1]
                ys[slot] = items[at + 2]
                moved[slot] = loop
        return 0

    @cython.nonecheck(True)
    def alive(self, cells: cython.double) -> list[tuple[Any, ...]]:
        """Return the `LIVING` columns of the living units, in order of appearance.

        Args:
            cells: in one unit of the positions.
        """
        sequence: cython.longlong[::1] = self._sequence
        types: cython.longlong[::1] = self._unit_type
        players: cython.longlong[::1] = self._player
        finished: cython.longlong[::1] = self._finished
        xs: cython.longlong[::1] = self._x
        ys: cython.longlong[::1] = self._y
        moved: cython.longlong[::1] = self._moved
        appeared: cython.longlong[::1] = self._appeared
        first_types: cython.longlong[::1] = self._first_type
        first_players: cython.longlong[::1] = self._first_player
        history: UnitHistory = self._history
        slot: cython.Py_ssize_t
        order: list = []
        for slot in range(len(sequence)):
            if sequence[slot] >= 0:
                order.append((sequence[slot], slot))
        order.sort()
        found: list = []
        for _, place in order:
            slot = place
            found.append(
                (
                    self._tags[slot],
                    history.text(types[slot]),
                    None if players[slot] == _NOTHING else players[slot],
                    finished[slot] != 0,
                    None if xs[slot] == _NOTHING else xs[slot] * cells,
                    None if ys[slot] == _NOTHING else ys[slot] * cells,
                    moved[slot],
                    appeared[slot],
                    history.text(first_types[slot]),
                    None if first_players[slot] == _NOTHING else first_players[slot],
                )
            )
        return found
