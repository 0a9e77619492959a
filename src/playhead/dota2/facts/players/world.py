"""`MatchWorld`: the state of a match, with its players and clock, at one tick."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from playhead.clock import Clock
from playhead.dota2.facts.players.player_stats import PlayerStats
from playhead.dota2.sources.entities import POSITION_FIELDS, integer, position
from playhead.dota2.sources.roster import with_fields
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.world import World

_HERO = {"health": "m_iHealth", "max_health": "m_iMaxHealth"}
_LIFE_STATE = "m_lifeState"
_SHOWN = ("level", "kills", "deaths", "assists", "last_hits", "denies")
# Columns of table ``player_stats`` that are resources.
_RESOURCES = ("net_worth", "gold_reliable", "gold_unreliable", "gold_earned", "xp")


class PlayerSnapshot(PlayerStats):
    """As `PlayerStats`, with health, position and life state of the heroes' entities."""

    fields = with_fields(
        PlayerStats.fields, {"CDOTA_Unit_Hero_*": (*_HERO.values(), _LIFE_STATE, *POSITION_FIELDS)}
    )

    def players(self) -> Iterator[Mapping[str, Any]]:
        """Return the present state of the players, by number."""
        names = {player.player: player.name for player in self.match.replay.players}
        for seat, row in zip(self._roster.seats, self.rows(), strict=True):
            hero = self._roster.hero(seat)
            x, y = (None, None) if hero is None else position(hero)
            state = None if hero is None else integer(hero, _LIFE_STATE)
            yield {
                "player": seat.player,
                "name": names.get(seat.player) or row["name"],
                "team": seat.team,
                "side": row.get("side"),
                "hero": row.get("hero"),
                **{name: row.get(name) for name in (*_SHOWN, *_RESOURCES)},
                "alive": None if state is None else state == 0,
                **{name: None if hero is None else integer(hero, field) for name, field in _HERO.items()},
                "x": x,
                "y": y,
                "items": row.get("items", []),
            }


class MatchWorld(World):
    """The state of a match: as `World`, with the heroes, the gold and the clock of the game."""

    def __init__(self, playback: Playback, tick: int, snapshot: PlayerSnapshot) -> None:
        """`snapshot` is attached to the playback."""
        super().__init__(playback, tick, None, lambda: ())
        self._snapshot = snapshot

    @property
    def clock(self) -> Clock | None:
        """The game's clock, from the state up to this tick; reading it does not play the recording."""
        match = self._snapshot.match
        match.clock.catch_up()
        return match.displayed_clock

    @property
    def players(self) -> Sequence[Mapping[str, Any]]:
        """The players with hero, level, score, gold, position and items."""
        return list(self._snapshot.players())

    @property
    def resources(self) -> Mapping[int, Mapping[str, Any]]:
        """Gold and experience of each player, as in table ``player_stats``."""
        return {row["player"]: {name: row[name] for name in _RESOURCES} for row in self.players}
