"""A synthetic Dota 2 match: ten heroes walk, fight, buy and die among creeps, as entities with everything around
them.

It is made by the writers and knows its own story, so that what is decoded can be held against it. It is no
simulation of the game: nobody plays it, it only looks like one to a decoder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import atan2, cos, degrees, hypot, pi, sin
from random import Random
from typing import Any

from playhead.samples.source2.match_names import ability_name, barracks_names, item_name, name_number, tower_names
from playhead.samples.source2.match_schema import ABILITIES_A_HERO, HEROES, ITEMS, build_schema
from playhead.samples.source2.story import MatchStory, ability_at
from playhead.source2.writing.demo import InnerMessage, StringTableEntry
from playhead.source2.writing.entities import ClassWriter, EntityMessage

TICKS_PER_SECOND = 30
RADIANT, DIRE = 2, 3
NO_HANDLE = 0xFFFFFF

_STEP = 2  # ticks of a packet
_WAVE_EVERY = 30 * TICKS_PER_SECOND
_CREEP_LIFE = 55 * TICKS_PER_SECOND
_RESPAWN = 12 * TICKS_PER_SECOND
_HALF_MAP = 16384
_BASES = {RADIANT: (-6700.0, -6200.0), DIRE: (6500.0, 6000.0)}
_LANES = ((-6200.0, 5600.0), (0.0, 0.0), (6000.0, -5800.0))

_RULES, _RESOURCE = 1, 2
_DATA = {RADIANT: 3, DIRE: 4}
_FIRST_PLAYER, _FIRST_HERO, _HERO_BLOCK = 10, 100, 24
_FIRST_BUILDING, _FIRST_COURIER, _FIRST_TREE, _TREES = 400, 460, 480, 500
_FIRST_CREEP, _FIRST_NEUTRAL, _NEUTRALS = 1000, 1400, 60


def handle(index: int, serial: int) -> int:
    """A networked handle: 14 bits of index, 10 of serial."""
    return index | (serial & 1023) << 14


def cell_fields(x: float, y: float) -> dict[str, Any]:
    """World coordinates as the body component tells them."""
    out: dict[str, Any] = {}
    for axis, value in (("X", x), ("Y", y)):
        cell, rest = divmod(value + _HALF_MAP, 128.0)
        out[f"CBodyComponent.m_cell{axis}"] = int(cell)
        out[f"CBodyComponent.m_vec{axis}"] = rest
    return out


@dataclass(frozen=True, slots=True)
class Kill:
    """A hero who died: players by number."""

    tick: int
    victim: int
    killer: int


@dataclass(slots=True)
class _Object:
    """One entity as it stands: values on top of its class's baseline, and those not told yet."""

    index: int
    serial: int
    writer: ClassWriter
    values: dict[str, Any]
    news: dict[str, Any] = field(default_factory=dict)
    created: bool = True


@dataclass(slots=True)
class _Hero:
    """One player's hero in the story."""

    player: int
    team: int
    name: str
    index: int
    x: float
    y: float
    goal: tuple[float, float]
    health: int = 600
    mana: float = 300.0
    dead_until: int = 0
    kills: int = 0
    deaths: int = 0
    last_hits: int = 0
    gold: int = 600
    xp: int = 0
    level: int = 1


@dataclass(slots=True)
class _Creep:
    index: int
    x: float
    y: float
    goal: tuple[float, float]
    dies: int
    health: int = 550


class SyntheticMatch:
    """The entities of a match, packet by packet.

    Attributes:
        send_tables, class_names: the schema.
        kills: every hero's death so far.
        towers: index and name of each, by team, in the order in which they fall.
        story: what else has happened.
        heroes: by player number; their attributes are the truth of this moment.
    """

    def __init__(self, seed: int = 7) -> None:
        self._random = Random(seed)
        self.send_tables, self.class_names = build_schema()
        self.class_bits = len(self.class_names).bit_length()
        self._writers = {
            name: ClassWriter(number, name, self.send_tables) for number, name in self.class_names.items()
        }
        self._objects: dict[int, _Object] = {}
        self._removed: list[int] = []
        self._left: list[int] = []
        self._away: set[int] = set()
        self._serial = 0
        self.heroes: list[_Hero] = []
        self.kills: list[Kill] = []
        self._creeps: list[_Creep] = []
        self._baselines = {name: self._baseline(name) for name in self.class_names.values()}
        self.towers: dict[int, list[tuple[int, str]]] = {RADIANT: [], DIRE: []}
        self.story = MatchStory(self)
        self._populate()
        self.story.begin()

    # -- entities ---------------------------------------------------------------------------------------

    def _baseline(self, name: str) -> dict[str, Any]:
        """Fields that every entity of a class begins with."""
        values: dict[str, Any] = {
            "m_flSimulationTime": 0,
            "m_hOwnerEntity": NO_HANDLE,
            "m_iTeamNum": 0,
            "m_clrRender": 0xFFFFFFFF,
            "m_flCreateTime": 0.0,
            "m_nTransmitState": 200,
            "m_nAttachment": -1,
            "m_nBloodColor": 3,
            "m_vecLightDirection": (0.0, 0.0, 1.0),
            "m_pCollision": True,
            "m_pCollision.m_vecMins": (-16.0, -16.0, 0.0),
            "m_pCollision.m_vecMaxs": (16.0, 16.0, 64.0),
            "m_pCollision.m_nInteractsAs": 1 << 40,
            "CBodyComponent": True,
            "CBodyComponent.m_flScale": 1.0,
            "CBodyComponent.m_hSequence": -1,
            "CBodyComponent.m_angRotation": (0.0, 0.0, 0.0),
            **cell_fields(0.0, 0.0),
            **{f"CBodyComponent.m_flPoseParameter.{i:04}": 0.0 for i in range(4)},
            "m_pEntity": True,
            "m_pEntity.m_nameStringTableIndex": -1,
        }
        if "Unit_" in name or "_NPC" in name:
            values |= {
                "m_iHealth": 550,
                "m_iMaxHealth": 550,
                "m_lifeState": 0,
                "m_flMana": 0.0,
                "m_iMoveSpeed": 310,
                "m_iszUnitName": "npc_dota_" + name.lower(),
                "m_vecAimAngles": (0.0, 0.0, 0.0),
                "m_flHealthThinkRegen": 0.0,
                **{f"m_hItems.{i:04}": NO_HANDLE for i in range(19)},
            }
        if "_Ability_" in name or "CDOTA_Item_" in name:
            values |= {"m_iLevel": 1} if "CDOTA_Item_Rune" not in name else {"m_flRuneTime": 5.0}
        return values

    def baseline_entries(self) -> list[StringTableEntry]:
        """Entries of the string table ``instancebaseline``."""
        return [
            (at, str(number).encode(), self._writers[name].encode_baseline(self._baselines[name]))
            for at, (number, name) in enumerate(self.class_names.items())
        ]

    def spawn(self, index: int, class_name: str, name: str | None = None, /, **values: Any) -> _Object:
        """A new entity; field names as in `tell`. `name` is one of `sample_names.ENTITY_NAMES`."""
        self._serial += 1
        if name is not None:
            values["m_pEntity__m_nameStringTableIndex"] = name_number(name)
        entity = _Object(index, self._serial, self._writers[class_name], {})
        self._objects[index] = entity
        self.tell(index, **values)
        return entity

    def tell(self, index: int, /, **values: Any) -> None:
        """Field names with ``__`` for the dot."""
        self.put(index, {name.replace("__", "."): value for name, value in values.items()})

    def put_at(self, index: int, x: float, y: float) -> None:
        """An entity stands somewhere else."""
        self.put(index, cell_fields(x, y))

    def handle_of(self, index: int) -> int:
        """The handle of an entity."""
        return handle(index, self._objects[index].serial)

    def give(self, player: int, slot: int, item: str) -> None:
        """An item of the schema comes into a slot of a player's hero; what was there is gone."""
        hero = self.heroes[player]
        index = hero.index + 7 + slot
        if index in self._objects:
            self.remove(index)
        owner = self.handle_of(hero.index)
        part = self.spawn(
            index, f"CDOTA_Item_{item}", item_name(item), m_hOwnerEntity=owner, m_iCurrentCharges=slot
        )
        self.put(hero.index, {f"m_hItems.{slot:04}": handle(part.index, part.serial)})

    def tell_data(self, player: int, values: Mapping[str, Any]) -> None:
        """Fields of a player's row in the data of the team."""
        hero = self.heroes[player]
        self.put(_DATA[hero.team], {f"m_vecDataTeam.{player % 5:04}.{name}": v for name, v in values.items()})

    def put(self, index: int, values: Mapping[str, Any]) -> None:
        """Fields of an entity change."""
        entity = self._objects[index]
        entity.values.update(values)
        entity.news.update(values)

    def remove(self, index: int) -> None:
        """An entity is gone."""
        if not self._objects.pop(index).created:
            self._removed.append(index)

    def live(self) -> int:
        """Entities there are."""
        return len(self._objects)

    def changes(self) -> InnerMessage:
        """The message that tells what is new since the last."""
        return self._message(delta=True)

    def state(self) -> InnerMessage:
        """The message that tells everything, as a full packet carries it; what is new stays to be told."""
        message = EntityMessage(self.class_bits, delta=False)
        for index in sorted(self._objects):
            entity = self._objects[index]
            message.create(index, entity.serial, entity.writer, entity.values)
        return message.encode()

    def first(self) -> InnerMessage:
        """As `state`, and it counts as told."""
        for entity in self._objects.values():
            entity.created = False
            entity.news = {}
        return self.state()

    def _message(self, *, delta: bool) -> InnerMessage:
        message = EntityMessage(self.class_bits, delta=delta)
        gone = set(self._removed)
        left = set(self._left)
        for index in sorted(self._objects.keys() | gone):
            entity = self._objects.get(index)
            if entity is None:
                message.delete(index)
            elif entity.created:
                message.create(index, entity.serial, entity.writer, entity.values)
                entity.created = False
                entity.news = {}
            elif index in left:
                message.leave(index)
            elif entity.news:
                message.update(index, entity.writer, entity.news)
                entity.news = {}
        self._removed, self._left = [], []
        return message.encode()

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
            m_pGameRules__m_unMatchID64=7000000001,
        )
        self.spawn(_RESOURCE, "CDOTA_PlayerResource", m_vecPlayerData=10, m_vecPlayerTeamData=10)
        self.spawn(_DATA[RADIANT], "CDOTA_DataRadiant", m_vecDataTeam=5, m_iTeamVision=bytes(range(32)))
        self.spawn(_DATA[DIRE], "CDOTA_DataDire", m_vecDataTeam=5, m_iTeamVision=bytes(32))
        self.spawn(6, "CDOTATeam", m_iTeamNum=RADIANT, m_szTeamname="Radiant", m_szTag="GRV", m_iScore=0)
        self.spawn(7, "CDOTATeam", m_iTeamNum=DIRE, m_szTeamname="Dire", m_szTag="MOR", m_iScore=0)
        for player in range(10):
            self._populate_player(player)
        self._populate_map()

    def _populate_player(self, player: int) -> None:
        team = RADIANT if player < 5 else DIRE
        x, y = _BASES[team]
        index = _FIRST_HERO + player * _HERO_BLOCK
        name = HEROES[player]
        hero = _Hero(player, team, name, index, x + 60.0 * (player % 5), y, _LANES[player % 3])
        self.heroes.append(hero)
        entity = self.spawn(
            index,
            f"CDOTA_Unit_Hero_{name}",
            m_iTeamNum=team,
            m_nPlayerID=player,
            m_nHeroID=player + 1,
            m_iHealth=hero.health,
            m_iMaxHealth=hero.health,
            m_flMana=hero.mana,
            m_flMaxMana=hero.mana,
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
                f"{data}.m_iszPlayerName": f"player {player}",
                f"{data}.m_iPlayerSteamID": 76561197960265728 + 1000 + player,
                f"{data}.m_iPlayerTeam": team,
                f"{data}.m_bIsValid": True,
                f"{team_data}.m_nSelectedHeroID": player + 1,
                f"{team_data}.m_iTeamSlot": player % 5,
                f"{team_data}.m_hSelectedHero": owner,
                f"{team_data}.m_iKills": 0,
                f"{team_data}.m_iDeaths": 0,
                f"{team_data}.m_iLevel": 1,
            },
        )
        self._tell_economy(hero)

    def _tell_economy(self, hero: _Hero) -> None:
        row = f"m_vecDataTeam.{hero.player % 5:04}"
        self.put(
            _DATA[hero.team],
            {
                f"{row}.m_iUnreliableGold": hero.gold,
                f"{row}.m_iTotalEarnedGold": hero.gold,
                f"{row}.m_iTotalEarnedXP": hero.xp,
                f"{row}.m_iLastHitCount": hero.last_hits,
                f"{row}.m_iNetWorth": hero.gold,
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
            self.put(index, cell_fields(x * random.uniform(0.2, 1.0), y * random.uniform(0.2, 1.0)))
        for i in range(10):
            team = RADIANT if i < 5 else DIRE
            index = _FIRST_COURIER + i
            self.spawn(index, "CDOTA_Unit_Courier", "npc_dota_courier", m_iTeamNum=team, m_nCourierState=0)
            self.put(index, cell_fields(*_BASES[team]))
        for i in range(_TREES):
            self.spawn(_FIRST_TREE + i, "CDOTAPropTree", m_iTreeIndex=i, m_bStanding=True)
            self.put(_FIRST_TREE + i, cell_fields(random.uniform(-7000, 7000), random.uniform(-7000, 7000)))
        for i in range(_NEUTRALS):
            self.spawn(_FIRST_NEUTRAL + i, "CDOTA_BaseNPC_Creep_Neutral", m_iTeamNum=4)
            self.put(_FIRST_NEUTRAL + i, cell_fields(random.uniform(-5000, 5000), random.uniform(-5000, 5000)))

    # -- as time goes on --------------------------------------------------------------------------------

    def ticks(self, last: int) -> Iterator[int]:
        """Play the story up to tick `last`: yields each packet's tick when it has happened."""
        for tick in range(_STEP, last + 1, _STEP):
            self._play(tick)
            yield tick

    def _play(self, tick: int) -> None:
        if self.story.paused(tick):
            return
        self.story.play(tick)
        if tick % _WAVE_EVERY == _STEP:
            self._spawn_wave(tick)
        for hero in self.heroes:
            self._play_hero(hero, tick)
        self._play_creeps(tick)
        if tick % (TICKS_PER_SECOND * 2) == 0:
            self._play_courier(_FIRST_COURIER + tick // 60 % 10, tick)
        if tick % TICKS_PER_SECOND == 0:
            for hero in self.heroes:
                hero.gold += 2
                self._tell_economy(hero)

    def _play_hero(self, hero: _Hero, tick: int) -> None:
        random = self._random
        if hero.dead_until:
            if tick < hero.dead_until:
                return
            hero.dead_until = 0
            hero.health, (hero.x, hero.y) = 600 + 40 * hero.level, _BASES[hero.team]
            self.tell(hero.index, m_lifeState=0, m_iHealth=hero.health)
        dx, dy = hero.goal[0] - hero.x, hero.goal[1] - hero.y
        distance = hypot(dx, dy)
        if distance < 40.0:
            turn = random.uniform(0, 2 * pi)
            lane = _LANES[hero.player % 3]
            hero.goal = lane[0] + 1500 * cos(turn), lane[1] + 1500 * sin(turn)
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
            self.tell(hero.index, m_iHealth=hero.health, m_flMana=hero.mana, m_iRecentDamage=random.randrange(200))
        if random.random() < 0.01:
            slot = hero.index + 1 + random.randrange(ABILITIES_A_HERO)
            self.tell(slot, m_fCooldown=float(tick) / TICKS_PER_SECOND + 9.0, m_flCooldownLength=9.0)
        if random.random() < 0.02:
            hero.last_hits += 1
            hero.gold += 40
            hero.xp += 60
            level = min(30, 1 + hero.xp // 900)
            if level != hero.level:
                hero.level = level
                self.put(hero.index, {"m_iCurrentLevel": level, "m_iXP": hero.xp})
                self.put(_RESOURCE, {f"m_vecPlayerTeamData.{hero.player:04}.m_iLevel": level})
                self.story.learnt(tick, hero.player, ability_at(level), 1 + level // ABILITIES_A_HERO)
        if hero.health < 20 and hero.health != 1:
            self._kill(hero, tick)
        elif tick % TICKS_PER_SECOND == 0:
            hero.health = min(600 + 40 * hero.level, hero.health + 25)
            hero.mana = min(300.0 + 20 * hero.level, hero.mana + 5)
            self.put(hero.index, {"m_iHealth": hero.health, "m_flMana": hero.mana})

    def _kill(self, victim: _Hero, tick: int) -> None:
        killer = self._random.choice([hero for hero in self.heroes if hero.team != victim.team])
        self.kills.append(Kill(tick, victim.player, killer.player))
        victim.deaths += 1
        killer.kills += 1
        killer.gold += 300
        victim.dead_until = tick + _RESPAWN
        victim.health = 0
        self.tell(victim.index, m_lifeState=2, m_iHealth=0)
        self.put(
            _RESOURCE,
            {
                f"m_vecPlayerTeamData.{victim.player:04}.m_iDeaths": victim.deaths,
                f"m_vecPlayerTeamData.{killer.player:04}.m_iKills": killer.kills,
            },
        )

    def _spawn_wave(self, tick: int) -> None:
        free = (
            i for i in range(_FIRST_CREEP, _FIRST_NEUTRAL) if i not in self._objects and i not in self._removed
        )
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
                self.tell(creep.index, m_iHealth=creep.health, m_NetworkActivity=1503)
        self._creeps = staying

    def _play_courier(self, index: int, tick: int) -> None:
        """Couriers go out of sight and come back."""
        if tick // 600 % 2:
            if index not in self._away:
                self._away.add(index)
                self._left.append(index)
            self._objects[index].news = {}
        else:
            self._away.discard(index)
            self.tell(index, m_nCourierState=tick // 60 % 4)
