"""Facts and measures of each player from the tracker: spending, supply blocks, workers, statistics."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import log
from typing import TYPE_CHECKING

from playhead.blizzard.encoding.field_column import NOTHING, chosen, sum_of
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.merged_rows import gathered
from playhead.blizzard.events.tracker import SUPPLY_UNIT, PlayerStatsEvent, stat_path
from playhead.blizzard.tables.registry import StreamSource
from playhead.blizzard.units import changes
from playhead.blizzard.units.tracked import spans_of_types, unit_spans
from playhead.runtime.records import dataclass, field
from playhead.sc2.state.orders import written_twice
from playhead.sc2.state.production.facts import WORKERS
from playhead.sc2.state.production.from_replay import production, steps
from playhead.sc2.state.production.production import Production
from playhead.sc2.state.production.records import FINISHED, UPGRADE, StepColumns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


#: The game's maximum of supply: using all of it is not a block.
MOST_SUPPLY = 200.0


def spending_quotient(collected_a_minute: float, unspent: float) -> float | None:
    """Return the spending quotient ``35 (0.00137 I - ln U) + 240``.

    The formula is whatthefat's ("Do you macro like a pro?", TeamLiquid, 2011): I is the mean collection rate of
    minerals and vespene, per minute of the game's clock; U is the mean of unspent resources. None if no income was
    collected or no resources were left.
    """
    if collected_a_minute <= 0 or unspent <= 0:
        return None
    return 35 * (0.00137 * collected_a_minute - log(unspent)) + 240


def blocked_spans(
    samples: Sequence[tuple[int, float, float]], changes: Sequence[tuple[int, float, float]]
) -> list[tuple[int, int]]:
    """Return the spans of loops in which a player had no free supply.

    Args:
        samples: loop, supply in use and provided as recorded, ascending.
        changes: loop of each computed change, and both supplies after it. They give the start and end of a block
            if they agree with the samples before and after it; otherwise the later sample holds for the whole time
            since the earlier one.
    """
    known = list(changes)
    count, at = len(known), 0
    start = 0
    # Computed supply in use and provided at the last sample, and the recorded supply there.
    now_used = now_made = told_used = told_made = 0.0
    found: list[tuple[int, int]] = []
    for loop, used, made in samples:
        spans: list[tuple[int, int]] = []
        since, held_used, held_made = start, now_used, now_made
        while at < count and known[at][0] <= loop:
            when = known[at][0]
            if when > since:
                if _is_blocked(held_used, held_made):
                    spans.append((since, when))
                since = when
            held_used, held_made = known[at][1], known[at][2]
            at += 1
        if _is_blocked(held_used, held_made) and loop > since:
            spans.append((since, loop))
        if held_used == used and held_made == made and told_used == now_used and told_made == now_made:
            found += spans
        elif _is_blocked(used, made) and loop > start:
            found.append((start, loop))
        start, now_used, now_made, told_used, told_made = loop, held_used, held_made, used, made
    return _joined(found)


def _is_blocked(used: float, made: float) -> bool:
    """Return whether all supply is in use. 200 is the limit of supply."""
    return made > 0 and used >= made and made < MOST_SUPPLY


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for first, last in spans:
        if found and found[-1][1] >= first:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def loops_within(spans: Iterable[tuple[int, int]], first: int, last: int) -> int:
    """Return how many loops of the spans are from `first` to `last`."""
    return sum(max(0, min(end, last) - max(begin, first)) for begin, end in spans)


_EXPANSIONS = frozenset({"CommandCenter", "Nexus", "Hatchery"})
_GAS = frozenset({"Refinery", "RefineryRich", "Assimilator", "AssimilatorRich", "Extractor", "ExtractorRich"})
_TECH = frozenset({"Factory", "TwilightCouncil", "RoboticsFacility", "Stargate", "Lair"})
_FIRSTS = {"first_expansion_seconds": _EXPANSIONS, "first_gas_seconds": _GAS, "first_tech_seconds": _TECH}
_FIRST_OF = {name: column for column, names in _FIRSTS.items() for name in names}
_KINDS = ("Army", "Economy", "Technology")
#: Spent resources are in progress, living or lost.
_SPENT = ("UsedInProgress", "UsedCurrent", "Lost")
RESOURCES = ("Minerals", "Vespene")


def _of_kinds(resource: str, *verbs: str) -> tuple[str, ...]:
    return tuple(f"{resource}{verb}{kind}" for verb in verbs for kind in _KINDS)


#: Columns that are differences of statistics over a span, with these statistics.
_SUMS = {
    f"{resource.lower()}_{column}": names
    for resource in RESOURCES
    for column, names in (
        ("collected", (*_of_kinds(resource, *_SPENT), f"{resource}Current")),
        ("spent", _of_kinds(resource, *_SPENT)),
        ("lost", _of_kinds(resource, "Lost")),
        ("killed", _of_kinds(resource, "Killed")),
    )
}


@dataclass(slots=True)
class PlayerSamples:
    """A player's statistics, ascending. `sums` are columns of the table that are differences of statistics over a
    span; fields that begin with *all* have the sum of the values, both resources together, before each index."""

    loops: array[int]
    supply_used: list[float]
    supply_made: list[float]
    sums: Mapping[str, Sequence[int]]
    all_current: list[int]
    all_rates: list[int]
    all_armies: list[int]

    @property
    def taken(self) -> frozenset[str]:
        """The sums that end below their start, and so are unknown: arcade maps take units and resources that the
        game does not count as lost. What was lost or killed may fall, by refunds."""
        return frozenset(
            name
            for name, values in self.sums.items()
            if name.endswith(("_collected", "_spent")) and values and values[-1] < values[0]
        )

    def before(self, loop: int) -> int:
        """Return the index of the last statistics up to a loop, or else of the first."""
        return max(bisect_right(self.loops, loop) - 1, 0)

    def within(self, first: int, last: int) -> tuple[int, int]:
        """Return the range of indices of the statistics after loop `first` up to `last`, without those of the very
        start, which carry no information."""
        return bisect_right(self.loops, max(first, 1)), bisect_right(self.loops, last)


@dataclass(slots=True)
class TrackedPlayer:
    """The tracker's facts about a player; all but the samples are loops."""

    samples: PlayerSamples
    made: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    killed: list[int] = field(default_factory=list)
    blocked: list[tuple[int, int]] = field(default_factory=list)
    firsts: dict[str, int] = field(default_factory=dict)


def tracked_players(tracker: EventStream, source: StreamSource) -> dict[int, TrackedPlayer]:
    """Return the tracker's facts about each player, cached for several tables."""
    return tracker.once("tracked_players", lambda held: _tracked(held, source))


def _tracked(tracker: EventStream, source: StreamSource) -> dict[int, TrackedPlayer]:
    found = {player: TrackedPlayer(samples) for player, samples in _samples(tracker).items()}
    _add_steps(found, steps(tracker, source))
    _add_supply(found, production(tracker, source))
    _add_deaths(found, tracker)
    return found


def _samples(tracker: EventStream) -> dict[int, PlayerSamples]:
    """Return the statistics of each player."""
    events = tracker.of(PlayerStatsEvent)
    loops = tracker.rows.heads[0]

    def of_all(*names: str) -> array[int]:
        return sum_of([events.numbers(stat_path(name)) for name in names])

    sums = {column: of_all(*names) for column, names in _SUMS.items()}
    used, made = of_all("FoodUsed"), of_all("FoodMade")
    totals = [
        of_all(*(f"{name}{end}" for name in RESOURCES)) for end in ("Current", "CollectionRate", "UsedCurrentArmy")
    ]
    when = chosen(loops, events.orders)
    rows: dict[int, array[int]] = {}
    twice = written_twice(tracker)
    for row, player in enumerate(events.numbers("m_playerId")):
        if player != NOTHING and row not in twice:
            rows.setdefault(player, array("q")).append(row)
    return {
        player: PlayerSamples(
            gathered(when, mine),
            [supply / SUPPLY_UNIT for supply in gathered(used, mine)],
            [supply / SUPPLY_UNIT for supply in gathered(made, mine)],
            {column: gathered(values, mine) for column, values in sums.items()},
            *([*accumulate(gathered(total, mine), initial=0)] for total in totals),
        )
        for player, mine in rows.items()
    }


def _add_steps(found: Mapping[int, TrackedPlayer], made: StepColumns) -> None:
    is_worker = [name in WORKERS for name in made.names.names]
    first_of = [_FIRST_OF.get(name) for name in made.names.names]
    is_finished = [outcome == FINISHED for outcome in made.outcomes.names]
    is_upgrade = [kind == UPGRADE for kind in made.kinds.names]
    for row, name in enumerate(made.names.codes):
        if is_worker[name] or first_of[name] is not None:
            held = found.get(made.players[row])
            if held is None:
                continue
            if is_worker[name] and is_finished[made.outcomes.codes[row]]:
                held.made.append(made.ends[row])
            first = first_of[name]
            if first is not None and not is_upgrade[made.kinds.codes[row]]:
                held.firsts.setdefault(first, made.starts[row])


def _add_supply(found: Mapping[int, TrackedPlayer], made: Production) -> None:
    for player, held in found.items():
        held.made.sort()
        samples = held.samples
        of_supply = list(zip(samples.loops, samples.supply_used, samples.supply_made, strict=True))
        held.blocked = blocked_spans(of_supply, made.supply_of(player))


def _add_deaths(found: Mapping[int, TrackedPlayer], tracker: EventStream) -> None:
    workers = frozenset(name for name in tracker.rows.texts if name.removesuffix("Burrowed") in WORKERS)
    names = ("end", "player", "killer", "cause")
    for loop, player, killer, cause in spans_of_types(unit_spans(tracker), tracker.rows.texts, workers, *names):
        if cause != changes.DIED or killer == NOTHING:
            continue
        if player in found:
            found[player].lost.append(loop)
        if killer in found and killer != player:
            found[killer].killed.append(loop)
    for held in found.values():
        held.lost.sort()
        held.killed.sort()
