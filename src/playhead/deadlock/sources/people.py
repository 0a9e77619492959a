"""`DeadlockPeople`: the players of a match with hero and team, found from their controllers and pawns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from playhead.deadlock.sources.entities import index_of, names_of, number
from playhead.deadlock.sources.names import hero_name
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.manager import EntityManager
from playhead.source2.entities.watching import FieldWatch
from playhead.tables.schema import Column
from playhead.tables.vocabulary import words

CONTROLLER = "CCitadelPlayerController"
PAWN = "CCitadelPlayerPawn"

#: Numbers of the teams of players.
TEAMS = (2, 3)

#: Fields that `DeadlockPeople` reads.
PEOPLE_FIELDS: Mapping[str, Sequence[str]] = {
    CONTROLLER: (*names_of(("m_nHeroID",)), "m_iTeamNum", "m_hPawn", "m_hHeroPawn", "m_steamID"),
    PAWN: ("m_hController", "m_hDefaultController", *names_of(("m_nHeroID",)), "m_iTeamNum"),
}


class DeadlockPerson(NamedTuple):
    """A player at one moment.

    Attributes:
        player: number of the player, as in table ``players``: index of the controller less one.
        hero_id, hero: number and name of the hero; None before one is chosen, or if the number has no name.
        team: 2 is the Hidden King, 3 the Archmother.
    """

    player: int
    hero_id: int | None
    hero: str | None
    team: int | None


class DeadlockPeople:
    """The players in the present state of a playback; `version` counts the changes of controllers and of their
    bodies."""

    def __init__(self, entities: EntityManager) -> None:
        self._entities = entities
        self.version = 0
        self._known: dict[int, DeadlockPerson | None] = {}
        entities.on_entity(FieldWatch(PEOPLE_FIELDS[CONTROLLER], self._on_change), CONTROLLER)
        entities.on_entity(FieldWatch(PEOPLE_FIELDS[PAWN], self._on_change), PAWN)

    def _on_change(self, _entity: Entity, _op: EntityOp) -> None:
        self.version += 1
        self._known.clear()

    def controllers(self) -> Iterator[Entity]:
        """Yield the controllers of people on a side, by player."""
        for entity in sorted(self._entities.find_all_by_class_name(CONTROLLER), key=lambda found: found.index):
            if entity.active and number(entity, "m_iTeamNum") in TEAMS:
                yield entity

    def pawn(self, controller: Entity) -> Entity | None:
        """Return the hero's body of a controller; None if it has none."""
        for name in ("m_hHeroPawn", "m_hPawn"):
            index = index_of(controller.get(name))
            entity = None if index is None else self._entities.find(index)
            if entity is not None and entity.class_name == PAWN:
                return entity
        return None

    def entity(self, index: int | None) -> Entity | None:
        """Return the entity at an index, or None."""
        return None if index is None or not 0 <= index < 1 << 14 else self._entities.find(index)

    def controller(self, index: int | None) -> Entity | None:
        """Return the controller with an entity index, or of the pawn with it; None if it is neither."""
        entity = self.entity(index)
        if entity is None or entity.class_name == CONTROLLER:
            return entity
        if entity.class_name != PAWN:
            return None
        for name in ("m_hController", "m_hDefaultController"):
            owner = self.entity(index_of(entity.get(name)))
            if owner is not None and owner.class_name == CONTROLLER:
                return owner
        return None

    def body(self, index: int | None) -> Entity | None:
        """Return the hero's body of the controller or pawn at an index; None if it is neither, or has none."""
        controller = self.controller(index)
        return None if controller is None else self.pawn(controller)

    def at(self, index: int | None) -> DeadlockPerson | None:
        """Return the player whose controller or pawn is the entity at an index; None if it is neither."""
        if index is None:
            return None
        if index not in self._known:
            found = self.controller(index)
            self._known[index] = None if found is None else self.person(found)
        return self._known[index]

    def slot(self, player: int | None) -> DeadlockPerson | None:
        """Return the player with a number, or None."""
        return None if player is None or player < 0 else self.at(player + 1)

    def person(self, controller: Entity) -> DeadlockPerson:
        """Return the player of a controller."""
        hero = number(controller, "m_nHeroID") or number(self.pawn(controller), "m_nHeroID") or None
        return DeadlockPerson(controller.index - 1, hero, hero_name(hero), number(controller, "m_iTeamNum"))


def person_columns(role: str = "") -> tuple[Column, ...]:
    """Return the columns of a person at the tick of the row; `role` is ``attacker_``, ``victim_`` …"""
    return words(" ".join(role + name for name in ("player", "hero", "hero_id", "team", "side")))


def person_row(person: DeadlockPerson | None, role: str = "") -> dict[str, Any]:
    """Return the values of `person_columns` except the side, which `DeadlockMatch.table` fills; empty without a
    person."""
    if person is None:
        return {}
    return {
        f"{role}player": person.player,
        f"{role}hero": person.hero,
        f"{role}hero_id": person.hero_id,
        f"{role}team": person.team,
    }
