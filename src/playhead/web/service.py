"""The service of ``playhead serve``: its routes, for owners of a token, over a lake that grows."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.ask import Chosen, Processes, matches, sql
from playhead.ask.matches import NotThere
from playhead.io.web import listen
from playhead.registry import vocabulary
from playhead.runtime.extras import import_extra
from playhead.runtime.heap import use_one_arena
from playhead.text.names import unknown_name
from playhead.web.access import Allowed, AtOnce, Caller, Rate, Tokens
from playhead.web.answers import FORMS, HEADERS, JSON, Refused, number, refusal, reply, status_of, words
from playhead.web.archive import Archive
from playhead.web.bounds import Bounds
from playhead.web.connections import HttpGuard, run_app, watched
from playhead.web.description import openapi, page, parameters
from playhead.web.forms import file_of
from playhead.web.jobs import Job, Uploads

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

_LOG = logging.getLogger(__name__)
#: Headers of every answer.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
#: Facts whose values may have commas: several of them are repeated, of others also listed with commas.
_WITH_COMMAS = frozenset(("file", "map", "map_english", "winner_name", "error"))
_NO_ROUTE = (
    "there is no such request: GET / lists them; for a moment of a replay ask /query?sql=SELECT * FROM "
    "player_series WHERE replay = '…' AND seconds = 60, for its events POST /replays?tables=events"
)
#: Bytes of a request in JSON, and letters of a statement.
_MOST_ASKED = 16 << 10
#: Statements at once, of different people.
_STATEMENTS = 2
#: Connections at once.
_CONNECTIONS = 256

Answer = Callable[["Request", Caller], Awaitable["Response"]]


class Service:
    """The state that the routes share.

    Args:
        folder: of the lake.
        origins: of the web pages whose scripts may ask.
    """

    def __init__(
        self, folder: Path, tokens: Tokens, allowed: Allowed, bounds: Bounds, origins: tuple[str, ...] = ()
    ) -> None:
        self.archive = Archive(folder, bounds)
        self.jobs = Uploads(self.archive, bounds)
        self.queries = Processes(_STATEMENTS)
        self.tokens = tokens
        self.allowed = allowed
        self.bounds = bounds
        self.origins = origins
        self.upload_rate, self.questions = Rate(bounds.rate), Rate(bounds.questions)
        self.at_once = AtOnce(bounds.at_once)
        self.turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def close(self) -> None:
        """End the processes."""
        self.jobs.close()
        self.queries.close()


def make_app(service: Service) -> Starlette:
    """Return the application.

    Raises:
        ModuleNotFoundError: Starlette is not installed (extra ``view``).
    """
    import_extra("starlette", "view", "playhead serve")
    from anyio import CapacityLimiter
    from anyio.to_thread import run_sync
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.middleware.cors import CORSMiddleware
    from starlette.requests import ClientDisconnect
    from starlette.routing import Route

    archive, bounds = service.archive, service.bounds
    threads, statements = CapacityLimiter(4), CapacityLimiter(_STATEMENTS)

    def guarded(answer: Answer, rate: Rate = service.questions) -> Callable[[Request], Awaitable[Response]]:
        async def guarded_answer(request: Request) -> Response:
            try:
                person = service.tokens.who(request.headers.get("authorization", ""))
                rate.take(person.name)
                _check_parameters(request)
                with service.at_once.one(person.name):
                    return await answer(request, person)
            except Exception as error:
                status = 500 if isinstance(error, OSError) else status_of(error)
                if isinstance(error, ClientDisconnect):
                    return refusal(499, "the sender went away")
                if status == 500:  # a defect, or a lake that is damaged; its text may name files of this machine
                    _LOG.exception("no answer to %s", request.url.path)
                    return refusal(500, "the service failed; its log says why")
                error.args = tuple(archive.without_path(str(each)) for each in error.args)
                return refusal(status, error)

        return guarded_answer

    async def in_thread(call: Callable[..., Any], *values: Any) -> Any:
        return await run_sync(lambda: call(*values), limiter=threads)

    def check_tables(request: Request) -> None:
        """Refuse names of tables that no game has."""
        names = vocabulary()
        known = names.tables | {*archive.lake.tables}
        for name in words(request, "tables") if names.is_whole else ():
            if name not in known:
                raise NotThere(unknown_name(name, known, "table"))

    def match_of(request: Request, replay: str) -> Any:
        return matches.match(archive.of(replay), words(request, "tables"), bounds.rows, bounds.answer)

    async def send(request: Request, person: Caller) -> Response:
        _check_may_write(person)
        wait = min(number(request, "wait", 60), 600)
        check_tables(request)
        job = await _job(service, request, person)
        try:
            await asyncio.wait_for(job.ended.wait(), wait)
        except TimeoutError:
            job.tells = False
            return of_job(job)
        if job.replay is None or job.state == "failed":
            return of_job(job)
        found = await in_thread(match_of, request, job.replay)
        if job.told is not None:
            (found["tables"]["events"], more), job.told = job.told, None
            found["missing"].remove("events")
            found["left_out"] |= {"events": more} if more else {}
        return reply(found, status=job.status, more={"Location": f"/replays/{job.replay}"})

    def of_job(job: Job) -> Response:
        more = {} if job.state == "failed" else {"Location": f"/jobs/{job.id}"}
        return reply(job.as_dict(), status=job.status, more=more)

    async def listing(request: Request, person: Caller) -> Response:
        offset, limit = number(request, "offset"), min(number(request, "limit", 100), bounds.rows)
        lake = await in_thread(archive.part, _facts(request))
        return reply(await in_thread(matches.listing, lake, offset, limit))

    async def match(request: Request, person: Caller) -> Response:
        check_tables(request)
        return reply(await in_thread(match_of, request, request.path_params["replay"]))

    async def remove(request: Request, person: Caller) -> Response:
        _check_may_write(person)
        await in_thread(service.jobs.remove, request.path_params["replay"])
        return reply(b"", JSON, 204)

    async def table(request: Request, person: Caller) -> Response:
        replay, name = request.path_params.get("replay"), request.path_params["name"]
        form, offset = _form(request), number(request, "offset")
        limit = number(request, "limit", bounds.rows) if {"limit"} & request.query_params.keys() else None
        if form == "json":
            limit = min(bounds.rows if limit is None else limit, bounds.rows)

        def made() -> bytes:
            lake = archive.part(_facts(request)) if replay is None else archive.of(replay)
            asked = words(request, "columns"), offset, limit
            return matches.table(lake, name, form, *asked, bounds.answer, of_one=replay is not None)

        return reply(await in_thread(made), FORMS[form])

    async def tables(request: Request, person: Caller) -> Response:
        return reply(await in_thread(lambda: matches.columns(archive.part(_facts(request)))))

    async def query(request: Request, person: Caller) -> Response:
        text, form = request.query_params.get("sql", ""), _form(request)
        if request.method == "POST":
            text = await _text_of(request, "sql", bounds.silence, '{"sql": "SELECT …"}')
        if not 0 < len(text) <= _MOST_ASKED:
            raise Refused(400, f"expected a statement of at most {_MOST_ASKED} letters: ?sql=SELECT …")
        asked = Chosen(lake=archive.location)
        # The queries of a person wait for each other first: the next one is somebody else's.
        async with watched(request) as gone, service.turns[person.name]:
            if gone.is_set():
                raise Refused(499, "nobody waits for the answer any more")
            if not await in_thread(lambda: archive.shards):
                raise Refused(404, "the lake has no replay yet: POST one to /replays")

            def ask() -> bytes:
                return service.queries.ask(sql, asked, text, form=form, answer=bounds.answer, gone=gone.is_set)

            answer = await run_sync(ask, limiter=statements)
        return reply(answer, FORMS[form])

    async def job_facts(request: Request, person: Caller) -> Response:
        return reply(service.jobs.find(request.path_params["job"], person.name).as_dict())

    async def health(request: Request) -> Response:
        return reply({"status": "ok", "working": service.jobs.working})

    async def described(request: Request) -> Response:
        return reply(openapi())

    async def documented(request: Request) -> Response:
        return reply(page(bounds).encode(), "text/html; charset=utf-8")

    async def of_router(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        text = _NO_ROUTE if error.status_code == 404 else error.detail
        return reply({"error": text}, status=error.status_code, more=error.headers)

    def at(path: str, **answers: Callable[[Request], Awaitable[Response]]) -> Route:
        async def by_method(request: Request) -> Response:
            method = request.method.replace("HEAD", "GET")
            request.state.known = parameters(method, path)
            return await answers[method](request)

        return Route(path, by_method, methods=list(answers))  # of two routes, the router would know one's methods

    @asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:  # not after the server: a signal that ends it ends this process then
            service.close()

    shared = Middleware(
        CORSMiddleware,
        allow_origins=service.origins,
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["Authorization", "Content-Type"],
        expose_headers=["Location", "Retry-After"],
    )
    app = Starlette(
        lifespan=living,
        exception_handlers={HTTPException: of_router},
        middleware=[
            Middleware(HttpGuard, headers={**HEADERS, "Content-Security-Policy": POLICY}),
            *([shared] if service.origins else []),
        ],
        routes=[
            Route("/", documented),
            Route("/openapi.json", described),
            Route("/health", health),
            at("/replays", GET=guarded(listing), POST=guarded(send, service.upload_rate)),
            at("/replays/{replay}", GET=guarded(match), DELETE=guarded(remove)),
            at("/replays/{replay}/tables/{name}", GET=guarded(table)),
            at("/tables", GET=guarded(tables)),
            at("/tables/{name}", GET=guarded(table)),
            at("/query", GET=guarded(query), POST=guarded(query)),
            at("/jobs/{job}", GET=guarded(job_facts)),
        ],
    )
    app.router.redirect_slashes = False  # a redirect would repeat the host that the request names
    return app


def _check_may_write(person: Caller) -> None:
    if not person.may_write:
        raise Refused(403, f"the token of {person.name} may only read")


def _check_parameters(request: Request) -> None:
    known = request.state.known
    for name in request.query_params if "FACT" not in known else ():  # a filter knows the facts
        if name not in known:
            raise Refused(400, unknown_name(name, known, "parameter"))


def _facts(request: Request) -> dict[str, Any]:
    """Return the conditions of a request as of `Replays.filter`: several values of a fact mean any of them."""
    found: dict[str, Any] = {}
    for name in request.query_params.keys() - request.state.known:
        texts = request.query_params.getlist(name)
        values = texts if name in _WITH_COMMAS else [each for text in texts for each in text.split(",")]
        if len(values) > 1 and any(each.startswith(("<", ">", "=", "!")) for each in values):
            raise Refused(
                400, f"{name}: several values mean any of them, so a comparison stands alone; SQL has more"
            )
        found[name] = values if len(values) > 1 else values[0]
    return found


def _form(request: Request) -> str:
    form: str = request.query_params.get("format", "json")
    if form not in FORMS:
        raise Refused(400, unknown_name(form, FORMS, "form"))
    return form


async def _job(service: Service, request: Request, person: Caller) -> Job:
    """Receive an upload: the bytes of a request, the file of a form, or a URL."""
    name = request.query_params.get("name", "")
    tells = "events" in words(request, "tables")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == JSON:
        expected = '{"url": "https://…"}, or the bytes of a replay'
        url = await _text_of(request, "url", service.bounds.silence, expected)
        service.allowed.check(url)
        return service.jobs.take_url(person.name, url, name, tells=tells)
    declared = request.headers.get("content-length", "0")
    size = int(declared) if declared.isdecimal() and len(declared) < 20 else 0
    parts: AsyncIterator[bytes] = request.stream()
    if kind == "multipart/form-data":
        own, parts = await file_of(request, service.bounds.silence)
        name = name or own
    return await service.jobs.take(person.name, name, parts, size, tells=tells)


async def _text_of(request: Request, name: str, silence: float, expected: str) -> str:
    """Return the text of a request in JSON, which has nothing else: an option is in the address."""
    body = b""
    try:
        async with asyncio.timeout(silence):
            async for part in request.stream():
                body += part
                if len(body) > _MOST_ASKED:
                    raise Refused(413, f"a request in JSON has at most {_MOST_ASKED >> 10} KiB")
    except TimeoutError:
        raise Refused(408, "the request took too long") from None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    text = found.get(name) if isinstance(found, dict) and len(found) == 1 else None
    if not isinstance(text, str):
        raise Refused(400, f"expected only JSON such as {expected}; options are in the address")
    return text


def run_service(
    folder: Path,
    tokens: Tokens,
    allowed: Allowed,
    bounds: Bounds,
    *,
    origins: tuple[str, ...] = (),
    host: str = "127.0.0.1",
    port: int = 8000,
    ready: Callable[[str], object] = print,
) -> None:
    """Serve until interrupted; call `ready` with the address.

    Args:
        folder: of the lake; made if it is missing.
        origins: of the web pages whose scripts may ask.
        host: address to listen on; ``0.0.0.0`` for all of this machine.
        port: 0 for a free one.

    Raises:
        ModuleNotFoundError: Starlette or uvicorn are not installed (extra ``view``).
        FileExistsError: the folder holds something else than a lake.
        OSError: it cannot be written, or the port is taken.
    """
    use_one_arena()
    import_extra("uvicorn", "view", "playhead serve")
    with listen(host, port) as listener:
        app = make_app(Service(folder, tokens, allowed, bounds, origins))
        ready(f"http://{host}:{listener.getsockname()[1]}/")
        run_app(
            app,
            listener,
            log_level="error",  # anybody can make it warn
            limit_concurrency=_CONNECTIONS,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=10,
        )
