"""Table ``auth``: logins to rcon and logouts."""

from __future__ import annotations

from playhead.tables import Column, TableSchema
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.extensions import AuthInit, AuthLogin, AuthLogout
from playhead.teehistorian.stream.text import printable
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder

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
