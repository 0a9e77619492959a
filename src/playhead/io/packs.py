"""Replays in archives. A pack (``.zip``, ``.tar``, compressed tars) means its members,
``pack.zip::folder/game.dem``.

Members of a zip archive or a plain tar are read directly. A compressed tar is decompressed once, into a temporary
file without a name. One of more than a gigabyte is read from its start for each member, so use another kind for
large packs. Sparse members of a tar are refused: their data lies in pieces.

The bounds of a member (`Limits.expansion`) hold for the members of a pack together, and for a compressed tar as a
whole: `list_pack` ends with an error where a pack has more, and where the members of a large compressed tar would
be decompressed from more than a thousand times its size.
"""

from __future__ import annotations

import io
import math
import os
import weakref
from _thread import allocate_lock
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, lru_cache

from playhead.errors import ReplayError
from playhead.io.compression import PIECE, compression_of, inflate
from playhead.io.ordinary import open_ordinary
from playhead.limits import ALWAYS_ALLOWED, Limits
from playhead.runtime.typing import IO, TYPE_CHECKING, Any, BinaryIO, Self, cast

if TYPE_CHECKING:  # imported on use: most recordings are in no pack
    import tarfile
    import zipfile

#: Separates the name of a pack from that of a member.
SEPARATOR = "::"

_ZIP = (".zip",)
_TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")

#: Bytes of the names and times of a member of a tar that do not fit in its header.
_MOST_NAMED = 1 << 20

#: A compressed tar of at most so many bytes is decompressed once. Of larger ones, at most so many times the size
#: of the pack is decompressed for all members together.
_COPIED, _MOST_WORK = 1 << 30, 1000

#: Supported compression methods of members of a zip: stored, deflate, bzip2. LZMA allocates as a file declares.
_METHODS = (0, 8, 12)


@cache
def _damage() -> tuple[type[Exception], ...]:
    """Return the errors that a damaged pack raises."""
    import tarfile
    import zipfile
    import zlib

    damage = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError, RuntimeError)
    return (*damage, ValueError, OverflowError, IndexError)  # negative sizes, sizes of more than 64 bits


@cache
def _header() -> type[tarfile.TarInfo]:
    """Return the class of the headers in a tar."""
    import tarfile

    pax = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
    named = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, *pax)

    class Header(tarfile.TarInfo):
        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
            try:
                found = super().frombuf(buf, encoding, errors)
            except (tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError) as error:  # type: ignore[attr-defined]
                raise tarfile.ReadError(str(error)) from None  # tarfile would take it for the end
            if found.size < 0:
                raise tarfile.ReadError(f"expected the size of a member, found {found.size}")
            if found.type in named and found.size > _MOST_NAMED:
                raise tarfile.ReadError(f"expected names of at most {_MOST_NAMED} bytes, found {found.size}")
            return found

    return Header


def is_pack(path: str) -> bool:
    """Return whether a file is a pack, by its name."""
    return path.lower().endswith(_ZIP + _TAR)


def is_plain_tar(path: str) -> bool:
    """Return whether a file is a tar that is not compressed, by its name."""
    return path.lower().endswith(".tar")


def split_member(name: str) -> tuple[str, str] | None:
    """Split the full name of a member into pack and member; None for the name of a file."""
    pack, separator, member = name.partition(SEPARATOR)
    if not separator or "://" in pack or not is_pack(pack) or os.path.exists(name):
        return None
    return pack, member


def is_url(name: str) -> bool:
    """Return whether a name is a URL; the name of a member of a pack never is."""
    before, separator, _ = name.partition("://")
    return bool(separator) and not is_pack(before.partition(SEPARATOR)[0])


def list_pack(path: str, limits: Limits | None = None) -> Iterator[tuple[str, int | None, float]]:
    """Iterate over the files in a pack, except hidden ones: full name, size in bytes (None if it is not to be
    trusted), and the time of the pack's last change in seconds since 1970.

    Raises:
        OSError: the pack cannot be read, is damaged, or has more bytes than `limits` allow for its size; raised
            after the members before.
    """
    changed = os.stat(path).st_mtime
    limits = limits or Limits()
    left = _most_bytes(path, limits)
    for member, size in _members(path, limits):
        left -= size or 0
        if left < 0:
            raise OSError(f"{path}: the members have more bytes together than its size allows; from {member} on")
        if not _is_hidden(member):
            yield f"{path}{SEPARATOR}{member}", size, changed


def _is_hidden(member: str) -> bool:
    """Return whether a part of its name hides a member; ``tar`` writes a folder's file as ``./game.dem``."""
    *folders, last = member.split("/")
    parts = [last, *(part for part in folders if part not in (".", ".."))]
    return any(part.startswith((".", "__MACOSX")) for part in parts)


class _Member(io.RawIOBase):
    """A member that is decompressed while it is read.

    Args:
        name: its full name.
        file: the file to read from.
        size: its number of bytes in `file`; None if it ends with `file`.
        archive: closed together with the member.
    """

    def __init__(
        self, name: str, file: IO[bytes], size: int | None = None, archive: ExitStack | None = None
    ) -> None:
        super().__init__()
        self._name = name
        self._file = file
        self._left = size
        self._archive = archive

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        size = len(buffer) if self._left is None else min(len(buffer), self._left)
        try:
            piece = self._file.read(size)
        except _damage() as error:
            raise OSError(f"{self._name}: {error}") from error
        buffer[: len(piece)] = piece
        if self._left is not None:
            self._left -= len(piece)
        return len(piece)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
            if self._archive is not None:
                self._archive.close()
        super().close()


def stored_size(name: str) -> int:
    """Return the bytes that a member takes in its pack; for a compressed tar, those of the whole pack.

    Raises:
        OSError: there is no such pack or member, or it is damaged.
    """
    pack, member = split_member(name) or (name, "")
    if not pack.lower().endswith(_ZIP):
        return os.stat(pack).st_size
    try:
        return _zip(pack, os.stat(pack).st_mtime_ns).getinfo(member).compress_size
    except KeyError:
        raise FileNotFoundError(f"{name}: the pack has no such member") from None
    except _damage() as error:
        raise OSError(f"{name}: {error}") from error


def open_member(name: str, limits: Limits | None = None) -> BinaryIO:
    """Open a member of a pack by its full name. It is decompressed while it is read; `limits` bound a tar.

    Raises:
        OSError: there is no such pack or member, it is damaged, or it is encrypted. Reading raises it too.
    """
    found = split_member(name)
    if found is None:
        raise FileNotFoundError(f"{name}: there is no such file")
    pack, member = found
    try:
        if pack.lower().endswith(_ZIP):
            archive = _zip(pack, os.stat(pack).st_mtime_ns)
            if (method := archive.getinfo(member).compress_type) not in _METHODS:
                raise OSError(f"{name}: is compressed by method {method}, which is not read")
            raw = _Member(name, archive.open(member))
        else:
            raw = _open_tar(name, pack, member, limits or Limits())
    except KeyError:
        raise FileNotFoundError(f"{name}: the pack has no such member") from None
    except _damage() as error:
        raise OSError(f"{name}: {error}") from error
    return cast(BinaryIO, io.BufferedReader(raw, PIECE))


def _most_bytes(path: str, limits: Limits) -> int:
    """Return the bytes that the members of a pack may have together."""
    return max(ALWAYS_ALLOWED, limits.expansion * os.stat(path).st_size)


class _Inflated(io.RawIOBase):
    """The decompressed bytes of a file, within the bounds of a pack."""

    def __init__(self, path: str, limits: Limits) -> None:
        super().__init__()
        self._file = open_ordinary(path)
        found = compression_of(self._file.peek(16))  # type: ignore[attr-defined]
        stored = iter(lambda: self._file.read(PIECE), b"")
        self._pieces = stored if found is None else inflate(stored, found)
        self._path = path
        self._left = _most_bytes(path, limits)
        self._piece = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        if not self._piece:
            try:
                self._piece = memoryview(next(self._pieces, b""))
            except ReplayError as error:
                raise OSError(f"{self._path}: {error}") from error
            self._left -= len(self._piece)
            if self._left < 0:
                raise OSError(f"{self._path}: has more bytes than its size allows")
        size = min(len(buffer), len(self._piece))
        buffer[:size] = self._piece[:size]
        self._piece = self._piece[size:]
        return size

    def close(self) -> None:
        self._file.close()
        self._pieces, self._piece = iter(()), memoryview(b"")  # a decompressor takes megabytes
        super().close()


@contextmanager
def _open_archive(path: str, limits: Limits) -> Iterator[tarfile.TarFile]:
    """Open a tar: a compressed one to be read front to back."""
    import tarfile

    if is_plain_tar(path):
        with tarfile.open(path, "r:", tarinfo=_header()) as archive:
            yield archive
        return
    with (
        io.BufferedReader(_Inflated(path, limits), PIECE) as content,
        tarfile.open(fileobj=content, mode="r|", tarinfo=_header()) as archive,
    ):
        yield archive


def _one_by_one(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Iterate over the ordinary files of a tar without keeping them."""
    while (found := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined]  # otherwise it keeps all
        if found.isfile():
            yield found


def _members(path: str, limits: Limits) -> Iterator[tuple[str, int | None]]:
    work = _MOST_WORK * os.stat(path).st_size
    try:
        if path.lower().endswith(_ZIP):
            for each in _zip(path, os.stat(path).st_mtime_ns).infolist():
                if not each.is_dir():
                    yield each.filename, each.file_size
        else:
            copied = math.inf if is_plain_tar(path) else _COPIED
            with _open_archive(path, limits) as archive:
                for found in _one_by_one(archive):
                    if (end := found.offset_data + found.size) > copied and (work := work - end) < 0:
                        raise OSError(f"{path}: has too many members for a large compressed tar; use zip or tar")
                    yield found.name, None if found.issparse() else found.size
                if archive.fileobj.tell() == archive.offset:  # no block of zeros was read
                    raise OSError(f"{path}: ends without its end blocks, so members may be missing")
    except _damage() as error:
        raise OSError(f"{path}: {error}") from error


@lru_cache(4)
def _zip(path: str, changed: int) -> zipfile.ZipFile:
    """Cache an open archive, because reading its directory takes long with many members. Threads may share it."""
    import zipfile

    return zipfile.ZipFile(path)


@lru_cache(4)
def _places(path: str, changed: int) -> dict[str, tuple[int, int]] | None:
    """Return offset and size of each member of a plain tar; None if it is damaged."""
    with suppress(*_damage()), _open_archive(path, Limits()) as archive:
        return _places_in(archive)
    return None


def _places_in(archive: tarfile.TarFile) -> dict[str, tuple[int, int]]:
    return {each.name: (each.offset_data, -1 if each.issparse() else each.size) for each in _one_by_one(archive)}


class _Copy:
    """A temporary file with the content of a compressed tar, and the `places` of its members."""

    def __init__(self, file: IO[bytes], places: dict[str, tuple[int, int]]) -> None:
        self.places = places
        self._file = file
        self._lock = allocate_lock()
        weakref.finalize(self, file.close)

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes from `offset` on; threads and forked processes may read at once."""
        if hasattr(os, "pread"):
            return os.pread(self._file.fileno(), size, offset)
        with self._lock:  # there is no fork either
            self._file.seek(offset)
            return self._file.read(size)


class _Window(io.RawIOBase):
    """The bytes of a copy from `offset` on."""

    def __init__(self, copy: _Copy, offset: int) -> None:
        super().__init__()
        self._copy = copy
        self._offset = offset

    def read(self, size: int = -1, /) -> bytes:
        piece = self._copy.read(self._offset, size)
        self._offset += len(piece)
        return piece


@lru_cache(1)
def _copy(path: str, changed: int, limits: Limits) -> _Copy | None:
    """Return a copy of a compressed tar; None if it is large or damaged."""
    import tarfile
    import tempfile

    damage: tuple[type[Exception], ...] = (OSError, *_damage())
    with ExitStack() as stack:
        try:
            file = stack.enter_context(tempfile.TemporaryFile())
            content = stack.enter_context(_Inflated(path, limits))
            while piece := content.read(PIECE):
                if file.tell() + len(piece) > _COPIED:
                    return None
                file.write(piece)
            file.seek(0)
            with tarfile.open(fileobj=file, mode="r:", tarinfo=_header()) as archive:
                copy = _Copy(file, _places_in(archive))
        except damage:  # reading it front to back raises the same where the damage is
            return None
        stack.pop_all()
        content.close()
        return copy


def _open_tar(name: str, path: str, member: str, limits: Limits) -> _Member:
    changed = os.stat(path).st_mtime_ns
    plain = is_plain_tar(path)
    copy = None if plain else _copy(path, changed, limits)
    places = copy.places if copy is not None else _places(path, changed) if plain else None
    if places is not None:
        offset, size = places[member]
        if size < 0:
            raise _sparse(name)
        if copy is not None:
            return _Member(name, cast(IO[bytes], _Window(copy, offset)), size)
        file = open_ordinary(path)  # closed with the member
        file.seek(offset)
        return _Member(name, file, size)
    with ExitStack() as stack:
        archive = stack.enter_context(_open_archive(path, limits))
        found = next((each for each in _one_by_one(archive) if each.name == member), None)
        if found is not None and found.issparse():
            raise _sparse(name)
        file_in_it = None if found is None else archive.extractfile(found)
        if file_in_it is None:
            raise KeyError(member)
        return _Member(name, file_in_it, archive=stack.pop_all())


def _sparse(name: str) -> OSError:
    return OSError(f"{name}: is a sparse file, which is not read from a tar")
