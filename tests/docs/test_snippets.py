"""Python code in README and docs runs on the sample replays, each page from top to bottom."""

from __future__ import annotations

import doctest
import lzma
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import playhead

sys.path.insert(0, str(Path(__file__).parent))
from markdown_blocks import Block, python_blocks

pytestmark = pytest.mark.slow_interpreted

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
#: test_cookbook.py runs their blocks and compares the results; test_cs2_deadlock.py runs that of Deadlock.
_RECIPES = {"gallery", "cs2-deadlock", "deadlock"}
PAGES = [
    path for path in sorted((ROOT / "docs").glob("*.md")) if path.stem not in _RECIPES and any(python_blocks(path))
]

#: File names of replays on the pages.
NAMES = {"match.dem": "source2", "game.SC2Replay": "sc2", "recording.teehistorian": "teehistorian"}


@pytest.fixture
def folder(samples: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the replays of the pages."""
    for name, format in NAMES.items():
        (tmp_path / name).write_bytes(samples[format].read_bytes())
    for path in samples.values():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "huge.xz").write_bytes(lzma.compress(samples["teehistorian"].read_bytes(), preset=0))
    (tmp_path / "holiday.dem").write_bytes(b"\xff\xd8\xff\xe0" + bytes(60))
    monkeypatch.chdir(tmp_path)
    return tmp_path


#: Pages that build many tables of a match.
SLOW = {"dota2", "index"}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*add no rows")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.slow_interpreted if page.stem in SLOW else (), id=page.stem)
        for page in PAGES
    ],
)
def test_page(page: Path, folder: Path) -> None:
    pytest.importorskip("polars", reason="some pages use polars")
    family = {"starcraft2": "game.SC2Replay", "teehistorian": "recording.teehistorian"}.get(page.stem, "match.dem")
    names: dict[str, Any] = {"playhead": playhead, "replay": playhead.open(folder / family)}
    for block in python_blocks(page):
        if ">>>" in block.code:
            check_session(block, names)
        else:
            block.run(names)


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("format", NAMES.values())
def test_readme(format: str, samples: Mapping[str, Path], folder: Path) -> None:
    """The first block is for every format, the second for Source 2."""
    for name in ("polars", "duckdb", "matplotlib"):
        pytest.importorskip(name, reason="README uses it")
    (folder / "match.dem").write_bytes(samples[format].read_bytes())
    first, of_source2, *others = python_blocks(README)
    names: dict[str, Any] = {}
    first.run(names)
    assert names["frame"].height > 5
    assert names["files"]
    if format == "source2":
        of_source2.run(names)
        assert names["health"].num_rows > 100
    for block in others:
        check_session(block, names)


def check_session(block: Block, names: dict[str, Any]) -> None:
    """Run a block of prompts whose only output is an error."""
    examples = doctest.DocTestParser().get_examples(block.code)
    assert examples
    for example in examples:
        with pytest.raises(playhead.ReplayError) as caught:
            exec(compile(example.source, str(block.path), "single"), names)
        shown = f"{caught.type.__module__}.{caught.type.__name__}: {caught.value}"
        assert shown.startswith(example.want.strip().rstrip("…"))
