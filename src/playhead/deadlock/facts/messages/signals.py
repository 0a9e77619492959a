"""Tables ``pings`` and ``boss_damaged``: signals to players."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import TIME, name_columns, person_columns, person_row
from playhead.deadlock.sources.entities import index_of
from playhead.deadlock.sources.kinds import OBJECTIVES
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.runtime.libraries import pa
from playhead.source2.messages.game_events import GameEvent
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

#: The messages of pings: number of the definition's name, and kind.
_PINGS = {"k_EUserMsg_MapPing": "map", "k_EUserMsg_AbilityPing": "ability"}

PINGS = TableSchema.of(
    "pings",
    "One row for each message MapPing or AbilityPing.",
    *TIME,
    *person_columns("", "the sender"),
    Column("kind", "category", "map or ability: by the message."),
    Column("ping_id", "int64", "ping_message_id of the message: the game's number of the phrase."),
    *(Column(axis, "float64", f"ping_location.{axis}; null without one.", "world units") for axis in "xyz"),
    Column("target_entity", "int32", "Index of the pinged entity; null without one."),
    *name_columns("ability", "the pinged ability or item"),
)
BOSS_DAMAGED = TableSchema.of(
    "boss_damaged",
    "One row for each warning that an objective is under attack: game event boss_damaged, message "
    "BossDamaged, or both in one packet.",
    *TIME,
    Column("team", "int32", "objective_team: the team that it belongs to."),
    Column("objective_id", "int32", "objective_id: the game's number of the objective."),
    Column("entity", "int32", "Index of the objective's entity; null without one."),
    Column("kind", "category", "guardian, walker, barracks, sentry, shrine or patron: by its class."),
    Column("source", "category", "event, message or both."),
)


@TABLES.maker_of(PINGS, BOSS_DAMAGED)
class DeadlockSignals(DeadlockFacts):
    """Tables ``pings`` and ``boss_damaged``."""

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._pings: list[dict[str, Any]] = []
        self._damaged: list[dict[str, Any]] = []

    def attach(self, playback: Playback) -> None:
        for name, kind in _PINGS.items():
            self.match.on_fields(playback, name, partial(self._on_ping, kind))
        self.match.on_fields(playback, "k_EUserMsg_BossDamaged", partial(self._add_boss, "message"))
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
        self._pings.append(row)

    def _on_event(self, event: GameEvent) -> None:
        if event.name == "boss_damaged":
            self._add_boss("event", event.tick, event.fields)

    def _add_boss(self, source: str, tick: int, fields: Mapping[Any, Any]) -> None:
        index = index_of(fields.get("entity_damaged"))
        entity = self.match.people.entity(index)
        row = {
            "tick": tick,
            "team": fields.get("objective_team"),
            "objective_id": fields.get("objective_id"),
            "entity": index,
            "kind": None if entity is None else OBJECTIVES.get(entity.class_name),
        }
        for known in reversed(self._damaged):
            if known["tick"] != tick:
                break
            if known["source"] not in (source, "both") and row.items() <= known.items():
                known["source"] = "both"
                return
        self._damaged.append({**row, "source": source})

    def tables(self) -> Mapping[str, pa.Table]:
        for row in self._pings:
            row["ability"] = self.match.names.name(row["ability_id"])
        return {
            PINGS.name: self.match.table(PINGS, self._pings),
            BOSS_DAMAGED.name: self.match.table(BOSS_DAMAGED, self._damaged),
        }
