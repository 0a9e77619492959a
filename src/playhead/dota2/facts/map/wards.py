"""Table ``wards``: each ward, its position and owner, its end and its killer."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.combat_log import ENTRY_TABLES, CombatEntries
from playhead.dota2.sources.entities import NAME_TABLE, POSITION_FIELDS, integer, position
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.dota2.sources.pairing import pair_nearest
from playhead.dota2.sources.roster import TEAM_DATA, roster_fields
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_LIFE, _TEAM, _OWNER = "m_lifeState", "m_iTeamNum", "m_hOwnerEntity"
_PLAYERS = ("m_nPlayerID", "m_nPlayerOwnerID")
# Words of 64 entities each, in the data of a team: the seen ones.
_SEEN, _WORD_BITS, _WORDS = "m_bNPCVisibleState.{:04}", 6, 256
_OBSERVER = "CDOTA_NPC_Observer_Ward"
# Range of an observer ward, in map units.
_RANGE = 1600.0

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
    word("duration_seconds", "On the game's clock; null if it stands at the end."),
    Column(
        "seen_players",
        "list<int32>",
        "Players of the other side whose living heroes were within 1,600 map units of an observer ward while its "
        "side saw them, in that order, by one look a second. Null for sentries, and if the recording does not "
        "tell whom a side sees (m_bNPCVisibleState).",
    ),
)


@dataclass(slots=True)
class _Ward:
    entity: int
    tick: int
    class_name: str
    player: int | None
    team: int | None
    place: tuple[float | None, float | None]
    seen: list[int]
    end: int | None = None


@TABLES.maker_of(WARDS)
class Wards(PlayerFacts):
    """Table ``wards``."""

    jobs: ClassVar = Jobs(2, extra=15)
    string_tables = (*ENTRY_TABLES, NAME_TABLE)
    fields = roster_fields(
        dict.fromkeys(_KINDS, (_LIFE, _TEAM, _OWNER, *_PLAYERS, *POSITION_FIELDS)),
        {"CDOTA_Unit_Hero_*": (*_PLAYERS, _LIFE, *POSITION_FIELDS), "CDOTAPlayerController": _PLAYERS},
        dict.fromkeys(TEAM_DATA.values(), (_SEEN.replace("{:04}", "????"),)),
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
        self._sampler = self.match.sampler(playback, self.match.interval("1s"))
        self._sampler.on_sample(self._on_sample)

    def _on_sample(self, _tick: int) -> None:
        """Note the heroes that observer wards see."""
        standing = [ward for ward in self._standing.values() if ward.class_name == _OBSERVER]
        lineup = self._roster.lineup if standing else ()
        heroes = [
            (each.seat, each.hero.index, position(each.hero))
            for each in lineup
            if each.hero is not None and not integer(each.hero, _LIFE)
        ]
        for ward in standing:
            data = self._roster.team_data.get(ward.team or 0)
            x, y = ward.place
            if data is None or x is None or y is None:
                continue
            for seat, index, (its_x, its_y) in heroes:
                if seat.team == ward.team or its_x is None or its_y is None:
                    continue
                if hypot(its_x - x, its_y - y) > _RANGE:
                    continue
                number, bit = divmod(index, 1 << _WORD_BITS)
                seen = data.get(_SEEN.format(number))
                if isinstance(seen, int) and seen >> bit & 1 and seat.player not in ward.seen:
                    ward.seen.append(seat.player)

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
                [],
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
        self._sampler.finish()
        self.match.finish()
        tells = self._tells()
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
                    "duration_seconds": (
                        None if ward.end is None else self.match.seconds_between(ward.tick, ward.end)
                    ),
                    "seen_players": ward.seen if tells and ward.class_name == _OBSERVER else None,
                }
            )
        for kind, target in _KINDS.values():
            self._find_deaths([row for row in rows if row["kind"] == kind and row["end_tick"] is not None], target)
        return {WARDS.name: self.match.table(WARDS, self._roster.add_heroes(rows))}

    def _tells(self) -> bool:
        """Return whether the recording has the units that a side sees."""
        data = self._roster.team_data.values()
        return any(each.get(_SEEN.format(word)) is not None for each in data for word in range(_WORDS))

    def _find_deaths(self, gone: list[dict[str, Any]], target: str) -> None:
        name = self._deaths.name
        deaths = self._deaths.on_targets(target.__eq__)
        pairs = pair_nearest([row["end_tick"] for row in gone], [entry.tick for entry in deaths], _SAME_DEATH)
        for at, place in pairs.items():
            row, death = gone[at], deaths[place]
            killer = name(death.attacker)
            if killer == target:
                row["outcome"] = "expired"
                continue
            if None not in (death.attacker_team, row["team"]):
                row["outcome"] = "denied" if death.attacker_team == row["team"] else "killed"
            row["attacker"] = killer
            row["attacker_player"] = self._roster.player_named(killer)
