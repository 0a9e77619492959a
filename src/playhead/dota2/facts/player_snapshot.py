"""`PlayerSnapshot`: the players of a match at one tick."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from playhead.dota2.facts.player_stats import PlayerStats
from playhead.dota2.sources.entities import POSITION_FIELDS, integer, position
from playhead.dota2.sources.game_clock import displayed
from playhead.dota2.sources.roster import with_fields
from playhead.model import Moment

_HERO = {"health": "m_iHealth", "max_health": "m_iMaxHealth"}
_LIFE_STATE = "m_lifeState"
_SHOWN = (
    "player",
    "name",
    "side",
    "hero",
    "level",
    "kills",
    "deaths",
    "assists",
    "last_hits",
    "denies",
    "net_worth",
)


class PlayerSnapshot(PlayerStats):
    """As `PlayerStats`, with health, position and life state of the heroes' entities."""

    fields = with_fields(
        PlayerStats.fields, {"CDOTA_Unit_Hero_*": (*_HERO.values(), _LIFE_STATE, *POSITION_FIELDS)}
    )

    def moment(self, tick: int) -> Moment:
        """Return the players as they are now, which is at `tick`."""
        seconds = self.match.game_seconds(tick)
        facts = {"game_seconds": seconds, "displayed": displayed(seconds)}
        return Moment(tick, self.match.seconds(tick), facts, {"players": list(self._players())})

    def _players(self) -> Iterator[Mapping[str, Any]]:
        names = {player.player: player.name for player in self.match.replay.players}
        for seat, row in zip(self._roster.seats, self.rows(), strict=True):
            hero = self._roster.hero(seat)
            x, y = (None, None) if hero is None else position(hero)
            state = None if hero is None else integer(hero, _LIFE_STATE)
            yield {
                **{name: row.get(name) for name in _SHOWN},
                "name": names.get(seat.player) or row["name"],
                "alive": None if state is None else state == 0,
                **{name: None if hero is None else integer(hero, field) for name, field in _HERO.items()},
                "x": None if x is None else round(x, 1),
                "y": None if y is None else round(y, 1),
                "items": row.get("items", []),
            }
