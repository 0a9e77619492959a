"""`CounterRises`: when a counter of a player in the data of the teams rose, and by how much."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from playhead.dota2.sources.entities import whole
from playhead.dota2.sources.roster import TEAM_DATA, TEAM_ROW, Roster
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldSlots, FieldWatch
from playhead.source2.playback.playback import Playback

# Rows of players in the data of a team.
_ROWS = 24


class Rise(NamedTuple):
    """One rise of a counter."""

    tick: int
    team: int
    row: int
    amount: int


class CounterRises:
    """Collects the rises of one counter; a collector declares its field with `team_fields`.

    Args:
        playback: the playback.
        field: name of the counter, without the row of the player.
        on_rise: called with each rise.

    Attributes:
        rises: the rises so far.
    """

    def __init__(self, playback: Playback, field: str, on_rise: Callable[[Rise], None] | None = None) -> None:
        self._playback = playback
        names = [TEAM_ROW.format(row) + field for row in range(_ROWS)]
        self._slots = FieldSlots(names)
        self._on_rise = on_rise
        # A counter that was not sent yet is 0.
        self._known = {team: [0] * _ROWS for team in TEAM_DATA}
        self.rises: list[Rise] = []
        for team, name in TEAM_DATA.items():
            watch = FieldWatch(names, self._handler(team))
            playback.entities.on_entity(watch, name, EntityOp.CREATED | EntityOp.UPDATED)

    def _handler(self, team: int) -> Callable[[Entity, EntityOp], None]:
        def on_data(entity: Entity, op: EntityOp) -> None:
            known = self._known[team]
            for row, (value, before) in enumerate(zip(self._slots.values(entity), known, strict=True)):
                if value is None or value == before or (now := whole(value)) is None:
                    continue
                known[row] = now
                if now > before and not op & EntityOp.CREATED:
                    rise = Rise(self._playback.tick, team, row, now - before)
                    self.rises.append(rise)
                    if self._on_rise is not None:
                        self._on_rise(rise)

        return on_data

    def near(self, tick: int, within: int, roster: Roster, player: int | None = None) -> Rise | None:
        """Return the rise nearest to a tick, at most `within` ticks away; only of a player, if one is given."""
        rows = {(seat.team, seat.row) for seat in roster.seats if player in (None, seat.player)}
        fitting = [
            rise for rise in self.rises if abs(rise.tick - tick) <= within and (rise.team, rise.row) in rows
        ]
        return min(fitting, key=lambda rise: abs(rise.tick - tick), default=None)
