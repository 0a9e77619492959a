"""The players: from FileInfo if the game wrote its match there, else from the userinfo string table."""

from __future__ import annotations

from collections.abc import Iterable

from playhead.errors import ReplayError
from playhead.model import Player, ProblemHandler
from playhead.source2.container.frames import SIGNON_PACKET, STRING_TABLES, Frame
from playhead.source2.games import GAMES, UNKNOWN_GAME
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader
from playhead.source2.playback.recording import Content, Recording
from playhead.source2.string_tables.tables import StringTables, handle_create

USERINFO = "userinfo"
_CREATE = frozenset({Engine.CREATE_STRING_TABLE})


def load_players(recording: Recording, note: ProblemHandler) -> tuple[Player, ...]:
    """Return the players of FileInfo, or else of the userinfo table of the sign-on; problems go to `note`."""
    listed = from_file_info(recording)
    if listed:
        return listed
    for frame, payload in recording.signon(STRING_TABLES):
        try:
            content = wire.decode("CDemoStringTables", payload)
        except ReplayError as error:
            error.offset = frame.offset
            note(error.locate(where="StringTables", tick=frame.tick), "players")
            continue
        for table in content.get("tables", ()):
            if table.get("table_name") == USERINFO:
                return _all_of_userinfo(frame, table.get("items", ()), note)
    return _of_messages(recording, note)


def _of_messages(recording: Recording, note: ProblemHandler) -> tuple[Player, ...]:
    """Return the people of the userinfo table that a message of the sign-on creates: broadcasts do not dump it."""
    tables = StringTables(recording.limits, frozenset({USERINFO}))
    for frame, payload in recording.signon(SIGNON_PACKET):
        try:
            reader = PacketReader(recording.packet(frame, payload))
            while reader.advance_to(_CREATE):
                handle_create(wire.decode("CSVCMsg_CreateStringTable", reader.payload()), tables)
        except ReplayError:  # the pass that checks all frames meets it too
            pass
        if USERINFO in tables:
            items: list[Content] = [{"data": item.value or b""} for item in tables[USERINFO]]
            return _all_of_userinfo(frame, items, note)
    return ()


def _all_of_userinfo(frame: Frame, items: Iterable[Content], note: ProblemHandler) -> tuple[Player, ...]:
    found = []
    for slot, item in enumerate(items):
        try:
            player = from_userinfo(slot, item.get("data", b""))
        except ReplayError as error:
            error.offset = frame.offset
            note(error.locate(tick=frame.tick), f"the player in slot {slot}")
            continue
        if player is not None:
            found.append(player)
    return tuple(found)


def from_file_info(recording: Recording) -> tuple[Player, ...]:
    """Return the players of a match as FileInfo lists them, in slot order; empty if it lists none."""
    match, sides = recording.match_info, GAMES.get(recording.game, UNKNOWN_GAME).sides
    winner = match.get("game_winner")
    players = []
    for slot, entry in enumerate(match.get("player_info", ())):
        team = entry.get("game_team")
        result = None
        if winner in sides and team in sides:
            result = "win" if winner == team else "loss"
        steam_id = entry.get("steamid", 0)
        players.append(
            Player(
                player=slot,
                name=entry.get("player_name"),
                kind="computer" if entry.get("is_fake_client") else "human",
                team=team,
                side=sides.get(team),
                character=entry.get("hero_name"),
                result=result,
                account=str(steam_id) if steam_id else None,
            )
        )
    return tuple(players)


def from_userinfo(slot: int, data: bytes) -> Player | None:
    """The client in a slot of the userinfo table (CMsgPlayerInfo), a bot or the SourceTV proxy too.

    The table knows no team, hero or result. A bot's Steam id is made up, and omitted. None if the slot is free.

    Raises:
        ReplayError: the data is no CMsgPlayerInfo.
    """
    if not data:
        return None
    try:
        entry = wire.decode("CMsgPlayerInfo", data)
    except ReplayError as error:
        raise error.locate(where=f"{USERINFO} entry {slot}") from None
    if not entry.get("name"):
        return None
    fake, proxy = bool(entry.get("fakeplayer")), bool(entry.get("ishltv"))
    xuid = entry.get("xuid", 0)
    return Player(
        player=slot,
        name=entry["name"],
        kind="observer" if proxy else "computer" if fake else "human",
        account=str(xuid) if xuid and not fake else None,
        details={"user_id": entry.get("userid"), "source_tv": proxy},
    )
