"""Tables ``bomb``, ``hostages`` and ``other_deaths`` (what dies without being a player, such as chickens)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

from playhead.cs2.facts import PLACE, TABLES, TIME, WEAPON, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import PAWN, PLACE_FIELDS, place
from playhead.cs2.sources.people import Person, columns_of
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word

_CARRIED, _PLANTED = "CC4", "CPlantedC4"
_OWNER, _ARMING = "m_hOwnerEntity", "m_bStartedArming"
_SITE, _DEFUSED_NOW, _DEFUSER = "m_nBombSite", "m_bBeingDefused", "m_hBombDefuser"
_DEFUSED, _EXPLODED = "m_bBombDefused", "m_bHasExploded"

BOMB = TableSchema.of(
    "bomb",
    "What happened to the bomb, from its entities (CC4, CPlantedC4), so events need not be recorded.",
    *TIME,
    word(
        "event",
        "picked_up, dropped, plant_started, plant_aborted, planted, defuse_started, defuse_aborted, defused, "
        "exploded.",
    ),
    *person(),
    word("bomb_site"),
    *PLACE,
)


class _Carried:
    """A bomb that is not planted: its carrier, and whether planting has begun."""

    def __init__(self) -> None:
        self.owner: Person | None = None
        self.arming = False


@TABLES.maker_of(BOMB)
class Bomb(Cs2Facts):
    jobs: ClassVar = Jobs(extra=3)

    fields = MappingProxyType(
        {
            _CARRIED: (*PLACE_FIELDS, _OWNER, _ARMING),
            _PLANTED: (*PLACE_FIELDS, _SITE, _DEFUSED_NOW, _DEFUSER, _DEFUSED, _EXPLODED),
            PAWN: PLACE_FIELDS,
        }
    )

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._carried: dict[int, _Carried] = {}
        self._planter: Person | None = None
        self._state: dict[int, tuple[bool, bool, bool]] = {}
        self._defuser: Person | None = None
        playback.entities.on_entity(self._on_carried, _CARRIED)
        playback.entities.on_entity(self._on_planted, _PLANTED)

    def _add(self, event: str, who: Person | None, where: Entity | None, site: str | None = None) -> None:
        at = place(where)
        if None in at:
            at = place(self.match.people.pawn(who))
        row = {"tick": self._playback.tick, "event": event, **columns_of(who, ""), "bomb_site": site}
        self._rows.append(row | dict(zip("xyz", at, strict=True)))

    def _on_carried(self, bomb: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            # A planted bomb is another entity, which comes with or before the deletion of this one.
            gone = self._carried.pop(bomb.index, None)
            if gone is not None and gone.arming:
                self._planter = gone.owner
            return
        known = self._carried.get(bomb.index)
        if known is None or op & EntityOp.CREATED:
            known = self._carried[bomb.index] = _Carried()
        owner = self.match.people.of_pawn(bomb.get(_OWNER))
        pawn = self.match.people.pawn(owner)
        if owner is not known.owner:
            if known.owner is not None:
                self._add("dropped", known.owner, bomb)
            if owner is not None:
                self._add("picked_up", owner, pawn)
            known.owner = owner
        arming = bool(bomb.get(_ARMING))
        if arming != known.arming:
            known.arming = arming
            if arming:
                self._planter = owner
                self._add("plant_started", owner, pawn)
            elif not self._state:
                self._add("plant_aborted", owner, pawn)

    def _on_planted(self, bomb: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            self._state.pop(bomb.index, None)
            return
        number = bomb.get_int(_SITE)
        site = {0: "A", 1: "B"}.get(-1 if number is None else number)
        now = (bool(bomb.get(_DEFUSED_NOW)), bool(bomb.get(_DEFUSED)), bool(bomb.get(_EXPLODED)))
        before = self._state.get(bomb.index)
        self._state[bomb.index] = now
        if before is None or op & EntityOp.CREATED:
            self._add("planted", self._planter, bomb, site)
            before = (False, False, False)
        if now[0] and not before[0]:
            self._defuser = self.match.people.of_pawn(bomb.get(_DEFUSER))
            self._add("defuse_started", self._defuser, bomb, site)
        if now[1] and not before[1]:
            self._add("defused", self._defuser, bomb, site)
        elif before[0] and not now[0] and not now[1]:
            self._add("defuse_aborted", self._defuser, bomb, site)
        if now[2] and not before[2]:
            self._add("exploded", None, bomb, site)


_HOSTAGE = "CHostage"
_HOSTAGE_EVENTS = {
    "hostage_follows": "picked_up",
    "hostage_stops_following": "dropped",
    "hostage_hurt": "hurt",
    "hostage_killed": "killed",
    "hostage_rescued": "rescued",
    "hostage_call_for_help": "called_for_help",
}

HOSTAGES = TableSchema.of(
    "hostages",
    "One row for each game event of a hostage. A player who takes up a hostage carries it until `dropped` or "
    "`rescued`.",
    *TIME,
    word("event", "picked_up, dropped, hurt, killed, rescued, called_for_help."),
    *person(),
    word("entity", "Of the hostage."),
    *PLACE,
)
OTHER_DEATHS = TableSchema.of(
    "other_deaths",
    "One row for each game event other_death: something that is not a player died, such as a chicken.",
    *TIME,
    word("victim", "othertype of the event: chicken …"),
    word("entity", "Of the victim."),
    *person("attacker_"),
    WEAPON,
    *PLACE,
)


class _EventsOfThings(Cs2Facts):
    """Facts of game events that name an entity by its index."""

    def attach(self, playback: Playback) -> None:
        self._entities = playback.entities

    def _place(self, index: object) -> dict[str, float | None]:
        entity: Entity | None = self._entities.find(index) if isinstance(index, int) else None
        return dict(zip("xyz", place(entity), strict=True))


@TABLES.maker_of(HOSTAGES)
class Hostages(_EventsOfThings):
    jobs: ClassVar = Jobs(extra=3)

    fields = MappingProxyType({_HOSTAGE: PLACE_FIELDS})

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        for name, event in _HOSTAGE_EVENTS.items():
            self.match.events(playback).on(name, partial(self._on_hostage, event))

    def _on_hostage(self, event: str, tick: int, values: Mapping[str, Any]) -> None:
        index = values.get("hostage")
        who = columns_of(self.match.people.in_slot(values.get("userid")), "")
        self._rows.append({"tick": tick, "event": event, **who, "entity": index, **self._place(index)})


@TABLES.maker_of(OTHER_DEATHS)
class OtherDeaths(_EventsOfThings):
    fields = MappingProxyType({"CChicken": PLACE_FIELDS})

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self.match.events(playback).on("other_death", self._on_death)

    def _on_death(self, tick: int, values: Mapping[str, Any]) -> None:
        index = values.get("otherid")
        row = {"tick": tick, "victim": values.get("othertype"), "entity": index, "weapon": values.get("weapon")}
        attacker = columns_of(self.match.people.in_slot(values.get("attacker")), "attacker_")
        self._rows.append(row | attacker | self._place(index))
