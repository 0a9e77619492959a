"""Units on squares of the map, and the first of many moments at a place.

Compiled, as a game has tens of thousands of moments. Columns are ``array('q')``, with `NOTHING` for null.
"""

from __future__ import annotations

from array import array

from playhead.bits.checked_arrays import LONGS
from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.units.states import Spans
from playhead.runtime import cython

if cython.compiled:
    from cython.cimports.playhead.bits.checked_arrays import filled, zeros
    from cython.cimports.playhead.blizzard.units.states import Spans
else:
    from playhead.bits.checked_arrays import filled, zeros

_SQUARES = "tick player unit_type cell_x cell_y here recorded age".split()
#: Places beyond, and higher numbers of steps, players and types, come from damage.
_FARTHEST, _STEPS, _PLAYERS, _TYPES = 1 << 12, 1 << 20, 1 << 5, 1 << 14
# The same as 64-bit C constants.
_NOTHING = cython.declare(cython.longlong, NOTHING)
_FAR = cython.declare(cython.longlong, _FARTHEST)


def first_near(
    loops: array,
    players: array,
    xs: array,
    ys: array,
    about: tuple[int, float, float, float, float],
    begin: cython.longlong,
    end: cython.longlong,
) -> int:
    """Return the index of the first moment of a player near a place; -1 without one.

    Args:
        loops, players, xs, ys: of each moment, in order of time; a place with `NOTHING` is unknown.
        about: the player; x and y of the place; and how far from it a moment is at most on both axes.
        begin, end: loops between which it is, without the end.
    """
    when: cython.longlong[::1] = loops
    who: cython.longlong[::1] = players
    x: cython.longlong[::1] = xs
    y: cython.longlong[::1] = ys
    player: cython.longlong = about[0]
    left: cython.double = about[1] - about[3]
    right: cython.double = about[1] + about[3]
    low: cython.double = about[2] - about[4]
    high: cython.double = about[2] + about[4]
    moment: cython.Py_ssize_t
    for moment in range(len(when)):
        if when[moment] >= end:
            return -1
        if who[moment] != player or when[moment] < begin or x[moment] == _NOTHING or y[moment] == _NOTHING:
            continue
        if left <= x[moment] <= right and low <= y[moment] <= high:
            return moment
    return -1


def first_of_groups(
    loops: array,
    xs: array,
    ys: array,
    near: cython.double,
    soon: cython.longlong,
    most: cython.Py_ssize_t,
) -> array:
    """Return for each moment the index of the first one of its group. Two moments are of one group if they are
    near each other, or both near others of it.

    Args:
        loops: of each moment, ascending.
        xs, ys: of each moment (``array('d')``).
        near, soon: how far two moments are from each other at most, in place and in loops.
        most: a moment is compared with so many before it.
    """
    when: cython.longlong[::1] = loops
    x: cython.double[::1] = xs
    y: cython.double[::1] = ys
    firsts: array = zeros(LONGS, len(loops))
    first: cython.longlong[::1] = firsts
    moment: cython.Py_ssize_t
    other: cython.Py_ssize_t
    for moment in range(len(when)):
        own: cython.longlong = moment
        first[moment] = moment
        for other in range(moment - 1, max(-1, moment - most - 1), -1):
            if when[moment] - when[other] > soon:
                break
            across: cython.double = x[other] - x[moment]
            along: cython.double = y[other] - y[moment]
            if across * across + along * along <= near * near:
                group: cython.longlong = other
                while first[group] != group:
                    first[group] = first[first[group]]
                    group = first[group]
                first[max(own, group)] = min(own, group)
                own = min(own, group)
    for moment in range(len(when)):
        first[moment] = first[first[moment]]
    return firsts


def steps_of(spans: Spans, counted: list[bool], every: cython.longlong, last: cython.longlong) -> array:
    """Return how many steps each span has: multiples of `every` up to the loop `last`, between its start and its
    end. Constructions, hallucinations, units of nobody or at no place, and types that do not count have none.

    Args:
        spans: of the units.
        counted: whether units of each type count, by index in the texts.
    """
    flags: cython.longlong[::1] = array("q", counted or [0])
    found: array = zeros(LONGS, len(spans))
    steps: cython.longlong[::1] = found
    span: cython.Py_ssize_t
    for span in range(len(spans)):
        kind: cython.longlong = spans.unit_type[span]
        if not spans.finished[span] or spans.hallucinated[span] or not 0 < spans.player[span] < _PLAYERS:
            continue
        if (
            not 0 <= kind < _TYPES
            or not flags[kind]
            or not (0 <= spans.x[span] < _FAR and 0 <= spans.y[span] < _FAR)
        ):
            continue
        until: cython.longlong = min(last + 1, _STEPS * every)
        if spans.end[span] != _NOTHING and spans.end[span] < until:
            until = spans.end[span]
        first: cython.longlong = (spans.start[span] + every - 1) // every
        steps[span] = max(0, (until + every - 1) // every - first)
    return found


def squares_of(
    spans: Spans,
    steps: array,
    chains: tuple[dict[int, int], array],
    tags: array,
    stays: list[bool],
    reports: dict[str, array[int]],
    every: cython.longlong,
    scale: cython.longlong,
) -> dict[str, array[int]]:
    """Return squares with units at even steps of time, in order: ``tick``, ``player``, ``unit_type``, ``cell_x``,
    ``cell_y``; units ``here``, those ``recorded`` since the step before, and the sum of their ``age``.

    A unit is where it was last reported, or else where it appeared.

    Args:
        spans, steps: see `steps_of`.
        chains: see `chained`, of the reports.
        tags: of each span; `NOTHING` for none.
        stays: whether units of each type stay where they appear, by index in the texts.
        reports: columns ``tick``, ``x`` and ``y``.
        every: the interval in loops.
        scale: eighths of a square's side in one unit of a stored position.
    """
    count: cython.longlong[::1] = steps
    tag_of: cython.longlong[::1] = tags
    fixed: cython.longlong[::1] = array("q", stays or [0])
    heads: dict = chains[0]
    following: cython.longlong[::1] = chains[1]
    ticks: cython.longlong[::1] = reports["tick"]
    report_x: cython.longlong[::1] = reports["x"]
    report_y: cython.longlong[::1] = reports["y"]
    total: cython.Py_ssize_t = sum(steps)
    # For each unit at a step: its cell, which is a square with owner and type, and the age of its place.
    cells: dict = {}
    cell_of: array = zeros(LONGS, total)
    step_of: array = zeros(LONGS, total)
    age_of: array = zeros(LONGS, total)
    cell_at: cython.longlong[::1] = cell_of
    step_at: cython.longlong[::1] = step_of
    age_at: cython.longlong[::1] = age_of
    entry: cython.Py_ssize_t = 0
    span: cython.Py_ssize_t
    for span in range(len(spans)):
        if not count[span]:
            continue
        kind: cython.longlong = spans.unit_type[span]
        x: cython.longlong = (spans.x[span] * scale) >> 3
        y: cython.longlong = (spans.y[span] * scale) >> 3
        at: cython.longlong = spans.start[span]
        report: cython.longlong = -1 if fixed[kind] else heads.get(tag_of[span], -1)
        first: cython.longlong = (spans.start[span] + every - 1) // every
        cell: cython.longlong = -1
        step: cython.longlong
        for step in range(first, first + count[span]):
            tick: cython.longlong = step * every
            while report >= 0 and ticks[report] <= tick:
                at = ticks[report]
                x, y = (report_x[report] * scale) >> 3, (report_y[report] * scale) >> 3
                report = following[report]
                cell = -1
            if cell < 0:
                cell = cells.setdefault(((spans.player[span] << 14 | kind) << 11 | x) << 11 | y, len(cells))
            cell_at[entry] = cell
            step_at[entry] = step
            age_at[entry] = 0 if fixed[kind] else tick - at
            entry += 1
    keys: array = array("q", sorted(cells))
    key_of: cython.longlong[::1] = keys
    ranks: array = zeros(LONGS, len(keys))
    rank_of: cython.longlong[::1] = ranks
    row: cython.Py_ssize_t
    for row in range(len(keys)):
        cell = cells[key_of[row]]
        rank_of[cell] = row
    for entry in range(total):
        cell_at[entry] = rank_of[cell_at[entry]]
    order: cython.longlong[::1] = _sorted(step_of, _sorted(cell_of, None))
    # Units in a row of this order share a square if they have the same cell and the same step.
    last_step: cython.longlong = -1
    last_cell: cython.longlong = -1
    rows: cython.Py_ssize_t = 0
    for entry in range(total):
        step, cell = step_at[order[entry]], cell_at[order[entry]]
        rows += step != last_step or cell != last_cell
        last_step, last_cell = step, cell
    found: dict = {name: zeros(LONGS, rows) for name in _SQUARES}
    ticks_out: cython.longlong[::1] = found["tick"]
    players: cython.longlong[::1] = found["player"]
    kinds: cython.longlong[::1] = found["unit_type"]
    cells_x: cython.longlong[::1] = found["cell_x"]
    cells_y: cython.longlong[::1] = found["cell_y"]
    here: cython.longlong[::1] = found["here"]
    recorded: cython.longlong[::1] = found["recorded"]
    ages: cython.longlong[::1] = found["age"]
    last_step = last_cell = row = -1
    for entry in range(total):
        unit: cython.longlong = order[entry]
        step, cell = step_at[unit], cell_at[unit]
        if step != last_step or cell != last_cell:
            row += 1
            key: cython.longlong = key_of[cell]
            ticks_out[row] = step * every
            players[row] = key >> 36
            kinds[row] = (key >> 22) & 16383
            cells_x[row] = (key >> 11) & 2047
            cells_y[row] = key & 2047
            last_step, last_cell = step, cell
        here[row] += 1
        recorded[row] += age_at[unit] <= every
        ages[row] += age_at[unit]
    return found


@cython.cfunc
def _sorted(numbers: array, before: array | None) -> array:
    """Return the places of numbers that are 0 or more, in order of the numbers; places of equal ones stay in the
    order `before`, ascending without one. It takes as many steps as the largest number, and as there are numbers.
    """
    number: cython.longlong[::1] = numbers
    given: cython.longlong[::1] = numbers if before is None else before
    done: array = zeros(LONGS, len(numbers))
    result: cython.longlong[::1] = done
    most: cython.longlong = 0
    place: cython.Py_ssize_t
    for place in range(len(number)):
        most = max(most, number[place])
    starts: array = zeros(LONGS, most + 2)
    start: cython.longlong[::1] = starts
    for place in range(len(number)):
        start[number[place] + 1] += 1
    for place in range(1, len(start)):
        start[place] += start[place - 1]
    for place in range(len(number)):
        row: cython.longlong = place if before is None else given[place]
        result[start[number[row]]] = row
        start[number[row]] += 1
    return done


def chained(tags: array, xs: array, ys: array) -> tuple[dict[int, int], array]:
    """Return the first of the rows with each tag, and the row after each with the same tag, -1 for none. Rows
    without a tag or a place are in none of these chains."""
    held: cython.longlong[::1] = tags
    x: cython.longlong[::1] = xs
    y: cython.longlong[::1] = ys
    following: array = filled(LONGS, -1, len(tags))
    after: cython.longlong[::1] = following
    firsts: dict = {}
    lasts: dict = {}
    row: cython.Py_ssize_t
    for row in range(len(held)):
        if held[row] == _NOTHING or not (0 <= x[row] < _FAR and 0 <= y[row] < _FAR):
            continue
        last = lasts.get(held[row])
        if last is None:
            firsts[held[row]] = row
        else:
            after[last] = row
        lasts[held[row]] = row
    return firsts, following
