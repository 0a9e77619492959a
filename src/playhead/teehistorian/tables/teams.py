"""Table ``teams``: DDRace teams, their practice and swaps."""

from __future__ import annotations

from playhead.tables import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.extensions import PlayerSwap, PlayerTeam, TeamPractice
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder
from playhead.teehistorian.tables.columns import CLIENT, NAME, SESSION

TEAMS = TableSchema.of(
    "teams",
    "One row for each change of a DDRace team. Since 15.6; swaps since 16.2.",
    TICK,
    SECONDS,
    Column(
        "event",
        "category",
        "team: `client` went from `previous_team` to `team`; practice: `team` entered or left practice; "
        "swap: `client` and `other_client` swapped places.",
    ),
    Column(CLIENT.name, CLIENT.type, "Client id; null for practice, which is about a team."),
    SESSION,
    NAME,
    Column("team", "int32", "Team after the event; 0 is no team."),
    Column("previous_team", "int32", "Team before it; null for practice."),
    Column("practice", "bool", "Whether the team is in practice from now on; null for other events."),
    Column("other_client", "int32", "Client id of the other in a swap; else null."),
    Column("other_session", "int32", "Session of the other; null where it is not known."),
    version=2,
)


@TABLES.maker_of(TEAMS)
class Teams(RowBuilder):
    """Builds table ``teams``."""

    handles = (PlayerTeam, TeamPractice, PlayerSwap)

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self._teams: dict[int, int] = {}

    def on_message(self, rare: RareMessage) -> None:
        match rare.extension:
            case PlayerTeam(cid, team):
                previous = self._teams.get(cid, 0)
                self._teams[cid] = team
                values = {"event": "team", "client": cid, "team": team, "previous_team": previous}
                self._add(rare.tick, rare.connection, **values)
            case TeamPractice(team, practice):
                self._add(rare.tick, None, event="practice", team=team, practice=bool(practice))
            case PlayerSwap(cid, other):
                team = self._teams.get(cid, 0)
                values = {"event": "swap", "client": cid, "team": team, "previous_team": team}
                swapped = rare.clients.current(other)
                values["other_session"] = None if swapped is None else swapped.number
                self._add(rare.tick, rare.connection, other_client=other, **values)
            case _:
                pass
