"""One recording decoded by several processes: each takes what is between two full packets.

The state at a full packet is known without what comes before it, so segments need nothing of each other. The rows
are those that one process would give, in the same order; where a segment meets damage, that is left to one
process too.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playhead.errors import ReplayError
from playhead.io.source import open_source
from playhead.limits import Limits
from playhead.source2.container.frames import FULL_PACKET
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording, Schema
from playhead.source2.tables.entities import EntityQuery, EntityTable

if TYPE_CHECKING:
    import pyarrow as pa


def _segments(recording: Recording, count: int) -> list[tuple[int, int | None]]:
    """Return (first frame, frame behind the last) of about `count` segments; each but the first begins behind a
    full packet.
    """
    frames = recording.frames
    full = frames.numbers_of(FULL_PACKET)
    # The first full packet begins the game; there is nothing before it to decode.
    starts = [0]
    for number in full[1:]:
        if number - starts[-1] >= len(frames) / count:
            starts.append(number + 1)
    return list(zip(starts, [*starts[1:], None], strict=True))


def _read_segment(
    target: str | bytes, limits: Limits, query: EntityQuery, start: int, until: int | None
) -> bytes | None:
    """Return the rows of a segment as an Arrow stream; None if it meets a problem."""
    import pyarrow as pa

    problems: list[ReplayError] = []

    def note(error: ReplayError, _cost: str) -> None:
        problems.append(error)

    recording = Recording(open_source(target, limits), limits, note)
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
    if problems:
        return None
    table = rows.tables()[query.name]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def read_parallel(recording: Recording, query: EntityQuery, workers: int) -> pa.Table | None:
    """Return the rows of `query` from several processes; None if there are no segments, or one is damaged."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    import pyarrow as pa

    segments = _segments(recording, workers)
    if len(segments) < 2:
        return None
    source = recording.source
    path = Path(source.name)
    plain_file = source.compression is None and path.is_file()
    target = str(path) if plain_file else bytes(source.data)
    # Not fork: the parent may hold threads. One segment is its own: it has what the others first have to import.
    with ProcessPoolExecutor(min(workers, len(segments)) - 1, get_context("spawn")) as pool:
        others = [pool.submit(_read_segment, target, recording.limits, query, *each) for each in segments[1:]]
        first = _read_segment(target, recording.limits, query, *segments[0])
        parts = [first, *(future.result() for future in others)]
    if any(part is None for part in parts):
        return None
    tables = [pa.ipc.open_stream(part).read_all() for part in parts]
    return pa.concat_tables(tables, promote_options="permissive").unify_dictionaries().combine_chunks()
