"""Type tables of an installed s2protocol package, for builds newer than playhead's own tables.

The modules are parsed, not run: their tables are literals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from playhead.blizzard.protocol.pool import TypePool

if TYPE_CHECKING:
    from pathlib import Path

_PREFIX = "protocol"


def modules(package: str = "s2protocol") -> dict[int, Path]:
    """Return the modules of a package of Blizzard's by base build; empty if it is not installed."""
    import importlib.util
    from pathlib import Path

    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return {}
    found: dict[int, Path] = {}
    for place in () if spec is None else spec.submodule_search_locations or ():
        for path in (Path(place) / "versions").glob(f"{_PREFIX}*.py"):
            build = path.stem.removeprefix(_PREFIX)
            if build.isdigit():
                found.setdefault(int(build), path)
    return found


def literals(path: Path) -> dict[str, Any]:
    """Return the literals that a module assigns at its top level."""
    import ast

    found: dict[str, Any] = {}
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            try:
                found[statement.targets[0].id] = ast.literal_eval(statement.value)
            except ValueError:
                continue
    return found


def installed_table(base_build: int, above: int, pool: TypePool) -> tuple[int, Mapping[str, Any]] | None:
    """Return build and table that are nearest to a base build and newer than `above`; None without any."""
    for build, path in sorted(modules().items(), reverse=True):
        if above < build <= base_build:
            try:
                return build, pool.add_table([build], literals(path))
            except (
                Exception
            ):  # a third party's file: if it is invalid, replays must still open with the next lower table
                continue
    return None
