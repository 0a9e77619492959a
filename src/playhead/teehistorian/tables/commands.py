"""Table ``commands``: console commands."""

from __future__ import annotations

from playhead.tables import Column, TableSchema
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.state.tracker import CHAT_COMMAND, RareMessage
from playhead.teehistorian.stream.messages import ConsoleCommand
from playhead.teehistorian.stream.text import printable
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder


def command_origin(message: ConsoleCommand) -> str:
    """Return ``chat``, ``rcon`` or ``server``; see table ``commands``."""
    if message.flags & CHAT_COMMAND:
        return "chat"
    return "rcon" if message.cid >= 0 else "server"


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
            origin=command_origin(message),
            command=printable(message.command),
            arguments=[printable(argument) for argument in message.arguments],
            auth_level=None if connection is None else connection.identity.auth_level,
            issuer_id=message.cid,
            flags=message.flags,
        )
