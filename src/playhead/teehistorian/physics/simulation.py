"""`Simulation`: a recording played again on its map."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from playhead.errors import LimitExceeded, ReplayError, TruncatedReplay
from playhead.io.atomic import whole_file
from playhead.limits import Limits
from playhead.runtime.libraries import pa, pc
from playhead.tables import TableSchema
from playhead.tables.value_arrays import array_of
from playhead.teehistorian.physics.arena.body import Tuning
from playhead.teehistorian.physics.demo.ghosts import GhostWatcher, write_ghost
from playhead.teehistorian.physics.demo.recorder import DemoRecorder
from playhead.teehistorian.physics.demo.snapshots import SnapshotWriter
from playhead.teehistorian.physics.game_map import GameMap
from playhead.teehistorian.physics.rerun.message_effects import MessageEffects, prepare
from playhead.teehistorian.physics.rerun.rerun import CAUSES, Rerun
from playhead.teehistorian.physics.rerun.rules import Rules, rules_of
from playhead.teehistorian.physics.tables.event_tables import EVENT_TABLES, PHYSICS, build, take_rows
from playhead.teehistorian.physics.tables.notes import EventNotes, StateRows
from playhead.teehistorian.physics.world.world import GameWorld
from playhead.teehistorian.stream.feed import Feed
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

#: Messages between two looks at the number of rows.
_STRETCH = 1 << 10
#: Rows of a part of a table.
_ROWS = 1 << 14
#: Rows for ticks with messages that a compressed recording may have at any size (64 tees for 40 minutes),
#: and for each compressed byte.
_FREE_ROWS, _ROWS_FOR_BYTE = 8_000_000, 256
_SPAWN_TILES = (192, 193, 194)


class Simulation:
    """A recording played again: what its inputs imply on its map.

    Each position is predicted from the state one tick before. Where the recording has another one, that is noted,
    with the nearest velocity that leads there, and the row is not ``exact``. The simulation needs the map's file;
    nothing is downloaded. Every call reads the recording again, in little memory.

    Attributes:
        map: the map.
        rules: the behaviour of the server's version.
        last_tick: last simulated tick; 0 before the first pass.
    """

    def __init__(
        self,
        header: Header,
        feed: Callable[[], Feed],
        limits: Limits,
        map: GameMap,
        *,
        to_tick: Callable[[Any], int] = int,
    ) -> None:
        """`TeehistorianReplay.simulate` reads the map; `feed` begins a pass, `to_tick` converts a time."""
        self.map = map
        self.rules: Rules = rules_of(header)
        self.last_tick = 0
        self._header = header
        self._feed = feed
        self._limits = limits
        self._to_tick = to_tick
        self._left_out = 0
        self._not_simulated: set[str] = set()
        self._counts: dict[str, int] | None = None
        self._found: tuple[array[int], array[int]] | None = None

    @property
    def tables(self) -> Mapping[str, TableSchema]:
        """Schemas of the tables by name."""
        return {PHYSICS.name: PHYSICS, **EVENT_TABLES}

    @property
    def exactness(self) -> Mapping[str, int]:
        """Counts of the whole recording; it is simulated for them if no call has simulated it to its end.

        * ``compared``: ticks of tees that were there on the tick before;
        * ``exact``: those whose position was predicted;
        * ``guessed``: inputs that the file leaves open and that the positions decided;
        * ``breaks``: times that a certain state was lost, and of these by likely cause ``breaks_teleport`` (the
          tee moved farther than any can), ``breaks_inputs`` (its tick had several inputs, or inputs are recorded
          at their arrival), ``breaks_contact`` (another tee was near or hooked), ``breaks_other``;
        * ``respawns``: kills and spawns within a tick, which are movements in the file.
        """
        if self._counts is None:
            for _ in self.passes(emits=False):
                pass
        return dict(self._counts or {})

    @property
    def problems(self) -> tuple[str, ...]:
        """Sentences about what makes the simulation less certain."""
        found = []
        if self.map.is_other:
            found.append(f"{self.map.name} is not the map of this recording (option --other-map)")
        if self._not_simulated:
            found.append(f"not simulated: {', '.join(sorted(self._not_simulated))}")
        if self._left_out:
            found.append(f"{self._left_out} items did not fit the snapshots of the demo")
        if not self.rules.recorded_for_tick:
            found.append(
                "servers before DDNet 15.3 record inputs when they arrive, not when they act: a few in "
                "a hundred positions differ"
            )
        return tuple(found)

    def table(
        self, name: str = "physics", *, start: Any = None, end: Any = None, players: Collection[int] | None = None
    ) -> pa.Table:
        """Return a whole table, or its part of some ticks and players; arguments are those of `batches`.

        Raises:
            KeyError: there is no such table.
        """
        batches = list(self.batches(name, start=start, end=end, players=players))
        return pa.Table.from_batches(batches, self._arrow(name))

    def read_tables(self, names: Iterable[str]) -> Mapping[str, pa.Table]:
        """Return whole tables by name, of one simulation.

        Raises:
            KeyError: there is no such table.
        """
        found = {name: [self.tables[name].arrow().empty_table()] for name in names}
        for name, part in self._parts(found, None, None, _ROWS):
            found[name].append(part)
        return {
            name: pa.concat_tables(parts).replace_schema_metadata(self._arrow(name).metadata)
            for name, parts in found.items()
        }

    def batches(
        self,
        name: str = "physics",
        *,
        start: Any = None,
        end: Any = None,
        players: Collection[int] | None = None,
        rows: int = 4_096,
    ) -> Iterator[pa.RecordBatch]:
        """Yield a table in batches of about `rows` rows, in constant memory.

        Args:
            start, end: only rows whose `tick` is from `start` to `end`, both included; as for `Replay.to_tick`.
            players: only rows of these players (``races``, ``kills``: with one of them).

        Raises:
            KeyError: there is no such table.
        """
        if name not in self.tables:
            raise KeyError(f"no table {name!r}; there are: {', '.join(self.tables)}")
        for _, part in self._parts({name}, start, end, rows):
            kept = _of_players(name, part, players).replace_schema_metadata(self._arrow(name).metadata)
            yield from kept.combine_chunks().to_batches(max_chunksize=rows)

    def at(self, when: int | float | str) -> list[dict[str, Any]]:
        """Return the rows of one tick, by client id; `when` is as for `Replay.to_tick`."""
        rows: list[dict[str, Any]] = self.table(start=when, end=when).to_pylist()
        return rows

    def export(
        self,
        folder: str | Path,
        *,
        format: str = "parquet",
        start: Any = None,
        end: Any = None,
        players: Collection[int] | None = None,
    ) -> list[Path]:
        """Write the tables as ``folder/<table>.<format>`` (parquet, csv or ndjson); return the paths.

        Rows of ``physics`` are written as they come; the other tables, which are small, are kept until the end.
        Other arguments are those of `batches`.
        """
        from playhead.export.files import write_parts

        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        kept: dict[str, list[pa.Table]] = {name: [] for name in self.tables if name != PHYSICS.name}

        def states() -> Iterator[pa.Table]:
            for name, part in self._parts(set(self.tables), start, end, _ROWS):
                rows = _of_players(name, part, players)
                if name in kept:
                    kept[name].append(rows)
                else:
                    yield rows

        write_parts(states(), self._arrow(PHYSICS.name), folder, PHYSICS.name, format)
        for name, parts in kept.items():
            write_parts(parts, self._arrow(name), folder, name, format)
        return [folder / f"{name}.{format}" for name in self.tables]

    def write_demo(
        self, path: str | Path, *, start: Any = None, end: Any = None, players: Collection[int] | None = None
    ) -> Path:
        """Write a demo that DDNet's client plays, with the map inside; return its path.

        It shows the simulated state. A demo repeats the inputs of its players tick by tick: think of that
        before you publish one. Chat commands are chat; codes of saves and timeouts are hidden.

        Args:
            path: of the demo.
            start, end: first and last tick; times as for `Replay.to_tick`.
            players: only these players.

        Raises:
            OSError: the file cannot be written.
            ValueError: no tick of the recording is between `start` and `end`.
        """
        path = Path(path)
        first = 0 if start is None else self._to_tick(start)
        last = None if end is None else self._to_tick(end)
        header = self._header
        with whole_file(path) as temporary, temporary.open("wb") as file:
            started = re.sub("[^0-9]", "-", header.text("start_time") or "")[:19]
            name = self.map.name.removesuffix(".map")
            demo = SnapshotWriter(file, header.text("map_name") or name, self.map.data, self.map.sha256, started)
            recorder: DemoRecorder | None = None

            def begin(rerun: Rerun, effects: MessageEffects) -> None:
                nonlocal recorder
                recorder = DemoRecorder(demo, rerun, effects, self.map, first, last, players)
                rerun.watcher = recorder.on_tick
                effects.heard = recorder.on_command

            for rerun, _ in self.passes(emits=False, events=True, begin=begin):
                if last is not None and rerun.tick > last:
                    break
            if recorder is None or not recorder.snapshots:
                raise ValueError("no tick of the recording is between start and end")
            demo.close()
            self._left_out = recorder.left_out
        return path

    def write_ghost(self, path: str | Path, run: Mapping[str, Any], player: int | None = None) -> Path:
        """Write the tee of a run as a ghost of DDNet's client, to race against; return its path.

        Args:
            path: of the ghost; the client finds it in its folder ``ghosts``.
            run: a run of `TeehistorianReplay.runs`, from its first tick in the recording.
            player: who of those that ran it; by default the first.

        Raises:
            KeyError: that player did not run it.
            OSError: the file cannot be written.
            ValueError: the run has no tick in the recording.
        """
        clients = dict(zip(run["players"], run["clients"], strict=True))
        chosen = next(iter(clients)) if player is None else player
        if chosen not in clients:
            raise KeyError(f"no player {player} in run {run['run']}; there are {', '.join(map(str, clients))}")
        watcher = GhostWatcher(clients[chosen], run["first_tick"] or 0, run["tick"])

        def begin(rerun: Rerun, effects: MessageEffects) -> None:
            watcher.begin(rerun.world, effects)
            rerun.watcher = watcher.on_tick

        for rerun, _ in self.passes(emits=False, begin=begin):
            if rerun.tick > run["tick"]:
                break
        name = run["names"][run["players"].index(chosen)] or watcher.name
        about = (name, self._header.text("map_name") or self.map.name.removesuffix(".map"), self.map.sha256)
        ghost = watcher.ghost(*about, run["duration_ticks"] * 1000 // TICKS_PER_SECOND)
        path = Path(path)
        with whole_file(path) as temporary, temporary.open("wb") as file:
            write_ghost(file, ghost)
        return path

    def _arrow(self, name: str) -> pa.Schema:
        """Return the schema of a table; its metadata names the map if it is another one."""
        schema = self.tables[name].arrow()
        if self.map.is_other:
            return schema.with_metadata({**(schema.metadata or {}), b"playhead.other_map": self.map.name.encode()})
        return schema

    def _parts(self, names: Collection[str], start: Any, end: Any, rows: int) -> Iterator[tuple[str, pa.Table]]:
        """Simulate once; yield (name, rows) of the tables between two times."""
        first = 0 if start is None else self._to_tick(start)
        last = None if end is None else self._to_tick(end)
        events = set(names) - {PHYSICS.name}
        for rerun, _ in self.passes(emits=PHYSICS.name in names, events=bool(events)):
            done = rerun.finished or (last is not None and rerun.tick > last)
            if done and not rerun.finished and rerun.notes is not None and last is not None:
                done = not rerun.notes.has_begun(last)  # its row comes with its end
            if rerun.rows is not None and (len(rerun.rows.bodies) >= rows or done):
                part = take_rows(rerun.rows)
                tick = part.column("tick")
                if first or last is not None:
                    within = pc.greater_equal(tick, first)
                    part = part.filter(within if last is None else pc.and_(within, pc.less_equal(tick, last)))
                yield PHYSICS.name, part
            if rerun.notes is not None and (len(rerun.notes.events) >= rows or done):
                noted = rerun.notes.take()
                noted = [each for each in noted if first <= each[1] and (last is None or each[1] <= last)]
                for name in sorted(events):
                    yield name, build(name, [event for event in noted if event[0] == name])
            if done:
                break

    def passes(
        self,
        *,
        emits: bool = True,
        events: bool = False,
        begin: Callable[[Rerun, MessageEffects], None] | None = None,
    ) -> Iterator[tuple[Rerun, MessageEffects]]:
        """Simulate; yield now and then, for the rows so far.

        Args:
            emits: keep a row for each tee and tick.
            events: keep hooks, shots, hits, freezes and races.
            begin: called before the first message.
        """
        if self._found is None:
            self._found = self._search()
        feed, rerun, effects = self._new_pass(self._found)
        if emits:
            rerun.rows = StateRows()
        if events:
            rerun.notes = EventNotes(rerun.world, effects.practice)
        if begin is not None:
            begin(rerun, effects)
        while not rerun.finished:
            if not self._advance(feed, rerun):
                rerun.finish()
                self.last_tick = rerun.tick - 1
                self._not_simulated = effects.not_simulated
                self._counts = {name: getattr(rerun, name) for name in _COUNTS}
                for name, count in zip(CAUSES, rerun.causes, strict=True):
                    self._counts[f"breaks_{name}"] = count
            yield rerun, effects

    def _search(self) -> tuple[array[int], array[int]]:
        """Search for unrecorded inputs; see `Prediction`. Later servers record all."""
        if self.rules.one_input:
            return array("q"), array("q")
        feed, rerun, _ = self._new_pass(None)
        with suppress(LimitExceeded):
            while self._advance(feed, rerun):
                pass
            rerun.finish()
        return rerun.prediction.found(), rerun.doubts.found()

    def _new_pass(self, found: tuple[array[int], array[int]] | None) -> tuple[Feed, Rerun, MessageEffects]:
        world = GameWorld(self.map.tiles, [Tuning(self.rules.unknown_tuning) for _ in range(256)])
        world.exits = self.map.exits
        world.checkpoint_exits = self.map.checkpoint_exits
        spawns = spawns_of(self.map)
        world.spawns = sorted(spawns)
        world.entities.place(self.map.entities)
        world.movement.hooks_return = self.rules.hooks_return
        world.weapons.clamps_ninja = self.rules.clamps_ninja
        prepare(world, self._header, self.map.settings)
        effects = MessageEffects(self._header, self._limits, world, self.rules)
        feed = self._feed()
        rerun = Rerun(feed.reader, world, self.rules, effects.on_message, effects.foresee, spawns, found)
        if feed.compressed_size is not None:
            rerun.rows_left = _FREE_ROWS + _ROWS_FOR_BYTE * feed.compressed_size
        effects.rerun = rerun
        return feed, rerun, effects

    def _advance(self, feed: Feed, rerun: Rerun) -> bool:
        """Read a stretch; return False after the last message, or at damage, which `Replay.problems` lists."""
        try:
            if rerun.run(_STRETCH):
                return True
            return not feed.reader.finished and feed.refill()
        except TruncatedReplay:
            return feed.refill()
        except LimitExceeded:
            raise
        except ReplayError:
            return False


def _of_players(name: str, part: pa.Table, players: Collection[int] | None) -> pa.Table:
    """Return the rows about some players."""
    if players is None:
        return part
    if name == "kills":
        chosen = array_of(sorted(players), pa.int32())
        roles = (pc.is_in(part[f"{role}_player"], chosen) for role in ("attacker", "victim"))
        return part.filter(pc.or_(*roles))
    if name == "races":
        kept = [not {*players}.isdisjoint(row) for row in part["players"].to_pylist()]
        return part.filter(array_of(kept, pa.bool_()))
    return part.filter(pc.is_in(part["player"], array_of(sorted(players), pa.int32())))


_COUNTS = ("compared", "exact", "guessed", "breaks", "respawns")


def spawns_of(map: GameMap) -> frozenset[tuple[int, int]]:
    """Return all places where a tee can spawn: spawn tiles and their neighbours."""
    tiles = map.tiles
    found = set()
    for layer in ("game", "front"):
        data = tiles.layer(layer)
        for number in _SPAWN_TILES:
            place = data.find(bytes([number]))
            while place >= 0:
                x, y = place % tiles.width * 32 + 16, place // tiles.width * 32 + 16
                found |= {(x, y), (x - 32, y), (x, y - 32), (x + 32, y), (x, y + 32)}
                place = data.find(bytes([number]), place + 1)
    return frozenset(found)
