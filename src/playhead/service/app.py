"""The routes of the service, and the server."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.io.listening import listen
from playhead.runtime.extras import import_extra
from playhead.runtime.heap import use_one_arena
from playhead.serve.connections import HttpGuard, make_server, watched
from playhead.serve.queries import Queries, SqlRequest
from playhead.service.access import Allowed, AtOnce, Caller, Rate, Refused, Tokens
from playhead.service.archive import FORMS, Archive
from playhead.service.bounds import Bounds
from playhead.service.description import openapi, page
from playhead.service.jobs import Job, Uploads
from playhead.text.json import to_json
from playhead.text.names import unknown_name

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

_LOG = logging.getLogger(__name__)
#: Headers of every answer.
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
}
#: Names of parameters that are no facts of replays.
_OWN = frozenset(("format", "columns", "offset", "limit", "tables", "wait", "name", "sql"))
#: Bytes of a request that names a URL, and letters of a statement.
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
    """

    def __init__(self, folder: Path, tokens: Tokens, allowed: Allowed, bounds: Bounds) -> None:
        self.archive = Archive(folder, bounds)
        self.jobs = Uploads(self.archive, bounds)
        self.queries = Queries(_STATEMENTS)
        self.tokens = tokens
        self.allowed = allowed
        self.bounds = bounds
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
    from starlette.middleware import Middleware
    from starlette.responses import Response
    from starlette.routing import Route

    archive, bounds = service.archive, service.bounds
    threads, statements = CapacityLimiter(4), CapacityLimiter(_STATEMENTS)

    def reply(
        body: bytes, form: str = "json", status: int = 200, more: Mapping[str, str] | None = None
    ) -> Response:
        kind = FORMS.get(form, form)
        return Response(body, status, {"Content-Type": kind, **(more or {})})

    def refuse(status: int, text: str, after: float | None = None) -> Response:
        more = {} if after is None else {"Retry-After": str(int(after) + 1)}
        if status == 401:
            more["WWW-Authenticate"] = "Bearer"
        return reply(to_json({"error": archive.without_path(text)}).encode(), status=status, more=more)

    def guarded(answer: Answer, rate: Rate | None = None) -> Callable[[Request], Awaitable[Response]]:
        async def guarded_answer(request: Request) -> Response:
            try:
                person = service.tokens.who(request.headers.get("authorization", ""))
                (rate or service.questions).take(person.name)
                with service.at_once.one(person.name):
                    return await answer(request, person)
            except Refused as error:
                return refuse(error.status, str(error), error.after)
            except (KeyError, ValueError) as error:
                return refuse(400, str(error.args[0] if error.args else error))
            except Exception:  # a defect, or a lake that is damaged; its text may name files of this machine
                _LOG.exception("no answer to %s", request.url.path)
                return refuse(500, "the service failed; its log says why")

        return guarded_answer

    def facts_of(request: Request) -> dict[str, str]:
        return {name: value for name, value in request.query_params.items() if name not in _OWN}

    async def in_thread(call: Callable[..., Any], *values: Any) -> Any:
        return await run_sync(lambda: call(*values), limiter=threads)

    async def send(request: Request, person: Caller) -> Response:
        if not person.may_write:
            raise Refused(403, f"the token of {person.name} may not upload")
        wait = _number(request, "wait", 60, 600)
        query = request.query_params
        if request.headers.get("content-type", "").partition(";")[0].strip() == "application/json":
            url = await _url(request, bounds.silence)
            service.allowed.check(url)
            job = service.jobs.take_url(person.name, url, query.get("name", ""))
        else:
            declared = request.headers.get("content-length", "0")
            size = int(declared) if declared.isdecimal() and len(declared) < 20 else 0
            job = await service.jobs.take(person.name, query.get("name", ""), request.stream(), size)
        try:
            await asyncio.wait_for(job.ended.wait(), wait)
        except TimeoutError:
            return of_job(job)
        if job.replay is None or job.state == "failed":
            return of_job(job)
        document = await in_thread(archive.document, job.replay, _words(request, "tables"))
        return reply(document, status=job.status, more={"Location": f"/replays/{job.replay}"})

    def of_job(job: Job) -> Response:
        more = {} if job.state == "failed" else {"Location": f"/jobs/{job.id}"}
        return reply(to_json(job.as_dict()).encode(), status=job.status, more=more)

    async def listing(request: Request, person: Caller) -> Response:
        offset, limit = _number(request, "offset", 0), _number(request, "limit", 100)
        return reply(await in_thread(archive.listing, facts_of(request), offset, limit))

    async def match(request: Request, person: Caller) -> Response:
        replay = request.path_params["replay"]
        return reply(await in_thread(archive.document, replay, _words(request, "tables")))

    async def table(request: Request, person: Caller) -> Response:
        replay, name = request.path_params.get("replay"), request.path_params["name"]
        form = request.query_params.get("format", "json")
        if form not in FORMS:
            raise Refused(400, unknown_name(form, FORMS, "form"))
        offset = _number(request, "offset", 0)
        limit = _number(request, "limit", 0) if "limit" in request.query_params else None

        def made() -> bytes:
            lake = archive.part(facts_of(request)) if replay is None else archive.of(replay)
            return archive.table(lake, name, form, _words(request, "columns"), offset, limit)

        return reply(await in_thread(made), form)

    async def tables(request: Request, person: Caller) -> Response:
        return reply(await in_thread(archive.names, facts_of(request)))

    async def query(request: Request, person: Caller) -> Response:
        text, form = request.query_params.get("sql", ""), request.query_params.get("format", "json")
        if not 0 < len(text) <= _MOST_ASKED:
            raise Refused(400, f"expected a statement of at most {_MOST_ASKED} letters: ?sql=SELECT …")
        if form not in FORMS:
            raise Refused(400, unknown_name(form, FORMS, "form"))
        asked = SqlRequest(text, (), form, answer=bounds.answer, lake=archive.location)
        # The queries of a person wait for each other first, so that somebody else's is next.
        async with watched(request) as gone, service.turns[person.name]:
            if gone.is_set():
                raise Refused(499, "nobody waits for the answer any more")
            if not await in_thread(lambda: archive.shards):
                raise Refused(404, "the lake has no replay yet: POST one to /replays")
            answer = await run_sync(service.queries.ask, asked, gone.is_set, limiter=statements)
        return reply(answer, form)

    async def job_facts(request: Request, person: Caller) -> Response:
        job = service.jobs.find(request.path_params["job"], person.name)
        return reply(to_json(job.as_dict()).encode())

    async def health(request: Request) -> Response:
        return reply(to_json({"status": "ok", "working": service.jobs.working}).encode())

    async def described(request: Request) -> Response:
        return reply(to_json(openapi(bounds)).encode())

    async def documented(request: Request) -> Response:
        return reply(page(bounds).encode(), "text/html; charset=utf-8")

    @asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:  # not after the server: a signal that ends it ends this process then
            service.close()

    app = Starlette(
        lifespan=living,
        middleware=[Middleware(HttpGuard, headers=_HEADERS)],
        routes=[
            Route("/", documented),
            Route("/openapi.json", described),
            Route("/health", health),
            Route("/replays", guarded(send, service.upload_rate), methods=["POST"]),
            Route("/replays", guarded(listing), methods=["GET"]),
            Route("/replays/{replay}", guarded(match)),
            Route("/replays/{replay}/tables/{name}", guarded(table)),
            Route("/tables", guarded(tables)),
            Route("/tables/{name}", guarded(table)),
            Route("/query", guarded(query)),
            Route("/jobs/{job}", guarded(job_facts)),
        ],
    )
    app.router.redirect_slashes = False  # a redirect would repeat the host that the request names
    return app


async def _url(request: Request, silence: float) -> str:
    body = b""
    try:
        async with asyncio.timeout(silence):
            async for part in request.stream():
                body += part
                if len(body) > _MOST_ASKED:
                    raise Refused(413, f"a request that names a URL has at most {_MOST_ASKED >> 10} KiB")
    except TimeoutError:
        raise Refused(408, "the request took too long") from None
    try:
        url = json.loads(body)["url"]
    except (ValueError, KeyError, TypeError, RecursionError):
        url = None
    if not isinstance(url, str):
        raise Refused(400, 'expected JSON such as {"url": "https://…"}, or the bytes of a replay')
    return url


def _number(request: Request, name: str, default: int, most: int = 1 << 40) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 14):
        raise Refused(400, f"expected a number for {name}, got {text[:40]!r}")
    return min(int(text), most)


def _words(request: Request, name: str) -> list[str]:
    return [word for word in request.query_params.get(name, "").split(",") if word]


def run_service(
    folder: Path,
    tokens: Tokens,
    allowed: Allowed,
    bounds: Bounds,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    ready: Callable[[str], object] = print,
) -> None:
    """Serve until interrupted; call `ready` with the address.

    Args:
        folder: of the lake; made if it is missing.
        host: address to listen on; ``0.0.0.0`` for all of this machine.
        port: 0 for a free one.

    Raises:
        ModuleNotFoundError: Starlette or uvicorn are not installed (extra ``view``).
        FileExistsError: the folder holds something else than a lake.
        OSError: it cannot be written, or the port is taken.
    """
    use_one_arena()
    uvicorn = import_extra("uvicorn", "view", "playhead serve")
    with listen(host, port) as listener:
        config = uvicorn.Config(
            make_app(Service(folder, tokens, allowed, bounds)),
            log_level="error",  # anybody can make it warn
            access_log=False,
            server_header=False,
            ws="none",
            limit_concurrency=_CONNECTIONS,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=10,
        )
        ready(f"http://{host}:{listener.getsockname()[1]}/")
        make_server(config).run(sockets=[listener])
