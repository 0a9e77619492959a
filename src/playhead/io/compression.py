"""Decompression of an input that is compressed as a whole (``.xz``, ``.gz``, ``.bz2``, ``.zst``), piece by piece.

Content decides the compression, never the file name. This module does no input or output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.runtime.records import dataclass
from playhead.runtime.typing import Protocol, cast

#: Place of foreign bytes after the last stream.
AFTER_STREAMS = "compressed file"

#: Size of a piece of input and of output, in bytes.
PIECE = 1 << 20

#: First piece of input of a stream; each further one is twice as long. The rest of the last piece is copied at the
#: end of its stream, so many short streams must not get long pieces.
_FIRST = 1 << 10

#: Streams that an input may have, in addition to one for so many bytes. A decompressor takes up to 60 µs to make.
_MOST_STREAMS, _BYTES_A_STREAM = 1 << 14, 1 << 10

#: Memory that a decompressor of ``.xz`` may take, in bytes: its dictionary. The strongest preset asks for 65 MB.
_XZ_MEMORY = 256 << 20


class _Decompressor(Protocol):
    """The common interface of the standard library's decompressors (gzip is wrapped)."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1, /) -> bytes: ...


class _GzipDecompressor:
    """zlib's object with the interface of the other three.

    A call returns all bytes before an error, such as a wrong checksum at the end; the next call raises the error.
    """

    def __init__(self) -> None:
        import zlib

        self._inner = zlib.decompressobj(wbits=31)
        self._error: Exception | None = None

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return self._error is None and not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1, /) -> bytes:
        if self._error is not None:
            raise self._error
        given, before = self._inner.unconsumed_tail + data, self._inner.copy()
        try:
            return self._inner.decompress(given, max(0, max_length))
        except Exception as error:
            self._error = error
        # All that comes before the error has room within `max_length`.
        kept = bytearray()
        with suppress(type(self._error)):
            for place in range(len(given)):
                kept += before.decompress(given[place : place + 1])
        return bytes(kept)


def _xz() -> _Decompressor:
    import lzma

    return lzma.LZMADecompressor(memlimit=_XZ_MEMORY)


def _bz2() -> _Decompressor:
    import bz2

    return bz2.BZ2Decompressor()


def _zst() -> _Decompressor:
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    return cast(_Decompressor, zstd.ZstdDecompressor())


@dataclass(frozen=True, slots=True)
class Compression:
    """A compression.

    Attributes:
        name: ``xz``, ``gz``, ``bz2`` or ``zst``.
        magic: first bytes of every stream.
        new: returns a decompressor of one stream.
    """

    name: str
    magic: bytes
    new: Callable[[], _Decompressor]


_COMPRESSIONS = (
    Compression("xz", b"\xfd7zXZ\0", _xz),
    Compression("gz", b"\x1f\x8b\x08", _GzipDecompressor),
    Compression("bz2", b"BZh", _bz2),
    Compression("zst", b"\x28\xb5\x2f\xfd", _zst),
)

#: Length of the longest magic.
LONGEST_MAGIC = max(len(known.magic) for known in _COMPRESSIONS)


def compression_of(head: bytes | memoryview) -> Compression | None:
    """Return the compression of an input with these first bytes; None if it is not compressed."""
    for known in _COMPRESSIONS:
        if head[: len(known.magic)] == known.magic:
            return known
    return None


def _inflate(pieces: Iterator[bytes], compression: Compression) -> Iterator[bytes]:
    magic = compression.magic
    pending = memoryview(b"")
    first = True
    streams = used = 0
    while True:
        while len(pending) < len(magic):
            more = next(pieces, None)
            if more is None:
                break
            if not more:
                yield more
            pending = memoryview(bytes(pending) + more)
        if pending[: len(magic)] != magic and not first:
            yield from _pass_padding(pending, pieces, used, compression.name)
            return
        first = False
        stream = compression.new()
        size = _FIRST
        while not stream.eof:
            while stream.needs_input and not pending:
                more = next(pieces, None)
                if more is None:
                    raise EOFError
                if not more:
                    yield more
                pending = memoryview(more)
            chunk = pending[:size] if stream.needs_input else pending[:0]
            pending = pending[len(chunk) :]
            size = min(2 * size, PIECE)
            used += len(chunk)
            piece = stream.decompress(bytes(chunk), PIECE)
            if piece:
                yield piece
        pending = _joined(stream.unused_data, pending)
        streams += 1
        used -= len(stream.unused_data)
        if streams > _MOST_STREAMS + used // _BYTES_A_STREAM:
            raise LimitExceeded(f"found {streams} {compression.name} streams in {used} bytes, too many to read")


def _pass_padding(pending: memoryview, pieces: Iterator[bytes], offset: int, name: str) -> Iterator[bytes]:
    """Read the zeros after the last stream to the end, yielding empty pieces.

    Raises:
        CorruptReplay: there are other bytes.
    """
    size, is_padding = len(pending), not any(pending)
    for piece in pieces:
        size += len(piece)
        is_padding = is_padding and not piece.strip(b"\0")
        if not piece:
            yield piece
    if not is_padding:
        text = f"expected another {name} stream or the end of the file, found {size} other bytes"
        raise CorruptReplay(text, where=AFTER_STREAMS, offset=offset)


def _joined(unused: bytes, pending: memoryview) -> memoryview:
    """Return the input after a stream: the unused end of the bytes before `pending`, and `pending`."""
    start = len(memoryview(pending.obj)) - len(pending) - len(unused)
    return memoryview(pending.obj)[start:]


def inflate(pieces: Iterable[bytes], compression: Compression) -> Iterator[bytes]:
    """Iterate over the decompressed pieces (each at most `PIECE` bytes) of one or several concatenated streams.

    An empty piece means "nothing more for now" and is passed through (see `playhead.io.stream.Stream`).

    Raises:
        LimitExceeded: the input has many short streams, or asks for a dictionary of `_XZ_MEMORY` bytes.
        TruncatedReplay: the last stream is cut; raised after all readable pieces.
        CorruptReplay: a stream is damaged, or bytes that are not zeros follow the last one; raised after all
            readable pieces.
    """
    try:
        yield from _inflate(iter(pieces), compression)
    except (ReplayError, MemoryError):
        raise
    except Exception as error:  # each library has its own error class (LZMAError, zlib.error, OSError …)
        name = compression.name
        found: ReplayError
        if isinstance(error, EOFError):
            found = TruncatedReplay(f"expected the end of the {name} stream, found the end of the file")
        elif "memory usage limit" in str(error).lower():
            found = LimitExceeded(f"the {name} stream asks for more than {_XZ_MEMORY} bytes of memory")
        else:
            found = CorruptReplay(f"expected a sound {name} stream: {error}")
        raise found.locate(where=f"{name} stream") from error
