"""Table ``teams``: DDRace teams, their practice and swaps."""

from __future__ import annotations

from playhead.tables import Column, TableSchema
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.extensions import PlayerSwap, PlayerTeam, TeamPractice
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder

TEAMS = TableSchema.of(
    "teams",
    "One row for each change of a DDRace team. Since 15.6; swaps since 16.2.",
    *words("tick seconds"),
    word(
        "event",
        "team: `client` went from `previous_team` to `team`; practice: `team` entered or left practice; "
        "swap: `client` and `target_client` swapped places.",
    ),
    word("client", "Null for practice, which is about a team."),
    *words("player name"),
    word("team", "The one after the event; 0 is no team."),
    Column("previous_team", "int32", "Team before it; null for practice."),
    word("practice", "From now on; null for other events."),
    word("target_client", "The other in a swap; else null."),
    *words("target_player"),
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
                values["target_player"] = None if swapped is None else swapped.number
                self._add(rare.tick, rare.connection, target_client=other, **values)
            case _:
                pass
