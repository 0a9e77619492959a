"""Samples of every format, a server, a browser, and the packages of the page."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from tests.view.pages import Page
from tools.chromium import PROGRAM, launched

from playhead.view.match import MapFile
from playhead.web.shelf import Shelf
from playhead.web.viewer import make_app

VIEWER = Path(__file__).parents[2] / "viewer"
TOKEN = "a-token-of-the-tests"


@pytest.fixture(scope="session")
def node() -> Path:
    """The folder of the page with its packages installed; the test is skipped if that is not possible."""
    fcntl = pytest.importorskip("fcntl", reason="workers cannot lock a file on this system")
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("no Node.js on this machine")
    packages = VIEWER / "node_modules"
    # npm writes this file last; several workers may come here at once.
    done, locked = packages / ".package-lock.json", VIEWER / "package.json"
    with locked.open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = (VIEWER / "package-lock.json").stat().st_mtime
        if not done.is_file() or done.stat().st_mtime < wanted:
            command = ["npm", "ci", "--no-audit", "--no-fund"]
            if subprocess.run(command, cwd=VIEWER, capture_output=True, timeout=300).returncode:
                pytest.skip("npm could not fetch the packages that package-lock.json names")
    return VIEWER


@pytest.fixture(scope="session", autouse=True)
def _light(without_collections: None) -> None:
    """The viewer leaves garbage alone."""


class _Server(uvicorn.Server):
    """A server that sets an event when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listens = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listens.set()


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., str]]:
    """Serve files on a free port; return the address of the page. The same files share a server, which keeps
    what was decoded, unless it is to be `fresh`."""
    running: list[_Server] = []
    addresses: dict[tuple[object, ...], str] = {}

    def start(*paths: Path, map_file: MapFile | None = None, fresh: bool = False) -> str:
        files = (*paths, map_file)
        if files in addresses and not fresh:
            return addresses[files]
        shelf = Shelf([str(path) for path in paths], map_file)
        config = uvicorn.Config(make_app(shelf, TOKEN), port=0, log_level="error")
        listener = config.bind_socket()
        started = _Server(config)
        threading.Thread(target=started.run, kwargs={"sockets": [listener]}, daemon=True).start()
        running.append(started)
        assert started.listens.wait(60)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/{TOKEN}/"
        if not fresh:
            addresses[files] = address
        return address

    yield start
    for each in running:
        each.should_exit = True


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium; the test is skipped if there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if PROGRAM is None:
        pytest.skip("no Chromium on this machine (apt-get install chromium)")
    with playwright.sync_playwright() as library:
        started = launched(library)
        yield started
        started.close()


@pytest.fixture(scope="session")
def kept() -> dict[tuple[tuple[str, Any], ...], list[Page]]:
    """Empty pages by their options, to be used again: a new one costs a process of the browser."""
    return {}


@pytest.fixture
def shown(browser: Any, kept: dict[tuple[tuple[str, Any], ...], list[Page]]) -> Iterator[Callable[..., Page]]:
    """Makes pages; in the end nothing may have gone wrong in them."""
    used: list[tuple[Page, list[Page]]] = []

    def make(**options: Any) -> Page:
        like = kept.setdefault(tuple(sorted(options.items())), [])
        page = like.pop() if like else Page(browser, **options)
        used.append((page, like))
        return page

    yield make
    wrong = [line for page, _ in used for line in page.wrong]
    for page, like in used:
        if wrong or page.spent:
            page.context.close()
        else:
            page.empty()
            like.append(page)
    assert not wrong, wrong
