"""`DeadlockReplay`: a Source 2 recording of Deadlock, with tables of facts besides the engine's tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from playhead.runtime.records import replace
from playhead.source2.game_replay import GameReplay

if TYPE_CHECKING:
    from playhead.deadlock.facts.players.world import DeadlockWorld
    from playhead.model import Player

# Modules of facts are imported in functions: a playback alone does not need them.


class DeadlockReplay(GameReplay["DeadlockWorld"]):
    """One Deadlock match: a `GameReplay`."""

    def _moment(self, tick: int) -> DeadlockWorld:
        from playhead.deadlock.facts.players.player_series import DeadlockPlayerSeries
        from playhead.deadlock.facts.players.world import DeadlockWorld

        follower, players = self._facts([DeadlockPlayerSeries])
        assert isinstance(players, DeadlockPlayerSeries)
        return DeadlockWorld(self._playback_at(tick, (follower, players)), tick, players)

    def _unfilled_reasons(self) -> Mapping[str, str]:
        """The tables of facts and columns of players that this recording cannot fill, with the missing field."""
        from playhead.deadlock.facts.players.player_series import undeclared_columns
        from playhead.deadlock.sources.unfilled import unfilled_tables

        return {
            **super()._unfilled_reasons(),
            **undeclared_columns(self.recording),
            **unfilled_tables(self.recording, complete=bool(self.info.complete)),
        }

    def _load_players(self) -> tuple[Player, ...]:
        """Return the players of the userinfo table, with hero and team of their controllers at the end."""
        from playhead.deadlock.sources.words import SIDES

        people = {person.player: person for person in self._people_at_end()}
        found = []
        for player in super()._load_players():
            person = None if player.player is None else people.get(player.player)
            if person is not None:
                side = SIDES.get(person.team or 0)
                details = {**player.details, "hero_id": person.hero_id}
                player = replace(player, team=person.team, side=side, character=person.hero, details=details)
            found.append(player)
        return tuple(found)

    def _people_at_end(self) -> list[Any]:
        follower: Any = self._facts(())[0]
        if not self._look_at_end([follower]):
            return []
        return [follower.match.people.person(controller) for controller in follower.match.people.controllers()]
