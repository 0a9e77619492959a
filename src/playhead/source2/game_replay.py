"""`GameReplay`: a Source 2 recording of a game with tables of facts besides the engine's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from types import MappingProxyType

from playhead.model import Check
from playhead.recorded import selected
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.libraries import pa
from playhead.runtime.typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast
from playhead.source2.passes import USUAL_PASSES
from playhead.source2.replay import Source2Replay
from playhead.source2.tables import PREFIX
from playhead.text.names import listed

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.clock import Clock
    from playhead.events import EventSource
    from playhead.export.voice import Speaker
    from playhead.model import Player
    from playhead.presentation import Presentation
    from playhead.source2.playback.collector import Collector
    from playhead.source2.playback.playback import Playback
    from playhead.source2.playback.world import World
    from playhead.tables.deferred import Built
    from playhead.tables.registry import TableRegistry


_W = TypeVar("_W", bound="World")


class GameReplay(Source2Replay, Generic[_W]):
    """A `Source2Replay` with tables of facts, made by collectors that share a `GameMatch`.

    Its package has modules `facts` (with `TABLES`), `events` (`SOURCES`), `presentation` (`PRESENTATION`) and
    `sources.match` (`MATCH`, the class of the shared inputs), which are imported on use: a playback alone does not
    need them.

    Attributes:
        checks_lives: table ``kills`` has the deaths that only the state knows (column ``known_by``): a check of
            `verify`, in the same pass.
    """

    checks_lives: ClassVar[bool] = False
    capabilities = Source2Replay.capabilities | {"voice"}
    _clock: Clock | None = None

    @classmethod
    def _module(cls, name: str) -> Any:
        """Return a module of the game's package."""
        return import_module(f"{cls.__module__.rpartition('.')[0]}.{name}")

    def _registry(self) -> TableRegistry[type[Collector]]:
        tables: TableRegistry[type[Collector]] = self._module("facts").TABLES
        return tables

    @property
    def presentation(self) -> Presentation:
        """As `Replay.presentation`."""
        presentation: Presentation = self._module("presentation").PRESENTATION
        return presentation

    def _event_sources(self) -> Sequence[EventSource]:
        return (*super()._event_sources(), *self._module("events").SOURCES)

    def at(self, when: int | float | str | None = None, *, seconds: float | None = None) -> _W:
        """As `Source2Replay.at`, with the game's facts about each player. `when` is a tick (int), seconds of the
        recording (float), or the time that the game shows (text).
        """
        return cast("_W", super().at(when, seconds=seconds))

    @property
    def clock(self) -> Clock | None:
        """As `Replay.clock`, as the game shows it. The first access plays the recording, unless a table of facts
        was built before.
        """
        with self.lock:
            if self._clock is None and self.brief_info.clock is not None:
                self.play_for(self._facts(()))
            return self._clock

    def _facts(
        self, kinds: Iterable[type[Any]], options: Mapping[str, Any] = MappingProxyType({})
    ) -> list[Collector]:
        """Return collectors of facts, after the follower that updates their shared inputs."""
        match = self._module("sources.match").MATCH(self)
        made = [kind(match, **options) for kind in kinds]
        return [match.follower(match, made), *made]

    def play_for(
        self, collectors: Sequence[Collector], *, check: bool = False, playback: Playback | None = None
    ) -> None:
        """As `Source2Replay.play_for`; learn the game's clock from the match."""
        from playhead.source2.game_match import GameFollower

        super().play_for(collectors, check=check, playback=playback)
        for collector in collectors:
            if isinstance(collector, GameFollower) and collector.knows_clock:
                self._read_or_note(
                    type(collector).__name__,
                    partial(self._learn, collector.match),
                    lambda: None,
                    "the game's clock",
                )

    def _learn(self, match: Any) -> None:
        """Keep the findings of a pass over the whole recording."""
        match.finish()
        if self._clock is None:
            self._clock = match.displayed_clock

    def _make_collectors(self, kinds: Iterable[type[Collector]], options: Mapping[str, Any]) -> list[Collector]:
        from playhead.source2.game_match import GameFacts

        facts = [kind for kind in kinds if issubclass(kind, GameFacts)]
        made = super()._make_collectors([kind for kind in kinds if kind not in facts], options)
        return [*made, *self._facts(facts, options)] if facts else made

    def tables_with(self, names: Iterable[str], more: type[Collector]) -> Mapping[str, Any]:
        """Return tables by name, and those of another collector, in one pass."""
        from playhead.tables.deferred import BuiltTables

        known = self._registry().tables()
        wanted = frozenset((*names, *(schema.name for schema in more.schemas)))
        with self.lock, GC_PAUSED:
            makers = [*dict.fromkeys(known[name] for name in names), more]
            return BuiltTables(self._collect(makers, {}, wanted=wanted))

    def table(
        self, name: str, *, columns: str | Iterable[str] | None = None, jobs: int = 1, **options: Any
    ) -> pa.Table:
        """As `Source2Replay.table`. Where table ``player_series`` has option `raw`, every other table with players
        and ticks has it too: it names columns or fields of ``player_series``, which come for each player of a row,
        as ``attacker_m_iShotsFired``, with their values after the packet of its tick.
        """
        if "raw" not in options or name.startswith(PREFIX) or "raw" in self._table_options(name):
            return super().table(name, columns=columns, jobs=jobs, **options)
        names = listed(options.pop("raw"))
        schema = {column.name: column.type for column in self.schema_of(name).columns}
        people = [each for each, kind in schema.items() if each.rpartition("_")[2] == "player" and kind == "int32"]
        if "raw" not in self._table_options("player_series"):
            raise TypeError(f"table {name} has no option 'raw': table player_series of this game has none either")
        if "tick" not in schema or not people:
            raise TypeError(f"table {name} has no option 'raw': its rows have no player and tick")
        from playhead.source2.tables.players import with_properties

        built = super().table(name, jobs=jobs, **options)
        fields = [each for each in names if each not in self.schema_of("player_series").column_names]

        def series(ticks: list[int]) -> pa.Table:
            own = [each for each in names if each not in fields]
            return self.table(
                "player_series", columns=["tick", "player", *own], ticks=ticks, raw=fields, jobs=jobs
            )

        chosen = built.column_names if columns is None else listed(columns)
        found = with_properties(built, names, series)
        asked = {column.removesuffix("player") + each for column in people for each in names}
        more = [each for each in found.column_names if each in asked and each not in chosen]
        return selected(name, found, [*chosen, *more])

    def _table_options(self, name: str) -> Sequence[str]:
        kind = self._registry().find(name)
        return () if kind is None else kind.options

    def _build_with(self, name: str, options: Mapping[str, Any], columns: Sequence[str] | None) -> pa.Table:
        kind = self._registry().find(name)
        assert kind is not None  # it has the options
        only: dict[str, Any] = {}
        if kind.selects and columns is not None:
            own = self.schema_of(name).column_names
            only = {"columns": [each for each in columns if each in own]}
        return self._collect([kind], {**options, **only})[name]

    def _may_ride(self, kinds: Iterable[type[Collector]]) -> Mapping[str, type[Collector]]:
        """As `Source2Replay._may_ride`: those of the game's facts, which need entities."""
        from playhead.source2.game_match import GameFacts

        if not any(issubclass(kind, GameFacts) for kind in kinds):
            return {}
        registry, passes = self._registry(), self._riders.passes
        return registry.first() if passes == 0 else registry.usual() if passes < USUAL_PASSES else registry.own()

    def _completed(self, built: dict[str, Built]) -> dict[str, Built]:
        from playhead.tables.shared import CHAT

        if CHAT.name in built:
            built[CHAT.name] = self._with_names(built[CHAT.name])
        return built

    def _with_names(self, chat: pa.Table) -> pa.Table:
        """Fill the names in table ``chat``: messages of a game's own contain only the player's number."""
        from playhead.tables.shared import CHAT

        rows = chat.to_pylist()
        if all(row["name"] is not None or row["player"] is None for row in rows):
            return chat
        names = {player.player: player.name for player in self._named_players()}
        return self.schema_of(CHAT.name).build_rows(
            [{**row, "name": row["name"] or names.get(row["player"])} for row in rows]
        )

    def _play_checked(self) -> None:
        if not self.checks_lives or "kills" in self._tables:
            super()._play_checked()
            return
        kind = self._registry().tables()["kills"]
        self._tables.update(self._collect([kind], {}, check=True, wanted=frozenset({"kills"})))

    def _checks(self) -> Iterable[Check]:
        yield from super()._checks()
        known = self.table("kills")["known_by"].to_pylist() if self.checks_lives else []
        silent = known.count("state")
        if len(known) > silent:  # else the recording has no reports of deaths at all
            yield Check("lives", len(known) - silent, silent, "ended with a report of the death")

    def _named_players(self) -> tuple[Player, ...]:
        """Return the players, with their names at least."""
        return self.players

    def speakers(self) -> list[Speaker]:
        """As `Replay.speakers`."""
        from playhead.export.voice import list_speakers

        known = {player.player: player.name for player in self.players}
        rows = self.table("voice").to_pylist()
        return list_speakers(({"name": known.get(row["player"]), **row} for row in rows), self.note)

    def write_voice(self, folder: str | Path) -> list[Path]:
        """As `Replay.write_voice`."""
        from pathlib import Path

        from playhead.export.voice import write_voice

        return write_voice(self.speakers(), Path(folder), self.brief_info.duration_seconds or 0.0)

    @property
    def recording_clock(self) -> Clock | None:
        """As `Replay.recording_clock`; unlike `clock`, it does not play the recording."""
        return self.brief_info.clock

    def _playback_at(self, tick: int, collectors: Iterable[Collector]) -> Playback:
        """Return a playback of everything at a tick; the collectors followed it there."""
        playback = self.playback(None)
        for collector in collectors:
            playback.guard.attach(collector, playback)
        playback.seek(tick)
        return playback

    def _look_at_end(self, collectors: Sequence[Collector]) -> bool:
        """Play to the last tick for the collectors; False if there is nothing to play.

        Damage on the way is ignored: `problems` finds it in the whole file, and playbacks that start elsewhere may
        not meet it.
        """
        last = self.recording.frames.highest_tick()
        if last is None or last < 0 or not self.recording.declares_classes:
            return False
        ignored = None if self.options.strict else lambda _error, _cost: None
        self.playback_for(collectors, on_problem=ignored).seek(last)
        return True
