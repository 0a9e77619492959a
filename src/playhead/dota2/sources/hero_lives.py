"""`HeroLives`: when the players' heroes died and came back, and which deaths of the log the game counts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any
from weakref import proxy

from playhead.dota2.sources.entities import POSITION_FIELDS, coordinate, integer, whole
from playhead.dota2.sources.match import Dota2Match
from playhead.dota2.sources.roster import RESOURCE_CLASS, TEAM_ROW, team_fields, with_fields
from playhead.errors import CorruptReplay
from playhead.runtime.records import NamedTuple
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldSlots, FieldWatch
from playhead.source2.playback.playback import Playback

# Largest distance, in ticks, between the entries of a hero and of its clones.
_WITH_CLONES = 2


class CloneDeaths:
    """Call `is_clone` with every death, in order."""

    def __init__(self) -> None:
        self._last: dict[int, int] = {}

    def is_clone(self, tick: int, player: int) -> bool:
        """Return whether a death follows another one of the same player at the same time."""
        before = self._last.get(player)
        self._last[player] = tick
        return before is not None and tick - before <= _WITH_CLONES


class HeroPlaces:
    """Samples the heroes of all players.

    Create it with `of`; its collector declares `POSITION_FIELDS` of the heroes, and calls `on_sample` of `sampler`
    afterwards.

    Attributes:
        now: values of `POSITION_FIELDS` at the current sample, by player; a new object for each sample.
    """

    def __init__(self, match: Dota2Match, playback: Playback) -> None:
        self._roster = match.roster(playback)
        self._slots = FieldSlots(POSITION_FIELDS)
        self.now: dict[int, list[Any]] = {}
        self.sampler = match.sampler(playback, match.interval("1s"))
        self.sampler.on_sample(self._on_sample)

    @staticmethod
    def of(match: Dota2Match, playback: Playback) -> HeroPlaces:
        """Return the one of a match."""
        return match.shared("hero_places", lambda: HeroPlaces(match, playback))

    def _on_sample(self, _tick: int) -> None:
        values = self._slots.values
        self.now = {
            place.seat.player: values(place.hero) for place in self._roster.lineup if place.hero is not None
        }


def place_of(values: list[Any]) -> tuple[float, float] | None:
    """Return the world coordinates of a sample; None if unknown."""
    cell_x, cell_y, offset_x, offset_y = values
    x, y = coordinate(cell_x, offset_x), coordinate(cell_y, offset_y)
    return None if x is None or y is None else (x, y)


_HEROES, _LIFE = "CDOTA_Unit_Hero_*", "m_lifeState"
_OF_PLAYER = "m_vecPlayerTeamData.{:04}."
_NET_WORTH = "m_iNetWorth"
_LEVEL, _DEATHS = _OF_PLAYER + "m_iLevel", _OF_PLAYER + "m_iDeaths"
_PLAYERS = 24
#: Largest distance, in ticks, of the hero's m_lifeState, its m_iDeaths and the lost gold from the DEATH entry.
SAME_DEATH = 60
# A hero that comes back by an Aegis or Reincarnation is dead for five or three seconds.
_REVIVAL = 10.0

#: Fields that `HeroLives` reads.
HERO_LIFE_FIELDS: Mapping[str, Sequence[str]] = with_fields(
    {
        _HEROES: (_LIFE, *POSITION_FIELDS),
        RESOURCE_CLASS: (_LEVEL.replace("{:04}", "????"), _DEATHS.replace("{:04}", "????")),
    },
    team_fields((_NET_WORTH,)),
)


class DeathPlace(NamedTuple):
    """A hero at the end of the packet of a death; None if unknown."""

    x: float | None = None
    y: float | None = None
    level: int | None = None
    net_worth: int | None = None
    alive: bool = False


NOWHERE = DeathPlace()

# Changes of a hero between alive and dead; at a death also the places of all heroes, by player.
_Changes = list[tuple[int, bool, Mapping[int, DeathPlace]]]


class LoggedDeath(NamedTuple):
    """A DEATH entry of a player's hero, without illusions; `returns` is its will_reincarnate."""

    player: int
    tick: int
    returns: bool


class HeroLives:
    """Follows m_lifeState of the heroes and m_iDeaths of the players. Create it with `of`."""

    def __init__(self, match: Dota2Match, playback: Playback) -> None:
        # The match holds this object: a reference back would keep both alive.
        self._match, self._playback = proxy(match), playback
        self._roster = match.roster(playback)
        self._lives: dict[int, _Changes] = {}  # by handle of the hero
        self._counts: dict[int, list[tuple[int, int]]] = {}  # tick and m_iDeaths, by player
        # The heroes at the end of the present packet, if one died in it.
        self._fallen: dict[int, DeathPlace] | None = None
        playback.after_packet(self._after_packet)
        known = EntityOp.CREATED | EntityOp.UPDATED
        playback.entities.on_entity(FieldWatch((_LIFE,), self._on_hero), _HEROES, known)
        self._of_hero = FieldSlots((*POSITION_FIELDS, _LIFE))
        deaths = [_DEATHS.format(player) for player in range(_PLAYERS)]
        self._of_resource = FieldSlots(deaths)
        watch = FieldWatch(deaths, self._on_resource)
        playback.entities.on_entity(watch, RESOURCE_CLASS, known)

    @staticmethod
    def of(match: Dota2Match, playback: Playback) -> HeroLives:
        """Return the one of a match."""
        return match.shared("hero_lives", lambda: HeroLives(match, playback))

    def _on_hero(self, entity: Entity, _op: EntityOp) -> None:
        dead = bool(integer(entity, _LIFE))
        places: dict[int, DeathPlace] = {}
        if dead and self._roster.player_of(entity.handle) is not None:
            places = self._fallen = {} if self._fallen is None else self._fallen
        self._note(entity.handle, self._playback.tick, not dead, places)

    def _after_packet(self, _tick: int) -> None:
        if self._fallen is None:
            return
        places, self._fallen = self._fallen, None
        resource = self._roster.resource
        for seat, hero, *_ in self._roster.lineup:
            level = None if resource is None else integer(resource, _LEVEL.format(seat.player))
            row = TEAM_ROW.format(seat.row) + _NET_WORTH
            worth = (integer(entity, row) for entity in self._roster.holders(seat))
            x = y = None
            if hero is not None:
                cell_x, cell_y, offset_x, offset_y, life = self._of_hero.values(hero)
                x, y = coordinate(cell_x, offset_x), coordinate(cell_y, offset_y)
            is_alive = hero is not None and not whole(life)
            places[seat.player] = DeathPlace(x, y, level, first_known(*worth), is_alive)

    def _note(self, handle: int, tick: int, alive: bool, places: Mapping[int, DeathPlace]) -> None:
        changes = self._lives.setdefault(handle, [])
        if not changes or changes[-1][1] != alive:
            changes.append((tick, alive, places))

    def _on_resource(self, entity: Entity, _op: EntityOp) -> None:
        for player, value in enumerate(self._of_resource.values(entity)):
            count = whole(value)
            if count is not None:
                self._count(player, self._playback.tick, count)

    def _count(self, player: int, tick: int, count: int) -> None:
        counts = self._counts.setdefault(player, [])
        if not counts or counts[-1][1] != count:
            counts.append((tick, count))

    def part(self) -> tuple[dict[int, _Changes], dict[int, list[tuple[int, int]]]]:
        """Return the lives and counts of a stretch of the recording, for `put_before`."""
        return self._lives, self._counts

    def put_before(self, earlier: Iterable[tuple[dict[int, _Changes], dict[int, list[tuple[int, int]]]]]) -> None:
        """Insert the parts of the stretches before; a stretch begins with the state that was."""
        parts = [*earlier, self.part()]
        self._lives, self._counts = {}, {}
        for lives, counts in parts:
            for handle, changes in lives.items():
                for change in changes:
                    self._note(handle, *change)
            for player, numbers in counts.items():
                for tick, count in numbers:
                    self._count(player, tick, count)

    # -- the end ----------------------------------------------------------------------------------------

    def death(self, player: int, tick: int, end: int) -> tuple[int | None, Mapping[int, DeathPlace]]:
        """Return the tick at which a dead hero is alive again, or `end` (None if its death is unknown), and the
        places of the heroes at the death.
        """
        for handle, owner in self._roster.players_by_hero.items():
            changes = self._lives.get(handle, []) if owner == player else []
            first = bisect_left(changes, tick - SAME_DEATH, key=lambda change: change[0])
            for place in range(max(0, first - 1), len(changes)):
                then, alive, places = changes[place]
                if not alive and abs(then - tick) <= SAME_DEATH:
                    later = min(end, changes[place + 1][0] if place + 1 < len(changes) else end)
                    return max(then, later), places
        return None, {}

    def counted(self, deaths: Sequence[LoggedDeath]) -> list[bool]:
        """Return a mask of the deaths that count: m_iDeaths rose. Clones follow their hero.

        A revival by an Aegis may come without `will_reincarnate`. Call this after the playback.

        Where the log and m_iDeaths differ, that is a problem of the replay.
        """
        found = [not death.returns for death in deaths]
        by_player: dict[int, list[int]] = {}
        clones = CloneDeaths()
        heads: list[int] = []
        for number, death in enumerate(deaths):
            if death.returns or not clones.is_clone(death.tick, death.player):
                by_player.setdefault(death.player, []).append(number)
            heads.append(number)
            if not death.returns:
                heads[number] = by_player[death.player][-1]
        for player, numbers in by_player.items():
            self._judge(player, deaths, numbers, found)
        return [found[head] for head in heads]

    def _judge(self, player: int, deaths: Sequence[LoggedDeath], numbers: list[int], found: list[bool]) -> None:
        """Correct `found` for the deaths of a player."""
        counts = self._counts.get(player, [])
        risen = ((tick, now - before) for (_, before), (tick, now) in pairwise(counts))
        rises = [tick for tick, number in risen for _ in range(min(number, len(numbers)))]
        left = []
        for rise in rises:
            near = [each for each in numbers if abs(deaths[each].tick - rise) <= SAME_DEATH]
            if not near:
                left.append(rise)
                continue
            best = min(near, key=lambda each: (deaths[each].returns, abs(deaths[each].tick - rise)))
            numbers = [each for each in numbers if each != best]
            if deaths[best].returns:
                found[best] = True
                self._differ(deaths[best], "counts a death with will_reincarnate", "none: table kills has it")
        if not counts or left:  # the recording has gaps, or not the counter
            return
        seen = range(counts[0][0] + SAME_DEATH + 1, self._playback.tick - SAME_DEATH)
        for each in numbers:
            death = deaths[each]
            if death.returns or death.tick not in seen:
                continue
            found[each] = self._is_long(death)
            cost = "none: table kills has it" if found[each] else "none: taken for a revival, as by an Aegis"
            self._differ(death, "does not count a death without will_reincarnate", cost)

    def unlogged(self, deaths: Sequence[LoggedDeath]) -> list[LoggedDeath]:
        """Return, in order, the ends of lives that none of `deaths` reports: those for which m_iDeaths rises or,
        if the recording lacks it, those that no revival follows. Each is a problem of the replay, unless the
        recording has no log of deaths at all.
        """
        logged: dict[int, list[int]] = {}
        for death in deaths:
            logged.setdefault(death.player, []).append(death.tick)
        found = []
        for handle, player in self._roster.players_by_hero.items():
            ticks = logged.get(player, ())
            for (_, was_alive, _), (tick, alive, _) in pairwise(self._lives.get(handle, [])):
                death = LoggedDeath(player, tick, False)
                is_logged = any(abs(tick - each) <= SAME_DEATH for each in ticks)
                if was_alive and not alive and not is_logged and self._counts_unlogged(death):
                    found.append(death)
        names = self._roster.hero_names()
        for death in found if deaths else ():
            error = CorruptReplay(f"a life of {names.get(death.player)} ends without a DEATH entry")
            self._match.problem(error, death.tick, "the attacker: table kills has the death, known by the state")
        return sorted(found, key=lambda death: death.tick)

    def _counts_unlogged(self, death: LoggedDeath) -> bool:
        counts = self._counts.get(death.player)
        if counts:
            return any(b > a and abs(tick - death.tick) <= SAME_DEATH for (_, a), (tick, b) in pairwise(counts))
        return self._is_long(death)

    def _is_long(self, death: LoggedDeath) -> bool:
        """Return whether a death lasts longer than one that a revival ends."""
        back, _ = self.death(death.player, death.tick, self._playback.tick)
        begin, end = self._match.clock.game_seconds_at((death.tick, back))
        return begin is not None and end is not None and end - begin > _REVIVAL

    def _differ(self, death: LoggedDeath, what: str, cost: str) -> None:
        hero = self._roster.hero_names().get(death.player)
        self._match.problem(CorruptReplay(f"m_iDeaths of {hero} {what}"), death.tick, cost)


def first_known(*values: int | None) -> int | None:
    """Return the first value that is known."""
    return next((value for value in values if value is not None), None)
