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
    """Return the command that installs `package` in the version range of playhead's `extra`.

    It names the package and not ``playhead[…]``, so it works for every kind of installation: from an index, from a
    checkout, editable.
    """
    if not extra:
        return f"{_pip()} install {package}"
    return f"{_pip()} install '{_requirement(package, extra)}' (the extra {extra})"


def _requirement(package: str, extra: str) -> str:
    """Return the package with its range of versions from playhead's metadata; without metadata only its name."""
    import re
    from importlib.metadata import PackageNotFoundError, requires

    try:
        declared = requires("playhead") or []
    except PackageNotFoundError:
        declared = []
    for text in declared:
        requirement, _, marker = text.partition(";")
        name = re.split(r"[\s\[<>=!~(]", requirement.strip(), maxsplit=1)[0]
        if name.lower().replace("_", "-") == package.replace("_", "-") and re.search(
            rf"extra\s*==\s*['\"]{extra}['\"]", marker
        ):
            return re.sub(r"[\s()]", "", requirement)
    return package


def _pip() -> str:
    """Return ``pip`` if the shell finds that of this interpreter, else this interpreter's path and ``-m pip``."""
    import shutil
    import sys
    from pathlib import Path

    found = shutil.which("pip")
    if found is not None and Path(found).parent == Path(sys.executable).parent:
        return "pip"
    return f"{sys.executable} -m pip"
