"""Differences between builds of Dota 2: renamed fields and classes, and wrong declarations.

Early builds declare some fields wrongly or not at all, which is corrected before decoding. Builds up to 990
(2015) omit encoders, builds up to 954 give mana a wrong range, and builds 1016 to 1027 send some 64-bit fields
in full. The build is the number in ServerInfo's ``game_dir`` (``…dota_v990…``). A recording without one (from a
local server, or of a later build) needs no correction.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.games import GAMES
from playhead.source2.schema.send_tables import SendTables, Serializer, SerializerField

_ANGLES = frozenset(
    "angExtraLocalAngles angLocalAngles m_angInitialAngles m_angRotation m_ragAngles m_vLightDirection".split()
)
_COORDS = frozenset(
    "dirPrimary localSound m_flElasticity m_location m_poolOrigin m_ragPos m_vecEndPos m_vecLadderDir "
    "m_vecPlayerMountPositionBottom m_vecPlayerMountPositionTop m_viewtarget m_WorldMaxs m_WorldMins origin "
    "vecLocalOrigin".split()
)
_NORMALS = frozenset(("m_vecLadderNormal",))
_MANA = frozenset(("m_flMana", "m_flMaxMana"))
_FIXED64 = frozenset(
    "m_bItemWhiteList m_bWorldTreeState m_iPlayerIDsInControl m_iPlayerSteamID "
    "m_ulTeamBannerLogo m_ulTeamBaseLogo m_ulTeamLogo".split()
)
# The only class whose local angles may lack roll.
_PITCH_YAW = "CBodyComponentBaseAnimatingOverlay"

_NO_LIMIT = 3.0e38

# Each line: names of one thing, in chronological order.
_FIELD_NAMES = (
    ("m_iPlayerID", "m_nPlayerID"),  # 2022
    ("m_iPlayerOwnerID", "m_nPlayerOwnerID"),  # 2022
    ("m_nameStringableIndex", "m_nameStringTableIndex"),  # build 6792
)

# In 2015, fields that are now rows of a vector per player (``m_vecPlayerTeamData.0003.m_iKills``) were arrays
# per field (``m_iKills.0003``), in CDOTA_PlayerResource and in the data of a team. Source: a recording of that
# year.
_ARRAYS_OF_2015 = {
    "m_vecPlayerData": {
        "m_iszPlayerName": "m_iszPlayerNames",
        "m_iPlayerTeam": "m_iPlayerTeams",
        "m_iPlayerSteamID": "m_iPlayerSteamIDs",
        **{
            name: name
            for name in "m_bFakeClient m_bFullyJoinedServer m_iConnectionState m_bIsBroadcaster "
            "m_iBroadcasterChannel m_iBroadcasterChannelSlot m_bIsBroadcasterChannelCameraman".split()
        },
    },
    "m_vecPlayerTeamData": {
        name: name
        for name in "m_nSelectedHeroID m_hSelectedHero m_iKills m_iAssists m_iDeaths m_iStreak m_iLevel "
        "m_iRespawnSeconds m_bAFK m_bHasRandomed m_bHasPredictedVictory m_bBattleBonusActive m_iBattleBonusRate "
        "m_iCustomBuybackCost m_bQualifiesForPAContractReward m_UnitShareMasks m_iTimedRewardDrops "
        "m_iTimedRewardDropOrigins m_iTimedRewardCrates m_iTimedRewardEvents m_unCompendiumLevel".split()
    },
    "m_vecDataTeam": {
        name: name
        for name in "m_iReliableGold m_iUnreliableGold m_iTotalEarnedGold m_iTotalEarnedXP m_iNetWorth "
        "m_iSharedGold m_iHeroKillGold m_iCreepKillGold m_iIncomeGold m_iDenyCount m_iLastHitCount "
        "m_iLastHitStreak m_iLastHitMultikill m_iNearbyCreepDeathCount m_iClaimedDenyCount m_iClaimedMissCount "
        "m_iMissCount m_iMetaLevel m_iMetaExperience m_iMetaExperienceAwarded m_flBuybackCooldownTime "
        "m_flBuybackGoldLimitTime m_flBuybackCostTime m_flCustomBuybackCooldown m_fStuns m_fHealing m_iTowerKills "
        "m_iRoshanKills m_hCameraTarget".split()
    },
}
_VECTORS_OF_ARRAYS = {
    array: f"{vector}.{{}}.{name}" for vector, names in _ARRAYS_OF_2015.items() for name, array in names.items()
}
_OF_ROWS = frozenset(name for names in _ARRAYS_OF_2015.values() for name in names)
_RENAMED = {name: names for names in _FIELD_NAMES for name in names}
_RENAMED_CLASSES = [names for game in GAMES.values() for names in game.renamed_classes]
_FOLDERS = tuple(game.build_folder for game in GAMES.values() if game.build_folder)


def build_of(game_dir: str) -> int | None:
    """Return the build number in ServerInfo's game folder; None if it names none."""
    # Here and below, without a regular expression, since to compile one takes longer than all its uses in a start.
    for folder in _FOLDERS:
        _, found, after = game_dir.partition(folder)
        while found:
            rest = after.lstrip("0123456789")
            number = after.removesuffix(rest)
            if 0 < len(number) < 10 and not (rest[:1].isalnum() or rest.startswith("_")):
                return int(number)
            _, found, after = after.partition(folder)
    return None


def patched(send_tables: SendTables, build: int | None) -> SendTables:
    """Return `send_tables` with the corrections for `build`; the same object if none applies."""
    if build is None or build > 1027 or 990 < build < 1016:
        return send_tables
    serializers = {
        key: Serializer(table.name, table.version, tuple(_patch(table.name, f, build) for f in table.fields))
        for key, table in send_tables.serializers.items()
    }
    return SendTables(serializers, send_tables.early_references)


def _patch(table: str, field: SerializerField, build: int) -> SerializerField:
    if build >= 1016:
        return field._replace(encoder="fixed64") if field.name in _FIXED64 else field
    if field.name in _ANGLES:
        # Only versions of that class with a width lack roll. Source: a recording of 2015.
        flat = table == _PITCH_YAW and field.bit_count
        field = field._replace(encoder="qangle_pitch_yaw" if flat else "QAngle")
    elif field.name in _COORDS:
        field = field._replace(encoder="coord")
    elif field.name in _NORMALS:
        field = field._replace(encoder="normal")
    if build <= 954 and field.name in _MANA and (field.high or 0.0) > _NO_LIMIT:
        field = field._replace(low=None, high=8192.0)
    return field


def _is_place(level: str) -> bool:
    """Return whether a level of a field's name is the index of an array."""
    return len(level) == 4 and level.isascii() and level.isdecimal()


@cache
def aliases_of(name: str) -> tuple[str, ...]:
    """Return the other dotted names of a field: its last level was renamed, or an array element became a field
    of a row.
    """
    # This is called for every field of every class; the last level excludes most names quickly.
    head, dot, last = name.rpartition(".")
    if last in _OF_ROWS:
        rows, _, place = head.partition(".")
        if _is_place(place) and (array := _ARRAYS_OF_2015.get(rows, {}).get(last)) is not None:
            return (f"{array}.{place}",)
    if head in _VECTORS_OF_ARRAYS and _is_place(last):
        return (_VECTORS_OF_ARRAYS[head].format(last),)
    names = _RENAMED.get(last)
    return () if names is None else tuple(head + dot + other for other in names if other != last)


@cache
def class_aliases(name: str) -> tuple[str, ...]:
    """Return all names of a class, the given one first."""
    for names in _RENAMED_CLASSES:
        if name in names:
            return (name, *(other for other in names if other != name))
    return (name,)


class EncoderAlias(NamedTuple):
    """An alias of a float encoder, which ServerInfo defines and declared fields name; None for absent values.

    A field with an alias has its bits, flags and range, unless the field declares its own, as in haste
    (github.com/blukai/haste). No recording of our tests has any.
    """

    name: str
    bit_count: int | None = None
    flags: int | None = None
    low: float | None = None
    high: float | None = None


def encoder_aliases(server_info: Mapping[str | int, Any]) -> tuple[EncoderAlias, ...]:
    """Return the encoder aliases of a CSVCMsg_ServerInfo."""
    listed = server_info.get("game_session_config", {}).get("quantized_float_encoder_aliases", ())
    keys = ("bit_count", "encode_flags", "min_value", "max_value")
    return tuple(EncoderAlias(entry.get("name", ""), *map(entry.get, keys)) for entry in listed)


def with_aliases(send_tables: SendTables, aliases: tuple[EncoderAlias, ...]) -> SendTables:
    """Return `send_tables` with aliases resolved; the same object if no field uses one."""
    named = {alias.name: alias for alias in aliases}
    # Serializers share declarations, and readers of serializers compare them by identity.
    meant = {
        id(field): _meant(field, named[field.encoder])
        for serializer in send_tables
        for field in serializer.fields
        if field.encoder in named
    }
    if not meant:
        return send_tables
    serializers = {
        key: Serializer(s.name, s.version, tuple([meant.get(id(field), field) for field in s.fields]))
        for key, s in send_tables.serializers.items()
    }
    return SendTables(serializers, send_tables.early_references)


def _meant(field: SerializerField, alias: EncoderAlias) -> SerializerField:
    unset = [name for name in ("bit_count", "flags", "low", "high") if getattr(field, name) is None]
    return field._replace(encoder=None, **{name: getattr(alias, name) for name in unset})
