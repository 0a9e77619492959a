"""`HeroPlaces`: where the players' heroes are, each second; collectors share it."""

from __future__ import annotations

from typing import Any

from playhead.dota2.sources.entities import POSITION_FIELDS, coordinate
from playhead.dota2.sources.match import Dota2Match
from playhead.source2.entities.watching import FieldSlots
from playhead.source2.playback.playback import Playback


class HeroPlaces:
    """Samples the heroes of all players.

    Create it with `of`; its collector declares `POSITION_FIELDS` of the heroes, and calls `on_sample` of `sampler`
    afterwards.

    Attributes:
        now: values of `POSITION_FIELDS` at the current sample, by player; a new object for each sample.
    """

    def __init__(self, match: Dota2Match, playback: Playback) -> None:
        self._roster = match.roster(playback)
        self._slots = FieldSlots(POSITION_FIELDS)
        self.now: dict[int, list[Any]] = {}
        self.sampler = match.sampler(playback, match.interval("1s"))
        self.sampler.on_sample(self._on_sample)

    @staticmethod
    def of(match: Dota2Match, playback: Playback) -> HeroPlaces:
        """Return the one of a match."""
        return match.shared("hero_places", lambda: HeroPlaces(match, playback))

    def _on_sample(self, _tick: int) -> None:
        values = self._slots.values
        self.now = {
            place.seat.player: values(place.hero) for place in self._roster.lineup if place.hero is not None
        }


def place_of(values: list[Any]) -> tuple[float, float] | None:
    """Return the world coordinates of a sample; None if unknown."""
    cell_x, cell_y, offset_x, offset_y = values
    x, y = coordinate(cell_x, offset_x), coordinate(cell_y, offset_y)
    return None if x is None or y is None else (x, y)
