"""The examples in Go, Rust and Node, on a file and on a service; a client made of the description.

Their packages come from the registries, so this is part of the whole run alone.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import playhead

EXAMPLES = Path(__file__).parents[2] / "examples" / "languages"
#: Of each language: the program that builds, the commands that do so, the command that runs.
WAYS = {
    "go": ("go", [["go", "mod", "tidy"], ["go", "build", "-o", "players", "."]], ["./players"]),
    "rust": ("cargo", [["cargo", "build", "--quiet"]], ["target/debug/players"]),
    "node": ("npm", [["npm", "install", "--silent", "--no-audit", "--no-fund"]], ["node", "players.mjs"]),
}


@pytest.mark.parametrize("language", WAYS)
def test_examples_are_short(language: str) -> None:
    (program,) = (path for path in (EXAMPLES / language).rglob("*") if path.suffix in (".go", ".rs", ".mjs"))
    lines = [line for line in program.read_text("utf-8").splitlines() if line and not line.startswith("//")]
    assert len(lines) < 50


@pytest.fixture
def service(samples: Mapping[str, Path], tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Yield the address of a replay in a service, and its token."""
    for package in ("starlette", "uvicorn", "duckdb"):
        pytest.importorskip(package, reason="the service needs the extra view")
    token = "a-token-of-twenty-letters"
    (tmp_path / "tokens").write_text(f"tester {token}\n")
    words = ["serve", str(tmp_path / "lake"), "--tokens", str(tmp_path / "tokens"), "--port", "0"]
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "playhead", *words], stdout=subprocess.PIPE, text=True
    ) as running:
        try:
            assert running.stdout is not None
            found = next(filter(None, (re.search(r"http://\S+?:\d+/", line) for line in running.stdout)))
            request = urllib.request.Request(
                f"{found[0]}replays?name=a.SC2Replay",
                samples["sc2"].read_bytes(),
                {"Authorization": f"Bearer {token}"},
            )
            with urllib.request.urlopen(request) as answer:
                replay = json.load(answer)["replay"]
            yield f"{found[0]}replays/{replay}", token
        finally:
            running.terminate()


@pytest.fixture(params=WAYS)
def program(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[list[str], Path]:
    """Return the command of a built example, and its folder."""
    compiler, builds, command = WAYS[request.param]
    if built := os.environ.get("PLAYHEAD_LANGUAGES"):  # a folder where they were built before
        return command, Path(built, request.param)
    if not request.config.getoption("--whole"):
        pytest.skip("fetches packages: with --whole")
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    folder = tmp_path / request.param
    shutil.copytree(EXAMPLES / request.param, folder)
    for each in builds:
        done = subprocess.run(each, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return command, folder


def test_players_from_a_file_and_from_a_service(
    program: tuple[list[str], Path], samples: Mapping[str, Path], request: pytest.FixtureRequest
) -> None:
    command, folder = program
    address, token = request.getfixturevalue("service")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    names = playhead.open(samples["sc2"]).table("players")["name"].to_pylist()
    for place, told in (
        (samples["sc2"], ""),
        (address, ""),
        ("no.dem", "no.dem"),
        (f"{address}0", "error"),
        ("", "a file or an address"),
    ):
        done = subprocess.run(
            [*command, *filter(None, [str(place)])],
            cwd=folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PATH": path, "PLAYHEAD_TOKEN": token},
        )
        if place in (samples["sc2"], address):
            assert (done.returncode, done.stdout.splitlines()) == (0, names), done.stderr
        else:
            assert (done.returncode != 0, done.stdout) == (True, "")
            assert told in done.stderr.lower()


CALL = """
import importlib, pathlib, sys
sys.path.insert(0, "")
from client import AuthenticatedClient
made = [each for each in pathlib.Path("client/api").rglob("*.py") if each.stem != "__init__"]
(listing,) = [each for each in made if '"url": "/replays",' in each.read_text() and '"get"' in each.read_text()]
module = importlib.import_module(".".join(listing.with_suffix("").parts))
answer = module.sync_detailed(client=AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2]))
assert answer.status_code == 200, answer
assert sys.argv[3].encode() in answer.content, answer.content
print(len(made))
"""


def test_a_generated_client(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """One function for each operation; the one that lists replays gets the list."""
    python = os.environ.get("PLAYHEAD_OPENAPI")  # a Python with openapi-python-client
    if not python and not request.config.getoption("--whole"):
        pytest.skip("fetches packages: with --whole")
    if not python:
        subprocess.run([sys.executable, "-m", "venv", tmp_path / "made"], check=True)
        python = str(next((tmp_path / "made").glob("[bS]*/python*")))
        subprocess.run([python, "-m", "pip", "install", "--quiet", "openapi-python-client"], check=True)
    address, token = request.getfixturevalue("service")
    base, _, replay = address.partition("replays/")
    with urllib.request.urlopen(f"{base}openapi.json") as answer:
        described = answer.read()
    (tmp_path / "openapi.json").write_bytes(described)
    words = ["generate", "--path", "openapi.json", "--output-path", "client", "--meta", "none"]
    made = subprocess.run(
        [python, "-m", "openapi_python_client", *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert made.returncode == 0, made.stdout + made.stderr
    done = subprocess.run(
        [python, "-c", CALL, base.rstrip("/"), token, replay], cwd=tmp_path, capture_output=True, text=True
    )
    operations = [
        name
        for path in json.loads(described)["paths"].values()
        for name in path
        if name in ("get", "post", "put", "delete")
    ]
    assert done.stdout.split() == [str(len(operations))], done.stderr
