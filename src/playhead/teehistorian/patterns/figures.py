"""Figures of a player's presses, aim and movement, with data for plots.

* presses of fire, hook and jump: periods between them, times held, regular stretches; the most regular first;
* aim: degrees turned per tick, and jumps between moments of rest;
* effects: ticks between a press and the movement that it causes. The input of a row acts on the row's own tick, so
  a free tee moves with a delay of 0. A tee with a longer delay was frozen, blocked, or had no jump left.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import dataclass
from playhead.tables.value_arrays import scalar_of
from playhead.teehistorian.state.connections import Clients, Connection
from playhead.teehistorian.stream.ticks import INPUT_FIELDS

if TYPE_CHECKING:
    from playhead.teehistorian.tables.window import Window


@dataclass(frozen=True, slots=True)
class Visit:
    """The inputs of one connection and the positions of its tee.

    Attributes:
        connection: whose they are.
        tick: ascending first ticks of inputs, at most one input per tick.
        inputs: by field of an input, its value from each of these ticks on.
        path: (tick, x, y) of each appearance and move of the tee.
    """

    connection: Connection
    tick: list[int]
    inputs: dict[str, list[int]]
    path: list[tuple[int, int, int]]

    def parts(self) -> Iterator[Visit]:
        """Yield its inputs up to each takeover and after it: the new client has another aim and counter."""
        takeovers = (bisect_right(self.tick, tick) for tick, _ in self.connection.taken_over)
        for first, end in pairwise([0, *takeovers, len(self.tick)]):
            inputs = {name: values[first:end] for name, values in self.inputs.items()}
            yield Visit(self.connection, self.tick[first:end], inputs, self.path)


class InputSource(Protocol):
    """The part of a replay that this module uses."""

    @property
    def clients(self) -> Clients:
        """Connections by client id and tick."""

    def read_tables(self, names: Iterable[str]) -> Mapping[str, pa.Table]:
        """Return tables by name."""


class InputTables:
    """Inputs and positions of a recording, or of some of its ticks, for the creation of visits."""

    def __init__(self, replay: InputSource, window: Window | None = None) -> None:
        self.connections = replay.clients.connections
        if window is None:
            tables = replay.read_tables(["inputs", "positions"])
            self._inputs, self._positions = tables["inputs"], tables["positions"]
        else:
            self._inputs, self._positions = window.inputs, window.positions

    def visits(self, cid: int, *, with_path: bool = True) -> Iterator[Visit]:
        """Return the visits of a slot that have inputs; without their path, this takes half the time."""
        inputs = _of_number(self._inputs, "client", cid)
        if inputs.num_rows:  # the next input replaces this one, which does not act
            replaced = pa.chunked_array([inputs["replaces"].combine_chunks()[1:], pa.array([False])])
            inputs = inputs.filter(pc.invert(replaced))
        positions = _of_number(self._positions, "client", cid) if with_path else None
        for connection in self.connections:
            if connection.cid != cid:
                continue
            own = _of_number(inputs, "player", connection.number)
            if own.num_rows:
                path = []
                if positions is not None:
                    path = _path(_of_number(positions, "player", connection.number))
                fields = {name: own[name].to_pylist() for name in INPUT_FIELDS}
                yield Visit(connection, own["tick"].to_pylist(), fields, path)


def _of_number(table: pa.Table, column: str, number: int) -> pa.Table:
    """Return the rows of a client or player."""
    return table.filter(pc.equal(table[column], scalar_of(number, table[column].type)))


def _path(positions: pa.Table) -> list[tuple[int, int, int]]:
    seen = positions.filter(pc.not_equal(positions["event"].cast("string"), "gone"))
    return list(zip(*(seen[name].to_pylist() for name in ("tick", "x", "y")), strict=True))


def summarise(values: Sequence[float], *, bin_width: float = 1) -> dict[str, Any]:
    """Return count, mean, standard deviation, median, 5th and 95th percentile, minimum, maximum and histogram.

    Without values, all except the count are None. A percentile is the smallest value with at least this share of
    the values at or below it. The histogram is [[start of bin, count], …], without empty bins.
    """
    ordered = sorted(values)
    count = len(ordered)
    if not count:
        keys = ("mean", "deviation", "median", "p5", "p95", "least", "greatest")
        return {"count": 0, **dict.fromkeys(keys), "histogram": []}
    mean = math.fsum(ordered) / count
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in ordered) / count)
    bins = Counter(math.floor(value / bin_width) for value in ordered)
    return {
        "count": count,
        "mean": mean,
        "deviation": deviation,
        "median": _percentile(ordered, 50),
        "p5": _percentile(ordered, 5),
        "p95": _percentile(ordered, 95),
        "least": ordered[0],
        "greatest": ordered[-1],
        "histogram": [[number * bin_width, bins[number]] for number in sorted(bins)],
    }


def _percentile(ordered: Sequence[float], percent: int) -> float:
    return ordered[max(math.ceil(len(ordered) * percent / 100) - 1, 0)]


BUTTONS = ("fire", "hook", "jump")

#: Largest period between presses of one stretch: half a second.
STRETCH_PERIOD = 25
#: Least number of presses of a stretch.
STRETCH_PRESSES = 10
#: A period of more than this many medians is a pause, which would dominate a deviation.
PAUSE_MEDIANS = 5
#: Largest number of listed stretches, the most regular first.
STRETCHES_LISTED = 10

#: The game compares the fire counter modulo this.
_FIRE_MODULUS = 64
#: A counter that increased by more than this within a tick was reset.
_FIRE_STEP = 32


@dataclass(frozen=True, slots=True)
class Presses:
    """Presses of one button during one visit.

    Attributes:
        ticks: tick of each press, ascending; a counter can show several presses on one tick.
        held: number of ticks that each was held; None if it was held at the end of the visit.
        left_out: number of changes of a counter that are not presses.
    """

    ticks: list[int]
    held: list[int | None]
    left_out: int = 0


def find_presses(visit: Visit, button: str) -> Presses:
    """Return the presses of ``fire``, ``hook`` or ``jump``. A button held from the beginning is not pressed."""
    if button == "fire":
        return _counted(visit.tick, visit.inputs["fire"])
    return _switched(visit.tick, visit.inputs[button])


def _switched(ticks: Sequence[int], values: Sequence[int]) -> Presses:
    found = Presses([], [])
    for tick, before, now in zip(ticks[1:], values, values[1:], strict=False):
        if now and not before:
            found.ticks.append(tick)
            found.held.append(None)
        elif before and not now:
            _let_go(found, tick)
    return found


def _counted(ticks: Sequence[int], values: Sequence[int]) -> Presses:
    pressed: list[int] = []
    found = Presses(pressed, [])
    left_out = 0
    for tick, before, now in zip(ticks[1:], values, values[1:], strict=False):
        step = (now - before) % _FIRE_MODULUS
        if step > _FIRE_STEP:
            left_out += 1
            continue
        for count in range(before + 1, before + step + 1):
            if count % 2:
                pressed.append(tick)
                found.held.append(None)
            else:
                _let_go(found, tick)
    return Presses(pressed, found.held, left_out)


def _let_go(found: Presses, tick: int) -> None:
    if found.held and found.held[-1] is None:
        found.held[-1] = tick - found.ticks[-1]


def describe_presses(visits: Iterable[Visit], button: str) -> dict[str, Any]:
    """Return periods between presses, their deviation without pauses (``rhythm``), times held and the most regular
    stretches, over all visits, in ticks."""
    periods: list[int] = []
    held: list[int] = []
    stretches: list[dict[str, Any]] = []
    count = left_out = 0
    for visit in visits:
        found = find_presses(visit, button)
        count += len(found.ticks)
        left_out += found.left_out
        periods += _periods(found.ticks)
        held += [ticks for ticks in found.held if ticks is not None]
        stretches += [_describe_stretch(visit, stretch) for stretch in _stretches(found.ticks)]
    stretches.sort(key=lambda stretch: (stretch["period_deviation"], -stretch["presses"]))
    period = summarise(periods)
    return {
        "presses": count,
        "left_out": left_out,
        "period": period,
        "rhythm": summarise([ticks for ticks in periods if ticks <= PAUSE_MEDIANS * period["median"]])[
            "deviation"
        ],
        "held": summarise(held),
        "stretches": len(stretches),
        "most_regular_stretches": stretches[:STRETCHES_LISTED],
    }


def _periods(ticks: Sequence[int]) -> list[int]:
    return [now - before for before, now in pairwise(ticks)]


def _stretches(ticks: Sequence[int]) -> Iterable[Sequence[int]]:
    start = 0
    for index in range(1, len(ticks) + 1):
        if index == len(ticks) or ticks[index] - ticks[index - 1] > STRETCH_PERIOD:
            if index - start >= STRETCH_PRESSES:
                yield ticks[start:index]
            start = index


def _describe_stretch(visit: Visit, ticks: Sequence[int]) -> dict[str, Any]:
    periods = _periods(ticks)
    figures = summarise(periods)
    return {
        "player": visit.connection.number,
        "first_tick": ticks[0],
        "last_tick": ticks[-1],
        "presses": len(ticks),
        "period_mean": figures["mean"],
        "period_deviation": figures["deviation"],
        "periods": periods,
    }


#: A turn of at least this many degrees within one tick is a snap …
SNAP_DEGREES = 45.0
#: … if the aim turned by at most this many degrees on the tick before and on the tick after.
REST_DEGREES = 3.0
#: A snap is undone if the aim returns, within `REST_DEGREES`, after at most this many ticks.
RETURN_TICKS = 10
#: Largest number of listed snaps, in order of time.
SNAPS_LISTED = 50


def turn(before: float, now: float) -> float:
    """Return the shorter turn from one angle to another, in degrees (-180 < turn ≤ 180); positive is clockwise."""
    return 180.0 - (180.0 - (now - before)) % 360.0


def describe_aim(visits: Iterable[Visit]) -> dict[str, Any]:
    """Return speeds of turning (degrees per tick, over the ticks with a turn) and snaps, over all visits."""
    speeds: list[float] = []
    snaps: list[dict[str, Any]] = []
    for visit in visits:
        angles = _angles(visit)
        turns = {tick: turn(before, now) for (_, before), (tick, now) in pairwise(angles) if before != now}
        speeds += map(abs, turns.values())
        snaps += _snaps(visit, angles, turns)
    return {
        "turn": summarise(speeds, bin_width=5.0),
        "snaps": len(snaps),
        "snaps_with_press": sum(snap["press"] is not None for snap in snaps),
        "snaps_taken_back": sum(snap["taken_back_after"] is not None for snap in snaps),
        "first_snaps": snaps[:SNAPS_LISTED],
    }


def _angles(visit: Visit) -> list[tuple[int, float]]:
    """Return (tick, degrees) of every input with an aim."""
    aims = zip(visit.tick, visit.inputs["cursor_x"], visit.inputs["cursor_y"], strict=True)
    return [(tick, math.degrees(math.atan2(y, x))) for tick, x, y in aims if x or y]


def _snaps(visit: Visit, angles: list[tuple[int, float]], turns: dict[int, float]) -> Iterable[dict[str, Any]]:
    pressed = {tick: button for button in ("hook", "fire") for tick in find_presses(visit, button).ticks}
    for index in range(1, len(angles)):
        tick = angles[index][0]
        degrees = turns.get(tick, 0.0)
        if abs(degrees) < SNAP_DEGREES:
            continue
        if max(abs(turns.get(tick - 1, 0.0)), abs(turns.get(tick + 1, 0.0))) > REST_DEGREES:
            continue
        yield {
            "player": visit.connection.number,
            "tick": tick,
            "degrees": degrees,
            "press": pressed.get(tick),
            "taken_back_after": _taken_back(angles, index),
        }


def _taken_back(angles: list[tuple[int, float]], index: int) -> int | None:
    tick = angles[index][0]
    origin = angles[index - 1][1]
    for later, angle in angles[index + 1 :]:
        if later - tick > RETURN_TICKS:
            return None
        if abs(turn(origin, angle)) <= REST_DEGREES:
            return later - tick
    return None


#: A tee that did not move for this many ticks is at rest.
STANDING_TICKS = 10
#: A movement later than this (a second) is not the effect of the press.
LONGEST_DELAY = 50


def describe_effects(visits: Iterable[Visit]) -> dict[str, Any]:
    """Return delays of ``move`` (left or right pressed at rest) and of ``jump`` (pressed while not rising)."""
    move: list[int | None] = []
    jump: list[int | None] = []
    for visit in visits:
        move += _move_delays(visit)
        jump += _jump_delays(visit)
    return {
        name: {"delay": summarise([d for d in delays if d is not None]), "without_effect": delays.count(None)}
        for name, delays in (("move", move), ("jump", jump))
    }


def _move_delays(visit: Visit) -> Iterable[int | None]:
    ticks = [tick for tick, _, _ in visit.path]
    directions = visit.inputs["direction"]
    for tick, before, now in zip(visit.tick[1:], directions, directions[1:], strict=False):
        index = bisect_left(ticks, tick)
        if before or not now or not index or tick - ticks[index - 1] < STANDING_TICKS:
            continue
        x = visit.path[index - 1][1]
        moved = (
            later - tick
            for later, other_x, _ in visit.path[index : index + LONGEST_DELAY + 1]
            if (other_x - x) * now > 0 and later - tick <= LONGEST_DELAY
        )
        yield next(moved, None)


def _jump_delays(visit: Visit) -> Iterable[int | None]:
    ticks = [tick for tick, _, _ in visit.path]
    for tick in find_presses(visit, "jump").ticks:
        index = bisect_left(ticks, tick)
        if index < 2 or _rising(visit, index - 1, tick - 1):
            continue
        rising = (
            ticks[later] - tick
            for later in range(index, min(index + LONGEST_DELAY + 1, len(ticks)))
            if _rising(visit, later, ticks[later]) and ticks[later] - tick <= LONGEST_DELAY
        )
        yield next(rising, None)


def _rising(visit: Visit, index: int, tick: int) -> bool:
    """Return whether the tee moved up on `tick`; `index` is its last row up to that tick."""
    return visit.path[index][0] == tick and visit.path[index][2] < visit.path[index - 1][2]
