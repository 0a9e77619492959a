"""Fields of players that several tables of Dota 2 facts have as columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from playhead.tables.schema import Column
from playhead.tables.vocabulary import word

#: Fields of the player's row in CDOTA_PlayerResource.m_vecPlayerTeamData, by column.
RESOURCE_FIELDS = {
    "level": "m_iLevel",
    "kills": "m_iKills",
    "deaths": "m_iDeaths",
    "assists": "m_iAssists",
    "respawn_seconds": "m_iRespawnSeconds",
}

#: Fields of the player's row in CDOTA_DataRadiant or CDOTA_DataDire, by column.
TEAM_DATA_FIELDS = {
    "net_worth": "m_iNetWorth",
    "gold_earned": "m_iTotalEarnedGold",
    "xp": "m_iTotalEarnedXP",
    "last_hits": "m_iLastHitCount",
    "denies": "m_iDenyCount",
    "gold_reliable": "m_iReliableGold",
    "gold_unreliable": "m_iUnreliableGold",
    "hero_damage": "m_iHeroDamage",
    "tower_damage": "m_iTowerDamage",
    "healing": "m_fHealing",
    "stun_seconds": "m_fStuns",
    "tower_kills": "m_iTowerKills",
    "roshan_kills": "m_iRoshanKills",
    "observer_wards_placed": "m_iObserverWardsPlaced",
    "sentry_wards_placed": "m_iSentryWardsPlaced",
    "wards_destroyed": "m_iWardsDestroyed",
    "camps_stacked": "m_iCampsStacked",
    "creeps_stacked": "m_iCreepsStacked",
    "rune_pickups": "m_iRunePickups",
    # Gold by source and by use, and commands.
    "gold_hero_kill": "m_iHeroKillGold",
    "gold_creep": "m_iCreepKillGold",
    "gold_neutral": "m_iNeutralKillGold",
    "gold_income": "m_iIncomeGold",
    "gold_building": "m_iBuildingGold",
    "gold_roshan": "m_iRoshanGold",
    "gold_bounty": "m_iBountyGold",
    "gold_ward": "m_iWardKillGold",
    "gold_courier": "m_iCourierGold",
    "gold_ability": "m_iAbilityGold",
    "gold_comeback": "m_iComebackGold",
    "gold_deny": "m_iCreepDenyGold",
    "gold_other": "m_iOtherGold",
    "gold_shared": "m_iSharedGold",
    "gold_lost": "m_iGoldLostToDeath",
    "spent_items": "m_iGoldSpentOnItems",
    "spent_consumables": "m_iGoldSpentOnConsumables",
    "spent_support": "m_iGoldSpentOnSupport",
    "spent_buybacks": "m_iGoldSpentOnBuybacks",
    "commands": "m_iCommandsIssued",
}

#: Notes in the documentation of these columns.
_NOTES = {
    "net_worth": "Gold in hand and items: ",
    "stun_seconds": "It can be negative (odota/web#2613): ",
    "respawn_seconds": "Whole seconds: ",
}


def columns_of(fields: Mapping[str, str], source: str) -> Iterator[Column]:
    """Yield the columns of the fields of `source`, by name."""
    for name, field in fields.items():
        yield word(name, f"{_NOTES.get(name, '')}{field} of {source}.")


#: The columns of both.
PLAYER_COLUMNS = (
    *columns_of(RESOURCE_FIELDS, "the player's row in CDOTA_PlayerResource.m_vecPlayerTeamData"),
    *columns_of(TEAM_DATA_FIELDS, "the player's row in CDOTA_DataRadiant or CDOTA_DataDire"),
)


def waiting(seconds: object) -> float | None:
    """Return the time until the respawn, given the field's value, which is -1 for the living."""
    return float(seconds) if isinstance(seconds, int) and seconds >= 0 else None
