"""`Lives`: entities of some classes from their first sight to their death, and the combat log's word on it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping

from playhead.dota2.sources.combat_log import CombatEntries
from playhead.dota2.sources.combat_log_entry import Entry, signed
from playhead.dota2.sources.entities import NAME_FIELD, POSITION_FIELDS, integer, npc_name, position
from playhead.runtime.records import dataclass
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.playback import Playback

_HEALTH, _MAX_HEALTH, _LIFE_STATE, _TEAM = "m_iHealth", "m_iMaxHealth", "m_lifeState", "m_iTeamNum"

#: Fields that `Lives` reads.
LIFE_FIELDS = (NAME_FIELD, _HEALTH, _MAX_HEALTH, _LIFE_STATE, _TEAM, *POSITION_FIELDS)

#: A death in the combat log belongs to an entity that died at most this many ticks from it.
SAME_DEATH = 60


@dataclass(slots=True)
class Life:
    """One entity, from its first sight to its end.

    Attributes:
        entity: index of the entity.
        kind: what its class is called.
        name: the game's name of it; None if it has none.
        born: tick at which it was there first.
        position: where it was then, in world units.
        health: as last seen; 0 once it died.
        died: tick of its death; None while it lives.
        died_at: where it died.
        death: entry of the combat log that belongs to its death; None without one.
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
    """Follows the entities of some classes.

    Args:
        playback: it has to keep `LIFE_FIELDS` of the classes.
        kinds: by class name, what entities of it are called in `Life.kind`.
    """

    def __init__(self, playback: Playback, kinds: Mapping[str, str]) -> None:
        self._playback = playback
        self._kinds = kinds
        self._alive: dict[int, Life] = {}
        self._over: list[Life] = []
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
                self._alive[entity.index] = Life(
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

    def _end(self, life: Life, entity: Entity, tick: int) -> None:
        life.died, life.health, life.died_at = tick, 0, position(entity)
        del self._alive[life.entity]
        self._over.append(life)

    def all(self) -> list[Life]:
        """Return every life so far, in order of their beginnings."""
        return sorted([*self._over, *self._alive.values()], key=lambda life: (life.born, life.entity))


def assign_deaths(lives: list[Life], deaths: CombatEntries, fits: Callable[[Life, str, bool], bool]) -> None:
    """Give each life that ended its entry of the combat log: the first free one that fits.

    Args:
        deaths: DEATH entries of the recording.
        fits: called with a life, the name that an entry calls its target, and whether the name must fit exactly;
            entries that fit exactly are given out first.
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


def killer_of(life: Life, deaths: CombatEntries) -> tuple[str | None, int | None]:
    """Return name and team of who dealt the last blow; None where the combat log has no entry of the death."""
    if life.death is None:
        return None, None
    return deaths.name(life.death.attacker), signed(life.death.attacker_team)
