"""docs/support.md matches the corpus."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loading import load_module

ROOT = Path(__file__).parents[2]


@pytest.mark.slow_interpreted
def test_the_support_page_matches_the_corpus(corpus: Path, step: int) -> None:
    if step > 1:
        pytest.skip("reads every replay of the corpus: --whole does")
    tool = load_module("write_support_matrix", ROOT / "tools/write_support_matrix.py")
    committed = (ROOT / "docs/support.md").read_text(encoding="utf-8")
    assert tool.page(corpus) == committed, f"docs/support.md is old: run {tool.COMMAND}"
