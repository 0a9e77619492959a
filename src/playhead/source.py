"""Where bytes come from: the only module that touches files and networks.

A `Source` is the whole input as one buffer: a file memory-mapped, bytes as they are, a file object or URL
read, and the outer compression (``.xz``, ``.gz``, ``.bz2``, ``.zst``, recognised by content) undone. Everything
above works on the buffer and never does input or output.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay, UnknownFormat
from playhead.limits import Limits
from playhead.problems import Problem

#: What `playhead.open` accepts.
Input = Any  # str | os.PathLike[str] | bytes-like | binary file object


@dataclass(slots=True)
class Source:
    """The bytes of one replay.

    Attributes:
        name: path or URL as given, or ``<bytes>`` / ``<file object>``: names the input in errors.
        data: the decompressed bytes; a read-only memoryview, memory-mapped where the input is a plain file.
        compression: ``xz``, ``gz``, ``bz2``, ``zst`` or None.
        problems: what went wrong on the way here (a cut compressed stream); the bytes before it are in `data`.
    """

    name: str
    data: memoryview
    compression: str | None = None
    problems: list[Problem] = field(default_factory=list)


class _Decompressor(Protocol):
    """What the standard library's decompressor objects have in common (gzip is wrapped to match)."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1, /) -> bytes: ...


class _GzipDecompressor:
    """zlib's object with the interface of the other three."""

    def __init__(self) -> None:
        import zlib

        self._inner = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1, /) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max(0, max_length))


def _xz() -> _Decompressor:
    import lzma

    return lzma.LZMADecompressor()


def _bz2() -> _Decompressor:
    import bz2

    return bz2.BZ2Decompressor()


def _zst() -> _Decompressor:
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    return cast(_Decompressor, zstd.ZstdDecompressor())


_COMPRESSIONS: tuple[tuple[str, bytes, Callable[[], _Decompressor]], ...] = (
    ("xz", b"\xfd7zXZ\0", _xz),
    ("gz", b"\x1f\x8b\x08", _GzipDecompressor),
    ("bz2", b"BZh", _bz2),
    ("zst", b"\x28\xb5\x2f\xfd", _zst),
)

_CHUNK = 1 << 20


def _compression_of(data: memoryview) -> tuple[str, bytes, Callable[[], _Decompressor]] | None:
    for entry in _COMPRESSIONS:
        if data[: len(entry[1])] == entry[1]:
            return entry
    return None


def _inflate(data: memoryview, new: Callable[[], _Decompressor], magic: bytes) -> Iterator[bytes]:
    """The decompressed pieces of one or several concatenated streams; raises EOFError where they are cut."""
    position = 0
    pending = b""
    while position < len(data) or pending:
        stream = new()
        while not stream.eof:
            if stream.needs_input and not pending:
                if position >= len(data):
                    raise EOFError
                pending = bytes(data[position : position + _CHUNK])
                position += len(pending)
            chunk, pending = pending, b""
            piece = stream.decompress(chunk, _CHUNK)
            if piece:
                yield piece
        pending = stream.unused_data
        if len(pending) < len(magic):
            pending += bytes(data[position : position + _CHUNK])
            position += _CHUNK
        if not pending.startswith(magic):
            return  # padding or foreign bytes behind the last stream: what `xz` and `gzip` ignore too


def decompress(source: Source, limits: Limits) -> Source:
    """Undo the outer compression, if there is one.

    A damaged or cut stream gives what could be decompressed and a `Problem`; one whose first byte is lost
    raises. More than `limits.decompressed_input` bytes raise `LimitExceeded`.
    """
    entry = _compression_of(source.data)
    if entry is None:
        return source
    name, magic, new = entry
    out = bytearray()
    problems = list(source.problems)
    try:
        for piece in _inflate(source.data, new, magic):
            if len(out) + len(piece) > limits.decompressed_input:
                raise LimitExceeded(
                    f"the {name} stream expands to more than the limit of {limits.decompressed_input} bytes",
                    file=source.name,
                )
            out += piece
    except ReplayError:
        raise
    except Exception as error:  # each library has its own error class (LZMAError, zlib.error, OSError …)
        found: ReplayError
        if isinstance(error, EOFError):
            found = TruncatedReplay(f"expected the end of the {name} stream, found the end of the file")
        else:
            found = CorruptReplay(f"expected a sound {name} stream: {error}")
        found.locate(file=source.name, where=f"{name} stream")
        if not out:
            raise found from error
        problems.append(Problem.from_error(found, cost=f"everything after {len(out)} decompressed bytes"))
    return Source(source.name, memoryview(out).toreadonly(), name, problems)


def _from_path(path: str | os.PathLike[str]) -> Source:
    name = os.fspath(path)
    if Path(name).is_dir():
        raise UnknownFormat("expected a replay file, found a directory", file=name)
    with open(name, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            data = memoryview(file.read())  # an empty file, or one that does not know its size (a pipe)
        else:
            # The map keeps the file open by itself and is released with the last view of it.
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    return Source(name, data)


def _from_url(url: str) -> Source:
    try:
        import fsspec
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"{url} is a URL: reading those needs fsspec (pip install 'playhead[remote]')"
        ) from None
    with fsspec.open(url, "rb") as file:
        return Source(url, memoryview(file.read()))


def open_source(target: Input, limits: Limits) -> Source:
    """The bytes of `target`, decompressed.

    Args:
        target: a path, a URL (``s3://…``, through fsspec), any bytes-like object, or an object with `read`.

    Raises:
        OSError: the file cannot be opened.
        UnknownFormat: it is a directory.
        TypeError: `target` is none of those.
    """
    if isinstance(target, str | os.PathLike):
        text = os.fspath(target)
        source = _from_url(text) if "://" in text else _from_path(target)
    elif hasattr(target, "read"):
        content = target.read()
        if not isinstance(content, bytes | bytearray | memoryview):
            raise TypeError(f"expected a file object opened in binary mode, got {type(content).__name__}")
        source = Source(str(getattr(target, "name", "<file object>")), memoryview(content).toreadonly())
    else:
        try:
            source = Source("<bytes>", memoryview(target).toreadonly().cast("B"))
        except TypeError:
            raise TypeError(f"expected a path, URL, bytes or file object, got {type(target).__name__}") from None
    return decompress(source, limits)
