"""The first columns of most tables: loop, seconds, user and player of events. Compiled, as every table of events
has them."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from playhead.bits.checked_arrays import BYTES, DOUBLES, INTS, LONGS
from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.protocol.tables import NO_USER
from playhead.runtime import cython
from playhead.runtime.libraries import pa
from playhead.tables.number_columns import presence_bits

if cython.compiled:
    from cython.cimports.playhead.bits.checked_arrays import filled, zeros
else:
    from playhead.bits.checked_arrays import filled, zeros

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    loops: array = zeros(INTS, count) if chosen else ticks
    seconds: array = zeros(DOUBLES, count)
    ids: array = filled(LONGS, NOTHING, count)
    has_id: array = zeros(BYTES, count)
    numbers: array = zeros(INTS, count)
    has_number: array = zeros(BYTES, count)
    loop_at: cython.int[::1] = loops
    second_at: cython.double[::1] = seconds
    id_at: cython.longlong[::1] = ids
    id_there: cython.uchar[::1] = has_id
    number_at: cython.int[::1] = numbers
    number_there: cython.uchar[::1] = has_number
    known: array = array("q", [players.get(user, NOTHING) for user in range(NO_USER)])
    player_of: cython.longlong[::1] = known
    last: cython.int = NO_USER
    user: cython.int
    place: cython.Py_ssize_t
    for place in range(count):
        row: cython.Py_ssize_t = rows[place] if chosen else place
        if not 0 <= row < size:
            raise IndexError(f"expected a row below {size}, got {row}")
        if chosen:
            loop_at[place] = when[row]
        second_at[place] = when[row] * 10.0 / (rate * 10)  # as `Clock.seconds`
        user = who[row]
        if user < last:
            id_at[place] = user
            id_there[place] = 1
            if user >= 0 and player_of[user] >> 31 in (0, -1):  # else it is no player's
                number_at[place] = cython.cast(cython.int, player_of[user])
                number_there[place] = 1
    return {
        "tick": pa.Array.from_buffers(pa.int32(), count, [None, pa.py_buffer(loops)]),
        "seconds": pa.Array.from_buffers(pa.float64(), count, [None, pa.py_buffer(seconds)]),
        "user": pa.Array.from_buffers(pa.int64(), count, [presence_bits(has_id), pa.py_buffer(ids)]),
        "player": pa.Array.from_buffers(pa.int32(), count, [presence_bits(has_number), pa.py_buffer(numbers)]),
    }
