"""Tables ``hostages`` and ``other_deaths``: hostages, and what dies without being a player, such as chickens."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

from playhead.cs2.facts import PLACE, TABLES, TIME, WEAPON, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import PLACE_FIELDS, place
from playhead.cs2.sources.people import columns_of
from playhead.source2.entities.entity import Entity
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word

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

    entities: ClassVar = True

    def attach(self, playback: Playback) -> None:
        self._entities = playback.entities

    def _place(self, index: object) -> dict[str, float | None]:
        entity: Entity | None = self._entities.find(index) if isinstance(index, int) else None
        return dict(zip("xyz", place(entity), strict=True))


@TABLES.maker_of(HOSTAGES)
class Hostages(_EventsOfThings):
    """Table ``hostages``."""

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
    """Table ``other_deaths``."""

    fields = MappingProxyType({"CChicken": PLACE_FIELDS})

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self.match.events(playback).on("other_death", self._on_death)

    def _on_death(self, tick: int, values: Mapping[str, Any]) -> None:
        index = values.get("otherid")
        row = {"tick": tick, "victim": values.get("othertype"), "entity": index, "weapon": values.get("weapon")}
        attacker = columns_of(self.match.people.in_slot(values.get("attacker")), "attacker_")
        self._rows.append(row | attacker | self._place(index))
