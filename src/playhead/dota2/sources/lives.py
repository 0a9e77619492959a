"""`Lives`: entities of some classes from their creation to their death, with the combat-log entry of the death."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence

from playhead.dota2.sources.combat_log import NAMES, Entry, signed
from playhead.dota2.sources.combat_log_feed import CombatLogFeed
from playhead.dota2.sources.entities import NAME_FIELD, POSITION_FIELDS, integer, npc_name, position
from playhead.dota2.sources.roster import Roster
from playhead.runtime.records import dataclass
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.playback import Playback


def pair_nearest(ends: Sequence[int], reports: Sequence[int], within: int) -> dict[int, int]:
    """Pair each of `reports` with the nearest of `ends`, at most `within` ticks away, nearest pairs first, each
    at most once; return places in `reports` by places in `ends`."""
    order = sorted(range(len(ends)), key=ends.__getitem__)
    pairs = []
    first = 0
    for place in sorted(range(len(reports)), key=reports.__getitem__):
        while first < len(order) and ends[order[first]] < reports[place] - within:
            first += 1
        for at in order[first:]:
            if ends[at] > reports[place] + within:
                break
            pairs.append((abs(ends[at] - reports[place]), ends[at], at, place))
    out: dict[int, int] = {}
    used: set[int] = set()
    for _, _, at, place in sorted(pairs):
        if at not in out and place not in used:
            out[at] = place
            used.add(place)
    return out


_HEALTH, _MAX_HEALTH, _LIFE_STATE, _TEAM = "m_iHealth", "m_iMaxHealth", "m_lifeState", "m_iTeamNum"

#: Fields that `Lives` reads.
LIFE_FIELDS = (NAME_FIELD, _HEALTH, _MAX_HEALTH, _LIFE_STATE, _TEAM, *POSITION_FIELDS)

#: Largest distance, in ticks, between the death of an entity and its entry in the combat log.
SAME_DEATH = 60


class CombatEntries:
    """Collects the entries of some types, in order, while a recording is played; others are not decoded."""

    def __init__(self, feed: CombatLogFeed, playback: Playback, types: Iterable[str]) -> None:
        self._playback = playback
        self.entries: list[Entry] = []
        feed.listen(self.entries, types)

    def name(self, number: int | None) -> str | None:
        """Return a name by its number in the string table CombatLogNames, which is complete after the playback."""
        if not number:
            return None
        tables = self._playback.string_tables
        name = tables[NAMES].key_of(number) if NAMES in tables else None
        return f"#{number}" if name is None else name

    def on_targets(self, fits: Callable[[str], bool]) -> list[Entry]:
        """Return the entries whose target has a name that fits; call it after the playback."""
        numbers = {entry.target for entry in self.entries}
        fitting = {number for number in numbers if fits(self.name(number) or "")}
        return [entry for entry in self.entries if entry.target in fitting]


@dataclass(slots=True)
class EntityLife:
    """One entity from its creation to its death (`died`, None while it lives), with the combat-log entry of the
    death. `kind` is the word for its class."""

    entity: int
    kind: str
    name: str | None
    team: int | None
    born: int
    position: tuple[float | None, float | None]
    max_health: int | None
    health: int | None
    died: int | None = None
    died_at: tuple[float | None, float | None] = (None, None)
    death: Entry | None = None


class Lives:
    """Tracks the entities of some classes, whose words are `kinds`; the playback has to keep their
    `LIFE_FIELDS`."""

    def __init__(self, playback: Playback, kinds: Mapping[str, str]) -> None:
        self._playback = playback
        self._kinds = kinds
        self._alive: dict[int, EntityLife] = {}
        self._over: list[EntityLife] = []
        watch = FieldWatch((_LIFE_STATE, _HEALTH), self._on_entity)
        for name in kinds:
            playback.entities.on_entity(watch, name)

    def _on_entity(self, entity: Entity, op: EntityOp) -> None:
        life = self._alive.get(entity.index)
        tick = self._playback.tick
        if op & EntityOp.DELETED:
            if life is not None:
                self._end(life, entity, tick)
            return
        alive = not integer(entity, _LIFE_STATE)
        if life is None:
            if alive:
                self._alive[entity.index] = EntityLife(
                    entity.index,
                    self._kinds[entity.class_name],
                    npc_name(self._playback.entities, entity),
                    integer(entity, _TEAM),
                    tick,
                    position(entity),
                    integer(entity, _MAX_HEALTH),
                    integer(entity, _HEALTH),
                )
            return
        life.health = integer(entity, _HEALTH)
        if not alive:
            self._end(life, entity, tick)

    def _end(self, life: EntityLife, entity: Entity, tick: int) -> None:
        life.died, life.health, life.died_at = tick, 0, position(entity)
        del self._alive[life.entity]
        self._over.append(life)

    def all(self) -> list[EntityLife]:
        """Return all lives so far, in order of creation."""
        return sorted([*self._over, *self._alive.values()], key=lambda life: (life.born, life.entity))


def assign_deaths(
    lives: list[EntityLife], deaths: CombatEntries, fits: Callable[[EntityLife, str, bool], bool]
) -> None:
    """Assign an entry of the log of deaths to each ended life: the first unassigned entry that fits, first those
    whose target's name fits exactly."""
    entries = deaths.entries
    ticks = [entry.tick for entry in entries]
    taken: set[int] = set()
    for exact in (True, False):
        for life in lives:
            if life.died is None or life.death is not None:
                continue
            near = range(bisect_left(ticks, life.died - SAME_DEATH), bisect_right(ticks, life.died + SAME_DEATH))
            for number in near:
                target = deaths.name(entries[number].target) or ""
                if number not in taken and fits(life, target, exact):
                    life.death = entries[number]
                    taken.add(number)
                    break


def attacker_player(death: Entry | None, deaths: CombatEntries, roster: Roster) -> int | None:
    """Return the player whose hero, or whose hero's unit, struck the last blow."""
    if death is None:
        return None
    player = roster.player_named(deaths.name(death.damage_source))
    return roster.player_named(deaths.name(death.attacker)) if player is None else player


def attacker_of(life: EntityLife, deaths: CombatEntries) -> tuple[str | None, int | None]:
    """Return name and team of the attacker; None if the combat log has no entry of the death."""
    if life.death is None:
        return None, None
    return deaths.name(life.death.attacker), signed(life.death.attacker_team)
