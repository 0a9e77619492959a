"""`Source2Replay`: a demo of the Source 2 engine (``.dem``) as a `Replay`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from playhead.clock import ticks_between
from playhead.errors import ReplayError, TruncatedReplay
from playhead.events import Event, EventSource, event_table_of, events_of_tables
from playhead.model import Check, Info, Player
from playhead.runtime.cached import shared_property
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.libraries import pa
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.container.frames import iterate_frames
from playhead.source2.games import GAMES, UNKNOWN_GAME
from playhead.source2.messages.numbers import Engine
from playhead.source2.passes import TablePasses
from playhead.source2.playback.playback import Playback
from playhead.source2.tables import PREFIX
from playhead.text.names import flat, listed, one_name, unknown_name
from playhead.timed import one_moment

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.presentation import Presentation
    from playhead.source2.messages.decoded import Message
    from playhead.source2.messages.game_events import GameEvent
    from playhead.source2.playback.collector import Collector
    from playhead.source2.playback.world import World
    from playhead.tables.deferred import Built, BuiltTables
    from playhead.tables.schema import TableSchema


# Tables and moments import their modules on use: a playback alone needs none of them.


class Source2Replay(TablePasses):
    """One Source 2 demo.

    In addition to every `Replay`: `recording`, messages, game events, and the state at any moment.

    Attributes:
        recording: the container: frames, header, content of the sign-on, schema.
    """

    capabilities = frozenset({"moment", "messages", "game_events", "entities", "schema", "slice"})

    @property
    def presentation(self) -> Presentation:
        """As `Replay.presentation`."""
        from playhead.source2.presentation import PRESENTATION

        return PRESENTATION

    def _load_info(self) -> Info:
        return self.brief_info

    @shared_property
    def brief_info(self) -> Info:
        """`info` by the head of the file and FileInfo: without the winner, if only the match itself has it."""
        from playhead.source2.tables.info import load_info

        return self._read_or_note(
            "info",
            lambda: load_info(self.recording, self.format, self.name, self.note),
            lambda: super(Source2Replay, self)._info_alone(self.recording.game),
            "facts of the recording",
        )

    def _info_alone(self, game: str | None = None) -> Info:
        return self.brief_info

    def _load_players(self) -> tuple[Player, ...]:
        return self._players_alone()

    def _players_alone(self) -> tuple[Player, ...]:
        from playhead.source2.tables.players import load_players

        return self._read_or_note(
            "players", lambda: load_players(self.recording, self.note), tuple, "players that the head names"
        )

    def _unfilled_reasons(self) -> Mapping[str, str]:
        from playhead.source2.tables.info import UNFILLED

        return UNFILLED

    def _doubts(self) -> Mapping[str, str]:

        return doubts_of(self)

    # -- state ------------------------------------------------------------------------------------------

    def at(self, when: int | float | str | None = None, *, seconds: float | None = None) -> World:
        """Return the state at a moment: a tick (int), seconds since the start of the recording (float), or a
        game time (``"12:30"``); see `to_tick`.

        It starts at the last full packet before the moment, not at the beginning.

        Raises:
            ValueError: the time is invalid or outside the recording, or the tick rate is unknown.
        """
        with self.lock:
            found = self._moment(self.tick_within(one_moment(when, seconds)))
            found.word(self.presentation.wording.in_words)
            return found

    def _moment(self, tick: int) -> World:
        from playhead.source2.playback.world import World

        playback = self.playback(None)
        playback.seek(tick)
        return World(playback, tick, self.clock, lambda: self.players)

    @property
    def first_tick(self) -> int:
        """The tick of the first frame after the sign-on; 0 if that is within the first second, or in a pipe."""
        if self.source.stream is not None:
            return 0
        if self.recording.joined is not None:
            return self.recording.joined
        first = 0
        with suppress(ReplayError):  # the pass over all frames reports it
            frames = iterate_frames(memoryview(self.recording.source.data), self.recording.limits)
            first = next((frame.tick for frame in frames if frame.tick >= 0), 0)
        return first if first > (self.recording.ticks_per_second or 1.0) else 0

    def _first_tick(self) -> int:
        joined = self.recording.joined
        return -1 if joined is None else joined  # -1 is after the sign-on

    def _last_tick(self) -> int | None:
        if self.source.stream is not None:
            return None
        return max(self.brief_info.duration_ticks or 0, self.recording.frames.highest_tick() or 0)

    def write_slice(self, path: str | Path, start: int | float | str, end: int | float | str) -> None:
        """Write the ticks from `start` to `end` (both included, as for `to_tick`) as a separate recording.

        `playhead.source2.writing.slice` lists the parts that are not copied. The file is written atomically.

        Raises:
            ValueError: the range is invalid, or the state at `start` is unknown.
            ReplayError: in strict mode, the first problem before `end`.
        """
        from pathlib import Path

        from playhead.io.atomic import write_whole
        from playhead.source2.writing.slice import slice_demo

        data = slice_demo(self.recording, self.playback(None), self.tick_within(start), self.tick_within(end))
        write_whole(Path(path), data)

    # -- tables -----------------------------------------------------------------------------------------

    def entity_table(
        self,
        pattern: str,
        fields: str | Iterable[str] | None = None,
        *,
        every: int | float | str | None = None,
        jobs: int = 1,
    ) -> pa.Table:
        """Return fields of entities over time, as a table.

        Args:
            pattern: class name or pattern (``CDOTA_Unit_Hero_*``).
            fields: dotted names or patterns of them (``m_iHealth``, ``CBodyComponent.m_cell?``); None is every
                field that occurs. Other fields are not kept while decoding.
            every: interval between samples: seconds (float), text such as ``"1s"``, ``"500ms"``, ``"30 ticks"``,
                or 1 for every tick. It is rounded to whole ticks: ``"0.3s"`` at 64 ticks per second is 19 ticks,
                0.297 s. None instead gives a row for each change of one of the fields, and for each
                entering, leaving and deletion.
            jobs: number of processes, as for `read_tables`.

        Raises:
            KeyError: no class matches the pattern, or no matching class has one of the fields.
            ValueError: the interval is invalid.
            LimitExceeded: the table has more cells than `Limits.cells`.
            ReplayError: in strict mode, the first problem.
        """
        from playhead.source2.tables.entities import EntityQuery

        interval = ticks_between(every, self.recording.ticks_per_second)
        query = EntityQuery(
            one_name(pattern, "a pattern such as C*Hero*"),
            None if fields is None else tuple(listed(fields)),
            interval,
        )
        query.check(self.recording.class_names.values(), self.recording.schema.tree)
        with self.lock, self._sharing(jobs):
            return self._collect((), {}, [query])[query.name]

    def table(
        self, name: str, *, columns: str | Iterable[str] | None = None, jobs: int = 1, **options: Any
    ) -> pa.Table:
        """As `Replay.table`; a name such as ``entities:CDOTA_Unit_Hero_*`` calls `entity_table` with `options`.

        The fields that an option (`fields`, `raw`) asks for follow `columns`.
        """
        chosen = None if columns is None else listed(columns)
        if not one_name(name, "read_tables([…])").startswith(PREFIX):
            if chosen is not None and "raw" in options:
                chosen += [each for each in listed(options["raw"]) if each not in chosen]
            with self.lock:
                before, self._one_by_one = self._one_by_one, True
                try:
                    return super().table(name, columns=chosen, jobs=jobs, **options)
                finally:
                    self._one_by_one = before
        table = self.entity_table(name.removeprefix(PREFIX), jobs=jobs, **options)
        if chosen is None:
            return table
        for each in chosen:
            if each not in table.column_names:
                raise KeyError(unknown_name(each, table.column_names, f"column of {name}"))
        fields = table.column_names[len(self.schema_of(name).columns) :] if "fields" in options else ()
        return table.select([*chosen, *(each for each in fields if each not in chosen)])

    def schema_of(self, name: str) -> TableSchema:
        """As `Replay.schema_of`; for ``entities:…`` the columns that all such tables have."""
        if not one_name(name, "read_tables([…])").startswith(PREFIX):
            try:
                return super().schema_of(name)
            except KeyError as error:
                head = next((each for each in self.problems_so_far if each.where == "FileHeader"), None)
                if head is None:
                    raise
                # The tables of its game might have it.
                raise KeyError(f"{error.args[0]}; the game is unknown: {head.what}") from None
        from playhead.source2.tables.entities import query_schema

        return query_schema(name)

    def _schema_alone(self, name: str) -> TableSchema | None:
        return self._registry().schema_alone(name)

    def play(self, *names: str) -> tuple[Playback, BuiltTables]:
        """Play the recording once to its end, for its final state and for tables.

        Args:
            names: names of tables.

        Returns:
            The playback, with every field of every entity and every string table; and the tables, by name.

        Raises:
            KeyError: this replay has no such table; the message lists the existing tables.
            ReplayError: in strict mode, the first problem.
        """
        with self.lock, GC_PAUSED:
            for name in names:
                self.schema_of(name)
            playback = self.playback(None, entities=self.recording.declares_classes)
            built = self._build_tables(frozenset(names), playback)
            if not playback.position:  # no table needed it
                playback.run()
            self._tables.update(built)
            return playback, self._read_tables(names)

    # -- events and messages ----------------------------------------------------------------------------

    def _event_sources(self) -> Sequence[EventSource]:
        """The tables whose rows are events."""
        return [source for kind in self._registry().makers() for source in kind.events]

    def _event_kinds(self) -> Mapping[str, str]:
        return {source.kind: source.doc for source in self._event_sources()}

    def _tables_of_events(self, kinds: frozenset[str]) -> frozenset[str]:
        return frozenset(source.table for source in self._event_sources() if source.kind in kinds)

    def _read_events(self, kinds: frozenset[str]) -> Iterator[Event]:
        yield from events_of_tables(*self._event_rows(kinds))

    def _event_table(self) -> Built:
        return event_table_of(*self._event_rows(frozenset(self.event_kinds)))

    def _event_rows(
        self, kinds: frozenset[str]
    ) -> tuple[list[EventSource], Mapping[str, pa.Table], Callable[[int], float | None]]:
        """Return the tables with events of these kinds, where their events are, and the seconds of a tick."""
        clock = self.brief_info.clock
        return (
            [source for source in self._event_sources() if source.kind in kinds],
            self.read_tables(self._tables_of_events(kinds)),
            lambda tick: clock.seconds(tick) if clock is not None and tick >= 0 else None,
        )

    def messages(self, *names: str | int | Iterable[str | int], by_priority: bool = False) -> Iterator[Message]:
        """Yield decoded inner messages in file order: those in `names`, or all.

        Other messages are skipped by their size. Messages inside svc_UserMessage are unwrapped, unless `names`
        has svc_UserMessage itself. An undecodable message is skipped and is a problem; table ``user_messages``
        has its bytes.

        Args:
            names: message numbers, names (``DOTA_UM_ChatEvent``), names of definitions
                (``CDOTAUserMsg_ChatEvent``), or patterns (``DOTA_UM_Chat*``).
            by_priority: within a packet, yield string tables first and entities last (`inner_messages`).

        Raises:
            KeyError: this game has no message of that name.
        """
        from playhead.source2.tables.messages import messages_of

        return messages_of(
            self.playback(entities=False), self.recording.game, tuple(flat(names)), by_priority=by_priority
        )

    def game_events(self, *names: str | Iterable[str]) -> Iterator[GameEvent]:
        """Yield game events with their values by name, in file order: those of these names or patterns, or all.

        An undecodable event is skipped and is a problem.

        Raises:
            KeyError: after the last event, the recording's list of events has no such name.
        """
        from playhead.source2.tables.messages import game_events_of

        return game_events_of(self.playback(entities=False), flat(names))

    def message_counts(self) -> dict[str, int]:
        """Return the number of occurrences of each inner message, by name (or number), most frequent first."""
        from playhead.source2.messages.numbers import message_names
        from playhead.source2.tables.frames import Messages

        messages = Messages(self.recording, store=False)
        self.play_for([messages])
        known = message_names(self.recording.game)
        counts = Counter({known.get(n, str(n)): count for n, count in messages.counts.items()})
        return dict(counts.most_common())

    # -- checks -----------------------------------------------------------------------------------------

    def _survey(self) -> None:
        if self._checked is None:
            self._play_checked()
        from playhead.source2.playback.expected import unmet, unmet_by_events, unmet_by_signon

        game = GAMES.get(self.recording.game, UNKNOWN_GAME)
        read = self._fields_read() if game.needed_fields else {}
        for error, cost in chain(
            unmet(self.recording, game, read),
            unmet_by_events(self.recording, game.events_read),
            unmet_by_signon(self.recording),
        ):
            self.note(error, cost)

    def _play_checked(self) -> None:
        self.play_for(self._checks_of(()), check=True)

    def _fields_read(self) -> Mapping[tuple[str, str], Collection[str]]:
        """Return the fields that the tables read, by class or pattern and name, each with these tables."""
        from playhead.source2.tables.request import TableRequest

        found: dict[tuple[str, str], set[str]] = {}
        for each in self.collectors_for(TableRequest(tuple(self._registry().makers()), {}, (), None, False)):
            tables = [schema.name for schema in each.schemas] or self.tables  # a follower's are of all tables
            for pattern, names in each.fields.items():
                for name in ("", *names):
                    found.setdefault((pattern, name), set()).update(tables)
        return found

    def _checks(self) -> Iterable[Check]:
        broken = sum(each.where == "frame" and each.kind == TruncatedReplay.__name__ for each in self._found)
        yield Check("frames", len(self.recording.frames), broken, "read in sequence to the end of the file")
        if self._checked is not None and self.recording.declares_classes:
            yield from self._checked.checks()


_WITHOUT_COST = "nothing"


def doubts_of(replay: TablePasses) -> Mapping[str, str]:
    """Return, by table, the lost or unknown part of the recording that rows of the table may have been in.

    A problem concerns the tables that its cost names, or all. Messages of an unknown number concern the tables
    of messages that they may be.
    """
    import re  # a start does without

    numbers = replay.recording.numbers
    unknown = numbers.unknown()
    found: dict[str, str] = {}
    for problem in replay.problems:
        if problem.cost.startswith(_WITHOUT_COST) or (unknown and unknown in problem.what):
            continue
        named = replay.tables.keys() & set(re.findall(r"\w+", problem.cost))
        for name in named or replay.tables:
            found.setdefault(name, problem.what)
    if unknown:
        possible = numbers.possible()
        for kind in replay._registry().makers():
            names = sorted(possible[number] for number in possible.keys() & set(_messages_read(replay, kind)))
            for schema in kind.schemas if names else ():
                found[schema.name] = f"the recording has {unknown}, which may be {' or '.join(names)}"
    return found


def _messages_read(replay: TablePasses, kind: type[Collector]) -> Iterator[int]:
    """Yield the numbers of the messages that a collector is made of."""
    from playhead.source2.tables.request import TableRequest

    playback = replay.playback(None, on_problem=lambda _error, _cost: None)
    for each in replay.collectors_for(TableRequest((kind,), {}, (), None, False)):
        playback.guard.attach(each, playback)
        if each.entities:
            yield int(Engine.PACKET_ENTITIES)
        if each.string_tables != ():
            yield int(Engine.CREATE_STRING_TABLE)
    yield from playback.messages_read
