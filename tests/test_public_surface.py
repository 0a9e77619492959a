"""What docs/stability.md promises: no public name, option, status or table goes, comes or changes unnoticed."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType


def test_the_public_surface_is_the_stored_one(tool: Callable[[str], ModuleType]) -> None:
    writer = tool("write_public_surface")
    stored, now = writer.FILE.read_text("utf-8").splitlines(), writer.lines()
    assert len(stored) > 500
    gone, new = sorted(_promises(stored) - _promises(now)), sorted(_promises(now) - _promises(stored))
    assert not gone, "the old form has to work for a minor version: docs/stability.md"
    assert not new, "promised from now on: run python tools/write_public_surface.py"


def _promises(lines: list[str]) -> set[str]:
    """Return each line; of a command, each of its options too, so that a new one is no lost line."""
    found = set()
    for line in lines:
        command, *options = line.split(" -") if line.startswith("$ ") else [line]
        found |= {command, *(f"{command} -{option}" for option in options)}
    return found
