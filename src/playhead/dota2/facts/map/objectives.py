"""Table ``objectives``: the objectives of a match, from buildings and chat events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.columns import GAME_SECONDS
from playhead.dota2.facts.map.buildings import BUILDING_CLASSES, in_order_of_fall
from playhead.dota2.sources.chat_events import ChatEvent, ChatEvents
from playhead.dota2.sources.entities import NAME_TABLE
from playhead.dota2.sources.lives import LIFE_FIELDS, EntityLife, Lives
from playhead.dota2.sources.match import FactCollector
from playhead.dota2.sources.roster import OTHER_SIDE, ROSTER_FIELDS, with_fields
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK

if TYPE_CHECKING:
    import pyarrow as pa

OBJECTIVES = TableSchema(
    name="objectives",
    version=1,
    doc="One row for each thing that changes the course of the match, in order.",
    columns=(
        TICK,
        SECONDS,
        GAME_SECONDS,
        Column(
            "event",
            "category",
            "building_destroyed, roshan_killed, aegis_taken, aegis_stolen, aegis_denied, tormentor_killed, "
            "glyph_used, scan_used, courier_lost, first_blood, mega_creeps.",
        ),
        Column("team", "int32", "Who gained by it or did it: 2 is Radiant, 3 is Dire; null if not known."),
        Column("player", "int32", "Who did it, as in `players`; null if not known."),
        Column("name", "string", "The building's name, or that of who dealt the last blow; null if none."),
        Column("value", "int32", "`value` of the chat event as it is; null for other sources."),
        Column("source", "category", "Where it comes from: entity, or chat (message DOTA_UM_ChatEvent)."),
    ),
)

# Chat event: its name in the table, the field with the team, and the field with the player.
_CHAT = {
    "AEGIS": ("aegis_taken", "", "player_1"),
    "AEGIS_STOLEN": ("aegis_stolen", "", "player_1"),
    "DENIED_AEGIS": ("aegis_denied", "", "player_1"),
    "ROSHAN_KILL": ("roshan_killed", "player_1", ""),
    "MINIBOSS_KILL": ("tormentor_killed", "value", "player_1"),
    "GLYPH_USED": ("glyph_used", "player_1", ""),
    "SCAN_USED": ("scan_used", "value", ""),
    "COURIER_LOST": ("courier_lost", "player_2", "player_1"),
    "FIRSTBLOOD": ("first_blood", "", "player_1"),
    "SUPER_CREEPS": ("mega_creeps", "", ""),
}


@TABLES.add
class Objectives(FactCollector):
    """Table ``objectives``."""

    schemas = (OBJECTIVES,)
    entities = True
    string_tables = (NAME_TABLE,)
    fields = with_fields(ROSTER_FIELDS, dict.fromkeys(BUILDING_CLASSES, LIFE_FIELDS))

    def attach(self, playback: Playback) -> None:
        self._roster = self.match.roster(playback)
        self._chat = ChatEvents(self.match, playback, _CHAT)
        self._lives = Lives(playback, BUILDING_CLASSES)

    def tables(self) -> Mapping[str, pa.Table]:
        rows = [*self._fallen(self._lives.all()), *map(self._row, self._chat.events)]
        rows.sort(key=lambda row: int(row["tick"]))
        return {OBJECTIVES.name: OBJECTIVES.build_rows(self.match.rows(rows))}

    @staticmethod
    def _fallen(buildings: list[EntityLife]) -> Iterator[dict[str, Any]]:
        for life in in_order_of_fall(buildings):
            if life.died is not None:
                yield {
                    "tick": life.died,
                    "event": "building_destroyed",
                    "team": OTHER_SIDE.get(life.team or 0),
                    "name": life.name,
                    "source": "entity",
                }

    def _row(self, event: ChatEvent) -> dict[str, Any]:
        name, team_field, player_field = _CHAT[event.type]
        values = event._asdict()
        player = values.get(player_field)
        team = values.get(team_field)
        if not team_field and player is not None:
            team = next((seat.team for seat in self._roster.seats if seat.player == player), None)
        elif event.type == "COURIER_LOST":
            team = OTHER_SIDE.get(team or 0)  # the event has the side of the courier
        return {
            "tick": event.tick,
            "event": name,
            "team": team if team in OTHER_SIDE else None,
            "player": player,
            "value": event.value,
            "source": "chat",
        }
