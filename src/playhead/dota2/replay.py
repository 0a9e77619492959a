"""`Dota2Replay`: a Source 2 demo of Dota 2, with tables of facts besides the engine's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from playhead.replay import one_moment
from playhead.source2.game_replay import GameReplay

if TYPE_CHECKING:
    from playhead.clock import Clock
    from playhead.dota2.facts.players.world import MatchWorld
    from playhead.dota2.sources.match import FactCollector
    from playhead.events import EventSource
    from playhead.export.documents import Document
    from playhead.model import Player
    from playhead.presentation import Presentation
    from playhead.source2.playback.collector import Collector
    from playhead.source2.playback.playback import Playback
    from playhead.tables.registry import TableRegistry

# Modules of facts are imported in functions: a playback alone does not need them.


class Dota2Replay(GameReplay):
    """One Dota 2 match: a `GameReplay`."""

    _clock: Clock | None = None

    def _registry(self) -> TableRegistry[type[Collector]]:
        from playhead.dota2.facts import TABLES

        return TABLES

    def _facts(
        self, kinds: Iterable[type[FactCollector]], options: Mapping[str, Any] = MappingProxyType({})
    ) -> list[Collector]:
        """Return collectors of facts, after the `MatchFollower` that updates their shared context."""
        from playhead.dota2.sources.match import MatchContext, MatchFollower

        match = MatchContext(self)
        made = [kind(match, **options) for kind in kinds]
        return [MatchFollower(match, made), *made]

    @property
    def presentation(self) -> Presentation:
        """As `Replay.presentation`."""
        from playhead.dota2.presentation import PRESENTATION

        return PRESENTATION

    @property
    def documents(self) -> Mapping[str, Document]:
        """As `Replay.documents`: ``opendota``."""
        from playhead.dota2.opendota import OPENDOTA

        return {"opendota": OPENDOTA}

    def _collect(
        self, kinds: Iterable[type[Collector]], options: Mapping[str, Any], *queries: Any, **more: Any
    ) -> dict[str, Any]:
        if options.get("clock") != "game":
            return super()._collect(kinds, options, *queries, **more)
        with self._sharing(1):  # its samples need the clock from the start
            return super()._collect(kinds, options, *queries, **more)

    def _moment(self, tick: int) -> MatchWorld:
        from playhead.dota2.facts.players.world import MatchWorld, PlayerSnapshot

        follower, snapshot = self._facts([PlayerSnapshot])
        assert isinstance(snapshot, PlayerSnapshot)
        return MatchWorld(self._playback_at(tick, (follower, snapshot)), tick, snapshot)

    def at(self, when: int | float | str | None = None, *, seconds: float | None = None) -> MatchWorld:
        """As `Source2Replay.at`, with the heroes, gold, items and positions of the players. `when` is a tick
        (int), seconds of the recording (float), or the displayed time (``"12:30"``).
        """
        with self.lock:
            return self._moment(self.tick_within(one_moment(when, seconds)))

    def _event_sources(self) -> Sequence[EventSource]:
        from playhead.dota2.events import SOURCES

        return (*super()._event_sources(), *SOURCES)

    @property
    def clock(self) -> Clock | None:
        """As `Replay.clock`: the displayed time is 0:00 at the horn, negative before it, and stops in pauses. The
        first access plays the recording, unless a table with ``game_seconds`` was built before.
        """
        with self.lock:
            if self._clock is None and self.info.clock is not None:
                from playhead.dota2.facts.match.periods import GamePeriods

                self._play(self._facts([GamePeriods]))
            return self._clock

    def _load_players(self) -> tuple[Player, ...]:
        """Return the players that FileInfo lists. Without FileInfo, return those of the entities at the end of the
        recording: the userinfo table has no teams, and includes observers.
        """
        if not self.recording.match_info.get("player_info"):
            found = self._players_of_state()
            if found:
                return found
        return super()._load_players()

    def _players_of_state(self) -> tuple[Player, ...]:
        from playhead.dota2.facts.players.player_stats import PlayerStats, player_of

        follower, stats = self._facts([PlayerStats])
        assert isinstance(stats, PlayerStats)
        return tuple(map(player_of, stats.rows())) if self._look_at_end([follower, stats]) else ()

    def _play(
        self, collectors: Sequence[Collector], *, check: bool = False, playback: Playback | None = None
    ) -> None:
        from playhead.dota2.sources.match import MatchFollower

        super()._play(collectors, check=check, playback=playback)
        for collector in collectors:
            if self._clock is None and isinstance(collector, MatchFollower) and collector.follows_clock:
                self._clock = collector.match.clock.displayed_clock()
