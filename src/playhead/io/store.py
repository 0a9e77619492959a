"""Stores for results: a folder, or a bucket at a URL (fsspec), as a flat space of names.

A file appears complete or not at all: a folder gets it under a temporary name, synced and moved; an object store
shows an object after its upload.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from playhead.io.atomic import replace_file, sync_folder, whole_file
from playhead.io.ordinary import open_ordinary
from playhead.io.remote import changed_at, filesystem

#: Colours and arrows in messages of delta-rs.
_DRAWN = re.compile(r"\x1b\[[\d;]*m|↳")


class StrangeFile(OSError):
    """A file of a store is what no store writes: a link or below one, which may lead anywhere, or a pipe."""


class Stored(NamedTuple):
    """A file of a store: name, size in bytes (-1 of a link or pipe), and time of writing in seconds since 1970."""

    name: str
    size: int
    changed: float


class FolderStore:
    """An ordinary folder. Links in it are not followed.

    Attributes:
        location: path or URL that opens it again.
    """

    def __init__(self, location: str) -> None:
        self.location = os.path.abspath(location)
        self._root = Path(self.location)

    def move_in(self, name: str, path: Path) -> None:
        """Move a complete local file into the store."""
        target = self._inside(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        with path.open("rb") as file, suppress(OSError):  # some file systems cannot sync
            os.fsync(file.fileno())
        try:
            replace_file(path, target)
        except PermissionError:  # a copy would be refused, too
            raise
        except OSError:  # on another device
            with whole_file(target) as temporary:
                shutil.copyfile(path, temporary)
            path.unlink()
        sync_folder(target.parent)

    def has(self, name: str) -> bool:
        """Return whether a file exists."""
        return (self._root / name).is_file()

    def files(self, under: str = "") -> Iterator[Stored]:
        """Iterate over the files below a folder, sorted by name; empty if there is no such folder."""
        for folder, folders, names in os.walk(self._root / under):
            folders.sort()
            links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
            for name in sorted((*names, *links)):
                path = Path(folder, name)
                with suppress(FileNotFoundError):
                    facts = path.lstat()
                    size = facts.st_size if stat.S_ISREG(facts.st_mode) else -1
                    yield Stored(path.relative_to(self._root).as_posix(), size, facts.st_mtime)

    def remove(self, name: str) -> None:
        """Remove a file, if it exists."""
        (self._root / name).unlink(missing_ok=True)

    def path(self, name: str) -> str:
        """Return the path or URL of a file, for other libraries."""
        return str(self._root / name)

    def open(self, name: str) -> Any:
        """Open a file for reading with random access."""
        path = self._inside(name, whole=True)
        if not stat.S_ISREG(path.stat().st_mode):
            raise StrangeFile(f"{path}: is no ordinary file")
        return open_ordinary(path)

    def _inside(self, name: str, *, whole: bool = False) -> Path:
        """Return the path of a file, which no link leads out of the folder.

        Args:
            whole: the file itself is no link either; a write replaces one.

        Raises:
            StrangeFile: a link does.
        """
        path, root = self._root / name, os.path.realpath(self._root)
        found, expected = (
            os.path.realpath(path if whole else path.parent),
            os.path.normpath(os.path.join(root, name)),
        )
        if found != (expected if whole else os.path.dirname(expected)):
            raise StrangeFile(f"{path}: a link leads elsewhere")
        return path

    def register(self, connection: Any) -> None:
        """Let a DuckDB connection read the paths of this store."""


class RemoteStore:
    """A folder at a URL. Needs the extra ``remote``, and the package of the protocol.

    Attributes:
        system: fsspec's file system.
    """

    def __init__(self, location: str) -> None:
        self.location = location.rstrip("/")
        self.system, self._root = filesystem(self.location)

    def move_in(self, name: str, path: Path) -> None:
        self.system.put_file(str(path), self._full(name))
        path.unlink()

    def has(self, name: str) -> bool:
        return bool(self.system.isfile(self._full(name)))

    def files(self, under: str = "") -> Iterator[Stored]:
        self.system.invalidate_cache()  # other processes write, too
        try:
            found = self.system.find(self._full(under) if under else self._root, detail=True)
        except FileNotFoundError:
            return
        for full, facts in sorted(found.items()):
            name = full.removeprefix(self._root.rstrip("/") + "/")
            yield Stored(name, int(facts.get("size") or 0), changed_at(facts))

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self.system.rm_file(self._full(name))

    def path(self, name: str) -> str:
        return f"{self.location}/{name}"

    def open(self, name: str) -> Any:
        return self.system.open(self._full(name), "rb")

    def register(self, connection: Any) -> None:
        connection.register_filesystem(self.system)

    def _full(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"


#: Where tables are stored; both have the same methods.
Store = FolderStore | RemoteStore


def open_store(location: str | os.PathLike[str]) -> Store:
    """Return the store at a path or URL; nothing is created or read yet.

    Raises:
        ModuleNotFoundError: the package for such URLs is not installed.
    """
    text = os.fspath(location)
    return RemoteStore(text) if "://" in text else FolderStore(text)


def one_line(error: BaseException) -> str:
    """Return the message of an error of delta-rs without colours, arrows and ends of lines."""
    lines = _DRAWN.sub("", str(error)).splitlines()
    return ": ".join(line.strip() for line in lines if line.strip())


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Let errors of Arrow and delta-rs, which name no file, name a path.

    Raises:
        OSError: there was such an error.
    """
    try:
        yield
    except Exception as error:
        is_named = getattr(error, "filename", None) is not None or path in str(error)
        extra = sys.modules.get("deltalake.exceptions")  # which may be missing
        if isinstance(error, getattr(extra, "DeltaError", ())) or (isinstance(error, OSError) and not is_named):
            raise OSError(f"{path}: {one_line(error)}") from error
        raise
