"""The kind of value that a field has, by its declared type, and the kind that facts expect, by its name.

A kind is a word such as ``integer``, ``several integers`` (an array or a vector), ``table`` or ``tables``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from playhead.source2.schema.send_tables import Model, SerializerField

# The engine's names of fields begin with their types.
_PREFIXES = {
    "ang": "vector",
    "b": "bool",
    "bv": "several integers",
    "h": "handle",
    "p": "table",
    **dict.fromkeys(("cell", "e", "i", "lifeState", "n", "un"), "integer"),
    **dict.fromkeys(("f", "fl"), "float"),
    **dict.fromkeys(("isz", "sz"), "string"),
    **dict.fromkeys(("v", "vec"), "vector"),
}
# Names that do not show the kind. Kinds that builds have in turn are separated by a comma.
_OTHERS: Mapping[str, str] = {
    "float": "m_timeKothCashInStarted m_timeRevealedOnMinimapByNPC m_vecX m_vecY m_vecZ",
    "integer": "m_ArmorValue m_ItemID m_OriginalOwnerXuidHigh m_OriginalOwnerXuidLow m_SourceItemID "
    "m_TargetAbilityID m_Type m_fFlags m_fireCount m_gamePhase m_nameStringTableIndex m_steamID "
    "m_totalRoundsPlayed",
    "integer, several integers": "m_iNetWorth",
    "several bools": "m_bFireIsBurning",
    "several floats": "m_fExtraTimeRemaining",
    "several handles": "m_hAbilities m_hItems m_hMyWeapons m_vecAbilities m_vecConnections",
    "several integers": "m_BannedHeroes m_SelectedHeroes m_bNPCVisibleState m_bSpottedByMask m_nCurrencies "
    "m_nSpentCurrencies m_vecImbuedAbilities m_vecNewBannedHeroes m_vecUpgrades",
    "several vectors": "m_firePositions",
    "tables": "m_Attributes m_vecAbilityUpgradeState m_vecDataTeam m_vecImbuements m_vecPlayerData "
    "m_vecPlayerTeamData m_vecSellbackPurchaseEntries m_vecStatViewerModifierValues",
}
_OF_NAMES = {name: kinds for kinds, names in _OTHERS.items() for name in names.split()}
# Other types without parts are numbers of enumerations, classes and players.
_OF_TYPES = {
    "CEntityHandle": "handle",
    "CHandle": "handle",
    "CNetworkedQuantizedFloat": "float",
    "GameTime_t": "float",
    "bool": "bool",
    "handle": "handle",
    **dict.fromkeys(("float32", "float64"), "float"),
    **dict.fromkeys(("CUtlString", "CUtlSymbolLarge", "char"), "string"),
    **dict.fromkeys(("QAngle", "Quaternion", "Vector", "Vector2D", "Vector4D", "VectorWS"), "vector"),
}
_WITHOUT_VALUE = {Model.FLAG: "table", Model.TABLE: "table", Model.TABLES: "tables"}


def kind_of(field: SerializerField) -> str:
    """Return the kind of a declared field."""
    if field.model in _WITHOUT_VALUE:
        return _WITHOUT_VALUE[field.model]
    declared = field.type
    if field.model == Model.VECTOR and declared.generic is not None:
        declared = declared.generic
    kind = _OF_TYPES.get(declared.base, "integer")
    return kind if field.model == Model.SCALAR else f"several {kind}s"


def kinds_of_name(name: str) -> Collection[str]:
    """Return the kinds that a field of that name may have; empty if the name does not show it."""
    if name in _OF_NAMES:
        return _OF_NAMES[name].split(", ")
    for prefix, kind in _PREFIXES.items():
        begin = f"m_{prefix}"
        if name.startswith(begin) and (name == begin or "A" <= name[len(begin)] <= "Z"):
            return (kind,)
    return ()
