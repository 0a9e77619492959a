"""Servers: no redirect leads elsewhere, no answer hangs, no description breaks anything."""

from __future__ import annotations

import math
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from tests.samples.source2.engine import sample_demo

import playhead
from playhead import Limits
from playhead.io.fragments import Relay, may_be_relay
from playhead.io.remote import open_remote
from playhead.io.web import Deadline, may_follow, open_web

Answer = Callable[[socket.socket, str], None]


class Server:
    """Answers each request by a function of the connection and the path."""

    def __init__(self, answer: Answer) -> None:
        self.asked: list[str] = []
        self._answer = answer
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        with connection:
            try:
                path = connection.recv(65536).decode().split(" ")[1]
                self.asked.append(path)
                self._answer(connection, path)
            except (OSError, IndexError):
                pass

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], Server]]:
    made: list[Server] = []

    def start(answer: Answer) -> Server:
        made.append(Server(answer))
        return made[-1]

    yield start
    for server in made:
        server.close()


def whole(data: bytes) -> Answer:
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n".encode()
    return lambda connection, path: connection.sendall(head + data)


def redirect(target: str) -> Answer:
    text = f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    return lambda connection, path: connection.sendall(text.encode())


def drip(connection: socket.socket, path: str) -> None:
    for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + bytes(100_000):
        connection.sendall(bytes((byte,)))
        time.sleep(0.05)


def drip_content(connection: socket.socket, path: str) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nPBDEMS2\0")
    drip(connection, path)


@pytest.mark.parametrize("name", ["/match", "/match.dem", "/match.dem.xz"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_redirect_to_another_port_is_not_followed(
    serve: Callable[[Answer], Server], name: str, stream: bool
) -> None:
    inner = serve(whole(sample_demo()))
    outer = serve(redirect(f"{inner.url}/match.dem"))
    with pytest.raises(OSError, match=r"not followed|no answer"):
        playhead.open(outer.url + name, stream=stream)
    assert inner.asked == []
    assert outer.asked


@pytest.mark.parametrize("stream", [False, True])
def test_a_part_of_a_file_is_not_taken_for_the_whole(serve: Callable[[Answer], Server], stream: bool) -> None:
    data = sample_demo()
    head = f"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-{len(data) - 1}/999999\r\n"
    text = f"{head}Content-Length: {len(data)}\r\nConnection: close\r\n\r\n".encode()
    server = serve(lambda connection, path: connection.sendall(text + data))
    with pytest.raises(OSError, match="expected the whole file, found an answer 206"):
        playhead.open(f"{server.url}/match.dem", stream=stream)


@pytest.mark.parametrize("target", ["http://[::1", "http://localhost:{port}/x", "file:///etc/passwd", "ftp://a/b"])
@pytest.mark.parametrize("name", ["/match", "/match.dem"])
def test_wrong_redirects_are_os_errors(serve: Callable[[Answer], Server], target: str, name: str) -> None:
    inner = serve(whole(sample_demo()))
    outer = serve(redirect(target.format(port=inner.port)))
    with pytest.raises(OSError, match=outer.url):
        playhead.open(outer.url + name)
    assert inner.asked == []


def test_a_redirect_to_the_same_place_is_followed(serve: Callable[[Answer], Server]) -> None:
    data = sample_demo()

    def answer(connection: socket.socket, path: str) -> None:
        (whole(data) if path == "/there.dem" else redirect("/there.dem"))(connection, path)

    assert playhead.open(serve(answer).url + "/here.dem").content_hash == playhead.open(data).content_hash


def test_endless_redirects_end(serve: Callable[[Answer], Server]) -> None:
    server = serve(redirect("/x.dem"))
    with pytest.raises(OSError, match="redirect"):
        playhead.open(server.url + "/x.dem")
    assert len(server.asked) < 30


@pytest.mark.parametrize(
    ("asked", "target", "follows"),
    [
        ("http://a/x", "http://a/y", True),
        ("http://a/x", "https://a/y", True),
        ("http://a:80/x", "http://a/y", True),
        ("https://a/x", "http://a/y", False),
        ("http://a/x", "http://b/y", False),
        ("http://a/x", "http://a:81/y", False),
        ("http://a:81/x", "https://a/y", False),
        ("http://a/x", "http://a@b/y", False),
        ("http://a/x", "http://a:x/y", False),
        ("http://a/x", "http://[::1", False),
    ],
)
def test_the_policy_of_redirects(asked: str, target: str, follows: bool) -> None:
    assert may_follow(asked, target) is follows


@pytest.mark.parametrize("answer", [drip, drip_content])
@pytest.mark.parametrize("name", ["/match", "/match.dem"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_slow_answer_ends_at_the_deadline(
    serve: Callable[[Answer], Server], answer: Answer, name: str, stream: bool
) -> None:
    server = serve(answer)
    with pytest.raises(OSError, match=r"took longer than 1 seconds|no answer"):
        playhead.open(server.url + name, limits=Limits(network=1.0), stream=stream)


def test_a_silent_server_ends_at_the_deadline(serve: Callable[[Answer], Server]) -> None:
    server = serve(lambda connection, path: time.sleep(30))
    with pytest.raises(TimeoutError, match="took longer"):
        open_web(server.url, Deadline(0.5))


def test_a_cut_answer_is_an_error(serve: Callable[[Answer], Server]) -> None:
    def cut(connection: socket.socket, path: str) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nPBDEMS2\0")

    with closing(open_remote(serve(cut).url + "/x.dem")) as file, pytest.raises(OSError, match="more bytes"):
        file.read()


@pytest.mark.parametrize(
    "interval", ["1e400", "1" + "0" * 400, "-1e400", "NaN", "0", "-0.0", "1e-320", '"3"', "true"]
)
def test_any_keyframe_interval_is_read(serve: Callable[[Answer], Server], interval: str) -> None:
    text = f'{{"fragment": 1, "signup_fragment": 0, "keyframe_interval": {interval}}}'
    relay = Relay(serve(whole(text.encode())).url + "/match", Limits())
    assert relay.describe() is not None
    assert math.isfinite(relay._pause)


def test_no_url_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playhead.io.fragments._RETRIES", (0.0,))
    for url in ("http://[::1", "http://[::1/x", "https://a:b/c.dem", "http:///", "http://", "http://\0/"):
        assert may_be_relay(url) in (True, False)
        with pytest.raises(OSError, match="http"):
            playhead.open(url)
