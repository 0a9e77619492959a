"""Classes, fields and encoders of the written match, as recordings of Deadlock declare them.

The fields are those of real recordings (clients 5186 and 10423), and a few that builds of 2026 add: their names
come from the published schemas of the game.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from playhead.samples.source2.deadlock.names import ABILITIES
from playhead.samples.source2.match_schema import Schema, declare_field
from playhead.source2.schema.send_tables import SendTables, Serializer, SerializerField

_CONTROLLER = (
    "m_iTeamNum uint8; m_hPawn CHandle< CBasePlayerPawn >; m_hHeroPawn CHandle< CCitadelPlayerPawn >; "
    "m_iszPlayerName char[128]; m_nAssignedLane int8; m_nOriginalLaneAssignment int8"
)
_PLAYER_DATA = (
    "m_iLevel int32; m_iHealthMax int32; m_flHealthRegen float32; m_flRespawnTime GameTime_t; m_nHeroID HeroID_t; "
    "m_iGoldNetWorth int32; m_iAPNetWorth int32; m_iCreepGold int32; m_iCreepGoldSoloBonus int32; "
    "m_iCreepGoldKill int32; m_iCreepGoldAirOrb int32; m_iCreepGoldGroundOrb int32; m_iCreepGoldDeny int32; "
    "m_iCreepGoldNeutral int32; m_iHealth int32; m_iPlayerKills int32; m_iPlayerAssists int32; m_iDeaths int32; "
    "m_iDenies int32; m_iLastHits int32; m_iKillStreak int32; m_bAlive bool; m_bUltimateTrained bool; "
    "m_flUltimateCooldownStart GameTime_t; m_flUltimateCooldownEnd GameTime_t; m_bHasRejuvenator bool; "
    "m_bHasRebirth bool; m_iHeroDamage int32; m_iHeroHealing int32; m_iSelfHealing int32; "
    "m_iObjectiveDamage int32; "
    "m_unPackedRank uint32; m_nBoonCount int32; m_vecUpgrades CNetworkUtlVectorBase< CUtlStringToken >"
)
_STAT_VALUES = "m_SourceModifierID CUtlStringToken; m_eValType EModifierValue; m_flValue float32"
_UPGRADE_STATES = "m_ItemID CUtlStringToken; m_nUpgradeInfo int32"
_PAWN = (
    "m_flSimulationTime float32; m_iHealth int32; m_iMaxHealth int32; m_lifeState uint8; m_iTeamNum uint8; "
    "m_hController CHandle< CBasePlayerController >; m_hDefaultController CHandle< CBasePlayerController >; "
    "m_nLevel int32; m_nCurrencies int32[4]; m_nSpentCurrencies int32[4]; m_flDeathTime GameTime_t; "
    "m_flRespawnTime GameTime_t; m_flLastSpawnTime GameTime_t; m_bInRegenerationZone bool; "
    "m_bInItemShopZone bool; m_timeRevealedOnMinimapByNPC GameTime_t; m_unHeroBuildID HeroBuildID_t"
)
_COMBAT = "m_flStartTime GameTime_t; m_flEndTime GameTime_t; m_flLastDamageTime GameTime_t"
_RULES = (
    "m_nTotalPausedTicks int32; m_nPauseStartTick int32; m_bGamePaused bool; m_flGameStartTime GameTime_t; "
    "m_eGameState EGameState; m_vMinimapMins Vector; m_vMinimapMaxs Vector; m_eMatchMode ECitadelMatchMode; "
    "m_eGameMode ECitadelGameMode; m_bServerPaused bool; m_iPauseTeam int32; m_nMatchClockUpdateTick int32; "
    "m_flMatchClockAtLastUpdate float32; m_unMatchID MatchID_t; m_tNextMidBossSpawnTime float32; "
    "m_iMidbossKillCount int32; m_iAmberRejuvCount int32; m_iSapphireRejuvCount int32; "
    "m_nKothScoringTeam int32; m_timeKothCashInStarted GameTime_t; m_vKothCashInCurrentLocation Vector"
)
_BRAWL = (
    "m_iRound int32; m_eStreetBrawlState EStreetBrawlState; m_iTeamAmberScore int32; m_iTeamSapphireScore int32; "
    "m_iLastBuyCountDown int32; m_flNextStateTime GameTime_t; m_flStreetBrawlStateStartTime GameTime_t; "
    "m_flStreetBrawlTotalNonCombatTime float32"
)
_ABILITY = (
    "m_hOwnerEntity CHandle< CBaseEntity >; m_nSubclassID CUtlStringToken; m_flCooldownStart GameTime_t; "
    "m_flCooldownEnd GameTime_t; m_iRemainingCharges int32; m_flChargeRechargeStart GameTime_t; "
    "m_flChargeRechargeEnd GameTime_t; m_eAbilitySlot EAbilitySlots_t; m_nUpgradeBits int32; m_bToggleState bool"
)
_NPC = (
    "m_iHealth int32; m_iMaxHealth int32; m_lifeState uint8; m_iTeamNum uint8; m_iLane int32; "
    "m_nSubclassID CUtlStringToken"
)
_NODE = (
    "m_iTeamNum uint8; m_vecConnections CNetworkUtlVectorBase< CHandle< CCitadelZipLineNode > >; "
    "m_flCumulativeDistance float32; m_eCaptureState int16; m_iPrimaryLane int16; m_bCapturable bool"
)

#: The class of barracks before the update and after it.
BARRACKS = ("CNPC_TrooperBarrackBoss", "CNPC_BarrackBoss")


def _fields(text: str, node: str | None = None) -> Iterator[SerializerField]:
    """Yield fields separated by semicolons; `node` is the path of the struct around them."""
    for entry in text.split(";"):
        yield declare_field(entry.strip(), **({} if node is None else {"send_node": node}))


def _body(version: int) -> Serializer:
    """Return the body of heroes (1: coordinates of full precision) or of other entities (0)."""
    origin = "m_skeletonInstance.m_vecOrigin"
    coordinates: dict[str, Any] = (
        {"bit_count": 15, "high": 1024.0, "flags": 1} if version == 0 else {"bit_count": 32}
    )
    return Serializer(
        "CBodyComponentBaseAnimGraph",
        version,
        (
            *_fields("m_cellX uint16; m_cellY uint16; m_cellZ uint16", origin),
            *(
                declare_field(f"m_vec{axis} CNetworkedQuantizedFloat", send_node=origin, **coordinates)
                for axis in "XYZ"
            ),
            declare_field("m_angRotation QAngle", encoder="qangle_precise", send_node="m_skeletonInstance"),
        ),
    )


def build_schema(*, new: bool) -> Schema:
    """Return the schema of the written match, before the update of 29 September 2026 or after it (`new`)."""
    stats = Serializer("StatViewerModifierValues_t", 0, tuple(_fields(_STAT_VALUES)))
    upgrades = Serializer("AbilityUpgradeState_t", 0, tuple(_fields(_UPGRADE_STATES)))
    rules = Serializer("CCitadelGameRules", 0, (*_fields(_RULES), *_fields(_BRAWL, "m_tStreetBrawl")))
    made: list[Serializer] = [_body(0), stats, upgrades, rules]
    names: list[str] = []

    def network(name: str, *fields: SerializerField) -> None:
        made.append(Serializer(name, 0, fields))
        names.append(name)

    def body(version: int = 0) -> SerializerField:
        return declare_field("CBodyComponent CBodyComponent", serializer=("CBodyComponentBaseAnimGraph", version))

    def vector(name: str, of: Serializer) -> SerializerField:
        return declare_field(
            f"{name} CUtlVectorEmbeddedNetworkVar< {of.name} >",
            serializer=(of.name, 0),
            send_node="m_PlayerDataGlobal",
        )

    network(
        "CCitadelPlayerController",
        declare_field("m_steamID uint64", encoder="fixed64"),
        *_fields(_CONTROLLER),
        *_fields(_PLAYER_DATA, "m_PlayerDataGlobal"),
        vector("m_vecStatViewerModifierValues", stats),
        vector("m_vecAbilityUpgradeState", upgrades),
    )
    network("CCitadelGameRulesProxy", declare_field("m_pGameRules CCitadelGameRules*", serializer=(rules.name, 0)))
    network("CCitadelTeam", *_fields("m_iTeamNum uint8; m_iScore int32; m_szTeamname char[129]"))
    for _, name in ABILITIES:
        network(name, *_fields(_ABILITY))
    npc = (body(), *_fields(_NPC))
    for name in ("CNPC_Trooper", "CNPC_TrooperBoss", "CNPC_Boss_Tier2", BARRACKS[new], "CNPC_MidBoss"):
        network(name, *npc)
    network("CNPC_Boss_Tier3", *npc, *_fields("m_ePhase ETier3Phase_t"))
    network("CNPC_TrooperNeutral", *npc)
    network("CNPC_Neutral_SinnersSacrifice", *npc)
    network(
        "CCitadel_Destroyable_Building", body(), *_fields("m_iHealth int32; m_iMaxHealth int32; m_iTeamNum uint8")
    )
    network("CNPC_BaseDefenseSentry", *npc)
    network("CCitadelZipLineNode", body(), *_fields(_NODE))
    network("CCitadel_BreakableProp", body(), *_fields("m_iTeamNum uint8; m_nSubclassID CUtlStringToken"))
    network("CCitadelIdolReturnTrigger", body(), *_fields("m_iTeamNum uint8; m_bDisabled bool"))
    network("CCitadelItemKothSpawner", body(), *_fields("m_iTeamNum uint8"))
    # As in real recordings, the second version of the body comes right before the class that has it.
    made.append(_body(1))
    network(
        "CCitadelPlayerPawn",
        body(1),
        *_fields(_PAWN),
        *(declare_field(f"{name} QAngle", encoder="qangle", bit_count=11) for name in _ANGLES),
        *_fields("m_nHeroID HeroID_t", "m_CCitadelHeroComponent.m_spawnedHero"),
        *(field for node in ("m_sInCombat", *_DAMAGE_TIMES) for field in _fields(_COMBAT, node)),
    )
    return SendTables({(each.name, each.version): each for each in made}), dict(enumerate(names))


_ANGLES = ("m_angEyeAngles", "m_angClientCamera")
_DAMAGE_TIMES = ("m_sPlayerDamageDealt", "m_sPlayerDamageTaken")
