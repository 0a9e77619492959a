"""Table ``finishes``: finishes of players and teams."""

from __future__ import annotations

from playhead.tables import TableSchema
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.extensions import PlayerFinish, TeamFinish
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder

#: The DDRace team of a finish.
TEAM_NOTE = "0 is no team. Null before DDNet 15.6, which does not record it."

FINISHES = TableSchema.of(
    "finishes",
    "One row for each finish as it is recorded: of every player, and of a team of two or more also one "
    "of the team. Since 18.3; older files do not say who finished.",
    *words("tick seconds"),
    word("kind", "player or team."),
    word("client", "Null for a team."),
    *words("player name"),
    word("team", TEAM_NOTE),
    word("duration_ticks", "The time that counts, saved time included."),
    *words("duration_seconds"),
)


@TABLES.maker_of(FINISHES)
class Finishes(RowBuilder):
    """Builds table ``finishes``."""

    handles = (PlayerFinish, TeamFinish)

    def on_message(self, rare: RareMessage) -> None:
        match rare.extension:
            case PlayerFinish(cid, time):
                connection = rare.connection
                team = None if connection is None else connection.identity.team
                values = {"kind": "player", "client": cid}
            case TeamFinish(team, time):
                connection = None
                values = {"kind": "team"}
            case _:
                return
        values |= {"team": team, "duration_ticks": time, "duration_seconds": time / TICKS_PER_SECOND}
        self._add(rare.tick, connection, **values)
