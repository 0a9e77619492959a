"""Production steps as columns, from which tables are made."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from playhead.sc2.state.production.records import Step, step_arrays


class Named(NamedTuple):
    """A column of texts: the index of each in `names` (``array('i')``), and the distinct texts as they occur."""

    codes: array[int]
    names: list[str]


class StepColumns(NamedTuple):
    """Steps as columns, in their order; missing ends and units are `NOTHING`."""

    starts: array[int]
    players: array[int]
    ends: array[int]
    units: array[int]
    supply_used: array[float]
    supply_made: array[float]
    kinds: Named
    names: Named
    sources: Named
    outcomes: Named


def step_columns(steps: list[Step]) -> StepColumns:
    """Return steps as columns."""
    numbers, codes, names = step_arrays(steps)
    starts, players, ends, units, supply_used, supply_made = numbers
    texts = map(Named, codes, names)
    return StepColumns(starts, players, ends, units, supply_used, supply_made, *texts)
