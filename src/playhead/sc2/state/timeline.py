"""The state of a game at a loop: units, upgrades and resources from the tracker (from 2.0.8 on), selections and
control groups from the game's events (in every build)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

from playhead.clock import format_seconds
from playhead.sc2.events.columns import Stream
from playhead.sc2.events.unit_tag import split_tag, unit_tag
from playhead.sc2.state.selection import ACTIVE, SelectionTimeline, UserSelection
from playhead.sc2.tables.schemas import STATS, stat_column
from playhead.sc2.tables.tracker import unit_history

_FOOD = 4096.0
Happening = tuple[Any, ...]


@dataclass(slots=True)
class Unit:
    """A unit that is alive.

    Attributes:
        unit: its tag: index and recycle together, which name it for good; the index alone is used again.
        unit_type: name of its type by now.
        player: who controls it by now; 0 is the neutral player.
        finished: False while it is under construction.
        x, y: position as last known, in cells: where it was born or, later, last sampled; None if never told.
        position_tick: of what loop that position is.
        born_tick: when it appeared, complete or as a construction.
        first_type, first_player: at that time.
    """

    unit: int
    unit_type: str
    player: int
    finished: bool
    x: float | None
    y: float | None
    position_tick: int
    born_tick: int
    first_type: str
    first_player: int

    @property
    def index(self) -> int:
        """Index of the unit; it is used again for later units."""
        return split_tag(self.unit)[0]

    @property
    def recycle(self) -> int:
        """How often the index had been used."""
        return split_tag(self.unit)[1]


@dataclass(frozen=True, slots=True)
class Resources:
    """What a player has by the last statistics, which are of loop `tick`. Rates are for a minute."""

    tick: int
    minerals: int | None
    vespene: int | None
    mineral_rate: int | None
    vespene_rate: int | None
    workers: int | None
    supply_used: float | None
    supply_made: float | None


@dataclass(frozen=True, slots=True, repr=False)
class State:
    """What is known after all events of `loop`.

    Attributes:
        loop, seconds: when.
        has_tracker: False in replays before 2.0.8 and in anonymised packs: then there are selections only.
        units: living units by tag.
        upgrades: levels by player and name.
        stats: by player, the last row of the table ``player_stats``.
        selections: control groups and active selection by user id, observers included.
        players_by_user: player number by user id.
    """

    loop: int
    seconds: float
    has_tracker: bool
    units: Mapping[int, Unit]
    upgrades: Mapping[int, Mapping[str, int]]
    stats: Mapping[int, Mapping[str, Any]]
    selections: Mapping[int, UserSelection]
    players_by_user: Mapping[int, int]

    def __repr__(self) -> str:
        return f"<State at loop {self.loop} ({format_seconds(self.seconds)}): {len(self.units)} units>"

    def _repr_html_(self) -> str:
        from playhead.model import Player
        from playhead.sc2.state.moment import moment_of

        numbers = sorted({*self.stats, *self.players_by_user.values()})
        return moment_of(self, [Player(number, None) for number in numbers]).to_html()

    @property
    def resources(self) -> Mapping[int, Resources]:
        """What each player has, by the last statistics."""
        return {
            player: Resources(
                tick=row["tick"],
                minerals=row["minerals_current"],
                vespene=row["vespene_current"],
                mineral_rate=row["minerals_collection_rate"],
                vespene_rate=row["vespene_collection_rate"],
                workers=row["workers_active_count"],
                supply_used=row["food_used"],
                supply_made=row["food_made"],
            )
            for player, row in self.stats.items()
        }

    def units_of(self, player: int) -> list[Unit]:
        """The living units that a player controls, in the order of their appearance."""
        return [unit for unit in self.units.values() if unit.player == player]

    def unit_with_index(self, index: int) -> Unit | None:
        """The living unit that has this index now."""
        return next((unit for unit in reversed(list(self.units.values())) if unit.index == index), None)

    def selection(self, player: int) -> tuple[int, ...]:
        """Tags of the units that a player has selected; empty where it is not known who the player is."""
        return self.control_groups(player).get(ACTIVE, ())

    def control_groups(self, player: int) -> Mapping[int, tuple[int, ...]]:
        """Tags of the units in a player's control groups, by number; 10 is the active selection."""
        for user, number in self.players_by_user.items():
            if number == player and user in self.selections:
                held = self.selections[user]
                return {group: held.units(group) for group in sorted(held.groups)}
        return {}


def _happenings(stream: Stream) -> list[Happening]:
    """What the tracker tells that a state depends on, in file order: ``(order, loop, what, …)``."""
    found = list(unit_history(stream))
    if "SUnitPositionsEvent" in stream.kinds:
        samples: list[Any] = stream.kinds["SUnitPositionsEvent"].rows("m_firstUnitIndex", "m_items")
        found += ((order, loop, "sample", first, items) for order, loop, first, items in samples)
    if "SUpgradeEvent" in stream.kinds:
        upgrades: list[Any] = stream.kinds["SUpgradeEvent"].rows("m_playerId", "m_upgradeTypeName", "m_count")
        found += ((order, loop, "upgrade", *rest) for order, loop, *rest in upgrades)
    if "SPlayerStatsEvent" in stream.kinds:
        stats: list[Any] = stream.kinds["SPlayerStatsEvent"].rows(
            "m_playerId", *(f"m_stats.m_scoreValue{name}" for name in STATS)
        )
        found += ((order, loop, "stats", *rest) for order, loop, *rest in stats)
    found.sort(key=lambda happening: happening[0])
    return found


class _TrackerTimeline:
    """The tracker's part of the state; going forward is cheap, going back starts anew."""

    def __init__(self, stream: Stream, cells: float) -> None:
        self._happenings = _happenings(stream)
        self._cells = cells
        self._restart()

    def _restart(self) -> None:
        self._next = 0
        self._loop = 0
        self.units: dict[int, Unit] = {}
        self.upgrades: dict[int, dict[str, int]] = {}
        self.stats: dict[int, dict[str, Any]] = {}
        self._by_index: dict[int, Unit] = {}

    def advance(self, loop: int) -> None:
        """Go to the end of a loop."""
        if loop < self._loop:
            self._restart()
        while self._next < len(self._happenings):
            _, when, what, *rest = self._happenings[self._next]
            # The tracker of a resumed game starts over at loop 0, with nothing but the players; time goes on.
            when = max(when, self._loop)
            if when > loop:
                break
            self._loop = when
            self._next += 1
            getattr(self, f"_{what}")(*rest)
        self._loop = max(self._loop, loop)

    def _place(self, unit: Unit, x: int | None, y: int | None) -> None:
        if x is not None and y is not None:
            unit.x, unit.y = x * self._cells, y * self._cells
            unit.position_tick = self._loop

    def _appear(
        self, finished: bool, index: Any, recycle: Any, unit_type: Any, player: Any, x: Any, y: Any
    ) -> None:
        tag = unit_tag(index, recycle)
        if tag is not None:
            unit = Unit(tag, unit_type, player, finished, None, None, self._loop, self._loop, unit_type, player)
            self._place(unit, x, y)
            # A life that was told twice, as in a resumed game, starts anew and goes to the end.
            self.units.pop(tag, None)
            self.units[tag] = self._by_index[index] = unit

    def _init(self, *told: Any) -> None:
        self._appear(False, *told[:6])

    def _born(self, *told: Any) -> None:
        self._appear(True, *told[:6])

    def _known(self, index: Any, recycle: Any) -> Unit | None:
        tag = unit_tag(index, recycle)
        return None if tag is None else self.units.get(tag)

    def _done(self, index: Any, recycle: Any) -> None:
        unit = self._known(index, recycle)
        if unit is not None:
            unit.finished = True

    def _type(self, index: Any, recycle: Any, unit_type: Any) -> None:
        unit = self._known(index, recycle)
        if unit is not None:
            unit.unit_type = unit_type

    def _owner(self, index: Any, recycle: Any, player: Any) -> None:
        unit = self._known(index, recycle)
        if unit is not None:
            unit.player = player

    def _died(self, index: Any, recycle: Any, *_: Any) -> None:
        unit = self._known(index, recycle)
        if unit is not None:
            del self.units[unit.unit]
            if self._by_index.get(index) is unit:
                del self._by_index[index]

    def _sample(self, first: Any, items: Any) -> None:
        # Triples of index delta, x and y; the first index stands alone.
        index = first or 0
        for place in range(0, len(items or ()) - 2, 3):
            index += items[place]
            unit = self._by_index.get(index)
            if unit is not None:
                self._place(unit, items[place + 1], items[place + 2])

    def _upgrade(self, player: Any, name: Any, count: Any) -> None:
        levels = self.upgrades.setdefault(player, {})
        levels[name] = levels.get(name, 0) + (count or 0)

    def _stats(self, player: Any, *values: Any) -> None:
        row = {"tick": self._loop, "player": player}
        for name, value in zip(STATS, values, strict=True):
            is_food = name.startswith("Food") and value is not None
            row[stat_column(name)] = value / _FOOD if is_food else value
        self.stats[player] = row


class Timeline:
    """Gives the state at any loop; asking in ascending order is cheap."""

    def __init__(
        self, game: Stream | None, tracker: Stream | None, cells: float, rate: float, players: Mapping[int, int]
    ) -> None:
        """The two streams where the replay has them, cells in one unit of the tracker's positions, loops in a
        second, and player numbers by user id."""
        self._selections = None if game is None else SelectionTimeline(game)
        self._tracker = None if tracker is None else _TrackerTimeline(tracker, cells)
        self._rate = rate
        self._players = players

    def at(self, loop: int) -> State:
        """The state after all events of `loop`; it stays as it is when the next is asked for."""
        held = self._tracker
        if held is not None:
            held.advance(loop)
        return State(
            loop=loop,
            seconds=loop / self._rate,
            has_tracker=held is not None,
            units={} if held is None else {tag: copy(unit) for tag, unit in held.units.items()},
            upgrades={} if held is None else {player: dict(levels) for player, levels in held.upgrades.items()},
            stats={} if held is None else dict(held.stats),
            selections={} if self._selections is None else self._selections.at(loop),
            players_by_user=self._players,
        )
