"""Corpora that our own writers make, and inputs that no reader survives."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from playhead.registry import list_formats

#: What runs in a worker instead of `decode`: inputs whose name begins with a word behave accordingly.
_POISON = """
import ctypes, os, signal, time
from playhead.corpus.writing.decode import decode
from pathlib import PurePath


def poisoned(order, report):
    name = PurePath(order.item.file).name
    if name.startswith("hang"):
        while True:
            report(1, 2)
    if name.startswith("stall"):
        time.sleep(3600)
    if name.startswith("crash"):
        ctypes.string_at(0)
    if name.startswith("exit"):
        print("gone", flush=True)
        os._exit(7)
    if name.startswith("kill"):
        os.kill(os.getpid(), signal.SIGKILL)
    if name.startswith("eat"):
        held = [bytearray(b"x") * (1 << 20)]
        while True:
            held.append(bytearray(b"x") * (8 << 20))
            time.sleep(0.005)
    if name.startswith("fault"):
        raise RuntimeError("a fault of the reader")
    if name.startswith("once"):
        mark = order.item.file + ".seen"
        if not os.path.exists(mark):
            open(mark, "w").close()
            os._exit(1)
    return decode(order, report)
"""


@pytest.fixture
def poison(tmp_path: Path) -> Iterator[ModuleType]:
    """The module that a worker imports for it."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "lake_poison.py").write_text(_POISON)
    sys.path.insert(0, str(folder))
    import lake_poison

    yield lake_poison
    sys.path.remove(str(folder))
    del sys.modules["lake_poison"]


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A replay of each format, by format."""
    folder = tmp_path_factory.mktemp("samples")
    return {known.name: known.write_sample(folder).read_bytes() for known in list_formats()}


def _write_games(folder: Path, sc2: bytes, count: int, start: int = 0) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(start, start + count):
        path = folder / f"game{number}.SC2Replay"
        path.write_bytes(sc2 + number.to_bytes(4, "little"))
        paths.append(path)
    return paths


@pytest.fixture(scope="session")
def write_games(samples: dict[str, bytes]) -> Callable[..., list[Path]]:
    """Writes replays into a folder that differ by their last bytes, which no reader looks at."""
    return lambda folder, count, start=0: _write_games(folder, samples["sc2"], count, start)
