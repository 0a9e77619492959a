"""Files at URLs, through fsspec (extra ``remote``; protocols such as ``s3://`` need their own package, too)."""

from __future__ import annotations

import importlib
import io
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from playhead.errors import ReplayError
from playhead.io.web import Deadline, WebFile, open_web
from playhead.limits import Limits
from playhead.runtime.extras import import_extra, install_hint

#: The package for a protocol, if it is not fsspec itself, and playhead's extra for it.
_PACKAGES = {"http": ("aiohttp", "remote"), "https": ("aiohttp", "remote"), "s3": ("s3fs", "s3")}


def open_remote(url: str, deadline: Deadline | None = None) -> BinaryIO:
    """Open a URL for reading. ``http`` and ``https`` need no package.

    Args:
        deadline: ends the reading; for HTTP within an answer, for other protocols between two reads.

    Raises:
        ModuleNotFoundError: the package for such URLs is not installed; the message has the command to install it.
        OSError: the URL cannot be opened.
    """
    deadline = deadline or Deadline(Limits().network)
    if url.startswith(("http://", "https://")):
        with as_os_errors(url):
            return cast(BinaryIO, io.BufferedReader(_Named(open_web(url, deadline), url, deadline), 1 << 16))
    fsspec = _fsspec(url)
    try:
        with as_os_errors(url):
            file = fsspec.open(url, "rb").open()
    except FileNotFoundError:
        _check_no_folder(url)
        raise
    return cast(BinaryIO, io.BufferedReader(_Named(file, url, deadline), 1 << 20))


def opener_of(url: str, seconds: float) -> Callable[[], BinaryIO]:
    """Return a function that opens a URL for a stream.

    Only the first time, for the head that decides on the format, has a deadline: a stream may take hours.
    """
    deadlines = iter([Deadline(seconds)])
    return lambda: open_remote(url, next(deadlines, None) or Deadline(math.inf))


def _check_no_folder(url: str) -> None:
    """Raise IsADirectoryError if a URL is that of a folder."""
    system, path = filesystem(url)
    with as_os_errors(url):
        is_folder = system.isdir(path)
    if is_folder:
        raise IsADirectoryError(f"{url}: is a folder; as input, its name ends in a slash: {url}/")


class _Named(io.RawIOBase):
    """A file whose errors name its URL, read up to a deadline."""

    def __init__(self, file: Any, url: str, deadline: Deadline) -> None:
        super().__init__()
        self._file = file
        self._url = url
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        with as_os_errors(self._url):
            if self._deadline.left <= 0:
                raise self._deadline.error()
            if isinstance(self._file, WebFile):
                return self._file.readinto(buffer)
            piece = self._file.read(len(buffer))
            size = getattr(self._file, "size", None)
            if not piece and len(buffer) and size is not None and self._file.tell() < size:
                raise OSError(f"the answer ends at byte {self._file.tell()} of {size}")
        buffer[: len(piece)] = piece
        return len(piece)

    def seekable(self) -> bool:
        return not isinstance(self._file, WebFile) and self._file.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        with as_os_errors(self._url):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def list_remote(url: str) -> Iterator[tuple[str, int | None, float]]:
    """Iterate over the files of a URL that ends in ``/`` or is a pattern: URL, size, and time of the last change
    in seconds since 1970 (0 if unknown); errors as in `open_remote`.
    """
    fsspec = _fsspec(url)
    with as_os_errors(url):
        system, path = fsspec.core.url_to_fs(url)
        look: Callable[..., dict[str, Any]] = system.find if url.endswith("/") else system.glob
        found = look(path, detail=True)
    for name, facts in found.items():
        if facts["type"] == "file":
            yield str(system.unstrip_protocol(name)), facts.get("size"), changed_at(facts)


def changed_at(facts: Mapping[str, Any]) -> float:
    """Return a file's time of last change in seconds since 1970, from its listing; 0 if unknown."""
    changed = facts.get("LastModified") or facts.get("mtime") or facts.get("created") or 0.0
    return float(changed.timestamp() if hasattr(changed, "timestamp") else changed)


def filesystem(url: str) -> tuple[Any, str]:
    """Return fsspec's file system for a URL, and the path in it.

    Raises:
        ModuleNotFoundError: the package for such URLs is not installed; the message has the command to install it.
        OSError: there is no such file system.
    """
    fsspec = _fsspec(url)
    with as_os_errors(url):
        system, path = fsspec.core.url_to_fs(url)
        return system, str(path)


def _fsspec(url: str) -> Any:
    """Return fsspec, after checking that the packages for this URL are installed."""
    protocol = url.partition("://")[0].rpartition("::")[2]
    package, extra = _PACKAGES.get(protocol, ("", ""))
    if package:
        try:
            importlib.import_module(package)
        except ModuleNotFoundError:
            hint = install_hint("fsspec", extra) if package == "aiohttp" else install_hint(package, extra)
            raise ModuleNotFoundError(
                f"{url} is a URL: reading {protocol}:// needs {package}: {hint}", name=package
            ) from None
    return import_extra("fsspec", "remote", f"reading the URL {url}")


@contextmanager
def as_os_errors(url: str) -> Iterator[None]:
    """Turn every error into an OSError that names the URL: each library that fsspec uses has its own errors."""
    try:
        yield
    except ReplayError:
        raise
    except TimeoutError as error:
        raise TimeoutError(f"{url}: {error}") from None
    except FileNotFoundError as error:
        cause = error.__cause__  # HTTP hides the cause: refused by the server, or unreachable
        if cause is None or getattr(cause, "status", None) in (404, 410):
            raise FileNotFoundError(f"{url}: there is no such file") from None
        raise OSError(f"{url}: {str(cause) or type(cause).__name__}") from error
    except ImportError as error:
        raise ModuleNotFoundError(f"{url}: {error}", name=error.name) from None
    except Exception as error:
        if getattr(error, "code", None) in (404, 410):  # urllib's HTTPError
            raise FileNotFoundError(f"{url}: there is no such file") from None
        raise OSError(f"{url}: {str(error) or type(error).__name__}") from error
