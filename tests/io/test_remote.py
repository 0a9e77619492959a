"""Replays behind ``http://``, read from a server on the loopback with what the extra ``remote`` brings."""

from __future__ import annotations

import io
import lzma
import socket
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO

import pytest
from tests.cli.in_process import run

import playhead
from playhead.registry import list_formats

pytest.importorskip("fsspec", reason="URLs need fsspec (extra remote)")
pytest.importorskip("aiohttp", reason="http:// and https:// need aiohttp (extra remote)")


class _Handler(SimpleHTTPRequestHandler):
    def send_head(self) -> io.BytesIO | BinaryIO | None:
        if self.path.startswith("/broken"):
            self.send_error(500)
            return None
        return super().send_head()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("served")
    for known in list_formats():
        path = known.write_sample(made)
        path.with_name(path.name + ".xz").write_bytes(lzma.compress(path.read_bytes(), preset=0))
    return made


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder))) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


@pytest.mark.parametrize("packed", ["", ".xz"])
@pytest.mark.parametrize("stream", [False, True])
def test_every_format_opens(packed: str, stream: bool, server: str, folder: Path) -> None:
    for known in list_formats():
        (path,) = folder.glob(f"*{known.suffix}")
        url = f"{server}/{path.name}{packed}?token=1*2"
        replay = playhead.open(url, stream=stream)
        assert (replay.format, replay.name, replay.problems) == (known.name, url, ())
        assert replay.players == playhead.open(path).players
        assert replay.content_hash == playhead.open(path).content_hash


def test_what_cannot_be_had_is_an_os_error(server: str) -> None:
    with pytest.raises(FileNotFoundError, match=r"/none\.dem: there is no such file"):
        playhead.open(f"{server}/none.dem")
    with pytest.raises(OSError, match=r"/broken\.dem: .*500"):
        playhead.open(f"{server}/broken.dem")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/x.dem"
        with pytest.raises(OSError, match=r"/x\.dem: "):
            playhead.open(url)
    with pytest.raises(OSError, match=r"nonsense://x"):
        playhead.open("nonsense://x/y.dem")


def test_on_the_command_line(server: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playhead.corpus.reading.collection.cores", lambda: 0)
    urls = [f"{server}/{path.name}" for path in sorted(folder.glob("*.xz"))]
    outcome = run("export", *urls, f"{server}/none.dem", "-o", tmp_path, "--table", "info")
    assert outcome.returncode == 1
    assert outcome.stderr == f"playhead: error: {server}/none.dem: there is no such file (failed: unreadable)\n"
    pytest.importorskip("duckdb", reason="lakes are read with DuckDB")
    written = playhead.open_lake(tmp_path).table("info")["file"].to_pylist()
    assert sorted(written) == urls
