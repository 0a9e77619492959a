"""The schema of the written match: fields, types and encoders as CS2 servers of patch 14155 declare them.

Fields are separated by semicolons or line ends: name, after the node that it is sent under, type, and encoder.
"""

from __future__ import annotations

from typing import Any

from tests.samples.source2.match_schema import Schema, SchemaBuilder

_PLACE = "low=0 high=1024 flags=1 bits=15"
_BODY = """
m_skeletonInstance.m_vecOrigin/m_cellX uint16; m_skeletonInstance.m_vecOrigin/m_cellY uint16
m_skeletonInstance.m_vecOrigin/m_cellZ uint16
m_skeletonInstance.m_vecOrigin/m_vecX CNetworkedQuantizedFloat {place}
m_skeletonInstance.m_vecOrigin/m_vecY CNetworkedQuantizedFloat {place}
m_skeletonInstance.m_vecOrigin/m_vecZ CNetworkedQuantizedFloat {place}
m_skeletonInstance/m_angRotation QAngle encoder=qangle_precise bits=0
m_skeletonInstance.m_modelState/m_hModel CStrongHandle< InfoForResourceTypeCModel >
"""
_ENTITY = """
m_hOwnerEntity CHandle< CBaseEntity >; m_flSimulationTime float32; m_iTeamNum uint8
"""
_VELOCITY = "\n".join(
    f"m_vecVelocity/m_vec{axis} CNetworkedQuantizedFloat bits=20 low=-16384 high=16384 flags=4" for axis in "XYZ"
)
_STATS = """
m_iKills int32; m_iDeaths int32; m_iAssists int32; m_iLiveTime int32; m_iHeadShotKills int32; m_iDamage int32
m_iObjective int32; m_iUtilityDamage int32; m_iEnemiesFlashed int32; m_iEquipmentValue int32; m_iMoneySaved int32
m_iKillReward int32; m_iCashEarned int32
"""
_TOTALS = "\n".join(line.replace("m_", "m_matchStats/m_") for line in _STATS.splitlines())
_CONTROLLER = """
m_flSimulationTime float32; m_nTickBase uint32; m_fFlags uint32; m_iTeamNum uint8
m_hPawn CHandle< CBasePlayerPawn >; m_iConnected PlayerConnectedState; m_iszPlayerName char[128]
m_steamID uint64 encoder=fixed64; m_pInGameMoneyServices CCSPlayerController_InGameMoneyServices*
m_pInventoryServices CCSPlayerController_InventoryServices*
m_pActionTrackingServices CCSPlayerController_ActionTrackingServices*; m_iPing uint32
m_szCrosshairCodes CUtlSymbolLarge; m_iPendingTeamNum uint8; m_iCompTeammateColor int32; m_bEverPlayedOnTeam bool
m_szClan CUtlSymbolLarge; m_iCoachingTeam int32; m_nPlayerDominated uint64; m_nPlayerDominatingMe uint64
m_iCompetitiveRanking int32; m_iCompetitiveWins int32; m_iCompetitiveRankType int8
m_iCompetitiveRankingPredicted_Win int32; m_iCompetitiveRankingPredicted_Loss int32
m_iCompetitiveRankingPredicted_Tie int32; m_bControllingBot bool; m_bHasControlledBotThisRound bool
m_hPlayerPawn CHandle< CCSPlayerPawn >; m_hObserverPawn CHandle< CCSObserverPawn >; m_bPawnIsAlive bool
m_iPawnLifetimeStart int32; m_iPawnLifetimeEnd int32; m_iPawnBotDifficulty int32
m_hOriginalControllerOfCurrentPawn CHandle< CCSPlayerController >; m_iScore int32; m_iMVPs int32
m_bCanControlObservedBot bool; m_iPawnHealth uint32; m_iPawnArmor int32; m_bPawnHasDefuser bool
m_bPawnHasHelmet bool; m_nPawnCharacterDefIndex uint16
"""
_PAWN = f"""
m_flSimulationTime float32; m_hOwnerEntity CHandle< CBaseEntity >
m_hGroundEntity CHandle< CBaseEntity >
m_angEyeAngles QAngle encoder=qangle_precise bits=0; m_iHealth int32; m_lifeState uint8; m_fFlags uint32
CBodyComponent CBodyComponent; m_iMaxHealth int32; m_MoveCollide MoveCollide_t; m_MoveType MoveType_t
m_iTeamNum uint8; m_Glow/m_bFlashing bool; m_pWeaponServices CPlayer_WeaponServices*
m_pItemServices CPlayer_ItemServices*; m_pMovementServices CPlayer_MovementServices*; m_flDeathTime GameTime_t
m_pCameraServices CPlayer_CameraServices*; m_pAimPunchServices CCSPlayer_AimPunchServices*
m_hController CHandle< CBasePlayerController >; m_hOriginalController CHandle< CCSPlayerController >
m_iPlayerState CSPlayerState; m_bHasMovedSinceSpawn bool; m_flFlashDuration float32; m_flFlashMaxAlpha float32
m_pBuyServices CCSPlayer_BuyServices*; m_szLastPlaceName char[18]; m_bInBuyZone bool; m_bInHostageRescueZone bool
m_bInBombZone bool; m_flTimeOfLastInjury GameTime_t; m_EconGloves/m_iItemDefinitionIndex uint16
m_EconGloves/m_iItemIDHigh uint32; m_EconGloves/m_iItemIDLow uint32; m_EconGloves/m_iAccountID uint32
m_EconGloves.m_AttributeList/m_Attributes CUtlVector< CEconItemAttribute >
m_EconGloves/m_szCustomName char[161]; m_nEconGlovesChanged uint8
m_bIsWalking bool; m_entitySpottedState/m_bSpotted bool; m_entitySpottedState/m_bSpottedByMask uint32[2]
m_bIsScoped bool; m_bResumeZoom bool; m_bIsDefusing bool; m_bIsGrabbingHostage bool; m_bInNoDefuseArea bool
m_nWhichBombZone int32; m_iShotsFired int32; m_flVelocityModifier float32; m_bWaitForNoAttack bool
m_ArmorValue int32; m_unCurrentEquipmentValue uint16; m_unRoundStartEquipmentValue uint16
m_unFreezetimeEndEquipmentValue uint16; m_flViewmodelFOV float32
{_VELOCITY}
m_vecViewOffset/m_vecX CNetworkedQuantizedFloat bits=10 low=-64 high=64 flags=4
m_vecViewOffset/m_vecY CNetworkedQuantizedFloat bits=10 low=-64 high=64 flags=4
m_vecViewOffset/m_vecZ CNetworkedQuantizedFloat bits=12 high=64 flags=2
"""
_RULES = """
m_nTotalPausedTicks int32; m_nPauseStartTick int32; m_bGamePaused bool; m_bFreezePeriod bool
m_bWarmupPeriod bool; m_fWarmupPeriodEnd GameTime_t; m_fWarmupPeriodStart GameTime_t
m_bTerroristTimeOutActive bool; m_bCTTimeOutActive bool; m_flTerroristTimeOutRemaining float32
m_flCTTimeOutRemaining float32; m_nTerroristTimeOuts int32; m_nCTTimeOuts int32; m_bTechnicalTimeOut bool
m_bMatchWaitingForResume bool; m_iFreezeTime int32; m_iRoundTime int32; m_fMatchStartTime float32
m_fRoundStartTime GameTime_t; m_flRestartRoundTime GameTime_t; m_bGameRestart bool; m_flGameStartTime float32
m_timeUntilNextPhaseStarts float32; m_gamePhase int32; m_totalRoundsPlayed int32; m_nRoundsPlayedThisPhase int32
m_nOvertimePlaying int32; m_iHostagesRemaining int32; m_bAnyHostageReached bool; m_bMapHasBombTarget bool
m_bMapHasRescueZone bool; m_bMapHasBuyZone bool; m_bIsQueuedMatchmaking bool; m_nQueuedMatchmakingMode int32
m_bIsValveDS bool; m_iSpectatorSlotCount int32; m_bHasMatchStarted bool; m_bBombPlanted bool
m_numBestOfMaps int32; m_bBombDropped bool; m_iRoundWinStatus int32; m_eRoundWinReason int32; m_bTCantBuy bool
m_bCTCantBuy bool; m_iMatchStats_RoundResults int32[30]; m_iMatchStats_PlayersAlive_CT int32[30]
m_iMatchStats_PlayersAlive_T int32[30]; m_iNumConsecutiveCTLoses int32; m_iNumConsecutiveTerroristLoses int32
m_RetakeRules/m_bRoundInProgress bool; m_RetakeRules/m_hBombPlanter CHandle< CCSPlayerPawn >
m_nMatchEndCount uint8; m_bTeamIntroPeriod bool; m_iRoundEndWinnerTeam int32; m_eRoundEndReason int32
m_sRoundEndMessage CUtlString; m_iRoundEndPlayerCount int32; m_nRoundEndCount uint8
m_iRoundStartRoundNumber int32; m_nRoundStartCount uint8; m_nMatchAbortedEarlyReason int32
"""
_TEAM = """
m_iTeamNum uint8; m_iScore int32; m_szTeamname char[129]; m_bSurrendered bool; m_szTeamMatchStat char[512]
m_numMapVictories int32; m_scoreFirstHalf int32; m_scoreSecondHalf int32; m_scoreOvertime int32
m_szClanTeamname char[129]
"""
_ATTRIBUTE = """
m_iAttributeDefinitionIndex uint16; m_iRawValue32 float32; m_flInitialValue float32; m_nRefundableCurrency int32
m_bSetBonus bool
"""
_ITEM = f"""
{_ENTITY}
m_iClip1 int32; CBodyComponent CBodyComponent; m_fEffects uint32
m_AttributeManager.m_Item/m_iItemDefinitionIndex uint16; m_AttributeManager.m_Item/m_iEntityQuality int32
m_AttributeManager.m_Item/m_iEntityLevel uint32; m_AttributeManager.m_Item/m_iItemIDHigh uint32
m_AttributeManager.m_Item/m_iItemIDLow uint32; m_AttributeManager.m_Item/m_iAccountID uint32
m_AttributeManager.m_Item/m_bInitialized bool
m_AttributeManager.m_Item.m_AttributeList/m_Attributes CUtlVector< CEconItemAttribute >
m_AttributeManager.m_Item/m_szCustomName char[161]; m_OriginalOwnerXuidLow uint32; m_OriginalOwnerXuidHigh uint32
m_nFallbackPaintKit int32; m_nFallbackSeed int32; m_flFallbackWear float32; m_nFallbackStatTrak int32
m_weaponMode CSWeaponMode; m_fAccuracyPenalty float32; m_iRecoilIndex int32; m_flRecoilIndex float32
m_bBurstMode bool; m_bInReload bool; m_flDroppedAtTime GameTime_t; m_bSilencerOn bool
m_iOriginalTeamNumber int32; m_iMostRecentTeamNumber int32; m_bDroppedNearBuyZone bool
m_hPrevOwner CHandle< CCSPlayerPawn >; m_nDropTick GameTick_t; m_fLastShotTime GameTime_t; m_iIronSightMode int32
m_pReserveAmmo int32[2]
"""
_PROJECTILE = f"""
{_ENTITY}
CBodyComponent CBodyComponent; m_bIsLive bool; m_DmgRadius float32 bits=10 low=0 high=1024 flags=1
m_flDetonateTime GameTime_t; m_flDamage float32 bits=10 low=0 high=256 flags=1
m_hThrower CHandle< CCSPlayerPawn >; m_vInitialPosition Vector; m_vInitialVelocity Vector; m_nBounces int32
m_nExplodeEffectTickBegin int32; m_vecExplodeEffectOrigin Vector
{_VELOCITY}
"""
_PLANTED = f"""
{_ENTITY}
CBodyComponent CBodyComponent; m_bBombTicking bool; m_flC4Blow GameTime_t; m_nBombSite int32
m_bCannotBeDefused bool; m_bHasExploded bool; m_bBombDefused bool; m_flTimerLength float32; m_bBeingDefused bool
m_flDefuseLength float32; m_flDefuseCountDown GameTime_t; m_hBombDefuser CHandle< CCSPlayerPawn >
"""
_INFERNO = f"""
{_ENTITY}
CBodyComponent CBodyComponent; m_firePositions Vector[64]; m_bFireIsBurning bool[64]; m_fireCount int32
m_nInfernoType int32; m_nFireEffectTickBegin int32; m_nFireLifetime float32; m_bInPostEffectTime bool
"""
_SMOKE = """
m_nSmokeEffectTickBegin int32; m_bDidSmokeEffect bool; m_nRandomSeed int32; m_vSmokeDetonationPos Vector
"""
_VOTE = """
m_iActiveIssueIndex int32; m_iOnlyTeamToVote int32; m_nVoteOptionCount int32[5]; m_nPotentialVotes int32
m_bIsYesNoVote bool
"""
_RESOURCE = """
m_bombsiteCenterA Vector; m_bombsiteCenterB Vector
"""
_TARGET = f"""
{_ENTITY}
CBodyComponent CBodyComponent; m_Collision/m_vecMins Vector; m_Collision/m_vecMaxs Vector
"""
_HOSTAGE = f"""
{_ENTITY}
CBodyComponent CBodyComponent; m_iHealth int32; m_lifeState uint8; m_nHostageState int32
m_leader CHandle< CBaseEntity >
"""

_FLOATS, _WHOLE = (
    ("float32", "GameTime_t"),
    "bool int8 int32 uint8 uint16 uint32 uint64 PlayerConnectedState".split(),
)
_BODY_NAME, _PAWN_NAME = "CBodyComponentBaseAnimGraph", "CCSPlayerPawn"

#: Serializers that fields refer to, with the type of the fields if it has another name.
_PARTS = {
    "CCSPlayerController_InGameMoneyServices": (
        "m_iAccount int32; m_iStartAccount int32; m_iTotalCashSpent int32; m_iCashSpentThisRound int32"
    ),
    "CCSPlayerController_InventoryServices": "m_unMusicID uint16; m_nPersonaDataPublicLevel int32",
    "CSPerRoundStats_t": _STATS,
    "CCSPlayerController_ActionTrackingServices": (
        f"m_perRoundStats CUtlVectorEmbeddedNetworkVar< CSPerRoundStats_t >\n{_TOTALS}"
    ),
    "CCSPlayer_WeaponServices CPlayer_WeaponServices": (
        "m_hMyWeapons CNetworkUtlVectorBase< CHandle< CBasePlayerWeapon > >; "
        "m_hActiveWeapon CHandle< CBasePlayerWeapon >; m_iAmmo uint16[32]; "
        "m_hLastWeapon CHandle< CBasePlayerWeapon >; m_flNextAttack GameTime_t"
    ),
    "CCSPlayer_ItemServices CPlayer_ItemServices": "m_bHasDefuser bool; m_bHasHelmet bool",
    "CCSPlayer_MovementServices CPlayer_MovementServices": (
        "m_flMaxspeed float32 bits=12 low=0 high=2048 flags=1; m_flDuckAmount float32; "
        "m_nButtonDownMaskPrev uint64; m_flStamina float32; m_bDucked bool; m_bDucking bool; m_bDesiresDuck bool"
    ),
    "CCSPlayer_CameraServices CPlayer_CameraServices": (
        "m_vecCsViewPunchAngle QAngle encoder=qangle_precise bits=0"
    ),
    "CCSPlayer_AimPunchServices": (
        "m_predictableBaseTick GameTick_t; m_predictableBaseAngle QAngle encoder=qangle bits=32; "
        "m_predictableBaseAngleVel QAngle encoder=qangle bits=32; m_unpredictableBaseTick GameTick_t; "
        "m_unpredictableBaseAngle QAngle encoder=qangle bits=32"
    ),
    "SellbackPurchaseEntry_t": (
        "m_unDefIdx uint16; m_nCost int32; m_nPrevArmor int32; m_bPrevHelmet bool; m_hItem CEntityHandle"
    ),
    "CCSPlayer_BuyServices": (
        "m_vecSellbackPurchaseEntries CUtlVectorEmbeddedNetworkVar< SellbackPurchaseEntry_t >"
    ),
    "CEconItemAttribute": _ATTRIBUTE,
    "CCSGameRules": _RULES,
}
_ITEMS = (
    *(
        "CKnife CWeaponGlock CWeaponUSPSilencer CDEagle CAK47 CWeaponM4A1 CWeaponAWP CWeaponMAC10 CWeaponMP9"
    ).split(),
    *"CFlashbang CSmokeGrenade CHEGrenade CMolotovGrenade CIncendiaryGrenade CDecoyGrenade".split(),
)
_CLASSES = {
    "CWorld": "m_flSimulationTime float32",
    "CCSPlayerController": _CONTROLLER,
    _PAWN_NAME: _PAWN,
    "CCSTeam": _TEAM,
    "CCSGameRulesProxy": "m_pGameRules CCSGameRules*",
    "CCSPlayerResource": _RESOURCE,
    "CVoteController": _VOTE,
    "CBombTarget": _TARGET,
    "CHostage": _HOSTAGE,
    # awpy counts the bits of a class by the logarithm of the number of classes: it may be no power of two.
    "CChicken": f"{_ENTITY}\nCBodyComponent CBodyComponent",
    **dict.fromkeys(_ITEMS, _ITEM),
    "CC4": f"{_ITEM}\nm_bStartedArming bool\nm_fArmedTime GameTime_t",
    "CPlantedC4": _PLANTED,
    "CInferno": _INFERNO,
    "CSmokeGrenadeProjectile": _PROJECTILE + _SMOKE,
    "CMolotovProjectile": f"{_PROJECTILE}\nm_bIsIncGrenade bool",
    **dict.fromkeys(("CHEGrenadeProjectile", "CFlashbangProjectile"), _PROJECTILE),
    "CDecoyProjectile": f"{_PROJECTILE}\nm_nDecoyShotTick int32",
}


def zeros(class_name: str) -> dict[str, Any]:
    """Return the numbers and flags of a class as baselines of servers have them, all 0."""
    text, prefix = (_RULES, "m_pGameRules.") if class_name == "CCSGameRulesProxy" else (_CLASSES[class_name], "")
    found: dict[str, Any] = {}
    for words in (entry.split() for entry in text.replace("\n", ";").split(";") if entry.strip()):
        zero = False if words[1] == "bool" else 0
        if words[1] in (*_FLOATS, *_WHOLE):
            found[prefix + words[0].rpartition("/")[2]] = zero
    return found


def cs2_schema() -> Schema:
    """Return the serializers and the class names by number.

    awpy and demoparser2 take the latest version of a serializer that was declared so far: so that of the pawn's
    body comes last, as in recordings.
    """
    builder = SchemaBuilder()
    builder.part(_BODY_NAME, _BODY.format(place=_PLACE), of="CBodyComponent")
    for names, text in _PARTS.items():
        name, _, kind = names.partition(" ")
        builder.part(name, text, of=kind)
    for name, text in _CLASSES.items():
        if name != _PAWN_NAME:
            builder.network(name, text)
    builder.part(_BODY_NAME, _BODY.format(place="bits=32"), 3, of="CBodyComponent")
    builder.network(_PAWN_NAME, _PAWN)
    return builder.schema()[0], dict(enumerate(_CLASSES))
