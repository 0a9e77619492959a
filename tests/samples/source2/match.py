"""A synthetic Dota 2 match: ten heroes walk, fight, buy and die among creeps.

It keeps a record of its events, so tests can compare decoded data with it. It does not simulate the game: it
only produces plausible entities and messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import atan2, cos, degrees, hypot, pi, sin
from random import Random
from typing import Any

from tests.samples.source2.building_places import place_of
from tests.samples.source2.constants import FIRST_ACCOUNT, TICKS_PER_SECOND
from tests.samples.source2.engine import PLAYERS
from tests.samples.source2.entities import TEAM_DATA, Hero, SyntheticEntities, cell_fields
from tests.samples.source2.match_names import ability_name, barracks_names, tower_names
from tests.samples.source2.match_schema import ABILITIES_A_HERO, HEROES, ITEMS, Schema
from tests.samples.source2.story import FIRST_COURIER, MatchStory, ability_at
from tests.samples.source2.world import handle

from playhead.dota2.sources.roster import DIRE, RADIANT
from playhead.runtime.records import dataclass

_STEP = 2  # ticks per packet
_WAVE_EVERY = 30 * TICKS_PER_SECOND
_CREEP_LIFE = 55 * TICKS_PER_SECOND
_RESPAWN = 12 * TICKS_PER_SECOND
_BASES = {RADIANT: (-6700.0, -6200.0), DIRE: (6500.0, 6000.0)}
_LANES = ((-6200.0, 5600.0), (0.0, 0.0), (6000.0, -5800.0))

_RULES, _RESOURCE = 1, 2
#: Parts of a day, and its ticks.
_DAY, _DAY_TICKS = 65535, 600 * TICKS_PER_SECOND
_TEAMS = {RADIANT: 6, DIRE: 7}
#: Gold of a kill, and gold that a hero loses by dying.
BOUNTY, LOSS = 240, 90
# Fields of a player that are 0 at first.
_COUNTED = ("m_flBuybackCooldownTime", "m_iTowerKills", "m_iRoshanKills")
_FIRST_PLAYER, _FIRST_HERO, _HERO_BLOCK = 10, 100, 24
_FIRST_BUILDING, _FIRST_TREE, _TREES = 400, 480, 500
_FIRST_CREEP, _FIRST_NEUTRAL, _NEUTRALS = 1000, 1400, 60


@dataclass(frozen=True, slots=True)
class Kill:
    """The death of a hero: players by number, and the place."""

    tick: int
    victim: int
    killer: int
    assist: int
    x: float
    y: float


@dataclass(slots=True)
class _Creep:
    index: int
    x: float
    y: float
    goal: tuple[float, float]
    dies: int
    health: int = 550


class SyntheticMatch(SyntheticEntities):
    """The entities of a match, packet by packet.

    Attributes:
        kills: every hero's death so far.
        story: all other events.
    """

    def __init__(self, seed: int = 7, schema: Schema | None = None) -> None:
        super().__init__(schema)
        self._random = Random(seed)
        self._away: set[int] = set()
        self.kills: list[Kill] = []
        self._creeps: list[_Creep] = []
        self.story = MatchStory(self)
        self._populate()
        self.story.begin()

    # -- the beginning ----------------------------------------------------------------------------------

    def _populate(self) -> None:
        self.spawn(0, "CWorld", m_WorldMins=(-8192.0, -8192.0, -512.0), m_WorldMaxs=(8192.0, 8192.0, 1024.0))
        self.spawn(
            _RULES,
            "CDOTAGamerulesProxy",
            m_pGameRules=True,
            m_pGameRules__m_nGameState=5,
            m_pGameRules__m_flGameStartTime=30.0,
            m_pGameRules__m_bGamePaused=False,
            m_pGameRules__m_nTotalPausedTicks=0,
            m_pGameRules__m_iNetTimeOfDay=_DAY // 4,
            m_pGameRules__m_unMatchID64=7000000001,
        )
        self.spawn(_RESOURCE, "CDOTA_PlayerResource", m_vecPlayerData=10, m_vecPlayerTeamData=10)
        self.spawn(TEAM_DATA[RADIANT], "CDOTA_DataRadiant", m_vecDataTeam=5, m_iTeamVision=255)
        self.spawn(TEAM_DATA[DIRE], "CDOTA_DataDire", m_vecDataTeam=5, m_iTeamVision=0)
        for team, name, tag in ((RADIANT, "Radiant", "GRV"), (DIRE, "Dire", "MOR")):
            self.spawn(_TEAMS[team], "CDOTATeam", m_iTeamNum=team, m_szTeamname=name, m_szTag=tag, m_iScore=0)
        for player in range(10):
            self._populate_player(player)
        self._populate_map()

    def _populate_player(self, player: int) -> None:
        team = RADIANT if player < 5 else DIRE
        x, y = _BASES[team]
        index = _FIRST_HERO + player * _HERO_BLOCK
        name = HEROES[player]
        person, _unit, _team, hero_id = PLAYERS[player]
        hero = Hero(player, team, name, index, x + 60.0 * (player % 5), y, _LANES[player % 3])
        self.heroes.append(hero)
        entity = self.spawn(
            index,
            f"CDOTA_Unit_Hero_{name}",
            m_iTeamNum=team,
            m_nPlayerID=player,
            m_nHeroID=hero_id,
            m_iHealth=hero.health,
            m_iMaxHealth=hero.max_health,
            m_flMana=hero.mana,
            m_flMaxMana=hero.max_mana,
            m_iCurrentLevel=1,
            m_flStrength=20.0 + player,
            m_flAgility=18.0,
            m_flIntellect=16.0,
            m_pEntity__m_nameStringTableIndex=player,
            m_hAbilities=ABILITIES_A_HERO,
        )
        self.put(index, cell_fields(hero.x, hero.y))
        owner = handle(index, entity.serial)
        parts: dict[str, Any] = {}
        for i in range(ABILITIES_A_HERO):
            part = self.spawn(
                index + 1 + i,
                f"CDOTA_Ability_{name}_{i + 1}",
                ability_name(player, i + 1),
                m_hOwnerEntity=owner,
                m_nAbilityID=5000 + 10 * player + i,
            )
            parts[f"m_hAbilities.{i:04}"] = handle(part.index, part.serial)
        self.put(index, parts)
        for i in range(6):
            self.give(player, i, ITEMS[(player + i) % 3])
        for i in range(8):
            self.spawn(
                index + 13 + i, "CDOTAWearableItem", m_hOwnerEntity=owner, m_iItemID=(1 << 34) + 100 * player + i
            )
        self.spawn(_FIRST_PLAYER + player, "CDOTAPlayerController", m_nPlayerID=player, m_hAssignedHero=owner)
        data, team_data = f"m_vecPlayerData.{player:04}", f"m_vecPlayerTeamData.{player:04}"
        self.put(
            _RESOURCE,
            {
                f"{data}.m_iszPlayerName": person,
                f"{data}.m_iPlayerSteamID": FIRST_ACCOUNT + player,
                f"{data}.m_iPlayerTeam": team,
                f"{data}.m_bIsValid": True,
                f"{team_data}.m_nSelectedHeroID": hero_id,
                f"{team_data}.m_iTeamSlot": player % 5,
                f"{team_data}.m_hSelectedHero": owner,
                f"{team_data}.m_iKills": 0,
                f"{team_data}.m_iDeaths": 0,
                f"{team_data}.m_iLevel": 1,
                f"{team_data}.m_iRespawnSeconds": -1,
            },
        )
        self._tell_economy(hero)

    def _tell_economy(self, hero: Hero) -> None:
        row = f"m_vecDataTeam.{hero.player % 5:04}"
        self.put(
            TEAM_DATA[hero.team],
            {
                f"{row}.m_iUnreliableGold": hero.gold,
                f"{row}.m_iTotalEarnedGold": hero.gold,
                f"{row}.m_iTotalEarnedXP": hero.xp,
                f"{row}.m_iLastHitCount": hero.last_hits,
                f"{row}.m_iNetWorth": hero.gold,
                f"{row}.m_iCommandsIssued": hero.commands,
                **({} if hero.money else dict.fromkeys((f"{row}.{name}" for name in _COUNTED), 0)),
                **{f"{row}.{name}": gold for name, gold in hero.money.items()},
            },
        )

    def _populate_map(self) -> None:
        random = self._random
        kinds = ["Tower"] * 22 + ["Barracks"] * 12 + ["Fort"] * 2 + ["Building"] * 20
        for i, kind in enumerate(kinds):
            team = RADIANT if i % 2 == 0 else DIRE
            x, y = _BASES[team]
            index = _FIRST_BUILDING + i
            side = "goodguys" if team == RADIANT else "badguys"
            names = {"Tower": tower_names(side), "Barracks": barracks_names(side), "Fort": (f"dota_{side}_fort",)}
            before = kinds[i % 2 : i : 2].count(kind)
            label = names[kind][before] if kind in names else None
            self.spawn(index, f"CDOTA_BaseNPC_{kind}", label, m_iTeamNum=team, m_iHealth=1800, m_iMaxHealth=1800)
            if kind == "Tower":
                self.towers[team].append((index, label or ""))
            step_x, step_y = random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)
            spread = 900.0
            if label is not None:
                (x, y), spread = place_of(label), 50.0
            self.put(index, cell_fields(x + spread * step_x, y + spread * step_y))
        for i in range(10):
            team = RADIANT if i < 5 else DIRE
            index = FIRST_COURIER + i
            values = {"m_iTeamNum": team, "m_nCourierState": 0, "m_nPlayerOwnerID": i}
            self.spawn(index, "CDOTA_Unit_Courier", "npc_dota_courier", **values)
            self.put(index, cell_fields(*_BASES[team]))
        for i in range(_TREES):
            self.spawn(_FIRST_TREE + i, "CDOTAPropTree", m_iTreeIndex=i, m_bStanding=True)
            self.put(_FIRST_TREE + i, cell_fields(random.uniform(-7000, 7000), random.uniform(-7000, 7000)))
        for i in range(_NEUTRALS):
            self.spawn(_FIRST_NEUTRAL + i, "CDOTA_BaseNPC_Creep_Neutral", m_iTeamNum=4)
            self.put(_FIRST_NEUTRAL + i, cell_fields(random.uniform(-5000, 5000), random.uniform(-5000, 5000)))

    # -- ticks -----------------------------------------------------------------------------------------

    def ticks(self, last: int) -> Iterator[int]:
        """Play up to tick `last`; yield the tick of each packet after it was played."""
        for tick in range(_STEP, last + 1, _STEP):
            self.play(tick)
            if tick + _STEP > last:
                self.end()
            yield tick

    def play(self, tick: int) -> None:
        """Play the events of a tick, since the previous packet."""
        if self.story.paused(tick):
            return
        self.story.play(tick)
        if tick % _WAVE_EVERY == _STEP:
            self.spawn_wave(tick)
        for hero in self.heroes:
            self._play_hero(hero, tick)
        self._play_creeps(tick)
        if tick % (TICKS_PER_SECOND * 2) == 0:
            player = tick // 60 % 10
            if not self.story.dead_courier(player):
                self._play_courier(FIRST_COURIER + player, tick)
        if tick % TICKS_PER_SECOND == 0:
            self.set_fields(_RULES, m_pGameRules__m_iNetTimeOfDay=(_DAY // 4 + tick * _DAY // _DAY_TICKS) % _DAY)
            for hero in self.heroes:
                hero.earn("m_iIncomeGold", 2)
                self._tell_economy(hero)
                if hero.dead_until:
                    self._tell_respawn(hero, -(-(hero.dead_until - tick) // TICKS_PER_SECOND))

    def end(self) -> None:
        """End the match: Radiant wins."""
        self.set_fields(_RULES, m_pGameRules__m_nGameState=6, m_pGameRules__m_nGameWinner=RADIANT)

    def _play_hero(self, hero: Hero, tick: int) -> None:
        random = self._random
        if hero.dead_until:
            if tick < hero.dead_until:
                return
            hero.dead_until = 0
            hero.health, (hero.x, hero.y) = hero.max_health, _BASES[hero.team]
            self._tell_respawn(hero, -1)
            self.set_fields(hero.index, m_lifeState=0, m_iHealth=hero.health)
        dx, dy = hero.goal[0] - hero.x, hero.goal[1] - hero.y
        distance = hypot(dx, dy)
        if distance < 40.0:
            turn = random.uniform(0, 2 * pi)
            lane = _LANES[hero.player % 3]
            hero.goal = lane[0] + 1500 * cos(turn), lane[1] + 1500 * sin(turn)
            hero.commands += 1
        else:
            step = min(distance, 310.0 * _STEP / TICKS_PER_SECOND)
            hero.x += dx / distance * step
            hero.y += dy / distance * step
            news = cell_fields(hero.x, hero.y)
            news["CBodyComponent.m_angRotation"] = (0.0, degrees(atan2(dy, dx)) % 360.0, 0.0)
            news["m_flSimulationTime"] = tick
            self.put(hero.index, news)
        if random.random() < 0.12:
            hero.health = max(1, hero.health - random.randrange(40))
            hero.mana = max(0.0, hero.mana - random.randrange(8))
            self.set_fields(
                hero.index, m_iHealth=hero.health, m_flMana=hero.mana, m_iRecentDamage=random.randrange(200)
            )
        if random.random() < 0.01:
            slot = hero.index + 1 + random.randrange(ABILITIES_A_HERO)
            self.set_fields(slot, m_fCooldown=float(tick) / TICKS_PER_SECOND + 9.0, m_flCooldownLength=9.0)
        if random.random() < 0.02:
            hero.last_hits += 1
            hero.earn("m_iCreepKillGold", 40)
            hero.xp += 60
            level = min(30, 1 + hero.xp // 900)
            if level != hero.level:
                hero.level = level
                news = {"m_iCurrentLevel": level, "m_iXP": hero.xp}
                self.put(hero.index, news | {"m_iMaxHealth": hero.max_health, "m_flMaxMana": hero.max_mana})
                self.put(_RESOURCE, {f"m_vecPlayerTeamData.{hero.player:04}.m_iLevel": level})
                self.story.learn(tick, hero.player, ability_at(level), 1 + level // ABILITIES_A_HERO)
        if hero.health < 20 and hero.health != 1:
            self._kill(hero, tick)
        elif tick % TICKS_PER_SECOND == 0:
            hero.health = min(hero.max_health, hero.health + 25)
            hero.mana = min(hero.max_mana, hero.mana + 5)
            self.put(hero.index, {"m_iHealth": hero.health, "m_flMana": hero.mana})

    def _tell_respawn(self, hero: Hero, seconds: int) -> None:
        self.put(_RESOURCE, {f"m_vecPlayerTeamData.{hero.player:04}.m_iRespawnSeconds": seconds})

    def _kill(self, victim: Hero, tick: int) -> None:
        killer = self._random.choice([hero for hero in self.heroes if hero.team != victim.team])
        helper = self.heroes[(killer.player + 1) % 5 + killer.player // 5 * 5]
        self.kills.append(Kill(tick, victim.player, killer.player, helper.player, victim.x, victim.y))
        victim.deaths += 1
        killer.kills += 1
        helper.assists += 1
        killer.earn("m_iHeroKillGold", BOUNTY)
        victim.money["m_iGoldLostToDeath"] = victim.money.get("m_iGoldLostToDeath", 0) + LOSS
        victim.dead_until = tick + _RESPAWN
        self._tell_respawn(victim, _RESPAWN // TICKS_PER_SECOND)
        victim.health = 0
        self.set_fields(victim.index, m_lifeState=2, m_iHealth=0)
        self.put(
            _RESOURCE,
            {
                f"m_vecPlayerTeamData.{victim.player:04}.m_iDeaths": victim.deaths,
                f"m_vecPlayerTeamData.{killer.player:04}.m_iKills": killer.kills,
                f"m_vecPlayerTeamData.{helper.player:04}.m_iAssists": helper.assists,
            },
        )
        kills = sum(hero.kills for hero in self.heroes if hero.team == killer.team)
        self.set_fields(_TEAMS[killer.team], m_iHeroKills=kills, m_iScore=kills)

    def spawn_wave(self, tick: int) -> None:
        """Send creeps of both teams along every lane."""
        free = (i for i in range(_FIRST_CREEP, _FIRST_NEUTRAL) if i not in self.objects and i not in self.removed)
        for team in (RADIANT, DIRE):
            for lane in _LANES:
                for i in range(4):
                    kind = "Creep_Siege" if i == 3 and tick % (5 * _WAVE_EVERY) == _STEP else "Creep_Lane"
                    index = next(free)
                    x, y = _BASES[team][0] + 30.0 * i, _BASES[team][1]
                    self.spawn(
                        index, f"CDOTA_BaseNPC_{kind}", m_iTeamNum=team, m_flCreateTime=tick / TICKS_PER_SECOND
                    )
                    self.put(index, cell_fields(x, y))
                    life = _CREEP_LIFE + self._random.randrange(20 * TICKS_PER_SECOND)
                    self._creeps.append(_Creep(index, x, y, lane, tick + life))

    def _play_creeps(self, tick: int) -> None:
        staying = []
        for creep in self._creeps:
            if tick >= creep.dies:
                self.remove(creep.index)
                continue
            staying.append(creep)
            if (tick // _STEP + creep.index) % 3:
                continue
            dx, dy = creep.goal[0] - creep.x, creep.goal[1] - creep.y
            distance = hypot(dx, dy)
            if distance > 30.0:
                step = 325.0 * 3 * _STEP / TICKS_PER_SECOND
                creep.x += dx / distance * min(step, distance)
                creep.y += dy / distance * min(step, distance)
                self.put(creep.index, {**cell_fields(creep.x, creep.y), "m_flSimulationTime": tick})
            else:
                creep.health = max(10, creep.health - self._random.randrange(12))
                self.set_fields(creep.index, m_iHealth=creep.health, m_NetworkActivity=1503)
        self._creeps = staying

    def _play_courier(self, index: int, tick: int) -> None:
        """Hide couriers and show them again."""
        if tick // 600 % 2:
            if index not in self._away:
                self._away.add(index)
                self.left.append(index)
            self.objects[index].news = {}
        else:
            self._away.discard(index)
            self.set_fields(index, m_nCourierState=tick // 60 % 4)
