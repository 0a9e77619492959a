"""Table ``player_stats``: each player at the end of the recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.match import OfficialResult
from playhead.dota2.sources import roster
from playhead.dota2.sources.combat_log import signed
from playhead.dota2.sources.entities import NAME_FIELD, npc_name
from playhead.dota2.sources.game_clock import POST_GAME
from playhead.dota2.sources.match import SIDES, PlayerFacts
from playhead.model import Player
from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any, ClassVar
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

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


_CONTROLLER = "CDOTAPlayerController"
_PLAYER_ID, _CONTROLLER_NAME = "m_nPlayerID", "m_iszPlayerName"
_PLAYER_DATA = "m_vecPlayerData.{:04}."
_TEAM_PLAYER_DATA = "m_vecPlayerTeamData.{:04}."

# Columns with a bool: field, and meaning.
_FLAGS = {
    "claimed_first_blood": ("m_iFirstBloodClaimed", "The player killed the first hero"),
    "randomed": ("m_bHasRandomed", "The game chose the hero"),
    "predicted_victory": ("m_bHasPredictedVictory", "The player predicted a victory"),
}
_PARTICIPATION, _RANK = "m_flTeamFightParticipation", "m_iRankTier"
# Number of the facet: the low byte of the first, of the hero; the second, of the player, in builds before 7.39.
_FACET_KEY, _FACET = "m_iHeroFacetKey", "m_nSelectedHeroVariant"
# A Steam id of a player is an account number plus this.
_FIRST_STEAM_ID = 76561197960265728

# First slot of `m_hItems`, and the slot after the last.
_ITEM_SLOTS = {
    "items": (0, 6),
    "backpack": (6, 9),
    "stash": (9, 15),
    "teleport": (15, 16),
    "neutral_items": (16, 17),
}

# Column of the game's own report: field of CMsgDOTAMatch.Player, unit, and meaning.
_OFFICIAL = {
    "official_gpm": ("gold_per_min", "gold/min", "Gold a minute"),
    "official_xpm": ("xp_per_min", "xp/min", "Experience a minute"),
    "official_hero_damage": ("hero_damage", "hp", "Damage to heroes"),
    "official_tower_damage": ("tower_damage", "hp", "Damage to towers"),
    "official_healing": ("hero_healing", "hp", "Health given to allied heroes"),
    "official_gold": ("gold", "gold", "Gold in hand"),
    "official_gold_spent": ("gold_spent", "gold", "Gold spent"),
    "official_net_worth": ("net_worth", "gold", "Gold in hand and items"),
}
# Column: number of a permanent buff, and its name.
_BUFFS = {
    "official_scepter": (2, "Aghanim's Scepter"),
    "official_shard": (12, "Aghanim's Shard"),
    "official_moonshard": (1, "the Moon Shard"),
}
#: Columns of the game's own report.
OFFICIAL = (*_OFFICIAL, *_BUFFS)

PLAYER_STATS = TableSchema.of(
    "player_stats",
    "One row for each player of the two sides, as they were at the end of the recording. Columns official_… are "
    "the game's own report (CMsgDOTAMatch, message 558), which whole recordings of Valve's servers have. "
    "Null where the recording has no value.",
    *words("player team side"),
    word("slot", "Place in the team, from 0: m_iTeamSlot."),
    word("name", "Of the account: CDOTA_PlayerResource, the player's entity, or FileInfo."),
    word("account", "Null for bots. CDOTA_PlayerResource or FileInfo."),
    word("account_id", "From the Steam id; null for bots."),
    Column("bot", "bool", "A bot: m_bFakeClient, or FileInfo; null if neither has it."),
    word("hero", "Name of its entity, FileInfo, or the package of names."),
    word("hero_id", "m_nSelectedHeroID."),
    Column(
        "facet",
        "int32",
        f"Number of the hero's facet, from 1: the low byte of its {_FACET_KEY}, or {_FACET} of the player's row "
        "in CDOTA_PlayerResource.m_vecPlayerTeamData, or selected_facet of the report; null in builds without "
        "facets.",
    ),
    word("result", "By FileInfo's winner or that of the game rules."),
    *PLAYER_COLUMNS,
    Column("rank_tier", "int32", f"Medal and its stars (54 is Legend 4): {_RANK}; null without one."),
    Column(
        "teamfight_participation",
        "float32",
        f"Share of the team's kills that the player took part in, as the game counts: {_PARTICIPATION}.",
    ),
    *(
        Column(name, "bool", f"{doc}: {field} of the player's row in CDOTA_PlayerResource.m_vecPlayerTeamData.")
        for name, (field, doc) in _FLAGS.items()
    ),
    word("gpm", "Of game time, from the horn on: from `gold_earned`."),
    word("xpm", "Of game time, from the horn on: from `xp`."),
    word("items", "In slots 0 to 5 of m_hItems, by slot; empty ones left out."),
    Column("backpack", "list<string>", "Items in slots 6 to 8."),
    Column("stash", "list<string>", "Items in slots 9 to 14."),
    Column("teleport", "list<string>", "The item in the slot of teleports, 15."),
    Column("neutral_items", "list<string>", "The item in the slot of neutral items, 16."),
    *(
        Column(name, "int32", f"{doc}: {field} of the report.", unit)
        for name, (field, unit, doc) in _OFFICIAL.items()
    ),
    *(
        Column(name, "bool", f"The player has the permanent buff of {title} (number {number}).")
        for name, (number, title) in _BUFFS.items()
    ),
)


@TABLES.maker_of(PLAYER_STATS)
class PlayerStats(PlayerFacts):
    """Reads the last state."""

    jobs: ClassVar = Jobs(extra=20)

    needs_clock: ClassVar = True
    fields = roster.roster_fields(
        {
            roster.RESOURCE_CLASS: (
                *(f"m_vecPlayerTeamData.????.{field}" for field in RESOURCE_FIELDS.values()),
                *(f"m_vecPlayerTeamData.????.{field}" for field, _ in _FLAGS.values()),
                f"m_vecPlayerTeamData.????.{_PARTICIPATION}",
                f"m_vecPlayerTeamData.????.{_FACET}",
                f"m_vecPlayerData.????.{_RANK}",
                "m_vecPlayerData.????.m_iszPlayerName",
                "m_vecPlayerData.????.m_iPlayerSteamID",
                "m_vecPlayerData.????.m_bFakeClient",
            ),
            "CDOTA_Unit_Hero_*": ("m_hItems.????", _FACET_KEY),
            # Items have classes with any name: CODTA_Item_Gossamer_Cape.
            "*": (NAME_FIELD,),
            _CONTROLLER: (_PLAYER_ID, _CONTROLLER_NAME),
        },
        roster.team_fields(TEAM_DATA_FIELDS.values()),
    )

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._controllers: dict[int, Entity] = {}
        watch = FieldWatch((_PLAYER_ID,), self._on_controller)
        playback.entities.on_entity(watch, _CONTROLLER, EntityOp.CREATED | EntityOp.UPDATED)
        self._official = OfficialResult(self.match, playback)

    def _on_controller(self, entity: Entity, _op: EntityOp) -> None:
        self._controllers[entity.get(_PLAYER_ID, -1)] = entity

    # -- the end ----------------------------------------------------------------------------------------

    def tables(self) -> Mapping[str, pa.Table]:
        return {PLAYER_STATS.name: self.match.table(PLAYER_STATS, self.rows())}

    def rows(self) -> list[dict[str, Any]]:
        """Return the present state of the players."""
        minutes = self._minutes()
        winner = self.match.winner
        official = self._official.players
        rows = []
        for seat in self._roster.seats:
            report = official.get((seat.team, seat.slot), {})
            row = self._row(seat, winner) | _report(report)
            row["facet"] = row.get("facet") or report.get("selected_facet") or None
            for rate, earned in (("gpm", "gold_earned"), ("xpm", "xp")):
                row[rate] = row[earned] / minutes if minutes and row[earned] is not None else None
            rows.append(row)
        return rows

    def _minutes(self) -> float | None:
        """Return the game time from the horn to the end of the match, or of the recording."""
        clock = self.match.clock
        end = next((tick for tick, state in clock.states if state == POST_GAME), self._playback.tick)
        seconds = clock.game_seconds(end)
        return seconds / 60 if seconds is not None and seconds > 0 else None

    def _row(self, seat: roster.Seat, winner: int | None) -> dict[str, Any]:
        info = self._roster.file_info(seat)
        resource = self._roster.resource
        row: dict[str, Any] = {
            "player": seat.player,
            "team": seat.team,
            "side": SIDES.get(seat.team),
            "slot": seat.slot,
            "name": info.get("player_name"),
            "bot": info.get("is_fake_client"),
            "hero": self._roster.hero_name(seat),
            "hero_id": self._roster.hero_id(seat),
        }
        steam_id = info.get("steamid")
        row |= dict.fromkeys(TEAM_DATA_FIELDS)
        if resource is not None:
            base, own = _PLAYER_DATA.format(seat.player), _TEAM_PLAYER_DATA.format(seat.player)
            row["name"] = resource.get(base + "m_iszPlayerName") or self._controller_name(seat) or row["name"]
            row["bot"] = resource.get(base + "m_bFakeClient", row["bot"])
            steam_id = resource.get(base + "m_iPlayerSteamID") or steam_id
            row |= {name: resource.get(own + field) for name, field in RESOURCE_FIELDS.items()}
            row["respawn_seconds"] = waiting(row["respawn_seconds"])
            for name, (field, _) in _FLAGS.items():
                value = resource.get(own + field)
                row[name] = bool(value) if isinstance(value, int) else None
            row["teamfight_participation"] = resource.get(own + _PARTICIPATION)
            row["rank_tier"] = resource.get(base + _RANK) or None
            row["facet"] = resource.get(own + _FACET) or None
        for data in self._roster.holders(seat):
            for name, field in TEAM_DATA_FIELDS.items():
                if row[name] is None:
                    row[name] = data.get(roster.TEAM_ROW.format(seat.row) + field)
        if isinstance(row["healing"], float):
            row["healing"] = int(row["healing"])
        row["account"] = str(steam_id) if steam_id else None
        numbered = isinstance(steam_id, int) and steam_id > _FIRST_STEAM_ID
        row["account_id"] = steam_id - _FIRST_STEAM_ID if numbered and steam_id is not None else None
        if winner is not None:
            row["result"] = "win" if winner == seat.team else "loss"
        hero = self._roster.hero(seat)
        if hero is not None:
            row |= {place: self._items(hero, *slots) for place, slots in _ITEM_SLOTS.items()}
            key = hero.get(_FACET_KEY)
            row["facet"] = (key & 0xFF if isinstance(key, int) else 0) or row.get("facet")
        return row

    def _controller_name(self, seat: roster.Seat) -> str | None:
        controller = self._controllers.get(seat.player)
        return None if controller is None else controller.get(_CONTROLLER_NAME) or None

    def _items(self, hero: Entity, first: int, end: int) -> list[str]:
        """Return the names of the items in these slots; the class name for an item without a name."""
        found = []
        for slot in range(first, end):
            handle = hero.get(f"m_hItems.{slot:04}", roster.NO_HANDLE)
            item = None if handle == roster.NO_HANDLE else self._playback.entities.find_by_handle(handle)
            if item is not None:
                found.append(npc_name(self._playback.entities, item) or item.class_name)
        return found


def _report(fields: Mapping[str | int, Any]) -> dict[str, Any]:
    """Return the columns of the game's own report about a player; none without it."""
    if not fields:
        return {}
    buffs = {buff.get("permanent_buff") for buff in fields.get("permanent_buffs", ())}
    return {
        **{name: signed(fields.get(field)) for name, (field, *_) in _OFFICIAL.items()},
        **{name: number in buffs for name, (number, _) in _BUFFS.items()},
    }


def player_of(row: Mapping[str, Any]) -> Player:
    """Convert a row to a `Player`."""
    return Player(
        player=row["player"],
        name=row["name"],
        kind="computer" if row["bot"] else "human",
        team=row["team"],
        side=row["side"],
        character=row["hero"],
        result=row.get("result"),
        account=row["account"],
    )
