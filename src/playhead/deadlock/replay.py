"""`DeadlockReplay`: a Source 2 recording of Deadlock, with tables of facts besides the engine's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from playhead.runtime.records import replace
from playhead.source2.replay import Source2Replay

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.clock import Clock
    from playhead.deadlock.facts.world import DeadlockWorld
    from playhead.deadlock.sources.match import DeadlockFacts
    from playhead.events import EventSource
    from playhead.model import Player
    from playhead.presentation import Presentation
    from playhead.source2.playback.collector import Collector
    from playhead.source2.playback.playback import Playback
    from playhead.tables.registry import TableRegistry

# Modules of facts are imported in functions: a playback alone does not need them.


class DeadlockReplay(Source2Replay):
    """One Deadlock match: a `Source2Replay` with tables of facts."""

    _clock: Clock | None = None

    def _registry(self) -> TableRegistry[type[Collector]]:
        from playhead.deadlock.facts import TABLES

        return TABLES

    def _made(self, kinds: Iterable[type[Collector]], options: Mapping[str, Any]) -> list[Collector]:
        from playhead.deadlock.sources.match import DeadlockFacts

        facts = [kind for kind in kinds if issubclass(kind, DeadlockFacts)]
        made = super()._made([kind for kind in kinds if kind not in facts], options)
        return [*made, *self._facts(facts, options)] if facts else made

    def _facts(
        self, kinds: Iterable[type[DeadlockFacts]], options: Mapping[str, Any] = MappingProxyType({})
    ) -> list[Collector]:
        """Return collectors of facts, after the `DeadlockFollower` that updates their shared context."""
        from playhead.deadlock.sources.match import DeadlockFollower, DeadlockMatch

        match = DeadlockMatch(self)
        return [DeadlockFollower(match), *(kind(match, **options) for kind in kinds)]

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

    @property
    def presentation(self) -> Presentation:
        """As `Replay.presentation`."""
        from playhead.deadlock.presentation import PRESENTATION

        return PRESENTATION

    def _moment(self, tick: int) -> DeadlockWorld:
        from playhead.deadlock.facts.players import DeadlockPlayerSeries
        from playhead.deadlock.facts.world import DeadlockWorld

        follower, players = self._facts([DeadlockPlayerSeries])
        assert isinstance(players, DeadlockPlayerSeries)
        playback = self.playback(None)
        for collector in (follower, players):
            collector.attach(playback)
        playback.seek(tick)
        return DeadlockWorld(playback, tick, players)

    def at(self, when: int | float | str) -> DeadlockWorld:
        """As `Source2Replay.at`, with heroes, souls, items and positions of the players. `when` is a tick (int),
        seconds of the recording (float), or the displayed time (``"12:30"``).
        """
        with self.lock:
            return self._moment(self.tick_within(when))

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

    @property
    def recording_clock(self) -> Clock | None:
        """As `Replay.recording_clock`; unlike `clock`, it does not play the recording."""
        return self.info.clock

    def _load_players(self) -> tuple[Player, ...]:
        """Return the players of the userinfo table, with hero and team of their controllers at the end."""
        from playhead.deadlock.sources.people import SIDES

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
        last = self.frames.highest_tick()
        if last is None or last < 0 or not self.send_tables or not self.class_names:
            return []
        from playhead.deadlock.sources.match import DeadlockFollower
        from playhead.source2.playback.recording import raise_problem

        (follower,) = self._facts([])
        assert isinstance(follower, DeadlockFollower)
        # `problems` finds damage in the whole file; a playback that starts elsewhere may not meet it.
        on_problem = raise_problem if self.options.strict else lambda _error, _cost: None
        self._playback_for([follower], on_problem=on_problem).seek(last)
        return [follower.match.people.person(controller) for controller in follower.match.people.controllers()]

    def _play(
        self, collectors: Sequence[Collector], *, check: bool = False, playback: Playback | None = None
    ) -> None:
        from playhead.deadlock.sources.match import DeadlockFollower

        super()._play(collectors, check=check, playback=playback)
        for collector in collectors:
            if self._clock is None and isinstance(collector, DeadlockFollower):
                self._clock = collector.match.clock.displayed_clock()
