"""`BlizzardReplay`: what replays of all games of the engine have alike, upon a `GameRecording`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.blizzard.recording.recording import GameRecording
from playhead.blizzard.repair.survey import CHECKSUMS, DIGESTS
from playhead.errors import ReplayError
from playhead.events import EventSource, events_of_tables
from playhead.model import Check, Player
from playhead.replay import Replay
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.libraries import pa
from playhead.tables.schema import TableSchema
from playhead.text.names import flat

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.blizzard.events import Event
    from playhead.blizzard.tables.registry import GameTables
    from playhead.blizzard.writing.anonymize import Anonymized

_WHOLE_STREAMS = "streams of events"

#: What `Replay.verify` counts, with the reason why it is proof.
_SELF_CHECKS = {
    CHECKSUMS: "The archive has a CRC-32 and an MD5 of each unpacked member.",
    DIGESTS: "In archives of format 3, the MD5 of each 16 KiB of a stored member follows it.",
    _WHOLE_STREAMS: "The type table of the build reads each to its last byte.",
}


class BlizzardReplay(Replay):
    """One replay of a game.

    Attributes:
        recording: header and archive (`recording.container`), members (`recording.lobby` …), streams, and what
            follows from them. Each is decoded on first access, and None or empty if missing or unreadable (see
            `problems`).
    """

    recording: GameRecording

    @abstractmethod
    def _game_tables(self) -> GameTables:
        """Return the tables of the game."""

    def note(self, error: ReplayError, cost: str) -> None:
        """Record a problem and its cost; raise it in strict mode."""
        self._note(error, cost=cost)

    def _load_players(self) -> tuple[Player, ...]:
        return self.recording.players

    def _last_tick(self) -> int | None:
        return self.recording.duration[0]

    # -- tables -----------------------------------------------------------------------------------------

    def _table_schemas(self) -> Iterable[TableSchema]:
        return self._game_tables().schemas().values()

    def _schema_alone(self, name: str) -> TableSchema | None:
        return self._game_tables().schema_alone(name)

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        return self._game_tables().build(self.recording, names)

    def _table_options(self, name: str) -> Sequence[str]:
        kind = self._game_tables().find(name)
        return () if kind is None else kind.options

    def _build_with(self, name: str, options: Mapping[str, Any], columns: Sequence[str] | None) -> pa.Table:
        with self.lock, GC_PAUSED:
            kind = self._game_tables().find(name) or self._game_tables().tables()[name]
            return kind.build(self.recording, **options)

    # -- events -----------------------------------------------------------------------------------------

    def _event_kinds(self) -> Mapping[str, str]:
        from playhead.blizzard.events.reading import event_kinds

        own = {source.kind: source.doc for source in self._event_sources()}
        return {**own, **event_kinds(self.recording.container.game.protocols.event_names)}

    def _event_sources(self) -> Sequence[EventSource]:
        """Return the tables whose rows are events, too."""
        return ()

    def events(self, *kinds: str | type[Event] | Iterable[str | type[Event]]) -> Iterator[Event]:
        """Return the events one by one, in the order of their loops: all, or those of `kinds`.

        A kind is a short word (``chat``, ``command``, ``selection``, ``unit_born``), Blizzard's name
        (``SCmdEvent``, ``NNet.Game.SCmdEvent``), a pattern of either (``unit_*``), a class of
        `playhead.blizzard.events`, or a whole stream (``game``, ``message``, ``tracker``). Each event is an object
        of its class, with friendly fields beside the raw ones. Within one loop, the tracker's events come first
        and messages last; the order within a loop of a stream never changes.

        Damage ends its stream and is noted. Columns (`table`) are many times faster.

        Raises:
            KeyError: no build has such events; the text suggests others.
        """
        from playhead.blizzard.events.reading import STREAMS, Wanted, in_time_order

        asked = flat(kinds)
        own = {
            source.kind: source
            for source in self._event_sources()
            if not asked or any(isinstance(each, str) and fnmatchcase(source.kind, each) for each in asked)
        }
        names = {name: self.recording.streams.program(name).names for name in STREAMS}
        wanted = Wanted.of(asked, names, frozenset({*self.recording.container.game.protocols.event_names, *own}))
        streams = [self._read_stream(name, numbers) for name, numbers in wanted.streams.items()]
        return in_time_order([*streams, *map(self._rows_of, own.values())])

    def _rows_of(self, source: EventSource) -> Iterator[Any]:
        """Yield the events that are rows of a table."""
        clock = self.recording_clock
        assert clock is not None  # the rate of these games is known
        yield from events_of_tables((source,), {source.table: self.table(source.table)}, clock.seconds)

    def _read_stream(self, name: str, numbers: frozenset[int] | None) -> Iterator[Event]:
        # A generator of the replay, not of the recording: it keeps the replay, which collects problems.
        yield from self.recording.events(name, numbers)

    # -- anonymising ------------------------------------------------------------------------------------

    @abstractmethod
    def _anonymized(self, salt: bytes | None, keep_chat: bool) -> Anonymized:
        """Return the replay without names."""

    def write_anonymized(
        self,
        path: str | Path,
        *,
        salt: str | bytes | None = None,
        keep_chat: bool = False,
        replace: Mapping[str, str] | None = None,
    ) -> tuple[str, ...]:
        """Write the replay without personal data, as `playhead.blizzard.writing.anonymize` explains. See
        `Replay.write_anonymized`.
        """
        from pathlib import Path

        from playhead.io.atomic import whole_file

        if replace:
            raise ValueError(f"a {self.format} replay has no {' and no '.join(replace)} to replace")
        done = self._anonymized(salt.encode() if isinstance(salt, str) else salt, keep_chat)
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
