"""`Feed`: passes the bytes of a recording to a `MessageReader`, in pieces if it is a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.io.source import Source
from playhead.limits import FREE_ROWS, Limits
from playhead.runtime.records import replace
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.header import MAGIC, Header, read_header
from playhead.teehistorian.stream.messages import Message
from playhead.teehistorian.stream.reader import MessageReader

#: A compressed recording may always have this many messages: as many as a full server writes in half an hour.
_ALWAYS_ALLOWED = 1 << 22

#: Bytes of a message without its payload: id, client, size, UUID.
_HEAD_BYTES = 64


def read_source_header(source: Source, limits: Limits) -> Header:
    """Read the header of a source; of a stream, read no more than the header needs."""
    if source.stream is None:
        return read_header(source.data, limits)
    size = 1
    while True:
        head = source.stream.peek(size)
        try:
            return read_header(memoryview(head), limits)
        except TruncatedReplay:
            if len(head) < size:
                raise
        # A followed file may contain only the header for a long time.
        size = len(head) + (len(head) if source.stream.follow is None else 1)


def _most_messages(source: Source, limits: Limits) -> int:
    """Return the largest number of messages of a source; few compressed bytes can contain many."""
    if source.compressed_size is None:
        return 1 << 62
    return max(_ALWAYS_ALLOWED, limits.work * source.compressed_size)


class Feed:
    """A `MessageReader` and the source of its bytes.

    The caller that drives `reader` calls `refill` at the end of the reader's bytes and after `TruncatedReplay`,
    and continues if `refill` returns True. Memory holds one piece and the message at its end.

    Attributes:
        reader: reads the messages after the header.
        idle: the last `refill` added nothing: a followed file has not grown.
        damage: the error that ended the bytes early (a truncated compressed stream), if any.
        limits: the given limits, with fewer rows if the file is small and compressed.
        compressed_size: as of the source.
    """

    def __init__(
        self, source: Source, header: Header, limits: Limits, *, wait: bool = False, until: int | None = None
    ) -> None:
        """
        Args:
            wait: wait for more bytes of a followed source; without it, stop at the present end.
            until: offset of a message before which to stop, of a source that is no stream; None for all.
        """
        self.idle = False
        self.damage: ReplayError | None = None
        self.compressed_size = source.compressed_size
        if source.compressed_size is not None:
            limits = replace(limits, rows=min(limits.rows, FREE_ROWS + source.compressed_size))
        self.limits = limits
        self._max_payload = limits.message
        self._base = 0
        self._pieces: Iterator[bytes] = iter(())
        self._buffer: bytes | memoryview = source.data[:until]
        self._whole = len(self._buffer)
        if source.stream is not None:
            self._pieces = source.stream.pieces(wait=wait)
            self._buffer = b""
            self._whole = 0
            for piece in self._pieces:  # raises TruncatedReplay if they are fewer than the header that was read
                self._buffer += piece
                if len(self._buffer) >= header.size:
                    break
            if bytes(self._buffer[len(MAGIC) : header.size - 1]) != header.raw:
                text = "expected the header that was read when it was opened: the file was replaced"
                raise CorruptReplay(text, file=source.name, offset=0)
        self.reader = MessageReader(
            self._buffer,
            header.size,
            version=header.version,
            max_payload=self._max_payload,
            max_string=limits.string,
            max_arguments=limits.elements,
            max_messages=_most_messages(source, limits),
        )

    def refill(self) -> bool:
        """Append the next bytes to the reader; return False at the final end.

        Raises:
            LimitExceeded: a message is longer than `Limits.message`.
        """
        try:
            piece = next(self._pieces, None)
        except ReplayError as error:
            self.damage = error
            self._pieces = iter(())
            return False
        if piece is None:
            return False
        self.idle = not piece
        if piece:
            rest = self._buffer[self.reader.end_offset() - self._base :]
            if len(rest) > self._max_payload + _HEAD_BYTES:
                raise LimitExceeded(
                    f"a message of more than {len(rest)} bytes is above the limit of {self._max_payload}",
                    offset=self.reader.end_offset(),
                    tick=self.reader.tick,
                )
            self._base = self.reader.end_offset()
            self._buffer = bytes(rest) + piece
            self.reader.continue_with(self._buffer)
        return True

    def drive(self, columns: ColumnPass, count: int) -> bool:
        """Let `columns` (which drives `reader`) read up to `count` messages; return False after the last message,
        or the last one up to its limit.

        Raises:
            ReplayError: a message cannot be decoded, or the bytes end within one.
        """
        try:
            if columns.run(count):
                return True
        except TruncatedReplay:
            if not self.refill():
                raise
            return True
        return not self.reader.finished and not columns.at_limit and self.refill()

    def advance(self) -> bool:
        """As `MessageReader.advance`, over all pieces; return False after the last message.

        Raises:
            ReplayError: a message cannot be decoded, or the bytes end within one.
        """
        while True:
            try:
                if self.reader.advance():
                    return True
            except TruncatedReplay:
                if not self.refill():
                    raise
                continue
            if self.reader.finished or not self.refill():
                return False

    def trailing(self) -> int:
        """Return the number of bytes after the last message; read a stream to its end, unless it is followed."""
        if self._whole:
            return self._whole - self.reader.end_offset()
        here = self._base + len(self._buffer)
        try:
            here += sum(map(len, self._pieces))
        except ReplayError as error:
            self.damage = error
        return here - self.reader.end_offset()

    def problems(self, damage: ReplayError | None, trailing: int) -> Iterator[tuple[ReplayError, str]]:
        """Yield the errors that ended the messages early, each with its cost.

        Args:
            damage: the error that ended the reading; None at the last message.
            trailing: see `trailing`.
        """
        reader = self.reader
        if self.damage is not None:
            here = reader.end_offset() + trailing
            yield self.damage, f"everything after {here} decompressed bytes"
        after_tick = f"everything recorded after tick {reader.tick}; how much that was is unknown"
        if isinstance(damage, TruncatedReplay):
            yield damage, after_tick
        elif isinstance(damage, LimitExceeded):
            yield damage, f"the last {trailing} bytes: everything after tick {reader.tick}"
        elif damage is not None:
            cost = f"the last {trailing} bytes: messages have no frame, so nothing after a bad one can be found"
            yield damage, cost
        elif not reader.finished:
            text = (
                "expected the FINISH message that ends a recording, found the end of the file "
                "(was the server killed?)"
            )
            yield TruncatedReplay(text, offset=reader.end_offset(), tick=reader.tick), after_tick
        elif trailing:
            text = f"expected the end of the file after FINISH, found {trailing} more bytes"
            yield (CorruptReplay(text, offset=reader.end_offset(), tick=reader.tick), f"the last {trailing} bytes")

    def rare_and_rest(self) -> Iterator[tuple[int, Message | bytes]]:
        """Yield every NET_MESSAGE, JOIN, DROP, CONSOLE_COMMAND and EX with its tick, and between them the bytes of
        all other messages.

        Raises:
            ReplayError: at the first damaged message, after all messages before it.
        """
        reader = self.reader
        for part in self._bytes_between(reader.advance_to_rare):
            yield reader.tick, reader.message() if part is None else part

    def bytes_to(self, tick: int) -> Iterator[bytes]:
        """Yield the bytes of the messages after the current one, up to the end of `tick`.

        Raises:
            ReplayError: as for `rare_and_rest`.
        """
        reader = self.reader
        for part in self._bytes_between(lambda: reader.advance_past(tick)):
            if part is None:
                return
            yield part

    def _bytes_between(self, advance: Callable[[], bool]) -> Iterator[bytes | None]:
        """Yield None when `advance` finds a message, and before that the bytes of the skipped messages."""
        reader = self.reader
        done = reader.end_offset()
        while True:
            error: ReplayError | None = None
            try:
                found = advance()
            except ReplayError as raised:
                error, found = raised, False
            until = reader.offset if found else reader.end_offset()
            if until > done:
                yield bytes(self._buffer[done - self._base : until - self._base])
            if found:
                yield None
            elif error is not None and not isinstance(error, TruncatedReplay):
                raise error from None
            elif reader.finished or not self.refill():
                if self.damage is not None:
                    raise self.damage
                if error is not None:
                    raise error from None
                return
            done = reader.end_offset()

    def __iter__(self) -> Iterator[tuple[int, Message]]:
        """Yield (tick, message); wait for more if the source is followed.

        Raises:
            ReplayError: at the first damaged message, after all messages before it.
        """
        while True:
            try:
                yield from self.reader
            except TruncatedReplay:
                if not self.refill():
                    raise
                continue
            if self.reader.finished or not self.refill():
                break
        if self.damage is not None:
            raise self.damage
