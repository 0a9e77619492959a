"""One recording decoded by several processes, each from one full packet to another.

A full packet has the whole state, so no segment needs another. The rows equal those of one process, in the same
order; if a segment is damaged, one process decodes the recording.

The processes wait for the next call, because starting one takes longer than decoding some minutes of a game. They
end after a while without a call, and with the program.
"""

from __future__ import annotations

import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from threading import Lock, Timer

from playhead.errors import ReplayError
from playhead.io.source import open_source
from playhead.limits import Limits
from playhead.runtime.libraries import pa
from playhead.source2.container.frames import FULL_PACKET
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording, Schema
from playhead.source2.tables.entities import EntityQuery, EntityTable

#: Seconds without a call after which the processes end.
IDLE_SECONDS = 60.0


class Workers:
    """The processes, which several threads may use at once.

    Attributes:
        pool: the running ones; None before the first call, and after they ended.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self.pool: ProcessPoolExecutor | None = None
        self._size = 0
        self._owner = 0
        self._calls = 0
        self._timer: Timer | None = None

    def take(self, count: int) -> ProcessPoolExecutor:
        """Return a pool of at least that many processes, made as they are needed; `give_back` it."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._owner != os.getpid():  # in a fork of the owner
                self.pool, self._owner, self._calls = None, os.getpid(), 0
            if self.pool is None or self._size < count:
                if self.pool is not None:
                    self.pool.shutdown(wait=False)  # it finishes its tasks
                # Not fork: the parent may hold threads.
                self.pool, self._size = ProcessPoolExecutor(count, get_context("spawn")), count
            self._calls += 1
            return self.pool

    def give_back(self, pool: ProcessPoolExecutor, *, broken: bool = False) -> None:
        """Note the end of a call; a `broken` pool is not used again."""
        with self._lock:
            self._calls -= 1
            if broken and self.pool is pool:
                self.pool = None
            if not self._calls and self.pool is not None:
                self._timer = Timer(IDLE_SECONDS, self._end, (self.pool,))
                self._timer.daemon = True
                self._timer.start()

    def _end(self, pool: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._calls or self.pool is not pool:
                return
            self.pool = self._timer = None
        pool.shutdown(wait=False)


WORKERS = Workers()


def _segments(recording: Recording, count: int) -> list[tuple[int, int | None]]:
    """Return (first frame, frame after the last) of about `count` segments of equal bytes; each but the first
    begins after a full packet.
    """
    frames = recording.frames
    # The first full packet begins the game; there is nothing before it to decode.
    full = frames.numbers_of(FULL_PACKET)[1:]
    offsets = [frames[number].offset for number in full]
    size = len(recording.source.data)
    starts = {0}
    for place in range(1, count) if full else ():
        wanted = size * place // count
        starts.add(full[min(range(len(full)), key=lambda i: abs(offsets[i] - wanted))] + 1)
    begins = sorted(starts)
    return list(zip(begins, [*begins[1:], None], strict=True))


def _read_segment(recording: Recording, query: EntityQuery, start: int, until: int | None) -> pa.Table | None:
    """Return the rows of a segment; None if it meets a problem."""
    problems: list[ReplayError] = []

    def note(error: ReplayError, _cost: str) -> None:
        problems.append(error)

    playback = Playback(recording, schema=Schema(recording, query.projection), on_problem=note)
    begin = 0
    if start:
        playback.seek_full_packet(start - 1)
        begin = playback.tick
    rows = EntityTable(recording, query, begin=begin, until_end=until is None)
    rows.attach(playback)
    if until is None:
        playback.run()
    else:
        playback.run_before(until)
    return None if problems else rows.tables()[query.name]


def _write_segment(
    target: str | bytes, limits: Limits, query: EntityQuery, start: int, until: int | None, path: str
) -> bool:
    """Write the rows of a segment as an Arrow file. Return False, and write nothing, if it meets a problem."""
    problems: list[ReplayError] = []

    def note(error: ReplayError, _cost: str) -> None:
        problems.append(error)

    table = _read_segment(Recording(open_source(target, limits), limits, note), query, start, until)
    if table is None or problems:
        return False
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return True


def _written(path: str) -> pa.Table:
    """Return the table in an Arrow file. It is mapped, not copied, and may be deleted where that is possible."""
    if sys.platform == "win32":
        return pa.ipc.open_file(pa.py_buffer(Path(path).read_bytes())).read_all()
    return pa.ipc.open_file(pa.memory_map(path)).read_all()


def read_parallel(recording: Recording, query: EntityQuery, workers: int) -> pa.Table | None:
    """Return the rows of `query` from several processes, this one among them; None if there are no segments, or
    one is damaged, or a process died.
    """
    segments = _segments(recording, workers)
    if len(segments) < 2:
        return None
    source, limits = recording.source, recording.limits
    path = Path(source.name)
    plain_file = source.compression is None and path.is_file()
    target = str(path) if plain_file else bytes(source.data)
    pool = WORKERS.take(workers - 1)
    broken = False
    with tempfile.TemporaryDirectory(prefix="playhead-") as folder:
        try:
            places = [str(Path(folder, f"{i}.arrow")) for i in range(1, len(segments))]
            others = [
                pool.submit(_write_segment, target, limits, query, *each, place)
                for each, place in zip(segments[1:], places, strict=True)
            ]
            first = _read_segment(recording, query, *segments[0])
            whole = [future.result() for future in others]
        except BrokenProcessPool:
            broken = True
            return None
        finally:
            WORKERS.give_back(pool, broken=broken)
        if first is None or not all(whole):
            return None
        table = pa.concat_tables([first, *map(_written, places)], promote_options="permissive")
    if table.num_rows * table.num_columns > limits.cells:
        return None  # one process says so
    return table.unify_dictionaries()
