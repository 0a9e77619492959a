"""docs/tables equals the output of its generator."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def test_the_pages_are_what_the_code_says(tool: Callable[[str], ModuleType]) -> None:
    writer = tool("write_schema_docs")
    wanted = writer.pages()
    folder = ROOT / "docs/tables"
    assert {path.name for path in folder.glob("*.md")} == set(wanted)
    for name, text in wanted.items():
        assert (folder / name).read_text(encoding="utf-8") == text, f"{name} is old: run {writer.COMMAND}"


def test_every_column_says_what_it_means(tool: Callable[[str], ModuleType]) -> None:
    for text in tool("write_schema_docs").pages().values():
        rows = [line for line in text.splitlines() if line.startswith("| `")]
        assert not [row for row in rows if row.endswith("|  |")]
