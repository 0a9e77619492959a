"""`Lives`: entities of some classes from their creation to their death, with the combat-log entry of the death."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping

from playhead.dota2.sources.combat_log import CombatEntries
from playhead.dota2.sources.combat_log_entry import Entry, signed
from playhead.dota2.sources.entities import NAME_FIELD, POSITION_FIELDS, integer, npc_name, position
from playhead.dota2.sources.roster import Roster
from playhead.runtime.records import dataclass
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.playback import Playback

_HEALTH, _MAX_HEALTH, _LIFE_STATE, _TEAM = "m_iHealth", "m_iMaxHealth", "m_lifeState", "m_iTeamNum"

#: Fields that `Lives` reads.
LIFE_FIELDS = (NAME_FIELD, _HEALTH, _MAX_HEALTH, _LIFE_STATE, _TEAM, *POSITION_FIELDS)

#: Largest distance, in ticks, between the death of an entity and its entry in the combat log.
SAME_DEATH = 60


@dataclass(slots=True)
class EntityLife:
    """One entity, from its creation to its end.

    Attributes:
        entity: index of the entity.
        kind: word for its class.
        name: its name in the game; None if it has none.
        born: tick of its creation.
        position: its position at creation, in world units.
        health: its last health; 0 after its death.
        died: tick of its death; None if it is alive.
        died_at: position of its death.
        death: the combat-log entry of its death; None without one.
    """

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
    """Tracks the entities of some classes.

    Args:
        playback: the playback, which has to keep `LIFE_FIELDS` of the classes.
        kinds: value of `EntityLife.kind` by class name.
    """

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
    """Assign an entry of the combat log to each ended life: the first unassigned entry that fits.

    Args:
        deaths: DEATH entries of the recording.
        fits: called with a life, the name of an entry's target, and whether the name must fit exactly; exact fits
            are assigned first.
    """
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
