"""Production steps as columns, from which tables are made."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.sc2.state.production.records import Step


class Named(NamedTuple):
    """A column of texts: the index of each in `names` (``array('i')``), and the distinct texts."""

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

    def whole(values: Iterable[int | None]) -> array[int]:
        return array("q", (NOTHING if value is None else value for value in values))

    return StepColumns(
        whole(step.start for step in steps),
        whole(step.player for step in steps),
        whole(step.end for step in steps),
        whole(step.unit for step in steps),
        array("d", (step.supply_used for step in steps)),
        array("d", (step.supply_made for step in steps)),
        _named(step.kind for step in steps),
        _named(step.name for step in steps),
        _named(step.start_source for step in steps),
        _named(step.outcome for step in steps),
    )


def _named(texts: Iterable[str]) -> Named:
    """Return texts as a column; the names are in the order in which they first occur."""
    known: dict[str, int] = {}
    codes = array("i", (known.setdefault(text, len(known)) for text in texts))
    return Named(codes, list(known))
