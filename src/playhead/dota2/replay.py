"""`Dota2Replay`: a Source 2 demo of Dota 2, with tables of facts besides the engine's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from playhead.source2.replay import Source2Replay

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.clock import Clock
    from playhead.dota2.facts.players.player_snapshot import MatchWorld
    from playhead.dota2.sources.match import FactCollector
    from playhead.events import EventSource
    from playhead.model import Player
    from playhead.presentation import Presentation
    from playhead.source2.playback.collector import Collector
    from playhead.source2.playback.playback import Playback
    from playhead.tables.registry import TableRegistry

# Modules of facts are imported in functions: a playback alone does not need them.


class Dota2Replay(Source2Replay):
    """One Dota 2 match: a `Source2Replay` with tables of facts."""

    _clock: Clock | None = None

    def _registry(self) -> TableRegistry[type[Collector]]:
        from playhead.dota2.facts import TABLES

        return TABLES

    def _made(self, kinds: Iterable[type[Collector]], options: Mapping[str, Any]) -> list[Collector]:
        from playhead.dota2.sources.match import FactCollector

        facts = [kind for kind in kinds if issubclass(kind, FactCollector)]
        made = super()._made([kind for kind in kinds if kind not in facts], options)
        return [*made, *self._facts(facts, options)] if facts else made

    def _facts(
        self, kinds: Iterable[type[FactCollector]], options: Mapping[str, Any] = MappingProxyType({})
    ) -> list[Collector]:
        """Return collectors of facts, after the `MatchFollower` that updates their shared context."""
        from playhead.dota2.sources.match import MatchContext, MatchFollower

        match = MatchContext(self)
        made = [kind(match, **options) for kind in kinds]
        return [MatchFollower(match, made), *made]

    def table(self, name: str, *, columns: Iterable[str] | None = None, **options: Any) -> pa.Table:
        """As `Replay.table`. Some tables of facts have options, such as ``every="10s"``; the documentation of the
        table lists them. A table with options is not cached.

        Raises:
            KeyError: this replay has no such table.
            TypeError: the table has no such option.
            ValueError: the option has an invalid value.
        """
        kind = self._registry().own().get(name)
        if kind is None or not options:
            return super().table(name, columns=columns, **options)
        odd = options.keys() - set(kind.options)
        if odd:
            known = ", ".join(kind.options) or "none"
            raise TypeError(f"table {name} has no option {sorted(odd)[0]!r}; its options are: {known}")
        table = self._collect([kind], options)[name]
        return table if columns is None else table.select(list(columns))

    def _collect(
        self,
        kinds: Iterable[type[Collector]],
        options: Mapping[str, Any],
        more: Iterable[Collector] = (),
        *,
        check: bool = False,
        wanted: frozenset[str] | None = None,
        playback: Playback | None = None,
    ) -> dict[str, pa.Table]:
        from playhead.tables.shared import CHAT

        built = super()._collect(kinds, options, more, check=check, wanted=wanted, playback=playback)
        if CHAT.name in built:
            built[CHAT.name] = self._with_names(built[CHAT.name])
        return built

    def _with_names(self, chat: pa.Table) -> pa.Table:
        """Fill the names in table ``chat``: Dota's own messages contain only the player's number."""
        from playhead.tables.shared import CHAT

        rows = chat.to_pylist()
        if all(row["name"] is not None or row["player"] is None for row in rows):
            return chat
        names = {player.player: player.name for player in self.players}
        return CHAT.build_rows([{**row, "name": row["name"] or names.get(row["player"])} for row in rows])

    @property
    def presentation(self) -> Presentation:
        """As `Replay.presentation`."""
        from playhead.dota2.presentation import PRESENTATION

        return PRESENTATION

    def _moment(self, tick: int) -> MatchWorld:
        from playhead.dota2.facts.players.player_snapshot import MatchWorld, PlayerSnapshot

        follower, snapshot = self._facts([PlayerSnapshot])
        assert isinstance(snapshot, PlayerSnapshot)
        playback = self.playback(None)
        for collector in (follower, snapshot):
            collector.attach(playback)
        playback.seek(tick)
        return MatchWorld(playback, tick, snapshot)

    def at(self, when: int | float | str) -> MatchWorld:
        """As `Source2Replay.at`, with the heroes, gold, items and positions of the players. `when` is a tick
        (int), seconds of the recording (float), or the displayed time (``"12:30"``).
        """
        with self.lock:
            return self._moment(self.tick_within(when))

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
                from playhead.dota2.facts.match.clock_tables import ClockTables

                self._play(self._facts([ClockTables]))
            return self._clock

    @property
    def recording_clock(self) -> Clock | None:
        """As `Replay.recording_clock`; unlike `clock`, it does not play the recording."""
        return self.info.clock

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
        last = self.frames.highest_tick()
        if last is None or last < 0 or not self.send_tables or not self.class_names:
            return ()
        from playhead.dota2.facts.players.player_stats import PlayerStats, player_of

        follower, stats = self._facts([PlayerStats])
        assert isinstance(stats, PlayerStats)
        self._look_at(last, [follower, stats])
        return tuple(player_of(row) for row in stats.rows())

    def _look_at(self, tick: int, collectors: Sequence[Collector]) -> None:
        """Play to a tick for the collectors. Ignore damage on the way: `problems` finds it in the whole file, and
        playbacks that start elsewhere may not meet it.
        """
        from playhead.source2.playback.recording import raise_problem

        on_problem = raise_problem if self.options.strict else lambda _error, _cost: None
        self._playback_for(collectors, on_problem=on_problem).seek(tick)

    def _play(
        self, collectors: Sequence[Collector], *, check: bool = False, playback: Playback | None = None
    ) -> None:
        from playhead.dota2.sources.match import MatchFollower

        super()._play(collectors, check=check, playback=playback)
        for collector in collectors:
            if self._clock is None and isinstance(collector, MatchFollower) and collector.follows_clock:
                self._clock = collector.match.clock.displayed_clock()
