"""Tables ``teams`` and ``saves``: DDRace teams, and what they put aside and took up again."""

from __future__ import annotations

from playhead.tables import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK
from playhead.teehistorian.state.connections import Connection, ConnectionTracker
from playhead.teehistorian.stream.extensions import (
    LoadFailure,
    LoadSuccess,
    PlayerSwap,
    PlayerTeam,
    SaveFailure,
    SaveSuccess,
    TeamPractice,
)
from playhead.teehistorian.stream.messages import ConsoleCommand, Extra
from playhead.teehistorian.stream.text import printable
from playhead.teehistorian.tables.collector import Collector, Happening
from playhead.teehistorian.tables.columns import CLIENT, NAME
from playhead.teehistorian.tables.commands import command_source

#: What fits the packer of servers before version_minor 9; a text that does not fit is cut there.
_CUT_SIZE = 2048
_FIRST_MINOR_WITHOUT_CUTS = 9


class Teams(Collector):
    """Makes table ``teams``."""

    takes = (PlayerTeam, TeamPractice, PlayerSwap)
    schema = TableSchema(
        name="teams",
        version=1,
        doc="One row for each change of a DDRace team. Since 15.6; swaps since 16.2.",
        columns=(
            TICK,
            SECONDS,
            Column(
                "event",
                "category",
                "team: `client` went from `previous_team` to `team`; practice: `team` entered or left practice; "
                "swap: `client` and `other_client` swapped places.",
            ),
            Column(CLIENT.name, CLIENT.type, "Client id; null for practice, which is about a team."),
            NAME,
            Column("team", "int32", "Team after the event; 0 is no team."),
            Column("previous_team", "int32", "Team before it; null for practice."),
            Column("practice", "bool", "Whether the team is in practice from now on; null for other events."),
            Column("other_client", "int32", "Client id of the other in a swap; else null."),
        ),
    )

    def __init__(self, version_minor: int | None) -> None:
        super().__init__(version_minor)
        self._teams: dict[int, int] = {}

    def take(self, happening: Happening) -> None:
        current = happening.clients.current
        match happening.extension:
            case PlayerTeam(cid, team):
                previous = self._teams.get(cid, 0)
                self._teams[cid] = team
                values = {"event": "team", "client": cid, "team": team, "previous_team": previous}
                self._add(happening.tick, current(cid), **values)
            case TeamPractice(team, practice):
                self._add(happening.tick, None, event="practice", team=team, practice=bool(practice))
            case PlayerSwap(cid, other):
                team = self._teams.get(cid, 0)
                values = {"event": "swap", "client": cid, "team": team, "previous_team": team}
                self._add(happening.tick, current(cid), other_client=other, **values)
            case _:
                pass


class Saves(Collector):
    """Makes table ``saves``."""

    takes = (ConsoleCommand, SaveSuccess, SaveFailure, LoadSuccess, LoadFailure)
    schema = TableSchema(
        name="saves",
        version=1,
        doc="One row for each save and load of a team, also failed ones. A failed save is not always recorded: "
        "one that the server refuses at once (no team, run not started) leaves only its command. Since 14.0.2.",
        columns=(
            TICK,
            SECONDS,
            Column("event", "category", "save or load."),
            Column("success", "bool", "Whether it worked."),
            Column("team", "int32", "DDRace team."),
            Column(
                CLIENT.name,
                CLIENT.type,
                "Who asked for it: the last member of that team who used /save or /load before. Deduced; null "
                "where that finds nobody.",
            ),
            NAME,
            Column("save_id", "string", "UUID of the save; null for a failure."),
            Column("players", "list<string>", "Names in the save text, as far as it goes; null for a failure."),
            Column("save", "string", "The save text: lines of numbers, one for the team and one a tee."),
            Column("bytes", "int32", "Length of the whole payload.", "bytes"),
            Column(
                "cut",
                "bool",
                "Servers before version_minor 9 cut a payload at 2048 bytes; one of exactly that size is "
                "incomplete.",
            ),
        ),
    )

    def __init__(self, version_minor: int | None) -> None:
        super().__init__(version_minor)
        self._asked: dict[tuple[str, int], Connection] = {}

    def take(self, happening: Happening) -> None:
        message = happening.message
        if isinstance(message, ConsoleCommand):
            self._remember(message, happening.clients)
            return
        extension = happening.extension
        if not isinstance(extension, SaveSuccess | SaveFailure | LoadSuccess | LoadFailure):
            return
        event = "save" if isinstance(extension, SaveSuccess | SaveFailure) else "load"
        save = printable(extension.save) if isinstance(extension, SaveSuccess | LoadSuccess) else None
        success = save is not None
        size = len(message.data) if isinstance(message, Extra) else 0
        connection = self._asked.pop((event, extension.team), None)
        self._add(
            happening.tick,
            connection,
            event=event,
            success=success,
            team=extension.team,
            client=None if connection is None else connection.cid,
            save_id=str(extension.save_id) if isinstance(extension, SaveSuccess | LoadSuccess) else None,
            players=None if save is None else save_players(save),
            save=save,
            bytes=size,
            cut=success and size == _CUT_SIZE and (self._version_minor or 0) < _FIRST_MINOR_WITHOUT_CUTS,
        )

    def _remember(self, message: ConsoleCommand, clients: ConnectionTracker) -> None:
        if message.command in ("save", "load") and command_source(message) == "chat":
            connection = clients.current(message.cid)
            if connection is not None and connection.identity.team is not None:
                self._asked[message.command, connection.identity.team] = connection


def save_players(save: str) -> list[str]:
    """Names of the tees in a save text: the first field of as many lines as the second field of the first says."""
    first, *lines = save.split("\n")
    fields = first.split("\t")
    count = int(fields[1]) if len(fields) > 1 and fields[1].isdecimal() and len(fields[1]) < 4 else 0
    return [line.split("\t")[0] for line in lines[:count] if line]
