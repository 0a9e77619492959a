"""Programs of benchmarks: the comparison of a run with stored figures, and the readers of the damage matrix."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.loading import load_module

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def against(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))

    return load_module("against", BENCHMARKS / "against.py")


def test_slower_lines_are_named(against: Any) -> None:
    def line(warm: float, peer: float | None = None) -> Any:
        peers = {} if peer is None else {"manta": against.Taken(None, peer), "gem-dota": "not installed"}
        return against.Line("bots", warm * 2, warm, peers)

    stored = {"entities": [line(1.0, 2.0)], "chat": [line(1.0)]}
    assert list(against.fallen({"entities": [line(1.05, 2.0)], "new": [line(9.0)]}, stored, None)) == []
    (said,) = against.fallen({"entities": [line(1.2, 2.0)]}, stored, None)
    assert said == "entities, bots: ratio to manta 0.6, stored 0.5 (+20%)"
    # A machine of half the speed takes twice the time.
    assert list(against.fallen({"chat": [line(2.0)]}, stored, (0.02, 0.01))) == []
    slower = list(against.fallen({"chat": [line(2.0)]}, stored, (0.01, 0.01)))
    assert [each.split(" in units")[0] for each in slower] == ["chat, bots: cold,", "chat, bots: warm,"]
    assert list(against.fallen({"chat": [line(2.0)]}, stored, None)) == []


def test_every_reader_of_the_damage_matrix_reads_a_sample(
    samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    damage = load_module("damage", BENCHMARKS / "damage.py")
    readers = load_module("damage_readers", BENCHMARKS / "damage_readers.py")
    read = set()
    for path in samples.values():
        own = damage.readers_of(path)[0]
        found: Counter[Any] = Counter()
        readers.READERS[own](str(path), found)
        assert found, own
        read.add(own)
    assert read == {name for name in readers.READERS if name.startswith("playhead")}
