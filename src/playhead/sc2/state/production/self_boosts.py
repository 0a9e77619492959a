"""`self_boosts`: boosts that a Nexus gives itself, from the build times of its products.

From the betas of Legacy of the Void to 3.x a boost is free and stays on a building until an order moves it. A new
Nexus boosts itself, without an order. It shows in the births: Probes of a working Nexus are 237 loops
apart instead of 272.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from playhead.sc2.state.casts.energy import NEXUS, boosts_are_free
from playhead.sc2.state.production.facts import ProductionFacts
from playhead.sc2.state.production.starts import COMMAND, QUEUE
from playhead.sc2.state.production.step_columns import StepColumns
from playhead.sc2.state.production.work import Building, Work

#: Origins of starts that are no build time before the end.
MEASURED = (COMMAND, QUEUE)
#: A product may be so many loops late, and begin so many loops after the last one.
_SLACK = 2


class SelfBoost(NamedTuple):
    """A time in which a building worked at the speed of a boost without an order for it; `caster` is None if the
    player had several Nexuses."""

    building: Building
    caster: int | None
    start: int
    end: int


def self_boosts(
    works: Iterable[Work],
    steps: StepColumns,
    buildings: Mapping[int, Building],
    facts: ProductionFacts,
    ordered: Container[int],
) -> list[SelfBoost]:
    """Return the boosts without an order, in order of time; none in builds in which boosts cost energy.

    Args:
        works: the work of buildings.
        steps: the production.
        buildings: by unit tag.
        facts: of the build.
        ordered: steps of work during which an order boosted the building.
    """
    if not boosts_are_free(facts.base_build):
        return []
    names, sources = steps.names, steps.sources
    found: dict[int, list[SelfBoost]] = {}
    for work in works:
        step, building, end = work.step, work.building, work.end
        name, start = names.names[names.codes[step]], steps.starts[step]
        needed = facts.build_loops.get(name)
        if end is None or needed is None or name not in facts.boosted or step in ordered:
            continue
        if building.type_at(start) != NEXUS or sources.names[sources.codes[step]] not in MEASURED:
            continue
        if not needed * facts.fastest - _SLACK <= end - start <= needed * facts.fastest + _SLACK:
            continue
        mine = found.setdefault(building.tag, [])
        if mine and start <= mine[-1].end + _SLACK:
            start = mine.pop().start
        alone = sum(each.player == building.player and each.type_at(start) == NEXUS for each in buildings.values())
        mine.append(SelfBoost(building, building.tag if alone == 1 else None, start, end))
    return sorted((boost for each in found.values() for boost in each), key=lambda boost: boost.start)
