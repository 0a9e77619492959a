"""Table ``objective_events``: events that change the course of a match, from structures and chat events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.map.bosses import BOSS_NAMES
from playhead.dota2.facts.map.structures import (
    STRUCTURE_CLASSES,
    TAKEN_CLASSES,
    assign_attackers,
    in_order_of_fall,
)
from playhead.dota2.sources.chat_events import ChatEvent, ChatEvents
from playhead.dota2.sources.combat_log import ENTRY_TABLES, CombatEntries
from playhead.dota2.sources.counter_rises import CounterRises
from playhead.dota2.sources.entities import NAME_FIELD, NAME_TABLE, POSITION_FIELDS, integer, npc_name, position
from playhead.dota2.sources.lives import LIFE_FIELDS, SAME_DEATH, EntityLife, Lives, attacker_of, attacker_player
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.roster import OTHER_SIDE, roster_fields, team_fields
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word, words

OBJECTIVE_EVENTS = TableSchema.of(
    "objective_events",
    "One row for each thing that changes the course of the match, in order.",
    *words("tick seconds game_seconds"),
    word(
        "event",
        "structure_destroyed, boss_killed, aegis_taken, aegis_stolen, aegis_denied, glyph_used, scan_used, "
        "courier_killed, first_blood, mega_creeps_started, watcher_taken, outpost_taken, banner_planted.",
    ),
    word("team", "That did it, also if it destroyed its own structure."),
    word("side"),
    word("owner_team", "Of the structure or courier; null for other events."),
    word("owner_side"),
    word("player", "That did it; a creep or a tower is no player."),
    word("hero"),
    word("boss", "roshan or tormentor; null for other events."),
    word("entity_name", "Of the structure."),
    word("value", "Of the chat event; null for other sources."),
    word("entity", "Of a watcher, outpost or banner; null for others."),
    *words("x y"),
    word("known_by", "entity, or chat (message DOTA_UM_ChatEvent)."),
)

_TEAM, _OWNER, _WATCHERS = "m_iTeamNum", "m_hOwnerEntity", "m_iWatchersTaken"
_TAKEN = tuple(name for name, kind in TAKEN_CLASSES.items() if kind in ("watcher", "outpost"))
_BANNER = "CDOTA_Unit_Roshans_Banner"
# Largest distance, in ticks, between a watcher's new side and the player's count.
_SAME_TAKING = 15

# Chat event: its name in the table, the field with the team, and the field with the player.
_CHAT = {
    "AEGIS": ("aegis_taken", "", "player_1"),
    "AEGIS_STOLEN": ("aegis_stolen", "", "player_1"),
    "DENIED_AEGIS": ("aegis_denied", "", "player_1"),
    "ROSHAN_KILL": ("boss_killed", "player_1", ""),
    "MINIBOSS_KILL": ("boss_killed", "value", "player_1"),
    "GLYPH_USED": ("glyph_used", "player_1", ""),
    "SCAN_USED": ("scan_used", "value", ""),
    "COURIER_LOST": ("courier_killed", "player_2", "player_1"),
    "FIRSTBLOOD": ("first_blood", "", "player_1"),
    "SUPER_CREEPS": ("mega_creeps_started", "", ""),
}
_BOSSES = {"ROSHAN_KILL": "roshan", "MINIBOSS_KILL": "tormentor"}


@TABLES.maker_of(OBJECTIVE_EVENTS)
class ObjectiveEvents(PlayerFacts):
    """Table ``objective_events``."""

    jobs: ClassVar = Jobs(2, extra=15)
    string_tables = (NAME_TABLE, *ENTRY_TABLES)
    fields = roster_fields(
        dict.fromkeys(STRUCTURE_CLASSES, LIFE_FIELDS),
        dict.fromkeys(_TAKEN, (_TEAM, NAME_FIELD, *POSITION_FIELDS)),
        {_BANNER: (_TEAM, _OWNER, NAME_FIELD, *POSITION_FIELDS)},
        team_fields((_WATCHERS,)),
    )

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._chat = ChatEvents(self.match, playback, _CHAT)
        self._lives = Lives(playback, STRUCTURE_CLASSES)
        self._deaths = CombatEntries(self.match.combat_log(playback), playback, ("DEATH",))
        self._sides: dict[int, int | None] = {}
        self._taken: list[dict[str, Any]] = []
        self._watchers = CounterRises(playback, _WATCHERS)
        watch = FieldWatch((_TEAM,), self._on_taken)
        for name in _TAKEN:
            playback.entities.on_entity(watch, name, EntityOp.CREATED | EntityOp.UPDATED)
        playback.entities.on_entity(self._on_banner, _BANNER, EntityOp.CREATED)

    def _on_taken(self, entity: Entity, _op: EntityOp) -> None:
        """Add a row if another side took a watcher or an outpost."""
        team = integer(entity, _TEAM)
        known, before = entity.handle in self._sides, self._sides.get(entity.handle)
        self._sides[entity.handle] = team
        if known and team != before and team in OTHER_SIDE:
            self._taken.append(self._at(entity, f"{TAKEN_CLASSES[entity.class_name]}_taken", team))

    def _on_banner(self, entity: Entity, _op: EntityOp) -> None:
        row = self._at(entity, "banner_planted", integer(entity, _TEAM))
        row["player"] = self._roster.player_of(integer(entity, _OWNER))
        self._taken.append(row)

    def _at(self, entity: Entity, event: str, team: int | None) -> dict[str, Any]:
        x, y = position(entity)
        return {
            "tick": max(0, self._playback.tick),
            "event": event,
            "team": team,
            "entity_name": npc_name(self._playback.entities, entity),
            "entity": entity.index,
            "x": x,
            "y": y,
            "known_by": "entity",
        }

    def _taken_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of taken buildings, with the player whose count of watchers rose."""
        players = {(seat.team, seat.row): seat.player for seat in self._roster.seats}
        for row in self._taken:
            if row["event"] == "watcher_taken":
                rise = self._watchers.near(row["tick"], _SAME_TAKING, self._roster)
                if rise is not None and rise.team == row["team"]:
                    row["player"] = players[rise.team, rise.row]
            yield row

    def tables(self) -> Mapping[str, pa.Table]:
        rows = [*self._fallen(self._lives.all()), *self._taken_rows(), *map(self._row, self._chat.events)]
        rows.sort(key=lambda row: int(row["tick"]))
        return {OBJECTIVE_EVENTS.name: self.match.table(OBJECTIVE_EVENTS, self._roster.add_heroes(rows))}

    def _fallen(self, buildings: list[EntityLife]) -> Iterator[dict[str, Any]]:
        assign_attackers(buildings, self._deaths)
        for life in in_order_of_fall(buildings):
            if life.died is not None:
                yield {
                    "tick": life.died,
                    "event": "structure_destroyed",
                    "team": attacker_of(life, self._deaths)[1],
                    "owner_team": life.team,
                    "player": attacker_player(life.death, self._deaths, self._roster),
                    "entity_name": life.name,
                    "known_by": "entity",
                }

    def _row(self, event: ChatEvent) -> dict[str, Any]:
        name, team_field, player_field = _CHAT[event.type]
        values = event._asdict()
        player = values.get(player_field)
        boss = _BOSSES.get(event.type)
        team = values.get(team_field)
        if not team_field and player is not None:
            team = next((seat.team for seat in self._roster.seats if seat.player == player), None)
        owner = team if event.type == "COURIER_LOST" else None
        if owner is not None:  # the event has the side of the courier
            team = OTHER_SIDE.get(owner)
        if boss is not None and player is None:
            near = (each for each in self._deaths.entries if abs(each.tick - event.tick) <= SAME_DEATH)
            fell = (each for each in near if (self._deaths.name(each.target) or "").startswith(BOSS_NAMES[boss]))
            player = attacker_player(next(fell, None), self._deaths, self._roster)
        return {
            "tick": event.tick,
            "event": name,
            "boss": boss,
            "team": team if team in OTHER_SIDE else None,
            "owner_team": owner if owner in OTHER_SIDE else None,
            "player": player,
            "value": event.value,
            "known_by": "chat",
        }
