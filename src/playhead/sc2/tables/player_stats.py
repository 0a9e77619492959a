"""The table ``player_stats``: measures of each player's play."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import sub
from typing import Any

from playhead.blizzard.events import Event, commands
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.game import CameraUpdateEvent
from playhead.blizzard.events.tracker import PlayerStatsEvent
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.tables.registry import END, WHEN, may_make, moment
from playhead.clock import ticks_between
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass
from playhead.sc2.state.orders import REPEAT_EVENTS, repeats
from playhead.sc2.state.players import action_metrics
from playhead.sc2.state.players.tracked_players import (
    TrackedPlayer,
    loops_within,
    spending_quotient,
    tracked_players,
)
from playhead.sc2.state.production.from_replay import PRODUCTION_EVENTS
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables import arrow
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words


def _first(name: str, doc: str) -> Column:
    return Column(name, "float64", f"When {doc} was first begun; null with `every`.", "s")


_TAKEN = "Null if the map took more of what stood there at the start."

PLAYER_STATS = TableSchema.of(
    "player_stats",
    'Measures of each player in the whole game or, with the option `every` (``"1 min"``), in each span of that '
    "length from 0:00 of the game; the last is shorter. Columns from the tracker are null without one (before "
    "2.0.8). The page on StarCraft II has the source of each formula.",
    *WHEN,
    *END,
    word("duration_seconds"),
    Column(
        "spending_quotient",
        "float64",
        "35 (0.00137 I - ln U) + 240: means of I, collected a minute, and U, unspent, minerals and vespene "
        "together, over the samples in `player_series` after `tick` up to `end_tick`, without that of loop 1.",
    ),
    Column("supply_blocked_seconds", "float64", "Time with all supply in use, except at 200.", "s"),
    Column("workers_made", "int32", "Finished SCVs, probes and drones, without those of the start."),
    word("workers_lost", "Killed, with those of the start."),
    Column("workers_killed", "int32", "Workers of others that the player's units killed."),
    *(
        Column(f"{name}_{verb}", "int32", doc)
        for verb, doc in (
            ("collected", f"Income, without the resources of the start. {_TAKEN}"),
            ("spent", f"What went into units, structures and upgrades, refunds taken off. {_TAKEN}"),
        )
        for name in ("minerals", "vespene")
    ),
    *(
        word(f"{name}_lost", "The game takes off what a cancelled construction gave back: it may be below zero.")
        for name in ("minerals", "vespene")
    ),
    *words("minerals_killed vespene_killed"),
    Column("army_value", "float64", "Minerals and vespene in the living army, mean over the samples."),
    word("apm", "As the table `apm` counts them."),
    Column("epm", "float64", "Actions with an effect of their own, a minute.", "1/min"),
    Column("screens_per_minute", "float64", "Moves of the camera by 15 cells or more, a minute.", "1/min"),
    Column("pac_per_minute", "float64", "Perception-action cycles a minute, by their end.", "1/min"),
    Column("pac_actions", "float64", "Mean of the actions in a cycle."),
    Column("pac_latency", "float64", "Mean time from the start of a cycle to its first action.", "s"),
    Column("pac_gap_seconds", "float64", "Mean time from the end of a cycle to the start of the next.", "s"),
    _first("first_expansion_seconds", "a command center, nexus or hatchery"),
    _first("first_gas_seconds", "a refinery, assimilator or extractor"),
    _first("first_tech_seconds", "a factory, twilight council, robotics facility, stargate or lair"),
)

#: Events that count as actions: kind, and the fields that are equal in repetitions.
_ACTIONS: Mapping[type[Event], tuple[int, tuple[str, ...]]] = {
    commands.CmdEvent: (action_metrics.COMMAND, ("ability_id", "ability_index", "target_unit")),
    commands.CmdUpdateTargetPointEvent: (action_metrics.UPDATE, ()),
    commands.CmdUpdateTargetUnitEvent: (action_metrics.UPDATE, ()),
    commands.SelectionDeltaEvent: (action_metrics.SELECTION, ("group",)),
    commands.ControlGroupUpdateEvent: (action_metrics.GROUP, ("group", "action")),
}
_READS = (*PRODUCTION_EVENTS, PlayerStatsEvent, *_ACTIONS, *REPEAT_EVENTS)


@dataclass(slots=True)
class _Played:
    """A player's actions, as loops. For perception-action cycles: their ends, and the sums before each of the
    number of actions, of the time to the first action, and of the time since the last cycle."""

    actions: Sequence[int]
    effective: Sequence[int]
    screens: Sequence[int]
    cycle_ends: array[int]
    all_actions: list[int]
    all_waits: list[int]
    all_gaps: list[int]


@table(PLAYER_STATS, reads=(*_READS, CameraUpdateEvent), options=("every",))
def player_stats(source: TableSource, every: int | float | str | None = None) -> pa.Table:
    """Return the table ``player_stats``.

    Raises:
        ValueError: `every` is no interval.
    """
    interval = ticks_between(every, source.loops_per_second)
    tracker, game = source.stream(TRACKER), source.stream(GAME)
    tracked = {} if tracker is None or not tracker.kinds else tracked_players(tracker, source)
    played = {} if game is None or not game.kinds else _played(game, source)
    ends = [stream.tick[-1].as_py() for stream in (tracker, game) if stream is not None and len(stream)]
    if not ends:
        return PLAYER_STATS.build_rows([])
    end = max(1, *ends)
    known = {player.player for player in source.players}
    players = sorted({*tracked, *played} & known or {*tracked, *played})
    start = min(source.start_tick, end - 1)
    spans = [(start, end)]
    if interval is not None:
        count = (end - start) // interval * len(players)
        may = may_make(count, end, source, "player_stats", "the rows of player_stats")
        spans = [(first, min(first + interval, end)) for first in range(start, end, interval)] if may else []
    rows = []
    for player in players:
        measure = _Measure(tracked.get(player), played.get(player), source.loops_per_second)
        firsts = measure.firsts(start) if interval is None else {}
        for first, last in spans:
            rows.append({"player": arrow.player_number(player), **measure.of(first, last), **firsts})
    return PLAYER_STATS.build_rows(rows)


def _played(game: EventStream, source: TableSource) -> dict[int, _Played]:
    loops, users, *_ = game.rows.heads
    parts = [
        (kind, (events := game.of(type_)).orders, tuple(map(events.numbers, names)))
        for type_, (kind, names) in _ACTIONS.items()
        if game.has(type_)
    ]
    parts.append((action_metrics.UPDATE, repeats(game).orders, ()))
    actions = action_metrics.actions_of(parts, loops, users, source.players_by_user, commands.ACTIVE)
    moves: dict[int, action_metrics.Moves] = {}
    if game.has(CameraUpdateEvent):
        events = game.of(CameraUpdateEvent)
        spots = events.friendly("x", "y", scope=source.event_scope)
        xs, ys = (arrow.float64_numbers(spots[axis]) for axis in ("x", "y"))
        moves = action_metrics.moves_of(events.orders, xs, ys, loops, users, source.players_by_user)
    no_actions, no_moves = action_metrics.Actions(), action_metrics.Moves()
    return {
        player: _of_player(actions.get(player, no_actions), moves.get(player, no_moves))
        for player in {*actions, *moves}
    }


def _of_player(done: action_metrics.Actions, moves: action_metrics.Moves) -> _Played:
    cycles = moves.cycles(done.loops)
    gaps = (0, *map(sub, cycles.firsts[1:], cycles.lasts))
    sums = ([*accumulate(values, initial=0)] for values in (cycles.counts, cycles.waits, gaps))
    return _Played(done.loops, done.effective(), moves.screens(), cycles.lasts, *sums)


@dataclass(frozen=True, slots=True)
class _Measure:
    """The measures of one player over any span."""

    tracked: TrackedPlayer | None
    played: _Played | None
    rate: float

    def of(self, first: int, last: int) -> dict[str, Any]:
        """Return the columns of a span, from loop `first` up to before `last`."""
        row: dict[str, Any] = {**moment(first, self.rate), **moment(last, self.rate, "end_")}
        row["duration_seconds"] = (last - first) / self.rate
        if self.tracked is not None:
            row |= self._of_tracker(self.tracked, first, last)
        if self.played is not None:
            row |= self._of_actions(self.played, first, last)
        return row

    def firsts(self, start: int) -> dict[str, float]:
        """Return the columns that exist only for the whole game."""
        held = {} if self.tracked is None else self.tracked.firsts
        return {name: (loop - start) / self.rate for name, loop in held.items()}

    def _of_tracker(self, held: TrackedPlayer, first: int, last: int) -> dict[str, Any]:
        samples = held.samples
        begin, end = samples.before(first), samples.before(last)
        row: dict[str, Any] = {
            "supply_blocked_seconds": loops_within(held.blocked, first, last) / self.rate,
            **{f"workers_{name}": _count(getattr(held, name), first, last) for name in ("made", "lost", "killed")},
            **{
                name: values[end] - values[begin]
                for name, values in samples.sums.items()
                if name not in samples.taken
            },
        }
        begin, end = samples.within(first, last)
        if end > begin:
            totals = (samples.all_armies, samples.all_rates, samples.all_current)
            row["army_value"], rate, unspent = ((sums[end] - sums[begin]) / (end - begin) for sums in totals)
            row["spending_quotient"] = spending_quotient(rate, unspent)
        return row

    def _of_actions(self, held: _Played, first: int, last: int) -> dict[str, Any]:
        minutes = (last - first) / self.rate / 60
        row: dict[str, Any] = {
            "apm": _count(held.actions, first, last) / minutes,
            "epm": _count(held.effective, first, last) / minutes,
            "screens_per_minute": _count(held.screens, first, last) / minutes,
        }
        begin, end = (bisect_left(held.cycle_ends, loop) for loop in (first, last))
        cycles = end - begin
        row["pac_per_minute"] = cycles / minutes
        if cycles:
            row["pac_actions"] = (held.all_actions[end] - held.all_actions[begin]) / cycles
            row["pac_latency"] = (held.all_waits[end] - held.all_waits[begin]) / cycles / self.rate
        if cycles > 1:
            row["pac_gap_seconds"] = (held.all_gaps[end] - held.all_gaps[begin + 1]) / (cycles - 1) / self.rate
        return row


def _count(loops: Sequence[int], first: int, last: int) -> int:
    return bisect_left(loops, last) - bisect_left(loops, first)
