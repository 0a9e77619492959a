"""Optional packages: each belongs to an extra of playhead."""

from __future__ import annotations

import importlib
from typing import Any


def import_extra(module: str, extra: str, purpose: str) -> Any:
    """Import and return an optional module.

    Args:
        module: its name.
        extra: the extra of playhead that includes it; empty if none does.
        purpose: its purpose; the error's text begins with it.

    Raises:
        ModuleNotFoundError: it is not installed; the message has the command to install it.
    """
    from playhead.runtime.interrupts import held_back  # `signal` takes longer to import than a file to open

    try:
        with held_back():
            return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != package:
            raise  # it is installed, but one of its dependencies is not
        raise ModuleNotFoundError(
            f"{purpose} needs {package}: {install_hint(package, extra)}", name=error.name
        ) from None


def install_hint(package: str, extra: str) -> str:
    """Return the command that installs `package`, and what else is missing of playhead's `extra`, in their ranges
    of versions.

    It names packages and not ``playhead[…]``, so it works for every kind of installation: from an index, from a
    checkout, editable.
    """
    if not extra:
        return f"{_pip()} install {package}"
    wanted = " ".join(f"'{each}'" for each in _requirements(package, extra))
    return f"{_pip()} install {wanted} (the extra {extra})"


def _requirements(package: str, extra: str) -> list[str]:
    """Return the package, and what else of the extra is not installed, with their ranges of versions from
    playhead's metadata; without metadata only the package's name."""
    from importlib.metadata import PackageNotFoundError, distribution

    found = [package]
    for name, text in _declared(extra).items():
        if name == package.replace("_", "-"):
            found[0] = text
            continue
        try:
            distribution(name)
        except PackageNotFoundError:
            found.append(text)
    return found


def _declared(extra: str) -> dict[str, str]:
    """Return the requirements of an extra, and of the extras that it includes, by names of packages."""
    import re
    from importlib.metadata import PackageNotFoundError, requires

    found: dict[str, str] = {}
    try:
        declared = requires("playhead") or []
    except PackageNotFoundError:
        declared = []
    for text in declared:
        requirement, _, marker = text.partition(";")
        if not re.search(rf"extra\s*==\s*['\"]{extra}['\"]", marker):
            continue
        name = re.split(r"[\s\[<>=!~(]", requirement.strip(), maxsplit=1)[0].lower().replace("_", "-")
        included = re.search(r"\[(.*?)\]", requirement)
        if name == "playhead" and included:
            for each in included[1].split(","):
                found |= _declared(each.strip())
        else:
            found[name] = re.sub(r"[\s()]", "", requirement)
    return found


def _pip() -> str:
    """Return ``pip`` if the shell finds that of this interpreter, else this interpreter's path and ``-m pip``."""
    import shutil
    import sys
    from pathlib import Path

    found = shutil.which("pip")
    if found is not None and Path(found).parent == Path(sys.executable).parent:
        return "pip"
    return f"{sys.executable} -m pip"
