"""Use an extra like a program that installed only this extra.

    python tools/use_extras.py FOLDER EXTRA…    # FOLDER is written to; the extra `core` is playhead alone

`tools/check_extras.py` runs it in a separate environment for each extra, with the lowest and with the highest
versions that `pyproject.toml` allows.
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import ssl
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import playhead

#: Functions that use an extra, by its name.
USES: dict[str, Callable[[Path], object]] = {}


def use(of: Callable[[Path], object]) -> Callable[[Path], object]:
    """Register the function under its name, with hyphens."""
    USES[of.__name__.replace("_", "-")] = of
    return of


def write_samples(folder: Path) -> list[Path]:
    """Write a sample of each format."""
    return [known.write_sample(folder) for known in playhead.list_formats()]


def run(*arguments: str | Path) -> str:
    """Return the output of the command line; any text on standard error is a failure."""
    command = [sys.executable, "-m", "playhead", *map(str, arguments)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    said = f"playhead {' '.join(map(str, arguments))}: {outcome.stdout}{outcome.stderr}"
    assert (outcome.returncode, outcome.stderr) == (0, ""), said
    return outcome.stdout


@use
def typing(folder: Path) -> None:
    """Checkers find the types of pyarrow."""
    assert importlib.metadata.version("pyarrow-stubs")


@use
def core(folder: Path) -> None:
    """Build every table of every format, as files and through the command line."""
    try:
        from compression import zstd
    except ModuleNotFoundError:
        from backports import zstd
    paths = write_samples(folder)
    for path in paths:
        with playhead.open(path) as replay:
            assert not replay.problems
            assert replay.export(folder / path.suffix[1:])
            assert list(replay.events())
            packed = path.with_name(path.name + ".zst")
            packed.write_bytes(zstd.compress(path.read_bytes()))
            assert playhead.open(packed).players == replay.players
    for command in ("info", "tables", "events"):
        assert run(command, paths[1])
    for format in ("csv", "ndjson"):
        run("export", paths[1], "-o", folder / format, "--format", format)
    assert "Usage" in run("--help")
    assert "Usage" in run("export", "--help")
    corpus = playhead.scan(folder / "*.*", jobs=1)
    names = ["info", "players", "events"]
    corpus.export(folder / "lake", tables=names)
    lake = playhead.open_lake(folder / "lake")
    assert all(lake.table(name).num_rows == corpus.table(name).num_rows > 0 for name in names)


@use
def remote(folder: Path) -> None:
    """Read a replay from http://, and from https:// if the openssl command can create a certificate."""
    path = write_samples(folder)[0]
    with serving(folder) as url:
        same(f"{url}/{path.name}?token=1*2", path)
    openssl = shutil.which("openssl")
    if openssl is None:
        return
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    of_ours = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "2"]
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", *of_ours]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serving(folder, context) as url:
        check = "import playhead, sys; print(playhead.open(sys.argv[1]).content_hash)"
        address = f"{url}/{path.name}"
        trusting = {**os.environ, "SSL_CERT_FILE": str(certificate)}
        outcome = subprocess.run(
            [sys.executable, "-c", check, address], env=trusting, capture_output=True, text=True, check=False
        )
        assert outcome.stdout.strip() == playhead.open(path).content_hash, outcome.stderr
        plain = [sys.executable, "-c", check, address]
        refused = subprocess.run(plain, capture_output=True, text=True, check=False)
        assert "CERTIFICATE_VERIFY_FAILED" in refused.stderr


@use
def s3(folder: Path) -> None:
    """Read a replay from a bucket, on a server with the part of S3 needed for reading."""
    bucket = folder / "bucket"
    bucket.mkdir()
    path = write_samples(bucket)[0]
    with serving(folder) as url:
        os.environ.update(AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_DEFAULT_REGION="us-east-1")
        os.environ.update(AWS_ENDPOINT_URL=url, AWS_EC2_METADATA_DISABLED="true")
        same(f"s3://bucket/{path.name}", path)


@use
def names(folder: Path) -> None:
    """Look up names by the game's numbers."""
    from playhead.dota2.sources.names import game_names

    assert game_names().heroes[1] == "npc_dota_hero_antimage"
    assert game_names().items[1] == "item_blink"


@use
def deadlock_names(folder: Path) -> None:
    """Import the package whose names of heroes and abilities Deadlock's tables use."""
    import boon  # noqa: F401


@use
def polars(folder: Path) -> None:
    """Build frames, and a lazy frame of a lake."""
    for path in write_samples(folder):
        with playhead.open(path) as replay:
            frame = replay.to_polars("players")
            assert frame["player"].to_list() == [player.player for player in replay.players]
            for name in replay.tables:
                replay.to_polars(name)
    lake = playhead.scan(folder, jobs=1).export(folder / "lake", tables=["info", "players"])
    assert lake.progress.done == 3
    assert playhead.open_lake(folder / "lake").lazy("players").collect().height


@use
def pandas(folder: Path) -> None:
    """Build frames."""
    for path in write_samples(folder):
        with playhead.open(path) as replay:
            frame = replay.to_pandas("players")
            assert frame["player"].tolist() == [player.player for player in replay.players]
            for name in replay.tables:
                replay.to_pandas(name)


@use
def duckdb(folder: Path) -> None:
    """Run SQL on one replay and on several."""
    paths = write_samples(folder)
    for path in paths:
        with playhead.open(path) as replay, closing(replay.to_duckdb()) as connection:
            for name, table in replay.read_tables().items():
                assert connection.execute(f'SELECT count(*) FROM "{name}"').fetchone() == (table.num_rows,)
    query = "SELECT file, events.kind, count(*) AS n FROM events JOIN players USING (file, player) GROUP BY ALL"
    assert run("sql", query, *paths, "--format", "csv").count("\n") > 3
    for query in ("DESCRIBE players", "SUMMARIZE players", "PIVOT events ON kind USING count(*)"):
        assert run("sql", query, paths[0], "--format", "csv").count("\n") > 1


@use
def ray(folder: Path) -> None:
    """Build a lake on a cluster of this machine."""
    write_samples(folder)
    lake = playhead.scan(folder).export(folder / "lake", tables=["info", "players"], engine="ray")
    assert lake.progress.done == 3


@use
def plot(folder: Path) -> None:
    """Save plots as pictures."""
    import matplotlib

    matplotlib.use("agg")
    for path in write_samples(folder):
        with playhead.open(path) as replay:
            axes = replay.plot.positions()
            target = BytesIO()
            axes.figure.savefig(target)
            assert target.getvalue().startswith(b"\x89PNG")


@use
def sound(folder: Path) -> None:
    """Write the voices of a match."""
    run("sample", folder, "--game", "cs2")
    run("voice", folder / "sample_cs2.dem", "-o", folder / "voices")
    assert all(each.read_bytes().startswith(b"OggS") for each in (folder / "voices").iterdir())


@use
def xlsx(folder: Path) -> None:
    """Write a workbook of all tables."""
    for path in write_samples(folder):
        run("export", path, "-o", folder / path.stem, "--format", "xlsx")
        assert (folder / path.stem / "tables.xlsx").read_bytes().startswith(b"PK")


@use
def view(folder: Path) -> None:
    """Request the viewer's data as the page does."""
    path = write_samples(folder)[0]
    command = [sys.executable, "-m", "playhead", "view", "--no-browser", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            line = next(line for line in server.stdout if "http://" in line)
            address = next(word for word in line.split() if word.startswith("http://"))
            for what in ("", "files", "m/0/summary", "m/0/sql?q=SELECT%20count(*)%20FROM%20players"):
                with urllib.request.urlopen(address + what, timeout=60) as answer:
                    assert answer.status == 200
        finally:
            server.terminate()


@use
def mcp(folder: Path) -> None:
    """Ask the server for language models over its standard input and output."""
    import asyncio

    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    write_samples(folder)
    server = StdioServerParameters(command=sys.executable, args=["-m", "playhead", "mcp", str(folder)])

    async def ask() -> None:
        async with Client(stdio_client(server)) as client:
            answer = await client.call_tool("list_replays", {})
            assert '"total": 3' in answer.content[0].text
            answer = await client.call_tool("plot", {"replay": "sample_dota2.dem", "kind": "positions"})
            assert answer.content[0].type == "image"

    asyncio.run(ask())


def same(url: str, path: Path) -> None:
    """Check that the replay at the URL equals the one in the file."""
    with playhead.open(url) as replay, playhead.open(path) as local:
        assert replay.content_hash == local.content_hash
        assert replay.players == local.players


class _Server(SimpleHTTPRequestHandler):
    """Serves files of a folder, whole or in ranges."""

    def send_head(self) -> BytesIO | BinaryIO | None:
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return None
        content = path.read_bytes()
        unit, _, span = self.headers.get("Range", "").partition("=")
        first, _, last = span.partition("-")
        part = content[int(first or 0) : int(last) + 1 if last else None] if unit == "bytes" else content
        self.send_response(206 if unit == "bytes" else 200)
        if unit == "bytes":
            start = int(first or 0)
            self.send_header("Content-Range", f"bytes {start}-{start + len(part) - 1}/{len(content)}")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(part)))
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", self.date_time_string(path.stat().st_mtime))
        self.end_headers()
        return BytesIO(part)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(folder: Path, context: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serve a folder on the loopback; yield its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Server, directory=str(folder))) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"{'http' if context is None else 'https'}://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def main() -> None:
    """Use the extras named in the arguments, each in its own folder."""
    folder, *extras = sys.argv[1:]
    for extra in extras:
        place = Path(folder, extra)
        place.mkdir(parents=True)
        USES[extra](place)
        print(f"{extra}: fine")


if __name__ == "__main__":
    main()
