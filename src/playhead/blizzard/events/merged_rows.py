"""Rows of one table from events of several classes, in file order, and the first columns of most tables. Compiled,
as a game has tens of thousands."""

from __future__ import annotations

from array import array

from playhead.bits.checked_arrays import BYTES, DOUBLES, INTS, LONGS
from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.protocol.tables import NO_USER
from playhead.runtime import cython
from playhead.runtime.libraries import pa
from playhead.tables.number_columns import presence_bits

if cython.compiled:
    from cython.cimports.cpython.array import array
    from cython.cimports.playhead.bits.checked_arrays import filled, unset, zeros
else:
    from playhead.bits.checked_arrays import filled, unset, zeros


@cython.final
@cython.cclass
class MergedRows:
    """The events of several classes, in file order.

    Args:
        parts: row in the stream of each event, of each class (``array('i')``, ascending).
        size: rows of the stream.

    Attributes:
        orders: row in the stream of each (``array('i')``).
        part: class of each, as an index in `parts` (``array('q')``).
    """

    def __init__(self, parts: Sequence[array[int]], size: cython.Py_ssize_t) -> None:
        whose: array = zeros(INTS, size)  # one more than the class; 0 for none
        part_at: cython.int[::1] = whose
        place: cython.Py_ssize_t
        row: cython.Py_ssize_t
        number: cython.longlong
        total: cython.Py_ssize_t = 0
        for number in range(len(parts)):
            rows: cython.int[::1] = parts[number]
            for place in range(len(rows)):
                part_at[rows[place]] = number + 1
            total += len(rows)
        self.orders = unset(INTS, total)
        self.part = unset(LONGS, total)
        self._places = unset(INTS, total)
        self._starts = zeros(LONGS, len(parts) + 2)
        all_orders: cython.int[::1] = self.orders
        all_parts: cython.longlong[::1] = self.part
        places: cython.int[::1] = self._places
        starts: cython.longlong[::1] = self._starts
        place = 0
        for row in range(size):
            if part_at[row]:
                all_orders[place] = row
                all_parts[place] = part_at[row] - 1
                starts[part_at[row] + 1] += 1
                place += 1
        if place != total:
            raise ValueError("two classes have the same row")
        # Where the rows of each class begin in `_places`; one further while they are filled in.
        for number in range(2, len(parts) + 2):
            starts[number] += starts[number - 1]
        for row in range(place):
            number = all_parts[row]
            places[starts[number + 1]] = row
            starts[number + 1] += 1

    @cython.nonecheck(True)
    def column(self, columns: Sequence[array[int] | int | None]) -> array:
        """Return one column of all rows (``array('q')``) from that of each class: an array of values, one value
        for all of its rows, or None for `NOTHING`, as classes without a column have."""
        out: array = unset(LONGS, len(self.part))
        found: cython.longlong[::1] = out
        places: cython.int[::1] = self._places
        starts: cython.longlong[::1] = self._starts
        number: cython.Py_ssize_t
        place: cython.Py_ssize_t
        for number in range(len(starts) - 2):
            held = columns[number] if number < len(columns) else None
            first: cython.longlong = starts[number]
            if held is None or isinstance(held, int):
                value: cython.longlong = NOTHING if held is None else held
                for place in range(first, starts[number + 1]):
                    found[places[place]] = value
                continue
            values: cython.longlong[::1] = held
            for place in range(first, starts[number + 1]):
                found[places[place]] = values[place - first]
        return out


def blank(values: array, unless: array, chosen: Sequence[int]) -> None:
    """Set `values` to `NOTHING` in rows where `unless` has neither of one or two chosen numbers."""
    held: cython.longlong[::1] = values
    what: cython.longlong[::1] = unless
    nothing: cython.longlong = NOTHING
    first: cython.longlong = chosen[0]
    second: cython.longlong = chosen[-1]
    row: cython.Py_ssize_t
    for row in range(len(held)):
        if what[row] != first and what[row] != second:
            held[row] = nothing


def blank_where(values: array, what: array, number: cython.longlong) -> None:
    """Set `values` to `NOTHING` in rows where `what` has `number` or `NOTHING`."""
    held: cython.longlong[::1] = values
    given: cython.longlong[::1] = what
    nothing: cython.longlong = NOTHING
    row: cython.Py_ssize_t
    for row in range(len(held)):
        if given[row] == number or given[row] == nothing:
            held[row] = nothing


def repeated(part: array, orders: array, users: array) -> tuple[array[int], array[int], array[int]]:
    """Return for each row the row of its command (of an update or a repeat the last one of its user, or itself if
    there is none), and the row with its target (of a repeat the last command or update); and for each command how
    often it was repeated.

    Args:
        part: 0 for a command, 1 for an update, 2 for a repeat.
        orders: row of each in the stream (``array('i')``).
        users: of all events of the stream (``array('i')``).
    """
    kinds: cython.longlong[::1] = part
    rows: cython.int[::1] = orders
    who: cython.int[::1] = users
    count: cython.Py_ssize_t = len(kinds)
    row: cython.Py_ssize_t
    led: array = unset(LONGS, count)
    aimed: array = unset(LONGS, count)
    times: array = filled(LONGS, NOTHING, count)
    leader: cython.longlong[::1] = led
    aim: cython.longlong[::1] = aimed
    updates: cython.longlong[::1] = times
    # The last rows of each user: arrays for the users of real games, dicts for others.
    usual: array = filled(LONGS, -1, 256)
    usual_aim: array = filled(LONGS, -1, 256)
    last: cython.longlong[::1] = usual
    last_aim: cython.longlong[::1] = usual_aim
    others: dict = {}
    others_aim: dict = {}
    for row in range(count):
        user: cython.int = who[rows[row]]
        is_usual: cython.bint = 0 <= user < 256
        led_by: cython.longlong = row
        if kinds[row] != 0:
            led_by = last[user] if is_usual else others.get(user, -1)
            if led_by < 0:
                led_by = row
            else:
                updates[led_by] += 1
        elif is_usual:
            last[user] = row
        else:
            others[user] = row
        if kinds[row] == 0:
            updates[row] = 0
        leader[row] = led_by
        aimed_at: cython.longlong = row
        if kinds[row] != 0 and kinds[row] != 1:
            aimed_at = last_aim[user] if is_usual else others_aim.get(user, -1)
            if aimed_at < 0:
                aimed_at = row
        elif is_usual:
            last_aim[user] = row
        else:
            others_aim[user] = row
        aim[row] = aimed_at
    return led, aimed, times


def unpaired(part: array, orders: array, users: array, states: array, state: cython.longlong) -> array:
    """Return the places of the results of orders that have no update: each update is followed by one of its user.

    Args:
        part: 0 for a result, others for an update.
        orders: row of each in the stream (``array('i')``).
        users: of all events of the stream (``array('i')``).
        states: of each result, in file order.
        state: only results with this state count.
    """
    kinds: cython.longlong[::1] = part
    rows: cython.int[::1] = orders
    who: cython.int[::1] = users
    state_at: cython.longlong[::1] = states
    row: cython.Py_ssize_t
    place: cython.Py_ssize_t = 0
    found: array = array("q")
    open_: dict = {}
    for row in range(len(kinds)):
        if kinds[row] != 0:
            open_[who[rows[row]]] = True
            continue
        if open_.get(who[rows[row]]):
            open_[who[rows[row]]] = False
        elif state_at[place] == state:
            found.append(place)
        place += 1
    return found


def times(values: array, factor: cython.longlong) -> array:
    """Return the values multiplied by `factor`."""
    held: cython.longlong[::1] = values
    nothing: cython.longlong = NOTHING
    out: array = filled(LONGS, NOTHING, len(values))
    found: cython.longlong[::1] = out
    row: cython.Py_ssize_t
    for row in range(len(held)):
        if held[row] != nothing:
            found[row] = held[row] * factor
    return out


def gathered(values: array, places: array) -> array:
    """Return the values at these indices."""
    held: cython.longlong[::1] = values
    at: cython.longlong[::1] = places
    out: array = unset(LONGS, len(places))
    found: cython.longlong[::1] = out
    row: cython.Py_ssize_t
    for row in range(len(at)):
        found[row] = held[at[row]]
    return out


def either(firsts: array, seconds: array) -> array:
    """Return the first numbers, where they are `NOTHING` the second ones as ``~number``; none is negative."""
    first: cython.longlong[::1] = firsts
    second: cython.longlong[::1] = seconds
    nothing: cython.longlong = NOTHING
    out: array = filled(LONGS, NOTHING, len(firsts))
    found: cython.longlong[::1] = out
    row: cython.Py_ssize_t
    for row in range(len(first)):
        if first[row] != nothing:
            found[row] = first[row]
        elif second[row] != nothing:
            found[row] = ~second[row]
    return out


def matched(values: array, wanted: cython.longlong, found: cython.longlong, other: cython.longlong) -> array:
    """Return one number where a value is the wanted one, and another elsewhere."""
    held: cython.longlong[::1] = values
    out: array = filled(LONGS, other, len(values))
    numbers: cython.longlong[::1] = out
    row: cython.Py_ssize_t
    for row in range(len(held)):
        if held[row] == wanted:
            numbers[row] = found
    return out


def rows_with(orders: array, values: array, wanted: cython.longlong) -> array:
    """Return the rows (``array('i')``) whose value is the wanted one."""
    rows: cython.int[::1] = orders
    held: cython.longlong[::1] = values
    out: array = zeros(INTS, len(orders))
    chosen: cython.int[::1] = out
    row: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    for row in range(len(held)):
        if held[row] == wanted:
            chosen[count] = rows[row]
            count += 1
    return out[:count]


def pair_counts(firsts: array, seconds: array) -> dict[tuple[int, int], int]:
    """Return how often each pair of numbers occurs, without `NOTHING`, in the order of first occurrence."""
    first: cython.longlong[::1] = firsts
    second: cython.longlong[::1] = seconds
    nothing: cython.longlong = NOTHING
    counts: dict = {}
    pair: tuple = ()
    row: cython.Py_ssize_t
    last: cython.longlong = 0
    last_second: cython.longlong = 0
    # Equal pairs often follow one another.
    run: cython.longlong = 0
    for row in range(len(first)):
        if first[row] == nothing or second[row] == nothing:
            continue
        if run and first[row] == last and second[row] == last_second:
            run += 1
            continue
        if run:
            counts[pair] = counts.get(pair, 0) + run
        last, last_second, run = first[row], second[row], 1
        pair = (last, last_second)
        counts.setdefault(pair, 0)
    if run:
        counts[pair] = counts.get(pair, 0) + run
    return counts


def codes_of(
    firsts: array, seconds: array[int] | None, name_of: Callable[..., str | None]
) -> tuple[array[int], list[str]]:
    """Return for each number, or pair of numbers, the index of its name in a list (`NOTHING` without a name), and
    that list. Without a first number there is no name; a missing second number is 0.

    Args:
        firsts: the numbers.
        seconds: the second of each pair; None for single numbers.
        name_of: returns the name of a number or a pair.
    """
    first: cython.longlong[::1] = firsts
    second: cython.longlong[::1] = firsts if seconds is None else seconds
    paired: cython.bint = seconds is not None
    nothing: cython.longlong = NOTHING
    out: array = filled(LONGS, NOTHING, len(firsts))
    found: cython.longlong[::1] = out
    last: cython.longlong = NOTHING
    last_second: cython.longlong = NOTHING
    code: cython.longlong = NOTHING
    row: cython.Py_ssize_t
    known: dict = {}
    places: dict = {}
    for row in range(len(first)):
        if first[row] == nothing:
            continue
        other: cython.longlong = second[row] if paired else 0
        if other == nothing:
            other = 0
        if first[row] != last or other != last_second:
            last, last_second = first[row], other
            key = (last, other)
            held = known.get(key)
            if held is None:
                name = name_of(last, other) if paired else name_of(last)
                held = NOTHING if name is None else places.setdefault(name, len(places))
                known[key] = held
            code = held
        found[row] = code
    return out, list(places)


def per_minute(
    parts: Sequence[array[int]],
    ticks: array,
    users: array,
    no_user: cython.int,
    minute: cython.double,
    start: cython.int = 0,
) -> tuple[array[int], array[int], array[int]]:
    """Return user, minute and number of the user's events in it, ascending, each an ``array('q')``.

    Args:
        parts: row in the stream of each event, of each class (``array('i')``).
        ticks, users: of all events of the stream (``array('i')``).
        no_user: events of this and higher users do not count.
        minute: loops of a minute.
        start: the loop of minute 0; earlier events do not count.
    """
    when: cython.int[::1] = ticks
    who: cython.int[::1] = users
    place: cython.Py_ssize_t
    counts: dict = {}
    # The current minute of each user of real games, and its events so far.
    minutes: array = filled(LONGS, -1, 32)
    so_far: array = zeros(LONGS, 32)
    now: cython.longlong[::1] = minutes
    run: cython.longlong[::1] = so_far
    for orders in parts:
        rows: cython.int[::1] = orders
        for place in range(len(rows)):
            user: cython.int = who[rows[place]]
            if user >= no_user or when[rows[place]] < start:
                continue
            passed: cython.double = (when[rows[place]] - start) / minute
            number: cython.longlong = cython.cast(cython.longlong, passed) if cython.compiled else int(passed)
            if not 0 <= user < 32:
                counts[user, number] = counts.get((user, number), 0) + 1
            elif number == now[user]:
                run[user] += 1
            else:
                if run[user]:
                    counts[user, now[user]] = counts.get((user, now[user]), 0) + run[user]
                now[user] = number
                run[user] = 1
    for user in range(32):
        if run[user]:
            counts[user, now[user]] = counts.get((user, now[user]), 0) + run[user]
    ordered = [(*key, counts[key]) for key in sorted(counts)]
    return tuple([array("q", [row[place] for row in ordered]) for place in range(3)])


def tallied(numbers: array, ticks: array) -> dict[int, tuple[int, int, int]]:
    """Return by number, in the order of first occurrence, its count and its first and last loop (`numbers` and
    `ticks` are ``array('i')``)."""
    given: cython.int[::1] = numbers
    when: cython.int[::1] = ticks
    row: cython.Py_ssize_t
    # An array for the numbers of real builds, a dict for others.
    usual: array = filled(LONGS, -1, 256)
    slots: cython.longlong[::1] = usual
    others: dict = {}
    order: list = []
    counts: array = array("q")
    firsts: array = array("q")
    lasts: array = array("q")
    for row in range(len(given)):
        slot: cython.Py_ssize_t = slots[given[row]] if 0 <= given[row] < 256 else others.get(given[row], -1)
        if slot < 0:
            slot = len(order)
            if 0 <= given[row] < 256:
                slots[given[row]] = slot
            else:
                others[given[row]] = slot
            order.append(given[row])
            counts.append(0)
            firsts.append(when[row])
            lasts.append(row)
        if cython.compiled:
            counts.data.as_longlongs[slot] += 1
            lasts.data.as_longlongs[slot] = when[row]
        else:
            counts[slot] += 1
            lasts[slot] = when[row]
    return {number: (counts[slot], firsts[slot], lasts[slot]) for slot, number in enumerate(order)}


def row_heads(
    orders: array[int] | None, ticks: array, users: array, players: Mapping[int, int], rate: cython.double
) -> dict[str, pa.Array]:
    """Return the columns tick, seconds, user and player of events.

    Args:
        orders: row of each in the stream (``array('i')``); None for all of them.
        ticks, users: of all events of the stream (``array('i')``), loops 0 or more.
        players: numbers by user.
        rate: loops in a second.

    Raises:
        IndexError: there is no such row.
    """
    when: cython.int[::1] = ticks
    who: cython.int[::1] = users
    size: cython.Py_ssize_t = len(when)
    chosen: cython.bint = orders is not None
    rows: cython.int[::1] = ticks if orders is None else orders
    count: cython.Py_ssize_t = len(rows)
    loops: array = unset(INTS, count) if chosen else ticks
    seconds: array = unset(DOUBLES, count)
    ids: array = unset(LONGS, count)
    has_id: array = unset(BYTES, count)
    numbers: array = unset(INTS, count)
    has_number: array = unset(BYTES, count)
    # Pointers stay in registers; a store of bytes makes gcc read a view's again for each row.
    loop_at: cython.p_int = loops.data.as_ints if cython.compiled else loops
    second_at: cython.p_double = seconds.data.as_doubles if cython.compiled else seconds
    id_at: cython.p_longlong = ids.data.as_longlongs if cython.compiled else ids
    id_there: cython.p_uchar = has_id.data.as_uchars if cython.compiled else has_id
    number_at: cython.p_int = numbers.data.as_ints if cython.compiled else numbers
    number_there: cython.p_uchar = has_number.data.as_uchars if cython.compiled else has_number
    # By user, with the player's number where that is one: observers have none, and so have numbers of other sizes.
    known = [players.get(user, NOTHING) for user in range(NO_USER)]
    fitting: array = array("q", [number if number >> 31 in (0, -1) else NOTHING for number in known])
    player_of: cython.longlong[::1] = fitting
    nothing: cython.longlong = NOTHING
    last: cython.int = NO_USER
    tenth: cython.double = rate * 10
    place: cython.Py_ssize_t
    for place in range(count):
        row: cython.Py_ssize_t = rows[place] if chosen else place
        if row < 0 or row >= size:
            raise IndexError(f"expected a row below {size}, got {row}")
        loop: cython.int = when[row]
        if chosen:
            loop_at[place] = loop
        second_at[place] = loop * 10.0 / tenth  # as `Clock.seconds`
        user: cython.int = who[row]
        player: cython.longlong = player_of[user] if 0 <= user < last else nothing
        id_at[place] = user if user < last else nothing
        id_there[place] = user < last
        number_at[place] = cython.cast(cython.int, player) if player != nothing else 0
        number_there[place] = player != nothing
    return {
        "tick": pa.Array.from_buffers(pa.int32(), count, [None, pa.py_buffer(loops)]),
        "seconds": pa.Array.from_buffers(pa.float64(), count, [None, pa.py_buffer(seconds)]),
        "user": pa.Array.from_buffers(pa.int64(), count, [presence_bits(has_id), pa.py_buffer(ids)]),
        "player": pa.Array.from_buffers(pa.int32(), count, [presence_bits(has_number), pa.py_buffer(numbers)]),
    }
