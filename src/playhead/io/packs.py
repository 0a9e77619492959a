"""Replays in archives. A pack (``.zip``, ``.tar``, compressed tars) means its members,
``pack.zip::folder/game.dem``.

Members of a zip archive or a plain tar are read directly. A compressed tar is read from its start for each member,
so use another kind for large packs.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from playhead.io.compression import PIECE

if TYPE_CHECKING:  # imported on use: most recordings are in no pack
    import tarfile
    import zipfile

#: Separates the name of a pack from that of a member.
SEPARATOR = "::"

_ZIP = (".zip",)
_TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


@cache
def _damage() -> tuple[type[Exception], ...]:
    """Return the errors that a damaged pack raises."""
    import tarfile
    import zipfile
    import zlib

    return (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError, RuntimeError)


def is_pack(path: str) -> bool:
    """Return whether a file is a pack, by its name."""
    return path.lower().endswith(_ZIP + _TAR)


def split_member(name: str) -> tuple[str, str] | None:
    """Split the full name of a member into pack and member; None for the name of a file."""
    pack, separator, member = name.partition(SEPARATOR)
    if not separator or "://" in pack or not is_pack(pack) or os.path.exists(name):
        return None
    return pack, member


def list_pack(path: str) -> Iterator[tuple[str, int, float]]:
    """Iterate over the files in a pack, except hidden ones: full name, size in bytes, and the time of the pack's
    last change in seconds since 1970.

    Raises:
        OSError: the pack cannot be read, or is damaged.
    """
    changed = os.stat(path).st_mtime
    for member, size in _members(path):
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
        self, name: str, file: IO[bytes], size: int | None = None, archive: tarfile.TarFile | None = None
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
            raw = _Member(name, _zip(pack, os.stat(pack).st_mtime_ns).open(member))
        else:
            raw = _open_tar(name, pack, member)
    except KeyError:
        raise FileNotFoundError(f"{name}: the pack has no such member") from None
    except _damage() as error:
        raise OSError(f"{name}: {error}") from error
    return cast(BinaryIO, io.BufferedReader(raw, PIECE))


def _members(path: str) -> Iterator[tuple[str, int]]:
    try:
        if path.lower().endswith(_ZIP):
            for each in _zip(path, os.stat(path).st_mtime_ns).infolist():
                if not each.is_dir():
                    yield each.filename, each.file_size
        else:
            import tarfile

            with tarfile.open(path) as archive:
                yield from ((each.name, each.size) for each in archive if each.isfile())
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
    import tarfile

    with tarfile.open(path, "r:") as archive:
        return {each.name: (each.offset_data, each.size) for each in archive if each.isfile()}


def _open_tar(name: str, path: str, member: str) -> _Member:
    if path.lower().endswith(".tar"):
        offset, size = _places(path, os.stat(path).st_mtime_ns)[member]
        file = open(path, "rb")  # noqa: SIM115  (closed with the member)
        file.seek(offset)
        return _Member(name, file, size)
    import tarfile

    archive = tarfile.open(path)  # noqa: SIM115  (closed with the member)
    try:
        file_in_it = archive.extractfile(member)
        if file_in_it is None:
            raise KeyError(member)
    except BaseException:
        archive.close()
        raise
    return _Member(name, file_in_it, archive=archive)
