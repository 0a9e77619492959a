"""`Battlefield`: the entities of the written match of Deadlock at their places."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, sin
from typing import Any

from tests.samples.source2.deadlock import names
from tests.samples.source2.deadlock.names import FIRST_SERVER_TICK, HEROES, RATE, side
from tests.samples.source2.deadlock.schema import BARRACKS, MASK_WORDS, STATE_MASKS, build_schema
from tests.samples.source2.world import WrittenWorld

from playhead.deadlock.sources.names import name_hash
from playhead.runtime.records import dataclass, field

CELL = 512
NO_HANDLE = 0xFFFFFF
LANES = {1: -3000.0, 4: 0.0, 6: 3000.0}
#: Coordinate y of the bases, by team.
BASES = {2: -9000.0, 3: 9000.0}
MAX_HEALTH = 800
RULES, _FIRST_TEAM, _FIRST_PAWN, _FIRST_ABILITY = 20, 21, 30, 60
_FIRST_OBJECTIVE, _FIRST_NODE, MID_BOSS, _FIRST_TRIGGER, RIFT = 200, 260, 300, 301, 303
MACHINE = 310
_FIRST_NEUTRAL, _FIRST_CRATE, FIRST_TROOPER, LAST_TROOPER = 320, 350, 400, 999
NEUTRALS, CRATES, NODES = 12, 20, 12
URN_TRIGGER = _FIRST_TRIGGER

Row = dict[str, Any]


def server_seconds(tick: int) -> float:
    """Return the server's time at a tick."""
    return (FIRST_SERVER_TICK + tick) / RATE


def states_fields(states: Mapping[str, tuple[int, ...]]) -> Row:
    """Return the masks of states of a body as fields, from the numbers of the states in each."""
    found: Row = {}
    for mask in STATE_MASKS:
        words = [0] * MASK_WORDS
        for state in states.get(mask, ()):
            words[state // 32] |= 1 << state % 32
        found |= {f"m_pModifierProp.{mask}.{place:04}": word for place, word in enumerate(words)}
    return found


@dataclass(slots=True)
class Fighter:
    """One player: the current expected values of controller and body."""

    player: int
    hero: int
    team: int
    x: float = 0.0
    y: float = 0.0
    z: float = 96.0
    yaw: float = 0.0
    health: int = MAX_HEALTH
    dead_until: int = 0
    souls: int = 600
    spent: int = 0
    kills: int = 0
    deaths: int = 0
    assists: int = 0
    last_hits: int = 0
    denies: int = 0
    streak: int = 0
    hero_damage: int = 0
    items: list[str] = field(default_factory=list)
    tiers: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    stats: list[tuple[int, float]] = field(default_factory=list)
    imbued: Row | None = None

    @property
    def controller(self) -> int:
        """Index of the controller."""
        return self.player + 1

    @property
    def pawn(self) -> int:
        """Index of the body."""
        return _FIRST_PAWN + self.player

    def ability(self, slot: int) -> int:
        """Return the index of an ability."""
        return _FIRST_ABILITY + 4 * self.player + slot


@dataclass(slots=True)
class Structure:
    """A guardian, walker, barracks, shrine or patron."""

    index: int
    kind: str
    team: int
    lane: int
    x: float
    y: float
    health: int


_KINDS = {
    "guardian": "CNPC_TrooperBoss",
    "walker": "CNPC_Boss_Tier2",
    "shrine": "CCitadel_Destroyable_Building",
    "patron": "CNPC_Boss_Tier3",
}


class Battlefield(WrittenWorld):
    """The entities of the match.

    Attributes:
        new: as after the update of 29 September 2026: a map of 128 cells, and newer names.
        seed: shifts players and places of what happens.
        fighters: the players.
        structures: the structures, in the order in which they fall.
    """

    def __init__(self, *, new: bool, seed: int = 0) -> None:
        super().__init__(build_schema(new=new))
        self.new, self.seed = new, seed
        self.middle = 64 if new else 32
        self.fighters = [Fighter(player, hero, side(player)) for player, hero in enumerate(HEROES)]
        self.structures: list[Structure] = []
        self._populate()

    def baseline(self, name: str) -> Mapping[str, Any]:
        """Return the fields that all entities of a class share."""
        if name == "CCitadelGameRulesProxy":
            return {"m_pGameRules": True}
        if name in ("CCitadelPlayerController", "CCitadelTeam") or "Ability" in name:
            return {"m_iTeamNum": 0} if "Ability" not in name else {"m_iRemainingCharges": 0}
        return {"CBodyComponent": True, "m_iTeamNum": 0}

    def put_at(self, index: int, x: float, y: float, z: float = 0.0) -> None:
        """Move an entity."""
        self.put(index, self.place(x, y, z))

    def place(self, x: float, y: float, z: float) -> Row:
        """Return the fields of a place."""
        middle, side = self.middle * CELL, float(CELL)
        cell_x, rest_x = divmod(x + middle, side)
        cell_y, rest_y = divmod(y + middle, side)
        cell_z, rest_z = divmod(z + middle, side)
        return {
            "CBodyComponent.m_cellX": int(cell_x),
            "CBodyComponent.m_vecX": rest_x,
            "CBodyComponent.m_cellY": int(cell_y),
            "CBodyComponent.m_vecY": rest_y,
            "CBodyComponent.m_cellZ": int(cell_z),
            "CBodyComponent.m_vecZ": rest_z,
        }

    # -- the beginning ----------------------------------------------------------------------------------

    def _populate(self) -> None:
        rules = {
            "m_nTotalPausedTicks": 0,
            "m_nPauseStartTick": 0,
            "m_bGamePaused": False,
            "m_bServerPaused": False,
            "m_flGameStartTime": 0.0,
            "m_eGameState": 5,
            "m_vMinimapMins": (-8960.0, -8960.0, 0.0),
            "m_vMinimapMaxs": (8960.0, 8960.0, 0.0),
            "m_eMatchMode": 1,
            "m_eGameMode": 1,
            "m_iPauseTeam": 0,
            "m_nMatchClockUpdateTick": 0,
            "m_flMatchClockAtLastUpdate": 0.0,
            "m_unMatchID": 40000001,
            "m_tNextMidBossSpawnTime": server_seconds(600) + 60.0,
            "m_iMidbossKillCount": 0,
            "m_iAmberRejuvCount": 0,
            "m_iSapphireRejuvCount": 0,
            "m_nKothScoringTeam": 0,
            "m_timeKothCashInStarted": 0.0,
            "m_vKothCashInCurrentLocation": (0.0, 0.0, 0.0),
        }
        self.create(RULES, "CCitadelGameRulesProxy", {"m_pGameRules": True})
        brawl = ("Round", "TeamAmberScore", "TeamSapphireScore", "LastBuyCountDown")
        self.rules(**rules, **dict.fromkeys((f"m_tStreetBrawl.m_i{name}" for name in brawl), 0))
        for team, title in ((2, "Hidden King"), (3, "Archmother")):
            values = {"m_iTeamNum": team, "m_iScore": 0, "m_szTeamname": title}
            self.create(_FIRST_TEAM + team - 2, "CCitadelTeam", values)
        for fighter in self.fighters:
            self._populate_player(fighter)
        self._populate_structures()
        for number in range(NODES):
            x, y = list(LANES.values())[number % 3], -6000.0 + 4000.0 * (number // 3)
            ends = [NO_HANDLE] if number + 3 >= NODES else [_FIRST_NODE + number + 3]
            values = {"m_iTeamNum": 2 if y < 0 else 3, "m_vecConnections": len(ends), "m_eCaptureState": 0}
            values |= {"m_iPrimaryLane": list(LANES)[number % 3], "m_bCapturable": True}
            values |= {"m_vecConnections.0000": ends[0], "m_flCumulativeDistance": 4000.0 * (number // 3)}
            self.create(_FIRST_NODE + number, "CCitadelZipLineNode", values)
            self.put_at(_FIRST_NODE + number, x, y, 512.0)
        for number in range(NEUTRALS):
            self.neutral(number)
        for number in range(CRATES):
            values = {"m_iTeamNum": 0, "m_nSubclassID": name_hash(names.CRATE)}
            self.create(_FIRST_CRATE + number, "CCitadel_BreakableProp", values)
            self.put_at(_FIRST_CRATE + number, -5000.0 + 500.0 * number, 1500.0)
        values = {"m_iHealth": 400, "m_iMaxHealth": 400, "m_lifeState": 0, "m_iTeamNum": 4, "m_iLane": 0}
        self.create(MACHINE, "CNPC_Neutral_SinnersSacrifice", values)
        self.put_at(MACHINE, 2000.0, -1500.0, 64.0)
        self.create(URN_TRIGGER, "CCitadelIdolReturnTrigger", {"m_iTeamNum": 2, "m_bDisabled": True})
        self.put_at(URN_TRIGGER, -5000.0, -2000.0, 128.0)

    def _populate_player(self, fighter: Fighter) -> None:
        player, team = fighter.player, fighter.team
        self._walk(fighter, 0)
        values: Row = {
            "m_flSimulationTime": FIRST_SERVER_TICK,
            "m_iHealth": fighter.health,
            "m_iMaxHealth": 600,
            "m_lifeState": 0,
            "m_iTeamNum": team,
            "m_nHeroID": fighter.hero,
            "m_nLevel": 1,
            "m_nCurrencies.0000": fighter.souls,
            "m_nCurrencies.0001": 1,
            "m_nSpentCurrencies.0000": 0,
            "m_flLastSpawnTime": server_seconds(0),
            "m_bInItemShopZone": False,
            "m_bInRegenerationZone": False,
            "m_unHeroBuildID": 100 + player,
            "m_pModifierProp": True,
            **states_fields({}),
        }
        self.create(fighter.pawn, "CCitadelPlayerPawn", {"CBodyComponent": True} | values)
        self.put(fighter.pawn, self.body(fighter))
        data: Row = {
            "m_steamID": names.FIRST_ACCOUNT + player,
            "m_iTeamNum": team,
            "m_iszPlayerName": names.player_name(player),
            "m_nAssignedLane": list(LANES)[player % 3],
            "m_nOriginalLaneAssignment": list(LANES)[player % 3],
            "m_iLevel": 1,
            "m_iHealthMax": MAX_HEALTH,
            "m_flHealthRegen": 2.5,
            "m_nHeroID": fighter.hero,
            "m_iAPNetWorth": 1,
            "m_bAlive": True,
            "m_bUltimateTrained": False,
            "m_bHasRejuvenator": False,
            "m_bHasRebirth": False,
            "m_unPackedRank": 0,
            "m_nBoonCount": 0,
            "m_vecUpgrades": 0,
            "m_vecStatViewerModifierValues": 0,
            "m_vecAbilityUpgradeState": 4,
            "m_vecImbuements": 0,
        }
        for slot, (name, _) in enumerate(names.ABILITIES):
            data[f"m_vecAbilityUpgradeState.{slot:04}.m_ItemID"] = name_hash(name)
            data[f"m_vecAbilityUpgradeState.{slot:04}.m_nUpgradeInfo"] = 0
        self.create(fighter.controller, "CCitadelPlayerController", data)
        body, owner = self.handle_of(fighter.pawn), self.handle_of(fighter.controller)
        self.put(fighter.controller, {"m_hPawn": body, "m_hHeroPawn": body})
        self.put(fighter.pawn, {"m_hController": owner, "m_hDefaultController": owner})
        self.tell(fighter)
        for slot, (name, class_name) in enumerate(names.ABILITIES):
            values = {"m_hOwnerEntity": body, "m_nSubclassID": name_hash(name), "m_eAbilitySlot": slot}
            values |= {"m_flCooldownStart": 0.0, "m_flCooldownEnd": 0.0, "m_iRemainingCharges": 2}
            values |= {"m_flChargeRechargeStart": 0.0, "m_flChargeRechargeEnd": 0.0, "m_nUpgradeBits": 0}
            self.create(fighter.ability(slot), class_name, values)

    def _populate_structures(self) -> None:
        sides = {2: -1.0, 3: 1.0}
        planned = [
            *(("guardian", lane, 3000.0) for lane in LANES),
            *(("walker", lane, 5000.0) for lane in LANES),
            *(("barracks", lane, 7000.0) for lane in LANES),
            *(("shrine", 0, 8000.0 + number) for number in range(2)),
            ("patron", 0, 8500.0),
        ]
        index = _FIRST_OBJECTIVE
        for kind, lane, y in planned:
            for team in (3, 2):  # the Archmother's fall first
                x = 16.0 if kind == "patron" else LANES.get(lane, 600.0 * (1 if y == 8000.0 else -1))
                health = {"patron": 12000, "walker": 7000, "shrine": 5000}.get(kind, 4000)
                class_name = BARRACKS[self.new] if kind == "barracks" else _KINDS[kind]
                values: Row = {"m_iHealth": health, "m_iMaxHealth": health, "m_iTeamNum": team}
                if kind != "shrine":
                    values |= {"m_lifeState": 0, "m_iLane": lane}
                if kind == "patron":
                    values["m_ePhase"] = 0
                self.create(index, class_name, values)
                self.put_at(index, x, sides[team] * y, 64.0)
                self.structures.append(Structure(index, kind, team, lane, x, sides[team] * y, health))
                index += 1
        for team in (2, 3):
            values = {"m_iHealth": 500, "m_iMaxHealth": 500, "m_lifeState": 0, "m_iTeamNum": team, "m_iLane": 0}
            self.create(index, "CNPC_BaseDefenseSentry", values)
            self.put_at(index, 300.0, sides[team] * 8200.0, 64.0)
            index += 1

    def hidden_king(self, minute: int, more: int) -> Fighter:
        """Return a player of team 2 for an event of a minute."""
        return self.fighters[(minute + more + self.seed) % 6]

    def archmother(self, minute: int, more: int) -> Fighter:
        """Return a player of team 3 for an event of a minute."""
        return self.fighters[6 + (minute + more + self.seed) % 6]

    # -- changes ----------------------------------------------------------------------------------------

    def rules(self, **values: Any) -> None:
        """Set fields of the game rules."""
        self.put(RULES, {f"m_pGameRules.{name}": value for name, value in values.items()})

    def neutral(self, number: int) -> int:
        """Create a neutral in its camp; return its index."""
        index = _FIRST_NEUTRAL + number
        values = {"m_iHealth": 300, "m_iMaxHealth": 300, "m_lifeState": 0, "m_iTeamNum": 4, "m_iLane": 0}
        self.create(index, "CNPC_TrooperNeutral", values | {"m_nSubclassID": name_hash(names.NEUTRAL)})
        self.put_at(index, 1500.0 + 40.0 * (number % 4), -4000.0 + 2000.0 * (number // 4))
        return index

    def crate(self, number: int) -> int:
        """Return the index of a breakable prop."""
        return _FIRST_CRATE + number

    def node(self, number: int) -> int:
        """Return the index of a node of a zip line."""
        return _FIRST_NODE + number

    def _walk(self, fighter: Fighter, tick: int) -> None:
        """Move a hero on an ellipse around the middle of its lane, in steps of 1/32."""
        lane = list(LANES.values())[fighter.player % 3]
        turn = tick / (20.0 * RATE) + fighter.player + 0.7 * (self.seed % 1000)
        fighter.x = round((lane + 700.0 * cos(turn)) * 32) / 32
        fighter.y = round((BASES[fighter.team] * 0.1 + 900.0 * sin(turn)) * 32) / 32
        fighter.yaw = round((turn * 57.29577951308232 + 90.0) % 360.0 * 2048 / 360) % 2048 * 360 / 2048

    def body(self, fighter: Fighter) -> Row:
        """Return the fields of a hero's place and direction."""
        return {
            **self.place(fighter.x, fighter.y, fighter.z),
            "CBodyComponent.m_angRotation": (0.0, fighter.yaw, 0.0),
            "m_angEyeAngles": (0.0, fighter.yaw, 0.0),
            "m_angClientCamera": (11.25, fighter.yaw, 0.0),
        }

    def move(self, tick: int) -> None:
        """Move all living heroes; as in real recordings, values that stay are not sent again."""
        for fighter in self.fighters:
            news: Row = {"m_flSimulationTime": FIRST_SERVER_TICK + tick}
            if not fighter.dead_until:
                self._walk(fighter, tick)
                known = self.objects[fighter.pawn].values
                news |= {name: value for name, value in self.body(fighter).items() if known[name] != value}
            self.put(fighter.pawn, news)

    def tell(self, fighter: Fighter) -> None:
        """Send the score and the souls of a player."""
        self.put(
            fighter.controller,
            {
                "m_iHealth": fighter.health,
                "m_bAlive": not fighter.dead_until,
                "m_iPlayerKills": fighter.kills,
                "m_iDeaths": fighter.deaths,
                "m_iPlayerAssists": fighter.assists,
                "m_iLastHits": fighter.last_hits,
                "m_iDenies": fighter.denies,
                "m_iKillStreak": fighter.streak,
                "m_iHeroDamage": fighter.hero_damage,
                "m_iGoldNetWorth": fighter.souls + fighter.spent,
                "m_iCreepGold": 40 * fighter.last_hits,
                "m_iCreepGoldKill": 30 * fighter.last_hits,
                "m_iCreepGoldAirOrb": 10 * fighter.last_hits,
            },
        )
        values = {"m_nCurrencies.0000": fighter.souls, "m_nSpentCurrencies.0000": fighter.spent}
        self.put(fighter.pawn, values)

    def tell_items(self, fighter: Fighter) -> None:
        """Send the items that a player holds."""
        entity = self.objects[fighter.controller]
        for name in [name for name in entity.values if name.startswith("m_vecUpgrades.")]:
            entity.values.pop(name)
            entity.news.pop(name, None)
        values: Row = {"m_vecUpgrades": len(fighter.items)}
        values |= {f"m_vecUpgrades.{place:04}": name_hash(item) for place, item in enumerate(fighter.items)}
        self.put(fighter.controller, values)
