"""Silent, slow and greedy clients of a server: the others are answered, and its memory does not grow."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import playhead
from playhead.registry import BUILTIN_FORMATS
from playhead.runtime.records import replace

pytest.importorskip("starlette", reason="needs the extra view")
uvicorn = pytest.importorskip("uvicorn", reason="needs the extra view")

from playhead.web import connections  # noqa: E402
from playhead.web.access import Allowed, AtOnce, Caller, Tokens  # noqa: E402
from playhead.web.answers import Refused  # noqa: E402
from playhead.web.bounds import Bounds  # noqa: E402
from playhead.web.service import Service, make_app  # noqa: E402

#: More than the buffers of a connection between two processes hold.
LARGE = 32 << 20


async def answers(scope: Mapping[str, Any], receive: Any, send: Any) -> None:
    """An application with a large answer, and a small one at /small; reads no body."""
    size = 5 if scope["path"] == "/small" else LARGE
    headers = [(b"content-length", str(size).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": bytes(size)})


@contextmanager
def serving(app: Any, **more: Any) -> Iterator[int]:
    """Serve an application in a thread; give its port."""
    config = uvicorn.Config(app, port=0, log_level="critical", ws="none", **more)
    listener = config.bind_socket()
    listener.listen(config.backlog)
    server = connections.make_server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)


def connect(port: int, text: bytes = b"") -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), timeout=20)
    client.sendall(text)
    return client


def has_ended(client: socket.socket) -> bool:
    """Return whether the server ended a connection, after it read what was sent before."""
    with client, suppress(ConnectionError):
        while client.recv(1 << 20):
            pass
    return True


def ask(port: int, path: str, token: str = "") -> int:
    try:
        request = Request(f"http://127.0.0.1:{port}{path}", headers={"Authorization": f"Bearer {token}"})
        with urlopen(request, timeout=20) as answer:
            answer.read()
            return int(answer.status)
    except HTTPError as error:
        return error.code


BODY = b"POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc"


@pytest.mark.parametrize("text", [b"", b"GET /small HTTP/1.1\r\nHost: x\r\nA: ", BODY])
def test_connections_without_a_request_end(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SILENCE", 0.5)
    with serving(answers) as port:
        client = connect(port, text)
        time.sleep(0.3)
        assert ask(port, "/small") == 200
        assert has_ended(client)


def test_many_silent_connections_end_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "IDLE", 5)
    with serving(answers, limit_concurrency=20) as port:
        clients = [connect(port) for _ in range(40)]
        end = time.monotonic() + 20
        while len(select(clients, [], [], 0.1)[0]) < 35:  # at its end, a connection can be read
            assert time.monotonic() < end
        assert ask(port, "/small") == 200
        for client in clients:
            client.close()


@pytest.mark.parametrize("bound", ["SILENCE", "TAKING", "WAITING"])
def test_answers_that_nobody_takes_end(bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, bound, 0.5)
    with serving(answers) as port, connect(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") as client:
        read = len(client.recv(100)) if bound == "TAKING" else 0
        time.sleep(1.5)
        with suppress(ConnectionError):
            while part := client.recv(1 << 20):
                read += len(part)
        assert read < LARGE
        assert ask(port, "/small") == 200


def test_who_takes_an_answer_has_it() -> None:
    with serving(answers) as port, ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda path: ask(port, path), ["/", "/", "/small", "/"])) == [200] * 4


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    tokens = Tokens({name[0] * 20: Caller(name) for name in ("ann", "bob")})
    made = Service(tmp_path / "lake", tokens, Allowed(), Bounds())
    yield made
    made.close()


@pytest.fixture
def filled(service: Service, tmp_path: Path) -> Service:
    """A service with a replay in its lake: statements over an empty one are refused before they wait."""
    playhead.scan(BUILTIN_FORMATS[-1].write_sample(tmp_path), jobs=0).export(tmp_path / "lake", tables="info")
    return service


def test_queries_of_one_person_hold_up_nobody(filled: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    begun, end = threading.Event(), threading.Event()

    def answered(question: Any, chosen: Any, text: str, **more: Any) -> bytes:
        asked.append(text)
        begun.set()
        assert end.wait(20)
        return b"{}"

    monkeypatch.setattr(filled.queries, "ask", answered)
    with serving(make_app(filled)) as port, ThreadPoolExecutor(12) as threads:
        slow = [threads.submit(ask, port, "/query?sql=ann", "a" * 20) for _ in range(8)]
        assert begun.wait(20)
        assert ask(port, "/replays", "b" * 20) == 200
        other = threads.submit(ask, port, "/query?sql=bob", "b" * 20)
        time.sleep(0.5)
        end.set()
        assert {each.result() for each in (*slow, other)} == {200}
    assert asked.index("bob") == 1


def test_a_query_ends_when_nobody_waits(filled: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    left = threading.Event()

    def answered(*question: Any, gone: Callable[[], bool], **more: Any) -> bytes:
        while not gone():
            time.sleep(0.05)
        left.set()
        return b"{}"

    monkeypatch.setattr(filled.queries, "ask", answered)
    with serving(make_app(filled)) as port:
        connect(
            port, b"GET /query?sql=x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + b"a" * 20 + b"\r\n\r\n"
        ).close()
        assert left.wait(10)


def test_a_person_has_a_part_of_the_service(service: Service) -> None:
    bound = AtOnce(2)
    with (
        bound.one("ann"),
        bound.one("ann"),
        bound.one("bob"),
        pytest.raises(Refused, match="2 requests"),
        bound.one("ann"),
    ):
        pass
    with bound.one("ann"):
        pass
    jobs = service.jobs
    jobs._bounds = replace(jobs._bounds, waiting=4)
    for _ in range(2):
        jobs._begin("ann", "a.dem", 1 << 30)
    with pytest.raises(Refused, match="2 uploads of ann"):
        jobs._begin("ann", "a.dem", 1)
    jobs._begin("bob", "a.dem", 1)
    assert sum(jobs._arriving.values()) < 1 << 30  # what somebody says does not fill the disk


def test_a_url_that_never_comes(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.bounds = replace(service.bounds, silence=0.3)
    words = (
        "POST /replays HTTP/1.1|Host: x|Content-Length: 9|Content-Type: application/json|Authorization: Bearer "
    )
    text = f"{words.replace('|', chr(13) + chr(10))}{'a' * 20}\r\n\r\n{{"
    with serving(make_app(service)) as port, connect(port, text.encode()) as client:
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 408")
