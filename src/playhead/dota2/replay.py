"""`Dota2Replay`: a Source 2 demo of Dota 2, with the facts of the match beside the engine's tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from typing import TYPE_CHECKING, Any

from playhead.clock import Clock
from playhead.dota2.events import SOURCES
from playhead.dota2.facts.bosses import Bosses
from playhead.dota2.facts.buildings import Buildings
from playhead.dota2.facts.clock_tables import ClockTables
from playhead.dota2.facts.combat_log import CombatLog
from playhead.dota2.facts.counters import Counters
from playhead.dota2.facts.draft import Draft
from playhead.dota2.facts.effects import Particles, Sounds, TempEntities
from playhead.dota2.facts.fights import Fights
from playhead.dota2.facts.inventory import Inventory
from playhead.dota2.facts.match_facts import MatchFacts
from playhead.dota2.facts.modifiers import Modifiers
from playhead.dota2.facts.objectives import Objectives
from playhead.dota2.facts.orders import Orders
from playhead.dota2.facts.player_snapshot import PlayerSnapshot
from playhead.dota2.facts.player_stats import PlayerStats, player_of
from playhead.dota2.facts.positions import Positions
from playhead.dota2.facts.runes import Runes
from playhead.dota2.facts.signals import Signals
from playhead.dota2.facts.smokes import Smokes
from playhead.dota2.facts.time_series import TimeSeries
from playhead.dota2.facts.voice import Voice
from playhead.dota2.facts.wards import Wards
from playhead.dota2.sources.game_clock import CLOCK_FIELDS
from playhead.dota2.sources.match import Match
from playhead.errors import ReplayError
from playhead.events import EventSource
from playhead.model import Economy, Moment, Player, Presentation
from playhead.source2.entities.handlers import class_matches
from playhead.source2.playback.collector import Collector
from playhead.source2.playback.playback import Playback
from playhead.source2.replay import Source2Replay
from playhead.source2.schema.patches import aliases_of
from playhead.tables.schema import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

_WILD = frozenset("*?[")

#: Every group of facts.
COLLECTORS: tuple[type[Collector], ...] = (
    MatchFacts,
    PlayerStats,
    Draft,
    ClockTables,
    CombatLog,
    Signals,
    Orders,
    Voice,
    Sounds,
    Particles,
    TempEntities,
    TimeSeries,
    Inventory,
    Positions,
    Buildings,
    Bosses,
    Objectives,
    Runes,
    Wards,
    Smokes,
    Counters,
    Modifiers,
    Fights,
)


class Dota2Replay(Source2Replay):
    """One Dota 2 match. Everything of `Source2Replay`, and tables of facts."""

    _clock: Clock | None = None

    def _table_schemas(self) -> Iterable[TableSchema]:
        yield from super()._table_schemas()
        for collector in COLLECTORS:
            yield from collector.schemas

    def table(self, name: str, *, columns: Iterable[str] | None = None, **options: Any) -> pa.Table:
        """As `Replay.table`. Some tables of facts take options of their own, such as ``every="10s"``; the schema
        of each tells which. A table with options is not kept.

        Raises:
            KeyError: this replay has no such table.
            TypeError: the table has no such option.
            ValueError: the value of an option is none that it takes.
        """
        kind = next((kind for kind in COLLECTORS for schema in kind.schemas if schema.name == name), None)
        if kind is None or not options:
            return super().table(name, **options if columns is None else {"columns": columns, **options})
        odd = options.keys() - set(kind.options)
        if odd:
            known = ", ".join(kind.options) or "none"
            raise TypeError(f"table {name} has no option {sorted(odd)[0]!r}; its options are: {known}")
        table = self._collect([kind], options)[name]
        return table if columns is None else table.select(list(columns))

    presentation = Presentation(Economy("player_series", ("net_worth",), "net worth (gold)", {"every": "10s"}))

    def _moment(self, tick: int) -> Moment:
        match = Match(self)
        snapshot = PlayerSnapshot(match)
        self._facts_playback(match, [snapshot]).seek(tick)
        return snapshot.moment(tick)

    def _event_sources(self) -> tuple[EventSource, ...]:
        return SOURCES

    @property
    def clock(self) -> Clock | None:
        """As `Replay.clock`: the time that the game shows is 0:00 at the horn, negative before, and stands while
        the game is paused. The first access plays the recording for it, unless a table with ``game_seconds`` was
        made.
        """
        if self._clock is None and self.info.clock is not None:
            self._collect([ClockTables])
        return self._clock

    def to_tick(self, when: int | float | str) -> int:
        """As `Replay.to_tick`; a time that the game shows makes `clock` be read."""
        if isinstance(when, float) and self.info.clock is not None:
            return self.info.clock.tick(when)
        return super().to_tick(when)

    def _survey(self) -> None:
        super()._survey()
        kinds = [kind for kind in COLLECTORS if kind.survey]
        match = Match(self)
        self._facts_playback(match, [kind(match) for kind in kinds], entities=False).run()

    def note_known(self, error: ReplayError, cost: str) -> None:
        """A problem of what the engine's own pass over the recording reads too, and records: in strict mode it is
        raised.
        """
        if self.options.strict:
            self._note(error, cost=cost)

    def _load_players(self) -> tuple[Player, ...]:
        """As FileInfo lists them, otherwise as the last full packet and what follows it have them in the entities:
        where that is not FileInfo's, the userinfo table knows no teams, and counts observers too.
        """
        if not self.file_info.get("game_info", {}).get("dota", {}).get("player_info"):
            found = self._players_of_state()
            if found:
                return found
        return super()._load_players()

    def _players_of_state(self) -> tuple[Player, ...]:
        last = max((frame.tick for frame in self.frames), default=-1)
        if last < 0 or not self.send_tables or not self.class_names:
            return ()
        match = Match(self)
        stats = PlayerStats(match)
        playback = self._facts_playback(match, [stats])
        playback.seek(last)
        return tuple(player_of(row) for row in stats.rows())

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        chosen = [kind for kind in COLLECTORS if names & {schema.name for schema in kind.schemas}]
        built: dict[str, pa.Table] = {}
        if chosen:
            facts = self._collect(chosen)
            built.update((name, table) for name, table in facts.items() if name in names)
        rest = names - built.keys()
        if rest:
            built.update(super()._build_tables(rest))
        return built

    def _collect(
        self, kinds: list[type[Collector]], options: Mapping[str, Any] | None = None
    ) -> dict[str, pa.Table]:
        """Play the recording once for these groups of facts."""
        match = Match(self)
        collectors = [kind(match, **(options or {})) for kind in kinds]
        self._facts_playback(match, collectors).run()
        if self._clock is None and any(_timed(collector) for collector in collectors):
            self._clock = match.clock.displayed_clock()
        return {name: table for collector in collectors for name, table in collector.tables().items()}

    def _facts_playback(self, match: Match, collectors: Sequence[Collector], *, entities: bool = True) -> Playback:
        """A playback with the handlers of these groups of facts; without `entities` only of messages."""
        fields = [collector.fields for collector in collectors]
        timed = any(_timed(collector) for collector in collectors)
        if timed:
            fields.append(CLOCK_FIELDS)
        playback = self.playback(
            {name for collector in collectors for name in collector.string_tables},
            wanted=_projection(fields),
            entities=entities and (timed or any(collector.entities for collector in collectors)),
            on_problem=self.note_known,
        )
        if timed:
            match.clock.attach(playback)
        for collector in collectors:
            collector.attach(playback)
        return playback


def _timed(collector: Collector) -> bool:
    """Whether it reads the match's clock."""
    return collector.needs_clock or any("game_seconds" in schema.column_names for schema in collector.schemas)


@cache
def _any_of(patterns: frozenset[str]) -> Callable[[str], bool]:
    """Whether a field has one of these names or fits one of the patterns, under any name it has had."""
    exact = frozenset(pattern for pattern in patterns if not _WILD & set(pattern))
    fits = re.compile("|".join(map(translate, sorted(patterns - exact))) or "(?!)").match

    def wanted(name: str) -> bool:
        return any(each in exact or fits(each) is not None for each in (name, *aliases_of(name)))

    return wanted


@dataclass(frozen=True, slots=True)
class _Projection:
    """Which fields of which classes some groups of facts read; equal ones share what is learnt of the classes."""

    fields: frozenset[tuple[str, tuple[str, ...]]]

    def __call__(self, class_name: str) -> Callable[[str], bool] | None:
        patterns = [name for pattern, names in self.fields if class_matches(class_name, pattern) for name in names]
        return _any_of(frozenset(patterns)) if patterns else None


def _projection(groups: Iterable[Mapping[str, Sequence[str]]]) -> _Projection:
    return _Projection(frozenset((pattern, tuple(names)) for group in groups for pattern, names in group.items()))
