"""Combat-log entries that target player heroes, and their sums by fight."""

from __future__ import annotations

from array import array
from math import hypot
from typing import TYPE_CHECKING, NamedTuple

from playhead.runtime import cython

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


#: The sums, in the order of `count_by_fight`.
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
_NOWHERE = float("nan")


class HeroEntries(NamedTuple):
    """Columns of the entries that target players' heroes.

    Attributes:
        kinds: places in `HERO_ENTRY_TYPES`.
        doers: players; -1 for nobody.
        targets: players.
        xs: place of the target's hero; not a number if it is unknown.
        ys: as `xs`.
        numbers: in the log.
    """

    ticks: array[int]
    kinds: array[int]
    doers: array[int]
    targets: array[int]
    values: array[int]
    xs: array[float]
    ys: array[float]
    numbers: array[int]


def rows_of_heroes(
    entries: array[int],
    players: array[int],
    ends: array[int],
    begins: Sequence[int],
    slots: Sequence[Mapping[int, int]],
) -> array[int]:
    """Return for each entry the row of its player's hero among the places after its packet; -1 without one.

    Args:
        entries: their numbers in the log, in order.
        players: of each entry.
        ends: how many entries there were after each packet.
        begins: first packet of each lineup.
        slots: place of each player in each lineup; a packet has a row for each.
    """
    found: array = array("q", [-1]) * len(entries)
    rows: cython.longlong[::1] = found
    numbers: cython.int[::1] = entries
    whose: cython.int[::1] = players
    end_of: cython.longlong[::1] = ends
    lineups: cython.Py_ssize_t = len(begins)
    packet: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t = 0  # row of the packet
    lineup: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    for place in range(len(numbers)):
        while packet < len(end_of) and end_of[packet] <= numbers[place]:
            while lineup + 1 < lineups and begins[lineup + 1] <= packet:
                lineup += 1
            first += len(slots[lineup])
            packet += 1
        if packet == len(end_of):
            break
        while lineup + 1 < lineups and begins[lineup + 1] <= packet:
            lineup += 1
        slot: object = slots[lineup].get(whose[place])
        if slot is not None:
            rows[place] = first + slot
    return found


def count_by_fight(
    entries: HeroEntries,
    fights: Sequence[tuple[int, int, float | None, float | None]],
    fight_of_death: Mapping[int, int],
    teams: Mapping[int, int],
    radius: float,
) -> list[dict[int, list[int]]]:
    """Return the sums (`COUNTS`) of each player in each fight.

    Args:
        entries: the entries.
        fights: first tick, last tick and middle of each fight, in order of the first ticks.
        fight_of_death: fight by number in the log of a death that counts.
        teams: team by player.
        radius: largest distance of an entry from the middle of its fight.
    """
    found: list = [{} for _ in fights]
    # Middles without a place are not numbers.
    firsts: cython.longlong[::1] = array("q", [first for first, _, _, _ in fights])
    ends: cython.longlong[::1] = array("q", [end for _, end, _, _ in fights])
    placed = [(_NOWHERE, _NOWHERE) if x is None or y is None else (x, y) for _, _, x, y in fights]
    middle_xs: cython.double[::1] = array("d", [x for x, _ in placed])
    middle_ys: cython.double[::1] = array("d", [y for _, y in placed])
    farthest: cython.double = radius
    count: cython.Py_ssize_t = len(found)
    over: cython.Py_ssize_t = 0  # fights before this one have ended; they begin in order
    place: cython.Py_ssize_t
    at: cython.Py_ssize_t
    ticks: cython.int[::1] = entries.ticks
    kinds: cython.int[::1] = entries.kinds
    doers: cython.int[::1] = entries.doers
    targets: cython.int[::1] = entries.targets
    values: cython.longlong[::1] = entries.values
    xs: cython.double[::1] = entries.xs
    ys: cython.double[::1] = entries.ys
    numbers: cython.int[::1] = entries.numbers
    for place in range(len(ticks)):
        tick: cython.longlong = ticks[place]
        while over < count and ends[over] < tick:
            over += 1
        code: cython.int = kinds[place]
        if code == _DEATH:
            number: object = fight_of_death.get(numbers[place])
            if number is not None:
                doer: object = doers[place]
                target: object = targets[place]
                _add(found[number], target, _DEATHS, 1)
                if doer in teams and target in teams and teams[doer] != teams[target]:
                    _add(found[number], doer, _KILLS, 1)
            continue
        best: cython.Py_ssize_t = -1
        nearest: cython.double = 0
        for at in range(over, count):
            if firsts[at] > tick:
                break
            if tick > ends[at]:
                continue
            near: cython.double = 0
            # The hero of a buyback is in the fountain.
            if middle_xs[at] == middle_xs[at] and xs[place] == xs[place] and code != _BUYBACK:
                near = hypot(xs[place] - middle_xs[at], ys[place] - middle_ys[at])
            if near <= farthest and (best < 0 or near < nearest):
                best = at
                nearest = near
        if best < 0:
            continue
        counts: dict = found[best]
        value: object = values[place]
        doer = doers[place]
        target = targets[place]
        if code == _DAMAGE:
            _add(counts, target, _DAMAGE_TAKEN, value)
            if doer in teams and target in teams and teams[doer] != teams[target]:
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
