"""Tables ``commands``, ``auth``, ``antibot`` and ``net_messages``: input of clients and commands of the server."""

from __future__ import annotations

from playhead.tables import Column, TableSchema
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.network import NetworkRecord
from playhead.teehistorian.network.records import record_fields
from playhead.teehistorian.state.tracker import RareMessage, command_origin
from playhead.teehistorian.stream.extensions import Antibot, AuthInit, AuthLogin, AuthLogout
from playhead.teehistorian.stream.messages import ConsoleCommand, NetMessage
from playhead.teehistorian.stream.text import printable
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder
from playhead.text.json import to_json

COMMANDS = TableSchema.of(
    "commands",
    "One row for each console command that ran. Not recorded by DDNet: whispers (w, whisper, c, "
    "converse), dnd, map, saytime, auth_* and add_sqlserver. Arguments can be secret: codes of timeout and "
    "save, addresses of kick and ban.",
    *words("tick seconds"),
    word("client", "Null if no client ran it."),
    *words("player name"),
    Column(
        "origin",
        "category",
        "chat: typed into the chat; rcon: by a client over rcon; server: by none (a vote that passed, the "
        "configuration, the server's own console: the file does not say which).",
    ),
    *words("command"),
    Column("arguments", "list<string>", "As the console took them apart; a rest parameter is one argument."),
    word("auth_level", "That of the client, null if none or unknown."),
    Column("issuer_id", "int64", "Client in the file: -1 no player, -2 the game, -3 outside a game."),
    word("flags", "Those active when it ran: 128 chat, 4 server."),
    group="log",
)


@TABLES.maker_of(COMMANDS)
class Commands(RowBuilder):
    """Builds table ``commands``."""

    handles = (ConsoleCommand,)

    def on_message(self, rare: RareMessage) -> None:
        message = rare.message
        if not isinstance(message, ConsoleCommand):
            return
        by_client = message.cid >= 0
        connection = rare.connection
        self._add(
            rare.tick,
            connection,
            client=message.cid if by_client else None,
            origin=command_origin(message.cid, message.flags),
            command=printable(message.command),
            arguments=[printable(argument) for argument in message.arguments],
            auth_level=None if connection is None else connection.identity.auth_level,
            issuer_id=message.cid,
            flags=message.flags,
        )


AUTH = TableSchema.of(
    "auth",
    "One row for each login to rcon and logout. A client that leaves, or is taken over with a timeout "
    "code, is logged out without a row. Since 11.0.3.",
    *words("tick seconds client player name"),
    word("event", "login; logout; init: was logged in when the map started (up to 19.5)."),
    word("auth_level", "0 after a logout."),
    Column("auth_key", "string", "Name of the key of the login; null for a logout."),
    group="log",
)


@TABLES.maker_of(AUTH)
class Auth(RowBuilder):
    """Builds table ``auth``."""

    handles = (AuthInit, AuthLogin, AuthLogout)

    def on_message(self, rare: RareMessage) -> None:
        key: str | None
        match rare.extension:
            case AuthLogin(cid, level, key):
                event = "login"
            case AuthInit(cid, level, key):
                event = "init"
            case AuthLogout(cid):
                event, level, key = "logout", 0, None
            case _:
                return
        self._add(
            rare.tick,
            rare.connection,
            client=cid,
            event=event,
            auth_level=level,
            auth_key=None if key is None else printable(key),
        )


ANTIBOT = TableSchema.of(
    "antibot",
    "One row for each piece of data from the closed anti-cheat module; what it means is not public. Since 17.3.",
    *words("tick seconds bytes data"),
    group="log",
)


@TABLES.maker_of(ANTIBOT)
class AntibotData(RowBuilder):
    """Builds table ``antibot``."""

    handles = (Antibot,)

    def on_message(self, rare: RareMessage) -> None:
        if isinstance(rare.extension, Antibot):
            data = rare.extension.data
            self._add(rare.tick, None, bytes=len(data), data=data)


NET_MESSAGES = TableSchema.of(
    "net_messages",
    "One row for each network message. DDNet's servers leave out the numbers 17, 24 and 25 (0.6: chat, "
    "votes, calls of votes; 0.7: chat and team changes), engine messages, and all that they send "
    "themselves.",
    *words("tick seconds client player name"),
    word("protocol", "Null if neither file nor message says."),
    Column("system", "bool", "The flag of engine messages, which no known server records."),
    word("message", "start_info, emoticon, show_distance …"),
    word("message_id", "In that protocol; 0: the message is known by `message_uuid`."),
    Column("message_uuid", "string", "UUID of an extended message; else null."),
    word(
        "fields", "Unchecked; null if the message is unknown or incomplete. `teehistorian.network` describes them."
    ),
    Column("unread_bytes", "int64", "Bytes after the fields that are not understood.", "bytes"),
    word("data", "The whole message."),
    group="messages",
)


@TABLES.maker_of(NET_MESSAGES)
class NetMessages(RowBuilder):
    """Builds table ``net_messages``."""

    handles = (NetMessage,)

    def on_message(self, rare: RareMessage) -> None:
        message = rare.message
        decoded = rare.network
        if not isinstance(message, NetMessage) or decoded is None:
            return
        self._add(
            rare.tick,
            rare.connection,
            client=message.cid,
            protocol=decoded.protocol,
            system=decoded.system,
            message_id=decoded.number,
            message_uuid=None if decoded.uuid is None else str(decoded.uuid),
            message=decoded.kind,
            fields=None if decoded.record is None else _json(decoded.record),
            unread_bytes=len(decoded.rest),
            data=message.data,
        )


def _json(record: NetworkRecord) -> str:
    return printable(to_json(record_fields(record)))
