"""The connections of a server: it ends silent and slow clients, and work whose client has gone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from threading import Event
from typing import TYPE_CHECKING, Any

from playhead.runtime.extras import import_extra
from playhead.runtime.records import dataclass, field

if TYPE_CHECKING:
    from types import FrameType

    import uvicorn
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Seconds in which the head of a request has to come, and in which something of an answer has to be taken.
SILENCE = 30.0
#: Seconds in which an answer has to be taken.
TAKING = 600.0
#: Connections that may stay without a request; of more the oldest end.
IDLE = 128
#: Bytes of all answers that wait for their clients; beyond them those end that wait longest.
WAITING = 512 << 20
#: Seconds between two looks at who waits for an answer.
_POLL = 0.2


@dataclass(slots=True)
class _Seen:
    """A waiting connection: for the next request, or for its client to take the rest of an answer.

    Attributes:
        cycle: its latest request, as uvicorn has it.
        left: bytes of the answer that wait.
        since: when it began to wait.
        moved: when its client took something.
    """

    cycle: Any
    left: int
    since: float
    moved: float


@dataclass(slots=True)
class Patience:
    """Ends connections whose clients are silent or slow; see the bounds of this module."""

    seen: dict[Any, _Seen] = field(default_factory=dict)

    def look(self, connections: Collection[Any], now: float) -> None:
        """Look at all connections of a server (uvicorn's protocols), many times a minute."""
        before, self.seen = self.seen, {}
        for each in connections:
            left = each.transport.get_write_buffer_size()
            if each.cycle is not None and not each.cycle.response_complete and not left:
                continue  # its body arrives, or its answer is made: these have bounds of their own
            seen = before.get(each)
            if seen is None or seen.cycle is not each.cycle or (seen.left > 0) != (left > 0):
                seen = _Seen(each.cycle, left, now, now)
            elif left < seen.left:
                seen.moved = now
            seen.left = left
            self.seen[each] = seen
        for each in self._impatient(now):
            each.transport.abort()

    def _impatient(self, now: float) -> list[Any]:
        """Return the connections to end."""
        idle = sorted((each for each, seen in self.seen.items() if not seen.left), key=self._since)
        slow = sorted((each for each, seen in self.seen.items() if seen.left), key=self._since)
        ended = [each for each in (*idle, *slow) if now - self.seen[each].moved > SILENCE]
        ended += [each for each in slow if now - self.seen[each].since > TAKING]
        ended += idle[: max(0, len(idle) - IDLE)]
        waiting = sum(self.seen[each].left for each in slow)
        for each in slow:
            if waiting <= WAITING:
                break
            waiting -= self.seen[each].left
            ended.append(each)
        return ended

    def _since(self, connection: Any) -> float:
        return self.seen[connection].since


def make_server(config: uvicorn.Config, stopping: Event | None = None) -> uvicorn.Server:
    """Return a server that has `Patience`, and sets `stopping` at a signal to end.

    Raises:
        ModuleNotFoundError: uvicorn is not installed (extra ``view``).
    """
    import_extra("uvicorn", "view", "a server")
    from uvicorn import Server

    patience = Patience()

    class Patient(Server):
        async def on_tick(self, counter: int) -> bool:
            patience.look(self.server_state.connections, time.monotonic())
            return await super().on_tick(counter)

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            if stopping is not None:
                stopping.set()
            super().handle_exit(sig, frame)

    return Patient(config)


def run_app(app: ASGIApp, listener: Any, stopping: Event | None = None, **more: Any) -> None:
    """Serve an application on a socket until interrupted; `more` are options of uvicorn."""
    from uvicorn import Config

    config = Config(app, access_log=False, server_header=False, ws="none", **more)
    make_server(config, stopping).run(sockets=[listener])


class HttpGuard:
    """Gives every answer of an application its headers, also those of the router.

    A request whose length can be read in two ways (RFC 9112, 6.1) is refused, and its connection ends.
    """

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self._app = app
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*self._headers, *message["headers"]]
            await send(message)

        app = self._app
        if scope["type"] == "http" and {b"content-length", b"transfer-encoding"} <= dict(scope["headers"]).keys():
            from starlette.responses import JSONResponse

            text = "send Content-Length or Transfer-Encoding, not both"
            app = JSONResponse({"error": text}, 400, {"Connection": "close"})
        await app(scope, receive, with_headers)


@asynccontextmanager
async def watched(request: Request, stopping: Event | None = None) -> AsyncIterator[Event]:
    """Give an event that is set when the client of a request does not wait any more, or with `stopping`."""
    gone = Event()

    async def watch() -> None:
        while not gone.is_set():
            await asyncio.sleep(_POLL)
            if (stopping is not None and stopping.is_set()) or await request.is_disconnected():
                gone.set()

    watcher = asyncio.ensure_future(watch())
    try:
        yield gone
    finally:
        watcher.cancel()
