"""Classes, fields and encoders of the written match, as recordings of Deadlock declare them.

The fields are those of real recordings (clients 5186 and 10423), and a few that builds of 2026 add: their names
come from the published schemas of the game.
"""

from __future__ import annotations

from tests.samples.source2.deadlock.names import ABILITIES
from tests.samples.source2.match_schema import Schema, SchemaBuilder

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
    "m_bInItemShopZone bool; m_timeRevealedOnMinimapByNPC GameTime_t; m_unHeroBuildID HeroBuildID_t; "
    "m_pModifierProp CModifierProperty*"
)
_ANGLES = "m_angEyeAngles QAngle encoder=qangle bits=11; m_angClientCamera QAngle encoder=qangle bits=11"
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


def _at(node: str, fields: str) -> str:
    """Return fields under the path of a struct."""
    return "\n".join(f"{node}/{field.strip()}" for field in fields.split(";"))


_ORIGIN = "m_cellX uint16; m_cellY uint16; m_cellZ uint16; " + "; ".join(
    f"m_vec{axis} CNetworkedQuantizedFloat {{0}}" for axis in "XYZ"
)
_BODY = _at("m_skeletonInstance.m_vecOrigin", _ORIGIN)
_BODY += "\nm_skeletonInstance/m_angRotation QAngle encoder=qangle_precise"
_VECTORS = (
    "m_vecStatViewerModifierValues CUtlVectorEmbeddedNetworkVar< StatViewerModifierValues_t >; "
    "m_vecAbilityUpgradeState CUtlVectorEmbeddedNetworkVar< AbilityUpgradeState_t >; "
    "m_vecImbuements CUtlVectorEmbeddedNetworkVar< ItemImbuementPair_t >"
)
#: Masks of the states of a hero, and the words of each.
STATE_MASKS = ("m_bvEnabledPredictedStateMask", "m_bvEnabledStateMask", "m_bvDisabledStateMask")
MASK_WORDS = 7


def build_schema(*, new: bool) -> Schema:
    """Return the schema of the written match, before the update of 29 September 2026 or after it (`new`)."""
    builder = SchemaBuilder()
    part, network = builder.part, builder.network
    body = "CBodyComponentBaseAnimGraph"
    part(body, _BODY.format("bits=15 high=1024 flags=1"), of="CBodyComponent")
    part("StatViewerModifierValues_t", _STAT_VALUES)
    part("AbilityUpgradeState_t", _UPGRADE_STATES)
    imbued = (
        "m_vecImbuedAbilities CNetworkUtlVectorBase< CUtlStringToken >"
        if new
        else "m_TargetAbilityID CUtlStringToken"
    )
    part("ItemImbuementPair_t", f"m_SourceItemID CUtlStringToken; {imbued}")
    part("CModifierProperty", "; ".join(f"{mask} uint32[{MASK_WORDS}]" for mask in STATE_MASKS))
    part("CCitadelGameRules", f"{_RULES}\n{_at('m_tStreetBrawl', _BRAWL)}")
    player = _at("m_PlayerDataGlobal", f"{_PLAYER_DATA}; {_VECTORS}")
    network("CCitadelPlayerController", f"m_steamID uint64 encoder=fixed64; {_CONTROLLER}\n{player}")
    network("CCitadelGameRulesProxy", "m_pGameRules CCitadelGameRules*")
    network("CCitadelTeam", "m_iTeamNum uint8; m_iScore int32; m_szTeamname char[129]")
    for _, name in ABILITIES:
        network(name, _ABILITY)

    def placed(names: str, text: str) -> None:
        network(names, f"CBodyComponent CBodyComponent; {text}")

    placed(f"CNPC_Trooper CNPC_TrooperBoss CNPC_Boss_Tier2 {BARRACKS[new]} CNPC_MidBoss", _NPC)
    placed("CNPC_Boss_Tier3", f"{_NPC}; m_ePhase ETier3Phase_t")
    placed("CNPC_TrooperNeutral CNPC_Neutral_SinnersSacrifice", _NPC)
    placed("CCitadel_Destroyable_Building", "m_iHealth int32; m_iMaxHealth int32; m_iTeamNum uint8")
    placed("CNPC_BaseDefenseSentry", _NPC)
    placed("CCitadelZipLineNode", _NODE)
    placed("CCitadel_BreakableProp", "m_iTeamNum uint8; m_nSubclassID CUtlStringToken")
    placed("CCitadelIdolReturnTrigger", "m_iTeamNum uint8; m_bDisabled bool")
    placed("CCitadelItemKothSpawner", "m_iTeamNum uint8")
    # As in real recordings, the second version of the body comes right before the class that has it: heroes, with
    # coordinates of full precision.
    part(body, _BODY.format("bits=32"), 1, of="CBodyComponent")
    hero = _at("m_CCitadelHeroComponent.m_spawnedHero", "m_nHeroID HeroID_t")
    times = (_at(node, _COMBAT) for node in ("m_sInCombat", "m_sPlayerDamageDealt", "m_sPlayerDamageTaken"))
    placed("CCitadelPlayerPawn", "\n".join((f"{_PAWN}; {_ANGLES}", hero, *times)))
    return builder.schema()
