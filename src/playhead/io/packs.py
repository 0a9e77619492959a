"""Replays in archives. A pack (``.zip``, ``.tar``, compressed tars) means its members,
``pack.zip::folder/game.dem``.

Members of a zip archive or a plain tar are read directly. A compressed tar is read from its start for each member,
so use another kind for large packs. Sparse members of a tar are refused: their data lies in pieces.

The bounds of a member (`Limits.expansion`) hold for the members of a pack together, and for a compressed tar as a
whole: `list_pack` ends with an error where a pack has more.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, lru_cache
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from playhead.errors import ReplayError
from playhead.io.compression import PIECE, compression_of, inflate
from playhead.io.ordinary import open_ordinary
from playhead.limits import Limits

if TYPE_CHECKING:  # imported on use: most recordings are in no pack
    import tarfile
    import zipfile

#: Separates the name of a pack from that of a member.
SEPARATOR = "::"

_ZIP = (".zip",)
_TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")

#: Bytes that the members of any pack may have together.
_ALWAYS_ALLOWED = 64 << 20

#: Compression methods of members of a zip that are read: stored, deflate, bzip2. LZMA allocates what it is told.
_METHODS = (0, 8, 12)


@cache
def _damage() -> tuple[type[Exception], ...]:
    """Return the errors that a damaged pack raises."""
    import tarfile
    import zipfile
    import zlib

    damage = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError, RuntimeError)
    return (*damage, ValueError, OverflowError, IndexError)  # negative sizes, sizes of more than 64 bits


def is_pack(path: str) -> bool:
    """Return whether a file is a pack, by its name."""
    return path.lower().endswith(_ZIP + _TAR)


def split_member(name: str) -> tuple[str, str] | None:
    """Split the full name of a member into pack and member; None for the name of a file."""
    pack, separator, member = name.partition(SEPARATOR)
    if not separator or "://" in pack or not is_pack(pack) or os.path.exists(name):
        return None
    return pack, member


def is_url(name: str) -> bool:
    """Return whether a name is a URL; the name of a member of a pack is none, whatever it contains."""
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
    left = _most_bytes(path, limits or Limits())
    for member, size in _members(path):
        left -= size or 0
        if left < 0:
            raise OSError(f"{path}: the members have more bytes together than its size allows; from {member} on")
        if not any(part.startswith((".", "__MACOSX")) for part in member.split("/")):
            yield f"{path}{SEPARATOR}{member}", size, changed


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


def open_member(name: str) -> BinaryIO:
    """Open a member of a pack by its full name. It is decompressed while it is read.

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
            raw = _open_tar(name, pack, member)
    except KeyError:
        raise FileNotFoundError(f"{name}: the pack has no such member") from None
    except _damage() as error:
        raise OSError(f"{name}: {error}") from error
    return cast(BinaryIO, io.BufferedReader(raw, PIECE))


def _most_bytes(path: str, limits: Limits) -> int:
    """Return the bytes that the members of a pack may have together."""
    return max(_ALWAYS_ALLOWED, limits.expansion * os.stat(path).st_size)


class _Inflated(io.RawIOBase):
    """The decompressed bytes of a file, within the bounds of a pack."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._file = open_ordinary(path)
        found = compression_of(self._file.peek(16))  # type: ignore[attr-defined]
        stored = iter(lambda: self._file.read(PIECE), b"")
        self._pieces = stored if found is None else inflate(stored, found)
        self._path = path
        self._left = _most_bytes(path, Limits())
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
def _open_archive(path: str) -> Iterator[tarfile.TarFile]:
    """Open a tar: a compressed one to be read front to back."""
    import tarfile

    if path.lower().endswith(".tar"):
        with tarfile.open(path, "r:") as archive:
            yield archive
        return
    with io.BufferedReader(_Inflated(path), PIECE) as content, tarfile.open(fileobj=content, mode="r|") as archive:
        yield archive


def _one_by_one(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Iterate over the ordinary files of a tar without keeping them."""
    while (found := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined]  # otherwise it keeps all
        if found.isfile():
            yield found


def _members(path: str) -> Iterator[tuple[str, int | None]]:
    try:
        if path.lower().endswith(_ZIP):
            for each in _zip(path, os.stat(path).st_mtime_ns).infolist():
                if not each.is_dir():
                    yield each.filename, each.file_size
        else:
            with _open_archive(path) as archive:
                for found in _one_by_one(archive):
                    yield found.name, None if found.issparse() else found.size
    except _damage() as error:
        raise OSError(f"{path}: {error}") from error


@lru_cache(4)
def _zip(path: str, changed: int) -> zipfile.ZipFile:
    """Cache an open archive, because reading its directory takes long with many members. Threads may share it."""
    import zipfile

    return zipfile.ZipFile(path)


@lru_cache(4)
def _places(path: str, changed: int) -> dict[str, tuple[int, int]]:
    """Return offset and size of each member of a plain tar."""
    with _open_archive(path) as archive:
        return {each.name: _place(each) for each in _one_by_one(archive)}


def _place(member: tarfile.TarInfo) -> tuple[int, int]:
    return member.offset_data, -1 if member.issparse() else member.size


def _open_tar(name: str, path: str, member: str) -> _Member:
    if path.lower().endswith(".tar"):
        offset, size = _places(path, os.stat(path).st_mtime_ns)[member]
        if size < 0:
            raise _sparse(name)
        file = open_ordinary(path)  # closed with the member
        file.seek(offset)
        return _Member(name, file, size)
    with ExitStack() as stack:
        archive = stack.enter_context(_open_archive(path))
        found = next((each for each in _one_by_one(archive) if each.name == member), None)
        if found is not None and found.issparse():
            raise _sparse(name)
        file_in_it = None if found is None else archive.extractfile(found)
        if file_in_it is None:
            raise KeyError(member)
        return _Member(name, file_in_it, archive=stack.pop_all())


def _sparse(name: str) -> OSError:
    return OSError(f"{name}: is a sparse file, which is not read from a tar")
