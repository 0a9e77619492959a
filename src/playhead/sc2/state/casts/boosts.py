"""`boosts_of`: chrono boosts and their ends."""

from __future__ import annotations

from playhead.blizzard.tables.registry import StreamSource
from playhead.sc2.state.casts.casters import EconomyCast, casts_of, data_build
from playhead.sc2.state.casts.energy import boosts_are_free

_BOOSTS = frozenset({"ChronoBoost", "ChronoBoostEnergyCost"})
#: Loops that a boost lasts: 20 seconds of the clock of Heart of the Swarm, and from 4.0 on of that of Legacy of
#: the Void, where it gains a Nexus 224 to 229 loops.
_LASTS, _LASTS_VOID = 320, 448


def boosts_of(source: StreamSource) -> list[tuple[EconomyCast, int | None]]:
    """Return chrono boosts with a target, and the loop in which each ended."""
    free = boosts_are_free(data_build(source))
    found: list[tuple[EconomyCast, int | None]] = []
    last: dict[int, int] = {}
    for cast in casts_of(source):
        order = cast.order
        if order.name not in _BOOSTS or order.target is None:
            continue
        if not free:
            lasts = _LASTS_VOID if order.name == "ChronoBoostEnergyCost" else _LASTS
            found.append((cast, order.loop + lasts))
            continue
        if cast.caster is not None:
            if cast.caster in last:
                before = last[cast.caster]
                found[before] = (found[before][0], order.loop)
            last[cast.caster] = len(found)
        found.append((cast, None))
    return found
