"""`DeadlockWorld`: the state of a match, with its players and clock, at one tick."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from playhead.clock import Clock
from playhead.deadlock.facts.player_series import DeadlockPlayerSeries
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.world import World

# Columns of table ``player_series`` that are resources.
_RESOURCES = ("souls", "spent_souls", "ability_points", "net_worth", "ability_points_earned")


class DeadlockWorld(World):
    """The state of a match: as `World`, with the heroes, the souls and the clock of the game."""

    def __init__(
        self, playback: Playback, tick: int, players: DeadlockPlayerSeries, clock: Callable[[], Clock | None]
    ) -> None:
        """`players` is attached to the playback; `clock` returns the clock of the whole recording."""
        super().__init__(playback, tick, None, lambda: ())
        self._series = players
        self._whole_clock = clock

    @property
    def clock(self) -> Clock | None:
        """The game's clock, from the state up to this tick. Before 0:00 the state has no time: there it is the
        clock of the whole recording, which the first access plays.
        """
        match = self._series.match
        match.catch_up()
        shown = match.displayed_clock
        return shown if shown is not None and shown.stretches else self._whole_clock()

    @property
    def players(self) -> Sequence[Mapping[str, Any]]:
        """The players with hero, health, souls, score, items and position, as in table ``player_series``."""
        match = self._series.match
        match.catch_up()
        names = {player.player: player.name for player in match.replay.players}
        first = dict.fromkeys(("player", "name", "team", "side"))
        return [first | row | {"name": names.get(row["player"])} for row in self._series.present(self.tick)]

    @property
    def resources(self) -> Mapping[int, Mapping[str, Any]]:
        """Souls, ability points and net worth of each player, as in table ``player_series``."""
        return {row["player"]: {name: row[name] for name in _RESOURCES} for row in self.players}
