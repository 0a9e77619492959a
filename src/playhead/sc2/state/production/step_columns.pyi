from array import array
from typing import NamedTuple

from playhead.sc2.state.production.records import Step

class Named(NamedTuple):
    codes: array[int]
    names: list[str]

class StepColumns(NamedTuple):
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

def step_columns(steps: list[Step]) -> StepColumns: ...
