"""Spans of units (the times in which a unit had one owner and one type), how many there were of each, and the
living units at any loop.

The module is long because all its loops read one history. Compiled, as a game has thousands of spans, tens of
thousands of rows and hundreds of thousands of counts. Columns are ``array('q')``, with
`NOTHING` for null.
"""

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

_COLUMNS = "unit row unit_type player start end x y finished hallucinated cause killer end_x end_y".split()
#: Players with higher numbers come from damage.
_PLAYERS = 32
#: The largest number of rows of counts; a real game has some ten thousand.
_MOST_ROWS = 1 << 20
# The same as 64-bit C constants.
_NOTHING = cython.declare(cython.longlong, NOTHING)
#: Columns of `UnitStates.alive`: types as texts, None for an unknown player or position.
LIVING = "tag unit_type player finished x y position_tick tick first_unit_type first_player".split()


@cython.final
@cython.cclass
class Spans:
    """Times in which units had one owner and one type, in order of their starts: a unit's construction is one, and
    every change of its type or owner begins another.

    Args:
        columns: see below, all of one length.

    Attributes:
        columns: as given. Compiled modules read them as views with the same names:
        unit: number of the unit in the history.
        row: of the unit's birth in the history.
        unit_type: index in the texts.
        player: owner, 0 for none.
        start, end: loops; the span does not include its end, which is `NOTHING` at the end of the game.
        x, y: where the unit appeared, as stored.
        finished: 0 for a construction.
        hallucinated: 1 for a hallucination.
        cause: of the end, one of `playhead.blizzard.units.changes`.
        killer, end_x, end_y: of a death.
    """

    columns: dict[str, array[int]]

    def __init__(self, columns: dict[str, array[int]]) -> None:
        self.columns = columns
        self.unit = columns["unit"]
        self.row = columns["row"]
        self.unit_type = columns["unit_type"]
        self.player = columns["player"]
        self.start = columns["start"]
        self.end = columns["end"]
        self.x = columns["x"]
        self.y = columns["y"]
        self.finished = columns["finished"]
        self.hallucinated = columns["hallucinated"]
        self.cause = columns["cause"]
        self.killer = columns["killer"]
        self.end_x = columns["end_x"]
        self.end_y = columns["end_y"]

    def __len__(self) -> int:
        return len(self.start)


def spans_of(history: UnitHistory) -> Spans:
    """Return the spans of all units."""
    changed: cython.longlong[::1] = history.change
    units: cython.longlong[::1] = history.unit
    loops: cython.longlong[::1] = history.loop
    kinds: cython.longlong[::1] = history.unit_type
    owners: cython.longlong[::1] = history.player
    abilities: cython.longlong[::1] = history.ability
    xs: cython.longlong[::1] = history.x
    ys: cython.longlong[::1] = history.y
    rows: cython.Py_ssize_t = len(history)
    row: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    now: cython.longlong = 0
    for row in range(rows):
        if changed[row] != changes.DIED:
            count += 1
    found: Spans = Spans({name: filled(LONGS, NOTHING, count) for name in _COLUMNS})
    held: cython.longlong[::1] = filled(LONGS, -1, history.units)
    false: cython.longlong[::1] = array("q", ["Hallucination" in text for text in history.texts] or [0])
    count = 0
    for row in range(rows):
        change: cython.longlong = changed[row]
        # The tracker of a resumed game restarts at loop 0; time continues.
        now = max(now, loops[row])
        span: cython.longlong = held[units[row]]
        if change == changes.BORN or change == changes.INIT:
            if span >= 0:
                continue  # recorded twice, as in a resumed game
        elif span < 0:
            continue
        else:
            found.end[span] = now
            found.cause[span] = change
            if change == changes.DIED:
                if 0 <= owners[row] < _PLAYERS:
                    found.killer[span] = owners[row]
                found.end_x[span] = xs[row]
                found.end_y[span] = ys[row]
                held[units[row]] = -1
                continue
        held[units[row]] = count
        found.unit[count] = units[row]
        found.start[count] = now
        if change == changes.BORN or change == changes.INIT:
            found.row[count] = row
            found.unit_type[count] = kinds[row]
            found.player[count] = _owner(owners[row])
            found.x[count] = xs[row]
            found.y[count] = ys[row]
            found.finished[count] = change == changes.BORN
            found.hallucinated[count] = abilities[row] != _NOTHING and false[abilities[row]]
        else:
            found.row[count] = found.row[span]
            found.unit_type[count] = kinds[row] if change == changes.TYPE else found.unit_type[span]
            found.player[count] = _owner(owners[row]) if change == changes.OWNER else found.player[span]
            found.x[count] = found.x[span]
            found.y[count] = found.y[span]
            found.finished[count] = found.finished[span] or change == changes.DONE
            found.hallucinated[count] = found.hallucinated[span]
        count += 1
    return Spans({name: values[:count] for name, values in found.columns.items()})


@cython.cfunc
@cython.exceptval(-1, check=False)
def _owner(player: cython.longlong) -> cython.longlong:
    """Return the number of a player; 0 for none and for an impossible one."""
    return player if 0 < player < _PLAYERS else 0


@cython.final
@cython.cclass
class _Counts:
    """Numbers of units by player and type, at even intervals, as differences from sample to sample."""

    slots: dict
    _every: cython.longlong
    _samples: cython.longlong
    _changes: list

    def __init__(self, every: cython.longlong, samples: cython.longlong) -> None:
        self.slots = {}
        self._every = every
        self._samples = samples
        self._changes = []

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add(
        self,
        which: cython.Py_ssize_t,
        player: cython.longlong,
        kind: cython.longlong,
        start: cython.longlong,
        end: cython.longlong,
        by: cython.longlong,
    ) -> cython.int:
        """Count `by` more, in one of the three columns, from a loop up to before another."""
        first: cython.longlong = (max(start, 0) + self._every - 1) // self._every
        last: cython.longlong = self._samples
        if end != _NOTHING:
            last = min(last, (max(end, 0) + self._every - 1) // self._every)
        if last <= first:
            return 0
        key: object = (player, kind)
        slot = self.slots.get(key)
        if slot is None:
            slot = self.slots[key] = len(self._changes)
            self._changes.append(zeros(LONGS, 3 * (self._samples + 1)))
        rises: cython.longlong[::1] = self._changes[slot]
        rises[3 * first + which] += by
        rises[3 * last + which] -= by
        return 0

    @cython.cfunc
    def columns(self) -> dict:
        """Return the counts that are not all 0, by sample, then by first appearance."""
        count: cython.Py_ssize_t = 0
        place: cython.Py_ssize_t
        for held in self._changes:
            values: cython.longlong[::1] = held
            for place in range(self._samples):
                at: cython.Py_ssize_t = 3 * place
                if place:
                    values[at] += values[at - 3]
                    values[at + 1] += values[at - 2]
                    values[at + 2] += values[at - 1]
                if values[at] or values[at + 1] or values[at + 2]:
                    count += 1
        found: dict = {
            name: zeros(LONGS, count) for name in ("tick", "player", "unit_type", "alive", "in_progress", "lost")
        }
        tick: cython.longlong[::1] = found["tick"]
        player: cython.longlong[::1] = found["player"]
        unit_type: cython.longlong[::1] = found["unit_type"]
        alive: cython.longlong[::1] = found["alive"]
        in_progress: cython.longlong[::1] = found["in_progress"]
        lost: cython.longlong[::1] = found["lost"]
        keys: list = list(self.slots)
        slot: cython.Py_ssize_t
        players: cython.longlong[::1] = array("q", [who for who, _ in keys] or [0])
        kinds: cython.longlong[::1] = array("q", [kind for _, kind in keys] or [0])
        # Slot by slot is the order of memory; the rows of a sample are one after another.
        next_of: cython.longlong[::1] = zeros(LONGS, self._samples + 1)
        for held in self._changes:
            values = held
            for place in range(self._samples):
                at = 3 * place
                if values[at] or values[at + 1] or values[at + 2]:
                    next_of[place + 1] += 1
        for place in range(self._samples):
            next_of[place + 1] += next_of[place]
        for slot in range(len(keys)):
            values = self._changes[slot]
            for place in range(self._samples):
                at = 3 * place
                if values[at] or values[at + 1] or values[at + 2]:
                    count = next_of[place]
                    next_of[place] += 1
                    tick[count] = place * self._every
                    player[count] = players[slot]
                    unit_type[count] = kinds[slot]
                    alive[count] = values[at]
                    in_progress[count] = values[at + 1]
                    lost[count] = values[at + 2]
        return found


def counts_of(
    spans: Spans,
    shown: list[bool],
    inside: list[int],
    more: list[tuple[int, int, int, int]],
    every: cython.longlong,
    last: cython.longlong,
) -> dict[str, array[int]]:
    """Return the numbers of units at even intervals: ``tick``, ``player``, ``unit_type`` (index in the texts), and
    the numbers ``alive`` and ``in_progress`` then, and ``lost`` until then (with a known killer;
    constructions that their owner ended are not).

    Rows of a sample are in the order of the first appearance of their player and type. Hallucinations do not
    count. In a damaged file with absurd times the samples end early.

    Args:
        spans: of the units.
        shown: whether units of each type count, by index in the texts.
        inside: by type, the type of the unit that is inside of a construction of it and is reported dead when the
            construction ends; -1 for none.
        more: production that is not a construction: player, type, start and end each.
        every: the interval in loops, 1 or more.
        last: the last loop.
    """
    counted: cython.longlong[::1] = array("q", shown or [0])
    hidden: cython.longlong[::1] = array("q", inside or [-1])
    span: cython.Py_ssize_t
    player: cython.longlong
    kind: cython.longlong
    start: cython.longlong
    end: cython.longlong
    pairs: set = set(zip(spans.columns["player"], spans.columns["unit_type"]))  # noqa: B905
    most: cython.longlong = _MOST_ROWS // max(1, len(pairs) + len(more))
    counts: _Counts = _Counts(every, min(last // every + 1, most))
    for span in range(len(spans)):
        kind = spans.unit_type[span]
        if spans.player[span] == 0 or spans.hallucinated[span] or kind == _NOTHING or not counted[kind]:
            continue
        player, start, end = spans.player[span], spans.start[span], spans.end[span]
        counts.add(0 if spans.finished[span] else 1, player, kind, start, end, 1)
        if not spans.finished[span] and hidden[kind] >= 0:
            counts.add(0, player, hidden[kind], start, end, -1)
        # The tracker names the owner where he cancelled a construction, or lost the pylon of a warp-in.
        own: cython.bint = not spans.finished[span] and spans.killer[span] == player
        if spans.cause[span] == changes.DIED and spans.killer[span] != _NOTHING and not own:
            counts.add(2, player, kind, end, _NOTHING, 1)
    for player, kind, start, end in more:
        counts.add(1, player, kind, start, end, 1)
    return counts.columns()


def places_with(values: array, wanted: list[bool]) -> array:
    """Return the indices of the values for which `wanted` is true; values outside of it are not chosen."""
    held: cython.longlong[::1] = values
    flags: cython.longlong[::1] = array("q", wanted or [0])
    found: array = zeros(LONGS, len(values))
    places: cython.longlong[::1] = found
    place: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    for place in range(len(held)):
        if 0 <= held[place] < len(flags) and flags[held[place]]:
            places[count] = place
            count += 1
    return found[:count]


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
    levels: dict = {}
    for row, player, name, count in zip(orders, players, names, counts, strict=True):
        if when[row] > last:
            break
        levels[player, name] = levels.get((player, name), 0) + (0 if count == NOTHING else count)
    return [(player, name, level) for (player, name), level in levels.items()]


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
