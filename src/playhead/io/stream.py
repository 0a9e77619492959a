"""Inputs read front to back in flat memory: files larger than memory, pipes, files that are still being written.

A `Stream` yields pieces of decompressed bytes; a decoder decodes the complete part of a piece, keeps the rest and
requests the next piece. The stream keeps only the first bytes.
"""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Callable, Iterator
from itertools import chain

from playhead.errors import CorruptReplay, ReplayError, TruncatedReplay
from playhead.io.compression import LONGEST_MAGIC, PIECE, compression_of, inflate
from playhead.runtime.cached import cached_property
from playhead.runtime.records import dataclass
from playhead.runtime.typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Follow:
    """How to wait for more data of a file that is still being written.

    Attributes:
        idle_seconds: without new data for this long, the file counts as ended.
        interval: seconds between two checks.
        stop: called before each wait; returning True ends the file. Lets another thread end the reading.
        sleep: function that waits; tests replace it.
    """

    idle_seconds: float = 30.0
    interval: float = 0.25
    stop: Callable[[], bool] | None = None
    sleep: Callable[[float], object] = time.sleep

    def __post_init__(self) -> None:
        if not self.interval > 0 or not self.idle_seconds >= 0:
            raise ValueError("expected an interval above 0 and idle_seconds of 0 or more")


class Stream:
    """One input, front to back.

    Attributes:
        name: names the input in errors.
        reopenable: `pieces` may be called repeatedly; an input that can be read only once (a pipe) gives its
            bytes to the first caller.
        follow: how `pieces` waits at the end of the file; None if it does not wait.
        compression: ``xz``, ``gz``, ``bz2``, ``zst`` or None; known after `peek` or the first piece.
        done: stored bytes (before decompression) read by the latest `pieces`.
        losses: problems of the input that did not end it, with the lost data.
        trouble: returns why the input ended, if known; else an empty text.
    """

    def __init__(
        self, name: str, open_file: Callable[[], BinaryIO], *, reopenable: bool, follow: Follow | None = None
    ) -> None:
        """`open_file` opens the input at its first byte; the stream closes it if it is `reopenable`."""
        self.name = name
        self.reopenable = reopenable
        self.follow = follow
        self.compression: str | None = None
        self.done = 0
        self.losses: list[tuple[ReplayError, str]] = []
        self.trouble: Callable[[], str] = str
        self._open_file = open_file
        self._head = b""
        self._head_is_all = False
        self._head_error: ReplayError | None = None
        self._once: Iterator[bytes] | None = None
        self._given = False

    @cached_property
    def size(self) -> int:
        """Bytes of the input as stored; 0 if unknown or still growing."""
        if not self.reopenable or self.follow is not None:
            return 0
        with self._open_file() as file:
            try:
                return os.fstat(file.fileno()).st_size
            except OSError:
                return file.seek(0, os.SEEK_END)

    def peek(self, size: int) -> bytes:
        """Return the first decompressed bytes: at least `size`, or all if there are fewer; waits for a followed
        input.

        Raises:
            ReplayError: the compressed stream is damaged before that.
        """
        if len(self._head) < size and not self._head_is_all:
            if self._once is None or self.reopenable:
                self._head = b""
                self._once = self._read(self.follow)
            parts, length = [self._head], len(self._head)
            try:
                while length < size:
                    piece = next(self._once, None)
                    if piece is None:
                        self._head_is_all = self.follow is None
                        break
                    parts.append(piece)
                    length += len(piece)
            except ReplayError as error:
                self._head_error = error
                self._head_is_all = True
            self._head = b"".join(parts)
            if self.reopenable:
                self._once.close()  # type: ignore[attr-defined]
        if len(self._head) < size and self._head_error is not None and not self._head:
            raise self._head_error
        return self._head

    def pieces(self, *, wait: bool = True) -> Iterator[bytes]:
        """Yield the decompressed bytes from the first on, in pieces of at most about a megabyte.

        A followed file yields an empty piece before each wait, to let the caller flush gathered data.

        Args:
            wait: follow the file, if it was opened to be followed; else end at its present end.

        Raises:
            TruncatedReplay, CorruptReplay: the compressed stream is cut or damaged, or the file is shorter than
            when it was opened; raised after all readable pieces.
            ReplayError: the input can be read only once, and was read before.
        """
        if self.reopenable:
            size = 0
            for piece in self._read(self.follow if wait else None):
                size += len(piece)
                yield piece
            if size < len(self._head):
                text = f"expected the {len(self._head)} bytes that were read when it was opened, found {size}"
                raise TruncatedReplay(text, file=self.name, offset=size)
            return
        if self._given:
            raise ReplayError(
                "this input can be read only once, front to back: open it without stream=True to read it several "
                "times",
                file=self.name,
            )
        self._given = True
        if self._once is None:
            self._once = self._read(self.follow)
        if self._head:
            yield self._head
        if self._head_error is not None:
            raise self._head_error
        yield from self._once

    def _read(self, follow: Follow | None) -> Iterator[bytes]:
        file = self._open_file()
        try:
            raw = self._raw(file, follow)
            head = b""
            for piece in raw:
                head += piece
                if len(head) >= LONGEST_MAGIC:
                    break
                if not piece:
                    yield piece
            found = compression_of(head)
            self.compression = found.name if found else None
            if found is None:
                if head:
                    yield head
                yield from raw
            else:
                yield from inflate(chain([head], raw), found)
        except ReplayError as error:
            raise error.locate(file=self.name) from error.__cause__
        finally:
            if self.reopenable:
                file.close()

    def _raw(self, file: BinaryIO, follow: Follow | None) -> Iterator[bytes]:
        self.done = 0
        pipe = follow is not None and _is_pipe(file)
        # read1 returns available bytes; read waits until a piece is full.
        read: Callable[[int], bytes] = getattr(file, "read1", file.read)
        waited = 0.0
        while True:
            if pipe and follow is not None and not select.select([file], [], [], 0)[0]:
                piece = b""
            else:
                piece = read(PIECE)
                if not piece and (pipe or follow is None):
                    return
            if piece:
                if not isinstance(piece, bytes):
                    raise TypeError(f"expected a file object opened in binary mode, got {type(piece).__name__}")
                self.done += len(piece)
                waited = 0.0
                yield piece
                continue
            assert follow is not None
            _check_not_shorter(file, self.done)
            yield b""
            if waited >= follow.idle_seconds or (follow.stop is not None and follow.stop()):
                return
            follow.sleep(follow.interval)
            waited += follow.interval


def _is_pipe(file: BinaryIO) -> bool:
    """Return whether `select` sees data to read without waiting."""
    if os.name != "posix":
        return False
    try:
        mode = os.fstat(file.fileno()).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _check_not_shorter(file: BinaryIO, done: int) -> None:
    try:
        status = os.fstat(file.fileno())
    except OSError:
        return
    if stat.S_ISREG(status.st_mode) and status.st_size < done:
        raise CorruptReplay(
            f"expected the file to grow, found it cut to {status.st_size} bytes after {done} had been read"
        )
