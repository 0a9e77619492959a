"""`EnergyBook`: the energy of casters, which no event records: initial energy, plus what returned since, less the
cost of known casts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil
from typing import NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.runtime.records import dataclass

NEXUS, ORBITAL, QUEEN = "Nexus", "OrbitalCommand", "Queen"
#: Each type of a caster, with its name above.
CASTERS: Mapping[str, str] = {
    NEXUS: NEXUS,
    **dict.fromkeys((ORBITAL, "OrbitalCommandFlying"), ORBITAL),
    **dict.fromkeys((QUEEN, "QueenBurrowed"), QUEEN),
}
#: Commands that cost energy: their casters and their cost.
COSTS: Mapping[str, tuple[str, float]] = {
    "ChronoBoost": (NEXUS, 25.0),
    **dict.fromkeys(
        "ChronoBoostEnergyCost NexusMassRecall BatteryOvercharge EnergyRecharge".split(), (NEXUS, 50.0)
    ),
    **dict.fromkeys(("CalldownMULE", "ScannerSweep", "ExtraSupplies"), (ORBITAL, 50.0)),
    **dict.fromkeys(("SpawnLarva", "BuildCreepTumor", "CreepTumor"), (QUEEN, 25.0)),
    "QueenTransfusion": (QUEEN, 50.0),
}
#: Base builds in which a chrono boost is free and stays on a building until it is moved. The first beta of Legacy
#: of the Void (34835) has the rules of Heart of the Swarm: a Nexus boosts as soon as it has 25 energy, and Probes
#: are 181 loops apart for 320 loops; 37164 is the next build at hand.
FIRST_FREE_BOOST, _FIRST_COSTLY_BOOST = 37164, 59587
_INITIAL = {NEXUS: 50.0, ORBITAL: 50.0, QUEEN: 25.0}
_MOST = 200.0
#: Energy that returns in a loop: 9/16 in a second at speed normal, which has 16 loops.
_RETURNS = 0.5625 / 16
#: After the last loop of all games.
_NEVER = 1 << 62
#: After so many loops any caster is full again.
_FULL_AGAIN = int(_MOST / _RETURNS) + 1


def boosts_are_free(base_build: int) -> bool:
    """Return whether chrono boosts of a build cost nothing and end only when they are moved."""
    return FIRST_FREE_BOOST <= base_build < _FIRST_COSTLY_BOOST


def energy_for_economy(kind: str, base_build: int) -> float | None:
    """Return the energy of an inject, a MULE or a chrono boost, by the kind of its caster; None if it is free."""
    if kind != NEXUS:
        return COSTS["SpawnLarva" if kind == QUEEN else "CalldownMULE"][1]
    if boosts_are_free(base_build):
        return None
    return COSTS["ChronoBoost" if base_build < FIRST_FREE_BOOST else "ChronoBoostEnergyCost"][1]


class _State(NamedTuple):
    """The energy of a caster at a loop, and the loop from which on it is certain."""

    loop: int
    energy: float
    sure_from: int = 0

    def at(self, loop: int) -> float:
        return min(_MOST, self.energy + max(0, loop - self.loop) * _RETURNS)

    def sure_at(self, loop: int) -> float | None:
        return None if loop < self.sure_from else self.at(loop)


@dataclass(frozen=True, slots=True)
class CasterLife:
    """When a unit was a caster: its kind, its owner, and the loops of begin and end (`NOTHING` for none)."""

    kind: str
    player: int
    start: int
    end: int


class EnergyBook:
    """The energy of all casters of a game. Casts are entered in order of time.

    Args:
        casters: of each unit tag, its spans as a caster, in order of time.
        base_build: of the replay.
    """

    def __init__(self, casters: Mapping[int, list[CasterLife]], base_build: int) -> None:
        self._casters = casters
        self._free = boosts_are_free(base_build)
        self._initial = {**_INITIAL, NEXUS: 0.0 if base_build < FIRST_FREE_BOOST else 50.0}
        #: By unit tag, in order of time.
        self._states: dict[int, list[_State]] = {}

    def casters(self, tags: Iterable[int], name: str, player: int | None, loop: int) -> list[int]:
        """Return the units that can have carried out a command."""
        kind = COSTS[name][0]

        def is_able(life: CasterLife) -> bool:
            return life.kind == kind and life.player == player and _within(life, loop)

        return [tag for tag in tags if any(map(is_able, self._casters.get(tag, ())))]

    def energy(self, tag: int, loop: int) -> float | None:
        """Return the energy of a caster; None if it is uncertain."""
        return self._states_of(tag)[-1].sure_at(loop)

    def cast(self, tag: int, name: str, loop: int) -> None:
        """Subtract the cost of a cast, unless the caster's energy is too low: then the order failed."""
        cost = 0.0 if self._free and name == "ChronoBoost" else COSTS[name][1]
        states = self._states_of(tag)
        left = states[-1].at(loop) - cost
        if left >= -1:
            states.append(_State(loop, max(0.0, left), states[-1].sure_from))

    def doubt(self, tags: Iterable[int], loop: int) -> None:
        """Note that one of these casters, nobody knows which, cast."""
        for tag in tags:
            states = self._states_of(tag)
            states.append(_State(loop, states[-1].at(loop), loop + _FULL_AGAIN))

    def between(self, tag: int, loops: Iterable[int]) -> list[float | None]:
        """Return the energy of a caster after its casts up to each of these loops, ascending; None if uncertain.
        Call it after the last cast."""
        states = self._states_of(tag)
        found: list[float | None] = []
        place = 0
        begun, energy, sure_from = states[0]
        following = states[1].loop if len(states) > 1 else _NEVER
        for loop in loops:  # a table of a game asks for ten thousand: without calls
            while loop >= following:
                place += 1
                begun, energy, sure_from = states[place]
                following = states[place + 1].loop if place + 1 < len(states) else _NEVER
            if loop < sure_from:
                found.append(None)
            else:
                gained = energy + (loop - begun) * _RETURNS if loop > begun else energy
                found.append(min(gained, _MOST))
        return found

    def counts(self, tag: int, loops: range, needed: float) -> tuple[int, int]:
        """Return at how many of these loops a caster has the energy, and at how many it is uncertain, as `between`
        has it, in no more time for a long game than for a short one."""
        states = self._states_of(tag)
        enough = unsure = 0
        for place, (begun, energy, sure_from) in enumerate(states):
            first = begun if place else loops.start
            until = states[place + 1].loop if place + 1 < len(states) else loops.stop
            sure = max(first, sure_from)
            charged = begun + ceil((needed - energy) / _RETURNS) if needed > energy else first
            unsure += _count(loops, first, min(sure, until))
            enough += _count(loops, max(sure, charged), until)
        return enough, unsure

    def _states_of(self, tag: int) -> list[_State]:
        if tag not in self._states:
            lives = self._casters.get(tag)
            first = lives[0] if lives else None
            begun = _State(first.start, self._initial[first.kind]) if first else _State(0, 0.0, _FULL_AGAIN)
            self._states[tag] = [begun]
        return self._states[tag]


def _count(loops: range, first: int, until: int) -> int:
    """Return how many of these loops are in a stretch."""
    begin, every, end = loops.start, loops.step, min(until, loops.stop)
    if first >= end or begin >= end:
        return 0
    # Numbers of loops before the end, less those before the first; the quotients round up.
    return (begin - max(first, begin)) // every - (begin - end) // every


def _within(life: CasterLife, loop: int) -> bool:
    return life.start <= loop and (life.end == NOTHING or loop <= life.end)
