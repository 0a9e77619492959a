"""A table whose facts fail is a problem and has no rows, in every format, and the other tables stay whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import playhead
from playhead.errors import FactError
from playhead.sc2.tables.registry import TABLES as SC2
from playhead.source2.tables import TABLES as SOURCE2
from playhead.teehistorian.tables import TABLES as TEEHISTORIAN


def fails(*_: Any, **__: Any) -> Any:
    raise AttributeError("m_iNewName")


def check(path: Path, broken: str, other: str) -> None:
    with playhead.open(path) as replay:
        tables = replay.read_tables([broken, other])
        assert not tables[broken].num_rows
        assert tables[other].num_rows
        (problem,) = replay.problems
        assert (problem.kind, problem.cost) == ("FactError", f"rows of table {broken}")
        assert "m_iNewName" in problem.what
    with playhead.open(path, strict=True) as replay, pytest.raises(FactError, match="m_iNewName"):
        replay.table(broken)


def test_starcraft2(samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    chat = SC2.own()["chat"]
    monkeypatch.setitem(SC2._added, "chat", replace(chat, build=fails))
    check(samples["sc2"], "chat", "commands")


@pytest.mark.long
def test_source2(samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SOURCE2.own()["string_tables"], "tables", fails)
    check(samples["source2"], "string_tables", "frames")


@pytest.mark.parametrize("step", ["build", "on_message"])
def test_teehistorian(samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    monkeypatch.setattr(TEEHISTORIAN.own()["commands"], step, fails)
    check(samples["teehistorian"], "commands", "sessions")


def _costs(path: Path, names: list[str]) -> list[str]:
    with playhead.open(path) as replay:
        replay.read_tables(names)
        return [problem.cost for problem in replay.problems]


def test_problems_are_in_the_order_of_names(samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables asked for are a set, whose order differs from process to process."""
    names = ["chat", "commands", "leaves", "pings", "selections", "sync"]
    for name in names:
        monkeypatch.setitem(SC2._added, name, replace(SC2.own()[name], build=fails))
    assert _costs(samples["sc2"], names) == [f"rows of table {name}" for name in names]
    names = ["commands", "messages", "names", "periods", "saves", "teams"]
    for name in names:
        monkeypatch.setattr(TEEHISTORIAN.own()[name], "build", fails)
    assert _costs(samples["teehistorian"], names) == [f"rows of table {name}" for name in names]
