"""`playhead serve`: uploads, tables, tokens, limits, hostile files, thirty clients at once."""

from __future__ import annotations

import gzip
import io
import json
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from tests.cli.in_process import run
from tests.docs.markdown_blocks import python_blocks
from tests.samples.source2.engine import sample_demo

import playhead
from playhead import corpus
from playhead.ask import matches
from playhead.corpus import check_lake
from playhead.runtime.records import replace
from playhead.web.access import Caller, Rate, Tokens, allowed, allowed_origins
from playhead.web.answers import HEADERS, Refused
from playhead.web.bounds import Bounds
from playhead.web.reading import file_name, identified

pytest.importorskip("starlette", reason="needs the extra view")
uvicorn = pytest.importorskip("uvicorn", reason="needs the extra view")
pytest.importorskip("duckdb", reason="SQL is DuckDB's")
jsonschema = pytest.importorskip("jsonschema", reason="checks answers against their description")

from playhead.web.connections import make_server  # noqa: E402
from playhead.web.description import openapi  # noqa: E402
from playhead.web.service import Service, make_app  # noqa: E402

pytestmark = pytest.mark.slow_interpreted

WRITER, READER = "a-token-that-may-write", "a-token-that-may-read"


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Ask = Callable[..., Answer]


class Running(NamedTuple):
    service: Service
    ask: Ask
    folder: Path
    port: int


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, http_server: Any) -> Iterator[Running]:
    with started(tmp_path_factory.mktemp("service") / "lake", http_server.address) as found:
        yield found


def places(folder: Path) -> tuple[bytes, ...]:
    """What no answer may have: the beginnings of paths of this machine."""
    root = Path(playhead.__file__).parents[1]
    return tuple({str(each).encode() for each in (folder.parent, root, sys.prefix)})


def check_described(described: Mapping[str, Any], method: str, path: str, answer: Answer) -> None:
    """Check status, type and JSON of an answer against the description of its route, if there is one."""
    for route, methods in described["paths"].items():
        if method in methods and re.fullmatch(re.sub(r"{\w+}", "[^/]+", route), path):
            known = methods[method]["responses"][str(answer.status)].get("content", {})
            assert {answer.headers["content-type"]} <= known.keys() or not answer.body, answer.headers
            if answer.headers["content-type"] == "application/json" and answer.body:
                schema = {**known["application/json"]["schema"], "components": described["components"]}
                jsonschema.Draft202012Validator(schema).validate(answer.json)


@contextmanager
def started(folder: Path, *fetched: str, origins: tuple[str, ...] = ()) -> Iterator[Running]:
    """A service on a free port, a function that asks it and looks at every answer, and its lake."""
    tokens = Tokens({WRITER: Caller("server"), READER: Caller("reader", may_write=False)})
    bounds = Bounds(upload=1 << 20, rate=100_000, questions=100_000, seconds=60.0, memory=1 << 30, free=1)
    service = Service(folder, tokens, allowed(fetched), bounds, origins)
    config = uvicorn.Config(make_app(service), port=0, log_level="error")
    listener = config.bind_socket()
    listener.listen(config.backlog)
    server = make_server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    port = listener.getsockname()[1]
    described = openapi()

    def ask(
        path: str,
        body: Any = None,
        token: str | None = WRITER,
        headers: Mapping[str, str] | None = None,
        method: str = "",
        **query: Any,
    ) -> Answer:
        connection = HTTPConnection("127.0.0.1", port, timeout=120)
        method = method or ("GET" if body is None else "POST")
        try:
            sent = {**({} if token is None else {"Authorization": f"Bearer {token}"}), **(headers or {})}
            target = path + (f"?{urlencode(query, quote_via=quote)}" if query else "")
            connection.request(method, target, body, sent)
            answer = connection.getresponse()
            found = Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
            assert found.headers.items() >= {name.lower(): value for name, value in HEADERS.items()}.items()
            seen = found.body + repr(found.headers).encode()
            assert not [each for each in places(folder) if each in seen], seen[:1000]
            check_described(described, method.lower(), path, found)
            return found
        finally:
            connection.close()

    yield Running(service, ask, folder, port)
    server.should_exit = True
    thread.join(30)
    assert not list((folder / "_scratch").glob("*"))


def until(is_so: Callable[[], bool]) -> None:
    """Wait for what another thread does."""
    end = time.monotonic() + 60
    pause = threading.Event()
    while not is_so():
        assert time.monotonic() < end
        pause.wait(0.05)


class _Folder(NamedTuple):
    address: str
    folder: Path


@pytest.fixture(scope="module")
def http_server(tmp_path_factory: pytest.TempPathFactory, samples: Mapping[str, Path]) -> Iterator[_Folder]:
    """A web server with a replay, and a path that redirects to another port."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/away":
                self.send_response(302)
                self.send_header("Location", "http://127.0.0.1:1/secret")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            data = samples["sc2"].read_bytes() if self.path == "/game.SC2Replay" else b""
            self.send_response(200 if data else 404)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield _Folder(f"http://127.0.0.1:{server.server_port}/", tmp_path_factory.getbasetemp())
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def sent(running: Running, samples: Mapping[str, Path]) -> dict[str, Answer]:
    """The answers to a sample of each format."""
    return {name: running.ask("/replays", path.read_bytes(), name=path.name) for name, path in samples.items()}


def test_an_upload_is_answered_with_the_match_and_stored(
    running: Running, sent: Mapping[str, Answer], samples: Mapping[str, Path]
) -> None:
    for name, answer in sent.items():
        assert answer.status == 201, answer.body
        with playhead.open(samples[name]) as replay:
            found = answer.json
            assert found["replay"] == replay.content_hash
            assert found["file"] == samples[name].name
            assert found["status"] == "whole"
            assert [row["name"] for row in found["tables"]["players"]] == [each.name for each in replay.players]
            described = (Path(__file__).parents[2] / "docs/service.md").read_text("utf-8")
            assert all(f"`{name}`" in described for name in found)
            assert found["rows"]["players"] == len(replay.players)
        assert answer.headers["location"] == f"/replays/{found['replay']}"
        again = running.ask("/replays", samples[name].read_bytes(), name="other.dem")
        assert (again.status, again.json) == (200, found)
        assert running.ask(f"/replays/{found['replay']}", token=READER).json == found
    assert not list(check_lake(running.folder))
    assert {*sent} <= {*playhead.open_lake(running.folder).info()["format"].to_pylist()}


def test_tables_in_each_form(running: Running, sent: Mapping[str, Answer], samples: Mapping[str, Path]) -> None:
    with playhead.open(samples["sc2"]) as replay:
        expected = replay.table("build_order", columns=["player", "tick", "product"]).to_pylist()
    path = f"/replays/{sent['sc2'].json['replay']}/tables/build_order"

    def rows(form: str, **query: Any) -> Answer:
        return running.ask(path, format=form, columns="player,tick,product", **query)

    def own(table: pa.Table) -> list[Any]:
        return table.drop_columns(["replay", "file"]).to_pylist()

    assert own(pq.read_table(io.BytesIO(rows("parquet").body))) == expected
    assert own(pa.ipc.open_stream(rows("arrow").body).read_all()) == expected
    assert own(pyarrow.csv.read_csv(io.BytesIO(rows("csv").body))) == expected
    assert own(pa.Table.from_pylist([json.loads(line) for line in rows("ndjson").body.splitlines()])) == expected
    found = rows("json", offset=1, limit=2).json
    assert (found["total"], found["offset"], found["left_out"]) == (len(expected), 1, len(expected) - 3)
    assert rows("json", offset=999).json["left_out"] == 0
    assert [{key: row[key] for key in expected[0]} for row in found["rows"]] == expected[1:3]
    assert rows("arrow").headers["content-type"] == "application/vnd.apache.arrow.stream"


def test_tables_over_all_replays_that_fit(running: Running, sent: Mapping[str, Answer]) -> None:
    every = running.ask("/tables/players", limit=1000).json
    one = running.ask("/tables/players", game="dota2", columns="name,team").json
    assert 0 < one["total"] < every["total"]
    assert {*one["rows"][0]} == {"replay", "file", "name", "team"}
    assert "kills" in running.ask("/tables", game="dota2").json
    assert running.ask("/replays", game="sc2").json["replays"][0]["file"] == "sample_sc2.SC2Replay"
    assert running.ask("/replays", map="no such map").json["total"] == 0
    table = running.ask(
        "/query", sql="SELECT name FROM players JOIN info USING (replay) WHERE game = 'dota2'"
    ).json
    assert len(table["rows"]) == one["total"]
    asked = json.dumps({"sql": "SELECT count(*) AS n FROM info"})
    assert running.ask("/query", asked, token=READER).json["columns"] == ["n"]
    mixed = b'{"sql": "SELECT 1", "format": "csv"}'
    for wrong in (b"", b"sql=SELECT 1", b'{"query": "SELECT 1"}', b'{"sql": 1}', b"[1]", mixed):
        answer = running.ask("/query", wrong, method="POST")
        assert (answer.status, 'such as {"sql"' in answer.json["error"]) == (400, True)
    assert running.ask("/query", b" " * (20 << 10)).status == 413
    parquet = running.ask("/query", sql="SELECT game FROM info", format="parquet").body
    assert pq.read_table(io.BytesIO(parquet)).num_rows >= 3


def test_the_list_is_in_the_order_of_arrival(
    running: Running, sent: Mapping[str, Answer], samples: Mapping[str, Path]
) -> None:
    last = [running.ask("/replays", samples["teehistorian"].read_bytes() + bytes((9, n))).json for n in range(3)]
    found = running.ask("/replays").json
    assert [row["replay"] for row in found["replays"][-3:]] == [each["replay"] for each in last]
    assert [row["replay"] for row in found["replays"][:2]] == [each.json["replay"] for each in sent.values()][:2]
    part = running.ask("/replays", offset=1, limit=2).json
    assert (part["replays"], part["left_out"]) == (found["replays"][1:3], found["total"] - 3)


def test_tables_that_a_match_lacks_are_missing(running: Running, samples: Mapping[str, Path]) -> None:
    data = samples["teehistorian"].read_bytes()
    before = running.ask("/replays").json["total"]
    answer = running.ask("/replays", data + b"\7", tables="kils")
    assert (answer.status, "did you mean" in answer.json["error"]) == (404, True)
    assert running.ask("/replays").json["total"] == before
    found = running.ask("/replays", data + b"\7", tables="bomb,players,injects")
    assert (found.status, found.json["missing"]) == (201, ["bomb", "injects"])
    assert len(found.json["tables"]["players"]) == 3
    path = f"/replays/{found.json['replay']}"
    assert running.ask(path, tables="bomb").json["missing"] == ["bomb"]
    assert running.ask(path, tables="kils").status == 404


def test_events_as_sentences(
    running: Running, sent: Mapping[str, Answer], samples: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run("events", samples["source2"]).stdout.splitlines()[1:]
    data = samples["source2"].read_bytes()
    for body, status in ((data, 200), (data + b"\7", 201)):
        found = running.ask("/replays", body, tables="events")
        assert (found.status, found.json["missing"], found.json["left_out"]) == (status, [], {})
        rows = found.json["tables"]["events"]
        assert [line.split(maxsplit=2)[2] for line in expected] == [row["text"] for row in rows]
        assert {*rows[0]} == {"tick", "seconds", "kind", "player", "text"}
    path = f"/replays/{sent['source2'].json['replay']}"
    assert "POST /replays?tables=events" in running.ask(f"{path}/tables/events").json["error"]
    assert running.ask(path, tables="events").json["missing"] == ["events"]
    monkeypatch.setattr("playhead.web.jobs.told", identified)  # which fails with a pair
    monkeypatch.setattr("playhead.web.jobs.UNTOLD", (AttributeError,))
    answer = running.ask("/replays", data + b"\x08", tables="events")
    assert (answer.status, answer.json["missing"]) == (201, ["events"])


def test_several_values_of_a_fact_mean_any_of_them(running: Running, sent: Mapping[str, Answer]) -> None:
    def games(path: str) -> set[str]:
        return {row["game"] for row in running.ask(path).json["replays"]}

    assert games("/replays?game=dota2&game=sc2") == games("/replays?game=dota2,sc2") == {"dota2", "sc2"}
    assert games("/replays?game=sc2&map=none&map=*") == {"sc2"}
    dota2, sc2, both = (running.ask("/tables/players", game=each).json for each in ("dota2", "sc2", "dota2,sc2"))
    assert dota2["total"] + sc2["total"] == both["total"] > sc2["total"] > 0


@pytest.mark.parametrize(
    ("path", "query", "status", "text"),
    [
        ("/replays/no", {}, 404, "no replay 'no': GET /replays has the SHA-256"),
        ("/replays/sample_sc2.SC2Replay", {}, 404, "the file of this name is"),
        ("/replays/*", {}, 404, "no replay '*'"),
        ("/replays/*/tables/players", {}, 404, "no replay '*'"),
        ("/tables/kill", {}, 404, "did you mean kills"),
        ("/tables/kills", {"columns": "attacker_nam"}, 400, "did you mean"),
        ("/tables/kills", {"format": "xml"}, 400, "there are arrow"),
        ("/tables/kills", {"gme": "dota2"}, 400, "did you mean game"),
        ("/tables/kills", {"game": "dota"}, 400, "did you mean dota2"),
        ("/tables/kills", {"limit": "-1"}, 400, "expected a number for limit"),
        ("/replays", {"self": "1"}, 400, "no column 'self'"),
        ("/tables", {"facts": "1"}, 400, "no column 'facts'"),
        ("/tables/kills", {"self": "1"}, 400, "no column 'self'"),
        ("/query", {"sql": "SELECT * FROM read_text('/etc/passwd')"}, 400, "disabled"),
        ("/query", {"sql": "SELECT 1; SELECT 2"}, 400, "expected one SQL statement"),
        ("/query", {"sql": "SELECT * FROM plyers"}, 400, "did you mean players"),
        ("/query", {"sql": "COPY (SELECT 1) TO 'x.csv'"}, 400, "got COPY"),
        ("/query", {}, 400, "expected a statement"),
        ("/jobs/none", {}, 404, "no such job"),
        ("/replays/no/at/60", {}, 404, "player_series WHERE replay = '…' AND seconds = 60"),
        ("/replays/no/events", {}, 404, "POST /replays?tables=events"),
        ("/jobs/none", {"wait": "1"}, 400, "no parameter 'wait'; there are none"),
        ("/replays/no/tables/players", {"limt": "3"}, 400, "did you mean limit"),
        ("/replays/no", {"where": "1"}, 400, "no parameter 'where'; there are tables"),
        ("/query", {"sql": "SELECT 1", "fromat": "csv"}, 400, "did you mean format"),
        ("/replays", {"game": "sc2,dota"}, 400, "did you mean dota2"),
        ("/replays", {"build": ">1,<9"}, 400, "a comparison stands alone"),
    ],
)
def test_wrong_questions_say_what_is_wrong(
    running: Running, sent: Mapping[str, Answer], path: str, query: Mapping[str, str], status: int, text: str
) -> None:
    answer = running.ask(path, **query)
    assert (answer.status, text in answer.json["error"]) == (status, True), answer.body


def test_a_statement_that_cannot_be_interrupted_ends_beside_others(
    running: Running, sent: Mapping[str, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playhead.ask.processes.SECONDS", 6.0)  # here, not in the process that runs it
    endless = "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c WHERE hash(a, b, c) = 1"
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(running.ask, "/query", sql=endless)
        until(lambda: running.service.queries._idle.qsize() == 1)
        for _ in range(3):
            assert running.ask("/query", token=READER, sql="SELECT count(*) FROM info").status == 200
        assert not first.done()
        answer = first.result(60)
    assert (answer.status, answer.json["error"]) == (400, "it was interrupted: it may take 8 seconds")
    assert running.ask("/query", sql="SELECT 1").status == 200


def test_the_router_refuses_without_a_redirect(running: Running) -> None:
    for path, body, status in (("/replays/", None, 404), ("/none", None, 404), ("/tables", b"x", 405)):
        answer = running.ask(path, body)
        assert (answer.status, "location" in answer.headers, bool(answer.json["error"])) == (status, False, True)
    allowed = running.ask("/replays", method="PUT").headers["allow"]
    assert {*allowed.split(", ")} == {"GET", "HEAD", "POST"}


def test_a_new_service_says_that_it_has_no_replay(tmp_path: Path) -> None:
    with started(tmp_path / "lake") as new:
        answer = new.ask("/query", sql="SELECT 1")
        assert (answer.status, answer.json["error"]) == (404, "the lake has no replay yet: POST one to /replays")
        assert new.ask("/replays").json["total"] == 0
        assert new.ask("/tables/players").status == 404


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (lambda lake: FileNotFoundError(2, "No such file or directory", f"{lake}/x"), 500, "its log says why"),
        (lambda lake: ValueError(f"{lake}/x: is damaged"), 400, "lake/x: is damaged"),
    ],
)
def test_an_error_names_no_path_of_the_machine(
    running: Running, error: Any, status: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*values: Any) -> bytes:
        raise error(running.folder)

    monkeypatch.setattr(running.service.archive, "part", fail)
    monkeypatch.setattr(running.service.archive, "has", fail)
    answer = running.ask("/replays")
    assert (answer.status, text in answer.json["error"]) == (status, True)
    assert running.ask("/replays", sample_demo()).json["error"]


def test_a_request_of_two_lengths_ends_its_connection(running: Running) -> None:
    head = ["POST /replays HTTP/1.1", "Host: x", f"Authorization: Bearer {WRITER}", "Transfer-Encoding: chunked"]
    text = "\r\n".join([*head, "Content-Length: 3", "", "0", "", "GET /health HTTP/1.1", "Host: x", "", ""])
    with socket.create_connection(("127.0.0.1", running.port), timeout=30) as connection:
        connection.sendall(text.encode())
        answer = b""
        with suppress(ConnectionError):
            while part := connection.recv(1 << 16):
                answer += part
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"not both" in answer
    assert answer.count(b"HTTP/1.1") == 1


def test_nobody_without_a_token(running: Running) -> None:
    for token in (None, "", WRITER + "x", "ä" * 20):
        headers = {} if token is None else {"Authorization": f"Bearer {token}".encode().decode("latin-1")}
        answer = running.ask("/replays", token=None, headers=headers)
        assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert running.ask("/replays", b"x", token=READER).status == 403
    assert running.ask("/health", token=None).json["status"] == "ok"


def hostile(samples: Mapping[str, Path]) -> dict[str, tuple[bytes, int]]:
    """Uploads that are no replays, with the status of their answers."""
    return {
        "empty": (b"", 400),
        "junk.dem": (b"junk" * 100, 422),
        "head.dem": (samples["source2"].read_bytes()[:12], 422),
        "bomb.dem.gz": (gzip.compress(b"PBDEMS2\0" + bytes(300 << 20)), 422),
        "large.dem": (bytes((1 << 20) + 1), 413),
        "torn.SC2Replay": (samples["sc2"].read_bytes()[:40], 422),
    }


@pytest.mark.long
def test_hostile_uploads_leave_nothing(running: Running, samples: Mapping[str, Path]) -> None:
    before = running.ask("/replays").json["total"]
    for name, (body, status) in hostile(samples).items():
        answer = running.ask("/replays", body, name=name)
        assert answer.status == status, (name, answer.body)
        assert answer.json["error"]
        assert str(running.folder) not in answer.json["error"]
    parts = (bytes(1 << 16) for _ in range(40))  # without a length
    assert running.ask("/replays", parts).status == 413
    assert running.ask("/replays").json["total"] == before
    assert not [each for each in (running.folder / "_scratch").rglob("*") if each.is_file()]
    assert running.service.jobs.working == 0


def test_a_sender_that_goes_away_leaves_nothing(running: Running) -> None:
    head = ["POST /replays HTTP/1.1", "Host: x", f"Authorization: Bearer {WRITER}", "Content-Length: 9999", "", ""]
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.sendall("\r\n".join(head).encode() + b"some")
    until(lambda: not running.ask("/health").json["working"])
    assert not [each for each in (running.folder / "_scratch").rglob("*") if each.is_file()]


def test_what_takes_too_long_is_killed(running: Running, samples: Mapping[str, Path], monkeypatch: Any) -> None:
    jobs = running.service.jobs
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "_bounds", replace(jobs._bounds, seconds=0.0))
        answer = running.ask("/replays", samples["sc2"].read_bytes() + b"\1")
    assert (answer.status, answer.json["error"]) == (422, "it was interrupted: it may take 0 seconds")


@pytest.mark.parametrize(
    ("bounds", "status"),
    [({"disk": 0}, 507), ({"free": 1 << 60}, 507), ({"waiting": 0}, 503), ({"upload": 10}, 413)],
)
def test_bounds(running: Running, bounds: Mapping[str, int], status: int, monkeypatch: Any) -> None:
    for each in (running.service.jobs, running.service.archive):
        monkeypatch.setattr(each, "_bounds", replace(each._bounds, **bounds))
    answer = running.ask("/replays", b"some bytes that are no replay")
    assert answer.status == status
    assert ("retry-after" in answer.headers) == (status == 503)


def test_a_job_is_the_answer_to_who_does_not_wait(running: Running, samples: Mapping[str, Path]) -> None:
    answer = running.ask("/replays", samples["teehistorian"].read_bytes() + b"\2", wait=0)
    assert answer.status == 202
    until(lambda: running.ask(answer.headers["location"]).json["state"] in ("done", "failed"))
    job = running.ask(answer.headers["location"]).json
    assert job["state"] == "done", job
    assert running.ask(f"/replays/{job['replay']}").json["rows"]["players"] == 3
    assert running.ask(answer.headers["location"], token=READER).status == 404


def test_urls_of_the_allow_list(running: Running, http_server: _Folder, sent: Mapping[str, Answer]) -> None:
    def send(url: str) -> Answer:
        return running.ask("/replays", json.dumps({"url": url}), headers={"Content-Type": "application/json"})

    found = send(f"{http_server.address}game.SC2Replay")
    assert (found.status, found.json["replay"]) == (200, sent["sc2"].json["replay"])
    assert send(f"{http_server.address}away").status == 502
    assert send(f"{http_server.address}none.dem").status == 502
    for url in (
        "http://127.0.0.1:1/x",
        "file:///etc/passwd",
        f"{http_server.address}../x",
        f"{http_server.address}@evil/",
        http_server.address.replace("127.0.0.1", "127.0.0.1@evil"),
    ):
        assert send(url).status == 403
    wrong = running.ask("/replays", b"[1]", headers={"Content-Type": "application/json"})
    assert wrong.status == 400


@pytest.mark.long
def test_thirty_clients_with_hostile_ones_among_them(running: Running, samples: Mapping[str, Path]) -> None:
    replay = samples["teehistorian"].read_bytes()  # the one with the fewest tables
    bad = [*hostile(samples).values()]

    answers: list[int] = []

    def client(number: int) -> tuple[int, int]:
        if number % 2:
            body, status = bad[number % len(bad)]
            return running.ask("/replays", body).status, status
        body = replay + bytes([3, number % 3])
        answer = running.ask("/replays", body)
        table = running.ask(f"/replays/{answer.json['replay']}/tables/players")
        failed = answer.json.get("error")
        assert (answer.status, table.status, failed) in ((200, 200, None), (201, 200, None))
        assert len(table.json["rows"]) == 3
        answers.append(answer.status)
        return answer.status in (200, 201), True

    with ThreadPoolExecutor(30) as clients:
        for found, expected in clients.map(client, range(30)):
            assert found == expected
    assert answers.count(201) == 3  # of 15: each replay is stored once
    assert running.ask("/health").json == {"status": "ok", "working": 0}
    assert not list(check_lake(running.folder))


def test_many_shards_are_compacted(running: Running, samples: Mapping[str, Path], monkeypatch: Any) -> None:
    jobs = running.service.jobs
    before = running.ask("/replays").json["total"]
    monkeypatch.setattr(jobs, "_bounds", replace(jobs._bounds, compact_after=2))
    assert running.ask("/replays", samples["teehistorian"].read_bytes() + b"\4").status == 201
    until(lambda: running.service.archive.shards == 1)
    assert running.ask("/replays").json["total"] == before + 1
    assert not list(check_lake(running.folder))


def test_every_route_is_described(running: Running) -> None:
    described = running.ask("/openapi.json", token=None).json
    routes: Any = make_app(running.service).routes
    assert {each.path for each in routes} - {"/", "/openapi.json"} == described["paths"].keys()
    names = [facts["operationId"] for methods in described["paths"].values() for facts in methods.values()]
    assert len(set(names)) == len(names)
    page = running.ask("/", token=None)
    for path, methods in described["paths"].items():
        for method, facts in methods.items():
            assert f"{method.upper()} {path}" in page.body.decode()
            named = {each["name"] for each in facts.get("parameters", ()) if each["in"] == "path"}
            assert named == {*re.findall(r"{(\w+)}", path)}
            assert facts["responses"]
    assert "<script" not in page.body.decode()
    assert "default-src 'none'" in page.headers["content-security-policy"]


def form(*files: tuple[str, bytes], whole: bool = True) -> tuple[bytes, dict[str, str]]:
    """The body and headers of a form: a field, then files."""
    parts = [b'--line\r\nContent-Disposition: form-data; name="note"\r\n\r\nours\r\n']
    for name, data in files:
        head = f'--line\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        parts.append(head.encode() + data + b"\r\n")
    end = b"--line--\r\n" if whole else b""
    return b"".join(parts) + end, {"Content-Type": "multipart/form-data; boundary=line"}


def test_a_form_is_an_upload(running: Running, sent: Mapping[str, Answer], samples: Mapping[str, Path]) -> None:
    data = samples["sc2"].read_bytes()
    body, headers = form(("game.SC2Replay", data))
    answer = running.ask("/replays", body, headers=headers)
    assert (answer.status, answer.json) == (200, sent["sc2"].json)
    body, headers = form(("new.SC2Replay", data + b"\5"))
    answer = running.ask(
        "/replays", (body[place : place + 999] for place in range(0, len(body), 999)), headers=headers
    )
    assert (answer.status, answer.json["file"]) == (201, "new.SC2Replay")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (form(), "has no file"),
        (form(("a.dem", b"x"), ("b.dem", b"x")), "more than one file"),
        (form(("a.dem", bytes(99_999)), whole=False), "ends within its file"),
        ((b"x" * 99, {"Content-Type": "multipart/form-data; boundary=line"}), "cannot be read"),
        ((b"x", {"Content-Type": "multipart/form-data"}), "no boundary"),
        ((b"--line\r\nA: b\r\n\r\n" + bytes(99_999), form()[1]), "no file in its first 16 KiB"),
    ],
)
def test_forms_without_one_whole_file(running: Running, body: tuple[bytes, dict[str, str]], text: str) -> None:
    answer = running.ask("/replays", body[0], headers=body[1])
    assert (answer.status, text in answer.json["error"]) == (400, True), answer.body
    assert not [each for each in (running.folder / "_scratch").rglob("*") if each.is_file()]


def test_scripts_of_listed_origins_may_ask(tmp_path: Path) -> None:
    asked = {"Access-Control-Request-Method": "DELETE", "Access-Control-Request-Headers": "authorization"}
    with started(tmp_path / "lake", origins=("https://ours.example",)) as new:
        for origin, status in (("https://ours.example", 200), ("https://ours.example.evil", 400)):
            headers = {"Origin": origin, **asked}
            answer = new.ask("/replays/x", token=None, method="OPTIONS", headers=headers)
            assert answer.status == status
            answers = (answer, new.ask("/replays", headers=headers), new.ask("/none", headers=headers))
            shared = [each.headers.get("access-control-allow-origin") for each in answers]
            assert shared == [origin if status == 200 else None] * 3


def test_no_page_may_ask_by_default(running: Running) -> None:
    answer = running.ask("/replays", headers={"Origin": "https://ours.example"})
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("origin", ["*", "null", "ours.example", "https://ours.example/", "https://a b"])
def test_an_origin_is_scheme_and_host(origin: str) -> None:
    with pytest.raises(ValueError, match="expected an origin"):
        allowed_origins([origin])


@pytest.mark.skipif(not hasattr(corpus, "remove"), reason="this lake cannot remove a replay")
def test_a_replay_is_removed(running: Running, samples: Mapping[str, Path]) -> None:
    data = samples["teehistorian"].read_bytes() + b"\6"
    path = f"/replays/{running.ask('/replays', data).json['replay']}"
    before = running.ask("/replays").json["total"]
    assert running.ask(path, method="DELETE", token=READER).status == 403
    assert running.ask("/replays/none", method="DELETE").status == 404
    assert running.ask(path, method="DELETE").status == 204
    assert running.ask(path).status == 404
    assert running.ask("/replays").json["total"] == before - 1
    assert running.ask("/replays", data).status == 201
    assert not list(check_lake(running.folder))


def test_numbers_beyond_2_to_53_are_text(running: Running, sent: Mapping[str, Answer]) -> None:
    answer = running.ask(
        "/query", sql="SELECT 9007199254740993 AS a, -9007199254740993 AS b, 9007199254740992 AS c"
    )
    assert answer.json["rows"] == [["9007199254740993", "-9007199254740993", 9007199254740992]]
    assert matches._known({"build": 1 << 60, "size": 1, "map": None}) == {"size": 1}


def test_an_answer_over_the_lake_names_damaged_replays(tmp_path: Path, samples: Mapping[str, Path]) -> None:
    with started(tmp_path / "lake") as running:
        cut = running.ask("/replays", samples["source2"].read_bytes()[:20_000], name="cut.dem").json
        assert cut["status"] == "partial"
        whole = running.ask("/replays", samples["sc2"].read_bytes()).json
        found = running.ask("/query", sql="SELECT count(*) FROM info").json["damaged"]
        assert (set(found), whole["status"]) == ({cut["replay"]}, "whole")


def test_the_description_has_every_fact_and_how_to_send_it() -> None:
    described = openapi()
    for path in ("/replays", "/tables", "/tables/{name}"):
        (facts,) = (each for each in described["paths"][path]["get"]["parameters"] if each["name"] == "FACT")
        assert (facts["style"], facts["explode"]) == ("form", True)
        assert {"game", "matchup", "game_type"} <= facts["schema"]["properties"].keys()
    known = described["components"]["schemas"]["Facts"]["properties"]
    assert "absent if" in known["version"]["description"]
    assert not [each for each in known.values() if "null" in each["description"]]


def test_a_description_has_one_type_for_each_value() -> None:
    """Makers of clients take no second type but null."""
    for schema in openapi()["components"]["schemas"].values():
        for each in schema["properties"].values():
            kinds = each.get("type", "object")
            assert isinstance(kinds, str) or kinds[1:] == ["null"]


def test_answers_name_their_file(running: Running, sent: Mapping[str, Answer]) -> None:
    found = sent["sc2"].json
    table = running.ask(f"/replays/{found['replay']}/tables/players").json
    assert (table["replay"], table["file"]) == (found["replay"], found["file"])
    answer = running.ask("/replays", b"junk" * 100, name="junk.dem")
    assert (answer.status, answer.json["file"]) == (422, "junk.dem")


def test_the_sender_of_the_docs(running: Running, sent: Mapping[str, Answer], samples: Mapping[str, Path]) -> None:
    names: dict[str, Any] = {}
    page = Path(__file__).parents[2] / "docs" / "service.md"
    exec("".join(block.code for block in python_blocks(page)), names)
    found = names["send"](samples["sc2"], f"http://127.0.0.1:{running.port}/", WRITER)
    assert found == sent["sc2"].json


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").write_bytes(b"x")
    with pytest.raises(FileExistsError, match=r"holiday\.jpg"):
        Service(tmp_path, Tokens({}), allowed([]), Bounds())


def test_rates_fill_again() -> None:
    now = [0.0]
    rate = Rate(2, lambda: now[0])
    rate.take("a")
    rate.take("a")
    rate.take("b")
    with pytest.raises(Refused) as refused:
        rate.take("a")
    assert (refused.value.status, refused.value.after) == (429, 30.0)
    now[0] = 30.0
    rate.take("a")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "has no token"),
        ("server short", "fewer than 20"),
        ("server", "expected NAME TOKEN"),
        (f"server {WRITER} write", "expected NAME TOKEN"),
        (f"a {WRITER}\nb {WRITER}", "each token once"),
    ],
)
def test_files_of_tokens_are_checked(text: str, error: str, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(text)
    with pytest.raises(ValueError, match=error):
        Tokens.read(file)


def test_a_file_of_tokens(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"# ours\nserver {WRITER}\n\nreader {READER} read\n")
    tokens = Tokens.read(tmp_path / "tokens")
    assert tokens.who(f"bearer {WRITER}") == Caller("server")
    assert tokens.who(f"Bearer {READER}") == Caller("reader", may_write=False)


@pytest.mark.parametrize("place", ["ftp://x/", "https://", "x", "https://a@b/"])
def test_an_allow_list_has_beginnings_of_urls(place: str) -> None:
    with pytest.raises(ValueError, match="expected the beginning of a URL"):
        allowed([place])


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/x.dem", "x.dem"),
        ("C:\\demos\\x.dem", "x.dem"),
        ("s3://bucket/pack.zip::x.dem", "pack.zip__x.dem"),
        ("@list", "list"),
        ("-", "upload"),
        ("", "upload"),
        ("a\nb.dem", "a_b.dem"),
    ],
)
def test_names_of_uploads_are_plain(name: str, shown: str) -> None:
    assert file_name(name) == shown


def test_the_command_hands_its_options_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    monkeypatch.setattr("playhead.web.service.run_service", lambda *values, **named: given.append((values, named)))
    words = ["--jobs", "3", "--disk", "5", "--allow", "https://a.example", "--port", "0"]
    outcome = run("serve", tmp_path, *words, "--origin", "https://b.example")
    assert (outcome.returncode, outcome.stderr[:37]) == (0, "playhead: note: the token of this run")
    ((folder, _, places, bounds), named) = given[0]
    assert (folder, places.places, bounds.workers, bounds.disk) == (tmp_path, ("https://a.example/",), 3, 5 << 30)
    assert (named["host"], named["port"], named["origins"]) == ("127.0.0.1", 0, ("https://b.example",))
