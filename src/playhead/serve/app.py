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

from playhead.errors import ReplayError
from playhead.io.inputs import check_exists
from playhead.io.listening import listen
from playhead.registry import is_replay
from playhead.runtime.extras import import_extra
from playhead.runtime.heap import settle, use_one_arena
from playhead.serve.connections import HttpGuard, make_server, watched
from playhead.serve.queries import OverlayRequest, SqlRequest
from playhead.serve.shelf import Shelf, safe_name
from playhead.text.json import to_json
from playhead.view.match import MapFile, Match

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
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_STATIC = {
    "": ("index.html", "text/html; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
}
#: Bytes of the answer to a statement that the page downloads.
DOWNLOAD = 256 << 20
_TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}


def _number(request: Request, name: str, default: int = 0) -> int:
    text = request.query_params.get(name, "")
    return int(text) if text.lstrip("-").isdigit() and len(text) < 12 else default


def _range(request: Request) -> tuple[int, int] | None:
    """Return the first and the last tick of the range that the user chose, or None."""
    return (_number(request, "from"), _number(request, "to")) if "from" in request.query_params else None


def _table_page(match: Match, request: Request) -> object:
    query = request.query_params
    return match.table(
        query.get("name", ""),
        sort=query.get("sort", ""),
        descending=query.get("descending") == "1",
        search=query.get("search", ""),
        ticks=_range(request),
        offset=_number(request, "offset"),
    )


#: Requests that need a seek, but no pass over the recording.
_SOON = frozenset({"state", "summary", "moment", "thing", "history"})

#: Requests that the page makes once for each recording; their answers are cached.
_PASSES = frozenset({"ground", "clock", "jumps", "events", "opening", "story", "decided", "effects"})

#: Requests that may take long in a process of their own, or run a query of the user.
_QUERIES = frozenset({"sql", "table", "download", "overlay"})

#: Requests about a recording without parameters, and others by the last part of the path.
_PLAIN = frozenset({"summary", "clock", "ground", "jumps", "opening", "story", "problems", "decided", "effects"})
_ANSWERS: Mapping[str, Callable[[Match, Any], object]] = {
    "moment": lambda match, request: match.moment(_number(request, "tick")),
    "heat": lambda match, request: match.heat(
        _number(request, "player") if request.query_params.get("player") else None
    ),
    "path": lambda match, request: match.path(_number(request, "player")),
    "events": lambda match, request: match.events(
        tuple(filter(None, request.query_params.get("kinds", "").split(",")))
    ),
    "curve": lambda match, request: match.curve(request.query_params.get("name", "")),
    "thing": lambda match, request: match.thing(_number(request, "tick"), request.query_params.get("id", "")),
    "history": lambda match, request: match.history(
        _number(request, "tick"), request.query_params.get("id", ""), request.query_params.get("field", "")
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
    from starlette.responses import Response
    from starlette.routing import Route

    # Seeks do not wait for passes. There are few threads because the allocator keeps memory for each of them, and
    # seeks in one recording wait for each other anyway.
    seeks, passes, queries = CapacityLimiter(1), CapacityLimiter(2), CapacityLimiter(2)
    threads = CapacityLimiter(5)  # as many as the three admit

    def reply(body: bytes, kind: str, status: int = 200, more: Mapping[str, str] | None = None) -> Response:
        return Response(body, status, {"Content-Type": kind, **(more or {})})

    def refuse(status: int, text: str) -> Response:
        return reply(to_json({"error": text}).encode(), "application/json", status)

    def allowed(request: Request) -> Response | None:
        host = request.headers.get("host", "")
        name, _, port = host.partition(":")
        if name not in (HOST, "localhost") or (port and not port.isdigit()):
            return refuse(403, "this server answers to its own address only")
        origin = request.headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return refuse(403, "this server answers to its own pages only")
        if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return refuse(403, "this server answers to its own pages only")
        if not secrets.compare_digest(request.path_params["token"].encode(), token.encode()):
            return refuse(404, "nothing here")
        return None

    def guarded(answer: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def guarded_answer(request: Request) -> Response:
            return allowed(request) or await answer(request)

        return guarded_answer

    async def static(request: Request) -> Response:
        found = _STATIC.get(request.path_params["path"])
        if found is None:
            return refuse(404, "nothing here")
        body = files("playhead.view").joinpath("static", found[0]).read_bytes()
        if found[0] == "index.html":  # the browser asks for these while it reads the script
            first = ["files", "m/0/summary"] if len(shelf.files) == 1 else ["files"]
            links = "".join(f'<link rel="preload" as="fetch" crossorigin href="{name}">' for name in first)
            body = body.replace(b"</head>", links.encode() + b"</head>")
        return reply(body, found[1])

    async def listing(request: Request) -> Response:
        if len(shelf.files) > 1:
            shelf.read_heads()
        return reply(to_json(shelf.listing()).encode(), "application/json")

    async def add(request: Request) -> Response:
        """Open a file that the user drops on the page."""
        try:
            number = await shelf.add(request.query_params.get("name", ""), request.stream())
        except (ValueError, OSError) as error:
            return refuse(422, str(error))
        return reply(to_json({"id": number}).encode(), "application/json")

    async def ask(request: Request) -> Response:
        try:
            what = request.path_params["what"]
            limiter = seeks if what in _SOON else queries if what in _QUERIES else passes
            async with limiter:
                if await request.is_disconnected():  # while it waited: dragging the time leaves many such requests
                    return refuse(499, "the page does not wait for this answer any more")
                async with watched(request, stopping) if what in _QUERIES else nullcontext(Event()) as gone:
                    return await run_sync(_answer, request, gone, limiter=threads)
        except (ReplayError, OSError) as error:
            return refuse(422, str(error))
        except (KeyError, ValueError, NotImplementedError, ModuleNotFoundError) as error:
            return refuse(400, str(error.args[0] if error.args else error))
        except Exception as error:  # a defect: show it, or the page would wait for ever
            return refuse(500, f"{type(error).__name__}: {error}")

    def _answer(request: Request, gone: Event) -> Response:
        what = request.path_params["what"]
        number = request.path_params["number"]
        if not (number.isascii() and number.isdecimal() and len(number) < 12):
            return refuse(404, "nothing here")
        match = shelf.match(int(number))
        if what == "state":
            return reply(match.state(_number(request, "stretch")), "application/octet-stream")
        if what == "voice":
            return reply(match.voice(_number(request, "speaker")), "audio/ogg")
        if what == "download":
            return _download(match, shelf.files[int(number)].path, request, gone)
        if what == "report":
            return _report(int(number), request)
        if what == "sql":
            asked = SqlRequest(request.query_params.get("q", ""), (shelf.files[int(number)].path,))
            return reply(shelf.queries.ask(asked, gone.is_set), "application/json")
        if what == "overlay":
            wanted = OverlayRequest(shelf.files[int(number)].path)
            return reply(shelf.queries.ask(wanted, gone.is_set), "application/json")
        if what not in _PLAIN and what not in _ANSWERS:
            return refuse(404, f"nothing called {what}")
        answer = getattr(match, what)() if what in _PLAIN else _ANSWERS[what](match, request)
        body = to_json(answer).encode()
        if what in _PASSES:
            settle()
        return reply(body, "application/json")

    def _report(number: int, request: Request) -> Response:
        """Return the recording, or its range, as one file."""
        page, name = shelf.report(number, _range(request), _number(request, "at", -1))
        settle()
        attachment = {"Content-Disposition": f'attachment; filename="{name}"'}
        return reply(page, "text/html; charset=utf-8", more=attachment)

    def _download(match: Match, path: str, request: Request, gone: Event) -> Response:
        query = request.query_params
        format = query.get("format", "csv")
        name = query.get("name", "")
        if "q" in query:
            asked = SqlRequest(query["q"], (path,), format, answer=DOWNLOAD)
            data = shelf.queries.ask(asked, gone.is_set)
        else:
            data = match.file(name, format, _range(request))
        attachment = {"Content-Disposition": f'attachment; filename="{safe_name(name or "query")}.{format}"'}
        return reply(data, _TYPES.get(format, "application/octet-stream"), more=attachment)

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
        ValueError: there is no recording, or a file that is named is none.
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
    uvicorn = import_extra("uvicorn", "view", "playhead view")
    listener = listen(HOST, port)
    token = secrets.token_urlsafe(24)
    stopping = Event()
    config = uvicorn.Config(
        make_app(shelf, token, stopping),
        log_level="critical",  # the page gets the errors; passes that Ctrl+C interrupts are none
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=3,
    )
    if len(shelf.files) == 1:  # read the first answers while the browser starts
        Thread(target=_read_first, args=(shelf,), daemon=True).start()
    ready(f"http://{HOST}:{listener.getsockname()[1]}/{token}/")
    make_server(config, stopping).run(sockets=[listener])
