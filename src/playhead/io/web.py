"""Files over HTTP, by one policy for relays and for single files, and within one deadline.

Redirects are followed to the same host and port only, from ``http`` to ``https`` too: a server must not make
playhead send requests to other services. An answer that arrives byte by byte ends at the deadline.
"""

from __future__ import annotations

import io
import math
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from playhead.runtime.typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import http.client
    import urllib.request


# urllib is imported on use: it takes as long as much of the opening of a file.

#: Seconds to wait for the next bytes of an answer.
TIMEOUT = 10.0

_PORTS = {"http": 80, "https": 443}
#: Statuses of answers that are a whole file; 206 is a part of it.
_WHOLE = (200, 203)


class Deadline:
    """The time that all requests of one open may take together."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end: float | None = None

    @property
    def left(self) -> float:
        """Seconds that are left; the time runs from the first call."""
        if self._end is None:
            self._end = time.monotonic() + self.seconds
        return self._end - time.monotonic()

    def error(self) -> TimeoutError:
        """Return the error of a deadline that has passed."""
        return TimeoutError(f"took longer than {self.seconds:g} seconds (Limits.network)")

    def __reduce__(self) -> tuple[Any, ...]:
        return Deadline, (self.seconds,)


def open_web(url: str, deadline: Deadline, headers: Mapping[str, str] | None = None) -> WebFile:
    """Request a URL.

    Raises:
        OSError: it cannot be reached, redirects elsewhere, or answers with a part; an HTTPError if the server
            refuses.
        TimeoutError: the deadline has passed.
    """
    import urllib.request
    from http.client import HTTPException

    left = deadline.left
    if left <= 0:
        raise deadline.error()
    connections: list[Any] = []
    timer = threading.Timer(min(left, threading.TIMEOUT_MAX), _cut, (connections,))
    timer.daemon = True
    if math.isfinite(left):
        timer.start()
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "playhead", **(headers or {})})
        answer = _opener(connections).open(request, timeout=min(TIMEOUT, left))
        if answer.status not in _WHOLE:
            raise OSError(f"expected the whole file, found an answer {answer.status} {answer.reason}")
    except (OSError, HTTPException, ValueError) as error:
        _close(timer, connections, error)
        if deadline.left <= 0:
            raise deadline.error() from error
        if isinstance(error, OSError):
            raise
        raise OSError(str(error) or type(error).__name__) from error
    except BaseException as error:
        _close(timer, connections, error)
        raise
    return WebFile(answer, deadline, timer)


class WebFile(io.RawIOBase):
    """The content of an answer, front to back."""

    def __init__(self, answer: http.client.HTTPResponse, deadline: Deadline, timer: threading.Timer) -> None:
        super().__init__()
        self._answer = answer
        self._deadline = deadline
        self._timer = timer

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        from http.client import HTTPException

        try:
            piece = self._answer.read1(len(buffer))
        except (OSError, HTTPException, ValueError) as error:
            if self._deadline.left <= 0:
                raise self._deadline.error() from error
            raise OSError(str(error) or type(error).__name__) from error
        if self._deadline.left <= 0:
            raise self._deadline.error()
        if not piece and self._answer.length:  # read1 does not notice a cut answer
            raise OSError(f"expected {self._answer.length} more bytes, found the end of the answer")
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        if not self.closed:
            self._timer.cancel()
            self._answer.close()
        super().close()


def _close(timer: threading.Timer, connections: list[Any], error: BaseException) -> None:
    """Close everything of a failed request: its connections, answers, and those of an `HTTPError`."""
    timer.cancel()
    for opened in (error, *connections):
        close = getattr(opened, "close", None)
        if close is not None:
            close()


def _cut(connections: list[Any]) -> None:
    """End connections, also those that wait."""
    import socket

    for connection in connections:
        sock = getattr(connection, "sock", None)
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)


def _opener(connections: list[Any]) -> urllib.request.OpenerDirector:
    import http.client
    import urllib.error
    import urllib.request

    def kept(kind: type[Any], *args: Any, **options: Any) -> Any:
        connections.append(kind(*args, **options))
        return connections[-1]

    def answered(answer: http.client.HTTPResponse) -> http.client.HTTPResponse:
        connections.append(answer)  # it has the socket now
        return answer

    class PlainHandler(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return answered(self.do_open(partial(kept, http.client.HTTPConnection), req))

    class SecureHandler(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return answered(self.do_open(partial(kept, http.client.HTTPSConnection), req))

    class SamePlace(urllib.request.HTTPRedirectHandler):
        def redirect_request(
            self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
        ) -> urllib.request.Request | None:
            if not may_follow(req.full_url, newurl):
                refused = "a redirect to another host or port, not followed"
                raise urllib.error.HTTPError(newurl, code, refused, headers, fp)
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    return urllib.request.build_opener(PlainHandler, SecureHandler, SamePlace)


def may_follow(asked: str, target: str) -> bool:
    """Return whether a redirect is followed: to the same host and port, or from ``http`` to ``https`` of a host at
    the usual ports."""
    from urllib.parse import urlsplit

    try:
        one, other = urlsplit(asked), urlsplit(target)
        places = [(each.scheme, each.hostname, each.port or _PORTS.get(each.scheme)) for each in (one, other)]
    except ValueError:
        return False
    upgraded = places[0] == ("http", one.hostname, 80) and places[1] == ("https", one.hostname, 443)
    return upgraded or places[0] == places[1]


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that accepts connections at once: a reader of its address may ask before the server runs.

    uvicorn's own way to bind ends the process if it fails.

    Raises:
        OSError: the port is taken, or the host is none of this machine.
    """
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
