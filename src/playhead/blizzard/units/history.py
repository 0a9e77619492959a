"""`UnitHistory`: the changes of all units, as columns in file order; lives and positions from them.

Compiled, as a game has thousands of rows and a dozen readers. Columns are ``array('q')``, with `NOTHING` for null.
"""

from __future__ import annotations

from array import array

from playhead.bits.checked_arrays import LONGS
from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.scope import RECYCLE_BITS
from playhead.runtime import cython

if cython.compiled:
    from cython.cimports.playhead.bits.checked_arrays import filled, zeros
    from cython.cimports.playhead.blizzard.units import changes
else:
    from playhead.bits.checked_arrays import filled, zeros
    from playhead.blizzard.units import changes

#: Columns besides row in the stream, loop, change and unit.
COLUMNS = ("index", "recycle", "unit_type", "player", "x", "y", "other_index", "other_recycle", "ability")
#: Unit indices below this are looked up in an array; no real game has higher ones.
_USUAL = 1 << 14
# As 64-bit C constants: bounds of index and recycle in a tag.
_MOST = cython.declare(cython.longlong, 1 << 44)
_RECYCLES = cython.declare(cython.longlong, 1 << 18)
_NOTHING = cython.declare(cython.longlong, NOTHING)
_LIFE = (
    "tick unit unit_index unit_recycle unit_type first_unit_type type_changes player first_player finished_tick "
    "end_tick x y end_x end_y attacker_player attacker_unit creator_unit creator_ability"
).split()
_CHANGE = "tick unit change unit_type player old_unit_type old_player".split()
_POSITION = "tick unit_index unit player x y cause".split()
#: No real game has so many players; in a damaged file, higher numbers would not fit in the column.
_MAX_PLAYER = 255
_RECYCLE_MASK = cython.declare(cython.longlong, (1 << RECYCLE_BITS) - 1)


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


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _tag(index: cython.longlong, recycle: cython.longlong) -> cython.longlong:
    """Return the tag of a unit, as `values.unit_tag` does."""
    if index == _NOTHING or recycle == _NOTHING:
        return _NOTHING
    # Shifted as unsigned: a shift of a negative number is undefined.
    shifted: cython.longlong = cython.cast(cython.longlong, cython.cast(cython.ulonglong, index) << 18)
    return shifted | (recycle & _RECYCLE_MASK)


@cython.final
@cython.cclass
class _ByIndex:
    """A number for each unit index, `NOTHING` if not set."""

    _usual: cython.longlong[::1]
    _others: dict

    def __init__(self) -> None:
        self._usual = filled(LONGS, NOTHING, _USUAL)
        self._others = {}

    @cython.cfunc
    @cython.exceptval(-0x7EADBEEF01, check=True)
    def get(self, index: cython.longlong) -> cython.longlong:
        """Return the number of an index."""
        if 0 <= index < len(self._usual):
            return self._usual[index]
        return self._others.get(index, NOTHING)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put(self, index: cython.longlong, value: cython.longlong) -> cython.int:
        """Set the number of an index."""
        if 0 <= index < len(self._usual):
            self._usual[index] = value
        else:
            self._others[index] = value
        return 0


def lives_of(history: UnitHistory) -> dict[str, array[int]]:
    """Return the columns of the table ``units`` as stored whole numbers, texts as their indices.

    Units are in order of appearance. A unit that appears again without having died, as in a resumed game, gets a
    second row.
    """
    loops: cython.longlong[::1] = history.loop
    changed: cython.longlong[::1] = history.change
    units: cython.longlong[::1] = history.unit
    indices: cython.longlong[::1] = history.index
    recycles: cython.longlong[::1] = history.recycle
    kinds: cython.longlong[::1] = history.unit_type
    players: cython.longlong[::1] = history.player
    xs: cython.longlong[::1] = history.x
    ys: cython.longlong[::1] = history.y
    others: cython.longlong[::1] = history.other_index
    other_recycles: cython.longlong[::1] = history.other_recycle
    abilities: cython.longlong[::1] = history.ability
    rows: cython.Py_ssize_t = len(history)
    row: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    life: cython.longlong
    for row in range(rows):
        if changed[row] == changes.BORN or changed[row] == changes.INIT:
            count += 1
    lived: cython.longlong[::1] = filled(LONGS, -1, history.units)
    found: dict = {name: filled(LONGS, NOTHING, count) for name in _LIFE}
    unit: cython.longlong[::1] = found["unit"]
    unit_index: cython.longlong[::1] = found["unit_index"]
    unit_recycle: cython.longlong[::1] = found["unit_recycle"]
    unit_type: cython.longlong[::1] = found["unit_type"]
    first_unit_type: cython.longlong[::1] = found["first_unit_type"]
    type_changes: cython.longlong[::1] = found["type_changes"]
    player: cython.longlong[::1] = found["player"]
    first_player: cython.longlong[::1] = found["first_player"]
    tick: cython.longlong[::1] = found["tick"]
    finished_tick: cython.longlong[::1] = found["finished_tick"]
    end_tick: cython.longlong[::1] = found["end_tick"]
    x: cython.longlong[::1] = found["x"]
    y: cython.longlong[::1] = found["y"]
    end_x: cython.longlong[::1] = found["end_x"]
    end_y: cython.longlong[::1] = found["end_y"]
    attacker_player: cython.longlong[::1] = found["attacker_player"]
    attacker_unit: cython.longlong[::1] = found["attacker_unit"]
    creator_unit: cython.longlong[::1] = found["creator_unit"]
    creator_ability: cython.longlong[::1] = found["creator_ability"]
    count = 0
    for row in range(rows):
        change: cython.longlong = changed[row]
        if change == changes.BORN or change == changes.INIT:
            life = lived[units[row]] = count
            count += 1
            unit[life] = _tag(indices[row], recycles[row])
            unit_index[life] = indices[row]
            unit_recycle[life] = recycles[row]
            unit_type[life] = first_unit_type[life] = kinds[row]
            type_changes[life] = 0
            player[life] = first_player[life] = players[row]
            tick[life] = loops[row]
            if change == changes.BORN:
                finished_tick[life] = loops[row]
            x[life] = xs[row]
            y[life] = ys[row]
            creator_unit[life] = _tag(others[row], other_recycles[row])
            creator_ability[life] = abilities[row]
            continue
        life = lived[units[row]]
        if life < 0:
            continue
        if change == changes.DONE:
            finished_tick[life] = loops[row]
        elif change == changes.TYPE:
            unit_type[life] = kinds[row]
            type_changes[life] += 1
        elif change == changes.OWNER:
            player[life] = players[row]
        else:
            end_tick[life] = loops[row]
            end_x[life] = xs[row]
            end_y[life] = ys[row]
            attacker_player[life] = players[row]
            attacker_unit[life] = _tag(others[row], other_recycles[row])
    return found


def changes_of(history: UnitHistory) -> dict[str, array[int]]:
    """Return the changes of types and owners: ``tick``, ``unit``, ``change``, and types (indices of texts) and
    players before and after."""
    changed: cython.longlong[::1] = history.change
    units: cython.longlong[::1] = history.unit
    kinds: cython.longlong[::1] = history.unit_type
    players: cython.longlong[::1] = history.player
    row: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    for row in range(len(history)):
        if changed[row] == changes.TYPE or changed[row] == changes.OWNER:
            count += 1
    found: dict = {name: filled(LONGS, NOTHING, count) for name in _CHANGE}
    tick: cython.longlong[::1] = found["tick"]
    tag: cython.longlong[::1] = found["unit"]
    what: cython.longlong[::1] = found["change"]
    unit_type: cython.longlong[::1] = found["unit_type"]
    player: cython.longlong[::1] = found["player"]
    old_unit_type: cython.longlong[::1] = found["old_unit_type"]
    old_player: cython.longlong[::1] = found["old_player"]
    type_now: cython.longlong[::1] = filled(LONGS, NOTHING, history.units)
    player_now: cython.longlong[::1] = filled(LONGS, NOTHING, history.units)
    count = 0
    for row in range(len(history)):
        change: cython.longlong = changed[row]
        unit: cython.longlong = units[row]
        if change == changes.BORN or change == changes.INIT:
            type_now[unit] = kinds[row]
            player_now[unit] = players[row]
        elif change == changes.TYPE or change == changes.OWNER:
            old_unit_type[count] = type_now[unit]
            old_player[count] = player_now[unit]
            if change == changes.TYPE:
                type_now[unit] = kinds[row]
            else:
                player_now[unit] = players[row]
            tick[count] = history.loop[row]
            tag[count] = _tag(history.index[row], history.recycle[row])
            what[count] = change
            unit_type[count] = type_now[unit]
            player[count] = player_now[unit]
            count += 1
    return found


def positions_of(
    history: UnitHistory, orders: array, firsts: array, ends: array, items: array, loops: array
) -> dict[str, array[int]]:
    """Return positions of units, in file order: ``tick``, ``unit_index``, ``unit``, ``player``, ``x`` and ``y`` as
    stored, and ``cause``, one of `playhead.blizzard.units.changes`.

    Args:
        history: of the units.
        orders: row in the stream of each sample of positions (``array('i')``).
        firsts: first unit index of each sample, from which its index deltas count.
        ends: the end of each sample's items (``array('i')``).
        items: of all: index delta, x and y of one unit after the other.
        loops: of all events of the stream (``array('i')``).
    """
    changed: cython.longlong[::1] = history.change
    order: cython.longlong[::1] = history.order
    players: cython.longlong[::1] = history.player
    sampled: cython.int[::1] = orders
    when: cython.int[::1] = loops
    first: cython.longlong[::1] = firsts
    item_ends: cython.int[::1] = ends
    item: cython.longlong[::1] = items
    rows: cython.Py_ssize_t = len(history)
    row: cython.Py_ssize_t = 0
    sample: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    most: cython.Py_ssize_t = rows + len(items) // 3
    count: cython.Py_ssize_t = 0
    tag_of: _ByIndex = _ByIndex()
    owner_of: _ByIndex = _ByIndex()
    found: dict = {name: filled(LONGS, NOTHING, most) for name in _POSITION}
    tick: cython.longlong[::1] = found["tick"]
    unit_index: cython.longlong[::1] = found["unit_index"]
    unit: cython.longlong[::1] = found["unit"]
    player: cython.longlong[::1] = found["player"]
    x: cython.longlong[::1] = found["x"]
    y: cython.longlong[::1] = found["y"]
    cause: cython.longlong[::1] = found["cause"]
    while row < rows or sample < len(orders):
        if row == rows or (sample < len(orders) and sampled[sample] < order[row]):
            start: cython.Py_ssize_t = item_ends[sample - 1] if sample else 0
            index: cython.longlong = 0 if first[sample] == _NOTHING else first[sample]
            loop: cython.longlong = when[sampled[sample]]
            for at in range(start, start + (item_ends[sample] - start) // 3 * 3, 3):
                index += item[at]
                tick[count] = loop
                unit_index[count] = index
                unit[count] = tag_of.get(index)
                player[count] = owner_of.get(index)
                x[count] = item[at + 1]
                y[count] = item[at + 2]
                cause[count] = changes.SAMPLE
                count += 1
            sample += 1
            continue
        change: cython.longlong = changed[row]
        index = history.index[row]
        if change == changes.BORN or change == changes.INIT or change == changes.OWNER:
            # Not the neutral player, nor impossible numbers.
            owner: cython.longlong = players[row]
            owner_of.put(index, owner if 0 < owner <= _MAX_PLAYER else _NOTHING)
        if change == changes.BORN or change == changes.INIT or change == changes.DIED:
            unit[count] = _tag(index, history.recycle[row])
            if change != changes.DIED:
                tag_of.put(index, unit[count])
            tick[count] = history.loop[row]
            unit_index[count] = index
            player[count] = owner_of.get(index)
            x[count] = history.x[row]
            y[count] = history.y[row]
            cause[count] = change
            count += 1
        row += 1
    return {name: values[:count] for name, values in found.items()}
