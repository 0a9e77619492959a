"""`Driver`: one pass over a recording, with a `ColumnPass`, the connections and handlers of rare messages.

All readers of a whole recording use a `Driver`: tables, events, the index of `state.seek`, the facts of a folder.
Messages are decoded once, for any number of handlers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Protocol

from playhead.errors import CorruptReplay, LimitExceeded, ReplayError
from playhead.runtime.records import dataclass
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.expectations import Expectations
from playhead.teehistorian.state.tracker import ConnectionTracker, RareMessage, SlotFollower
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.feed import Feed
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import Message

#: Messages between two reports of progress.
STRETCH = 1 << 18


class MessageHandler(Protocol):
    """Handles rare messages."""

    @property
    def handles(self) -> tuple[type, ...]:
        """Types of the messages and extensions that `on_message` gets."""

    def on_message(self, rare: RareMessage) -> None:
        """Handle one message."""


@dataclass(frozen=True, slots=True)
class PassOutcome:
    """The results of a pass over the whole stream, except columns.

    Attributes:
        last_tick: tick of the last readable message.
        complete: the recording ends with FINISH and no bytes follow it.
        connections: all connections.
    """

    last_tick: int
    complete: bool
    connections: tuple[Connection, ...]


class Driver:
    """One pass over the messages of `feed`, in stretches.

    Attributes:
        feed: the source of messages.
        columns: the columns that the pass fills.
        damage: the error that ended the pass early, if any.
    """

    def __init__(
        self,
        feed: Feed,
        header: Header,
        *,
        handlers: Iterable[MessageHandler] = (),
        columns: Collection[str] = (),
        connections: bool = True,
        rows: int | None = None,
    ) -> None:
        """
        Args:
            feed: source of messages, before the first one.
            header: header of the recording.
            handlers: handlers of rare messages.
            columns: names of the columns to fill: messages, positions, inputs.
            connections: track connections, as handlers, positions and inputs require. A pass without them has no
                `outcome`.
            rows: largest number of messages that handlers get (one more raises LimitExceeded); None for no limit,
                if the handlers do not store messages.
        """
        self.feed = feed
        self.damage: ReplayError | None = None
        self._tracker = ConnectionTracker.for_header(header, feed.limits.sessions)
        self._slots = SlotFollower(self._tracker)
        self._handlers: dict[type, list[MessageHandler]] = {}
        for handler in handlers:
            for kind in handler.handles:
                self._handlers.setdefault(kind, []).append(handler)
        self._rows_left = None if rows is None else min(rows, feed.limits.rows)
        self._damaged = 0
        self._first_damaged: CorruptReplay | None = None
        self._trailing = 0
        listener = self._on_message if connections else None
        self.columns = ColumnPass(feed.reader, **dict.fromkeys(columns, True), listener=listener)
        self._expectations = Expectations(header, self.columns.positions)

    def _on_message(self, tick: int, message: Message) -> None:
        rare = self._tracker.on_message(tick, message)
        if rare.damage is not None:
            self._damaged += 1
            if self._first_damaged is None:
                text = f"expected a whole extension payload: {rare.damage.message}"
                self._first_damaged = CorruptReplay(text, offset=self.feed.reader.offset, tick=tick)
            return
        self._slots.follow(rare, self.columns)
        self._expectations.on_message(rare, self.feed.reader.offset)
        handlers = self._handlers.get(type(rare.extension or message))
        if handlers is None:
            return
        if self._rows_left is not None:
            if not self._rows_left:
                raise LimitExceeded(f"there are more rows than the limit of {self.feed.limits.rows}")
            self._rows_left -= 1
        for handler in handlers:
            handler.on_message(rare)

    def advance(self, count: int = STRETCH) -> bool:
        """Read up to `count` messages; return False after the last one. Damage ends the pass and is set as
        `damage`."""
        try:
            if self.feed.drive(self.columns, count):
                return True
        except ReplayError as error:
            self.damage = error.with_traceback(None)  # a traceback's frames would keep all columns alive
        self._trailing = self.feed.trailing()
        return False

    def problems(self) -> Iterator[tuple[ReplayError, str]]:
        """Yield the problems of a finished pass, each with its cost."""
        if self._first_damaged is not None:
            yield self._first_damaged, f"what {self._damaged} extension messages hold"
        columns = self.columns
        strays = columns.stray_positions + columns.stray_inputs
        if strays:
            error = CorruptReplay(
                f"{columns.stray_positions} records change the position of a tee that is not there, "
                f"{columns.stray_inputs} change an input that was never recorded; this is the first",
                offset=columns.first_stray_offset,
                tick=columns.first_stray_tick,
            )
            yield error, f"{strays} rows of positions and inputs"
        yield from self._expectations.problems(self.feed.reader.tick)
        yield from self.feed.problems(self.damage, self._trailing)

    @property
    def connections_so_far(self) -> int:
        """Number of connections so far."""
        return len(self._tracker.connections)

    def outcome(self) -> PassOutcome:
        """Return the results of a finished pass."""
        reader = self.feed.reader
        complete = reader.finished and not self._trailing
        return PassOutcome(reader.tick, complete, tuple(self._tracker.connections))
