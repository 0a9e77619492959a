"""The table ``player_metrics``: how each player played, by the minute and in all."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from playhead.sc2.events import Event
from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.commands import (
    ACTIVE,
    CmdEvent,
    CmdUpdateTargetPointEvent,
    CmdUpdateTargetUnitEvent,
    ControlGroupUpdateEvent,
    SelectionDeltaEvent,
)
from playhead.sc2.events.game import CameraUpdateEvent
from playhead.sc2.events.tracker import PlayerStatsEvent, stat_path, stat_value
from playhead.sc2.protocol.tables import GAME, TRACKER
from playhead.sc2.state.action_metrics import (
    COMMAND,
    GROUP,
    SELECTION,
    UPDATE,
    Actions,
    Cycle,
    Moves,
    actions_of,
    moves_of,
)
from playhead.sc2.state.metrics import blocked_spans, loops_within, spending_quotient
from playhead.sc2.state.production import UPGRADE, Production
from playhead.sc2.state.production_facts import WORKERS
from playhead.sc2.state.production_records import FINISHED
from playhead.sc2.state.unit_history import deaths_of
from playhead.sc2.state.units import unit_history
from playhead.sc2.tables.build_order import PRODUCTION_EVENTS, production
from playhead.sc2.tables.columns import PLAYER
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables import arrow
from playhead.tables.arrow import to_list
from playhead.tables.schema import Column, TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

_EXPANSIONS = frozenset({"CommandCenter", "Nexus", "Hatchery"})
_GAS = frozenset({"Refinery", "RefineryRich", "Assimilator", "AssimilatorRich", "Extractor", "ExtractorRich"})
_TECH = frozenset({"Factory", "TwilightCouncil", "RoboticsFacility", "Stargate", "Lair"})
_FIRSTS = {
    "first_expansion_seconds": _EXPANSIONS,
    "first_gas_seconds": _GAS,
    "first_tech_seconds": _TECH,
}
_KINDS = ("Army", "Economy", "Technology")
#: What was spent is in progress, living or lost.
_SPENT = ("UsedInProgress", "UsedCurrent", "Lost")
_RESOURCES = ("Minerals", "Vespene")


def _resource(verb: str, doc: str) -> tuple[Column, ...]:
    return tuple(Column(f"{name.lower()}_{verb}", "int64", doc) for name in _RESOURCES)


def _first(name: str, doc: str) -> Column:
    return Column(name, "float64", f"When {doc} was first begun; only in the row of the whole game.", "s")


PLAYER_METRICS = TableSchema(
    name="player_metrics",
    version=2,
    doc="How each player played: a row for each minute, and one for the whole game, whose `minute` is null. What "
    "would come from the tracker is null without one (before 2.0.8). The page on StarCraft II says where "
    "each formula is from.",
    columns=(
        PLAYER,
        Column("minute", "int32", "Minute of the game's clock, first is 0; null for the whole game.", "min"),
        Column("seconds", "float64", "Length of the stretch; the last minute is cut short.", "s"),
        Column("spending_quotient", "float64", "35 (0.00137 I - ln U) + 240: I collected a minute, U unspent."),
        Column("supply_blocked_seconds", "float64", "How long all supply was in use, 200 apart.", "s"),
        Column("workers_made", "int64", "SCVs, probes and drones that were finished, those of the start apart."),
        Column("workers_lost", "int64", "Of those, and of the start's, how many were killed."),
        Column("workers_killed", "int64", "Workers of others that the player's units killed."),
        *_resource("collected", "What came in; what a game begins with apart."),
        *_resource("spent", "What went into units, structures and upgrades, refunds taken off."),
        *_resource("lost", "Worth of what the player lost."),
        *_resource("killed", "Worth of what the player killed."),
        Column("army_value", "float64", "Minerals and vespene in the living army, mean over the samples."),
        Column("apm", "float64", "Actions a minute, as the table `apm` counts them.", "1/min"),
        Column("epm", "float64", "Those that have an effect of their own, a minute.", "1/min"),
        Column("screens_per_minute", "float64", "Moves of the camera by 15 cells or more, a minute.", "1/min"),
        Column("pac_per_minute", "float64", "Perception-action cycles a minute, by their end.", "1/min"),
        Column("pac_actions", "float64", "Mean of the actions in a cycle."),
        Column("pac_latency", "float64", "Mean time from a cycle's begin to its first action.", "s"),
        Column("pac_gap", "float64", "Mean time from a cycle's end to the next cycle's begin.", "s"),
        _first("first_expansion_seconds", "a command center, nexus or hatchery"),
        _first("first_gas_seconds", "a refinery, assimilator or extractor"),
        _first("first_tech_seconds", "a factory, twilight council, robotics facility, stargate or lair"),
    ),
)

#: What counts as an action: its kind, and the fields that two of the same have in common.
_ACTIONS: Mapping[type[Event], tuple[int, tuple[str, ...]]] = {
    CmdEvent: (COMMAND, ("ability_link", "ability_index", "target_unit")),
    CmdUpdateTargetPointEvent: (UPDATE, ()),
    CmdUpdateTargetUnitEvent: (UPDATE, ()),
    SelectionDeltaEvent: (SELECTION, ("group",)),
    ControlGroupUpdateEvent: (GROUP, ("group", "action")),
}
_LOOP, _LAST = itemgetter(0), attrgetter("last")
_READS = (*PRODUCTION_EVENTS, PlayerStatsEvent, *_ACTIONS)


class _Sample(NamedTuple):
    """What the measures need of the statistics at a loop; pairs are of `_RESOURCES`."""

    loop: int
    supply_used: float
    supply_made: float
    spent: tuple[float, float]
    current: tuple[float, float]
    lost: tuple[float, float]
    killed: tuple[float, float]
    rate: tuple[float, float]
    army: tuple[float, float]


@dataclass(slots=True)
class _Tracked:
    """What the tracker tells of a player; all but the samples are loops."""

    samples: list[_Sample] = field(default_factory=list)
    made: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    killed: list[int] = field(default_factory=list)
    blocked: list[tuple[int, int]] = field(default_factory=list)
    firsts: dict[str, int] = field(default_factory=dict)

    def before(self, loop: int) -> _Sample:
        """Return the last statistics up to a loop, or the first there are."""
        place = bisect_right(self.samples, loop, key=_LOOP)
        return self.samples[max(place - 1, 0)]

    def within(self, first: int, last: int) -> list[_Sample]:
        """Return the statistics after loop `first` up to `last`; those of the very start tell nothing."""
        start = max(first, 1)
        return [held for held in self.samples if start < held[0] <= last]


@dataclass(slots=True)
class _Played:
    """What a player did, as loops."""

    actions: Sequence[int]
    effective: Sequence[int]
    screens: Sequence[int]
    cycles: list[Cycle]


@table(PLAYER_METRICS, reads=(*_READS, CameraUpdateEvent))
def player_metrics(source: TableSource) -> pa.Table:
    """Return the table ``player_metrics``."""
    tracker, game = source.stream(TRACKER), source.stream(GAME)
    tracked = {} if tracker is None or not tracker.kinds else _tracked(tracker, source)
    played = {} if game is None or not game.kinds else _played(game, source)
    ends = [stream.tick[-1].as_py() for stream in (tracker, game) if stream is not None and len(stream)]
    if not ends:
        return PLAYER_METRICS.build_rows([])
    end = max(1, *ends)
    minute = source.loops_per_second * 60
    rows = []
    for player in sorted({*tracked, *played} & set(source.players_by_user.values()) or {*tracked, *played}):
        measure = _Measure(tracked.get(player), played.get(player), source.loops_per_second)
        shown = arrow.player_number(player)
        for number in range(int(end // minute) + 1):
            first, last = round(number * minute), min(round((number + 1) * minute), end)
            if last > first:
                rows.append({"player": shown, "minute": number, **measure.of(first, last)})
        rows.append({"player": shown, "minute": None, **measure.of(0, end), **measure.firsts()})
    return PLAYER_METRICS.build_rows([dict.fromkeys(PLAYER_METRICS.column_names) | row for row in rows])


def _tracked(tracker: EventStream, source: TableSource) -> dict[int, _Tracked]:
    found: dict[int, _Tracked] = {}
    for player, sample in _samples(tracker):
        found.setdefault(player, _Tracked()).samples.append(sample)
    made = production(tracker, source)
    for player, held in found.items():
        _add_production(held, player, made)
    _add_deaths(found, tracker)
    return found


def _samples(tracker: EventStream) -> Iterator[tuple[int, _Sample]]:
    """Yield the statistics with the players they are of, in file order."""
    events = tracker.of(PlayerStatsEvent)
    _, loops, players = events.lists("m_playerId")

    def of_all(*names: str) -> list[float]:
        columns = [[value or 0.0 for value in to_list(events.stored(stat_path(name)))] for name in names]
        return columns[0] if len(columns) == 1 else list(map(sum, zip(*columns, strict=True)))

    def of_each(*ends: str) -> Iterator[tuple[float, float]]:
        minerals, vespene = (of_all(*(f"{name}{end}" for end in ends)) for name in _RESOURCES)
        return zip(minerals, vespene, strict=True)

    supply = ([stat_value(name, value) or 0.0 for value in of_all(name)] for name in ("FoodUsed", "FoodMade"))
    by_kind = {verb: [f"{verb}{kind}" for kind in _KINDS] for verb in (*_SPENT, "Killed")}
    columns = (
        of_each(*(end for verb in _SPENT for end in by_kind[verb])),
        of_each("Current"),
        of_each(*by_kind["Lost"]),
        of_each(*by_kind["Killed"]),
        of_each("CollectionRate"),
        of_each("UsedCurrentArmy"),
    )
    return zip(players, map(_Sample, loops, *supply, *columns), strict=True)


def _add_production(held: _Tracked, player: int, made: Production) -> None:
    for step in made.steps:
        if step.player != player:
            continue
        if step.name in WORKERS and step.outcome == FINISHED and step.end is not None:
            held.made.append(step.end)
        if step.kind != UPGRADE:
            for name, types in _FIRSTS.items():
                if step.name in types:
                    held.firsts.setdefault(name, step.start)
    held.made.sort()
    samples = [(sample.loop, sample.supply_used, sample.supply_made) for sample in held.samples]
    held.blocked = blocked_spans(samples, made.supply_of(player))


def _add_deaths(found: Mapping[int, _Tracked], tracker: EventStream) -> None:
    workers = frozenset(name for name in tracker.texts if name.removesuffix("Burrowed") in WORKERS)
    for loop, player, killer in deaths_of(unit_history(tracker), workers):
        if player in found:
            found[player].lost.append(loop)
        if killer in found and killer != player:
            found[killer].killed.append(loop)


def _played(game: EventStream, source: TableSource) -> dict[int, _Played]:
    loops, users, *_ = game.heads
    parts = []
    for type_, (kind, names) in _ACTIONS.items():
        if game.has(type_):
            events = game.of(type_)
            parts.append((kind, events.orders, tuple(map(events.numbers, names))))
    actions = actions_of(parts, loops, users, source.players_by_user, ACTIVE)
    moves: dict[int, Moves] = {}
    if game.has(CameraUpdateEvent):
        events = game.of(CameraUpdateEvent)
        spots = events.friendly("x", "y", scope=source.event_scope)
        xs, ys = (arrow.float64_numbers(spots[axis]) for axis in ("x", "y"))
        moves = moves_of(events.orders, xs, ys, loops, users, source.players_by_user)
    return {
        player: _of_player(actions.get(player, Actions()), moves.get(player, Moves()))
        for player in {*actions, *moves}
    }


def _of_player(done: Actions, moves: Moves) -> _Played:
    return _Played(done.loops, done.effective(), moves.screens(), moves.cycles(done.loops))


@dataclass(frozen=True, slots=True)
class _Measure:
    """The measures of one player in any stretch."""

    tracked: _Tracked | None
    played: _Played | None
    rate: float

    def of(self, first: int, last: int) -> dict[str, Any]:
        """Return the columns of a stretch, from loop `first` on up to before `last`."""
        row: dict[str, Any] = {"seconds": (last - first) / self.rate}
        if self.tracked is not None and self.tracked.samples:
            row |= self._of_tracker(self.tracked, first, last)
        if self.played is not None:
            row |= self._of_actions(self.played, first, last)
        return row

    def firsts(self) -> dict[str, float]:
        """Return the columns that only the whole game has."""
        held = {} if self.tracked is None else self.tracked.firsts
        return {name: loop / self.rate for name, loop in held.items()}

    def _of_tracker(self, held: _Tracked, first: int, last: int) -> dict[str, Any]:
        begin, end = held.before(first), held.before(last)
        row: dict[str, Any] = {
            "supply_blocked_seconds": loops_within(held.blocked, first, last) / self.rate,
            "workers_made": _count(held.made, first, last),
            "workers_lost": _count(held.lost, first, last),
            "workers_killed": _count(held.killed, first, last),
        }
        for place, name in enumerate(_RESOURCES):
            lower = name.lower()
            spent = end.spent[place] - begin.spent[place]
            row[f"{lower}_spent"] = int(spent)
            row[f"{lower}_collected"] = int(spent + end.current[place] - begin.current[place])
            row[f"{lower}_lost"] = int(end.lost[place] - begin.lost[place])
            row[f"{lower}_killed"] = int(end.killed[place] - begin.killed[place])
        samples = held.within(first, last)
        if samples:
            row["army_value"] = _mean([sample.army for sample in samples])
            row["spending_quotient"] = spending_quotient(
                _mean([sample.rate for sample in samples]), _mean([sample.current for sample in samples])
            )
        return row

    def _of_actions(self, held: _Played, first: int, last: int) -> dict[str, Any]:
        minutes = (last - first) / self.rate / 60
        row: dict[str, Any] = {
            "apm": _count(held.actions, first, last) / minutes,
            "epm": _count(held.effective, first, last) / minutes,
            "screens_per_minute": _count(held.screens, first, last) / minutes,
        }
        begin, end = (bisect_left(held.cycles, loop, key=_LAST) for loop in (first, last))
        cycles = held.cycles[begin:end]
        row["pac_per_minute"] = len(cycles) / minutes
        if cycles:
            row["pac_actions"] = sum(len(cycle.actions) for cycle in cycles) / len(cycles)
            waits = [cycle.actions[0] - cycle.first for cycle in cycles]
            row["pac_latency"] = sum(waits) / len(cycles) / self.rate
        gaps = [after.first - before.last for before, after in pairwise(cycles)]
        if gaps:
            row["pac_gap"] = sum(gaps) / len(gaps) / self.rate
        return row


def _count(loops: Sequence[int], first: int, last: int) -> int:
    return bisect_left(loops, last) - bisect_left(loops, first)


def _mean(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the mean of both together."""
    return sum(map(sum, pairs)) / len(pairs)
