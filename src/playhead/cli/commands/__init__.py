"""The commands: one module each.

A command's module has `add_arguments`, which declares its options and arguments to a `Parser`, and `run`, which
takes their values as parameters of the same names. The docstring of `run` is the help. A group of commands
(``playhead lake status``) is a package.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable
from types import ModuleType

from playhead.cli.arguments import Parser

_OF = {"sc2": ("buildorder", "coach"), "source2": ("messages", "schema", "voice")}

#: The commands by the titles under which the help lists them.
TITLES = {
    "look": ("info", "tables", "events", "at", "diff", "verify"),
    "tables": ("export", "sql", "stats"),
    "show": ("view", "report", "site"),
    "many": ("lake", "serve", "mcp"),
    "games": ("sc2", "ddnet", "source2"),
    "write": ("slice", "anonymize", "sample"),
}
COMMANDS = tuple(name for names in TITLES.values() for name in names)

#: Commands by their names before they belonged to a group, which work until 1.0.
MOVED = {name: f"{group} {name}" for group in ("sc2", "source2") for name in _OF[group]}

#: The commands of each group by its name; the program itself is the group without a name.
GROUPS = {
    "": COMMANDS,
    "lake": ("status", "problems", "retry", "check", "compact", "publish"),
    **_OF,
    "ddnet": ("runs", "verify-runs", "simulate", "find", "patterns"),
}


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name.replace(' ', '.').replace('-', '_')}")


def load(name: str) -> tuple[Parser, Callable[..., None]]:
    """Return the parser and the function of a command, given as ``info`` or ``lake status``."""
    module = _module(name)
    parser = Parser(f"playhead {name}", summary(name))
    module.add_arguments(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="Print no notes; errors and problems remain.")
    parser.flag("--no-progress", "Show no progress bar.")
    return parser, module.run


def summary(name: str) -> str:
    """Return the help of a command or a group."""
    module = _module(name)
    return str(module.__doc__ if name in GROUPS else module.run.__doc__)


def first_paragraph(name: str) -> str:
    """Return the beginning of the help of a command or a group, read from its source.

    Importing every command for a list of them takes ten times as long as all else that ``--help`` does.
    """
    is_group = name in GROUPS
    path = os.path.join(os.path.dirname(__file__), *name.replace("-", "_").split()) + (
        "/__init__.py" if is_group else ".py"
    )
    place = "" if is_group else r"^def run\(.*?"
    try:
        with open(path, encoding="utf-8") as file:
            found = re.search(place + '"""(.*?)(\n\n|""")', file.read(), re.S | re.M)
    except OSError:  # installed without sources
        found = None
    return (found[1] if found else summary(name)).strip().partition("\n\n")[0]
