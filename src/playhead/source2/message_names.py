"""Names of outer commands and inner messages by number, as Valve's public definitions spell them.

The numbers below about 300 are the engine's and hold for every game; those above are each game's own. A number
without a name here is kept and counted as it is: new ones appear with patches.
"""

from __future__ import annotations

from collections.abc import Mapping


def _names(text: str) -> dict[int, str]:
    return {int(number): name for number, _, name in (entry.partition("=") for entry in text.split())}


#: Outer frames (EDemoCommands).
COMMANDS = _names(
    """
    0=DEM_Stop 1=DEM_FileHeader 2=DEM_FileInfo 3=DEM_SyncTick 4=DEM_SendTables 5=DEM_ClassInfo
    6=DEM_StringTables 7=DEM_Packet 8=DEM_SignonPacket 9=DEM_ConsoleCmd 10=DEM_CustomData
    11=DEM_CustomDataCallbacks 12=DEM_UserCmd 13=DEM_FullPacket 14=DEM_SaveGame 15=DEM_SpawnGroups
    16=DEM_AnimationData 17=DEM_AnimationHeader 18=DEM_Recovery
    """
)

# NET_Messages, Bidirectional_Messages, CLC_Messages, SVC_Messages.
_NET = _names(
    """
    0=net_NOP 1=net_Disconnect_Legacy 3=net_SplitScreenUser 4=net_Tick 5=net_StringCmd 6=net_SetConVar
    7=net_SignonState 8=net_SpawnGroup_Load 9=net_SpawnGroup_ManifestUpdate
    11=net_SpawnGroup_SetCreationTick 12=net_SpawnGroup_Unload 13=net_SpawnGroup_LoadCompleted
    15=net_DebugOverlay 16=bi_RebroadcastGameEvent 17=bi_RebroadcastSource 18=bi_GameEvent_DEPRECATED
    19=bi_PredictionEvent
    """
)

_CLC = _names(
    """
    20=clc_ClientInfo 21=clc_Move 22=clc_VoiceData 23=clc_BaselineAck 25=clc_RespondCvarValue
    27=clc_LoadingProgress 28=clc_SplitPlayerConnect 30=clc_SplitPlayerDisconnect 31=clc_ServerStatus
    33=clc_RequestPause 34=clc_CmdKeyValues 35=clc_RconServerDetails 36=clc_HltvReplay 37=clc_Diagnostic
    """
)

_SVC = _names(
    """
    40=svc_ServerInfo 41=svc_FlattenedSerializer 42=svc_ClassInfo 43=svc_SetPause
    44=svc_CreateStringTable 45=svc_UpdateStringTable 46=svc_VoiceInit 47=svc_VoiceData 48=svc_Print
    49=svc_Sounds 50=svc_SetView 51=svc_ClearAllStringTables 52=svc_CmdKeyValues 53=svc_BSPDecal
    54=svc_SplitScreen 55=svc_PacketEntities 56=svc_Prefetch 57=svc_Menu 58=svc_GetCvarValue
    59=svc_StopSound 60=svc_PeerList 61=svc_PacketReliable 62=svc_HLTVStatus 63=svc_ServerSteamID
    70=svc_FullFrameSplit 71=svc_RconServerDetails 72=svc_UserMessage 74=svc_Broadcast_Command
    75=svc_HltvFixupOperatorStatus 76=svc_UserCmds 77=svc_NextMsgPredicted 78=svc_EncryptedData
    79=svc_UserCmdKeyframe
    """
)

# EBaseUserMessages, EBaseEntityMessages, EBaseGameEvents, ETEProtobufIds.
_USER = _names(
    """
    101=UM_AchievementEvent 104=UM_CurrentTimescale 105=UM_DesiredTimescale 106=UM_Fade 107=UM_GameTitle
    110=UM_HudMsg 111=UM_HudText 113=UM_ColoredText 114=UM_RequestState 115=UM_ResetHUD 116=UM_Rumble
    117=UM_SayText 118=UM_SayText2 119=UM_SayTextChannel 120=UM_Shake 121=UM_ShakeDir 122=UM_WaterShake
    124=UM_TextMsg 125=UM_ScreenTilt 128=UM_VoiceMask 130=UM_SendAudio 131=UM_ItemPickup
    132=UM_AmmoDenied 134=UM_ShowMenu 135=UM_CreditsMsg 142=UM_CloseCaptionPlaceholder
    143=UM_CameraTransition 144=UM_AudioParameter 145=UM_ParticleManager 146=UM_HudError
    148=UM_CustomGameEvent 149=UM_AnimGraphUpdate 150=UM_HapticsManagerPulse 151=UM_HapticsManagerEffect
    153=UM_UpdateCssClasses 154=UM_ServerFrameTime 155=UM_LagCompensationError 156=UM_RequestDllStatus
    157=UM_RequestUtilAction 158=UM_UtilActionResponse 159=UM_DllStatusResponse 160=UM_RequestInventory
    161=UM_InventoryResponse 162=UM_RequestDiagnostic 163=UM_DiagnosticResponse 164=UM_ExtraUserData
    165=UM_NotifyResponseFound 166=UM_PlayResponseConditional 167=UM_UserSentBugBug 168=UM_UsageReport
    169=UM_RemoteServerCommand 170=UM_RemoteServerResponse
    """
)

_ENTITY = _names(
    """
    136=EM_PlayJingle 137=EM_ScreenOverlay 139=EM_PropagateForce 140=EM_DoSpark 141=EM_FixAngle
    """
)

_EVENTS = _names(
    """
    200=GE_VDebugGameSessionIDEvent 201=GE_PlaceDecalEvent 202=GE_ClearWorldDecalsEvent
    203=GE_ClearEntityDecalsEvent 204=GE_ClearDecalsForEntityEvent 205=GE_Source1LegacyGameEventList
    206=GE_Source1LegacyListenEvents 207=GE_Source1LegacyGameEvent 208=GE_SosStartSoundEvent
    209=GE_SosStopSoundEvent 210=GE_SosSetSoundEventParams 211=GE_SosSetLibraryStackFields
    212=GE_SosStopSoundEventHash 213=GE_ClothStiffenAnimEvent 214=GE_ClothEffectAnimEvent
    """
)

_TEMPORARY_ENTITIES = _names(
    """
    400=TE_EffectDispatchId 401=TE_ArmorRicochetId 402=TE_BeamEntPointId 403=TE_BeamEntsId
    404=TE_BeamPointsId 405=TE_BeamRingId 408=TE_BubblesId 409=TE_BubbleTrailId 410=TE_DecalId
    411=TE_WorldDecalId 412=TE_EnergySplashId 413=TE_FizzId 414=TE_ShatterSurfaceId 415=TE_GlowSpriteId
    416=TE_ImpactId 417=TE_MuzzleFlashId 418=TE_BloodStreamId 419=TE_ExplosionId 420=TE_DustId
    421=TE_LargeFunnelId 422=TE_SparksId 423=TE_PhysicsPropId 426=TE_SmokeId
    """
)

# EDotaUserMessages.
_DOTA = _names(
    """
    464=DOTA_UM_AddUnitToSelection 465=DOTA_UM_AIDebugLine 466=DOTA_UM_ChatEvent
    467=DOTA_UM_CombatHeroPositions 468=DOTA_UM_CombatLogData 470=DOTA_UM_CombatLogBulkData
    471=DOTA_UM_CreateLinearProjectile 472=DOTA_UM_DestroyLinearProjectile
    473=DOTA_UM_DodgeTrackingProjectiles 474=DOTA_UM_GlobalLightColor 475=DOTA_UM_GlobalLightDirection
    476=DOTA_UM_InvalidCommand 477=DOTA_UM_LocationPing 478=DOTA_UM_MapLine 479=DOTA_UM_MiniKillCamInfo
    480=DOTA_UM_MinimapDebugPoint 481=DOTA_UM_MinimapEvent 482=DOTA_UM_NevermoreRequiem
    483=DOTA_UM_OverheadEvent 484=DOTA_UM_SetNextAutobuyItem 485=DOTA_UM_SharedCooldown
    486=DOTA_UM_SpectatorPlayerClick 487=DOTA_UM_TutorialTipInfo 488=DOTA_UM_UnitEvent
    489=DOTA_UM_ParticleManager 490=DOTA_UM_BotChat 491=DOTA_UM_HudError 492=DOTA_UM_ItemPurchased
    493=DOTA_UM_Ping 494=DOTA_UM_ItemFound 495=DOTA_UM_CharacterSpeakConcept 496=DOTA_UM_SwapVerify
    497=DOTA_UM_WorldLine 498=DOTA_UM_TournamentDrop 499=DOTA_UM_ItemAlert 500=DOTA_UM_HalloweenDrops
    501=DOTA_UM_ChatWheel 502=DOTA_UM_ReceivedXmasGift 503=DOTA_UM_UpdateSharedContent
    504=DOTA_UM_TutorialRequestExp 505=DOTA_UM_TutorialPingMinimap 506=DOTA_UM_GamerulesStateChanged
    507=DOTA_UM_ShowSurvey 508=DOTA_UM_TutorialFade 509=DOTA_UM_AddQuestLogEntry
    510=DOTA_UM_SendStatPopup 511=DOTA_UM_TutorialFinish 512=DOTA_UM_SendRoshanPopup
    513=DOTA_UM_SendGenericToolTip 514=DOTA_UM_SendFinalGold 515=DOTA_UM_CustomMsg
    516=DOTA_UM_CoachHUDPing 517=DOTA_UM_ClientLoadGridNav 518=DOTA_UM_TE_Projectile
    519=DOTA_UM_TE_ProjectileLoc 520=DOTA_UM_TE_DotaBloodImpact 521=DOTA_UM_TE_UnitAnimation
    522=DOTA_UM_TE_UnitAnimationEnd 523=DOTA_UM_AbilityPing 524=DOTA_UM_ShowGenericPopup
    525=DOTA_UM_VoteStart 526=DOTA_UM_VoteUpdate 527=DOTA_UM_VoteEnd 528=DOTA_UM_BoosterState
    529=DOTA_UM_WillPurchaseAlert 530=DOTA_UM_TutorialMinimapPosition 532=DOTA_UM_AbilitySteal
    533=DOTA_UM_CourierKilledAlert 534=DOTA_UM_EnemyItemAlert 535=DOTA_UM_StatsMatchDetails
    536=DOTA_UM_MiniTaunt 537=DOTA_UM_BuyBackStateAlert 538=DOTA_UM_SpeechBubble
    539=DOTA_UM_CustomHeaderMessage 540=DOTA_UM_QuickBuyAlert 541=DOTA_UM_StatsHeroDetails
    542=DOTA_UM_PredictionResult 543=DOTA_UM_ModifierAlert 544=DOTA_UM_HPManaAlert
    545=DOTA_UM_GlyphAlert 546=DOTA_UM_BeastChat 547=DOTA_UM_SpectatorPlayerUnitOrders
    548=DOTA_UM_CustomHudElement_Create 549=DOTA_UM_CustomHudElement_Modify
    550=DOTA_UM_CustomHudElement_Destroy 551=DOTA_UM_CompendiumState 552=DOTA_UM_ProjectionAbility
    553=DOTA_UM_ProjectionEvent 554=DOTA_UM_CombatLogDataHLTV 555=DOTA_UM_XPAlert
    556=DOTA_UM_UpdateQuestProgress 557=DOTA_UM_MatchMetadata 558=DOTA_UM_MatchDetails
    559=DOTA_UM_QuestStatus 560=DOTA_UM_SuggestHeroPick 561=DOTA_UM_SuggestHeroRole
    562=DOTA_UM_KillcamDamageTaken 563=DOTA_UM_SelectPenaltyGold 564=DOTA_UM_RollDiceResult
    565=DOTA_UM_FlipCoinResult 566=DOTA_UM_RequestItemSuggestions 567=DOTA_UM_TeamCaptainChanged
    568=DOTA_UM_SendRoshanSpectatorPhase 569=DOTA_UM_ChatWheelCooldown 570=DOTA_UM_DismissAllStatPopups
    571=DOTA_UM_TE_DestroyProjectile 572=DOTA_UM_HeroRelicProgress
    573=DOTA_UM_AbilityDraftRequestAbility 574=DOTA_UM_ItemSold 575=DOTA_UM_DamageReport
    576=DOTA_UM_SalutePlayer 577=DOTA_UM_TipAlert 578=DOTA_UM_ReplaceQueryUnit
    579=DOTA_UM_EmptyTeleportAlert 580=DOTA_UM_MarsArenaOfBloodAttack 581=DOTA_UM_ESArcanaCombo
    582=DOTA_UM_ESArcanaComboSummary 583=DOTA_UM_HighFiveLeftHanging 584=DOTA_UM_HighFiveCompleted
    585=DOTA_UM_ShovelUnearth 587=DOTA_UM_RadarAlert 588=DOTA_UM_AllStarEvent
    589=DOTA_UM_TalentTreeAlert 590=DOTA_UM_QueuedOrderRemoved 591=DOTA_UM_DebugChallenge
    592=DOTA_UM_OMArcanaCombo 593=DOTA_UM_FoundNeutralItem 594=DOTA_UM_OutpostCaptured
    595=DOTA_UM_OutpostGrantedXP 596=DOTA_UM_MoveCameraToUnit 597=DOTA_UM_PauseMinigameData
    598=DOTA_UM_VersusScene_PlayerBehavior 600=DOTA_UM_QoP_ArcanaSummary 601=DOTA_UM_HotPotato_Created
    602=DOTA_UM_HotPotato_Exploded 603=DOTA_UM_WK_Arcana_Progress 604=DOTA_UM_GuildChallenge_Progress
    605=DOTA_UM_WRArcanaProgress 606=DOTA_UM_WRArcanaSummary 607=DOTA_UM_EmptyItemSlotAlert
    608=DOTA_UM_AghsStatusAlert 609=DOTA_UM_PingConfirmation 610=DOTA_UM_MutedPlayers
    611=DOTA_UM_ContextualTip 612=DOTA_UM_ChatMessage 613=DOTA_UM_NeutralCampAlert
    614=DOTA_UM_RockPaperScissorsStarted 615=DOTA_UM_RockPaperScissorsFinished
    616=DOTA_UM_DuelOpponentKilled 617=DOTA_UM_DuelAccepted 618=DOTA_UM_DuelRequested
    619=DOTA_UM_MuertaReleaseEvent_AssignedTargetKilled 620=DOTA_UM_PlayerDraftSuggestPick
    621=DOTA_UM_PlayerDraftPick 622=DOTA_UM_UpdateLinearProjectileCPData 623=DOTA_UM_GiftPlayer
    624=DOTA_UM_FacetPing 625=DOTA_UM_InnatePing 626=DOTA_UM_RoshanTimer
    627=DOTA_UM_NeutralCraftAvailable 628=DOTA_UM_TimerAlert 629=DOTA_UM_MadstoneAlert
    630=DOTA_UM_CourierLeftFountainAlert 631=DOTA_UM_MonsterHunter_InvestigationsAvailable
    632=DOTA_UM_MonsterHunter_InvestigationGameState 633=DOTA_UM_MonsterHunter_HuntAlert
    634=DOTA_UM_TormentorTimer 635=DOTA_UM_KillEffect 636=DOTA_UM_GiveItem
    637=DOTA_UM_TidehunterArcanaProgress_Ravages 638=DOTA_UM_TidehunterArcanaProgress_Fish
    """
)

_ENGINE: Mapping[int, str] = _NET | _CLC | _SVC | _USER | _ENTITY | _EVENTS | _TEMPORARY_ENTITIES

_BY_GAME: Mapping[str, Mapping[int, str]] = {"dota": _DOTA}


def message_names(game: str) -> dict[int, str]:
    """Name by number of the inner messages of a game (``dota``, ``csgo``, ``citadel``).

    Of CS2's and Deadlock's own messages, numbered above 300, none are named yet.
    """
    return {**_ENGINE, **_BY_GAME.get(game, {})}
