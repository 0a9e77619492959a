"""`DeadlockReplay`: a Source 2 recording of Deadlock, with tables of facts besides the engine's tables."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.runtime.cached import cached_property
from playhead.runtime.records import replace
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.game_replay import GameReplay

if TYPE_CHECKING:
    from playhead.deadlock.sources.match import DeadlockWorld
    from playhead.model import Info, Player

# Modules of facts are imported in functions: a playback alone does not need them.


class DeadlockReplay(GameReplay["DeadlockWorld"]):
    """One Deadlock match: a `GameReplay`."""

    checks_lives = True

    def _moment(self, tick: int) -> DeadlockWorld:
        from playhead.deadlock.facts.player_series import DeadlockPlayerSeries
        from playhead.deadlock.sources.match import DeadlockWorld

        follower, players = self._facts([DeadlockPlayerSeries])
        assert isinstance(players, DeadlockPlayerSeries)
        playback = self._playback_at(tick, (follower, players))
        return DeadlockWorld(playback, tick, players.match, players.present, lambda: self.clock)

    def _unfilled_reasons(self) -> Mapping[str, str]:
        """The tables of facts and columns of players that this recording cannot fill, with the missing field."""
        from playhead.deadlock.facts.player_series import undeclared_columns
        from playhead.deadlock.sources.unfilled import NULL_REASONS, unfilled_tables
        from playhead.source2.tables.info import UNDECIDED

        return {
            **super()._unfilled_reasons(),
            **UNDECIDED,
            **NULL_REASONS,
            **undeclared_columns(self.recording),
            **unfilled_tables(self.recording, complete=bool(self.brief_info.complete)),
        }

    def _load_info(self) -> Info:
        """As `brief_info`, with the winner: message GameOver, looked for from the last full packet on, then in the
        whole recording.
        """
        from playhead.deadlock.sources.words import SIDES

        winner = self._winner
        return replace(super()._load_info(), winner_team=winner, winner_side=SIDES.get(winner or 0))

    @cached_property
    def _winner(self) -> int | None:
        return self._read_or_note(
            "the winner", self._find_winner, lambda: None, "the winner and results of players"
        )

    def _find_winner(self) -> int | None:
        from playhead.deadlock.facts.match import MATCH, DeadlockMatchFacts
        from playhead.deadlock.sources.people import TEAMS

        winner = None
        built = self.tables_so_far.get(MATCH.name)
        if built is None and self.source.stream is None:
            follower, facts = self._facts([DeadlockMatchFacts])
            assert isinstance(facts, DeadlockMatchFacts)
            if self._look_at_end([follower, facts]):
                winner = facts.winner
                if winner is None:
                    follower, facts = self._facts([DeadlockMatchFacts])
                    assert isinstance(facts, DeadlockMatchFacts)
                    self.play_for([follower, facts])
                    winner = facts.winner
        for row in () if built is None else built.to_pylist():
            winner = row["winner_team"]
        return winner if winner in TEAMS else None

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
                if self._winner is not None and side is not None:
                    player = replace(player, result="win" if person.team == self._winner else "loss")
            found.append(player)
        return tuple(found)

    def _named_players(self) -> tuple[Player, ...]:
        """Return those of the userinfo table: their results may need a second pass over the recording."""
        return super()._load_players()

    def _people_at_end(self) -> list[Any]:
        follower: Any = self._facts(())[0]
        if not self._look_at_end([follower]):
            return []
        return [follower.match.people.person(controller) for controller in follower.match.people.controllers()]
