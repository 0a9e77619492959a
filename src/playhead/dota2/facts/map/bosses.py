"""Table ``bosses``: Roshan and the Tormentors, their killers, and the owners of the Aegis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.chat_events import ChatEvents
from playhead.dota2.sources.combat_log import ENTRY_TABLES, CombatEntries
from playhead.dota2.sources.entities import NAME_TABLE
from playhead.dota2.sources.lives import (
    LIFE_FIELDS,
    SAME_DEATH,
    EntityLife,
    Lives,
    assign_deaths,
    attacker_of,
    attacker_player,
)
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.roster import roster_fields
from playhead.runtime.libraries import pa
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_ROSHAN, _TORMENTOR = "roshan", "tormentor"
_CLASSES = {"CDOTA_Unit_Roshan": _ROSHAN, "CDOTA_Unit_Miniboss": _TORMENTOR}

#: How the names of the bosses in the combat log begin.
BOSS_NAMES = {_ROSHAN: "npc_dota_roshan", _TORMENTOR: "npc_dota_miniboss"}

#: Largest number of ticks between a Roshan's death and the taking of his Aegis, which expires after five minutes.
_AEGIS_STAYS = 300 * 30 + 150

# Fate of the Aegis by chat event.
_AEGIS = {"AEGIS": "taken", "AEGIS_STOLEN": "stolen", "DENIED_AEGIS": "denied"}

BOSSES = TableSchema.of(
    "bosses",
    "One row for each life of Roshan and of each Tormentor, from its entity (CDOTA_Unit_Roshan, "
    "CDOTA_Unit_Miniboss).",
    *words("tick seconds game_seconds end_tick end_seconds end_game_seconds"),
    word("boss", "roshan or tormentor."),
    word("number", "Of the life."),
    *words("x y end_x end_y"),
    word("max_health", "When first seen."),
    *words("attacker attacker_player attacker_hero attacker_team attacker_side"),
    Column("aegis_player", "int32", "Player who took the Aegis (chat event AEGIS or AEGIS_STOLEN)."),
    Column("aegis_tick", "int32", "When the Aegis was taken or denied.", "ticks"),
    Column("aegis", "category", "taken, stolen or denied; null if the recording has none of these."),
)


@TABLES.maker_of(BOSSES)
class Bosses(PlayerFacts):
    """Table ``bosses``."""

    jobs: ClassVar = Jobs(1)
    entities = True
    string_tables = (NAME_TABLE, *ENTRY_TABLES)
    fields = roster_fields(dict.fromkeys(_CLASSES, LIFE_FIELDS))

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._lives = Lives(playback, _CLASSES)
        self._chat = ChatEvents(self.match, playback, _AEGIS)
        self._deaths = CombatEntries(self.match.combat_log(playback), playback, ("DEATH",))

    def tables(self) -> Mapping[str, pa.Table]:
        lives = self._lives.all()
        assign_deaths(lives, self._deaths, _fits)
        return {BOSSES.name: self.match.table(BOSSES, list(self._rows_of(lives)))}

    def _rows_of(self, lives: list[EntityLife]) -> Iterator[dict[str, Any]]:
        numbers = {_ROSHAN: 0, _TORMENTOR: 0}
        aegis, heroes = list(self._chat.events), self._roster.hero_names()
        for life in lives:
            numbers[life.kind] += 1
            attacker, attacker_team = attacker_of(life, self._deaths)
            player = attacker_player(life.death, self._deaths, self._roster)
            row = {
                "tick": life.born,
                "boss": life.kind,
                "number": numbers[life.kind],
                "x": life.position[0],
                "y": life.position[1],
                "max_health": life.max_health,
                "end_tick": life.died,
                "end_x": life.died_at[0],
                "end_y": life.died_at[1],
                "attacker": attacker,
                "attacker_player": player,
                "attacker_hero": heroes.get(-1 if player is None else player),
                "attacker_team": attacker_team,
            }
            for event in aegis if life.kind == _ROSHAN else ():
                if life.died is not None and -SAME_DEATH <= event.tick - life.died <= _AEGIS_STAYS:
                    row |= {"aegis_player": event.player_1, "aegis_tick": event.tick, "aegis": _AEGIS[event.type]}
                    aegis.remove(event)
                    break
            yield row


def _fits(life: EntityLife, target: str, _exact: bool) -> bool:
    """Return whether a name in the combat log may be the name of a boss."""
    return target.startswith(BOSS_NAMES[life.kind])
