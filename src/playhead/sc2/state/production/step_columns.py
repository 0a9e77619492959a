"""Production steps as columns, from which tables are made."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.runtime import cython
from playhead.sc2.state.production.records import Step

if cython.compiled:
    from cython.cimports.playhead.sc2.state.production.records import Step


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
    count: cython.Py_ssize_t = len(steps)
    starts: array = array("q", [0]) * count
    players: array = array("q", [0]) * count
    ends: array = array("q", [NOTHING]) * count
    units: array = array("q", [NOTHING]) * count
    used: array = array("d", [0]) * count
    made: array = array("d", [0]) * count
    codes: list = [array("i", [0]) * count for _ in range(4)]
    start_at: cython.longlong[::1] = starts
    player_at: cython.longlong[::1] = players
    end_at: cython.longlong[::1] = ends
    unit_at: cython.longlong[::1] = units
    used_at: cython.double[::1] = used
    made_at: cython.double[::1] = made
    kinds: cython.int[::1] = codes[0]
    names: cython.int[::1] = codes[1]
    sources: cython.int[::1] = codes[2]
    outcomes: cython.int[::1] = codes[3]
    known: list = [{}, {}, {}, {}]
    place: cython.Py_ssize_t
    for place in range(count):
        step: Step = steps[place]
        start_at[place] = step.start
        player_at[place] = step.player
        if step.end is not None:
            end_at[place] = step.end
        if step.unit is not None:
            unit_at[place] = step.unit
        used_at[place] = step.supply_used
        made_at[place] = step.supply_made
        kinds[place] = _code(known[0], step.kind)
        names[place] = _code(known[1], step.name)
        sources[place] = _code(known[2], step.start_source)
        outcomes[place] = _code(known[3], step.outcome)
    named = [Named(each, list(texts)) for each, texts in zip(codes, known, strict=True)]
    return StepColumns(starts, players, ends, units, used, made, *named)


@cython.cfunc
@cython.exceptval(-1, check=False)
def _code(known: dict, text: str) -> cython.int:
    """Return the index of a text among the known ones; add it if it is new."""
    found = known.get(text)
    if found is None:
        found = known[text] = len(known)
    return found
