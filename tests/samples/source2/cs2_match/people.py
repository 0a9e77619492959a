"""People of the written match: they come, change sides, leave, come back, and take over a bot."""

from __future__ import annotations

from typing import Any

from tests.samples.source2.cs2_match import sight, state
from tests.samples.source2.cs2_match.arms import dress, strip
from tests.samples.source2.cs2_match.bomb import lose_bomb
from tests.samples.source2.cs2_match.world import controller_index, pawn_index

from playhead.source2.messages import wire
from playhead.source2.writing.demo import StringTableEntry, update_string_table

SPAWNS = {2: (-1400.0, -100.0), 3: (1400.0, 100.0)}
_CLANS = ("Anvil", "Hammer")
# The table of users is created after that of baselines.
_USER_TABLE = 1


def new_player(slot: int) -> state.Player:
    """Return the person who has a slot at first."""
    bot = slot == state.BOT_SLOT
    return state.Player(slot, state.NAMES[slot], 0 if bot else state.FIRST_ACCOUNT + slot, slot // 5, is_bot=bot)


def user_entry(player: state.Player) -> StringTableEntry:
    """Return the entry of a person in the table of users."""
    fields: dict[str, Any] = {"name": player.name, "userid": player.slot}
    if player.is_bot:
        fields["fakeplayer"] = True
    else:
        fields |= {"xuid": player.account, "steamid": player.account}
    return player.slot, str(player.slot).encode(), wire.encode("CMsgPlayerInfo", fields)


def enter(match: state.CsMatch, player: state.Player, team: int) -> None:
    """Let a person come, with controller and pawn."""
    world, slot = match.world, player.slot
    match.players[slot] = player
    player.team = team
    pawn, controller = pawn_index(slot), controller_index(slot)
    world.create(pawn, "CCSPlayerPawn", {"m_iTeamNum": team})
    values = {
        "m_iszPlayerName": player.name,
        "m_steamID": player.account,
        "m_iTeamNum": team,
        "m_szClan": _CLANS[player.squad],
        "m_hPawn": world.handle_of(pawn),
        "m_hPlayerPawn": world.handle_of(pawn),
        "m_iPing": 0 if player.is_bot else 20 + slot,
        "m_iPawnBotDifficulty": 2 if player.is_bot else -1,
        "m_pInGameMoneyServices.m_iAccount": player.money,
        "m_iCompetitiveRanking": 0 if player.is_bot else 15000 + 100 * slot,
        "m_iCompetitiveRankType": -1 if player.is_bot else 11,
        "m_iCompetitiveWins": 10 * slot,
    }
    world.create(controller, "CCSPlayerController", values)
    world.put(
        pawn, {"m_hController": world.handle_of(controller), "m_hOriginalController": world.handle_of(controller)}
    )
    network = "BOT" if player.is_bot else f"[U:1:{player.account - 76561197960265728}]"
    match.event(
        "player_connect", name=player.name, userid=slot, networkid=network, xuid=player.account, bot=player.is_bot
    )
    entry = user_entry(player)
    match.users[slot] = entry[2] or b""
    if match.tick:
        match.send(update_string_table(_USER_TABLE, [entry]))
    match.tell(
        "players", event="enter", player=player.name, account=str(player.account), slot=slot, bot=player.is_bot
    )
    dress(match, player)
    match.stand(player, *SPAWNS[team])


def record(match: state.CsMatch) -> None:
    """Let the recorder come, who is on no side."""
    values = {"m_iszPlayerName": "DemoRecorder", "m_steamID": 0, "m_iTeamNum": 0}
    match.world.create(controller_index(state.RECORDER_SLOT), "CCSPlayerController", values)


def leave(match: state.CsMatch, slot: int) -> None:
    """Let a person go."""
    player = match.players[slot]
    if player.alive:
        lose_bomb(match, player)
    strip(match, player)
    player.alive = False
    match.event(
        "player_disconnect",
        userid=slot,
        reason=2,
        name=player.name,
        networkid="",
        xuid=player.account,
        PlayerID=slot,
    )
    match.tell(
        "players", event="leave", player=player.name, account=str(player.account), slot=slot, bot=player.is_bot
    )
    sight.leave(match, player)
    del match.players[slot]
    match.world.remove(pawn_index(slot))
    match.world.remove(controller_index(slot))


def take_over(match: state.CsMatch, player: state.Player, bot: state.Player) -> None:
    """Let a dead player play with the body of a bot."""
    player.plays, bot.played_by = bot, player
    pawn = match.world.handle_of(pawn_index(bot.slot))
    match.put_controller(
        player, m_bControllingBot=True, m_bHasControlledBotThisRound=True, m_hPawn=pawn, m_bPawnIsAlive=True
    )
    match.put_controller(bot, m_hPawn=state.NO_HANDLE)
    match.put_pawn(bot, m_hController=match.world.handle_of(controller_index(player.slot)))
    match.event("bot_takeover", **match.of(player), botid=bot.slot, p=0.0, y=0.0, r=0.0)
    match.tell("players", event="takeover", player=player.name, account=str(player.account), bot=bot.name)


def give_back(match: state.CsMatch, player: state.Player) -> None:
    """End a takeover."""
    bot = player.plays
    if bot is None:
        return
    player.plays = bot.played_by = None
    for each in (player, bot):
        pawn = match.world.handle_of(pawn_index(each.slot))
        match.put_controller(each, m_bControllingBot=False, m_bHasControlledBotThisRound=False, m_hPawn=pawn)
    match.put_pawn(bot, m_hController=match.world.handle_of(controller_index(bot.slot)))
