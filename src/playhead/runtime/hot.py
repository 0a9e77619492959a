"""Show which hot modules run compiled, and switch to interpreted ones.

A hot module is one `.py` file installed beside the extension that Cython made from it; the import system
prefers the extension. Two environment variables, read when `playhead` is first imported, change that:

* ``PLAYHEAD_PURE_PYTHON=1``: ignore the extensions and run the sources (debugging, coverage);
* ``PLAYHEAD_REQUIRE_COMPILED=1``: a missing or stale extension is an ImportError, never a slow surprise.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` is not imported: every start imports this module
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from pathlib import Path
    from types import ModuleType

_PACKAGE_DIR = os.path.dirname(os.path.dirname(__file__))


def _read_list() -> tuple[str, ...]:
    with open(os.path.join(_PACKAGE_DIR, "hot_modules.txt"), "rb") as file:
        return tuple("playhead." + line.split()[0].decode("ascii").replace("/", ".") for line in file)


#: Every module that `meson.build` compiles; both read the list in ``hot_modules.txt``.
HOT_MODULES = _read_list()


def source_path(module: str) -> Path:
    """The source file of one of this package's modules."""
    from pathlib import Path

    return Path(_PACKAGE_DIR, *module.split(".")[1:]).with_suffix(".py")


class _SourceOnlyFinder:
    """Loads the hot modules from their sources even if extensions are beside them."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in HOT_MODULES:
            return None
        import importlib.util

        return importlib.util.spec_from_file_location(fullname, source_path(fullname))


def _flag(name: str) -> bool:
    return os.environ.get(name, "").lower() not in ("", "0", "false", "no")


def apply_environment() -> None:
    """Apply the two environment variables; called once by `import playhead`."""
    if _flag("PLAYHEAD_PURE_PYTHON"):
        if not any(isinstance(finder, _SourceOnlyFinder) for finder in sys.meta_path):
            sys.meta_path.insert(0, _SourceOnlyFinder())
    elif _flag("PLAYHEAD_REQUIRE_COMPILED"):
        wrong = {name: state for name, state in status().items() if state != "compiled"}
        if wrong:
            raise ImportError(f"PLAYHEAD_REQUIRE_COMPILED is set, but these modules are not: {wrong}")


def _recorded_hashes() -> dict[str, str]:
    import importlib.resources
    import json

    try:
        text = importlib.resources.files("playhead").joinpath("build_info.json").read_text("utf-8")
    except FileNotFoundError:
        return {}
    hashes: dict[str, str] = json.loads(text)["compiled"]
    return hashes


def status() -> dict[str, str]:
    """Return how each hot module runs: ``compiled``, ``interpreted`` or ``stale``.

    ``stale`` means that an extension was compiled from another version of the source beside it. An editable
    install rebuilds on import, so this happens only if an installed source was edited by hand.
    """
    import hashlib
    import importlib

    recorded = _recorded_hashes()
    states = {}
    for name in HOT_MODULES:
        origin = getattr(importlib.import_module(name), "__file__", None) or ""
        if origin.endswith(".py"):
            states[name] = "interpreted"
            continue
        digest = hashlib.sha256(source_path(name).read_bytes()).hexdigest()
        states[name] = "compiled" if recorded.get(name) == digest else "stale"
    return states


def summary() -> str:
    """Return one word for ``playhead --version``: compiled or interpreted, or the modules that differ."""
    states = status()
    kinds = set(states.values())
    if len(kinds) == 1:
        return kinds.pop()
    odd = ", ".join(f"{name} {state}" for name, state in states.items() if state != "compiled")
    return f"mixed ({odd})"
