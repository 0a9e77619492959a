"""One recording decoded by several processes: each takes what lies between two full packets.

The state at a full packet is known without what comes before it, so segments need nothing of each other. The rows
are those that one process would give, in the same order; where a segment meets damage, that is left to one
process too.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playhead.limits import Limits
from playhead.source2.container.frames import FULL_PACKET
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.entities import EntityQuery, EntityRows

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.source2.replay import Source2Replay


def play_rows(rows: EntityRows, playback: Playback, until: int | None = None) -> None:
    """Play up to frame number `until` (to the end if None), telling `rows` what comes."""
    while (frame := playback.next_frame()) is not None and (until is None or playback.position < until):
        if frame.tick >= 0:
            rows.before(frame.tick)
        if until is not None or frame.tick < 0:
            playback.step()
        elif rows.due is None:
            playback.run()
        else:
            playback.advance(rows.due)
    if until is None:
        rows.before(playback.tick + 1)


def _segments(replay: Source2Replay, count: int) -> list[tuple[int, int | None]]:
    """(first frame, frame behind the last) of about `count` segments; each but the first begins behind a full
    packet.
    """
    frames = replay.frames
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
    """The rows of a segment as an Arrow stream; None if it meets a problem."""
    import pyarrow as pa

    import playhead
    from playhead.source2.replay import Source2Replay

    replay = playhead.open(target, limits=limits)
    assert isinstance(replay, Source2Replay)
    playback = replay.playback(wanted=query.projection)
    if start:
        playback.seek_full_packet(start - 1)
    rows = EntityRows(query, playback)
    if start:
        rows.begin(playback.tick)
    play_rows(rows, playback, until)
    if replay.problems_so_far:
        return None
    table = rows.to_arrow(replay.info.ticks_per_second)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def read_parallel(replay: Source2Replay, query: EntityQuery, workers: int) -> pa.Table | None:
    """The rows of `query` from several processes; None if there are no segments, or one of them is damaged."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    import pyarrow as pa

    segments = _segments(replay, workers)
    if len(segments) < 2:
        return None
    path = Path(replay.name)
    plain_file = replay.source.compression is None and path.is_file()
    target = str(path) if plain_file else bytes(replay.source.data)
    limits = replay.options.limits
    # Not fork: the parent may hold threads.
    with ProcessPoolExecutor(min(workers, len(segments)), get_context("spawn")) as pool:
        pending = [pool.submit(_read_segment, target, limits, query, *segment) for segment in segments]
        parts = [future.result() for future in pending]
    if any(part is None for part in parts):
        return None
    tables = [pa.ipc.open_stream(part).read_all() for part in parts]
    return pa.concat_tables(tables, promote_options="permissive").unify_dictionaries().combine_chunks()
