"""The schema of the synthetic match: as many and as varied classes, fields and encodings as in a real Dota 2
recording.

Names and types are the engine's; the assignment of fields to classes is simplified.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playhead.source2.schema.send_tables import SendTables, Serializer, SerializerField, field_model
from playhead.source2.schema.types import FieldType, parse_field_type

HEROES = tuple(
    "Axe Lina Sven Tiny Lion Pudge Zuus Kunkka DrowRanger Lich Juggernaut Mirana Morphling PhantomLancer Puck "
    "Razor SandKing StormSpirit VengefulSpirit Windrunner Tidehunter WitchDoctor Riki Enigma Tinker Sniper "
    "Necrolyte Warlock Beastmaster QueenOfPain Venomancer FacelessVoid Skeleton_King DeathProphet "
    "PhantomAssassin Pugna TemplarAssassin Viper Luna DragonKnight Dazzle Leshrac Furion Life_Stealer DarkSeer "
    "Clinkz Omniknight Enchantress Huskar Night_Stalker Broodmother BountyHunter Weaver Jakiro Batrider Chen "
    "Spectre DoomBringer AncientApparition Ursa".split()
)
ABILITIES_A_HERO = 6
ITEMS = tuple(
    "Tango Flask Clarity Branches Magic_Stick Magic_Wand Boots Power_Treads BlinkDagger Black_King_Bar "
    "TeleportScroll Ward_Observer Ward_Sentry Smoke_Of_Deceit Bracer Wraith_Band Null_Talisman Phase_Boots "
    "Arcane_Boots Mekansm Force_Staff Eul Desolator Butterfly Daedalus Heart Assault Shivas Radiance Manta "
    "Sheepstick Refresher".split()
)

_SHORT: dict[str, str] = {
    "handle": "CHandle< CBaseEntity >",
    "handles": "CNetworkUtlVectorBase< CHandle< CBaseEntity > >",
}
# Recordings declare floats of full precision with 32 bits, except these types.
_RAW = ("float32", "Vector", "VectorWS", "GameTime_t")
_IN_TICKS = ("m_flSimulationTime", "m_flAnimTime")
#: Word of a declaration: its name, and its type.
_DECLARATIONS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "bits": ("bit_count", int),
    "low": ("low", float),
    "high": ("high", float),
    "flags": ("flags", int),
    "encoder": ("encoder", str),
}
#: The serializers, and the class names by number.
Schema = tuple[SendTables, dict[int, str]]


def declare_field(text: str, **declared: Any) -> SerializerField:
    """Return a field from ``name type``; `declared` has further declarations.

    Before the name may be the node that it is sent under (``node/name``), after the type declarations as words
    (``bits=12``). The type may be an abbreviation (``handle``).
    """
    name, *words = text.split()
    node, _, name = name.rpartition("/")
    if node:
        declared["send_node"] = node
    for key, value in (word.split("=") for word in words if "=" in word):
        keyword, convert = _DECLARATIONS[key]
        declared[keyword] = convert(value)
    kind = " ".join(word for word in words if "=" not in word)
    parsed: FieldType = parse_field_type(_SHORT.get(kind, kind))
    if parsed.base in _RAW and name not in _IN_TICKS and not declared.keys() & {"bit_count", "encoder"}:
        declared["bit_count"] = 32
    return SerializerField(name, parsed, field_model(parsed, "serializer" in declared), **declared)


class SchemaBuilder:
    """Collects serializers, each after those that it refers to.

    Their fields are texts as of `declare_field`, separated by semicolons or line ends. A field whose type names a
    part, alone or in a container, has its serializer.
    """

    def __init__(self) -> None:
        self._made: list[Serializer] = []
        self._parts: dict[str, tuple[str, int]] = {}
        self._names: list[str] = []
        self._known: dict[str, SerializerField] = {}

    def part(self, name: str, text: str, version: int = 0, *, of: str = "") -> None:
        """Add the serializer of fields with the type of its name, or `of`."""
        self._add(name, text, version)
        self._parts[of or name] = name, version
        self._known.clear()

    def network(self, names: str, text: str) -> None:
        """Add classes of entities that have the same fields."""
        for name in names.split():
            self._add(name, text, 0)
            self._names.append(name)

    def _add(self, name: str, text: str, version: int) -> None:
        fields = [field.strip() for field in text.replace("\n", ";").split(";")]
        self._made.append(Serializer(name, version, tuple(self._field(field) for field in fields if field)))

    def _field(self, text: str) -> SerializerField:
        if text not in self._known:
            field = declare_field(text)
            part = self._parts.get((field.type.generic or field.type).base)
            self._known[text] = field if part is None else declare_field(text, serializer=part)
        return self._known[text]

    def schema(self) -> Schema:
        """Return the schema of what was added."""
        return SendTables({(each.name, each.version): each for each in self._made}), dict(enumerate(self._names))


_BODY = """
m_cellX uint16; m_cellY uint16; m_cellZ uint16; m_vecX CNetworkedQuantizedFloat bits=12 low=0 high=128 flags=1
m_vecY CNetworkedQuantizedFloat bits=12 low=0 high=128 flags=1
m_vecZ CNetworkedQuantizedFloat bits=12 low=0 high=128 flags=1
m_angRotation QAngle encoder=qangle_pitch_yaw bits=8; m_hParent CGameSceneNodeHandle; m_flScale float32
m_hModel CStrongHandle< InfoForResourceTypeCModel >; m_MeshGroupMask uint64; m_nIdealMotionType int8
m_name CUtlStringToken; m_hSequence HSequence; m_flWeight CNetworkedQuantizedFloat bits=8 low=0 high=1 flags=2
m_flPoseParameter float32[24] bits=11 low=0 high=1
m_flCycle CNetworkedQuantizedFloat bits=15 low=0 high=1 flags=1; m_bClientSideAnimation bool
m_nResetEventsParity int32; m_nNewSequenceParity int32; m_nHitboxSet uint8
"""
_COLLISION = """
m_nInteractsAs uint64; m_nInteractsWith uint64; m_nInteractsExclude uint64; m_nEntityId uint32
m_nCollisionGroup uint8; m_vecMins Vector; m_vecMaxs Vector; m_usSolidFlags uint8; m_nSolidType SolidType_t
m_triggerBloat uint8; m_vCapsuleCenter1 Vector; m_flCapsuleRadius float32
"""
_ENTITY = """
CBodyComponent CBodyComponent; m_pEntity CEntityIdentity*
m_flSimulationTime float32; m_flAnimTime float32; m_hOwnerEntity handle; m_iTeamNum uint8
m_ubInterpolationFrame uint8; m_fEffects uint32; m_clrRender Color; m_nRenderMode RenderMode_t
m_MoveCollide MoveCollide_t; m_MoveType MoveType_t; m_flCreateTime GameTime_t; m_bSimulatedEveryTick bool
m_flElasticity float32; m_vecNetworkOrigin VectorWS; m_bVisibleinPVS bool; m_nSubclassID CUtlStringToken
m_flShadowStrength float32 encoder=coord; m_vecLightDirection Vector encoder=normal; m_nTransmitState uint8
m_nAttachment int8; m_nBloodColor BloodType
m_pCollision CCollisionProperty*
"""
_NPC = """
m_iHealth int32; m_iMaxHealth int32; m_lifeState uint8; m_iCurrentLevel int32; m_NetworkActivity int32
m_flMana float32 bits=20 high=65536; m_flMaxMana float32 bits=20 high=65536
m_flHealthThinkRegen float32 bits=18 low=-256 high=256 flags=4
m_flManaThinkRegen float32 bits=18 low=-256 high=256 flags=4; m_iDamageMin int32; m_iDamageMax int32
m_iDamageBonus int32; m_iMoveSpeed int32; m_flBaseAttackTime float32; m_bIsPhantom bool; m_iAttackRange int32
m_iUnitNameIndex int32; m_iCurShop DOTA_SHOP_TYPE; m_flPhysicalArmorValue float32
m_flMagicalResistanceValue float32; m_nUnitState64 uint64; m_hAbilities handles; m_hItems handle[19]
m_iszUnitName CUtlSymbolLarge; m_szLabel char[32]; m_vecAimAngles QAngle encoder=qangle_precise bits=20
m_angInitialAngles QAngle encoder=qangle bits=0; m_angStartAngles QAngle encoder=qangle bits=13
m_ulBanner uint64 encoder=fixed64; m_nTauntPhase uint8; m_iTaggedAsVisibleByTeam uint32
m_iDayTimeVisionRange int32; m_iNightTimeVisionRange int32
"""
_HERO = """
m_nPlayerID PlayerID_t; m_nHeroID HeroID_t; m_iHeroFacetKey HeroFacetKey_t; m_iXP int32
m_flRespawnTime GameTime_t; m_flStrength float32 bits=16 low=0 high=1024 flags=8
m_flAgility float32 bits=16 low=0 high=1024 flags=8; m_flIntellect float32 bits=16 low=0 high=1024 flags=8
m_iAbilityPoints int32; m_flRespawnTimePenalty float32; m_hReplicatingOtherHeroModel handle
m_bReincarnating bool; m_iRecentDamage int32; m_iPrimaryAttribute int32; m_anglediff int32
m_hFacets CUtlVector< uint32 >; m_nPlayerOwnerID PlayerID_t
"""
_ABILITY = """
m_iLevel int32; m_fCooldown float32; m_flCooldownLength float32; m_iManaCost int32; m_bHidden bool
m_bActivated bool; m_bToggleState bool; m_bInAbilityPhase bool; m_iCastRange int32
m_flChannelStartTime GameTime_t; m_nAbilityCurrentCharges int32; m_bAutoCastState bool; m_iDirtyButtons int32
m_nAbilityID AbilityID_t
"""
_ITEM = f"""
{_ABILITY}
m_iCurrentCharges int32; m_iSecondaryCharges int32; m_flPurchaseTime GameTime_t; m_bCombinable bool
m_iPlayerOwnerID PlayerID_t; m_iSharability EShareAbility; m_bPurchasedWhileDead bool; m_bItemEnabled bool
"""
_DATA_TEAM_PLAYER = """
m_iReliableGold int32; m_iUnreliableGold int32; m_iTotalEarnedGold int32; m_iTotalEarnedXP int32
m_iLastHitCount int32; m_iDenyCount int32; m_iNetWorth int32; m_iHeroKillGold int32; m_fStuns float32
m_iItemsWon int32[8]; m_iObserverWardsPlaced int32; m_iSentryWardsPlaced int32; m_iWardsDestroyed int32
m_iCampsStacked int32; m_iCreepsStacked int32; m_iRunePickups int32; m_iSmokesUsed int32
m_iNeutralTokensFound int32; m_iCreepKillGold int32; m_iIncomeGold int32; m_iNeutralKillGold int32
m_iBuildingGold int32; m_iRoshanGold int32; m_iGoldSpentOnItems int32; m_iGoldSpentOnBuybacks int32
m_iGoldLostToDeath int32; m_iCommandsIssued int32; m_iBountyGold int32; m_iWardKillGold int32
m_iCourierGold int32; m_iAbilityGold int32; m_iComebackGold int32; m_iCreepDenyGold int32; m_iOtherGold int32
m_iSharedGold int32; m_iGoldSpentOnConsumables int32; m_iGoldSpentOnSupport int32; m_iWatchersTaken int32
m_iHeroDamage int32; m_iTowerDamage int32; m_fHealing float32; m_flBuybackCooldownTime GameTime_t
m_iTowerKills int32; m_iRoshanKills int32; m_iWardsPurchased int32; m_iTPScrollsPurchased int32
m_iCourierKills int32; m_iLotusesTaken int32; m_iTormentorKills int32
"""
_PLAYER_DATA = """
m_iszPlayerName CUtlString; m_iPlayerSteamID uint64; m_iPlayerTeam int32; m_bIsValid bool; m_iTitle int32
m_iRankTier int32; m_bFakeClient bool
"""
_PLAYER_TEAM_DATA = """
m_nSelectedHeroID HeroID_t; m_hSelectedHero handle; m_iKills int32; m_iDeaths int32; m_iAssists int32
m_iLevel int32; m_iRespawnSeconds int32; m_iTeamSlot int32; m_eLiveSpectatorTeam int32
m_flTeamFightParticipation float32; m_iFirstBloodClaimed int32; m_bHasRandomed bool; m_bHasPredictedVictory bool
m_iBountyRunes int32; m_iPowerRunes int32; m_iWaterRunes int32; m_iOutpostsCaptured int32
"""
_GAME_RULES = """
m_nGameState int32; m_flGameStartTime GameTime_t; m_flPreGameStartTime GameTime_t; m_bGamePaused bool
m_nTotalPausedTicks int32; m_nPauseStartTick int32; m_nGameWinner int32; m_iGameMode int32; m_unMatchID64 uint64
m_flMapStartTime GameTime_t; m_flStateTransitionTime GameTime_t; m_BannedHeroes HeroID_t[28]
m_SelectedHeroes HeroID_t[24]; m_iNetTimeOfDay int32; m_bIsTemporaryNight bool; m_iActiveTeam int32
m_fExtraTimeRemaining float32[2]
m_bIsTemporaryDay bool; m_bIsNightstalkerNight bool; m_vecNewBannedHeroes CNetworkUtlVectorBase< HeroID_t >
"""


def build_schema() -> Schema:
    """Return the schema of the synthetic match."""
    builder = SchemaBuilder()
    builder.part("CBodyComponentBaseAnimatingOverlay", _BODY, 3, of="CBodyComponent")
    builder.part("CCollisionProperty", _COLLISION)
    builder.part("CEntityIdentity", "m_nameStringTableIndex int32; m_flags uint32")
    builder.part("DataTeamPlayer_t", _DATA_TEAM_PLAYER)
    builder.part("PlayerResourcePlayerData_t", _PLAYER_DATA)
    builder.part("PlayerResourcePlayerTeamData_t", _PLAYER_TEAM_DATA)
    builder.part("CDOTAGamerules", _GAME_RULES)

    def network(names: str, text: str = "") -> None:
        builder.network(names, _ENTITY + text)

    network("CWorld", "m_WorldMins Vector; m_WorldMaxs Vector; m_bStartDark bool")
    network("CDOTAGamerulesProxy", "m_pGameRules CDOTAGamerules*")
    network(
        "CDOTA_PlayerResource",
        "m_vecPlayerData CUtlVectorEmbeddedNetworkVar< PlayerResourcePlayerData_t >; "
        "m_vecPlayerTeamData CUtlVectorEmbeddedNetworkVar< PlayerResourcePlayerTeamData_t >",
    )
    team = "m_vecDataTeam CUtlVectorEmbeddedNetworkVar< DataTeamPlayer_t >; m_iTeamVision uint32; "
    network("CDOTA_DataRadiant CDOTA_DataDire", team + "m_bNPCVisibleState uint64[256]")
    network("CDOTA_DataSpectator", team + "m_fRadiantWinProbability float32; m_iNetWorth int32[24]")
    network(
        "CDOTATeam",
        "m_iScore int32; m_szTeamname char[129]; m_szTag CUtlString; m_iHeroKills int32; "
        "m_unTournamentTeamID uint32",
    )
    network(
        "CDOTAPlayerController",
        "m_nPlayerID PlayerID_t; m_hAssignedHero handle; m_iCursor int32[2]; m_steamID uint64; m_hPawn handle; "
        "m_iszPlayerName char[128]",
    )
    for name in ("Tower", "Barracks", "Fort", "Building"):
        network(f"CDOTA_BaseNPC_{name}", _NPC + "m_iKillerTeam int32; m_bDestroyed bool")
    network("CDOTA_BaseNPC_Creep_Lane CDOTA_BaseNPC_Creep_Siege", _NPC)
    network("CDOTA_BaseNPC_Creep_Neutral", _NPC + "m_hNeutralSpawner handle; m_bIsWaitingToSpawn bool")
    network("CDOTA_NeutralSpawner", "m_Type int32")
    for name in ("NPC_Lantern", "BaseNPC_Watch_Tower", "BaseNPC_MangoTree", "Unit_Roshans_Banner"):
        network(f"CDOTA_{name}", _NPC)
    network("CDOTA_Unit_Roshan", _NPC + "m_iKillCount int32")
    network(
        "CDOTA_Unit_Courier",
        _NPC + "m_nCourierState int32; m_hCourierStateEntity handle; m_bFlyingCourier bool; "
        "m_nPlayerOwnerID PlayerID_t",
    )
    wards = "CDOTA_NPC_Observer_Ward CDOTA_NPC_Observer_Ward_TrueSight"
    network(wards, _NPC + "m_iDuration int32; m_nPlayerOwnerID PlayerID_t")
    network(
        "CDOTA_Item_Rune",
        "m_iRuneType int32; m_szLocation char[64]; "
        "m_flRuneTime float32 bits=4 low=-3.4028234663852886e38 high=3.4028234663852886e38",
    )
    network(
        "CDOTAWearableItem", "m_iItemDefinitionIndex uint16; m_iItemID uint64; m_iStyle uint8; m_hWearer handle"
    )
    network("CDOTA_Item_Physical", "m_hItem handle")
    network("CDOTAPropTree", "m_iTreeIndex int32; m_bStanding bool")
    for hero in HEROES:
        network(f"CDOTA_Unit_Hero_{hero}", _NPC + _HERO)
    for hero in HEROES:
        for number in range(1, ABILITIES_A_HERO + 1):
            network(f"CDOTA_Ability_{hero}_{number}", _ABILITY)
    for item in ITEMS:
        network(f"CDOTA_Item_{item}", _ITEM)
    # Classes of real builds of which the match has no entity.
    for name in ("BaseNPC_Effigy_Statue", "BaseNPC_Filler", "BaseNPC_Healer", "Unit_Miniboss"):
        network(f"CDOTA_{name}", _NPC)
    network("CODTA_Item_Famango", _ITEM)
    return builder.schema()
