"""Tables ``pings`` and ``structure_alerts``: signals to players."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import index_of
from playhead.deadlock.sources.match import DeadlockFacts
from playhead.deadlock.sources.people import person_columns, person_row
from playhead.deadlock.sources.words import STRUCTURES
from playhead.source2.messages.game_events import GameEvent
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

#: The messages of pings: number of the definition's name, and kind.
_PINGS = {"k_EUserMsg_MapPing": "map", "k_EUserMsg_AbilityPing": "ability"}

PINGS = TableSchema.of(
    "pings",
    "One row for each message MapPing or AbilityPing.",
    *words("tick! seconds game_seconds"),
    *person_columns(),
    word("kind", "map or ability: by the message."),
    Column("ping_id", "int64", "ping_message_id of the message: the game's number of the phrase."),
    *words("x y z"),
    word("target_entity", "Null without one."),
    *words("ability ability_id"),
)
STRUCTURE_ALERTS = TableSchema.of(
    "structure_alerts",
    "One row for each warning that a structure is under attack: game event boss_damaged, message BossDamaged, or "
    "both in one packet.",
    *words("tick! seconds game_seconds team side"),
    Column("objective_id", "int64", "objective_id: the game's number of the structure."),
    *words("entity"),
    word("kind", "guardian, walker, barracks, sentry, shrine or patron: by its class."),
    word("known_by", "event, message or both."),
)


@TABLES.maker_of(PINGS, STRUCTURE_ALERTS)
class DeadlockSignals(DeadlockFacts):
    """Tables ``pings`` and ``structure_alerts``."""

    def attach(self, playback: Playback) -> None:
        for name, kind in _PINGS.items():
            self.match.on_fields(playback, name, partial(self._on_ping, kind))
        self.match.on_fields(playback, "k_EUserMsg_BossDamaged", partial(self._add_alert, "message"))
        playback.on_game_event(self._on_event)

    def _on_ping(self, kind: str, tick: int, fields: Mapping[Any, Any]) -> None:
        data = fields.get("ping_data") or {}
        place = data.get("ping_location")
        slot = data.get("sender_player_slot")
        row: dict[str, Any] = {"tick": tick, "player": slot, **person_row(self.match.people.slot(slot))}
        row |= {axis: None if place is None else float(place.get(axis, 0.0)) for axis in "xyz"}
        row["kind"], row["ping_id"] = kind, data.get("ping_message_id")
        row["target_entity"] = index_of(data.get("entity_index"))
        row["ability_id"] = data.get("ability_id") or None
        self.rows[PINGS.name].append(row)

    def _on_event(self, event: GameEvent) -> None:
        if event.name == "boss_damaged":
            self._add_alert("event", event.tick, event.fields)

    def _add_alert(self, source: str, tick: int, fields: Mapping[Any, Any]) -> None:
        index = index_of(fields.get("entity_damaged"))
        entity = self.match.people.entity(index)
        row = {
            "tick": tick,
            "team": fields.get("objective_team"),
            "objective_id": fields.get("objective_id"),
            "entity": index,
            "kind": None if entity is None else STRUCTURES.get(entity.class_name),
        }
        alerts = self.rows[STRUCTURE_ALERTS.name]
        for known in reversed(alerts):
            if known["tick"] != tick:
                break
            if known["known_by"] not in (source, "both") and row.items() <= known.items():
                known["known_by"] = "both"
                return
        alerts.append({**row, "known_by": source})
