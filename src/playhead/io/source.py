"""`Source`: an input as one buffer. Only the modules of `playhead.io` touch files and networks.

A file, a file object or a URL is read into memory, where no other process can cut or change it; bytes are used as
they are. An input that is compressed as a whole (``.xz``, ``.gz``, ``.bz2``, ``.zst``) is decompressed. The other
rooms work on the buffer. An input that is streamed or followed is a `Stream`; its buffer has only the first bytes.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay, UnknownFormat
from playhead.io.compression import PIECE, compression_of, inflate
from playhead.io.ordinary import open_file_or_pipe, stamp_of
from playhead.io.packs import SEPARATOR, is_plain_tar, is_url, open_member, split_member, stored_size
from playhead.io.stream import Follow, Stream
from playhead.limits import ALWAYS_ALLOWED, Limits
from playhead.model import Problem
from playhead.runtime.records import dataclass, field
from playhead.runtime.typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from playhead.io.fragments import Fragments

#: What `playhead.open` accepts.
Input = Any  # str | os.PathLike[str] | bytes-like | binary file object


@dataclass(frozen=True, slots=True)
class Origin:
    """How to open a source again, also in another process; pickled with a replay.

    Attributes:
        name: name of the source.
        location: absolute path or URL; None if there are only bytes.
        data: the decompressed bytes; None with a location.
        compression: their original compression.
        problems: problems of the bytes.
        stream: it was opened as a stream.
        follow: it was opened to be followed.
        fragments: the bytes are of a joined broadcast.
    """

    name: str
    location: str | None
    data: bytes | None = None
    compression: str | None = None
    problems: tuple[Problem, ...] = ()
    stream: bool = False
    follow: Follow | None = None
    fragments: Fragments | None = None


@dataclass(slots=True)
class Source:
    """The bytes of one replay.

    Attributes:
        name: path or URL as given, ``<bytes>`` or ``<file object>``; names the input in errors.
        data: the decompressed bytes as a read-only memoryview.
        compression: ``xz``, ``gz``, ``bz2``, ``zst`` or None.
        problems: problems of the input, such as a cut compressed stream; `data` has the bytes before them.
        stream: the whole input if it is streamed or followed; `data` then holds at most its first `STREAM_HEAD`
            bytes. None if `data` is complete.
        fragments: the fragments if the input is a broadcast. `data` is empty until a format has joined them.
        place: for a broadcast, maps an offset in `data` to a part (``23/delta``) and the offset in it; else None.
        location: path or URL that can be opened again; None for bytes, file objects and pipes.
        compressed_size: compressed size of the whole input; None if it is not compressed, or unknown.
        stamp: identity, size and times of change of a file: while they are the same, so are its bytes. None if
            it changed so recently that these may be equal although the bytes are not, and for other inputs.
    """

    name: str
    data: memoryview
    compression: str | None = None
    problems: list[Problem] = field(default_factory=list)
    stream: Stream | None = None
    fragments: Fragments | None = None
    place: Callable[[int], tuple[str, int] | None] | None = None
    location: str | None = None
    compressed_size: int | None = None
    stamp: tuple[int, ...] | None = None

    def origin(self) -> Origin:
        """Return the information to open it again.

        Raises:
            TypeError: it is a stream that can be read only once.
        """
        stream = self.stream
        if stream is not None and (self.location is None or not stream.reopenable):
            raise TypeError(
                f"{self.name} was opened as a stream that can be read only once: it cannot be opened again"
            )
        if self.location is None:
            problems = tuple(self.problems)
            return Origin(self.name, None, bytes(self.data), self.compression, problems, fragments=self.fragments)
        location = self.location if is_url(self.location) else os.path.abspath(self.location)
        return Origin(self.name, location, stream=stream is not None, follow=stream.follow if stream else None)

    def release(self) -> None:
        """Take the bytes out of memory, until they are read again, if they are on disk."""
        _release(self.data)

    def move_to_disk(self) -> None:
        """Replace the bytes in memory, unless a caller gave them, by a mapped copy on disk with room for it."""
        if self.location is not None and self.stream is None and not hasattr(self.data.obj, "madvise"):
            self.data = _on_disk(self.data, len(self.data)) or self.data

    def content_hash(
        self, limits: Limits | None = None, report: Callable[[int, int], None] = lambda done, total: None
    ) -> str | None:
        """SHA-256 of the readable decompressed bytes in hexadecimal; None for a stream that can be read only once.

        Args:
            limits: bounds on the bytes of a stream; None reads it to its end.
            report: called with the number of bytes read, and 0.

        Raises:
            LimitExceeded: a stream has more bytes than `limits` allow.
        """
        import hashlib

        if not (self.stream is None or self.stream.reopenable):
            return None
        found = hashlib.sha256()
        if self.stream is None:
            for start in range(0, len(self.data), PIECE):
                found.update(self.data[start : start + PIECE])
                self.release()
            return found.hexdigest()
        stored = None if limits is None else self._stored_size(self.stream)
        size = 0
        with suppress(TruncatedReplay, CorruptReplay):
            for piece in self.stream.pieces(wait=False):
                size += len(piece)
                if limits is not None and stored is not None:
                    check_size(size, limits, self.name, stored)
                found.update(piece)
                report(size, 0)
        return found.hexdigest()

    def _stored_size(self, stream: Stream) -> int | None:
        """Return the compressed size of a stream; None for an uncompressed file."""
        name = self.location or self.name
        member = split_member(name) is not None
        if stream.compression is None and not member and not is_url(name):
            return None
        return stored_size(name) if member else stream.size


#: Number of bytes that the `Source` of a stream holds; of a followed file, which may not have more yet.
STREAM_HEAD, _FOLLOWED_HEAD = 4096, 64

_FOLDER = "expected a replay file, found a directory (playhead.scan reads all replays of a folder)"


def check_size(size: int, limits: Limits, name: str, stored: int | None = None) -> None:
    """Check the size of a decompressed input.

    Args:
        name: name of the input.
        stored: its compressed size; None if it is not compressed.

    Raises:
        LimitExceeded: it is larger than `limits.decompressed_input`, or than `limits.expansion` times `stored`.
    """
    if size > limits.decompressed_input:
        found, limit = f"is larger than the limit of {limits.decompressed_input} bytes", "decompressed_input"
    elif stored is not None and size > max(ALWAYS_ALLOWED, limits.expansion * stored):
        found, limit = f"expands to more than {limits.expansion} times its size", "expansion"
    else:
        return
    advice = f"read it with stream=True, or with another limit of {limit}"
    raise LimitExceeded(f"the input {found}; {advice}", file=name)


#: Called with the first decompressed bytes of an input; raises to stop reading.
CheckHead = Callable[[Source], object]


def decompress(
    source: Source, limits: Limits, check_head: CheckHead | None = None, *, disk: bool = False
) -> Source:
    """Decompress an input that is compressed as a whole. `check_head` sees the first piece before the others are
    read. With `disk`, keep the bytes there if they are many.

    A damaged or cut stream gives the readable bytes and a `Problem`, and raises if there are none. More than
    `limits.decompressed_input` bytes, or more than `limits.expansion` times the input's size, raise
    `LimitExceeded`.
    """
    compression = compression_of(source.data)
    if compression is None:
        return source
    out = bytearray()
    problems = list(source.problems)
    pieces = (bytes(source.data[start : start + PIECE]) for start in range(0, len(source.data), PIECE))
    try:
        for piece in inflate(pieces, compression):
            check_size(len(out) + len(piece), limits, source.name, len(source.data))
            if check_head is not None and len(out) >= STREAM_HEAD:
                check_head(Source(source.name, memoryview(bytes(out[:STREAM_HEAD]))))
                check_head = None
            out += piece
    except ReplayError as error:
        error.locate(file=source.name)
        if not out or isinstance(error, LimitExceeded | UnknownFormat):
            raise
        problems.append(Problem.from_error(error, cost=f"everything after {len(out)} decompressed bytes"))
    whole = memoryview(out).toreadonly()
    return Source(
        source.name,
        (_on_disk(whole, len(whole)) if disk else None) or whole,
        compression.name,
        problems,
        location=source.location,
        compressed_size=min(len(source.data), source.compressed_size or len(source.data)),
    )


def _read_up_to(
    read: Callable[[int], Any], limits: Limits, name: str, check_head: CheckHead | None, stored: int | None = None
) -> bytearray:
    """Read to the end of an input that may be endless. `check_head` sees its first bytes before the rest is read.

    Raises:
        LimitExceeded: it has more bytes than `check_size` allows.
        TypeError: it does not return bytes.
    """
    out = bytearray()
    for piece in _bounded(_pieces_of(read), limits, name, stored):
        out += piece
        if check_head is not None and len(out) >= STREAM_HEAD:
            head = Source(name, memoryview(bytes(out[:STREAM_HEAD])))
            if compression_of(head.data) is None:
                check_head(head)
            check_head = None
    return out


def _pieces_of(read: Callable[[int], Any]) -> Iterator[bytes]:
    while True:
        piece = read(PIECE)
        if not isinstance(piece, bytes | bytearray | memoryview):
            raise TypeError(f"expected a file object opened in binary mode, got {type(piece).__name__}")
        if not piece:
            return
        yield bytes(piece)


def _bounded(pieces: Iterable[bytes], limits: Limits, name: str, stored: int | None = None) -> Iterator[bytes]:
    """Yield pieces up to the size that `check_size` allows; the piece that exceeds it is not yielded."""
    size = 0
    for piece in pieces:
        size += len(piece)
        check_size(size, limits, name, stored)
        yield piece


def _from_path(
    path: str | os.PathLike[str], limits: Limits, check_head: CheckHead | None = None, *, disk: bool = False
) -> Source:
    name = os.fspath(path)
    if os.path.isdir(name):
        raise UnknownFormat(_FOLDER, file=name)
    with open_file_or_pipe(name) as file:
        stamp = stamp_of(file)
        size = os.fstat(file.fileno()).st_size
        if size == 0:  # an empty file, or one of unknown size (a pipe)
            data = memoryview(_read_up_to(file.read, limits, name, check_head)).toreadonly()
        else:
            check_size(size, limits, name)
            data = (_on_disk(file, size) if disk else None) or memoryview(file.read(size))
    return Source(name, data, location=name if os.path.isfile(name) else None, stamp=stamp)


def _from_url(url: str, limits: Limits, check_head: CheckHead | None) -> Source:
    from playhead.io.remote import as_os_errors, open_remote
    from playhead.io.web import Deadline

    with open_remote(url, Deadline(limits.network)) as file, as_os_errors(url):
        data = _read_up_to(file.read, limits, url, check_head)
    return Source(url, memoryview(data).toreadonly(), location=url)


def _from_pack(name: str, limits: Limits, check_head: CheckHead | None) -> Source:
    with open_member(name, limits) as file:
        stored = stored_size(name)
        out = _read_up_to(file.read, limits, name, check_head, stored)
    compressed = None if is_plain_tar(name.partition(SEPARATOR)[0]) else stored
    return Source(name, memoryview(out).toreadonly(), location=name, compressed_size=compressed)


def _from_bytes(target: Input) -> Source:
    try:
        return Source("<bytes>", memoryview(target).toreadonly().cast("B"))
    except TypeError:
        raise TypeError(f"expected a path, URL, bytes or file object, got {type(target).__name__}") from None


def open_source(
    target: Input,
    limits: Limits,
    check_head: CheckHead | None = None,
    *,
    copy: str | None = None,
    disk: bool = False,
) -> Source:
    """The bytes of `target`, decompressed.

    Args:
        target: a path, a URL (``s3://…``, through fsspec), any bytes-like object, or an object with `read`; or the
            folder or URL of a broadcast.
        check_head: sees the first bytes of a compressed input, a pack's member, or an input of unknown size (a
            pipe, URL or file object) before the rest is read; its errors are raised.
        copy: local copy of a URL's content, to be read instead.
        disk: map a copy of a large file on disk, where there is room, instead of holding it in memory.

    Raises:
        OSError: the file cannot be opened.
        UnknownFormat: it is a directory, a device or a socket.
        LimitExceeded: its size exceeds `limits`.
        TypeError: `target` has another type.
    """
    if copy is not None:
        source = _from_path(copy, limits)
        source.name = source.location = os.fspath(target)
        return decompress(source, limits, check_head)
    broadcast = _broadcast(target, limits)
    if broadcast is not None:
        return broadcast
    if isinstance(target, str | os.PathLike):
        text = os.fspath(target)
        if split_member(text) is not None:
            source = _from_pack(text, limits, check_head)
        elif is_url(text):
            source = _from_url(text, limits, check_head)
        else:
            source = _from_path(target, limits, check_head, disk=disk)
    elif hasattr(target, "read"):
        name = _name_of(target)
        source = Source(name, memoryview(_read_up_to(target.read, limits, name, check_head)).toreadonly())
    else:
        source = _from_bytes(target)
    return decompress(source, limits, check_head, disk=disk)


def _broadcast(target: Input, limits: Limits, follow: Follow | None = None) -> Source | None:
    """Return the fragments of a broadcast; None if `target` is neither a folder of fragments nor a relay."""
    if not isinstance(target, str | os.PathLike):
        return None
    text = os.fspath(target)
    if not (is_url(text) or os.path.isdir(text)):
        return None
    from playhead.io.fragments import fragments_at

    found = fragments_at(text, limits, follow)
    return None if found is None else Source(text, memoryview(b""), fragments=found)


def _name_of(file: Any) -> str:
    return str(getattr(file, "name", "<file object>"))


def open_stream(target: Input, follow: Follow | None = None, limits: Limits | None = None) -> Source:
    """Return `target` as a source that is read front to back in flat memory; arguments and errors as in
    `open_source`.

    Its size is not limited, because nothing is kept. A file object is read from its position, and only once.
    """
    broadcast = _broadcast(target, limits or Limits(), follow)
    if broadcast is not None:
        return broadcast
    stream: Stream
    if isinstance(target, str | os.PathLike):
        text = os.fspath(target)
        if is_url(text):
            from playhead.io.remote import opener_of

            opener = opener_of(text, (limits or Limits()).network)
            stream = Stream(text, opener, reopenable=True, follow=follow)
        elif split_member(text) is not None:
            stream = Stream(text, lambda: open_member(text, limits), reopenable=True, follow=follow)
        elif os.path.isdir(text):
            raise UnknownFormat(_FOLDER, file=text)
        elif os.path.isfile(text):
            stream = Stream(text, lambda: open_file_or_pipe(text), reopenable=True, follow=follow)
        else:  # a named pipe, or a missing file
            pipe = open_file_or_pipe(text)
            stream = Stream(text, lambda: pipe, reopenable=False, follow=follow)
    elif hasattr(target, "read"):
        stream = Stream(_name_of(target), lambda: target, reopenable=False, follow=follow)
    else:
        whole = _from_bytes(target).data.obj
        stream = Stream("<bytes>", lambda: io.BytesIO(whole), reopenable=True)
    head = stream.peek(STREAM_HEAD if stream.follow is None else _FOLLOWED_HEAD)
    named = isinstance(target, str | os.PathLike) and stream.reopenable
    location = stream.name if named else None
    return Source(
        stream.name, memoryview(head[:STREAM_HEAD]), stream.compression, stream=stream, location=location
    )


def open_origin(origin: Origin, limits: Limits, *, disk: bool = False) -> Source:
    """Open a source again; `disk` as for `open_source`.

    Raises:
        OSError, ReplayError: as in `open_source`; the file may have been removed.
    """
    if origin.location is None:
        data = memoryview(origin.data or b"")
        problems = list(origin.problems)
        return Source(origin.name, data, origin.compression, problems, fragments=origin.fragments)
    if origin.stream or origin.follow is not None:
        source = open_stream(origin.location, origin.follow, limits)
    else:
        source = open_source(origin.location, limits, disk=disk)
    source.name = origin.name
    return source


def read_all(source: Source, limits: Limits) -> Source:
    """Read a streamed source into one buffer, for a format that cannot read streams."""
    if source.stream is None:
        return source
    if source.compression is None and source.stream.reopenable and os.path.isfile(source.name):
        return _from_path(source.name, limits)
    out = bytearray()
    problems = list(source.problems)
    try:
        for piece in _bounded(source.stream.pieces(), limits, source.name):
            out += piece
    except LimitExceeded:
        raise
    except ReplayError as error:
        problems.append(Problem.from_error(error, cost=f"everything after {len(out)} decompressed bytes"))
    whole = memoryview(out).toreadonly()
    return Source(source.name, whole, source.compression, problems, location=source.location)


#: Smaller inputs stay in memory; a copy may take this share of the free space of the temporary folder.
_SMALLEST_COPY, _COPY_SHARE = 16 << 20, 0.5


def _on_disk(data: BinaryIO | memoryview, size: int) -> memoryview | None:
    """Return the bytes of a file or a buffer as a mapped copy without a name, which goes with its last reference.

    None if they are few, the disk has no room, or the system cannot release mapped pages (Windows).
    """
    import mmap  # these three would slow down a start that copies nothing
    import shutil
    import tempfile

    if size < _SMALLEST_COPY or not hasattr(mmap, "MADV_DONTNEED"):
        return None
    try:
        if size > _COPY_SHARE * shutil.disk_usage(tempfile.gettempdir()).free:
            return None
        with tempfile.TemporaryFile(buffering=0) as copy:
            done = 0
            while done < size:
                count = _append(data, copy, done, size - done)
                if not count:  # the file was cut meanwhile
                    return None
                done += count
            return memoryview(mmap.mmap(copy.fileno(), size, access=mmap.ACCESS_READ))
    except OSError:
        return None


def _append(data: BinaryIO | memoryview, copy: BinaryIO, start: int, most: int) -> int:
    """Append bytes from `start` on to the copy; return their number."""
    if isinstance(data, memoryview):
        return copy.write(data[start:])
    if sys.platform == "linux":  # from file to file in the kernel
        return os.sendfile(copy.fileno(), data.fileno(), start, most)
    return copy.write(os.pread(data.fileno(), min(most, _SMALLEST_COPY), start))


def _release(data: memoryview) -> None:
    """Take the pages of a mapped copy out of memory, until they are read again; leave other bytes alone."""
    if hasattr(data.obj, "madvise"):  # a mapping
        import mmap

        data.obj.madvise(mmap.MADV_DONTNEED)
