"""Table ``runes``: position and time of each rune, and its taker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.entities import POSITION_FIELDS, integer, position
from playhead.dota2.sources.lives import pair_nearest
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.dota2.sources.message_facts import ChatEvents
from playhead.dota2.sources.roster import roster_fields
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_CLASS = "CDOTA_Item_Rune"
_TYPE = "m_iRuneType"

# Valve's DOTA_RUNES, by number.
_TYPES = "double_damage haste illusion invisibility regeneration bounty arcane water wisdom shield".split()
_OUTCOMES = {"RUNE_PICKUP": "taken", "RUNE_BOTTLE": "bottled", "RUNE_DENY": "denied"}

#: Largest distance, in ticks, between the end of a rune and the chat event that reports it.
_SAME_RUNE = 60

RUNES = TableSchema.of(
    "runes",
    "One row for each rune on the map, from its entity (CDOTA_Item_Rune); its taker from the chat event "
    "that the game sends for it, the nearest of the rune's type within two seconds.",
    *words("tick seconds game_seconds end_tick end_seconds end_game_seconds"),
    Column("rune", "category", "Kind of the rune; null for a number without a name."),
    Column("rune_id", "int64", "The game's number of the kind: m_iRuneType."),
    *words("x y"),
    word("outcome", "taken, bottled, denied, or gone (how is unknown)."),
    word("player", "That took, bottled or denied it."),
    *words("hero entity"),
)


@dataclass(slots=True)
class _Rune:
    entity: int
    tick: int
    type: int | None
    place: tuple[float | None, float | None]
    end: int | None = None


@TABLES.maker_of(RUNES)
class Runes(PlayerFacts):
    """Table ``runes``."""

    jobs: ClassVar = Jobs(extra=15)

    fields = roster_fields({_CLASS: (_TYPE, *POSITION_FIELDS)})

    def __init__(self, match: Dota2Match) -> None:
        super().__init__(match)
        self._there: dict[int, _Rune] = {}
        self._runes: list[_Rune] = []

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._chat = ChatEvents(self.match, playback, _OUTCOMES)
        playback.entities.on_entity(self._on_rune, _CLASS)

    def _on_rune(self, entity: Entity, op: EntityOp) -> None:
        rune = self._there.get(entity.index)
        if op & EntityOp.DELETED:
            if rune is not None:
                rune.end = self._playback.tick
                del self._there[entity.index]
            return
        if rune is None:
            rune = _Rune(entity.index, self._playback.tick, integer(entity, _TYPE), position(entity))
            self._there[entity.index] = rune
            self._runes.append(rune)

    def tables(self) -> Mapping[str, pa.Table]:
        rows: list[dict[str, Any]] = [
            {
                "tick": rune.tick,
                "rune": _TYPES[rune.type] if rune.type is not None and 0 <= rune.type < len(_TYPES) else None,
                "rune_id": rune.type,
                "x": rune.place[0],
                "y": rune.place[1],
                "end_tick": rune.end,
                "outcome": None if rune.end is None else "gone",
                "entity": rune.entity,
            }
            for rune in self._runes
        ]
        for kind in {rune.type for rune in self._runes}:
            gone = [row for row in rows if row["rune_id"] == kind and row["end_tick"] is not None]
            reports = [event for event in self._chat.events if event.value == kind]
            pairs = pair_nearest([row["end_tick"] for row in gone], [event.tick for event in reports], _SAME_RUNE)
            for at, place in pairs.items():
                gone[at] |= {"outcome": _OUTCOMES[reports[place].type], "player": reports[place].player_1}
        return {RUNES.name: self.match.table(RUNES, self._roster.add_heroes(rows))}
