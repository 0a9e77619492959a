"""Tables ``camps``, ``neutrals`` and ``stacks``: neutral camps, their creeps, and the stacks of players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import hypot
from typing import Any, ClassVar, NamedTuple

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.shared_log import SharedLog
from playhead.dota2.sources.combat_log import NAMES
from playhead.dota2.sources.entities import NAME_FIELD, NAME_TABLE, POSITION_FIELDS, integer, npc_name, position
from playhead.dota2.sources.hero_lives import HeroPlaces, place_of
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.roster import CounterRises, Rise, roster_fields, team_fields
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass
from playhead.source2.entities.entity import INDEX_MASK, Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import to_list
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

#: Largest distance of a hero from the camp that it stacked, in world units.
REACH = 1500.0


class Wave(NamedTuple):
    """A wave that came over living creeps of earlier waves; `camp` is the entity of the camp, `place` None if
    unknown."""

    camp: int
    creeps_before: int
    place: tuple[float | None, float | None]


class Credit(NamedTuple):
    """A rise of a player's count of stacked camps, and the places of the player's hero in the seconds before."""

    player: int
    camps: int
    places: Sequence[tuple[float, float]]


def credited(waves: Sequence[Wave], credits: Sequence[Credit]) -> list[tuple[Wave, int | None]]:
    """Assign the waves of one tick to the credited players; None if no credited hero was near.

    A single player who is credited with every wave gets all. Otherwise each wave goes to the nearest credited hero
    within `REACH`, nearest pairs first. If there are more waves than credits, waves without a player are no
    stacks: a camp may spawn beside a single creep that left it.
    """
    left = {credit.player: 0 for credit in credits}
    for credit in credits:
        left[credit.player] += credit.camps
    if len(left) == 1 and sum(left.values()) == len(waves):
        (player,) = left
        return [(wave, player) for wave in waves]
    pairs = sorted(
        (distance, number, credit.player)
        for number, wave in enumerate(waves)
        for credit in credits
        if (distance := _distance(wave, credit)) <= REACH
    )
    total = sum(left.values())
    taken: dict[int, int] = {}
    for _distance_of, number, player in pairs:
        if number not in taken and left[player]:
            taken[number] = player
            left[player] -= 1
    found = [(wave, taken.get(number)) for number, wave in enumerate(waves)]
    return found if len(waves) <= total else [(wave, player) for wave, player in found if player is not None]


def _distance(wave: Wave, credit: Credit) -> float:
    """Return the smallest distance of the hero from the camp; infinite if either place is unknown."""
    x, y = wave.place
    if x is None or y is None or not credit.places:
        return float("inf")
    return min(hypot(x - at_x, y - at_y) for at_x, at_y in credit.places)


_SPAWNER, _CREEP = "CDOTA_NeutralSpawner", "CDOTA_BaseNPC_Creep_Neutral"
_TYPE, _HOME, _WAITING, _LIFE = "m_Type", "m_hNeutralSpawner", "m_bIsWaitingToSpawn", "m_lifeState"
_STACKED = "m_iCampsStacked"
_SIZES = dict(enumerate(("small", "medium", "large", "ancient")))
_NO_HOME = 0xFFFFFF
# Largest distance, in ticks, between a creep's death and its entry in the combat log.
_SAME_DEATH = 2

CAMPS = TableSchema.of(
    "camps",
    "One row for each neutral camp of the map: CDOTA_NeutralSpawner.",
    word("tick", "First tick with its entity."),
    *words("seconds game_seconds entity"),
    Column("size", "category", "small, medium, large or ancient."),
    Column("size_id", "int64", "m_Type, as last sent: 0 small, 1 medium, 2 large, 3 ancient."),
    *words("x y"),
)

NEUTRALS = TableSchema.of(
    "neutrals",
    "One row for each creep of a neutral camp: CDOTA_BaseNPC_Creep_Neutral with a m_hNeutralSpawner, from the "
    "tick at which its m_bIsWaitingToSpawn is false to that at which its m_lifeState is not 0.",
    *words("tick seconds game_seconds end_tick end_seconds end_game_seconds camp"),
    word("unit_type", "Of its entity, else of the DEATH entry."),
    word(
        "attacker_player",
        "The killer's: of the DEATH entries of neutral creeps at that tick, if they have one killer; else null.",
    ),
)

STACKS = TableSchema.of(
    "stacks",
    "One row for each stack of a camp: a wave that came while creeps of an earlier wave were alive, at a tick "
    "at which a player's m_iCampsStacked rose. If several camps were stacked at once, a camp is that of the "
    "nearest credited hero in the 3 to 10 seconds before, within 1,500 map units; else `player` is null.",
    *words("tick seconds game_seconds camp player hero"),
    Column("creeps_before", "int32", "Creeps of earlier waves alive at that tick."),
)


@dataclass(slots=True)
class _Creep:
    """One creep; `tick` is None until it spawns."""

    camp: int
    name: str | None
    tick: int | None = None
    died: int | None = None


@TABLES.maker_of(CAMPS, NEUTRALS, STACKS)
class Camps(PlayerFacts):
    jobs: ClassVar = Jobs(8, extra=80)
    string_tables = (NAME_TABLE, NAMES)
    fields = roster_fields(
        {
            _SPAWNER: (_TYPE, *POSITION_FIELDS),
            _CREEP: (_HOME, _WAITING, _LIFE, NAME_FIELD),
            "CDOTA_Unit_Hero_*": POSITION_FIELDS,
        },
        team_fields((_STACKED,)),
    )

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._camps: dict[int, dict[str, Any]] = {}
        self._creeps: dict[int, _Creep] = {}
        self._all: list[_Creep] = []
        self._credits: list[tuple[Rise, list[tuple[int, dict[int, list[Any]]]]]] = []
        self._recent: list[tuple[int, dict[int, list[Any]]]] = []
        self._log = SharedLog.of(self.match, playback, ("DEATH",), ("target", "attacker_player"))
        add = playback.entities.on_entity
        add(FieldWatch((_TYPE,), self._on_spawner), _SPAWNER, EntityOp.CREATED | EntityOp.UPDATED)
        add(FieldWatch((_HOME, _WAITING, _LIFE), self._on_creep), _CREEP)
        CounterRises(playback, _STACKED, self._on_rise)
        self._per_second = self.match.interval("1s")
        self._places = HeroPlaces.of(self.match, playback)
        self._places.sampler.on_sample(self._remember)

    def _on_spawner(self, entity: Entity, _op: EntityOp) -> None:
        size, (x, y) = integer(entity, _TYPE), position(entity)
        self._camps.setdefault(entity.index, {"tick": max(0, self._playback.tick), "entity": entity.index}).update(
            size=_SIZES.get(-1 if size is None else size), size_id=size, x=x, y=y
        )

    def _on_creep(self, entity: Entity, op: EntityOp) -> None:
        handle = entity.handle
        creep = self._creeps.get(handle)
        if op & EntityOp.DELETED:
            if creep is not None:
                self._die(creep, handle)
            return
        home = integer(entity, _HOME)
        if creep is None:
            # The index of a deleted creep may have been used again, with another serial.
            if home is None or home == _NO_HOME or integer(entity, _LIFE):
                return
            creep = self._creeps[handle] = _Creep(home & INDEX_MASK, npc_name(self._playback.entities, entity))
        if creep.tick is None and entity.get(_WAITING) is False:
            creep.tick = max(0, self._playback.tick)
            self._all.append(creep)
        if integer(entity, _LIFE):
            self._die(creep, handle)

    def _die(self, creep: _Creep, handle: int) -> None:
        creep.died = self._playback.tick
        del self._creeps[handle]

    def _remember(self, tick: int) -> None:
        """Keep the positions of the heroes in the last ten seconds."""
        self._recent.append((tick, self._places.now))
        if len(self._recent) > 12:
            del self._recent[0]

    def _on_rise(self, rise: Rise) -> None:
        self._credits.append((rise, list(self._recent)))

    # -- the end ----------------------------------------------------------------------------------------

    def tables(self) -> Mapping[str, pa.Table]:
        camps = [camp for _, camp in sorted(self._camps.items())]
        return {
            CAMPS.name: self.match.table(CAMPS, camps),
            NEUTRALS.name: self.match.table(NEUTRALS, list(self._neutrals())),
            STACKS.name: self.match.table(STACKS, list(self._stacks())),
        }

    def _neutrals(self) -> Iterator[dict[str, Any]]:
        deaths = self._deaths()
        for creep in self._all:
            died = creep.died
            near = [] if died is None else deaths.get(died, [])
            for late in range(1, _SAME_DEATH + 1):
                near = near or (
                    deaths.get(died + late) or deaths.get(died - late) or [] if died is not None else []
                )
            near = [each for each in near if each[0] == creep.name] or near
            names, killers = {name for name, _ in near}, {killer for _, killer in near}
            yield {
                "tick": creep.tick,
                "camp": creep.camp,
                "unit_type": creep.name or (names.pop() if len(names) == 1 else None),
                "end_tick": died,
                "attacker_player": killers.pop() if len(killers) == 1 else None,
            }

    def _deaths(self) -> dict[int, list[tuple[str, int | None]]]:
        """Return names and killers of the neutral creeps in the combat log, by tick."""
        deaths = self._log.rows.columns("DEATH", "target", "attacker_player")
        found: dict[int, list[tuple[str, int | None]]] = {}
        for tick, name, killer in zip(*map(to_list, deaths.values()), strict=True):
            if name is not None and name.startswith("npc_dota_neutral"):
                found.setdefault(tick, []).append((name, killer))
        return found

    def _stacks(self) -> Iterator[dict[str, Any]]:
        names = self._roster.hero_names()
        players = {(seat.team, seat.row): seat.player for seat in self._roster.seats}
        by_tick: dict[int, list[Credit]] = {}
        for (tick, team, row, camps), recent in self._credits:
            player = players.get((team, row))
            if player is not None:
                first, last = tick - 10 * self._per_second, tick - 3 * self._per_second
                samples = [now[player] for then, now in recent if first <= then <= last and player in now]
                places = [place for values in samples if (place := place_of(values)) is not None]
                by_tick.setdefault(tick, []).append(Credit(player, camps, places))
        for tick, credits in sorted(by_tick.items()):
            for wave, player in credited(self._waves(tick), credits):
                yield {
                    "tick": tick,
                    "camp": wave.camp,
                    "player": player,
                    "hero": None if player is None else names.get(player),
                    "creeps_before": wave.creeps_before,
                }

    def _waves(self, tick: int) -> list[Wave]:
        """Return the waves that came at a tick over living creeps, by camp."""
        came = sorted({creep.camp for creep in self._all if creep.tick == tick})
        waves = []
        for camp in came:
            alive = sum(
                creep.camp == camp
                and creep.tick is not None
                and creep.tick < tick
                and (creep.died is None or creep.died > tick)
                for creep in self._all
            )
            if alive:
                known = self._camps.get(camp, {})
                waves.append(Wave(camp, alive, (known.get("x"), known.get("y"))))
        return waves
