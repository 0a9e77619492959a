"""Live broadcasts: a real HTTP server on the loopback that is late, loses data, restarts and ends."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as
from tests.samples.source2.match_demo import match_demo

import playhead
from playhead import CorruptReplay, Follow, Limits, TruncatedReplay
from playhead.io.fragments import Relay, may_be_relay
from playhead.io.source import open_source
from playhead.source2.container.frames import FULL_PACKET
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.replay import Source2Replay
from playhead.source2.writing.broadcast import broadcast_parts

pytestmark = pytest.mark.slow_interpreted

LIMITS = Limits()
LAST = 600


@pytest.fixture(scope="module")
def demo() -> bytes:
    return match_demo(LAST / 1800)[0]


@pytest.fixture(scope="module")
def parts(demo: bytes) -> Mapping[str, bytes]:
    recording = Recording(open_source(demo, LIMITS))
    found = dict(broadcast_parts(recording, Playback(recording, tables=None)))
    # Fragments so short that a test waits only for hundredths of a second.
    return {**found, "sync": json.dumps(json.loads(found["sync"]) | {"keyframe_interval": 0.03}).encode()}


class RelayServer:
    """A relay: serves the parts published under ``/match``, and counts requests."""

    def __init__(self, parts: Mapping[str, bytes]) -> None:
        self.parts = parts
        self.published: set[str] = set(parts)
        self.asked: list[str] = []
        self.headers: dict[str, str] = {}
        self.gzip = False
        self.token = ""
        self.fails: list[int] = []
        self._server: ThreadingHTTPServer | None = None
        self._port = 0
        self.start()
        self.url = f"http://127.0.0.1:{self._port}/match"

    def start(self) -> None:
        relay = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                relay.answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def sync(self, **changed: object) -> None:
        """Change the description."""
        self.parts = {**self.parts, "sync": json.dumps(json.loads(self.parts["sync"]) | changed).encode()}

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.headers = dict(request.headers)
        name = request.path.partition("?")[0].removeprefix("/match/")
        self.asked.append(name)
        if self.fails:
            status = self.fails.pop(0)
            request.send_response(status)
            if status == 302:
                request.send_header("Location", "http://localhost:9/elsewhere")
            request.end_headers()
            return
        if self.token and name == "sync":
            data: bytes | None = json.dumps({"token_redirect": self.token}).encode()
        else:
            name = name.removeprefix(f"{self.token}/") if self.token else name
            data = self.parts[name] if name in self.published else None
        if data is None:
            request.send_error(404)
            return
        request.send_response(200)
        if self.gzip:
            data = gzip.compress(data)
            request.send_header("Content-Encoding", "gzip")
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)


@pytest.fixture
def relay(parts: Mapping[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[RelayServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = RelayServer(parts)
    yield server
    server.stop()


def opened(url: str, **options: Any) -> Source2Replay:
    return open_as(Source2Replay, url, **options)


def states(replay: Source2Replay) -> list[tuple[int, dict[str, object]]]:
    """Return the entities at the end of a recording, played once."""
    playback = replay.playback(None)
    playback.run()
    return [(entity.index, entity.to_dict()) for entity in playback.entities]


class Patience:
    """Stands in for a reader's pauses: each pause makes the next event happen."""

    def __init__(self, *happens: Callable[[], object]) -> None:
        self._happens = list(happens)
        self.waits = 0

    def __call__(self, _seconds: float) -> None:
        threading.Event().wait(0.012)
        self.waits += 1
        if self._happens:
            self._happens.pop(0)()

    def follow(self, idle: int = 60) -> Follow:
        return Follow(idle_seconds=idle, interval=1, sleep=self)


# -- what is there now ------------------------------------------------------------------------------------


@pytest.mark.long
def test_all_available_fragments(relay: RelayServer, demo: bytes) -> None:
    replay = opened(relay.url, strict=True)
    assert replay.name == relay.url
    assert replay.problems == ()
    assert states(replay) == states(opened(demo))  # type: ignore[arg-type]
    deltas = [f"{number}/delta" for number in range(1, 9)]
    assert relay.asked == ["sync", "0/start", "1/full", *deltas]
    assert relay.headers["Accept-Encoding"] == "gzip"


@pytest.mark.parametrize("address", ["{}/", "{}/sync", "{}?key=1"])
def test_addresses(relay: RelayServer, address: str) -> None:
    assert opened(address.format(relay.url)).info.duration_ticks == LAST


def test_a_response_from_another_server_is_read_as_a_file(relay: RelayServer) -> None:
    relay.parts = {"sync": b"<html>"}
    assert not may_be_relay("http://127.0.0.1/match.dem.bz2")
    assert not may_be_relay("s3://bucket/match")
    with pytest.raises(OSError, match="no answer of a relay"):
        playhead.open(f"{relay.url}/sync")


def test_compressed_answers(relay: RelayServer, demo: bytes) -> None:
    relay.gzip = True
    assert states(opened(relay.url, strict=True)) == states(opened(demo))  # type: ignore[arg-type]


@pytest.mark.parametrize("token", ["s1t2", "a/b-c_d.e~1"])
def test_the_token_redirect(relay: RelayServer, token: str) -> None:
    relay.token = token
    assert opened(relay.url, strict=True).problems == ()
    assert relay.asked[:3] == ["sync", f"{token}/sync", f"{token}/0/start"]


@pytest.mark.parametrize(
    "token", ["http://127.0.0.1:1/x", "../up", "//host", "a/../b", "a?b", "a%2e", " ", 7, "é"]
)
def test_a_redirect_anywhere_else_is_refused(relay: RelayServer, token: object) -> None:
    relay.sync(token_redirect=token)
    with pytest.raises(CorruptReplay, match="names in token_redirect"):
        Relay(relay.url, LIMITS).describe()
    assert relay.asked == ["sync"]


def test_redirects_have_an_end(relay: RelayServer) -> None:
    relay.token = "t"
    relay.parts = {**relay.parts, "sync": b'{"token_redirect": "t"}'}
    with pytest.raises(CorruptReplay, match="another redirect"):
        Relay(relay.url, LIMITS).describe()
    assert relay.asked == ["sync", "t/sync"]


def test_a_redirect_to_another_host_is_not_followed(relay: RelayServer) -> None:
    reader = Relay(relay.url, LIMITS)
    relay.fails = [302]
    assert reader.part(1, "full") is None
    assert "another host" in reader.trouble


def test_failures_are_tried_again(relay: RelayServer) -> None:
    relay.fails = [503, 429]
    assert opened(relay.url, strict=True).problems == ()
    assert relay.asked[:3] == ["sync"] * 3


def test_a_fragment_above_the_limit(relay: RelayServer) -> None:
    replay = opened(relay.url, limits=Limits(fragment=20_000))
    assert {problem.kind for problem in replay.problems_so_far} >= {"LimitExceeded"}


def test_an_unreachable_host(relay: RelayServer) -> None:
    relay.stop()
    with pytest.raises(OSError, match="no answer of a relay"):
        playhead.open(relay.url)


def test_a_running_broadcast(relay: RelayServer) -> None:
    relay.published -= {"5/delta", "6/full", "6/delta", "7/full", "7/delta", "8/delta"}
    relay.sync(fragment=2)
    replay = opened(relay.url)
    assert [(problem.kind, problem.where) for problem in replay.problems] == [
        ("TruncatedReplay", "frame in 4/delta")
    ]
    assert not replay.info.complete
    assert (replay.info.details["joined_at_tick"], replay.info.duration_ticks) == (90, 358)


# -- as it happens ----------------------------------------------------------------------------------------


def test_fragments_come_as_they_are_published(relay: RelayServer, demo: bytes) -> None:
    later = [name for name in relay.parts if name not in ("sync", "0/start", "1/full")]
    relay.published -= set(later)

    def publish() -> None:
        if later:
            relay.published.add(later.pop(0))

    patience = Patience(*[publish] * len(later))
    replay = opened(relay.url, follow=patience.follow(), strict=True)
    playback = replay.playback(None)
    seen = []
    playback.on_tick(lambda tick: seen.append((tick, patience.waits)))
    playback.run()
    assert seen[0][1] < seen[len(seen) // 2][1] < seen[-1][1]
    assert [(e.index, e.to_dict()) for e in playback.entities] == states(opened(demo))  # type: ignore[arg-type]
    assert replay.problems == ()
    assert replay.info.complete
    assert not [name for name in relay.asked if name.endswith("full") and name != "1/full"]


def test_a_relay_that_is_late(relay: RelayServer) -> None:
    relay.stop()
    everything, relay.published = relay.published, set()
    patience = Patience(
        lambda: None, relay.start, lambda: relay.published.add("sync"), lambda: relay.published.update(everything)
    )
    replay = opened(relay.url, follow=patience.follow(600), strict=True)
    assert len(states(replay)) > 800
    assert replay.problems == ()


def test_a_relay_that_restarts(relay: RelayServer, demo: bytes) -> None:
    everything = relay.published
    relay.published = {name for name in everything if name[:1] in "s0123"}
    patience = Patience(
        relay.stop,
        lambda: None,
        relay.start,
        lambda: relay.published.update({"4/full", "4/delta"}),
        lambda: relay.published.update(everything),
    )
    replay = opened(relay.url, follow=patience.follow(), strict=True)
    assert states(replay) == states(opened(demo))  # type: ignore[arg-type]
    assert replay.problems == ()


def test_fragments_lost_in_a_restart(relay: RelayServer, demo: bytes) -> None:
    everything = relay.published
    relay.published = {name for name in everything if name[:1] in "s0123"}

    def restart() -> None:
        relay.published = everything - {"4/full", "4/delta", "5/delta", "5/full"}
        relay.sync(fragment=6)

    replay = opened(relay.url, follow=Patience(restart).follow())
    assert states(replay) == states(opened(demo))  # type: ignore[arg-type]
    assert [(problem.where, problem.kind) for problem in replay.problems] == [
        ("4/delta", "TruncatedReplay"),
        ("5/delta", "TruncatedReplay"),
    ]
    assert "6/full" in relay.asked


def test_a_relay_that_disappears(relay: RelayServer) -> None:
    relay.published = {name for name in relay.published if name[:1] in "s012"}
    patience = Patience(relay.stop)
    replay = opened(relay.url, follow=patience.follow(10))
    assert max(frame.tick for frame in replay.recording.frames) == 178
    (problem,) = replay.problems
    assert problem.kind == "TruncatedReplay"
    assert "refused" in problem.what
    assert patience.waits < 30


def test_a_relay_that_never_comes(relay: RelayServer) -> None:
    relay.stop()
    with pytest.raises(TruncatedReplay, match=r"found none.*refused"):
        playhead.open(relay.url, follow=Patience().follow(3))


def test_requests_are_limited(relay: RelayServer) -> None:
    relay.published -= {"1/delta"}
    relay.sync(keyframe_interval=3)
    now = [0.0]
    reader = Relay(relay.url, LIMITS, Follow(), clock=lambda: now[0])
    reader.describe()
    for _ in range(20):
        assert reader.part(1, "delta") is None
        now[0] += 0.25
    assert relay.asked.count("1/delta") == 5  # once a second


def test_a_folder_that_is_being_filled(parts: Mapping[str, bytes], demo: bytes, tmp_path: Path) -> None:
    def put(name: str, data: bytes) -> None:
        path = tmp_path / f"{name}.{'json' if name == 'sync' else 'bin'}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)

    put("sync", parts["sync"])
    steps: list[Callable[[], None]] = []
    for name, data in parts.items():
        if name != "sync":
            for part in (data[: len(data) // 2], data):  # at first only half of it exists
                steps.append(lambda name=name, part=part: put(name, part))  # type: ignore[misc]
    patience = Patience(*steps)
    replay = opened(str(tmp_path), follow=patience.follow())
    assert states(replay) == states(opened(demo))  # type: ignore[arg-type]
    assert [p for p in replay.problems if p.where.endswith("delta")] == []
    assert patience.waits > 20


def test_a_followed_broadcast_has_tables_and_slices(relay: RelayServer, tmp_path: Path) -> None:
    replay = opened(relay.url, follow=Patience().follow())
    whole = opened(relay.url)
    assert replay.table("entities:CDOTA_Unit_Hero_*", every="1s") == whole.table(
        "entities:CDOTA_Unit_Hero_*", every="1s"
    )
    assert replay.at(300).as_dict() == whole.at(300).as_dict()
    replay.write_slice(tmp_path / "out.dem", 100, 300)
    assert opened(str(tmp_path / "out.dem"), strict=True).problems == ()
    assert not [frame for frame in replay.recording.frames if frame.command == FULL_PACKET]
