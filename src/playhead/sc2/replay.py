"""`Sc2Replay`: a StarCraft II replay (``.SC2Replay``, every build) as a `Replay`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast
from weakref import WeakMethod

from playhead.blizzard.replay import BlizzardReplay
from playhead.clock import Clock
from playhead.errors import ReplayError
from playhead.io.source import Input, Source, open_source
from playhead.model import Info, Options
from playhead.recorded import handler_of
from playhead.runtime.cached import cached_property, shared_property
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.libraries import pa
from playhead.runtime.records import replace
from playhead.sc2.members.clock import game_clock, wall_seconds
from playhead.sc2.recording.recording import Sc2Recording
from playhead.sc2.tables.info_and_players import INFO, PLAYERS
from playhead.tables.schema import TableSchema

if TYPE_CHECKING:
    from playhead.blizzard.tables.registry import GameTables
    from playhead.blizzard.writing.anonymize import Anonymized
    from playhead.presentation import Presentation
    from playhead.sc2.abilities.names import Catalog
    from playhead.sc2.members.map_file import MapArchive
    from playhead.sc2.state.timeline import State


class Sc2Replay(BlizzardReplay):
    """One StarCraft II replay."""

    recording: Sc2Recording

    format = "sc2"
    format_title = "StarCraft II replay"
    capabilities = frozenset({"moment", "anonymize", "map"})
    info_schema = INFO
    players_schema = PLAYERS
    _choices = ("_catalog",)

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        note = handler_of(WeakMethod(self.note), strict=options.strict)
        self.recording = Sc2Recording(source, options.limits, note, strict=options.strict)

    @property
    def presentation(self) -> Presentation:
        """As `Replay.presentation`."""
        from playhead.sc2.presentation import PRESENTATION

        return PRESENTATION

    def _load_info(self) -> Info:
        from playhead.sc2.recording.info import with_slow_facts

        return with_slow_facts(self.brief_info, self.recording)

    @shared_property
    def brief_info(self) -> Info:
        """`info` without the keys ``battle_lobby`` and ``resumed_tick`` of its `details`: decompressing that
        member and the game events takes longer than all the rest."""
        from playhead.sc2.recording.info import load_info

        return self._read_or_note(
            "info",
            lambda: load_info(self.recording, self.format, self.name),
            super()._info_alone,
            "facts of the recording",
        )

    def _info_alone(self, game: str | None = None) -> Info:
        return self.brief_info

    @cached_property
    def clock(self) -> Clock | None:
        """`Replay.clock` with the speed of the game; if the game begins after the recording, so does its time."""
        speed = self.recording.speed
        wall = None if speed is None else wall_seconds(1, speed)
        shown = game_clock(self.recording.loops_per_second, self.recording.start_tick)
        return replace(shown, wall_ticks_per_second=1 / wall if wall else None)

    def _unfilled_reasons(self) -> Mapping[str, str]:
        from playhead.sc2.recording.unfilled import reasons_of

        return reasons_of(self.recording, self.info.details, self.tables)

    def _game_tables(self) -> GameTables:
        from playhead.sc2.tables.registry import TABLES

        return TABLES

    def _table_schemas(self) -> Iterable[TableSchema]:
        from playhead.sc2.coaching.reasons import REASONS

        return (*super()._table_schemas(), REASONS)

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        from playhead.sc2.coaching import reasons
        from playhead.sc2.coaching.comparison import standing_of

        name = reasons.REASONS.name
        found = super()._build_tables(names - {name})
        if name not in names:
            return found
        self._tables.update(found)  # the rules read some of them
        return {**found, name: reasons.table(self, standing_of(self))}

    def use_abilities(self, catalog: Catalog) -> None:
        """Use the names of abilities of your own catalog (`playhead.sc2.abilities.names.read_catalog`)."""
        self._catalog = catalog
        self._tables.pop("commands", None)

    @property
    def _catalog(self) -> Catalog | None:
        return self.recording.catalog

    @_catalog.setter
    def _catalog(self, catalog: Catalog | None) -> None:
        self.recording.catalog = catalog

    # -- state ------------------------------------------------------------------------------------------

    def at(self, when: int | float | str | None = None, *, seconds: float | None = None) -> State:
        """Return the state of the game after all events of a loop: units, upgrades, resources, selections and
        control groups. Ascending loops are cheap. Seconds mean the last loop before them. See `Replay.at`.
        """
        return cast("State", super().at(when, seconds=seconds))

    def _moment(self, tick: int) -> State:
        with GC_PAUSED:
            return replace(self.recording.timeline.at(tick), roster=self.players)

    # -- map, anonymising -------------------------------------------------------------------------------

    def read_map(self, target: Input) -> MapArchive:
        """Read the map's own file: its names, size, bounds, minimap, terrain, resources and starting locations.
        `MapArchive.belongs` says whether the replay was played on this very file. In a folder of maps, the file
        with the replay's `map_hash` is read. See `Replay.read_map`.

        Raises:
            OSError: the file cannot be opened.
            UnknownFormat: it is not a map.
            CorruptReplay, TruncatedReplay, LimitExceeded: it cannot be read.
        """
        from pathlib import Path

        from playhead.sc2.members.map_file import find_map, read_map

        if isinstance(target, str | Path) and Path(target).is_dir():
            target = find_map(Path(target), self.recording.cache_handles)
        source = open_source(target, self.options.limits)
        hashes = frozenset(handle[8:].hex() for handle in self.recording.cache_handles)
        try:
            return read_map(source.data, hashes, self.options.limits)
        except ReplayError as error:
            raise error.locate(file=source.name) from None

    def _anonymized(self, salt: bytes | None, keep_chat: bool) -> Anonymized:
        from playhead.sc2.writing import anonymize

        return anonymize(self.recording, salt=salt, keep_chat=keep_chat)
