"""`TeehistorianReplay`: the `Replay` of a DDNet server recording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from heapq import merge
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

from playhead.clock import Clock
from playhead.errors import ReplayError
from playhead.events import choose_names
from playhead.runtime.cached import cached_property
from playhead.runtime.libraries import pa
from playhead.teehistorian.passes import RecordingPasses
from playhead.teehistorian.state.connections import Clients
from playhead.teehistorian.state.driver import Driver
from playhead.teehistorian.state.seek import Tees, tees_at
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.feed import Feed
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, Message
from playhead.teehistorian.stream.reader import MAX_TICK
from playhead.teehistorian.tables.events import DIED, DIED_MEANING, Events, TeehistorianEvent, event_kinds
from playhead.teehistorian.tables.window import Window
from playhead.text.names import flat
from playhead.timed import one_moment

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.presentation import Presentation
    from playhead.tables.deferred import Built
    from playhead.tables.schema import TableSchema
    from playhead.teehistorian.physics.simulation import Simulation

#: A point in time; see `TeehistorianReplay.to_tick`.
Time = int | float | str | datetime


class TeehistorianReplay(RecordingPasses):
    """A recording of a DDNet server: inputs and messages of all clients, positions of all tees.

    Attributes:
        header: the header of the file.
    """

    absent = MappingProxyType(
        {
            **dict.fromkeys(
                ("chat", "chat_sent"),
                "servers leave chat out of a teehistorian; commands typed into it are in table commands, other "
                "messages of clients in net_messages",
            ),
            "kicked": "events of kind player_left and sessions.reason say why a client left",
        }
    )
    capabilities = frozenset({"moment", "messages", "slice", "anonymize", "patterns", "runs", "simulate"})

    def messages(self, *names: str | int | Iterable[str | int]) -> Iterator[tuple[int, Message]]:
        """Yield (tick, message), in file order; wait for new messages of a followed file.

        They end before a damaged one, or one in which the file ends; `problems` then has it.

        Args:
            names: class names of messages (``PlayerNew``), or patterns (``Input*``); all by default.

        Raises:
            KeyError: there is no such class.
            ReplayError: in strict mode, the problem, after all messages before it.
        """
        found = self._read_messages(self._feed(wait=True))
        if not names:
            return found
        known = [kind.__name__ for kind in get_args(Message)]
        chosen = choose_names([str(name) for name in flat(names)], known, "messages")
        return ((tick, message) for tick, message in found if type(message).__name__ in chosen)

    def _read_messages(self, feed: Feed) -> Iterator[tuple[int, Message]]:
        damage = None
        try:
            yield from feed if self.source.stream is not None else feed.reader
        except ReplayError as error:
            damage = None if error is feed.damage else error
        self._note_all(feed.problems(damage, feed.trailing()))

    def _event_kinds(self) -> Mapping[str, str]:
        return event_kinds() if self._simulation is None else {**event_kinds(), DIED: DIED_MEANING}

    def events(self, *kinds: str | Iterable[str]) -> Iterator[TeehistorianEvent]:
        """Yield events, decoded, in file order; see `Replay.events`.

        Events are joins, leaves, console commands, network messages (``emoticon_sent`` …) and extensions
        (``team_changed``, ``run_finished`` …); with `use_map` also deaths (``tee_died``).
        Servers do not record chat. For a followed file, wait for new events.
        """
        chosen = self._chosen_kinds(kinds)
        found = self._read_events(chosen)
        if DIED not in chosen:
            return found
        died = map(TeehistorianEvent.of_death, self.table("deaths").to_pylist())
        return merge(found, died, key=lambda event: event.tick)

    def _read_events(self, kinds: frozenset[str]) -> Iterator[TeehistorianEvent]:
        collector = Events(self.header, kinds)
        driver = Driver(self._feed(wait=True), self.header, handlers=[collector])
        more = True
        while more:
            more = driver.advance()
            self._report(driver.feed.reader.end_offset())
            yield from collector.drain()
        self._note_all(driver.problems())

    def name_of(self, player: int, tick: int) -> str | None:
        """As `Replay.name_of`; `player` is the number of a connection."""
        connections = self.clients.connections
        return connections[player].name_at(tick) if 0 <= player < len(connections) else None

    @cached_property
    def clients(self) -> Clients:
        """Connections by client id and tick."""
        return Clients(self._finished_pass().connections)

    # -- seeking ------------------------------------------------------------------------------------------

    def use_index(self, path: str | Path | None = None) -> bool:
        """Read `index` from the file `path`; if the file is missing or of another recording, build and write it.

        The file is bound to the recording by a hash of all its bytes.

        Args:
            path: by default the path of the recording with ``.index`` appended.

        Returns:
            Whether the index was read from the file.

        Raises:
            OSError: the file cannot be written.
        """
        from pathlib import Path

        from playhead.teehistorian.state.index_file import read_index, write_index

        self._need_whole()
        where = Path(f"{self.name}.index" if path is None else path)
        found = read_index(where, self.source.data, self.header.size)
        if found is not None:
            self.index = found
            return True
        write_index(where, self.index, self.source.data)
        return False

    @property
    def clock(self) -> Clock:
        """Converts ticks to seconds; all recordings have the same rate, so this reads nothing."""
        return Clock(float(TICKS_PER_SECOND))

    def to_tick(self, when: Time) -> int:
        """As `Replay.to_tick`; also accepts a timezone-aware datetime, relative to the start time in the header.

        Raises:
            ValueError: `when` is not a time, or the header lacks the start time.
        """
        if isinstance(when, datetime):
            if self.header.start_time is None:
                raise ValueError("the header does not say when the recording began")
            when = (when - self.header.start_time).total_seconds()
        return super().to_tick(when)

    def _last_tick(self) -> int | None:
        return None if self.source.stream is not None else self._finished_pass().last_tick

    def tick_within(self, when: Time) -> int:
        """As `Replay.tick_within`; `when` may be a datetime."""
        return self._in_range(self.to_tick(when), when, self._last_tick())

    def at(self, when: Time | None = None, *, seconds: float | None = None) -> Tees:
        """Every tee and connected client at the end of a tick, by client id: position, input, team, name.

        `when` is as for `to_tick`; see `Replay.at`. Inputs recorded at the last tick act after it and are not
        included.
        """
        self._need_whole()
        with self.lock:
            return self._moment(self.tick_within(one_moment(when, seconds)))

    def _moment(self, tick: int) -> Tees:
        index = self.index
        reader = self._feed().reader
        has_teams = (self.header.version_minor or 0) >= 2
        tees = tees_at(tick, index, reader, ColumnPass(reader), default_team=0 if has_teams else None)
        return Tees(tick, self.clock, tees)

    @property
    def presentation(self) -> Presentation:
        """As `Replay.presentation`."""
        from playhead.teehistorian.presentation import PRESENTATION

        return PRESENTATION

    def window(self, start: Time, end: Time, *, client: int | None = None, player: str | None = None) -> Window:
        """Return positions, inputs and messages of the ticks from `start` to `end` (both included, as for
        `to_tick`).

        Args:
            client: only data of this client id.
            player: only data of players of this name, in all their connections.

        Raises:
            KeyError: no player of that name was connected; the message lists the names.
            ValueError: a tick lies outside the recording, or `end` is before `start`.
        """
        self._need_whole()
        with self.lock:
            return self._window(*self._stretch(start, end), client=client, player=player)

    def _window(self, first: int, last: int, *, client: int | None = None, player: str | None = None) -> Window:
        intervals = None
        if player is not None:
            intervals = self.index.intervals_of(player, first, last, client=client)
        elif client is not None:
            intervals = [(client, 0, MAX_TICK)]
        return Window(first, last, self.index, self.header, lambda: self._feed().reader, intervals)

    def write_slice(self, path: str | Path, start: Time, end: Time) -> None:
        """Write the ticks from `start` to `end` (both included, as for `to_tick`) to a new recording.

        `writing.slice` documents the synthesised messages. The file is written atomically. For a damaged recording
        it contains the part before the damage, and `problems` lists the damage.

        Raises:
            ValueError: a tick lies outside the recording (which ends at damage), or `end` is before `start`.
            ReplayError: in strict mode, the recording is damaged at or before `end`.
        """
        from playhead.teehistorian.writing.slice import slice_recording

        # This pass also finds the end of the recording: a stream allows only one pass.
        first, last = self.to_tick(start), self.to_tick(end)
        if first < 0 or last < first:
            self._stretch(start, end)

        def check(end_tick: int) -> None:
            for tick, when in ((first, start), (last, end)):
                self._in_range(tick, when, end_tick)

        # No tick is later; `check` says that the recording ends earlier.
        cut = min(first, MAX_TICK), min(last, MAX_TICK)
        self._write(path, lambda feed: slice_recording(feed, self.header, *cut), check)

    def write_anonymized(
        self,
        path: str | Path,
        *,
        salt: str | bytes | None = None,
        keep_chat: bool = False,
        replace: Mapping[str, str] | None = None,
    ) -> tuple[str, ...]:
        """Write the recording without names, codes, addresses and chat; see `writing.anonymize` for details.

        The file is written atomically. For a damaged recording it contains the part before the damage.

        Args:
            path: path of the new file; in an existing folder, the file is named after the written ``game_uuid``.
            salt: the same salt gives a person the same pseudonym in every recording; keep it secret. Without a
                salt, pseudonyms are numbered in order of appearance.
            keep_chat: has no effect: servers do not record chat.
            replace: new texts of ``game_uuid`` (an empty text: derive it, and the ids of saves, from the salt and
                the old id), ``start_time`` (empty: the start of 1970) and ``server_port`` (empty: 0).

        Returns:
            Sentences that list the replaced, removed and kept data, with counts.

        Raises:
            ValueError: `replace` has another key, or a value that the header cannot hold.
            ReplayError: in strict mode, the recording is damaged.
        """
        from pathlib import Path

        from playhead.teehistorian.writing.anonymize import (
            KEPT_WHOLE,
            Ledger,
            Words,
            anonymize_recording,
            anonymized_name,
            check_replacements,
        )

        check_replacements(replace or {})
        key = salt.encode() if isinstance(salt, str) else salt
        words, ledger = Words(key), Ledger()
        if Path(path).is_dir():
            path = Path(path) / anonymized_name(self.header, words, replace or {})
        self._write(
            path, lambda feed: anonymize_recording(feed, self.header, words, replace=replace, ledger=ledger)
        )
        return ledger.sentences(KEPT_WHOLE)

    def simulate(self, map: str | Path, *, other_map: bool = False) -> Simulation:
        """Play the recording again: velocity, hooks, jumps, freeze and weapon of every tee on every tick.

        Args:
            map: the file of the map; or a folder that has it as ``NAME.map`` or, as clients keep it,
                ``NAME_<sha256>.map``.
            other_map: accept a map with another hash; `Simulation.problems` then says so.

        Raises:
            ReplayError: the folder lacks the map, or the file is another map.
            CorruptReplay: the file is no map.
            LimitExceeded: the map is too large.
            OSError: the map cannot be read.
        """
        from pathlib import Path

        from playhead.teehistorian.physics.game_map import find_map, read_map
        from playhead.teehistorian.physics.simulation import Simulation

        self._need_whole()
        path = Path(map)
        if path.is_dir():
            path = find_map(path, self.header)
        found = read_map(path, self.header, other_map=other_map)
        return Simulation(self.header, self._feed, self.options.limits, found, to_tick=self.tick_within)

    def use_map(self, map: str | Path, *, other_map: bool = False) -> None:
        """Add the tables that need the map, ``physics``, ``hits``, ``run_verdicts`` …, to those of the recording.

        Arguments and errors are those of `simulate`.
        """
        self._simulation = self.simulate(map, other_map=other_map)
        for name in ("tables", "event_kinds"):
            self.__dict__.pop(name, None)

    def _table_schemas(self) -> Iterable[TableSchema]:
        own = super()._table_schemas()
        if self._simulation is None:
            return own
        from playhead.teehistorian.runs import RUN_VERDICTS

        return (*own, RUN_VERDICTS)

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, Built]:
        if self._simulation is None:
            return super()._build_tables(names)
        from playhead.teehistorian.runs import RUN_VERDICTS, verdicts

        if RUN_VERDICTS.name not in names:
            return super()._build_tables(names)
        found = verdicts(self._simulation, self.runs(), self.name_of)
        rest = names - {RUN_VERDICTS.name}
        return {RUN_VERDICTS.name: found, **(super()._build_tables(rest) if rest else {})}

    def verify_runs(self, map: str | Path, *, other_map: bool = False) -> pa.Table:
        """Return whether the simulation of each run has the recorded time, exactly; see
        `teehistorian.runs`. Arguments and errors are those of `simulate`."""
        from playhead.teehistorian.runs import verdicts

        return verdicts(self.simulate(map, other_map=other_map), self.runs(), self.name_of)

    def patterns(
        self,
        player: str | int | None = None,
        *,
        client: int | None = None,
        start: Time | None = None,
        end: Time | None = None,
    ) -> list[dict[str, Any]]:
        """Return statistics of each player's key presses, aim and movement; see `Replay.patterns`. With a player
        or client, also list the players with equal inputs.
        """
        from playhead.teehistorian.patterns import chosen_connections, reports_of

        window = None
        if start is not None or end is not None:
            open_end = self.index.last_tick if end is None else end
            first, last = self._stretch(0 if start is None else start, open_end)
            # The last inputs act on the tick after the last one.
            window = self._window(first, last + 1 if end is None else last)
        chosen = chosen_connections(self, player=player, client=client)
        return reports_of(self, chosen, window=window, compare=(player, client) != (None, None))

    def runs(self) -> list[dict[str, Any]]:
        """Return every finished run, as `teehistorian.runs.list_runs` documents it. See `Replay.runs`."""
        from playhead.teehistorian.runs import list_runs

        return list_runs(self)

    def run_arrays(self, run: int, player: int | None = None) -> dict[str, pa.Array[Any]]:
        """Return state and input of a runner on every tick of a run; see `teehistorian.runs.run_arrays`."""
        from playhead.teehistorian.runs import run_arrays

        return run_arrays(self, run, player)

    def run_trace(self, run: int) -> pa.Table:
        """Return the position of every runner on every tick of a run; see `teehistorian.runs.run_trace`."""
        from playhead.teehistorian.runs import run_trace

        return run_trace(self, run)

    def write_run(self, path: str | Path, run: int) -> None:
        """Write a run, from its first tick to the finish, to a new recording; see `write_slice`."""
        from playhead.teehistorian.runs import find_run

        found = find_run(self, run)
        self.write_slice(path, found["first_tick"], found["tick"])

    def _write(
        self,
        path: str | Path,
        make: Callable[[Feed], Iterator[bytes]],
        check: Callable[[int], object] | None = None,
    ) -> None:
        """Write the bytes that `make` yields; call `check` with the last tick before the file appears."""
        from pathlib import Path

        from playhead.io.atomic import whole_file

        with whole_file(Path(path)) as temporary, temporary.open("wb") as file:
            feed = self._feed()
            try:
                for piece in make(feed):
                    file.write(piece)
                    self._report(feed.reader.end_offset())
            except ReplayError as error:
                self._note_all(feed.problems(None if error is feed.damage else error, feed.trailing()))
            if check is not None:
                check(feed.reader.tick)

    def _stretch(self, start: Time, end: Time) -> tuple[int, int]:
        first, last = self.tick_within(start), self.tick_within(end)
        if last < first:
            raise ValueError(f"expected an end from tick {first} on, got {last}")
        return first, last
