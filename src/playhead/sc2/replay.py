"""`Sc2Replay`: a StarCraft II replay (``.SC2Replay``, every build) as a `Replay`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakMethod

from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.blizzard.repair.survey import CHECKSUMS, DIGESTS
from playhead.clock import Clock
from playhead.errors import ReplayError
from playhead.io.source import Input, Source, open_source
from playhead.model import Check, Info, Options, Player
from playhead.replay import Replay, handler_of
from playhead.runtime.cached import cached_property, shared_property
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.libraries import pa
from playhead.runtime.records import replace
from playhead.sc2.members.clock import game_clock, wall_seconds
from playhead.sc2.protocol.tables import event_program
from playhead.sc2.recording.info import load_info, with_slow_facts
from playhead.sc2.recording.recording import Sc2Recording
from playhead.sc2.tables.players.info_and_players import INFO, PLAYERS
from playhead.tables.schema import TableSchema
from playhead.text.names import flat

if TYPE_CHECKING:
    from playhead.blizzard.events import Event
    from playhead.presentation import Presentation
    from playhead.sc2.abilities.names import Catalog
    from playhead.sc2.members.map_file import MapArchive
    from playhead.sc2.state.timeline import State

_WHOLE_STREAMS = "streams of events"

#: What `Replay.verify` counts, with the reason why it is proof.
_SELF_CHECKS = {
    CHECKSUMS: "The archive has a CRC-32 and an MD5 of each unpacked member.",
    DIGESTS: "From 1.5 on, the MD5 of each 16 KiB of a stored member follows it.",
    _WHOLE_STREAMS: "The type table of the build reads each to its last byte.",
}


class Sc2Replay(Replay):
    """One StarCraft II replay.

    Attributes:
        recording: header and archive (`recording.container`), members (`recording.lobby` …), streams, and what
            follows from them. Each is decoded on first access, and None or empty if missing or unreadable (see
            `problems`).
    """

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

    def note(self, error: ReplayError, cost: str) -> None:
        """Record a problem and its cost; raise it in strict mode."""
        self._note(error, cost=cost)

    def _load_info(self) -> Info:
        return with_slow_facts(self.brief_info, self.recording)

    @shared_property
    def brief_info(self) -> Info:
        """`info` without the keys ``battle_lobby`` and ``resumed_tick`` of its `details`: decompressing that
        member and the game events takes longer than all the rest."""
        return load_info(self.recording, self.format, self.name)

    def _load_players(self) -> tuple[Player, ...]:
        return self.recording.players

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

    def _table_schemas(self) -> Iterable[TableSchema]:
        from playhead.sc2.tables.registry import TABLES

        return TABLES.schemas().values()

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        from playhead.sc2.tables.registry import build_tables

        return build_tables(self.recording, names)

    def _table_options(self, name: str) -> Sequence[str]:
        from playhead.sc2.tables.registry import TABLES

        kind = TABLES.tables().get(name)
        return () if kind is None else kind.options

    def _build_with(self, name: str, options: Mapping[str, Any], columns: Sequence[str] | None) -> pa.Table:
        from playhead.sc2.tables.registry import TABLES

        with self.lock, GC_PAUSED:
            return TABLES.tables()[name].build(self.recording, **options)

    # -- events -----------------------------------------------------------------------------------------

    def _event_kinds(self) -> Mapping[str, str]:
        from playhead.blizzard.events.reading import event_kinds

        return event_kinds()

    def events(self, *kinds: str | type[Event] | Iterable[str | type[Event]]) -> Iterator[Event]:
        """Return the events one by one, in the order of their loops: all, or those of `kinds`.

        A kind is a short word (``chat``, ``command``, ``selection``, ``unit_born``), Blizzard's name
        (``SCmdEvent``, ``NNet.Game.SCmdEvent``), a pattern of either (``unit_*``), a class of
        `playhead.blizzard.events`, or a whole stream (``game``, ``message``, ``tracker``). Each event is an object
        of its class, with friendly fields beside the raw ones. Within one loop, the tracker's events come first
        and messages last; the order within a stream never changes.

        Damage ends its stream and is noted. Columns (`table`) are many times faster.

        Raises:
            KeyError: no build has such events; the text suggests others.
        """
        from playhead.blizzard.events.reading import STREAMS, Wanted, in_time_order

        wanted = Wanted.of(
            tuple(flat(kinds)), {name: event_program(*self.recording.builds, name).names for name in STREAMS}
        )
        return in_time_order(self._read_stream(name, numbers) for name, numbers in wanted.streams.items())

    def _read_stream(self, name: str, numbers: frozenset[int] | None) -> Iterator[Event]:
        # A generator of the replay, not of the recording: it keeps the replay, which collects problems.
        yield from self.recording.events(name, numbers)

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

    def _last_tick(self) -> int | None:
        return self.recording.duration[0]

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
        from playhead.sc2.members.map_file import find_map, read_map

        if isinstance(target, str | Path) and Path(target).is_dir():
            target = find_map(Path(target), self.recording.cache_handles)
        source = open_source(target, self.options.limits)
        hashes = frozenset(handle[8:].hex() for handle in self.recording.cache_handles)
        try:
            return read_map(source.data, hashes, self.options.limits)
        except ReplayError as error:
            raise error.locate(file=source.name) from None

    def write_anonymized(
        self,
        path: str | Path,
        *,
        salt: str | bytes | None = None,
        keep_chat: bool = False,
        replace: Mapping[str, str] | None = None,
    ) -> tuple[str, ...]:
        """Write the replay without personal data, as `playhead.sc2.writing.anonymize` explains. See
        `Replay.write_anonymized`.
        """
        from playhead.io.atomic import whole_file
        from playhead.sc2.writing.anonymize import anonymize

        if replace:
            raise ValueError(f"a sc2 replay has no {' and no '.join(replace)} to replace")
        key = salt.encode() if isinstance(salt, str) else salt
        done = anonymize(self.recording, salt=key, keep_chat=keep_chat)
        with whole_file(Path(path)) as target:
            target.write_bytes(done.data)
        return (
            *(f"{name} is left out: it may name people" for name in done.removed),
            *(f"{name} ends at its first damage" for name in done.cut),
        )

    # -- problems ---------------------------------------------------------------------------------------

    def _survey(self) -> None:
        container = self.recording.container
        if container.archive is None:
            return
        # Decode first: decoders know best what damage costs.
        counts = [0, 0]
        for name in (GAME, MESSAGE, TRACKER):
            stream = self.recording.stream(name)
            if stream is not None:
                counts[stream.error is not None] += 1
        container.verified[_WHOLE_STREAMS] = counts
        self.recording.decode_rest()
        container.survey(self._report)
        self._report(len(self.source.data))

    def _checks(self) -> Iterable[Check]:
        return [
            Check(name, passed, failed, _SELF_CHECKS[name])
            for name, (passed, failed) in sorted(self.recording.container.verified.items())
        ]
