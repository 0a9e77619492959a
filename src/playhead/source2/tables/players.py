"""The players: from FileInfo if the game wrote its match there, else from the userinfo string table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from playhead.errors import ReplayError
from playhead.model import Player, ProblemHandler
from playhead.runtime.libraries import pa, pc
from playhead.source2.container.frames import SIGNON_PACKET, STRING_TABLES, Frame
from playhead.source2.games import GAMES, UNKNOWN_GAME
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader
from playhead.source2.playback.recording import Content, Recording
from playhead.source2.string_tables.tables import StringTables, handle_create
from playhead.tables.value_arrays import array_of, scalar_of

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


#: Greater than the number of any player.
_PLAYERS = 1 << 20


def with_properties(table: pa.Table, names: Sequence[str], series: Callable[[list[int]], pa.Table]) -> pa.Table:
    """Return the table with columns for each column of a player in it: ``attacker_`` and the property for
    ``attacker_player``. They are null where the row has no such player, or no tick of the recording. A column that
    the table has already stays as it is.

    Args:
        table: a table with ``tick`` and one or more columns of players.
        names: the properties.
        series: returns, for ascending ticks, a table of ``tick``, ``player`` and the properties.
    """
    number = pa.int64()
    ticks = table.column("tick").cast(number)
    known = sorted({tick for tick in pc.unique(ticks).to_pylist() if tick is not None and tick >= 0})
    states = series(known) if known else None
    if states is not None:
        keys = _keys(states.column("tick").cast(number), states.column("player").cast(number))
    of_people = [name for name in table.column_names if name == "player" or name.endswith("_player")]
    for column in of_people:
        if table.schema.field(column).type != pa.int32():
            continue
        role = column.removesuffix("player")
        if states is None:
            place = pa.nulls(len(table), pa.int32())
        else:
            place = pc.index_in(_keys(ticks, table.column(column).cast(number)), keys)
        for name in names:
            if role + name in table.column_names:
                continue
            values = (
                array_of([None] * len(table), pa.null()) if states is None else states.column(name).take(place)
            )
            table = table.append_column(role + name, values)
    return table


def _keys(ticks: pa.ChunkedArray, players: pa.ChunkedArray) -> pa.Array:
    keys = pc.add(pc.multiply(ticks, scalar_of(_PLAYERS, pa.int64())), players)
    return pa.concat_arrays(keys.chunks) if keys.num_chunks else pa.nulls(0, pa.int64())
