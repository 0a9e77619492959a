"""Python blocks of a Markdown page."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FENCE = re.compile(r"^```(\w*) *(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block with its heading, line and code."""

    path: Path
    heading: str
    line: int
    code: str

    def run(self, names: dict[str, Any]) -> None:
        """Run the block with these names; an error shows the lines of the page."""
        exec(compile("\n" * self.line + self.code, str(self.path), "exec"), names)


def python_blocks(path: Path, languages: Container[str] = ("python",)) -> Iterator[Block]:
    """Python blocks of a page, in order; those that need other libraries have the language `py`."""
    text = path.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        if found[1] in languages:
            before = text[: found.start()]
            headings = _HEADING.findall(re.sub(_FENCE, "", before))
            yield Block(path, headings[-1] if headings else "", before.count("\n") + 1, found[3])
