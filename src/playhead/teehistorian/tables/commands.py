"""Tables ``commands``, ``auth`` and ``antibot``: who ran what, who might, and what the anti-cheat module said."""

from __future__ import annotations

from playhead.tables import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK
from playhead.teehistorian.state.connections import CHAT_COMMAND
from playhead.teehistorian.stream.extensions import Antibot, AuthInit, AuthLogin, AuthLogout
from playhead.teehistorian.stream.messages import ConsoleCommand
from playhead.teehistorian.stream.text import printable
from playhead.teehistorian.tables.collector import Collector, Happening
from playhead.teehistorian.tables.columns import CLIENT, NAME


def command_source(message: ConsoleCommand) -> str:
    """``chat``, ``rcon`` or ``server``; see table ``commands``."""
    if message.flags & CHAT_COMMAND:
        return "chat"
    return "rcon" if message.cid >= 0 else "server"


class Commands(Collector):
    """Makes table ``commands``."""

    takes = (ConsoleCommand,)
    schema = TableSchema(
        name="commands",
        version=1,
        doc="One row for each console command that ran. Not recorded by DDNet: whispers (w, whisper, c, "
        "converse), dnd, map, saytime, auth_* and add_sqlserver. Arguments can be secret: codes of timeout and "
        "save, addresses of kick and ban.",
        columns=(
            TICK,
            SECONDS,
            Column(CLIENT.name, CLIENT.type, "Client id of who ran it; null if no client did."),
            NAME,
            Column(
                "source",
                "category",
                "chat: typed into the chat; rcon: by a client over rcon; server: by none (a vote that passed, the "
                "configuration, the server's own console: the file does not tell which).",
            ),
            Column("command", "string", "Name of the command."),
            Column(
                "arguments", "list<string>", "As the console took them apart; a rest parameter is one argument."
            ),
            Column("auth_level", "int32", "Rcon level of who ran it, as in `auth`; null if none or unknown."),
            Column("issuer", "int32", "Client id in the file: -1 no player, -2 the game, -3 outside a game."),
            Column("flags", "int32", "Flag mask active when it ran: 128 chat, 4 server."),
        ),
    )

    def take(self, happening: Happening) -> None:
        message = happening.message
        if not isinstance(message, ConsoleCommand):
            return
        by_client = message.cid >= 0
        connection = happening.clients.current(message.cid) if by_client else None
        self._add(
            happening.tick,
            connection,
            client=message.cid if by_client else None,
            source=command_source(message),
            command=printable(message.command),
            arguments=[printable(argument) for argument in message.arguments],
            auth_level=None if connection is None else connection.identity.auth_level,
            issuer=message.cid,
            flags=message.flags,
        )


class Auth(Collector):
    """Makes table ``auth``."""

    takes = (AuthInit, AuthLogin, AuthLogout)
    schema = TableSchema(
        name="auth",
        version=1,
        doc="One row for each login to rcon and logout. A client that leaves, or is taken over with a timeout "
        "code, is logged out without a row. Since 11.0.3.",
        columns=(
            TICK,
            SECONDS,
            CLIENT,
            NAME,
            Column("event", "category", "login; logout; init: was logged in when the map started (up to 19.5)."),
            Column("level", "int32", "1 helper, 2 moderator, 3 administrator; 0 after a logout."),
            Column("key", "string", "Name of the key it logged in with; null for a logout."),
        ),
    )

    def take(self, happening: Happening) -> None:
        key: str | None
        match happening.extension:
            case AuthLogin(cid, level, key):
                event = "login"
            case AuthInit(cid, level, key):
                event = "init"
            case AuthLogout(cid):
                event, level, key = "logout", 0, None
            case _:
                return
        self._add(
            happening.tick,
            happening.clients.current(cid),
            client=cid,
            event=event,
            level=level,
            key=None if key is None else printable(key),
        )


class AntibotData(Collector):
    """Makes table ``antibot``."""

    takes = (Antibot,)
    schema = TableSchema(
        name="antibot",
        version=1,
        doc="One row for each piece of data from the closed anti-cheat module; what it means is not public. "
        "Since 17.3.",
        columns=(
            TICK,
            SECONDS,
            Column("bytes", "int32", "Length of `data`.", "bytes"),
            Column("data", "binary", "As it stands in the file."),
        ),
    )

    def take(self, happening: Happening) -> None:
        if isinstance(happening.extension, Antibot):
            data = happening.extension.data
            self._add(happening.tick, None, bytes=len(data), data=data)
