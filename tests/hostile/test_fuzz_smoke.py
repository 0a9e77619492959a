"""A short deterministic run of every fuzz target, and all findings of longer runs."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FUZZ = Path(__file__).parents[2] / "fuzz"
#: Files ``TARGET_WHAT``: inputs that once raised an error other than `ReplayError`, or were decoded wrongly.
FINDINGS = sorted((Path(__file__).parent / "findings").glob("*__*"))
NAMES = sorted(path.stem for path in (FUZZ / "targets").glob("*_*.py") if path.stem != "__init__")


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    """Import ``fuzz/run.py``, with its folder on the path."""
    sys.path.insert(0, str(FUZZ))
    try:
        import run  # type: ignore[import-not-found]
        import seeds  # type: ignore[import-not-found]

        assert sorted(seeds.NAMES) == NAMES
    finally:
        sys.path.remove(str(FUZZ))
    found: ModuleType = run
    return found


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("name", NAMES)
def test_nothing_but_replay_errors(runner: ModuleType, name: str, step: int) -> None:
    """Seeds run first, unchanged."""
    slow = name.endswith(("_facts", "_physics", "_meaning", "_requests")) or name in (
        "source2_demo",
        "sc2_replay",
        "hots_replay",
        "sc2_mpq",
        "teehistorian_recording",
    )
    runs = 5 if name == "source2_meaning" else 15 if slow else max(150 // step, len(runner.seeds_of(name, None)))
    done = runner.run(name, runs)
    assert done.tried == runs
    assert not done.found, next(iter(done.found))


@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: path.name)
def test_a_finding_stays_fixed(runner: ModuleType, path: Path) -> None:
    from targets import load  # type: ignore[import-not-found]

    assert runner.check(load(path.name.partition("__")[0]), path.read_bytes()) is None


@pytest.mark.slow_interpreted
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # s2protocol imports imp
def test_playhead_and_s2protocol_agree_on_damaged_streams(runner: ModuleType) -> None:
    """Events that both decode are equal; what one of them refuses is left out."""
    pytest.importorskip("s2protocol", reason="compares with s2protocol, which is not installed")
    from random import Random

    import differ_sc2  # type: ignore[import-not-found]

    random = Random(5)
    read = 0
    for stream, data in differ_sc2.seeds().items():
        assert differ_sc2.compare(data, stream) == (True, None)
        for _ in range(700):
            changed = differ_sc2.mutate(data, random, stream)
            both, difference = differ_sc2.compare(changed, stream)
            assert difference is None, (stream, changed.hex())
            read += both
    assert read > 50


@pytest.mark.slow_interpreted
@pytest.mark.parametrize(("format", "runs"), [("tees", 400), ("source2", 4)])
def test_playhead_and_native_parsers_agree_on_mutants(runner: ModuleType, format: str, runs: int) -> None:
    """The parsers are built by `fuzz/differential.py`; this test builds nothing."""
    from random import Random

    built = Path(os.environ.get("PLAYHEAD_PEERS_TARGET", FUZZ.parent / "benchmarks" / "peers" / "target"))
    if not any((built / name / "release").is_dir() for name in (f"{format}_again", f"{format}_demo")):
        pytest.skip(f"compares with a parser that is not built: python fuzz/differential.py {format}")
    pair: Any = importlib.import_module(f"differ_{format}")
    random = Random(6)
    for name, data in pair.seeds().items():
        assert pair.compare(data, name) == (True, None), name
        for _ in range(runs):
            changed = pair.mutate(data, random, name)
            assert pair.compare(changed, name)[1] is None, (name, changed[:4096].hex())


@pytest.mark.slow_interpreted
def test_every_target_has_seeds_and_accepts_one(runner: ModuleType) -> None:
    """A target whose seeds all raise would test nothing."""
    import seeds
    from targets import load

    import playhead

    def accepts(target: Any, data: bytes) -> bool:
        try:
            target.fuzz(data)
        except playhead.ReplayError:
            return False
        return True

    for name, inputs in seeds.seeds().items():
        assert any(accepts(load(name), data) for data in inputs[:40]), name


def test_other_errors_are_findings(runner: ModuleType) -> None:
    class Wrong:
        @staticmethod
        def fuzz(data: bytes) -> None:
            raise OverflowError("too large")

    error = runner.check(Wrong, b"")
    assert error is not None
    assert "OverflowError: too large" in error
