"""Table ``bosses``: Roshan and the Tormentors, their killers, and the owners of the Aegis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.columns import GAME_SECONDS, KILLER, KILLER_TEAM, X, Y
from playhead.dota2.sources.chat_events import ChatEvents
from playhead.dota2.sources.combat_log import ENTRY_TABLES, CombatEntries
from playhead.dota2.sources.entities import NAME_TABLE
from playhead.dota2.sources.lives import LIFE_FIELDS, SAME_DEATH, EntityLife, Lives, assign_deaths, killer_of
from playhead.dota2.sources.match import FactCollector
from playhead.runtime.libraries import pa
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK

_ROSHAN, _TORMENTOR = "roshan", "tormentor"
_CLASSES = {"CDOTA_Unit_Roshan": _ROSHAN, "CDOTA_Unit_Miniboss": _TORMENTOR}

#: Largest number of ticks between a Roshan's death and the taking of his Aegis, which expires after five minutes.
_AEGIS_STAYS = 300 * 30 + 150

# Fate of the Aegis by chat event.
_AEGIS = {"AEGIS": "taken", "AEGIS_STOLEN": "stolen", "DENIED_AEGIS": "denied"}

BOSSES = TableSchema.of(
    "bosses",
    "One row for each life of Roshan and of each Tormentor, from its entity (CDOTA_Unit_Roshan, "
    "CDOTA_Unit_Miniboss).",
    Column("tick", TICK.type, "When it was there first.", TICK.unit),
    SECONDS,
    GAME_SECONDS,
    Column("boss", "category", "roshan or tormentor."),
    Column("number", "int32", "Which life of that kind, from 1."),
    X,
    Y,
    Column("max_health", "int32", "m_iMaxHealth when first seen.", "hp"),
    Column("died_tick", "int32", "When it died; null if it did not in the recording.", "ticks"),
    Column("died_game_seconds", "float64", "The same on the game's clock.", "s"),
    Column("died_x", "float64", "Where it died.", "world units"),
    Column("died_y", "float64", "Where it died.", "world units"),
    KILLER,
    KILLER_TEAM,
    Column("aegis_player", "int32", "Who took the Aegis (chat event AEGIS or AEGIS_STOLEN); null if nobody."),
    Column("aegis_tick", "int32", "When the Aegis was taken or denied.", "ticks"),
    Column("aegis", "category", "taken, stolen or denied; null if the recording has none of these."),
)


@TABLES.maker_of(BOSSES)
class Bosses(FactCollector):
    """Table ``bosses``."""

    work = 1
    entities = True
    string_tables = (NAME_TABLE, *ENTRY_TABLES)
    fields = dict.fromkeys(_CLASSES, LIFE_FIELDS)

    def attach(self, playback: Playback) -> None:
        self._lives = Lives(playback, _CLASSES)
        self._chat = ChatEvents(self.match, playback, _AEGIS)
        self._deaths = CombatEntries(self.match.combat_log(playback), playback, ("DEATH",))

    def tables(self) -> Mapping[str, pa.Table]:
        lives = self._lives.all()
        assign_deaths(lives, self._deaths, _fits)
        return {BOSSES.name: BOSSES.build_rows(self.match.rows(list(self._rows_of(lives))))}

    def _rows_of(self, lives: list[EntityLife]) -> Iterator[dict[str, Any]]:
        numbers = {_ROSHAN: 0, _TORMENTOR: 0}
        aegis = list(self._chat.events)
        for life in lives:
            numbers[life.kind] += 1
            killer, killer_team = killer_of(life, self._deaths)
            row = {
                "tick": life.born,
                "boss": life.kind,
                "number": numbers[life.kind],
                "x": life.position[0],
                "y": life.position[1],
                "max_health": life.max_health,
                "died_tick": life.died,
                "died_game_seconds": None if life.died is None else self.match.game_seconds(life.died),
                "died_x": life.died_at[0],
                "died_y": life.died_at[1],
                "killer": killer,
                "killer_team": killer_team,
            }
            for event in aegis if life.kind == _ROSHAN else ():
                if life.died is not None and -SAME_DEATH <= event.tick - life.died <= _AEGIS_STAYS:
                    row |= {"aegis_player": event.player_1, "aegis_tick": event.tick, "aegis": _AEGIS[event.type]}
                    aegis.remove(event)
                    break
            yield row


def _fits(life: EntityLife, target: str, _exact: bool) -> bool:
    """Return whether a name in the combat log may be the name of a boss."""
    prefix = "npc_dota_roshan" if life.kind == _ROSHAN else "npc_dota_miniboss"
    return target.startswith(prefix)
