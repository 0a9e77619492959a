"""The state of a game at a loop: units, upgrades and resources from the tracker (from 2.0.8 on), selections and
control groups from the game's events (in every build)."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.commands import ACTIVE
from playhead.blizzard.events.tracker import (
    STATS,
    PlayerStatsEvent,
    UnitPositionsEvent,
    UpgradeEvent,
    stat_column,
    stat_path,
    stat_value,
)
from playhead.blizzard.units.states import upgrade_levels
from playhead.blizzard.units.tracked import HISTORY_EVENTS, LivingUnits
from playhead.blizzard.units.tracked import Unit as Unit
from playhead.clock import Clock
from playhead.model import Moment, Player, Record
from playhead.runtime.cached import cached_property
from playhead.runtime.records import dataclass, field
from playhead.sc2.abilities.unit_types import is_army
from playhead.sc2.state.orders import written_twice
from playhead.sc2.state.selections.timeline import SELECTION_EVENTS, SelectionTimeline, UserSelection

_STAT_COLUMNS = tuple(map(stat_column, STATS))
# The fields of `Resources` that are columns of the statistics.
_SHOWN = ("minerals", "vespene", "mineral_rate", "vespene_rate", "workers", "supply", "supply_made")
_ARMY = ("minerals_used_current_army", "vespene_used_current_army")
# The columns of the fields of `Resources`.
_OF_RESOURCES = (
    *("tick", "minerals", "vespene", "minerals_collection_rate", "vespene_collection_rate"),
    *("workers", "supply", "supply_made"),
)

#: The events that a state reads.
STATE_EVENTS = (*SELECTION_EVENTS, *HISTORY_EVENTS, UnitPositionsEvent, UpgradeEvent, PlayerStatsEvent)


@dataclass(frozen=True, slots=True)
class Resources(Record):
    """A player's resources by the last statistics, which are of loop `tick`. Rates are for a minute."""

    tick: int
    minerals: int | None
    vespene: int | None
    mineral_rate: int | None
    vespene_rate: int | None
    workers: int | None
    supply: float | None
    supply_made: float | None


@dataclass(frozen=True, slots=True, repr=False)
class State(Moment):
    """The state after all events of a game loop.

    Attributes:
        tick: the loop.
        clock: the clock that the game shows.
        has_tracker: False in replays before 2.0.8 and in anonymised packs, which have selections only.
        units: living units by tag.
        upgrades: levels by player and name.
        stats: by player, the last row of the table ``player_series``.
        selections: control groups and active selection by user id, observers included.
        players_by_user: player number by user id.
        roster: the participants, as `Replay.players`.
    """

    tick: int = field()  # as for `clock` and `units`, whose default would be the abstract property
    clock: Clock = field()
    has_tracker: bool
    units: Mapping[int, Unit] = field()
    upgrades: Mapping[int, Mapping[str, int]]
    stats: Mapping[int, Mapping[str, Any]]
    selections: Mapping[int, UserSelection]
    players_by_user: Mapping[int, int]

    roster: tuple[Player, ...] = ()

    @property
    def seconds(self) -> float:
        """`tick` in seconds of the clock that the game shows."""
        return self.clock.seconds(self.tick)

    @property
    def raw(self) -> Mapping[str, Any]:
        """The contents of the streams, by part: ``units``, ``upgrades``, ``stats``, ``selections``."""
        return {name: getattr(self, name) for name in ("units", "upgrades", "stats", "selections")}

    @property
    def facts(self) -> Mapping[str, Any]:
        """Whether there is a tracker; without one there are selections only."""
        return {"tracker": self.has_tracker}

    @property
    def resources(self) -> Mapping[int, Resources]:
        """Each player's resources, by the last statistics."""
        return {player: Resources(*map(row.__getitem__, _OF_RESOURCES)) for player, row in self.stats.items()}

    def units_of(self, player: int) -> list[Unit]:
        """Return the living units that a player controls, in the order of their appearance."""
        return [unit for unit in self.units.values() if unit.player == player]

    def unit_with_index(self, index: int) -> Unit | None:
        """Return the living unit that has this index now."""
        return next((unit for unit in reversed(list(self.units.values())) if unit.index == index), None)

    def selection(self, player: int) -> tuple[int, ...]:
        """Return the tags of a player's selected units; empty if the player's user is unknown."""
        return self.control_groups(player).get(ACTIVE, ())

    def control_groups(self, player: int) -> Mapping[int, tuple[int, ...]]:
        """Return the tags of the units in a player's control groups, by number; 10 is the active selection."""
        for user, number in self.players_by_user.items():
            if number == player and user in self.selections:
                held = self.selections[user]
                return {group: held.units(group) for group in sorted(held.groups)}
        return {}

    @property
    def players(self) -> Sequence[Mapping[str, Any]]:
        """The players with race, selection, resources and upgrades; without the last two before the tracker
        (2.0.8) and in anonymised packs."""
        return list(self._player_rows())

    def _player_rows(self) -> Iterator[Mapping[str, Any]]:
        resources = self.resources
        for player in self.roster:
            if player.player is None:  # only watches
                continue
            row = {key: getattr(player, key) for key in self.PLAYER_KEYS}
            row["race"] = player.character
            row["selected"] = len(self.selection(player.player))
            if self.has_tracker:
                held = resources.get(player.player)
                row |= {name: held and held[name] for name in _SHOWN}
                army = [self.stats[player.player][name] for name in _ARMY] if held else [None]
                row["army_value"] = None if None in army else sum(army)
                units = self.units_of(player.player)
                row["army_units"] = sum(unit.finished and is_army(unit.unit_type) for unit in units)
                row["upgrades"] = sorted(self.upgrades.get(player.player, {}))
            yield row

    @property
    def unit_counts(self) -> Sequence[Mapping[str, Any]]:
        """Units of each player by type, the most first; without units of no player (minerals …)."""
        # Two players share an army in an archon game.
        numbers = dict.fromkeys(player.player for player in self.roster)
        return [row for number in numbers if number for row in self._unit_rows(number)]

    def _unit_rows(self, player: int) -> Iterator[Mapping[str, Any]]:
        counts: Counter[str] = Counter()
        building: Counter[str] = Counter()
        for unit in self.units_of(player):
            (counts if unit.finished else building)[unit.unit_type] += 1
        for name in sorted({*counts, *building}, key=lambda name: (-counts[name], name)):
            row = {"player": player, "unit_type": name, "count": counts[name]}
            yield row | {"under_construction": building[name]}


class _TrackerTimeline:
    """The tracker's part of the state. Moving forward is cheap; moving back restarts."""

    def __init__(self, stream: EventStream, cells: float) -> None:
        upgrades, self._statistics = stream.of(UpgradeEvent), stream.of(PlayerStatsEvent)
        self._living = LivingUnits(stream, cells, upgrades.orders, self._statistics.orders)
        when = self._when = self._living.when
        self._loop = 0
        self._upgrades = upgrades
        # Loop and player of each row of statistics, and the columns of their values.
        self._stat_loops = [when[order] for order in self._statistics.orders]
        self._stat_players = self._statistics.numbers("m_playerId")
        self._twice = written_twice(stream)

    def advance(self, loop: int) -> None:
        """Move to the end of a loop."""
        self._living.advance(loop)
        self._loop = loop

    def units(self) -> dict[int, Unit]:
        """Return the living units by tag, in order of their appearance."""
        return self._living.units()

    def upgrades(self) -> dict[int, dict[str, int]]:
        """Return the levels of upgrades by player and name."""
        found: dict[int, dict[str, int]] = {}
        got, texts = self._upgrades, self._upgrades.stream.texts
        columns = (got.numbers("m_playerId"), got.numbers("upgrade"), got.numbers("count"))
        last: int | None = None
        levels: dict[str, int] = {}
        for player, name, level in upgrade_levels(got.orders, *columns, self._when, self._loop):
            if player != last:
                last, levels = player, found.setdefault(_known(player), {})
            named: Any = None if name == NOTHING else texts[name]
            levels[named] = level
        return found

    def stats(self) -> dict[int, dict[str, Any]]:
        """Return each player's last row of the table ``player_series``."""
        last = bisect_right(self._stat_loops, self._loop)
        places = {
            player: place for place, player in enumerate(self._stat_players[:last]) if place not in self._twice
        }
        return {_known(player): self._stats_row(_known(player), place) for player, place in places.items()}

    @cached_property
    def _stat_values(self) -> list[tuple[str, str, array[int]]]:
        """Return name, column and stored values of each statistic."""
        paths = zip(STATS, _STAT_COLUMNS, strict=True)
        return [(name, column, self._statistics.numbers(stat_path(name))) for name, column in paths]

    def _stats_row(self, player: int, place: int) -> dict[str, Any]:
        row: dict[str, Any] = {"tick": self._stat_loops[place], "player": player}
        for name, column, values in self._stat_values:
            stored = values[place]
            row[column] = None if stored == NOTHING else stat_value(name, stored)
        return row


def _known(player: int) -> Any:
    return None if player == NOTHING else player


class Timeline:
    """The state at any loop. Ascending loops are cheap."""

    def __init__(
        self,
        game: EventStream | None,
        tracker: EventStream | None,
        cells: float,
        clock: Clock,
        players: Mapping[int, int],
    ) -> None:
        """The arguments are the two streams, if any, cells in one unit of the tracker's positions, the game's
        clock, and player numbers by user id."""
        self._selections = None if game is None else SelectionTimeline(game)
        self._tracker = None if tracker is None else _TrackerTimeline(tracker, cells)
        self._clock = clock
        self._players = players

    def at(self, loop: int) -> State:
        """Return the state after all events of `loop`. Later calls do not change it."""
        held = self._tracker
        if held is not None:
            held.advance(loop)
        units, upgrades, stats = ({}, {}, {}) if held is None else (held.units(), held.upgrades(), held.stats())
        selections = {} if self._selections is None else self._selections.at(loop)
        return State(loop, self._clock, held is not None, units, upgrades, stats, selections, self._players)
