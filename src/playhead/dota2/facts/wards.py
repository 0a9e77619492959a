"""Tables ``wards`` and ``visibility``: each ward and its end; which of the two sides sees a unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import hypot
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.combat_log import NAMES
from playhead.dota2.sources.entities import NAME_TABLE, POSITION_FIELDS, integer, position, whole
from playhead.dota2.sources.lives import CombatEntries, pair_nearest
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.dota2.sources.roster import DIRE, RADIANT, TEAM_DATA, roster_fields
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldSlots, FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_LIFE, _TEAM, _OWNER = "m_lifeState", "m_iTeamNum", "m_hOwnerEntity"
_PLAYERS = ("m_nPlayerID", "m_nPlayerOwnerID")
# Words of 64 entities each, in the data of a team: the seen ones.
_SEEN, _WORD_BITS, _WORDS = "m_bNPCVisibleState.{:04}", 6, 256
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


@TABLES.maker_of(WARDS)
class Wards(PlayerFacts):
    jobs: ClassVar = Jobs(2, extra=15)
    string_tables = (NAMES, NAME_TABLE)
    fields = roster_fields(
        dict.fromkeys(_KINDS, (_LIFE, _TEAM, _OWNER, *_PLAYERS, *POSITION_FIELDS)),
        {"CDOTA_Unit_Hero_*": (*_PLAYERS, _LIFE, *POSITION_FIELDS), "CDOTAPlayerController": _PLAYERS},
        dict.fromkeys(TEAM_DATA.values(), (_SEEN.replace("{:04}", "????"),)),
    )

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._standing: dict[int, dict[str, Any]] = {}
        self._deaths = CombatEntries(self.match.combat_log(playback), playback, ("DEATH",))
        watch = FieldWatch((_LIFE,), self._on_ward)
        for name in _KINDS:
            playback.entities.on_entity(watch, name)
        self._sampler = self.match.sampler(playback, self.match.interval("1s"))
        self._sampler.on_sample(self._on_sample)

    def _on_sample(self, _tick: int) -> None:
        """Note the heroes that observer wards see."""
        standing = [ward for ward in self._standing.values() if ward["kind"] == "observer"]
        lineup = self._roster.lineup if standing else ()
        heroes = [
            (each.seat, each.hero.index, position(each.hero))
            for each in lineup
            if each.hero is not None and not integer(each.hero, _LIFE)
        ]
        for ward in standing:
            data = self._roster.team_data.get(ward["team"] or 0)
            x, y = ward["x"], ward["y"]
            if data is None or x is None or y is None:
                continue
            for seat, index, (its_x, its_y) in heroes:
                if seat.team == ward["team"] or its_x is None or its_y is None:
                    continue
                if hypot(its_x - x, its_y - y) > _RANGE:
                    continue
                number, bit = divmod(index, 1 << _WORD_BITS)
                seen = data.get(_SEEN.format(number))
                if isinstance(seen, int) and seen >> bit & 1 and seat.player not in ward["seen_players"]:
                    ward["seen_players"].append(seat.player)

    def _on_ward(self, entity: Entity, op: EntityOp) -> None:
        ward = self._standing.get(entity.index)
        alive = not integer(entity, _LIFE) and not op & EntityOp.DELETED
        if ward is not None and not alive:
            ward |= {"end_tick": self._playback.tick, "outcome": "gone"}
            del self._standing[entity.index]
        elif ward is None and alive:
            kind, (x, y) = _KINDS[entity.class_name][0], position(entity)
            ward = self._standing[entity.index] = {
                "tick": self._playback.tick,
                "kind": kind,
                "player": self._placer(entity),
                "team": integer(entity, _TEAM),
                "x": x,
                "y": y,
                "entity": entity.index,
                "seen_players": [] if kind == "observer" else None,
            }
            self._rows.append(ward)

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
        for row in self._rows:
            if "end_tick" in row:
                row["duration_seconds"] = self.match.seconds_between(row["tick"], row["end_tick"])
            if not tells:
                row["seen_players"] = None
        for kind, target in _KINDS.values():
            self._find_deaths([row for row in self._rows if row["kind"] == kind and "end_tick" in row], target)
        return super().tables()

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


#: Default classes of units.
HEROES = "CDOTA_Unit_Hero_*"

_TAGGED = "m_iTaggedAsVisibleByTeam"

VISIBILITY = TableSchema.of(
    "visibility",
    "One row for each stretch of ticks in which the same sides see a unit: those of option `units` (class "
    "names or patterns, or heroes as axe or Axe; heroes with their illusions if it is not given). From the "
    "words m_bNPCVisibleState of CDOTA_DataRadiant and CDOTA_DataDire, a bit for each entity; in builds "
    "without them from bit 1 << team of the unit's m_iTaggedAsVisibleByTeam.",
    *words("tick seconds game_seconds"),
    word("end_tick", "Tick of the next change or of the unit's end."),
    *words("end_seconds end_game_seconds player hero entity main team side"),
    Column("radiant", "bool", "Radiant sees it; null if the recording does not tell."),
    Column("dire", "bool", "Dire sees it; null if the recording does not tell."),
    group="series",
)

_Sight = tuple[bool | None, bool | None]


@TABLES.maker_of(VISIBILITY)
class Visibility(PlayerFacts):
    jobs: ClassVar = Jobs(extra=25)

    options = ("units",)

    def __init__(self, match: Dota2Match, units: str | Iterable[str] = HEROES) -> None:
        super().__init__(match)
        self._units = match.unit_patterns(units, HEROES)
        self.fields = roster_fields(
            dict.fromkeys(self._units, (_TEAM, _TAGGED, *_PLAYERS)),
            dict.fromkeys(TEAM_DATA.values(), (_SEEN.replace("{:04}", "????"),)),
        )
        self._there: dict[int, Entity] = {}
        self._open: dict[int, dict[str, Any]] = {}
        self._dirty: set[int] = set()
        self._words: FieldSlots | None = None
        self._stale = True
        self._numbers: list[int] = []
        self._seen: dict[int, list[Any]] = {}

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        watch = FieldWatch((_TAGGED, _TEAM), self._on_unit)
        for unit in self._units:
            playback.entities.on_entity(watch, unit)
        words = FieldWatch((_SEEN.format(number) for number in range(_WORDS)), self._on_words)
        for name in TEAM_DATA.values():
            playback.entities.on_entity(words, name)
        playback.after_packet(self._after_packet)

    def _on_words(self, _entity: Entity, _op: EntityOp) -> None:
        """Mark the words for reading after the packet."""
        self._stale = True

    def _on_unit(self, entity: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            self._end(entity.index)
            self._there.pop(entity.index, None)
            return
        if entity.index not in self._there:
            self._words = None
        elif self._there[entity.index] is not entity:
            self._end(entity.index)
        self._there[entity.index] = entity
        self._dirty.add(entity.index)

    def _end(self, index: int) -> None:
        row = self._open.pop(index, None)
        if row is not None:
            row["end_tick"] = self._playback.tick

    def _after_packet(self, tick: int) -> None:
        if not (self._there and (self._stale or self._dirty or self._words is None)):
            return
        if self._words is None:
            self._numbers = sorted({index >> _WORD_BITS for index in self._there})
            self._words = FieldSlots(_SEEN.format(number) for number in self._numbers)
            self._seen.clear()
            self._stale = True
        for team, entity in self._roster.team_data.items() if self._stale else ():
            words = self._words.values(entity)
            if words != self._seen.get(team):
                self._seen[team] = words
                self._dirty.update(self._there)
        self._stale = False
        for index in sorted(self._dirty):
            if index in self._there:
                self._look(tick, index, self._there[index])
        self._dirty.clear()

    def _look(self, tick: int, index: int, entity: Entity) -> None:
        radiant, dire = self._sees(RADIANT, index, entity), self._sees(DIRE, index, entity)
        team, handle = integer(entity, _TEAM), entity.handle
        row = self._open.get(index)
        now = (radiant, dire, team, handle)
        if row is not None:
            if (row["radiant"], row["dire"], row["team"], row["handle"]) == now:
                return
            row["end_tick"] = tick
        player = self._roster.player_of(handle)
        owner = next((number for name in _PLAYERS if (number := whole(entity.get(name))) is not None), None)
        row = {
            "tick": max(0, tick),
            "end_tick": None,
            "player": player if player is not None else owner if owner is not None and owner >= 0 else None,
            "entity": index,
            "team": team,
            "radiant": radiant,
            "dire": dire,
            "handle": handle,
        }
        self._open[index] = row
        self._rows.append(row)

    def _sees(self, team: int, index: int, entity: Entity) -> bool | None:
        words = self._seen.get(team)
        word = None if words is None else words[self._numbers.index(index >> _WORD_BITS)]
        if isinstance(word, int):
            return bool(word >> (index & ((1 << _WORD_BITS) - 1)) & 1)
        tagged = entity.get(_TAGGED)
        return bool(tagged >> team & 1) if isinstance(tagged, int) else None

    def tables(self) -> Mapping[str, pa.Table]:
        names = self._roster.hero_names()
        known = self._roster.players_by_hero
        for row in self._rows:
            handle = row.pop("handle")
            row["main"] = handle in known
            if row["main"]:
                row["player"] = known[handle]
            row["hero"] = names.get(row["player"])
        return {VISIBILITY.name: self.match.table(VISIBILITY, self._rows)}
