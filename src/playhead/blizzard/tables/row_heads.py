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
    from cython.cimports.cpython.array import array
    from cython.cimports.playhead.bits.checked_arrays import unset
else:
    from playhead.bits.checked_arrays import unset

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
