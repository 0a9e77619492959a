"""Fixtures that every test folder uses."""

from __future__ import annotations

import gc
import importlib.util
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings
from tests.loading import load_module
from tests.samples.games import write_match

from playhead.registry import list_formats

# Speed is measured in benchmarks/, so no example fails for being slow. A run for a landing (CI is set) tries the
# same examples each time; elsewhere every run tries new ones, and more.
settings.register_profile("playhead", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "landing", settings.get_profile("playhead"), max_examples=20, derandomize=True, database=None
)
settings.register_profile("whole", settings.get_profile("playhead"), max_examples=100)
settings.load_profile("landing" if os.environ.get("CI") else "playhead")


def _corpus_root() -> Path:
    named = os.environ.get("PLAYHEAD_CORPUS")
    return Path(named) if named else Path(__file__).parents[2] / "shared" / "corpus"


# The pictures of tests are the same on machines with games.
os.environ.setdefault("PLAYHEAD_GAME_FILES", "off")

CORPUS = _corpus_root()
STEP = 5
EIGHTHS = 8


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--whole", action="store_true", help="read every real replay and every truncation, not a sample"
    )
    parser.addoption(
        "--eighth",
        action="store_true",
        help="run an eighth of the cases of tests marked long; the commit says which",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--whole"):
        settings.load_profile("whole")


def _but_for(item: pytest.Item, parameter: str) -> str:
    """The name of a test and its parameters but for this one; every process of pytest-xdist must find the same."""
    given = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    if given.pop(parameter, None) is None:
        return item.nodeid
    words = [str(getattr(value, "__name__", value)) for value in given.values()]
    return "-".join([item.nodeid.partition("[")[0], *words])


def _eighth() -> int:
    """The number of this commit's eighth of the long tests; 0 outside a repository."""
    try:
        command = ["git", "rev-parse", "--short=8", "HEAD"]
        commit = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return 0
    return int(commit.stdout, 16) % EIGHTHS


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep every fifth case of a test marked ``stepped``, and one of a test marked ``one_of``, which its name
    chooses; with ``--eighth``, an eighth of the cases of tests marked ``long``; of those that were asked for."""
    if config.getoption("--whole"):
        return
    eighth = _eighth() if config.getoption("--eighth") else None
    seen: Counter[str] = Counter()
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        if marker := item.get_closest_marker("one_of"):
            groups.setdefault(_but_for(item, *marker.args), []).append(item)
    chosen = {id(group[crc32(name.encode()) % len(group)]) for name, group in groups.items()}
    kept, left_out = [], []
    for item in items:
        left = bool(item.get_closest_marker("one_of")) and id(item) not in chosen
        if item.get_closest_marker("stepped"):
            name = item.nodeid.partition("[")[0]
            left |= seen[name] % STEP != 0
            seen[name] += 1
        if eighth is not None and item.get_closest_marker("long"):
            left |= crc32(item.nodeid.encode()) % EIGHTHS != eighth
        (left_out if left else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def pytest_collection_finish() -> None:
    """Collect garbage seldom, and never through the libraries and the tests themselves: an eighth of all time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With ``--dist loadfile``, share the tests out as `tests.schedule` says."""
    if config.getoption("dist") != "loadfile":
        return None
    from tests.schedule import LongFirst

    return LongFirst(config, log)


@pytest.fixture(scope="session", autouse=True)
def unflushed() -> Iterator[None]:
    """What is written is not flushed to the disk: that takes longer than most tests, and none cuts the power."""
    with patch("os.fsync", lambda descriptor: None):
        yield


def pytest_runtest_teardown() -> None:
    """Close figures: Matplotlib warns of more than 20 open ones, and a warning is an error."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def step(request: pytest.FixtureRequest) -> int:
    """Distance between the files, bytes or ticks that a long test takes: 1 with ``--whole``, else `STEP`."""
    return 1 if request.config.getoption("--whole") else STEP


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Folder of real replays; the test is skipped where there is none."""
    if not CORPUS.is_dir():
        pytest.skip(f"no corpus of real replays at {CORPUS} (set PLAYHEAD_CORPUS)")
    return CORPUS


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sample replay of each format, by the format's name."""
    folder = tmp_path_factory.mktemp("samples")
    return {known.name: known.write_sample(folder) for known in list_formats()}


@pytest.fixture(scope="session")
def short_match(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Returns the path of the written match of a game, the shortest there is; each is written once."""

    @cache
    def write(game: str) -> Path:
        folder = tmp_path_factory.mktemp(game)
        return write_match(game, folder, 2)[0]

    return write


@pytest.fixture(scope="session")
def without_collections() -> Iterator[None]:
    """The viewer collects no garbage: through the objects of all tests, that takes longer than most answers."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("playhead.web.viewer.settle", lambda: None)
        patched.setattr("playhead.view.match.gc", SimpleNamespace(collect=lambda: 0))
        yield


# Files of definitions that import those of every message in `playhead.source2.messages.definitions`.
_PROTOBUF_FILES = (
    *("demo", "netmessages", "gameevents", "usermessages", "te", "prediction_events", "dota_usercmd"),
    *("dota_usermessages", "dota_modifiers", "dota_match_metadata", "dota_gcmessages_client"),
)


def _protobuf_fields(message: Any) -> dict[str | int, Any]:
    """A message object of protobuf's runtime as `playhead.source2.messages.wire.decode` gives it."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    out: dict[str | int, Any] = {}
    for field, value in message.ListFields():
        values = list(value) if field.is_repeated else [value]
        if field.message_type is not None:
            values = [_protobuf_fields(entry) for entry in values]
        elif field.enum_type is not None:
            names = field.enum_type.values_by_number
            values = [names[entry].name if entry in names else entry for entry in values]
        out[field.name] = values if field.is_repeated else values[0]
    for unknown in UnknownFieldSet(message):
        field = message.DESCRIPTOR.fields_by_number.get(unknown.field_number)
        if field is not None and field.enum_type is not None and unknown.wire_type == 0:
            # Its runtime takes a number that an enumeration does not have for an unknown field.
            out[field.name] = (unknown.data + 2**31) % 2**32 - 2**31
        else:
            out.setdefault(unknown.field_number, []).append(unknown.data)
    return out


@pytest.fixture(scope="session")
def protobuf() -> Callable[[str, bytes], dict[str | int, Any]]:
    """Decodes a message by protobuf's own runtime, with the generated classes that gem-dota carries."""
    pytest.importorskip("gem", reason="gem-dota carries the generated classes to compare with")
    from google.protobuf.descriptor_pool import Default
    from google.protobuf.message_factory import GetMessageClass

    for file in _PROTOBUF_FILES:
        importlib.import_module(f"gem.proto.{file}_pb2")

    def decode(name: str, data: bytes) -> dict[str | int, Any]:
        message = GetMessageClass(Default().FindMessageTypeByName(name))()
        message.ParseFromString(data)
        return _protobuf_fields(message)

    return decode


@pytest.fixture(scope="session")
def tool() -> Callable[[str], ModuleType]:
    """A script of tools/ as a module, by name."""

    def load(name: str) -> ModuleType:
        return load_module(name, Path(__file__).parents[1] / "tools" / f"{name}.py")

    return load
