"""The server of ``playhead view``: the page and its data, for this machine only.

It listens on 127.0.0.1 and answers requests that name this host and carry the secret token. Its pages may not load
anything from elsewhere.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from importlib.resources import files
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from playhead.ask import Chosen, rounds, sql
from playhead.errors import ReplayError
from playhead.io.inputs import check_exists
from playhead.io.web import listen
from playhead.registry import is_replay
from playhead.runtime.extras import import_extra
from playhead.runtime.heap import settle, use_one_arena
from playhead.view.match import MapFile, Match
from playhead.web.answers import FORMS, HEADERS, Refused, number, refusal, reply, status_of
from playhead.web.connections import HttpGuard, run_app, watched
from playhead.web.shelf import Shelf, safe_name

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

HOST = "127.0.0.1"

#: The page may load from this server only.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
    "media-src blob:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
_HEADERS = {
    **HEADERS,
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_STATIC = {
    "": ("index.html", "text/html; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
}
#: Bytes of the answer to a statement that the page downloads.
DOWNLOAD = 256 << 20
#: The least tick of a request; a recording may begin before its clock.
_LEAST = -(1 << 31)


def _tick(request: Request, name: str, default: int = 0) -> int:
    return number(request, name, default, least=_LEAST)


def _range(request: Request) -> tuple[int, int] | None:
    """Return the first and the last tick of the range that the user chose, or None."""
    return (_tick(request, "from"), _tick(request, "to")) if "from" in request.query_params else None


def _table_page(match: Match, request: Request) -> object:
    query = request.query_params
    return match.table(
        query.get("name", ""),
        sort=query.get("sort", ""),
        descending=query.get("descending") == "1",
        search=query.get("search", ""),
        ticks=_range(request),
        offset=number(request, "offset"),
    )


#: Requests that need a seek, but no pass over the recording.
_SOON = frozenset({"state", "summary", "moment", "thing", "history"})

#: Requests that the page makes once for each recording; their answers are cached.
_PASSES = frozenset({"ground", "clock", "jumps", "events", "opening", "story", "decided", "effects", "notes"})

#: Requests that may take long in a process of their own, or run a query of the user.
_QUERIES = frozenset({"sql", "table", "download", "overlay"})

#: Requests about a recording without parameters, and others by the last part of the path.
_PLAIN = frozenset({"summary", "problems"}) | _PASSES - {"events"}
_ANSWERS: Mapping[str, Callable[[Match, Any], object]] = {
    "moment": lambda match, request: match.moment(_tick(request, "tick")),
    "heat": lambda match, request: match.heat(
        number(request, "player") if request.query_params.get("player") else None
    ),
    "path": lambda match, request: match.path(number(request, "player")),
    "events": lambda match, request: match.events(
        tuple(filter(None, request.query_params.get("kinds", "").split(",")))
    ),
    "curve": lambda match, request: match.curve(request.query_params.get("name", "")),
    "thing": lambda match, request: match.thing(_tick(request, "tick"), request.query_params.get("id", "")),
    "history": lambda match, request: match.history(
        _tick(request, "tick"), request.query_params.get("id", ""), request.query_params.get("field", "")
    ),
    "table": _table_page,
}


def make_app(shelf: Shelf, token: str, stopping: Event | None = None) -> Starlette:
    """Return the application. `stopping` interrupts its queries.

    Raises:
        ModuleNotFoundError: Starlette is not installed (extra ``view``).
    """
    import_extra("starlette", "view", "playhead view")
    from anyio import CapacityLimiter
    from anyio.to_thread import run_sync
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.routing import Route

    # Seeks do not wait for passes. There are few threads because the allocator keeps memory for each of them, and
    # seeks in one recording wait for each other anyway.
    seeks, passes, queries = CapacityLimiter(1), CapacityLimiter(2), CapacityLimiter(2)
    threads = CapacityLimiter(5)  # as many as the three admit

    def check(request: Request) -> None:
        host = request.headers.get("host", "")
        name, _, port = host.partition(":")
        if name not in (HOST, "localhost") or (port and not port.isdigit()):
            raise Refused(403, "this server answers to its own address only")
        origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
        if origin not in (None, f"http://{host}") or site not in ("none", "same-origin"):
            raise Refused(403, "this server answers to its own pages only")
        if not secrets.compare_digest(request.path_params["token"].encode(), token.encode()):
            raise Refused(404, "nothing here")

    def guarded(answer: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def guarded_answer(request: Request) -> Response:
            try:
                check(request)
                return await answer(request)
            except Exception as error:
                status = status_of(error)  # show a defect too, or the page would wait for ever
                return refusal(status, f"{type(error).__name__}: {error}" if status == 500 else error)

        return guarded_answer

    async def static(request: Request) -> Response:
        found = _STATIC.get(request.path_params["path"])
        if found is None:
            raise Refused(404, "nothing here")
        body = files("playhead.view").joinpath("static", found[0]).read_bytes()
        if found[0] == "index.html":  # the browser asks for these while it reads the script
            first = ["files", "m/0/summary"] if len(shelf.files) == 1 else ["files"]
            links = "".join(f'<link rel="preload" as="fetch" crossorigin href="{name}">' for name in first)
            body = body.replace(b"</head>", links.encode() + b"</head>")
        return reply(body, found[1])

    async def listing(request: Request) -> Response:
        if len(shelf.files) > 1:
            shelf.read_heads()
        return reply(shelf.listing())

    async def add(request: Request) -> Response:
        """Open a file that the user drops on the page."""
        try:
            return reply({"id": await shelf.add(request.query_params.get("name", ""), request.stream())})
        except ValueError as error:
            raise Refused(422, str(error)) from None

    async def ask(request: Request) -> Response:
        what = request.path_params["what"]
        limiter = seeks if what in _SOON else queries if what in _QUERIES else passes
        async with limiter:
            if await request.is_disconnected():  # while it waited: dragging the time leaves many such requests
                raise Refused(499, "the page does not wait for this answer any more")
            async with watched(request, stopping) if what in _QUERIES else nullcontext(Event()) as gone:
                return await run_sync(_answer, request, gone, limiter=threads)

    def _answer(request: Request, gone: Event) -> Response:
        what = request.path_params["what"]
        place = request.path_params["number"]
        if not (place.isascii() and place.isdecimal() and len(place) < 12):
            raise Refused(404, "nothing here")
        match, chosen = shelf.match(int(place)), shelf.chosen(int(place))
        if what == "state":
            return reply(match.state(_tick(request, "stretch")), "application/octet-stream")
        if what == "voice":
            return reply(match.voice(number(request, "speaker")), "audio/ogg")
        if what == "download":
            return _download(match, chosen, request, gone)
        if what == "report":
            return _report(int(place), request)
        if what == "sql":
            text = request.query_params.get("q", "")
            return reply(shelf.queries.ask(sql, chosen, text, gone=gone.is_set))
        if what == "overlay":
            return reply(shelf.queries.ask(rounds, chosen, gone=gone.is_set))
        if what not in _PLAIN and what not in _ANSWERS:
            raise Refused(404, f"nothing called {what}")
        answer = reply(getattr(match, what)() if what in _PLAIN else _ANSWERS[what](match, request))
        if what in _PASSES:
            settle()
        return answer

    def _report(place: int, request: Request) -> Response:
        """Return the recording, or its range, as one file."""
        page, name = shelf.report(place, _range(request), _tick(request, "at", _LEAST))
        settle()
        attachment = {"Content-Disposition": f'attachment; filename="{name}"'}
        return reply(page, "text/html; charset=utf-8", more=attachment)

    def _download(match: Match, chosen: Chosen, request: Request, gone: Event) -> Response:
        query = request.query_params
        form, name = query.get("format", "csv"), query.get("name", "")
        if "q" in query:
            data = shelf.queries.ask(sql, chosen, query["q"], form=form, answer=DOWNLOAD, gone=gone.is_set)
        else:
            data = match.file(name, form, _range(request))
        attachment = {"Content-Disposition": f'attachment; filename="{safe_name(name or "query")}.{form}"'}
        return reply(data, FORMS.get(form, "application/octet-stream"), more=attachment)

    app = Starlette(
        middleware=[Middleware(HttpGuard, headers=_HEADERS)],
        routes=[
            Route("/{token}/files", guarded(listing)),
            Route("/{token}/open", guarded(add), methods=["POST"]),
            Route("/{token}/m/{number}/{what}", guarded(ask)),
            Route("/{token}/{path:path}", guarded(static)),
        ],
    )
    app.router.redirect_slashes = False
    return app


def _read_first(shelf: Shelf) -> None:
    with suppress(ReplayError, OSError):  # the page gets the error with its first request
        match = shelf.match(0)
        match.summary()
        match.state(match.first_tick // match.stretch)
        settle()


def serve(
    names: Iterable[str],
    *,
    port: int = 0,
    ready: Callable[[str], object] = print,
    map_file: MapFile | None = None,
    against: Path | None = None,
    said: Callable[[str], object] | None = None,
) -> None:
    """Serve recordings until interrupted; call `ready` with the address, which includes the token.

    Args:
        names: files, folders, patterns.
        port: port to listen on; 0 for a free one.
        map_file: picture below the map; None to look for it among the files of the games on this machine.
        against: recording of the same game with whose players the tables of a coach compare, where the game can.
        said: is called with the file that became the ground of a recording, a line for each.

    Raises:
        ModuleNotFoundError: Starlette or uvicorn are not installed (extra ``view``).
        ValueError: no file is a recording, or a named file is not.
        OSError: the port is taken, or a file does not exist.
    """
    use_one_arena()
    import_extra("uvicorn", "view", "playhead view")
    names = list(names)
    for name in names:
        check_exists(name)
    shelf = Shelf(names, map_file, against, said)
    if not shelf.files:
        raise ValueError(f"no replay in {', '.join(names)}")
    for file in shelf.files:
        if file.named and Path(file.path).is_file() and not is_replay(file.path):
            raise ValueError(f"{file.path} is not a replay")
    beside = "#m=0&with=1" if len(names) == len(shelf.files) == 2 else ""
    serve_shelf(shelf, port=port, ready=lambda address: ready(address + beside))


def serve_shelf(shelf: Shelf, *, port: int = 0, ready: Callable[[str], object] = print) -> None:
    """Serve the recordings of a shelf; arguments and errors as of `serve`."""
    import_extra("uvicorn", "view", "playhead view")
    listener = listen(HOST, port)
    token = secrets.token_urlsafe(24)
    stopping = Event()
    app = make_app(shelf, token, stopping)
    if len(shelf.files) == 1:  # read the first answers while the browser starts
        Thread(target=_read_first, args=(shelf,), daemon=True).start()
    ready(f"http://{HOST}:{listener.getsockname()[1]}/{token}/")
    # The page gets the errors; passes that Ctrl+C interrupts are none.
    run_app(app, listener, stopping, log_level="critical", timeout_graceful_shutdown=3)
