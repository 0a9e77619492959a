"""Table ``finishes``: finishes of players and teams."""

from __future__ import annotations

from playhead.tables import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.extensions import PlayerFinish, TeamFinish
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder
from playhead.teehistorian.tables.columns import CLIENT, NAME, SESSION, TEAM, TIME, TIME_TICKS

FINISHES = TableSchema.of(
    "finishes",
    "One row for each finish as it is recorded: of every player, and of a team of two or more also one "
    "of the team. Since 18.3; older files do not say who finished.",
    TICK,
    SECONDS,
    Column("event", "category", "player or team."),
    Column(CLIENT.name, CLIENT.type, "Client id; null for a team."),
    SESSION,
    NAME,
    TEAM,
    TIME_TICKS,
    TIME,
    version=2,
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
                values = {"event": "player", "client": cid}
            case TeamFinish(team, time):
                connection = None
                values = {"event": "team"}
            case _:
                return
        values |= {"team": team, "time_ticks": time, "time": time / TICKS_PER_SECOND}
        self._add(rare.tick, connection, **values)
