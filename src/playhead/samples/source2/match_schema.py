"""The schema of the synthetic match: as many and as varied classes, fields and encodings as in a real Dota 2
recording.

Names and types are the engine's; the assignment of fields to classes is simplified.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from playhead.source2.schema.send_tables import SendTables, Serializer, SerializerField, field_model
from playhead.source2.schema.types import FieldType, parse_field_type

HEROES = tuple(
    "Axe Lina Sven Tiny Lion Pudge Zuus Kunkka DrowRanger Lich Juggernaut Mirana Morphling "
    "PhantomLancer Puck Razor "
    "SandKing StormSpirit VengefulSpirit Windrunner Tidehunter WitchDoctor Riki Enigma Tinker "
    "Sniper Necrolyte Warlock "
    "Beastmaster QueenOfPain Venomancer FacelessVoid Skeleton_King DeathProphet "
    "PhantomAssassin Pugna TemplarAssassin "
    "Viper Luna DragonKnight Dazzle Leshrac Furion Life_Stealer DarkSeer Clinkz Omniknight Enchantress Huskar "
    "Night_Stalker Broodmother BountyHunter Weaver Jakiro Batrider Chen Spectre DoomBringer "
    "AncientApparition Ursa".split()
)
ABILITIES_A_HERO = 6
ITEMS = tuple(
    "Tango Flask Clarity Branches Magic_Stick Magic_Wand Boots Power_Treads BlinkDagger "
    "Black_King_Bar TeleportScroll "
    "Ward_Observer Ward_Sentry Smoke_Of_Deceit Bracer Wraith_Band Null_Talisman Phase_Boots Arcane_Boots Mekansm "
    "Force_Staff Eul Desolator Butterfly Daedalus Heart Assault Shivas Radiance Manta Sheepstick Refresher".split()
)

_SHORT: dict[str, str] = {
    "handle": "CHandle< CBaseEntity >",
    "handles": "CNetworkUtlVectorBase< CHandle< CBaseEntity > >",
}
# Recordings declare floats of full precision with 32 bits, except these types.
_RAW = ("float32", "Vector", "VectorWS", "GameTime_t")
_IN_TICKS = ("m_flSimulationTime", "m_flAnimTime")


def declare_field(text: str, **declared: Any) -> SerializerField:
    """Return a field from ``name type``; `declared` has further declarations.

    The type may be an abbreviation (``handle``).
    """
    name, _, kind = text.partition(" ")
    parsed: FieldType = parse_field_type(_SHORT.get(kind, kind))
    if parsed.base in _RAW and name not in _IN_TICKS and not declared.keys() & {"bit_count", "encoder"}:
        declared["bit_count"] = 32
    return SerializerField(name, parsed, field_model(parsed, "serializer" in declared), **declared)


def _fields(text: str) -> list[SerializerField]:
    """Return fields without further declarations, separated by semicolons."""
    return [declare_field(entry.strip()) for entry in text.split(";")]


_BODY = [
    *_fields("m_cellX uint16; m_cellY uint16; m_cellZ uint16"),
    *(
        declare_field(f"m_vec{axis} CNetworkedQuantizedFloat", bit_count=12, low=0.0, high=128.0, flags=1)
        for axis in "XYZ"
    ),
    declare_field("m_angRotation QAngle", encoder="qangle_pitch_yaw", bit_count=8),
    *_fields(
        "m_hParent CGameSceneNodeHandle; m_flScale float32; m_hModel CStrongHandle< InfoForResourceTypeCModel >"
    ),
    *_fields("m_MeshGroupMask uint64; m_nIdealMotionType int8; m_name CUtlStringToken; m_hSequence HSequence"),
    declare_field("m_flWeight CNetworkedQuantizedFloat", bit_count=8, low=0.0, high=1.0, flags=2),
    declare_field("m_flPoseParameter float32[24]", bit_count=11, low=0.0, high=1.0),
    declare_field("m_flCycle CNetworkedQuantizedFloat", bit_count=15, low=0.0, high=1.0, flags=1),
    *_fields(
        "m_bClientSideAnimation bool; m_nResetEventsParity int32; m_nNewSequenceParity int32; m_nHitboxSet uint8"
    ),
]
_COLLISION = _fields(
    "m_nInteractsAs uint64; m_nInteractsWith uint64; m_nInteractsExclude uint64; m_nEntityId uint32; "
    "m_nCollisionGroup uint8; m_vecMins Vector; m_vecMaxs Vector; m_usSolidFlags uint8; m_nSolidType SolidType_t; "
    "m_triggerBloat uint8; m_vCapsuleCenter1 Vector; m_flCapsuleRadius float32"
)
_ENTITY = [
    *_fields("m_flSimulationTime float32; m_flAnimTime float32; m_hOwnerEntity handle; m_iTeamNum uint8"),
    *_fields("m_ubInterpolationFrame uint8; m_fEffects uint32; m_clrRender Color; m_nRenderMode RenderMode_t"),
    *_fields(
        "m_MoveCollide MoveCollide_t; m_MoveType MoveType_t; m_flCreateTime GameTime_t; m_bSimulatedEveryTick bool"
    ),
    *_fields(
        "m_flElasticity float32; m_vecNetworkOrigin VectorWS; m_bVisibleinPVS bool; m_nSubclassID CUtlStringToken"
    ),
    declare_field("m_flShadowStrength float32", encoder="coord"),
    declare_field("m_vecLightDirection Vector", encoder="normal"),
    *_fields("m_nTransmitState uint8; m_nAttachment int8"),
    declare_field("m_nBloodColor BloodType"),
]
_NPC = [
    *_fields(
        "m_iHealth int32; m_iMaxHealth int32; m_lifeState uint8; m_iCurrentLevel int32; m_NetworkActivity int32"
    ),
    *(declare_field(f"{name} float32", bit_count=20, high=65536.0) for name in ("m_flMana", "m_flMaxMana")),
    *(
        declare_field(f"{name} float32", bit_count=18, low=-256.0, high=256.0, flags=4)
        for name in ("m_flHealthThinkRegen", "m_flManaThinkRegen")
    ),
    *_fields(
        "m_iDamageMin int32; m_iDamageMax int32; m_iDamageBonus int32; m_iMoveSpeed int32; "
        "m_flBaseAttackTime float32"
    ),
    *_fields("m_bIsPhantom bool; m_iAttackRange int32; m_iUnitNameIndex int32; m_iCurShop DOTA_SHOP_TYPE"),
    *_fields("m_flPhysicalArmorValue float32; m_flMagicalResistanceValue float32; m_nUnitState64 uint64"),
    *_fields("m_hAbilities handles; m_hItems handle[19]; m_iszUnitName CUtlSymbolLarge; m_szLabel char[32]"),
    declare_field("m_vecAimAngles QAngle", encoder="qangle_precise", bit_count=20),
    declare_field("m_angInitialAngles QAngle", encoder="qangle", bit_count=0),
    declare_field("m_angStartAngles QAngle", encoder="qangle", bit_count=13),
    declare_field("m_ulBanner uint64", encoder="fixed64"),
    declare_field("m_nTauntPhase uint8"),
    *_fields("m_iTaggedAsVisibleByTeam uint32; m_iDayTimeVisionRange int32; m_iNightTimeVisionRange int32"),
]
_HERO = [
    *_fields(
        "m_nPlayerID PlayerID_t; m_nHeroID HeroID_t; m_nHeroFacetKey HeroFacetKey_t; m_iXP "
        "int32; m_flRespawnTime GameTime_t"
    ),
    *(
        declare_field(f"{name} float32", bit_count=16, low=0.0, high=1024.0, flags=8)
        for name in ("m_flStrength", "m_flAgility", "m_flIntellect")
    ),
    *_fields(
        "m_iAbilityPoints int32; m_flRespawnTimePenalty float32; m_hReplicatingOtherHeroModel "
        "handle; m_bReincarnating bool"
    ),
    *_fields(
        "m_iRecentDamage int32; m_iPrimaryAttribute int32; m_anglediff int32; m_hFacets CUtlVector< uint32 >"
    ),
]
_ABILITY = [
    *_fields("m_iLevel int32; m_fCooldown float32; m_flCooldownLength float32; m_iManaCost int32; m_bHidden bool"),
    *_fields(
        "m_bActivated bool; m_bToggleState bool; m_bInAbilityPhase bool; m_iCastRange int32; "
        "m_flChannelStartTime GameTime_t"
    ),
    *_fields(
        "m_nAbilityCurrentCharges int32; m_bAutoCastState bool; m_iDirtyButtons int32; m_nAbilityID AbilityID_t"
    ),
]
_ITEM = [
    *_ABILITY,
    *_fields(
        "m_iCurrentCharges int32; m_iSecondaryCharges int32; m_flPurchaseTime GameTime_t; m_bCombinable bool"
    ),
    *_fields(
        "m_iPlayerOwnerID PlayerID_t; m_iSharability EShareAbility; m_bPurchasedWhileDead "
        "bool; m_bItemEnabled bool"
    ),
]
_DATA_TEAM_PLAYER = _fields(
    "m_iReliableGold int32; m_iUnreliableGold int32; m_iTotalEarnedGold int32; "
    "m_iTotalEarnedXP int32; m_iLastHitCount "
    "int32; m_iDenyCount int32; m_iNetWorth int32; m_iHeroKillGold int32; m_fStuns float32; m_iItemsWon int32[8]; "
    "m_iObserverWardsPlaced int32; m_iSentryWardsPlaced int32; m_iWardsDestroyed int32; m_iCampsStacked int32; "
    "m_iCreepsStacked int32; m_iRunePickups int32; m_iSmokesUsed int32; m_iNeutralTokensFound int32; "
    "m_iCreepKillGold int32; m_iIncomeGold int32; m_iNeutralKillGold int32; m_iBuildingGold int32; "
    "m_iRoshanGold int32; m_iGoldSpentOnItems int32; m_iGoldSpentOnBuybacks int32; m_iGoldLostToDeath int32; "
    "m_iCommandsIssued int32; m_iBountyGold int32; m_iWardKillGold int32; m_iCourierGold int32; "
    "m_iAbilityGold int32; m_iComebackGold int32; m_iCreepDenyGold int32; m_iOtherGold int32; "
    "m_iSharedGold int32; m_iGoldSpentOnConsumables int32; m_iGoldSpentOnSupport int32; m_iWatchersTaken int32"
)
_PLAYER_DATA = _fields(
    "m_iszPlayerName CUtlString; m_iPlayerSteamID uint64; m_iPlayerTeam int32; m_bIsValid bool; m_iTitle int32; "
    "m_iRankTier int32"
)
_PLAYER_TEAM_DATA = _fields(
    "m_nSelectedHeroID HeroID_t; m_hSelectedHero handle; m_iKills int32; m_iDeaths int32; "
    "m_iAssists int32; m_iLevel "
    "int32; m_iRespawnSeconds int32; m_iTeamSlot int32; m_eLiveSpectatorTeam int32; "
    "m_flTeamFightParticipation float32; m_iFirstBloodClaimed int32; m_bHasRandomed bool; "
    "m_bHasPredictedVictory bool"
)
_GAME_RULES = [
    *_fields(
        "m_nGameState int32; m_flGameStartTime GameTime_t; m_flPreGameStartTime GameTime_t; m_bGamePaused bool"
    ),
    *_fields(
        "m_nTotalPausedTicks int32; m_nPauseStartTick int32; m_nGameWinner int32; m_iGameMode "
        "int32; m_unMatchID64 uint64"
    ),
    *_fields(
        "m_flMapStartTime GameTime_t; m_flStateTransitionTime GameTime_t; m_BannedHeroes HeroID_t[28]; "
        "m_SelectedHeroes HeroID_t[24]; m_iNetTimeOfDay int32"
    ),
]


#: The serializers, and the class names by number.
Schema = tuple[SendTables, dict[int, str]]


class _Builder:
    """Collects serializers, each after those that it refers to."""

    def __init__(self) -> None:
        self.serializers: list[Serializer] = []

    def table(self, name: str, fields: Iterable[SerializerField], version: int = 0) -> tuple[str, int]:
        self.serializers.append(Serializer(name, version, tuple(fields)))
        return name, version


def _pointer(name: str, type_name: str, table: tuple[str, int], **declared: Any) -> SerializerField:
    return declare_field(f"{name} {type_name}*", serializer=table, **declared)


def build_schema() -> Schema:
    """Return the schema of the synthetic match."""
    builder = _Builder()
    body = builder.table("CBodyComponentBaseAnimatingOverlay", _BODY, 3)
    collision = builder.table("CCollisionProperty", _COLLISION)
    identity = builder.table("CEntityIdentity", _fields("m_nameStringTableIndex int32; m_flags uint32"))
    data_player = builder.table("DataTeamPlayer_t", _DATA_TEAM_PLAYER)
    player_data = builder.table("PlayerResourcePlayerData_t", _PLAYER_DATA)
    player_team = builder.table("PlayerResourcePlayerTeamData_t", _PLAYER_TEAM_DATA)
    rules = builder.table("CDOTAGamerules", _GAME_RULES)

    entity = [
        declare_field("CBodyComponent CBodyComponent", serializer=body),
        declare_field("m_pEntity CEntityIdentity*", serializer=identity),
        *_ENTITY,
        _pointer("m_pCollision", "CCollisionProperty", collision),
    ]
    names: list[str] = []

    def network(name: str, fields: Iterable[SerializerField]) -> None:
        builder.table(name, fields)
        names.append(name)

    network("CWorld", [*entity, *_fields("m_WorldMins Vector; m_WorldMaxs Vector; m_bStartDark bool")])
    network("CDOTAGamerulesProxy", [*entity, _pointer("m_pGameRules", "CDOTAGamerules", rules)])
    network(
        "CDOTA_PlayerResource",
        [
            *entity,
            declare_field(
                "m_vecPlayerData CUtlVectorEmbeddedNetworkVar< PlayerResourcePlayerData_t >",
                serializer=player_data,
            ),
            declare_field(
                "m_vecPlayerTeamData CUtlVectorEmbeddedNetworkVar< PlayerResourcePlayerTeamData_t >",
                serializer=player_team,
            ),
        ],
    )
    for side in ("Radiant", "Dire", "Spectator"):
        vector = declare_field(
            "m_vecDataTeam CUtlVectorEmbeddedNetworkVar< DataTeamPlayer_t >", serializer=data_player
        )
        own = "m_fRadiantWinProbability float32" if side == "Spectator" else "m_bNPCVisibleState uint64[256]"
        network(f"CDOTA_Data{side}", [*entity, vector, *_fields(f"m_iTeamVision uint32; {own}")])
    network(
        "CDOTATeam",
        [*entity, *_fields("m_iScore int32; m_szTeamname char[129]; m_szTag CUtlString; m_iHeroKills int32")],
    )
    network(
        "CDOTAPlayerController",
        [
            *entity,
            *_fields("m_nPlayerID PlayerID_t; m_hAssignedHero handle; m_iCursor int32[2]; m_steamID uint64"),
        ],
    )
    unit = [*entity, *_NPC]
    for name in ("CDOTA_BaseNPC_Tower", "CDOTA_BaseNPC_Barracks", "CDOTA_BaseNPC_Fort", "CDOTA_BaseNPC_Building"):
        network(name, [*unit, *_fields("m_iKillerTeam int32; m_bDestroyed bool")])
    for name in ("Creep_Lane", "Creep_Siege"):
        network(f"CDOTA_BaseNPC_{name}", unit)
    network("CDOTA_BaseNPC_Creep_Neutral", [*unit, *_fields("m_hNeutralSpawner handle; m_bIsWaitingToSpawn bool")])
    network("CDOTA_NeutralSpawner", [*entity, *_fields("m_Type int32")])
    for name in ("NPC_Lantern", "BaseNPC_Watch_Tower", "BaseNPC_MangoTree", "Unit_Roshans_Banner"):
        network(f"CDOTA_{name}", unit)
    network("CDOTA_Unit_Roshan", [*unit, *_fields("m_iKillCount int32")])
    network(
        "CDOTA_Unit_Courier",
        [*unit, *_fields("m_nCourierState int32; m_hCourierStateEntity handle; m_bFlyingCourier bool")],
    )
    network("CDOTA_NPC_Observer_Ward", [*unit, *_fields("m_iDuration int32")])
    network("CDOTA_NPC_Observer_Ward_TrueSight", [*unit, *_fields("m_iDuration int32")])
    network(
        "CDOTA_Item_Rune",
        [
            *entity,
            *_fields("m_iRuneType int32; m_szLocation char[64]"),
            declare_field(
                "m_flRuneTime float32", bit_count=4, low=-3.4028234663852886e38, high=3.4028234663852886e38
            ),
        ],
    )
    network(
        "CDOTAWearableItem",
        [*entity, *_fields("m_iItemDefinitionIndex uint16; m_iItemID uint64; m_iStyle uint8; m_hWearer handle")],
    )
    network("CDOTAPropTree", [*entity, *_fields("m_iTreeIndex int32; m_bStanding bool")])
    for hero in HEROES:
        network(f"CDOTA_Unit_Hero_{hero}", [*unit, *_HERO])
    for hero in HEROES:
        for number in range(1, ABILITIES_A_HERO + 1):
            network(f"CDOTA_Ability_{hero}_{number}", [*entity, *_ABILITY])
    for item in ITEMS:
        network(f"CDOTA_Item_{item}", [*entity, *_ITEM])
    tables = SendTables({(table.name, table.version): table for table in builder.serializers})
    return tables, dict(enumerate(names))
