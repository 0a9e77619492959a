"""Queries of the viewer's page end: after some seconds, when the page goes, and when the server stops."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.cli.in_process import run as command

import playhead
from playhead.ask import Chosen, Processes, questions, sql
from playhead.registry import BUILTIN_FORMATS, list_formats
from playhead.runtime.call_server import peak_memory
from playhead.sql.connection import connect
from playhead.web.shelf import Shelf
from playhead.web.viewer import make_app

pytest.importorskip("duckdb", reason="queries need DuckDB")
pytest.importorskip("uvicorn", reason="the viewer needs the extra view")
TestClient = pytest.importorskip("starlette.testclient", reason="a client for tests").TestClient

pytestmark = pytest.mark.slow_interpreted

ENDLESS = "SELECT count(*) FROM range(1000000000000) a, range(1000000) b"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return BUILTIN_FORMATS[-1].write_sample(tmp_path_factory.mktemp("viewed"))


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 20, "-1", "1.5", "\u0663", "%00", "1"])
def test_no_number_of_a_recording_is_an_error_of_the_server(path: Path, number: str) -> None:
    client = TestClient(make_app(Shelf([str(path)]), "token"), base_url="http://127.0.0.1:8000")
    for token in ("token", "other"):
        assert client.get(f"/{token}/m/{number}/state").status_code in (400, 404)


def test_a_long_query_is_interrupted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert questions.SECONDS == 20
    monkeypatch.setattr(questions, "SECONDS", 0.5)
    chosen = Chosen((str(path),))
    with pytest.raises(ValueError, match="interrupted"):
        sql(chosen, ENDLESS)
    assert sql(chosen, "SELECT 1 AS one").to_pylist() == [{"one": 1}]


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="processes are interrupted another way here")
def test_the_server_answers_and_stops_during_long_queries(path: Path) -> None:
    command = [sys.executable, "-m", "playhead", "view", "--no-browser", str(path)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert server.stdout is not None
        line = next(line for line in server.stdout if "http://" in line)
        url = next(word for word in line.split() if word.startswith("http://"))
        query = urllib.parse.urlencode({"q": ENDLESS})

        def ask() -> None:
            with suppress(OSError):
                urllib.request.urlopen(f"{url}m/0/sql?{query}", timeout=60).read()

        asking = [threading.Thread(target=ask, daemon=True) for _ in range(3)]
        for thread in asking:
            thread.start()
        time.sleep(1.0)
        for what in ("summary", "events?kinds=join", "clock"):
            assert urllib.request.urlopen(f"{url}m/0/{what}", timeout=60).status == 200
        assert all(thread.is_alive() for thread in asking), "the queries run"
        server.send_signal(signal.SIGINT)
        server.wait(timeout=60)
    finally:
        server.kill()
        server.communicate()


def test_databases_print_no_progress() -> None:
    connection = connect()
    assert connection.execute("SELECT current_setting('enable_progress_bar')").fetchall() == [(False,)]


def test_only_the_page_makes_the_server_read_heads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    testclient = pytest.importorskip("starlette.testclient")
    paths = [str(format.write_sample(tmp_path)) for format in list_formats()]
    shelf = Shelf(paths)
    begun: list[bool] = []
    monkeypatch.setattr(shelf, "read_heads", lambda: begun.append(True))
    client = testclient.TestClient(make_app(shelf, "token"), base_url="http://127.0.0.1")
    for address, headers in (
        ("/other/files", {}),
        ("/token/files", {"origin": "http://elsewhere"}),
        ("/token/files", {"host": "elsewhere"}),
    ):
        assert client.get(address, headers=headers).status_code in (403, 404)
    assert not begun
    assert client.get("/token/files").status_code == 200
    assert begun


@pytest.fixture(scope="module")
def queries() -> Iterator[Processes]:
    made = Processes()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT repeat('x', 3000000000)", "emory"),
        ("SELECT list(i) FROM range(1000000000) t(i)", "emory"),
        ("SELECT repeat('x', 1000000) FROM range(70)", "the answer has 66 MiB, more than 64 MiB"),
        ("SELECT count(*) FROM entities('*', every := '1t')", "emory"),
    ],
)
def test_a_statement_cannot_cost_the_server_memory(
    text: str, message: str, queries: Processes, samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "memory", 400 << 20)
    before = peak_memory() or 0
    with pytest.raises((ValueError, playhead.ReplayError), match=message):
        queries.ask(sql, Chosen((str(samples["source2"]),)), text)
    assert (peak_memory() or 0) - before < 100 << 20
    assert json.loads(queries.ask(sql, Chosen(), "SELECT sum(n) FROM range(9) t(n)"))["rows"] == [[36]]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM entities((SELECT content FROM read_text('{secret}')))",
        "SELECT * FROM entities('*', fields := [(SELECT content FROM read_text('{secret}'))])",
        "SELECT * FROM entities('*' || [x FOR x IN (SELECT list(content) FROM read_text('{secret}'))][1])",
        "PIVOT (SELECT * FROM read_text('{secret}')) ON content",
    ],
)
def test_arguments_of_table_functions_read_no_file(
    text: str, queries: Processes, samples: dict[str, Path], tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("precious")
    with pytest.raises(ValueError, match=r".") as caught:
        queries.ask(sql, Chosen((str(samples["source2"]),)), text.format(secret=secret))
    assert "precious" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT date '-infinity'", "cast it"),
        ("SELECT timestamptz '290000-01-01'", "cast it"),
        ("SELECT * FROM entities('*', every := 1e308)", "at least a tick"),
        ("SELECT * FROM entities('*', fields := range(20000))", "10000 letters or items"),
        ("SELECT * FROM entities('*', fields := [1])", "takes names"),
        ("SELECT * FROM entities('*', fields := MAP {1: 2})", "takes names"),
    ],
)
def test_values_beyond_python_are_errors_of_ours(
    text: str, message: str, queries: Processes, samples: dict[str, Path]
) -> None:
    path = str(samples["source2"])
    with pytest.raises(ValueError, match=message):
        queries.ask(sql, Chosen((path,)), text)
    told = command("sql", text, path)
    assert told.returncode == 1
    assert message in told.stderr


@pytest.mark.long
def test_a_process_that_takes_too_long_is_killed(
    queries: Processes, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert queries.seconds == 120
    monkeypatch.setattr(queries, "seconds", 0.3)
    with pytest.raises(ValueError, match="interrupted"):
        queries.ask(sql, Chosen((str(path),)), ENDLESS)
    gone = threading.Event()
    monkeypatch.setattr(queries, "seconds", 60.0)
    threading.Timer(0.5, gone.set).start()
    with pytest.raises(ValueError, match="interrupted"):
        queries.ask(sql, Chosen((str(path),)), ENDLESS, gone=gone.is_set)


def in_duckdb(process: int) -> bool:
    return "duckdb" in Path(f"/proc/{process}/maps").read_text()


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="the test looks into /proc")
@pytest.mark.parametrize("words", [("mcp", "{path}"), ("sql", ENDLESS, "{path}")], ids=["mcp", "sql"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_ends_a_command(words: tuple[str, ...], number: signal.Signals, path: Path) -> None:
    command = [sys.executable, "-m", "playhead", *(word.format(path=path) for word in words)]
    program = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    )
    try:
        if words[0] == "mcp":
            pytest.importorskip("mcp", reason="needs the extra mcp")
            assert program.stdin is not None
            assert program.stdout is not None
            print('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', file=program.stdin, flush=True)
            assert '"id":1' in program.stdout.readline()
        else:
            end = time.monotonic() + 30
            while time.monotonic() < end and not in_duckdb(program.pid):
                time.sleep(0.1)
            time.sleep(1.0)
        program.send_signal(number)
        assert program.wait(timeout=20) == 128 + number
    finally:
        program.kill()
        _, said = program.communicate()
    assert said in ("", f"playhead: {'interrupted' if number == signal.SIGINT else 'terminated'}\n")
