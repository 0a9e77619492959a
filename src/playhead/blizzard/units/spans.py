"""Spans of units: the times in which a unit had one owner and one type, and how many there were of each.

Compiled, as a game has thousands of spans and hundreds of thousands of counts. Columns are ``array('q')``, with
`NOTHING` for null.
"""

from __future__ import annotations

from array import array

from playhead.bits.checked_arrays import LONGS
from playhead.blizzard.encoding.field_column import NOTHING
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
