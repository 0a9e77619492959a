"""Bulk tables of one large recording by several threads, each from one checkpoint of the index to another.

`ColumnPass` fills columns without the interpreter's lock, so threads share the work and hand nothing over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from playhead.runtime.libraries import pa
from playhead.teehistorian.state.seek import Checkpoint, SeekIndex, run_to
from playhead.teehistorian.stream.feed import Feed
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.reader import MAX_TICK
from playhead.teehistorian.tables.builder import BulkBuilder
from playhead.teehistorian.tables.window import columns_from

#: Bytes of a recording below which one thread is as fast.
SMALLEST = 8 << 20

# Stretches for each thread, so that all end together.
_STRETCHES = 4

#: A checkpoint, and the offset at which its stretch ends; None is the end of the recording.
_Stretch = tuple[Checkpoint, int | None]


def stretches_of(index: SeekIndex, count: int) -> list[_Stretch]:
    """Return up to `count` stretches with similar numbers of messages."""
    found = index.checkpoints
    begins = [found[place] for place in sorted({len(found) * number // count for number in range(count)})]
    return list(zip(begins, [*(each.offset for each in begins[1:]), None], strict=True))


def build_shared(
    builders: Mapping[str, BulkBuilder],
    index: SeekIndex,
    header: Header,
    new_feed: Callable[[int | None], Feed],
    jobs: int,
    meanwhile: Callable[[], object],
) -> dict[str, pa.Table]:
    """Return the tables of `builders` from `jobs` threads, this one among them.

    Args:
        new_feed: returns a feed of the recording, or of its part before an offset.
        meanwhile: called in this thread before it shares the work.
    """
    left = deque(enumerate(stretches_of(index, _STRETCHES * jobs)))
    parts: dict[int, dict[str, pa.Table]] = {}

    def build(stretch: _Stretch) -> dict[str, pa.Table]:
        begin, end = stretch
        mine = {name: builder.again(begin.offset) for name, builder in builders.items()}
        filled = {each.fills for each in mine.values() if each.fills is not None}
        columns = columns_from(begin, index, header, new_feed(end).reader, filled)
        for builder in mine.values():
            builder.attach(columns)
        run_to(columns, MAX_TICK)
        return {name: builder.piece() for name, builder in mine.items()}

    def work() -> None:
        with suppress(IndexError):
            while True:
                number, stretch = left.popleft()
                parts[number] = build(stretch)

    with ThreadPoolExecutor(jobs - 1) as pool:
        others = [pool.submit(work) for _ in range(jobs - 1)]
        meanwhile()
        work()
        for each in others:
            each.result()
    ordered = [parts[number] for number in sorted(parts)]
    return {name: pa.concat_tables([part[name] for part in ordered]).unify_dictionaries() for name in builders}
