"""Table ``wards``: each ward, its position and owner, its end and its killer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.combat_log import ENTRY_TABLES, CombatEntries
from playhead.dota2.sources.entities import NAME_TABLE, POSITION_FIELDS, integer, position
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.dota2.sources.pairing import pair_nearest
from playhead.dota2.sources.roster import roster_fields
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word, words

_LIFE, _TEAM, _OWNER = "m_lifeState", "m_iTeamNum", "m_hOwnerEntity"
_PLAYERS = ("m_nPlayerID", "m_nPlayerOwnerID")

# Class: kind, and name in the combat log.
_KINDS = {
    "CDOTA_NPC_Observer_Ward": ("observer", "npc_dota_observer_wards"),
    "CDOTA_NPC_Observer_Ward_TrueSight": ("sentry", "npc_dota_sentry_wards"),
}

#: Largest distance, in ticks, between the end of a ward and a death in the combat log.
_SAME_DEATH = 60

WARDS = TableSchema.of(
    "wards",
    "One row for each observer or sentry ward, from its entity: it stands while its m_lifeState is 0. How it "
    "ended is from the combat log's DEATH entry, the nearest of its kind within two seconds.",
    word("tick", "When it was placed."),
    *words("seconds game_seconds end_tick end_seconds end_game_seconds"),
    word("kind", "observer or sentry."),
    word("player", "That placed it: of its m_hOwnerEntity, else its m_nPlayerOwnerID."),
    *words("hero team side x y"),
    word("outcome", "killed, denied (by its own team), expired, or gone (how is unknown)."),
    word("attacker", "Of the DEATH entry."),
    word("attacker_player"),
    word("entity"),
)


@dataclass(slots=True)
class _Ward:
    entity: int
    tick: int
    class_name: str
    player: int | None
    team: int | None
    place: tuple[float | None, float | None]
    end: int | None = None


@TABLES.maker_of(WARDS)
class Wards(PlayerFacts):
    """Table ``wards``."""

    jobs: ClassVar = Jobs(2)
    string_tables = (*ENTRY_TABLES, NAME_TABLE)
    fields = roster_fields(
        dict.fromkeys(_KINDS, (_LIFE, _TEAM, _OWNER, *_PLAYERS, *POSITION_FIELDS)),
        {"CDOTA_Unit_Hero_*": _PLAYERS, "CDOTAPlayerController": _PLAYERS},
    )

    def __init__(self, match: Dota2Match) -> None:
        super().__init__(match)
        self._standing: dict[int, _Ward] = {}
        self._wards: list[_Ward] = []

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._deaths = CombatEntries(self.match.combat_log(playback), playback, ("DEATH",))
        watch = FieldWatch((_LIFE,), self._on_ward)
        for name in _KINDS:
            playback.entities.on_entity(watch, name)

    def _on_ward(self, entity: Entity, op: EntityOp) -> None:
        ward = self._standing.get(entity.index)
        alive = not integer(entity, _LIFE) and not op & EntityOp.DELETED
        if ward is not None and not alive:
            ward.end = self._playback.tick
            del self._standing[entity.index]
        elif ward is None and alive:
            ward = _Ward(
                entity.index,
                self._playback.tick,
                entity.class_name,
                self._placer(entity),
                integer(entity, _TEAM),
                position(entity),
            )
            self._standing[entity.index] = ward
            self._wards.append(ward)

    def _placer(self, entity: Entity) -> int | None:
        handle = integer(entity, _OWNER)
        player = self._roster.player_of(handle)
        if player is not None:
            return player
        owner = None if handle is None else self._playback.entities.find_by_handle(handle)
        for each in (owner, entity):
            for field in _PLAYERS if each is not None else ():
                found = None if each is None else integer(each, field)
                if found is not None and found >= 0:
                    return found
        return None

    def tables(self) -> Mapping[str, pa.Table]:
        rows: list[dict[str, Any]] = []
        for ward in self._wards:
            rows.append(
                {
                    "tick": ward.tick,
                    "kind": _KINDS[ward.class_name][0],
                    "player": ward.player,
                    "team": ward.team,
                    "x": ward.place[0],
                    "y": ward.place[1],
                    "end_tick": ward.end,
                    "outcome": None if ward.end is None else "gone",
                    "entity": ward.entity,
                }
            )
        for kind, target in _KINDS.values():
            self._find_deaths([row for row in rows if row["kind"] == kind and row["end_tick"] is not None], target)
        return {WARDS.name: self.match.table(WARDS, self._roster.add_heroes(rows))}

    def _find_deaths(self, gone: list[dict[str, Any]], target: str) -> None:
        name = self._deaths.name
        deaths = [entry for entry in self._deaths.entries if name(entry.target) == target]
        pairs = pair_nearest([row["end_tick"] for row in gone], [entry.tick for entry in deaths], _SAME_DEATH)
        for at, place in pairs.items():
            row, death = gone[at], deaths[place]
            killer = name(death.attacker)
            if killer == target:
                row["outcome"] = "expired"
                continue
            row["outcome"] = "denied" if death.attacker_team == row["team"] else "killed"
            row["attacker"] = killer
            row["attacker_player"] = self._roster.player_named(killer)
