"""docs/support.md matches the corpus."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow_interpreted
def test_the_support_page_matches_the_corpus(corpus: Path) -> None:
    spec = importlib.util.spec_from_file_location("write_support_matrix", ROOT / "tools/write_support_matrix.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    committed = (ROOT / "docs/support.md").read_text(encoding="utf-8")
    assert tool.page(corpus) == committed, f"docs/support.md is old: run {tool.COMMAND}"
