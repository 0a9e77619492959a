"""`UnitHistory`: the changes of all units, as columns in file order, for `playhead.blizzard.units.lives`.

Compiled, as a game has thousands of rows and a dozen readers. Columns are ``array('q')``, with `NOTHING` for null.
"""

from __future__ import annotations

from array import array

from playhead.bits.checked_arrays import LONGS
from playhead.blizzard.encoding.field_column import NOTHING
from playhead.runtime import cython

if cython.compiled:
    from cython.cimports.playhead.bits.checked_arrays import filled, zeros
else:
    from playhead.bits.checked_arrays import filled, zeros

#: Columns besides row in the stream, loop, change and unit.
COLUMNS = ("index", "recycle", "unit_type", "player", "x", "y", "other_index", "other_recycle", "ability")
#: Unit indices below this are numbered with an array; no real game has higher ones.
_USUAL = 1 << 14
# As 64-bit C constants: bounds of index and recycle in a tag.
_MOST = cython.declare(cython.longlong, 1 << 44)
_RECYCLES = cython.declare(cython.longlong, 1 << 18)
_NOTHING = cython.declare(cython.longlong, NOTHING)


@cython.final
@cython.cclass
class UnitHistory:
    """The changes of all units, in file order.

    Args:
        parts: for each class of events: its `changes`, the row of each in the stream (``array('i')``, ascending),
            and its columns of `COLUMNS`, by name.
        loops: of all events of the stream, ``array('i')``.
        texts: the texts that `unit_type` and `ability` refer to by index.

    Attributes:
        units: number of different pairs of index and recycle.
        texts: as given.
        order: row in the stream.
        loop: of the event.
        change: one of `playhead.blizzard.units.changes`.
        unit: number of the pair of index and recycle, from 0.
        index, recycle: of the unit.
        unit_type: of a new unit, and after TYPE.
        player: of a new unit, and after OWNER; for DIED the killer's.
        x, y: of a new unit, and for DIED, as stored.
        other_index, other_recycle: for a new unit its creator, for DIED its killer.
        ability: the ability that created the unit.
    """

    texts: list[str]

    def __init__(
        self, parts: list[tuple[int, array[int], dict[str, array[int]]]], loops: array, texts: list[str]
    ) -> None:
        self.texts = texts
        ranks = _ranks([orders for _, orders, _ in parts], len(loops))
        total: cython.Py_ssize_t = sum([len(orders) for _, orders, _ in parts])
        self.order = zeros(LONGS, total)
        self.loop = zeros(LONGS, total)
        self.change = zeros(LONGS, total)
        held: dict = {name: filled(LONGS, NOTHING, total) for name in COLUMNS}
        for change, orders, columns in parts:
            _spread_rows(orders, change, ranks, loops, self.order, self.loop, self.change)
            for name, values in columns.items():
                _spread(values, orders, ranks, held[name])
        self.index = held["index"]
        self.recycle = held["recycle"]
        self.unit_type = held["unit_type"]
        self.player = held["player"]
        self.x = held["x"]
        self.y = held["y"]
        self.other_index = held["other_index"]
        self.other_recycle = held["other_recycle"]
        self.ability = held["ability"]
        self._numbers = {}
        self.unit = _numbered(self.index, self.recycle, self._numbers)
        self.units = len(self._numbers)

    def __len__(self) -> int:
        return len(self.order)

    @cython.nonecheck(True)
    def text(self, place: cython.longlong) -> str:
        """Return the text at an index of `texts`; an empty one for `NOTHING`."""
        return "" if place == _NOTHING else self.texts[place]

    @cython.nonecheck(True)
    def number_of(self, index: cython.longlong, recycle: cython.longlong) -> cython.longlong:
        """Return the number of a pair of index and recycle; -1 if no row has it."""
        return self._numbers.get(_key(index, recycle), -1)

    def tags(self, rows: array) -> array[int]:
        """Return the tags of the units of some rows; `NOTHING` for none, or an impossible one."""
        chosen: cython.longlong[::1] = rows
        index: cython.longlong[::1] = self.index
        recycle: cython.longlong[::1] = self.recycle
        found: array = filled(LONGS, NOTHING, len(rows))
        tags: cython.longlong[::1] = found
        place: cython.Py_ssize_t
        for place in range(len(chosen)):
            row: cython.longlong = chosen[place]
            if recycle[row] != _NOTHING and 0 <= index[row] < _MOST:
                tags[place] = (index[row] << 18) | (recycle[row] & (_RECYCLES - 1))
        return found


@cython.cfunc
def _key(index: cython.longlong, recycle: cython.longlong) -> object:
    """Return the key of a pair: its tag, which the garbage collector ignores; a tuple if damage made it up."""
    if 0 <= index < _MOST and 0 <= recycle < _RECYCLES:
        return index * _RECYCLES + recycle
    return index, recycle


@cython.cfunc
def _ranks(parts: list, rows: cython.Py_ssize_t) -> array:
    """Return for each row of the stream the number of rows in `parts` before it."""
    ranks: array = zeros(LONGS, rows + 1)
    held: cython.longlong[::1] = ranks
    row: cython.Py_ssize_t
    place: cython.Py_ssize_t
    count: cython.longlong = 0
    for orders in parts:
        chosen: cython.int[::1] = orders
        for place in range(len(orders)):
            held[chosen[place]] = 1
    for row in range(rows):
        there: cython.longlong = held[row]
        held[row] = count
        count += there
    return ranks


@cython.cfunc
@cython.exceptval(-1, check=False)
def _spread_rows(
    orders: array, change: cython.longlong, ranks: array, loops: array, order: array, loop: array, kinds: array
) -> cython.int:
    chosen: cython.int[::1] = orders
    to: cython.longlong[::1] = ranks
    when: cython.int[::1] = loops
    all_orders: cython.longlong[::1] = order
    all_loops: cython.longlong[::1] = loop
    all_kinds: cython.longlong[::1] = kinds
    place: cython.Py_ssize_t
    for place in range(len(orders)):
        at: cython.longlong = to[chosen[place]]
        all_orders[at] = chosen[place]
        all_loops[at] = when[chosen[place]]
        all_kinds[at] = change
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def _spread(values: array, orders: array, ranks: array, out: array) -> cython.int:
    """Set the values of rows of the stream at their positions among all rows."""
    given: cython.longlong[::1] = values
    chosen: cython.int[::1] = orders
    to: cython.longlong[::1] = ranks
    filled: cython.longlong[::1] = out
    place: cython.Py_ssize_t
    for place in range(len(orders)):
        filled[to[chosen[place]]] = given[place]
    return 0


@cython.cfunc
def _numbered(indices: array, recycles: array, numbers: dict) -> array:
    """Return the number of different pairs of index and recycle, and store that of each row in `numbers`."""
    index: cython.longlong[::1] = indices
    recycle: cython.longlong[::1] = recycles
    out: array = zeros(LONGS, len(indices))
    found: cython.longlong[::1] = out
    # By index, the last recycle and the number of the pair: most rows are about a unit that has just appeared.
    last: cython.longlong[::1] = filled(LONGS, NOTHING, _USUAL)
    number: cython.longlong[::1] = filled(LONGS, -1, _USUAL)
    place: cython.Py_ssize_t
    for place in range(len(index)):
        is_usual: cython.bint = 0 <= index[place] < _USUAL
        if is_usual and number[index[place]] >= 0 and last[index[place]] == recycle[place]:
            found[place] = number[index[place]]
            continue
        found[place] = numbers.setdefault(_key(index[place], recycle[place]), len(numbers))
        if is_usual:
            last[index[place]] = recycle[place]
            number[index[place]] = found[place]
    return out
