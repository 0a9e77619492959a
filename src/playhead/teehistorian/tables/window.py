"""`Window`: messages and tables of some ticks of a recording, read from the last checkpoint before them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress

from playhead.errors import ReplayError
from playhead.runtime.cached import cached_property
from playhead.runtime.libraries import pa, pc
from playhead.tables.value_arrays import scalar_of
from playhead.teehistorian.state.seek import Checkpoint, SeekIndex, run_to
from playhead.teehistorian.state.tracker import ConnectionTracker, SlotFollower
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.feed import Feed
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import Message
from playhead.teehistorian.stream.reader import MAX_TICK, MessageReader
from playhead.teehistorian.tables.builder import BulkBuilder
from playhead.teehistorian.tables.bulk import Inputs, Positions

#: Returns a new reader of the recording, before its first message.
NewReader = Callable[[], MessageReader]


def columns_from(
    checkpoint: Checkpoint,
    index: SeekIndex,
    header: Header,
    reader: MessageReader,
    filled: Collection[str],
) -> ColumnPass:
    """Return a pass in the state of a checkpoint that fills these columns: messages, positions, inputs."""
    # The pass that built the index may have ended at a limit of connections: this one ends there too.
    tracker = ConnectionTracker.for_header(header, len(index.connections))
    sessions = checkpoint.sessions()
    begun = index.connections[: checkpoint.connections]
    tracker.resume(begun, [one for one, _ in sessions.values() if one >= 0], checkpoint.tick)
    slots = SlotFollower(tracker)

    def listener(tick: int, message: Message) -> None:
        slots.follow(tracker.on_message(tick, message), columns)

    columns = ColumnPass(reader, **dict.fromkeys(filled, True), listener=listener)
    slots.resume(columns, sessions)
    checkpoint.restore(reader, columns)
    return columns


class Window:
    """The ticks from `start` to `end`, both included, of all clients or of some.

    Attributes:
        start, end: first and last tick.
        intervals: the selected connections as (client, first tick, last tick); None for all clients.
    """

    def __init__(
        self,
        start: int,
        end: int,
        index: SeekIndex,
        header: Header,
        new_reader: NewReader,
        intervals: list[tuple[int, int, int]] | None = None,
    ) -> None:
        self.start = start
        self.end = end
        if intervals is not None:
            intervals = [(cid, first, last) for cid, first, last in intervals if first <= end and last >= start]
        self.intervals = intervals
        self._header = header
        self._index = index
        self._new_reader = new_reader

    def messages(self) -> Iterator[tuple[int, Message]]:
        """Yield (tick, message) of all messages in these ticks; with `intervals`, only those with a selected
        client id."""
        reader = self._new_reader()
        checkpoint = self._index.before(self.start)
        reader.jump(checkpoint.offset, checkpoint.tick, checkpoint.last_cid)
        with suppress(ReplayError):  # building the index has recorded it
            while reader.advance() and reader.tick <= self.end:
                if reader.tick >= self.start and self._wanted(reader.cid, reader.tick):
                    yield reader.tick, reader.message()

    def _wanted(self, cid: int, tick: int) -> bool:
        return self.intervals is None or any(
            cid == client and first <= tick <= last for client, first, last in self.intervals
        )

    @cached_property
    def positions(self) -> pa.Table:
        """The rows of table ``positions`` in these ticks.

        A tee that does not move has no row; `TeehistorianReplay.at` returns its position.
        """
        return self._rows_of(Positions)

    @cached_property
    def inputs(self) -> pa.Table:
        """The rows of table ``inputs`` whose first tick is in this window."""
        return self._rows_of(Inputs)

    def _rows_of(self, kind: type[BulkBuilder]) -> pa.Table:
        builder = kind(self._header)
        builder.attach(self._columns)
        return self._filtered(builder.piece())

    @cached_property
    def _columns(self) -> ColumnPass:
        """Positions and inputs from the tick before the window on, whose inputs act on the window's first tick."""
        checkpoint = self._index.before(self.start - 1)
        columns = columns_from(checkpoint, self._index, self._header, self._new_reader(), ("positions", "inputs"))
        if self.intervals is not None:
            columns.keep_rows_of([cid for cid, _, _ in self.intervals])
        run_to(columns, self.end)
        return columns

    def _filtered(self, table: pa.Table) -> pa.Table:
        def between(first: int, last: int) -> pa.ChunkedArray:
            tick = table["tick"]
            least, most = (scalar_of(end, tick.type) for end in (first, last))
            return pc.and_(pc.greater_equal(tick, least), pc.less_equal(tick, most))

        if self.intervals is None:
            return table.filter(between(self.start, self.end))
        kept = None
        for cid, first, last in self.intervals:
            own = pc.equal(table["client"], scalar_of(cid, table["client"].type))
            whose = pc.and_(own, between(max(first, self.start), min(last, self.end)))
            kept = whose if kept is None else pc.or_(kept, whose)
        return table.slice(0, 0) if kept is None else table.filter(kept)

    def __repr__(self) -> str:
        whom = "everybody" if self.intervals is None else f"{len(self.intervals)} connections"
        return f"<Window of ticks {self.start} to {self.end}, {whom}>"


#: Bytes of a recording below which one thread is as fast.
SMALLEST = 8 << 20

# Stretches for each thread: all end together.
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

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(jobs - 1) as pool:
        others = [pool.submit(work) for _ in range(jobs - 1)]
        meanwhile()
        work()
        for each in others:
            each.result()
    ordered = [parts[number] for number in sorted(parts)]
    return {name: pa.concat_tables([part[name] for part in ordered]).unify_dictionaries() for name in builders}
