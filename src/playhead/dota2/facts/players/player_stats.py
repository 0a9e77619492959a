"""Table ``player_stats``: each player at the end of the recording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES, columns
from playhead.dota2.sources import roster
from playhead.dota2.sources.entities import NAME_FIELD, npc_name
from playhead.dota2.sources.game_clock import POST_GAME
from playhead.dota2.sources.match import SIDES, MatchContext, PlayerFacts
from playhead.dota2.sources.names import game_heroes
from playhead.model import Player
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

_CONTROLLER = "CDOTAPlayerController"
_PLAYER_ID, _CONTROLLER_NAME = "m_nPlayerID", "m_iszPlayerName"
_PLAYER_DATA = "m_vecPlayerData.{:04}."
_TEAM_PLAYER_DATA = "m_vecPlayerTeamData.{:04}."

_RESOURCE = {name: columns.RESOURCE_FIELDS[name] for name in ("kills", "deaths", "assists", "level")}
_TEAM_DATA = {**columns.TEAM_DATA_FIELDS, **columns.MONEY_FIELDS}
# Columns with a bool: field, and meaning.
_FLAGS = {
    "first_blood": ("m_iFirstBloodClaimed", "The player killed the first hero"),
    "randomed": ("m_bHasRandomed", "The game chose the hero"),
    "predicted_victory": ("m_bHasPredictedVictory", "The player predicted a victory"),
}
_PARTICIPATION, _RANK = "m_flTeamFightParticipation", "m_iRankTier"
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

PLAYER_STATS = TableSchema.of(
    "player_stats",
    "One row for each player of the two sides, as they were at the end of the recording. Null where the "
    "recording has no value.",
    columns.PLAYER,
    Column("team", "int32", "2 is Radiant, 3 is Dire: m_iPlayerTeam."),
    Column("side", "category", "radiant or dire."),
    Column("slot", "int32", "Place in the team, from 0 on: m_iTeamSlot."),
    Column("name", "string", "Name of the account: CDOTA_PlayerResource, the player's entity, or FileInfo."),
    Column("account", "string", "Steam id; null for bots. CDOTA_PlayerResource or FileInfo."),
    Column("bot", "bool", "A bot: m_bFakeClient, or FileInfo; null if neither has it."),
    Column("hero", "string", "Unit name of the hero: its entity's name, FileInfo, or the package of names."),
    Column("hero_id", "int32", "The game's number of the hero: m_nSelectedHeroID."),
    Column("result", "category", "win or loss, by FileInfo's winner or that of the game rules."),
    *columns.columns_of(_RESOURCE, columns.RESOURCE_ROW),
    *columns.columns_of(_TEAM_DATA, columns.TEAM_DATA_ROW),
    Column("account_id", "int64", "Valve's number of the account, from the Steam id; null for bots."),
    Column("rank_tier", "int32", f"Medal and its stars (54 is Legend 4): {_RANK}; null without one."),
    Column(
        "teamfight_participation",
        "float32",
        f"Share of the team's kills that the player took part in, as the game counts: {_PARTICIPATION}.",
    ),
    *(Column(name, "bool", f"{doc}: {field} of {columns.RESOURCE_ROW}.") for name, (field, doc) in _FLAGS.items()),
    Column("gpm", "float32", "`gold_earned` a minute of game time, from the horn on.", "gold/min"),
    Column("xpm", "float32", "`xp_earned` a minute of game time, from the horn on.", "xp/min"),
    Column("items", "list<string>", "Items in slots 0 to 5 of the hero's m_hItems, by slot; empty ones left out."),
    Column("backpack", "list<string>", "Items in slots 6 to 8."),
    Column("stash", "list<string>", "Items in slots 9 to 14."),
    Column("teleport", "list<string>", "The item in the slot of teleports, 15."),
    Column("neutral_items", "list<string>", "The item in the slot of neutral items, 16."),
)


@TABLES.maker_of(PLAYER_STATS)
class PlayerStats(PlayerFacts):
    """Reads the last state."""

    needs_clock: ClassVar = True
    fields = roster.with_fields(
        roster.ROSTER_FIELDS,
        {
            roster.RESOURCE_CLASS: (
                *(f"m_vecPlayerTeamData.????.{field}" for field, *_ in _RESOURCE.values()),
                "m_vecPlayerTeamData.????.m_nSelectedHeroID",
                *(f"m_vecPlayerTeamData.????.{field}" for field, _ in _FLAGS.values()),
                f"m_vecPlayerTeamData.????.{_PARTICIPATION}",
                f"m_vecPlayerData.????.{_RANK}",
                "m_vecPlayerData.????.m_iszPlayerName",
                "m_vecPlayerData.????.m_iPlayerSteamID",
                "m_vecPlayerData.????.m_bFakeClient",
            ),
            "CDOTA_Unit_Hero_*": ("m_hItems.????",),
            # Items have classes with any name: CODTA_Item_Gossamer_Cape.
            "*": (NAME_FIELD,),
            _CONTROLLER: (_PLAYER_ID, _CONTROLLER_NAME),
        },
        roster.team_fields(field for field, *_ in _TEAM_DATA.values()),
    )

    def __init__(self, match: MatchContext) -> None:
        super().__init__(match)
        self._controllers: dict[int, Entity] = {}

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        watch = FieldWatch((_PLAYER_ID,), self._on_controller)
        playback.entities.on_entity(watch, _CONTROLLER, EntityOp.CREATED | EntityOp.UPDATED)

    def _on_controller(self, entity: Entity, _op: EntityOp) -> None:
        self._controllers[entity.get(_PLAYER_ID, -1)] = entity

    # -- the end ----------------------------------------------------------------------------------------

    def tables(self) -> Mapping[str, pa.Table]:
        return {PLAYER_STATS.name: self.match.table(PLAYER_STATS, self.rows())}

    def rows(self) -> list[dict[str, Any]]:
        """Return the present state of the players."""
        minutes = self._minutes()
        winner = self.match.winner
        rows = []
        for seat in self._roster.seats:
            row = self._row(seat, winner)
            for rate, earned in (("gpm", "gold_earned"), ("xpm", "xp_earned")):
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
        info = self._file_info(seat)
        resource = self._roster.resource
        row: dict[str, Any] = {
            "player": seat.player,
            "team": seat.team,
            "side": SIDES.get(seat.team),
            "slot": seat.slot,
            "name": info.get("player_name"),
            "bot": info.get("is_fake_client"),
            "hero": info.get("hero_name"),
        }
        steam_id = info.get("steamid")
        hero_id = 0
        for name in _TEAM_DATA:
            row[name] = None
        if resource is not None:
            base, own = _PLAYER_DATA.format(seat.player), _TEAM_PLAYER_DATA.format(seat.player)
            row["name"] = resource.get(base + "m_iszPlayerName") or self._controller_name(seat) or row["name"]
            row["bot"] = resource.get(base + "m_bFakeClient", row["bot"])
            steam_id = resource.get(base + "m_iPlayerSteamID") or steam_id
            hero_id = resource.get(own + "m_nSelectedHeroID", 0)
            row["hero_id"] = hero_id if hero_id > 0 else None
            row |= {name: resource.get(own + field) for name, (field, *_) in _RESOURCE.items()}
            for name, (field, _) in _FLAGS.items():
                value = resource.get(own + field)
                row[name] = bool(value) if isinstance(value, int) else None
            row["teamfight_participation"] = resource.get(own + _PARTICIPATION)
            row["rank_tier"] = resource.get(base + _RANK) or None
        for data in self._roster.holders(seat):
            for name, (field, *_) in _TEAM_DATA.items():
                if row[name] is None:
                    row[name] = data.get(roster.TEAM_ROW.format(seat.row) + field)
        row["account"] = str(steam_id) if steam_id else None
        numbered = isinstance(steam_id, int) and steam_id > _FIRST_STEAM_ID
        row["account_id"] = steam_id - _FIRST_STEAM_ID if numbered and steam_id is not None else None
        if winner is not None:
            row["result"] = "win" if winner == seat.team else "loss"
        hero = self._roster.hero(seat)
        if hero is not None:
            row["hero"] = npc_name(self._playback.entities, hero) or row["hero"]
            row |= {place: self._items(hero, *slots) for place, slots in _ITEM_SLOTS.items()}
        if not row["hero"] and resource is not None:
            row["hero"] = game_heroes().get(hero_id)
        return row

    def _file_info(self, seat: roster.Seat) -> Mapping[str | int, Any]:
        """Return FileInfo's entry of the player; empty if FileInfo does not list this player."""
        listed = self.match.file_info.get("player_info", ())
        if seat.player < len(listed) and listed[seat.player].get("game_team") == seat.team:
            found: Mapping[str | int, Any] = listed[seat.player]
            return found
        return {}

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
