"""The state of a game at a loop: living units from the tracker, what players reached from reports of the map."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from playhead.blizzard.events.tracker import UnitRevivedEvent
from playhead.blizzard.protocol.tables import TRACKER
from playhead.blizzard.units.tracked import LivingUnits, Unit
from playhead.clock import Clock
from playhead.hots.tables.player_series import changes_of
from playhead.hots.tables.registry import TABLES
from playhead.model import Moment, Player
from playhead.runtime.records import dataclass, field

if TYPE_CHECKING:
    from playhead.hots.recording.recording import HotsRecording

#: Start of the types of heroes.
HERO = "Hero"


@dataclass(frozen=True, slots=True, repr=False)
class HeroesState(Moment):
    """The state after all events of a game loop.

    Attributes:
        tick: the loop.
        clock: the clock that the game shows.
        units: living units by tag.
        reached: by player: level, kills, assists, deaths, talents; null where the map reports none.
        has_revivals: the tracker records revivals; without them `alive` is unknown after a death.
        roster: the participants, as `Replay.players`.
    """

    tick: int = field()  # as for `clock` and `units`, whose default would be the abstract property
    clock: Clock | None = field()
    units: Mapping[int, Unit] = field()
    reached: Mapping[int | None, Mapping[str, Any]]
    has_revivals: bool
    roster: tuple[Player, ...] = ()

    @property
    def raw(self) -> Mapping[str, Any]:
        """The parts of the state: ``units``, ``reached``."""
        return {"units": self.units, "reached": self.reached}

    def hero_of(self, player: int) -> Unit | None:
        """Return the living hero of a player; the newest if there are several."""
        own = (unit for unit in reversed(list(self.units.values())) if unit.player == player)
        return next((unit for unit in own if unit.unit_type.startswith(HERO)), None)

    @property
    def players(self) -> Sequence[Mapping[str, Any]]:
        """The players with hero, place, level, score and talents."""
        rows = []
        for player in self.roster:
            if player.player is None:  # only watches
                continue
            hero = self.hero_of(player.player)
            row = {key: getattr(player, key) for key in self.PLAYER_KEYS}
            row |= {"hero": player.character, **self.reached.get(player.player, _NOTHING_REACHED)}
            row["alive"] = True if hero is not None else False if self.has_revivals else None
            row |= {name: None if hero is None else getattr(hero, name) for name in ("x", "y", "position_tick")}
            rows.append(row)
        return rows

    @property
    def unit_counts(self) -> Sequence[Mapping[str, Any]]:
        """Units of each player by type, the most first; 11 and 12 are the minions and buildings of the sides."""
        counts = Counter((unit.player, unit.unit_type) for unit in self.units.values() if unit.player in _OF_SIDES)
        ordered = sorted(counts.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
        return [{"player": player, "unit_type": kind, "count": count} for (player, kind), count in ordered]


#: Numbers of players that have units: ten people, and minions and buildings of the two sides.
_OF_SIDES = range(1, 13)
_NOTHING_REACHED = dict.fromkeys("level kills assists deaths talents".split())


class HeroesTimeline:
    """The state at any loop. Ascending loops are cheap."""

    def __init__(self, recording: HotsRecording, clock: Clock | None, roster: tuple[Player, ...]) -> None:
        stream = recording.stream(TRACKER)
        self._clock, self._roster = clock, roster
        self._living = None if stream is None else LivingUnits(stream, recording.event_scope.tracker_cells)
        self._has_revivals = stream is not None and len(stream.of(UnitRevivedEvent)) > 0
        self._ticks, self._reached = _reached(recording, roster)

    def at(self, loop: int) -> HeroesState:
        """Return the state after all events of `loop`. Later calls do not change it."""
        units: dict[int, Unit] = {}
        if self._living is not None:
            self._living.advance(loop)
            units = self._living.units()
        reached = self._reached[bisect_right(self._ticks, loop)]
        return HeroesState(loop, self._clock, units, reached, self._has_revivals, self._roster)


_Reached = dict[int | None, dict[str, Any]]


def _reached(recording: HotsRecording, roster: tuple[Player, ...]) -> tuple[list[int], list[_Reached]]:
    """Return the ticks at which players reached something, and what all have before the first and after each.

    These are some hundred in a match, and a state at any loop then has only to choose one.
    """
    changes: list[tuple[int, int | None, str, Any]] = list(changes_of(recording))
    now: _Reached = {
        player.player: {"level": None, "kills": 0, "assists": 0, "deaths": 0, "talents": []}
        for player in roster
        if player.player is not None and changes
    }
    chosen = TABLES.build(recording, ["talents"])["talents"].select(["tick", "player", "talent"])
    for tick, player, talent in zip(*(column.to_pylist() for column in chosen.columns), strict=True):
        changes.append((tick, player, "talents", [talent]))
    ticks, found = list[int](), [now]
    for tick, player, name, value in sorted(changes, key=lambda change: change[0]):
        row = now.get(player, {})
        if name in row:
            more = 1 if value is None else value
            after = row[name] + more if value is None or name == "talents" else value
            now = {**now, player: {**row, name: after}}
            ticks.append(tick)
            found.append(now)
    return ticks, found
