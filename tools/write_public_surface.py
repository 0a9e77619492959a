"""Write tests/public_surface.txt: what docs/stability.md promises, a line each.

    python tools/write_public_surface.py

Names and members of `playhead.__all__` with their parameters, commands with their options, exit statuses, and
tables with their versions. A test compares the file with the code, so that no name goes or comes unnoticed.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import playhead
from playhead.cli import arguments
from playhead.cli.commands import GROUPS, load

ROOT = Path(__file__).parents[1]
FILE = ROOT / "tests" / "public_surface.txt"


def _signature(value: Any) -> str:
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return ""
    names = (f"{'*' if each.kind is each.KEYWORD_ONLY else ''}{each.name}" for each in parameters)
    return f"({', '.join(name for name in names if name != 'self')})"


def _names() -> Iterator[str]:
    for name in playhead.__all__:
        value = getattr(playhead, name)
        if not isinstance(value, type):
            yield f"playhead.{name}{_signature(value) if callable(value) else ''}"
            continue
        yield f"playhead.{name}"
        inherited = {*dir(object), *dir(BaseException), *(dir(tuple) if issubclass(value, tuple) else ())}
        for member in sorted({*dir(value), *inspect.get_annotations(value)} - inherited):
            if not member.startswith("_"):
                attribute = inspect.getattr_static(value, member, None)
                of_class = isinstance(attribute, classmethod | staticmethod)
                method = getattr(value, member) if of_class or inspect.isroutine(attribute) else None
                yield f"playhead.{name}.{member}{_signature(method) if callable(method) else ''}"


def _commands() -> Iterator[str]:
    for group, names in GROUPS.items():
        for name in names:
            command = f"{group} {name}".strip()
            if command in GROUPS:
                continue
            options = {option for action in load(command)[0].declared for option in action.option_strings}
            yield " ".join([f"$ playhead {command}", *sorted(options)])
    for status in ("EXIT_FAILED", "EXIT_USAGE", "EXIT_PROBLEMS"):
        yield f"{status} {getattr(arguments, status)}"


def _tables() -> Iterator[str]:
    """Yield the tables of docs/tables, which a test compares with the code."""
    for page in sorted((ROOT / "docs" / "tables").glob("*.md")):
        text = page.read_text("utf-8")
        for name, version in re.findall(
            r"^### `?(\w+)`?.*\n(?:(?!###|Version).*\n)*?Version (\d+)", text, re.MULTILINE
        ):
            yield f"table {page.stem} {name} {version}"


def lines() -> list[str]:
    """Return the surface, a line each."""
    return [*_names(), *_commands(), *_tables()]


if __name__ == "__main__":
    FILE.write_text("\n".join(lines()) + "\n", "utf-8")
