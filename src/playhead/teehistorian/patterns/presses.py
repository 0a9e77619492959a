"""Presses of fire, hook and jump: ticks, regularity, times held."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from playhead.runtime.records import dataclass
from playhead.teehistorian.patterns.summary import summarise
from playhead.teehistorian.patterns.visits import Visit

BUTTONS = ("fire", "hook", "jump")

#: Largest period between presses of one stretch: half a second.
STRETCH_PERIOD = 25
#: Least number of presses of a stretch.
STRETCH_PRESSES = 10
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
    """Return periods between presses, times held and the most regular stretches, over all visits, in ticks."""
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
    return {
        "presses": count,
        "left_out": left_out,
        "period": summarise(periods),
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
