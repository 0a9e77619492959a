"""The fragments of a broadcast, in a folder or at the URL of a relay.

A broadcast is a sequence of numbered fragments, each in up to three parts: ``start``, ``full`` and ``delta``. This
module finds and fetches them; the format decodes them. A folder has ``22/full.bin`` (or ``22/full``) and may have
a description ``sync.json`` (or ``sync``); a relay has the same names.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping

from playhead.errors import CorruptReplay, LimitExceeded, ReplayError
from playhead.io.compression import AFTER_STREAMS, compression_of, inflate
from playhead.io.ordinary import open_ordinary
from playhead.io.packs import is_url
from playhead.io.stream import Follow
from playhead.io.web import TIMEOUT, Deadline, WebFile, open_web
from playhead.limits import Limits
from playhead.runtime.typing import Any

#: A description has some hundred bytes.
_MOST_OF_SYNC = 1 << 16
#: Pauses before the retries.
_RETRIES = (0.25, 0.5, 1.0)
#: Longest pause between two requests for a missing part, in seconds.
_LONGEST_PAUSE = 1.0
#: The engine numbers fragments with 32 bits.
_MOST_NUMBERS = 1 << 31


def unpack_part(data: bytes, most: int, place: str) -> bytes:
    """Decompress a part, if its first bytes show a compression."""
    compression = compression_of(data)
    if compression is None:
        return data
    out = bytearray()
    try:
        for piece in inflate([data], compression):
            out += piece
            if len(out) > most:
                raise LimitExceeded(f"{place} expands to more than the limit of {most} bytes")
    except CorruptReplay as error:
        if error.where != AFTER_STREAMS:  # the part itself is whole
            raise
    return bytes(out)


def _number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_NUMBERS


def read_description(data: bytes) -> Mapping[str, Any]:
    """Parse a description.

    Raises:
        CorruptReplay: it is damaged.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise CorruptReplay("expected the description of a broadcast (JSON), found something else", where="sync")
    if "fragment" not in found and found.get("token_redirect"):
        return found
    if not _number(found.get("fragment")) or not _number(found.get("signup_fragment", 0)):
        raise CorruptReplay("expected numbers of fragments in the description of a broadcast", where="sync")
    return found


# -- a folder ---------------------------------------------------------------------------------------------


_SUFFIXES = (".bin", "")
_KINDS = ("start", "full", "delta")


def is_broadcast_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder has a description or a part of a fragment."""
    if not os.path.isdir(path):  # False also for a name that is too long, as a pack's member may have
        return False
    found = Folder(path, Limits())
    if any(found.has(number, kind) for number in _numbers_in(path) for kind in _KINDS):
        return True
    try:
        return found.describe() is not None
    except ReplayError:
        return False


def _numbers_in(folder: str | os.PathLike[str]) -> list[int]:
    """Return the numbers of the fragments of a folder, sorted."""
    names = [entry.name for entry in os.scandir(folder) if entry.name.isascii() and entry.name.isdigit()]
    return sorted(int(name) for name in names if len(name) < 11 and str(int(name)) == name)


class Folder:
    """Fragments in a folder.

    Attributes:
        name: path or URL as given.
        follow: how to wait for more; None reads only the available data.
        whole_on_arrival: parts appear complete. A folder may have parts that are still being written.
        trouble: why the latest part could not be fetched, if it is more than missing; else empty.
        received: bytes of all parts so far, as stored.
    """

    whole_on_arrival = False
    trouble = ""

    def __init__(self, path: str | os.PathLike[str], limits: Limits, follow: Follow | None = None) -> None:
        self.name = os.fspath(path)
        self.follow = follow
        self.received = 0
        self._limits = limits

    def _read(self, name: str, most: int) -> bytes | None:
        name = f"{self.name}/{name}"
        try:
            with open_ordinary(name) as file:
                # Reading with the greatest allowed size would allocate it.
                size = min(most, os.fstat(file.fileno()).st_size)
                data = file.read(size + 1)
                if size < len(data) <= most:  # the file grew
                    data += file.read(most + 1 - len(data))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise CorruptReplay(f"cannot be read: {error}") from error
        name = os.path.basename(name)
        if len(data) > most:
            raise LimitExceeded(f"{name} is larger than the limit of {most} bytes")
        self.received += len(data)
        return unpack_part(data, most, name)

    def describe(self) -> Mapping[str, Any] | None:
        """Return the content of ``sync``; None if it is not available (yet). Without a description it is
        made from the names of the parts.

        Raises:
            ReplayError: it is not a description.
        """
        description: Mapping[str, Any] = {}
        for suffix in (".json", ""):
            data = self._read(f"sync{suffix}", _MOST_OF_SYNC)
            if data is not None:
                description = read_description(data)
                break
        # The kept fragments may begin before or after the fragment that the description names.
        numbers = _numbers_in(self.name)
        starts = [number for number in numbers if self.has(number, "start")]
        played = [number for number in numbers if any(self.has(number, kind) for kind in _KINDS[1:])]
        if not description and not starts and not played:
            return None
        signup = description.get("signup_fragment", 0)
        if starts and signup not in starts:
            signup = starts[0]
        first = played[0] if played else description.get("fragment", signup)
        return {**description, "signup_fragment": signup, "fragment": first}

    def has(self, number: int, kind: str) -> bool:
        """Return whether a part exists."""
        return any(os.path.isfile(f"{self.name}/{number}/{kind}{suffix}") for suffix in _SUFFIXES)

    def part(self, number: int, kind: str) -> bytes | None:
        """Return a part of a fragment, decompressed; None if it is not available (yet).

        Raises:
            ReplayError: it is larger than `Limits.fragment`, or its compression is damaged.
        """
        for suffix in _SUFFIXES:
            found = self._read(f"{number}/{kind}{suffix}", self._limits.fragment)
            if found is not None:
                return found
        return None

    def has_all(self) -> bool:
        """Return whether fetching every part of every fragment is cheap, not only the necessary ones."""
        return True

    def newest(self) -> int | None:
        """Return the number of the newest fragment that should be available; None if unknown."""
        numbers = reversed(_numbers_in(self.name))
        return next((number for number in numbers if any(self.has(number, kind) for kind in _KINDS[1:])), None)


# -- a relay ----------------------------------------------------------------------------------------------


def may_be_relay(url: str) -> bool:
    """Return whether a URL can be a relay's: HTTP, and its last part not named like a file (``match.dem``)."""
    from pathlib import PurePosixPath
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and not PurePosixPath(parts.path).suffix


def fragments_at(target: str, limits: Limits, follow: Follow | None = None) -> Fragments | None:
    """Return the fragments in a folder or at the URL of a relay, if there are any. Errors as in `relay_at`."""
    if is_url(target):
        return relay_at(target, limits, follow)
    return Folder(target, limits, follow) if is_broadcast_folder(target) else None


def relay_at(url: str, limits: Limits, follow: Follow | None = None) -> Relay | None:
    """Return the relay at a URL; None if there is no relay. With `follow` it need not answer yet.

    Raises:
        OSError: its host does not answer; or the URL ends with ``/sync`` and is not a relay's.
    """
    if not may_be_relay(url):
        return None
    relay = Relay(url, limits, follow)
    if follow is not None:
        return relay
    try:
        found = relay.describe() is not None
    except ReplayError:
        found = False
    if not found and (relay.unreachable or relay.named_as_one):
        raise OSError(f"{url}: no answer of a relay{relay.trouble and f' ({relay.trouble})'}")
    return relay if found else None


class Relay:
    """Fragments of a relay; see `Folder`.

    Requests go only to ``sync`` and the parts, below the given URL or below its ``token_redirect``, a name or a
    path of names in the description. HTTP redirects: see `playhead.io.web`. Answers may be compressed.

    Args:
        url: with or without ``/sync`` at its end; a query is sent with every request.
        clock: returns seconds, for the pauses.

    Attributes:
        named_as_one: the URL ends with ``/sync``.
        unreachable: a request got no answer at all.
    """

    whole_on_arrival = True

    def __init__(
        self, url: str, limits: Limits, follow: Follow | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = url
        self.follow = follow
        self.trouble = ""
        self.received = 0
        self._limits = limits
        self._clock = clock
        from urllib.parse import urlsplit

        self._url = urlsplit(url)
        path = self._url.path.rstrip("/")
        self.named_as_one = path.endswith("/sync")
        self.unreachable = False
        self._base = path.removesuffix("/sync")
        self._prefix = ""
        self._pause = _LONGEST_PAUSE
        self._not_before: dict[str, float] = {}
        self._newest: int | None = None
        self._deadline = Deadline(limits.network)
        self._description: Mapping[str, Any] | None = None

    def describe(self) -> Mapping[str, Any] | None:
        """As `Folder.describe`; requested once, and again below ``token_redirect`` if that has the
        description."""
        if self._description is None:
            self._description = self._ask_sync()
        return self._description

    def _ask_sync(self) -> Mapping[str, Any] | None:
        data = self._ask("sync", _MOST_OF_SYNC)
        if data is None:
            return None
        found = read_description(data)
        redirect = found.get("token_redirect")
        if redirect and not self._prefix:
            self._prefix = _checked_redirect(redirect)
            if "fragment" not in found:
                return self._ask_sync()
        if "fragment" not in found:
            raise CorruptReplay("expected the description of a broadcast, found another redirect", where="sync")
        interval = found.get("keyframe_interval")
        if isinstance(interval, int | float) and 0 < interval < 3 * _LONGEST_PAUSE:
            self._pause = interval / 3
        return found

    def part(self, number: int, kind: str) -> bytes | None:
        """As `Folder.part`."""
        return self._ask(f"{number}/{kind}", self._limits.fragment)

    def has_all(self) -> bool:
        """As `Folder.has_all`."""
        return False

    def newest(self) -> int | None:
        """As `Folder.newest`: the fragment where the relay lets viewers begin, some seconds late.

        With `follow` it is that of the previous request; a fragment missing then has not come since.
        """
        before = self._newest
        try:
            found = self._ask_sync()
        except ReplayError:
            return None
        if found is None:
            return None
        self._newest = found.get("fragment")
        return self._newest if self.follow is None else before

    def _ask(self, path: str, most: int) -> bytes | None:
        """Return an answer, with some retries; with `follow` only one request, and none soon after a failed
        one."""
        if self.follow is None:
            for pause in (*_RETRIES, None):
                data, temporary = self._try(path, most)
                if data is not None or not temporary or pause is None:
                    return data
                time.sleep(pause)
        now = self._clock()
        if now < self._not_before.get(path, now):
            return None
        data, _ = self._try(path, most)
        if data is not None and path != "sync":
            self._not_before.clear()
        else:
            self._not_before[path] = now + self._pause
        return data

    def _try(self, path: str, most: int) -> tuple[bytes | None, bool]:
        """Return an answer, and whether a retry makes sense without one."""
        import urllib.error

        deadline = self._deadline if self.follow is None else Deadline(TIMEOUT)
        url = self._url._replace(path=f"{self._base}{self._prefix}/{path}", fragment="").geturl()
        try:
            with open_web(url, deadline, {"Accept-Encoding": "gzip"}) as answer:
                data = b"".join(_bounded(answer, most, path))
        except urllib.error.HTTPError as error:
            self.trouble = "" if error.code == 404 else f"{path}: HTTP {error.code} {error.reason}"
            return None, error.code >= 500 or error.code in (408, 429)
        except OSError as error:
            self.trouble = f"{path}: {error}"
            self.unreachable = True
            return None, deadline.left > 0
        self.trouble = ""
        self.received += len(data)
        return unpack_part(data, most, path), False


#: The fragments of one broadcast; both classes have the same attributes and methods.
Fragments = Folder | Relay


def _bounded(answer: WebFile, most: int, path: str) -> Iterator[bytes]:
    size = 0
    while piece := answer.read(1 << 16):
        size += len(piece)
        if size > most:
            raise LimitExceeded(f"{path} is larger than the limit of {most} bytes")
        yield piece


def _checked_redirect(value: Any) -> str:
    """Return the path prefix of a redirect in a description: names below the URL only."""
    names = value.removeprefix("/").removesuffix("/").split("/") if isinstance(value, str) else [""]
    for name in names:
        plain = name.replace("-", "").replace("_", "").replace(".", "").replace("~", "")
        if not (plain.isascii() and plain.isalnum()):
            raise CorruptReplay(f"expected names in token_redirect, found {value!r}", where="sync")
    return "".join(f"/{name}" for name in names)
