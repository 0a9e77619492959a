"""Measures of a player's actions and camera, each with the source of its formula. Compiled, as there are thousands
of actions and moves."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from playhead.bits.checked_arrays import DOUBLES, INTS, LONGS
from playhead.runtime import cython

if cython.compiled:
    from cython.cimports.playhead.bits.checked_arrays import filled, zeros
else:
    from playhead.bits.checked_arrays import filled, zeros

#: A camera that moves so many cells at once shows another screen, as zephyrus-sc2-parser counts them.
SCREEN_CELLS = 15.0
#: A fixation ends when the camera is more than so many cells from its start, and counts if it lasted longer
#: than so many loops: the dispersion threshold of Thompson et al. (2013), with the numbers of zephyrus-sc2-parser.
FIXATION_CELLS = 6.0
FIXATION_LOOPS = 4
#: An action that repeats the one before within so many loops has no effect of its own (Sc2gears' EAPM).
REPEAT_LOOPS = 10
#: A selection that is replaced within so many loops was not used (Sc2gears' EAPM).
RESELECT_LOOPS = 8

#: Kinds of actions.
COMMAND = 0
UPDATE = 1
SELECTION = 2
GROUP = 3


class Cycles(NamedTuple):
    """Perception-action cycles, in which the camera rests and the player acts, in order of time, as columns
    (``array('q')``).

    Attributes:
        firsts, lasts: first and last loop at which the camera rests.
        counts: number of actions meanwhile.
        waits: loops from the first one to the first action.
    """

    firsts: array[int]
    lasts: array[int]
    counts: array[int]
    waits: array[int]


@cython.final
@cython.cclass
class Actions:
    """Actions of one player in file order, as columns (``array('q')``).

    Attributes:
        loops: loop of each.
        kinds: ``COMMAND``, ``UPDATE``, ``SELECTION`` or ``GROUP``.
        firsts, seconds, thirds: keys; two actions with equal keys have the same effect.
    """

    def __init__(self, count: int = 0) -> None:
        self.loops = zeros(LONGS, count)
        self.kinds = zeros(LONGS, count)
        self.firsts = zeros(LONGS, count)
        self.seconds = zeros(LONGS, count)
        self.thirds = zeros(LONGS, count)

    def add(self, loop: int, kind: int, first: int = 0, second: int = 0, third: int = 0) -> None:
        """Append an action."""
        self.loops.append(loop)
        self.kinds.append(kind)
        self.firsts.append(first)
        self.seconds.append(second)
        self.thirds.append(third)

    @cython.nonecheck(True)
    def effective(self) -> array:
        """Return the loops of the actions with an effect of their own.

        After the EAPM of András Belicza's BWHF and Sc2gears. Excluded are: an order or a use of a group that
        repeats the last action within `REPEAT_LOOPS`, an update of an order within that time, and a selection that
        another replaces within `RESELECT_LOOPS` with no action between.
        """
        loops: cython.longlong[::1] = self.loops
        kinds: cython.longlong[::1] = self.kinds
        firsts: cython.longlong[::1] = self.firsts
        seconds: cython.longlong[::1] = self.seconds
        thirds: cython.longlong[::1] = self.thirds
        out: array = zeros(LONGS, len(loops))
        found: cython.longlong[::1] = out
        count: cython.Py_ssize_t = 0
        place: cython.Py_ssize_t
        counted: cython.bint = False
        repeat: cython.longlong = REPEAT_LOOPS
        reselect: cython.longlong = RESELECT_LOOPS
        command: cython.longlong = COMMAND
        update: cython.longlong = UPDATE
        selection: cython.longlong = SELECTION
        for place in range(len(loops)):
            before: cython.Py_ssize_t = place - 1
            since: cython.longlong = loops[place] - loops[before] if place else repeat
            if since < repeat:
                if kinds[place] == selection and kinds[before] == selection and since < reselect:
                    if counted:
                        count -= 1
                elif (
                    kinds[place] == kinds[before]
                    and firsts[place] == firsts[before]
                    and seconds[place] == seconds[before]
                    and thirds[place] == thirds[before]
                ) or (kinds[place] == update and (kinds[before] == command or kinds[before] == update)):
                    counted = False
                    continue
            found[count] = loops[place]
            count += 1
            counted = True
        return out[:count]


@cython.final
@cython.cclass
class Moves:
    """The positions of one player's camera, in file order.

    Attributes:
        loops: loop of each (``array('q')``).
        xs, ys: position, in cells (``array('d')``).
    """

    xs: array[float]
    ys: array[float]

    def __init__(self, count: int = 0) -> None:
        self.loops = zeros(LONGS, count)
        self.xs = zeros(DOUBLES, count)
        self.ys = zeros(DOUBLES, count)

    def add(self, loop: int, x: float, y: float) -> None:
        """Append a move."""
        self.loops.append(loop)
        self.xs.append(x)
        self.ys.append(y)

    @cython.nonecheck(True)
    def screens(self) -> array:
        """Return the loops at which the camera jumped to another screen."""
        loops: cython.longlong[::1] = self.loops
        xs: cython.double[::1] = self.xs
        ys: cython.double[::1] = self.ys
        far: cython.double = SCREEN_CELLS * SCREEN_CELLS
        place: cython.Py_ssize_t
        found: array = array("q")
        for place in range(1, len(loops)):
            right: cython.double = xs[place] - xs[place - 1]
            up: cython.double = ys[place] - ys[place - 1]
            if right * right + up * up >= far:
                found.append(loops[place])
        return found

    @cython.nonecheck(True)
    def cycles(self, actions: array) -> Cycles:
        """Return the fixations of the camera with at least one action; `actions` are the loops of the player's
        actions, ascending (``array('q')``).

        After Thompson, Blair, Chen and Henrey, "Video Game Telemetry as a Critical Tool in the Study of Complex
        Skill Learning", PLoS ONE 8(9), 2013. A fixation cut by the end of the game is excluded.
        """
        loops: cython.longlong[::1] = self.loops
        xs: cython.double[::1] = self.xs
        ys: cython.double[::1] = self.ys
        acts: cython.longlong[::1] = actions
        near: cython.double = FIXATION_CELLS * FIXATION_CELLS
        least: cython.longlong = FIXATION_LOOPS
        place: cython.Py_ssize_t
        first: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t = 0
        held: list = [zeros(LONGS, len(loops)) for _ in range(4)]
        first_at: cython.longlong[::1] = held[0]
        last_at: cython.longlong[::1] = held[1]
        count_at: cython.longlong[::1] = held[2]
        wait_at: cython.longlong[::1] = held[3]
        found: cython.Py_ssize_t = 0
        for place in range(len(loops)):
            right: cython.double = xs[place] - xs[first]
            up: cython.double = ys[place] - ys[first]
            if right * right + up * up <= near:
                continue
            while at < len(acts) and acts[at] < loops[first]:
                at += 1
            end: cython.Py_ssize_t = at
            while end < len(acts) and acts[end] < loops[place]:
                end += 1
            if loops[place] - loops[first] > least and end > at:
                first_at[found] = loops[first]
                last_at[found] = loops[place]
                count_at[found] = end - at
                wait_at[found] = acts[at] - loops[first]
                found += 1
            at = end
            first = place
        return Cycles(*[column[:found] for column in held])


def actions_of(
    parts: Iterable[tuple[int, array[int], tuple[array[int], ...]]],
    loops: array,
    users: array,
    players: Mapping[int, int],
    chosen: cython.longlong,
) -> dict[int, Actions]:
    """Return the actions of each player.

    Args:
        parts: for each class of events: the kind of action, the row of each in the stream (``array('i')``), and up
            to three columns of keys (``array('q')``); two actions with equal keys have the same effect. For
            selections the first key is the group.
        loops, users: of all events of the stream (``array('i')``).
        players: numbers by user.
        chosen: only selections of this group are actions. No two of them are equal.
    """
    when: cython.int[::1] = loops
    who: cython.int[::1] = users
    kinds: array = filled(LONGS, -1, len(loops))
    held: list = [zeros(LONGS, len(loops)) for _ in range(3)]
    kind_at: cython.longlong[::1] = kinds
    first_at: cython.longlong[::1] = held[0]
    second_at: cython.longlong[::1] = held[1]
    third_at: cython.longlong[::1] = held[2]
    place: cython.Py_ssize_t
    for number, orders, columns in parts:
        kind: cython.longlong = number
        is_selection: cython.bint = number == SELECTION
        rows: cython.int[::1] = orders
        for target, column in zip(held, columns, strict=False):
            to: cython.longlong[::1] = target
            values: cython.longlong[::1] = column
            for place in range(len(rows)):
                to[rows[place]] = values[place]
        for place in range(len(rows)):
            row: cython.Py_ssize_t = rows[place]
            if not is_selection:
                kind_at[row] = kind
            elif first_at[row] == chosen:
                kind_at[row] = kind
                first_at[row] = row
    # An array for the users of real games, a dict for others.
    usual: array = zeros(LONGS, 256)
    count: cython.longlong[::1] = usual
    counts: dict = {}
    acting: array = zeros(INTS, len(kinds))
    acting_at: cython.int[::1] = acting
    total: cython.Py_ssize_t = 0
    for row in range(len(kinds)):
        if kind_at[row] >= 0:
            acting_at[total] = row
            total += 1
            if 0 <= who[row] < 256:
                count[who[row]] += 1
            else:
                counts[who[row]] = counts.get(who[row], 0) + 1
    counts.update({user: number for user, number in enumerate(usual) if number})
    found: dict = {}
    for player in {players[user] for user in counts if user in players}:
        theirs = {user for user in counts if players.get(user) == player}
        actions: Actions = Actions(sum([counts[user] for user in theirs]))
        found[player] = actions
        out_loops: cython.longlong[::1] = actions.loops
        out_kinds: cython.longlong[::1] = actions.kinds
        out_firsts: cython.longlong[::1] = actions.firsts
        out_seconds: cython.longlong[::1] = actions.seconds
        out_thirds: cython.longlong[::1] = actions.thirds
        only: cython.int = next(iter(theirs)) if len(theirs) == 1 else -1
        at: cython.Py_ssize_t = 0
        for place in range(total):
            row = acting_at[place]
            if who[row] != only if only >= 0 else who[row] not in theirs:
                continue
            out_loops[at] = when[row]
            out_kinds[at] = kind_at[row]
            out_firsts[at] = first_at[row]
            out_seconds[at] = second_at[row]
            out_thirds[at] = third_at[row]
            at += 1
    return found


# stub: def moves_of(orders: array[int], xs: array[float], ys: array[float], loops: array[int], users: array[int],
#     players: Mapping[int, int]) -> dict[int, Moves]: ...
def moves_of(
    orders: array, xs: array, ys: array, loops: array, users: array, players: Mapping[int, int]
) -> dict[int, Moves]:
    """Return the camera positions of each player.

    Args:
        orders: row of each move in the stream (``array('i')``).
        xs, ys: target in cells (``array('d')``); NaN if unknown.
        loops, users: of all events of the stream (``array('i')``).
        players: numbers by user.
    """
    rows: cython.int[::1] = orders
    when: cython.int[::1] = loops
    who: cython.int[::1] = users
    x: cython.double[::1] = xs
    y: cython.double[::1] = ys
    place: cython.Py_ssize_t
    # Players by seat; seats by user, -1 for none; and by seat the number of moves, or of stored ones.
    numbers: list = list(dict.fromkeys(players.values()))
    seats: array = filled(LONGS, -1, max(players, default=-1) + 1)
    for each, player in players.items():
        if each >= 0:
            seats[each] = numbers.index(player)
    seat_of: cython.longlong[::1] = seats
    done: array = zeros(LONGS, len(numbers))
    count: cython.longlong[::1] = done
    chosen: array = filled(LONGS, -1, len(rows))
    seat_at: cython.longlong[::1] = chosen
    first: list = []
    for place in range(len(rows)):
        user: cython.int = who[rows[place]]
        if x[place] != x[place] or y[place] != y[place] or user < 0 or user >= len(seat_of):
            continue
        seat: cython.longlong = seat_of[user]
        seat_at[place] = seat
        if seat >= 0:
            if not count[seat]:
                first.append(seat)
            count[seat] += 1
    found: dict = {}
    for each in first:
        moves: Moves = Moves(done[each])
        found[numbers[each]] = moves
        seat = each
        out_loops: cython.longlong[::1] = moves.loops
        out_xs: cython.double[::1] = moves.xs
        out_ys: cython.double[::1] = moves.ys
        at: cython.Py_ssize_t = 0
        for place in range(len(rows)):
            if seat_at[place] == seat:
                out_loops[at] = when[rows[place]]
                out_xs[at] = x[place]
                out_ys[at] = y[place]
                at += 1
    return found
