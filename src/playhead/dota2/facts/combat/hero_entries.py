"""`HeroEntries`: combat-log entries that target player heroes, as columns, and their sums by fight."""

from __future__ import annotations

from array import array
from math import hypot
from typing import TYPE_CHECKING

from playhead.dota2.sources.combat_log_entry import signed
from playhead.dota2.sources.entities import CELL, HALF_MAP, POSITION_FIELDS, coordinate
from playhead.dota2.sources.hero_lives import LoggedDeath
from playhead.runtime import cython
from playhead.source2.entities.slots import FieldSlots

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from playhead.dota2.sources.combat_log_entry import Entry
    from playhead.source2.entities.entity import Entity

if cython.compiled:
    from cython.cimports.cpython.array import array
    from cython.cimports.playhead.bits.checked_arrays import resize


#: The sums, in the order of `HeroEntries.count`.
COUNTS = ("kills", "deaths", "damage", "damage_taken", "healing", "gold", "xp", "buybacks")

#: The types of entries that are summed.
HERO_ENTRY_TYPES = ("DEATH", "DAMAGE", "HEAL", "GOLD", "XP", "BUYBACK")

# Their indices, as constants for the compiler.
_KILLS = cython.declare(cython.int, 0)
_DEATHS = cython.declare(cython.int, 1)
_DAMAGE_DONE = cython.declare(cython.int, 2)
_DAMAGE_TAKEN = cython.declare(cython.int, 3)
_HEALING = cython.declare(cython.int, 4)
_GOLD_GAINED = cython.declare(cython.int, 5)
_XP_GAINED = cython.declare(cython.int, 6)
_BUYBACKS = cython.declare(cython.int, 7)
_DEATH = cython.declare(cython.int, 0)
_DAMAGE = cython.declare(cython.int, 1)
_HEAL = cython.declare(cython.int, 2)
_GOLD = cython.declare(cython.int, 3)
_XP = cython.declare(cython.int, 4)
_BUYBACK = cython.declare(cython.int, 5)
_NOBODY = cython.declare(cython.int, -1)
# Map units of a cell, and of half the map.
_CELL = cython.declare(cython.double, CELL)
_HALF_MAP = cython.declare(cython.double, HALF_MAP)


@cython.final
@cython.cclass
class HeroEntries:
    """Combat-log entries that target player heroes, with the position of the hero.

    Attributes:
        deaths: number, death and position (None if unknown) of each DEATH entry, in order.
    """

    deaths = cython.declare(list, visibility="readonly")
    _ticks: array
    _kinds: array
    _doers: array
    _targets: array
    _values: array
    _xs: array
    _ys: array
    _placed: array
    _size: cython.Py_ssize_t
    _capacity: cython.Py_ssize_t
    _position_slots: object
    _codes: dict
    _distance: object

    def __init__(self) -> None:
        self.deaths: list[tuple[int, LoggedDeath, float | None, float | None]] = []
        self._ticks, self._kinds, self._doers, self._targets = array("i"), array("i"), array("i"), array("i")
        self._values, self._xs, self._ys, self._placed = array("q"), array("d"), array("d"), array("b")
        self._size = self._capacity = 0
        self._position_slots = FieldSlots(POSITION_FIELDS)
        self._codes = {name: code for code, name in enumerate(HERO_ENTRY_TYPES)}
        self._distance = hypot

    def __len__(self) -> int:
        return self._size

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _grow(self) -> cython.int:
        """Grow the columns for another entry."""
        zero = (0,)
        columns = (
            *(self._ticks, self._kinds, self._doers, self._targets),
            *(self._values, self._xs, self._ys, self._placed),
        )
        if not cython.compiled:
            for column in columns:
                column.extend(zero)
            self._capacity += 1
            return 0
        capacity: cython.Py_ssize_t = max(256, 2 * self._capacity)
        for column in columns:
            resize(column, capacity)
        self._capacity = capacity
        return 0

    @cython.nonecheck(True)
    def append(
        self,
        entries: Sequence[Entry],
        known: Container[int],
        players: dict[int, int],
        find: Callable[[int], int],
        hero_of: Callable[[int], Entity | None],
    ) -> None:
        """Append the entries of one packet, with the present positions of the heroes.

        Args:
            known: the players.
            players: player by number of a hero's name, -1 if there is none; extended by this method.
            find: returns the player for a number that is missing in `players`.
            hero_of: returns the hero of a player.
        """
        places: dict = {}
        for tick, kind, to, attacker, source, _by, value, illusion, _hero, returns, *_ in entries:
            code: cython.int = self._codes[kind]
            target: cython.longlong = self._player(to, players, find)
            if code == _BUYBACK and target < 0 and value in known:
                target = value
            if target < 0 or illusion:
                continue
            doer: cython.longlong = self._player(source, players, find)
            if doer < 0:
                doer = self._player(attacker, players, find)
            place: tuple = places.get(target)
            if place is None:
                hero: object = hero_of(target)
                place = places[target] = (None, None) if hero is None else self._position(hero)
            x: object = place[0]
            y: object = place[1]
            if code == _DEATH:
                self.deaths.append((self._size, LoggedDeath(target, tick, bool(returns)), x, y))
            if self._size == self._capacity:
                self._grow()
            self._put(tick, code, doer, target, signed(value) or 0, x, y)

    @cython.cfunc
    def _position(self, hero: object) -> tuple:
        """As `playhead.dota2.sources.entities.position`."""
        values: list = self._position_slots.values(hero)
        cell_x: object = values[0]
        cell_y: object = values[1]
        offset_x: object = values[2]
        offset_y: object = values[3]
        if type(cell_x) is int and type(cell_y) is int and type(offset_x) is float and type(offset_y) is float:
            x: cython.double = cell_x
            y: cython.double = cell_y
            of_x: cython.double = offset_x
            of_y: cython.double = offset_y
            return x * _CELL + of_x - _HALF_MAP, y * _CELL + of_y - _HALF_MAP
        return coordinate(cell_x, offset_x), coordinate(cell_y, offset_y)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _put(
        self,
        tick: cython.int,
        code: cython.int,
        doer: cython.int,
        target: cython.int,
        value: cython.longlong,
        x: object,
        y: object,
    ) -> cython.int:
        """Append one entry; the columns have room for it."""
        at: cython.Py_ssize_t = self._size
        placed: cython.bint = x is not None and y is not None
        if cython.compiled:
            self._ticks.data.as_ints[at] = tick
            self._kinds.data.as_ints[at] = code
            self._doers.data.as_ints[at] = doer
            self._targets.data.as_ints[at] = target
            self._values.data.as_longlongs[at] = value
            self._placed.data.as_schars[at] = placed
            self._xs.data.as_doubles[at] = 0.0 if x is None else x
            self._ys.data.as_doubles[at] = 0.0 if y is None else y
        else:
            self._ticks[at], self._kinds[at], self._doers[at], self._targets[at] = tick, code, doer, target
            self._values[at], self._placed[at] = value, placed
            self._xs[at], self._ys[at] = 0.0 if x is None else x, 0.0 if y is None else y
        self._size += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def _player(self, number: object, players: dict, find: object) -> cython.longlong:
        if not number:
            return _NOBODY
        player: object = players.get(number)
        if player is None:
            player = players[number] = find(number)
        return player

    @cython.nonecheck(True)
    def count(
        self,
        fights: Sequence[tuple[int, int, float | None, float | None]],
        fight_of_death: Mapping[int, int],
        teams: Mapping[int, int],
        radius: float,
    ) -> list[dict[int, list[int]]]:
        """Return the sums (`COUNTS`) of each player in each fight.

        Args:
            fights: first tick, last tick and middle of each fight, in order of the first ticks.
            fight_of_death: fight by number of a death that counts.
            teams: team by player.
            radius: largest distance of an entry from the middle of its fight.
        """
        found: list = [{} for _ in fights]
        spans: list = list(fights)
        over: cython.Py_ssize_t = 0  # fights before this one have ended; they begin in order
        place: cython.Py_ssize_t
        at: cython.Py_ssize_t
        ticks: cython.int[::1] = self._ticks
        kinds: cython.int[::1] = self._kinds
        doers: cython.int[::1] = self._doers
        targets: cython.int[::1] = self._targets
        values: cython.longlong[::1] = self._values
        xs: cython.double[::1] = self._xs
        ys: cython.double[::1] = self._ys
        placed: cython.schar[::1] = self._placed
        for place in range(self._size):
            tick: cython.longlong = ticks[place]
            while over < len(spans) and spans[over][1] < tick:
                over += 1
            code: cython.int = kinds[place]
            doer: object = doers[place]
            target: object = targets[place]
            enemy: cython.bint = doer >= 0 and teams.get(doer) != teams.get(target)
            if code == _DEATH:
                number: object = fight_of_death.get(place)
                if number is not None:
                    _add(found[number], target, _DEATHS, 1)
                    if enemy:
                        _add(found[number], doer, _KILLS, 1)
                continue
            best: cython.Py_ssize_t = -1
            nearest: object = None
            for at in range(over, len(spans)):
                first, end, x, y = spans[at]
                if first > tick:
                    break
                if tick > end:
                    continue
                near: object = 0.0
                # The hero of a buyback is in the fountain.
                if x is not None and y is not None and placed[place] and code != _BUYBACK:
                    near = self._distance(xs[place] - x, ys[place] - y)
                if near <= radius and (best < 0 or near < nearest):
                    best = at
                    nearest = near
            if best < 0:
                continue
            counts: dict = found[best]
            value: object = values[place]
            if code == _DAMAGE:
                _add(counts, target, _DAMAGE_TAKEN, value)
                if enemy:
                    _add(counts, doer, _DAMAGE_DONE, value)
            elif code == _HEAL:
                if doer >= 0 and doer != target:
                    _add(counts, doer, _HEALING, value)
            elif code == _GOLD:
                _add(counts, target, _GOLD_GAINED, value)
            elif code == _XP:
                _add(counts, target, _XP_GAINED, value)
            else:
                _add(counts, target, _BUYBACKS, 1)
        return found


@cython.cfunc
@cython.exceptval(-1, check=False)
def _add(counts: dict, player: object, what: cython.int, value: object) -> cython.int:
    known: list = counts.get(player)
    if known is None:
        known = counts[player] = [0] * len(COUNTS)
    known[what] += value
    return 0
