"""`info`, `players`, `problems` and `unfilled` raise nothing but `ReplayError`, whatever fact of a game fails."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from tests.hostile.test_client_demos import demo, tees
from tests.samples.patch_day import SHORT_MATCHES

import playhead

#: Packages of the games, each with the format of its sample; the others have one of `WRITTEN`.
GAMES = {
    **dict.fromkeys(SHORT_MATCHES, ""),
    "sc2": "sc2",
    "hots": "hots",
    "teehistorian": "teehistorian",
    "teehistorian.client_demos": "",
}
WRITTEN: Mapping[str, Callable[[], bytes]] = {
    **SHORT_MATCHES,
    "teehistorian.client_demos": lambda: demo(*(tees(tick) for tick in range(1, 9))),
}
ASKED = ("info", "players", "problems", "unfilled")
#: How many functions of a game fail in turn without ``--whole``.
FEWER = 12


def fails(*_: object, **__: object) -> object:
    raise ArithmeticError("m_iNewName")


def ask(replay: playhead.Replay) -> None:
    for name in ASKED:
        getattr(replay, name)


def functions_called(package: str, call: Callable[[], None]) -> list[FunctionType]:
    """Return the functions of a package that a call runs, but those within others."""
    folder = str(Path(playhead.__file__ or "").parent / Path(*package.split(".")))
    seen: dict[CodeType, str] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(folder):
            seen.setdefault(frame.f_code, frame.f_globals["__name__"])

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    found = []
    for code, module in seen.items():
        held: Any = import_module(module)
        for name in code.co_qualname.split("."):
            held = vars(held).get(name) if held is not None and name != "<locals>" else None
        if hasattr(held, "cache_clear"):  # it is not called again
            continue
        for inner in ("__func__", "fget", "_compute", "__wrapped__"):
            held = getattr(held, inner, held)
        if isinstance(held, FunctionType) and held.__code__ is code:
            found.append(held)
    return found


@contextmanager
def failing(function: FunctionType) -> Iterator[None]:
    """Let a function fail, wherever it was imported."""
    code = function.__code__
    function.__code__ = fails.__code__.replace(co_freevars=code.co_freevars)
    try:
        yield
    finally:
        function.__code__ = code


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("package", GAMES)
def test_every_function_of_a_game_fails_in_turn(
    package: str, samples: dict[str, Path], request: pytest.FixtureRequest
) -> None:
    target: Any = samples[GAMES[package]] if GAMES[package] else WRITTEN[package]()
    with playhead.open(target) as replay:
        called = functions_called(package, lambda: ask(replay))
    assert len(called) > 10
    if not request.config.getoption("--whole"):
        called = called[:: max(1, len(called) // FEWER)]
    for function in called:
        with playhead.open(target) as replay, failing(function), suppress(playhead.ReplayError):
            ask(replay)
            noted = [problem for problem in replay.problems_so_far if "m_iNewName" in problem.what]
            assert noted, function.__qualname__


@pytest.mark.parametrize("format", ["sc2", "hots"])
def test_a_failing_moment_is_an_error_of_facts(
    format: str, samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with playhead.open(samples[format]) as replay:
        monkeypatch.setattr(type(replay), "_moment", fails)
        with pytest.raises(playhead.FactError, match="m_iNewName") as found:
            replay.at(0)
    assert (found.value.file, found.value.tick) == (str(samples[format]), 0)
