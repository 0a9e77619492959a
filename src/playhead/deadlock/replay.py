"""`DeadlockReplay`: a Source 2 recording of Deadlock, with tables of facts besides the engine's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from playhead.replay import one_moment
from playhead.runtime.records import replace
from playhead.source2.game_replay import GameReplay

if TYPE_CHECKING:
    from playhead.clock import Clock
    from playhead.deadlock.facts.players.world import DeadlockWorld
    from playhead.deadlock.sources.match import DeadlockFacts
    from playhead.events import EventSource
    from playhead.model import Player
    from playhead.presentation import Presentation
    from playhead.source2.playback.collector import Collector
    from playhead.source2.playback.playback import Playback
    from playhead.tables.registry import TableRegistry

# Modules of facts are imported in functions: a playback alone does not need them.


class DeadlockReplay(GameReplay):
    """One Deadlock match: a `GameReplay`."""

    _clock: Clock | None = None

    def _registry(self) -> TableRegistry[type[Collector]]:
        from playhead.deadlock.facts import TABLES

        return TABLES

    def _facts(
        self, kinds: Iterable[type[DeadlockFacts]], options: Mapping[str, Any] = MappingProxyType({})
    ) -> list[Collector]:
        """Return collectors of facts, after the `DeadlockFollower` that updates their shared context."""
        from playhead.deadlock.sources.match import DeadlockFollower, DeadlockMatch

        match = DeadlockMatch(self)
        return [DeadlockFollower(match), *(kind(match, **options) for kind in kinds)]

    @property
    def presentation(self) -> Presentation:
        """As `Replay.presentation`."""
        from playhead.deadlock.presentation import PRESENTATION

        return PRESENTATION

    def _moment(self, tick: int) -> DeadlockWorld:
        from playhead.deadlock.facts.players.player_series import DeadlockPlayerSeries
        from playhead.deadlock.facts.players.world import DeadlockWorld

        follower, players = self._facts([DeadlockPlayerSeries])
        assert isinstance(players, DeadlockPlayerSeries)
        return DeadlockWorld(self._playback_at(tick, (follower, players)), tick, players)

    def at(self, when: int | float | str | None = None, *, seconds: float | None = None) -> DeadlockWorld:
        """As `Source2Replay.at`, with heroes, souls, items and positions of the players. `when` is a tick (int),
        seconds of the recording (float), or the displayed time (``"12:30"``).
        """
        with self.lock:
            return self._moment(self.tick_within(one_moment(when, seconds)))

    def _unfilled_reasons(self) -> Mapping[str, str]:
        """The tables of facts that this recording cannot fill or fills in part, each with the missing field."""
        from playhead.deadlock.sources.unfilled import unfilled_tables

        return unfilled_tables(self.recording, complete=bool(self.info.complete))

    def _event_sources(self) -> Sequence[EventSource]:
        from playhead.deadlock.events import SOURCES

        return (*super()._event_sources(), *SOURCES)

    @property
    def clock(self) -> Clock | None:
        """As `Replay.clock`: the displayed time is 0:00 when the barriers drop, negative before, and stops in
        pauses. The first access plays the recording, unless a table of facts was built before.
        """
        with self.lock:
            if self._clock is None and self.info.clock is not None:
                self._play(self._facts([]))
            return self._clock

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
        from playhead.deadlock.sources.match import DeadlockFollower

        (follower,) = self._facts([])
        assert isinstance(follower, DeadlockFollower)
        if not self._look_at_end([follower]):
            return []
        return [follower.match.people.person(controller) for controller in follower.match.people.controllers()]

    def _play(
        self, collectors: Sequence[Collector], *, check: bool = False, playback: Playback | None = None
    ) -> None:
        from playhead.deadlock.sources.match import DeadlockFollower

        super()._play(collectors, check=check, playback=playback)
        for collector in collectors:
            if self._clock is None and isinstance(collector, DeadlockFollower):
                self._clock = collector.match.clock.displayed_clock()
