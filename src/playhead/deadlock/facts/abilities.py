"""Table ``ability_uses``: abilities as they are used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import TIME, name_columns, person_columns, person_row
from playhead.deadlock.sources.entities import index_of
from playhead.deadlock.sources.match import DeadlockFacts
from playhead.deadlock.sources.names import name_hash
from playhead.source2.messages.game_events import GameEvent
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

# Ticks between the game event and the message of one use.
_NEAR = 8

ABILITY_USES = TableSchema.of(
    "ability_uses",
    "One row for each use of an ability: the game event player_used_ability, the message "
    "ImportantAbilityUsed, or both.",
    *TIME,
    *person_columns(),
    *name_columns("ability", "the ability"),
    Column("source", "category", "event, message or both."),
)


@TABLES.maker_of(ABILITY_USES)
class AbilityUses(DeadlockFacts):
    """Table ``ability_uses``."""

    def attach(self, playback: Playback) -> None:
        playback.on_game_event(self._on_event)
        self.match.on_fields(playback, "k_EUserMsg_ImportantAbilityUsed", self._on_message)

    def _on_event(self, event: GameEvent) -> None:
        name = event.fields.get("abilityname")
        if event.name == "player_used_ability" and isinstance(name, str):
            self._add(event.tick, "event", event.fields.get("entindex_player"), name)

    def _on_message(self, tick: int, fields: Mapping[Any, Any]) -> None:
        get = fields.get
        name = get("ability_name")
        if isinstance(name, str):
            self._add(tick, "message", index_of(get("player")), name)

    def _add(self, tick: int, source: str, entity: int | None, name: str) -> None:
        person, ability = self.match.people.at(entity), name_hash(name)
        row = {"tick": tick, **person_row(person), "ability": name, "ability_id": ability, "source": source}
        for known in reversed(self._rows):
            if tick - known["tick"] > _NEAR:
                break
            same = known["ability_id"] == ability and known.get("player") == row.get("player")
            if same and known["source"] not in (source, "both"):
                known["source"] = "both"
                return
        self._rows.append(row)
