"""Requests of a language model: any tool with any arguments answers with a bounded text, or refuses.

The bytes choose tool and arguments. SQL is left to tests: each statement that is no syntax error takes a process.
"""

from __future__ import annotations

import inspect
import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import meaning

from playhead.agents.answers import LETTERS
from playhead.agents.library import Library
from playhead.agents.server import _EXPECTED
from playhead.agents.tools import Tools
from playhead.registry import list_formats

_WORDS = (
    *(
        "*",
        "kills,*wards*",
        "players",
        "",
        "\0",
        "..",
        "/etc/passwd",
        "x" * 5000,
        "\x1b[2J",
        "5s",
        "22500t",
        "-0:45",
    ),
    *(
        "99:99",
        "1e400s",
        "9" * 400 + "t",
        "nan",
        "positions",
        "build_order",
        "economy",
        "[",
        "**",
        "chat_sent",
        "é",
    ),
)


@cache
def tools() -> Tools:
    folder = Path(tempfile.mkdtemp())
    for known in list_formats():
        known.write_sample(folder)
    return Tools(Library([str(folder)]))


def fuzz(data: bytes) -> None:
    if not data:
        return
    random = Random(data)
    asked = tools()
    names = [*asked._library.names]
    functions = [each for each in asked.functions if each.__name__ not in ("query", "viewer_link", "plot")]
    function = functions[data[0] % len(functions)]
    arguments: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default is not parameter.empty and random.random() < 0.4:
            continue
        if name == "replay" and random.random() < 0.9:
            arguments[name] = random.choice(names)
        elif str(parameter.annotation) == "int":
            arguments[name] = random.choice((0, -1, 3, 1 << 70))
        elif "list" in str(parameter.annotation) and random.random() < 0.5:
            arguments[name] = [random.choice(_WORDS) for _ in range(random.randrange(3))]
        else:
            arguments[name] = random.choice((*_WORDS, meaning.other_name(random.choice(_WORDS), random)))
    try:
        answer = function(**arguments)
    except (*_EXPECTED, KeyError) as error:
        answer = str(error)
    assert isinstance(answer, str)
    assert len(answer) < 2 * LETTERS
