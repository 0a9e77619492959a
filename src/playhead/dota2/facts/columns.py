"""Columns that several tables of Dota 2 facts share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from playhead.tables.schema import Column
from playhead.tables.shared import SECONDS, TICK

GAME_SECONDS = Column(
    "game_seconds",
    "float64",
    "The clock that the game shows: 0 at the horn, negative before it; it stops in pauses. From the game "
    "rules entity (`playhead.dota2.sources.game_clock`); null before the recording has it.",
    "s",
)
TIME = (TICK, SECONDS, GAME_SECONDS)

PLAYER = Column("player", "int32", "Number of the player, as in `players`: place in CDOTA_PlayerResource.")
HERO = Column("hero", "category", "The player's hero (npc_dota_hero_axe); null if the recording has none.")
TEAM = Column("team", "int32", "2 is Radiant, 3 is Dire.")
PAUSED = Column(
    "paused",
    "bool",
    "The game is paused at that tick: such rows repeat a `game_seconds`, so leave them out before grouping by it; "
    "null where `game_seconds` is.",
)

X = Column(
    "x",
    "float64",
    "To the east, from the middle of the map: m_cellX * 128 + m_vecX - 16384 of its CBodyComponent.",
    "world units",
)
Y = Column("y", "float64", "To the north, as `x`.", "world units")
CELL_X_COLUMN = Column("cell_x", "int32", "m_cellX of its CBodyComponent: 128 world units each, from the west.")
CELL_Y_COLUMN = Column("cell_y", "int32", "m_cellY, from the south.")

KILLER = Column(
    "killer", "category", "Who dealt the last blow: attacker of the combat log's DEATH entry; null if it has none."
)
KILLER_TEAM = Column("killer_team", "int32", "attacker_team of that entry: 2 is Radiant, 3 is Dire, 4 neutral.")

# Columns of orders and signals.
PLACE_X = Column("x", "float32", "The place that is meant: world coordinates; null without one.")
PLACE_Y = Column("y", "float32", "The place that is meant: world coordinates; null without one.")
ABILITY_ID = Column("ability_id", "int32", "The game's number of the ability or item; null without one.")
ABILITY = Column("ability", "string", "Its name, from the optional package of names; null without it.")


class PlayerField(NamedTuple):
    """A field with one value per player, and its column."""

    field: str
    type: str
    doc: str
    unit: str = ""


#: Fields of the player's row in CDOTA_PlayerResource.m_vecPlayerTeamData, by column.
RESOURCE_FIELDS = {
    "level": PlayerField("m_iLevel", "int32", "Level of the hero"),
    "kills": PlayerField("m_iKills", "int32", "Heroes killed so far"),
    "deaths": PlayerField("m_iDeaths", "int32", "Deaths so far"),
    "assists": PlayerField("m_iAssists", "int32", "Assists so far"),
    "respawn_seconds": PlayerField(
        "m_iRespawnSeconds", "int32", "Until the hero is back; -1 while it is alive", "s"
    ),
}

#: Fields of the player's row in CDOTA_DataRadiant or CDOTA_DataDire, by column.
TEAM_DATA_FIELDS = {
    "last_hits": PlayerField("m_iLastHitCount", "int32", "Last hits so far"),
    "denies": PlayerField("m_iDenyCount", "int32", "Denies so far"),
    "net_worth": PlayerField("m_iNetWorth", "int32", "Gold in hand and what was bought", "gold"),
    "gold_earned": PlayerField("m_iTotalEarnedGold", "int32", "All gold earned so far", "gold"),
    "xp_earned": PlayerField("m_iTotalEarnedXP", "int32", "All experience earned so far", "xp"),
    "gold_reliable": PlayerField("m_iReliableGold", "int32", "Gold in hand that is not lost by dying", "gold"),
    "gold_unreliable": PlayerField("m_iUnreliableGold", "int32", "The rest of the gold in hand", "gold"),
    "hero_damage": PlayerField("m_iHeroDamage", "int32", "Damage to heroes, as the game counts it"),
    "tower_damage": PlayerField("m_iTowerDamage", "int32", "Damage to towers, as the game counts it"),
    "healing": PlayerField("m_fHealing", "float32", "Health given to allies"),
    "stun_seconds": PlayerField(
        "m_fStuns",
        "float32",
        "How long enemies were stunned, as Valve counts: it can be negative (odota/web#2613)",
        "s",
    ),
    "tower_kills": PlayerField("m_iTowerKills", "int32", "Towers killed"),
    "roshan_kills": PlayerField(
        "m_iRoshanKills", "int32", "Roshans killed, as Valve counts; not last hits on Roshan"
    ),
    "observer_wards_placed": PlayerField("m_iObserverWardsPlaced", "int32", "Observer wards placed"),
    "sentry_wards_placed": PlayerField("m_iSentryWardsPlaced", "int32", "Sentry wards placed"),
    "wards_destroyed": PlayerField("m_iWardsDestroyed", "int32", "Wards destroyed"),
    "camps_stacked": PlayerField("m_iCampsStacked", "int32", "Neutral camps stacked"),
    "rune_pickups": PlayerField("m_iRunePickups", "int32", "Runes picked up"),
}

#: Gold by source and by use, and commands: fields of the same row, by column.
MONEY_FIELDS = {
    **{
        f"gold_{source}": PlayerField(field, "int32", f"Gold from {what} so far", "gold")
        for source, field, what in (
            ("hero_kill", "m_iHeroKillGold", "kills of heroes"),
            ("creep", "m_iCreepKillGold", "lane creeps"),
            ("neutral", "m_iNeutralKillGold", "neutral creeps"),
            ("income", "m_iIncomeGold", "passive income"),
            ("building", "m_iBuildingGold", "buildings"),
            ("roshan", "m_iRoshanGold", "Roshan"),
            ("bounty", "m_iBountyGold", "bounty runes"),
            ("ward", "m_iWardKillGold", "wards"),
            ("courier", "m_iCourierGold", "couriers"),
            ("ability", "m_iAbilityGold", "abilities"),
            ("comeback", "m_iComebackGold", "the comeback bonus"),
            ("deny", "m_iCreepDenyGold", "denied creeps"),
            ("other", "m_iOtherGold", "other sources"),
            ("shared", "m_iSharedGold", "kills of allies"),
        )
    },
    "spent_items": PlayerField("m_iGoldSpentOnItems", "int32", "Gold spent on items so far", "gold"),
    "spent_consumables": PlayerField(
        "m_iGoldSpentOnConsumables", "int32", "Gold spent on consumables so far", "gold"
    ),
    "spent_support": PlayerField("m_iGoldSpentOnSupport", "int32", "Gold spent on support so far", "gold"),
    "spent_buybacks": PlayerField("m_iGoldSpentOnBuybacks", "int32", "Gold spent on buybacks so far", "gold"),
    "gold_lost": PlayerField("m_iGoldLostToDeath", "int32", "Gold lost by deaths so far", "gold"),
    "commands": PlayerField("m_iCommandsIssued", "int32", "Commands that the player gave so far"),
}

#: Sources of the fields, for the documentation of the columns.
RESOURCE_ROW = "the player's row in CDOTA_PlayerResource.m_vecPlayerTeamData"
TEAM_DATA_ROW = "the player's row in CDOTA_DataRadiant or CDOTA_DataDire"


def columns_of(fields: Mapping[str, PlayerField], source: str) -> Iterator[Column]:
    """Yield the columns of the fields of `source`, by name."""
    for name, (field, type_, doc, unit) in fields.items():
        yield Column(name, type_, f"{doc}: {field} of {source}.", unit)
