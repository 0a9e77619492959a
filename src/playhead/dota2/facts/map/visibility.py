"""Table ``visibility``: which of the two sides sees a unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.entities import integer, whole
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

#: Default classes of units.
HEROES = "CDOTA_Unit_Hero_*"

_TEAM, _TAGGED = "m_iTeamNum", "m_iTaggedAsVisibleByTeam"
_OWNERS = ("m_nPlayerID", "m_nPlayerOwnerID")
# Words of 64 entities each, in the data of a team.
_STATE = "m_bNPCVisibleState"
_WORD_BITS = 6
_WORDS = 256

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
    """Table ``visibility``."""

    jobs: ClassVar = Jobs(extra=25)

    options = ("units",)

    def __init__(self, match: Dota2Match, units: str | Iterable[str] = HEROES) -> None:
        super().__init__(match)
        self._units = match.unit_patterns(units, HEROES)
        self.fields = roster_fields(
            dict.fromkeys(self._units, (_TEAM, _TAGGED, *_OWNERS)),
            dict.fromkeys(TEAM_DATA.values(), (f"{_STATE}.????",)),
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
        words = FieldWatch((f"{_STATE}.{number:04}" for number in range(_WORDS)), self._on_words)
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
            self._words = FieldSlots(f"{_STATE}.{number:04}" for number in self._numbers)
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
        owner = next((number for name in _OWNERS if (number := whole(entity.get(name))) is not None), None)
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
