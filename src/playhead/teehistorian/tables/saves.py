"""Table ``saves``: saves and loads of teams."""

from __future__ import annotations

from playhead.tables import Column, TableSchema
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.tracker import ConnectionTracker, RareMessage
from playhead.teehistorian.stream.extensions import LoadFailure, LoadSuccess, SaveFailure, SaveSuccess
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import ConsoleCommand, Extra
from playhead.teehistorian.stream.text import printable
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder
from playhead.teehistorian.tables.commands import command_origin

#: Packer size of servers before version_minor 9, which truncate longer texts.
_CUT_SIZE = 2048
_FIRST_MINOR_WITHOUT_CUTS = 9


SAVES = TableSchema.of(
    "saves",
    "One row for each save and load of a team, also failed ones. A failed save is not always recorded: "
    "one that the server refuses at once (no team, run not started) leaves only its command. Since 14.0.2.",
    *words("tick seconds"),
    word("event", "save or load."),
    Column("success", "bool", "It worked."),
    *words("team"),
    word("client", "The last member of that team who used /save or /load before. Deduced; null if there is none."),
    *words("player name save_uuid"),
    word("names", "Those in the save text, as far as it goes; null for a failure."),
    Column("save", "string", "The save text: lines of numbers, one for the team and one a tee."),
    word("bytes", "That of the whole payload."),
    Column(
        "cut",
        "bool",
        "Servers before version_minor 9 cut a payload at 2048 bytes; one of exactly that size is incomplete.",
    ),
    group="log",
)


@TABLES.maker_of(SAVES)
class Saves(RowBuilder):
    """Builds table ``saves``."""

    handles = (ConsoleCommand, SaveSuccess, SaveFailure, LoadSuccess, LoadFailure)

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self._asked: dict[tuple[str, int], Connection] = {}

    def on_message(self, rare: RareMessage) -> None:
        message = rare.message
        if isinstance(message, ConsoleCommand):
            self._remember(message, rare.clients)
            return
        extension = rare.extension
        if not isinstance(extension, SaveSuccess | SaveFailure | LoadSuccess | LoadFailure):
            return
        event = "save" if isinstance(extension, SaveSuccess | SaveFailure) else "load"
        save = printable(extension.save) if isinstance(extension, SaveSuccess | LoadSuccess) else None
        success = save is not None
        size = len(message.data) if isinstance(message, Extra) else 0
        connection = self._asked.pop((event, extension.team), None)
        self._add(
            rare.tick,
            connection,
            event=event,
            success=success,
            team=extension.team,
            client=None if connection is None else connection.cid,
            save_uuid=str(extension.save_uuid) if isinstance(extension, SaveSuccess | LoadSuccess) else None,
            names=None if save is None else save_players(save),
            save=save,
            bytes=size,
            cut=success and size == _CUT_SIZE and (self.header.version_minor or 0) < _FIRST_MINOR_WITHOUT_CUTS,
        )

    def _remember(self, message: ConsoleCommand, clients: ConnectionTracker) -> None:
        if message.command in ("save", "load") and command_origin(message) == "chat":
            connection = clients.current(message.cid)
            if connection is not None and connection.identity.team is not None:
                self._asked[message.command, connection.identity.team] = connection


def save_players(save: str) -> list[str]:
    """Return the names of the tees in a save text.

    The first line counts the tees in its second field; each has a line, its name first.
    """
    first, *lines = save.split("\n")
    fields = first.split("\t")
    count = int(fields[1]) if len(fields) > 1 and fields[1].isdecimal() and len(fields[1]) < 4 else 0
    return [line.split("\t")[0] for line in lines[:count] if line]
