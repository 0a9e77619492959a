"""Files behind URLs, through fsspec (extra ``remote``; ``s3://`` and its like need a package of their own too)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from playhead.errors import ReplayError
from playhead.runtime.extras import import_extra, install_hint

#: The package behind a URL, where that is not fsspec itself, and the extra of playhead that it comes with.
_PACKAGES = {"http": ("aiohttp", "remote"), "https": ("aiohttp", "remote"), "s3": ("s3fs", "s3")}


def open_remote(url: str) -> BinaryIO:
    """Open a URL for reading.

    Raises:
        ModuleNotFoundError: what reads such URLs is not installed; the text says how to install it.
        OSError: it cannot be opened.
    """
    fsspec = _fsspec(url)
    with as_os_errors(url):
        return cast(BinaryIO, fsspec.open(url, "rb").open())


def list_remote(url: str) -> Iterator[tuple[str, int | None, float]]:
    """Iterate over what a URL that ends in ``/`` or is a pattern means: URLs with sizes, and times of the last
    change in seconds since 1970 (0 where that is not known); errors as of `open_remote`.
    """
    fsspec = _fsspec(url)
    with as_os_errors(url):
        system, path = fsspec.core.url_to_fs(url)
        look: Callable[..., dict[str, Any]] = system.find if url.endswith("/") else system.glob
        found = look(path, detail=True)
    for name, facts in found.items():
        if facts["type"] == "file" and not name.rpartition("/")[2].startswith("."):
            yield str(system.unstrip_protocol(name)), facts.get("size"), changed_at(facts)


def changed_at(facts: Mapping[str, Any]) -> float:
    """Return when a file changed last, in seconds since 1970, of what a file system lists of it; 0 if nothing."""
    changed = facts.get("LastModified") or facts.get("mtime") or facts.get("created") or 0.0
    return float(changed.timestamp() if hasattr(changed, "timestamp") else changed)


def filesystem(url: str) -> tuple[Any, str]:
    """Return fsspec's file system behind a URL, and the path in it.

    Raises:
        ModuleNotFoundError: what reads such URLs is not installed; the text says how to install it.
        OSError: there is no such system.
    """
    fsspec = _fsspec(url)
    with as_os_errors(url):
        system, path = fsspec.core.url_to_fs(url)
        return system, str(path)


def _fsspec(url: str) -> Any:
    """Return fsspec, once all is there that this URL needs."""
    fsspec = import_extra("fsspec", "remote", f"{url} is a URL: reading those")
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
    return fsspec


@contextmanager
def as_os_errors(url: str) -> Iterator[None]:
    """What goes wrong is an OSError that names the URL: every library behind fsspec has errors of its own."""
    try:
        yield
    except ReplayError:
        raise
    except FileNotFoundError as error:
        cause = error.__cause__  # of HTTP, whatever was wrong: the server refused, or could not be reached
        if cause is None or getattr(cause, "status", None) in (404, 410):
            raise FileNotFoundError(f"{url}: there is no such file") from None
        raise OSError(f"{url}: {str(cause) or type(cause).__name__}") from error
    except ImportError as error:
        raise ModuleNotFoundError(f"{url}: {error}", name=error.name) from None
    except Exception as error:
        raise OSError(f"{url}: {str(error) or type(error).__name__}") from error
