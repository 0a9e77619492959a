"""The laws of the house: which room imports which, read from every import statement, TYPE_CHECKING included."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parents[1] / "src"

#: The rooms of each package from left to right: a room imports only rooms to its left. Those of one string stand
#: side by side and do not import each other; a package's own ``__init__`` is the last room of all.
ROOMS: Mapping[str, tuple[str, ...]] = {
    "playhead": (
        "runtime",
        "version errors text",
        "limits",
        "bits clock",
        "tables",
        "model",
        "io",
        "events",
        "presentation",
        "show sql export",
        "view",
        "capabilities timed",
        "recorded",
        "replay",
        "registry",
        "compare",
        "blizzard source2 teehistorian",
        "cs2 deadlock dota2 hots sc2",
        "samples",
        "corpus",
        "__init__",
        "ask site",
        "web",
        "agents",
        "cli testing",
        "__main__",
    ),
    "playhead.cli": ("arguments output", "inputs", "commands", "completion", "program", "__init__"),
    "playhead.corpus": ("facts", "delta", "writing", "series", "reading", "care", "__init__"),
    "playhead.corpus.writing": (
        "pool",
        "identity",
        "decode",
        "commits",
        "shards",
        "export",
        "__init__",
    ),
    "playhead.corpus.reading": (
        "conditions statistics",
        "overlay",
        "replays",
        "collection lake",
        "__init__",
    ),
    "playhead.source2": (
        "games",
        "container",
        "messages",
        "string_tables schema",
        "entities",
        "playback",
        "message_rows",
        "tables",
        "game_match stretches writing game_files",
        "facts",
        "motion",
        "passes",
        "presentation",
        "replay",
        "game_replay",
        "__init__",
    ),
    "playhead.cs2": (
        "sources",
        "facts",
        "events motion",
        "presentation",
        "replay",
        "parts",
        "__init__",
    ),
    "playhead.deadlock": ("sources", "facts", "events motion", "presentation", "replay", "__init__"),
    "playhead.dota2": ("sources", "facts", "events motion opendota", "presentation", "replay", "__init__"),
    "playhead.blizzard": (
        "mpq",
        "protocol",
        "encoding",
        "members",
        "events",
        "units",
        "tables",
        "repair",
        "game",
        "recording",
        "writing motion",
        "replay",
        "__init__",
    ),
    "playhead.hots": (
        "protocol",
        "members",
        "tables",
        "recording",
        "state writing",
        "motion",
        "presentation",
        "replay",
        "__init__",
    ),
    "playhead.sc2": (
        "protocol",
        "members",
        "abilities",
        "state",
        "tables",
        "repair",
        "recording",
        "writing motion coaching",
        "ground",
        "presentation",
        "replay",
        "__init__",
    ),
    "playhead.teehistorian": (
        "stream",
        "network",
        "state",
        "physics",
        "tables",
        "folder motion patterns runs stuck writing",
        "ground",
        "presentation",
        "passes",
        "replay client_demos",
        "__init__",
    ),
}

FORMATS = ("sc2", "hots", "blizzard", "source2", "teehistorian", "cs2", "deadlock", "dota2")

#: A format may build upon another.
BASES = {"sc2": "blizzard", "hots": "blizzard", "cs2": "source2", "deadlock": "source2", "dota2": "source2"}

#: Modules of the standard library and others that reach files or networks.
OUTSIDE = frozenset({"fsspec", "http", "mmap", "socket", "urllib"})


class Import(NamedTuple):
    """One name, or a module as a whole, that a module imports."""

    module: str
    line: int
    target: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.target}" + (f" ({self.name})" if self.name else "")


@cache
def modules() -> Mapping[str, Path]:
    """Every module of the package by its dotted name; a package is its ``__init__``."""
    found = {}
    for path in sorted((SOURCE / "playhead").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports() -> tuple[Import, ...]:
    """Every import statement of every module, wherever it is, and of every .pxd and .pyi."""
    found: list[Import] = []
    for name, path in modules().items():
        found += [*_of_python(name, path), *_of_pxd(name, path)]
        if path.with_suffix(".pyi").is_file():
            found += _of_python(name, path.with_suffix(".pyi"))
    return tuple(found)


def _statements(block: ast.AST) -> Iterator[ast.AST]:
    """Every statement below a node; `ast.walk` visits all expressions too, ten times as many."""
    for part in ("body", "handlers", "orelse", "finalbody", "cases"):
        for node in getattr(block, part, ()):
            yield node
            yield from _statements(node)


def _of_python(name: str, path: Path) -> Iterator[Import]:
    for node in _statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (Import(name, node.lineno, each.name, "") for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            assert not node.level, f"{name}:{node.lineno} imports relatively"
            for each in node.names:
                target = node.module.removeprefix("cython.cimports.")
                inner = f"{target}.{each.name}"
                module = inner in modules()
                yield Import(name, node.lineno, inner if module else target, "" if module else each.name)


def _of_pxd(name: str, path: Path) -> Iterator[Import]:
    pxd = path.with_suffix(".pxd")
    for number, line in enumerate(pxd.read_text(encoding="utf-8").splitlines() if pxd.is_file() else (), 1):
        words = line.split()
        if words[:1] == ["from"] and words[2:3] == ["cimport"]:
            yield Import(f"{name} (pxd)", number, words[1], "")


def ours() -> Iterator[Import]:
    """Imports of one module of playhead by another."""
    return (each for each in imports() if each.target.partition(".")[0] == "playhead")


def room_of(module: str, package: str) -> str | None:
    """The room of `package` that a module is in; None if it is elsewhere."""
    module = module.removesuffix(" (pxd)")
    if module == package:
        return "__init__"
    return module.removeprefix(f"{package}.").partition(".")[0] if module.startswith(f"{package}.") else None


def is_write_sample(each: Import) -> bool:
    """Whether a format's package fetches its sample, which the registry asks of it."""
    return each.module.removeprefix("playhead.") in FORMATS and each.target == "playhead.samples"


@pytest.mark.parametrize("package", ROOMS)
def test_a_room_imports_only_rooms_to_its_left(package: str) -> None:
    order = {room: place for place, side in enumerate(ROOMS[package]) for room in side.split()}
    found = {room_of(name, package) for name in modules()} - {None}
    assert found == order.keys(), "every room has its place in ROOMS"
    wrong = []
    for each in ours():
        here, there = room_of(each.module, package), room_of(each.target, package)
        if here is None or there is None or here == there or is_write_sample(each):
            continue
        if order[there] >= order[here]:
            wrong.append(str(each))
    assert not wrong, "\n".join(wrong)


def test_formats_know_nothing_of_each_other() -> None:
    wrong = []
    for each in ours():
        here, there = room_of(each.module, "playhead"), room_of(each.target, "playhead")
        if here in FORMATS and there in FORMATS and there not in (here, BASES.get(here)):
            wrong.append(str(each))
    assert not wrong, "\n".join(wrong)


def test_nothing_imports_samples_but_who_shows_them() -> None:
    allowed = ("samples", "cli")
    wrong = [
        str(each)
        for each in ours()
        if room_of(each.target, "playhead") == "samples"
        and room_of(each.module, "playhead") not in allowed
        and not is_write_sample(each)
    ]
    assert not wrong, "\n".join(wrong)


def test_nothing_imports_a_private_name() -> None:
    def private(each: Import) -> bool:
        parts = (*each.target.split("."), each.name)
        return any(part.startswith("_") and not part.endswith("__") for part in parts)

    assert not [str(each) for each in ours() if private(each)]


def test_only_io_reaches_outside() -> None:
    wrong = [
        str(each)
        for each in imports()
        if each.target.partition(".")[0] in OUTSIDE and room_of(each.module, "playhead") != "io"
    ]
    assert not wrong, "\n".join(wrong)


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph: dict[str, set[str]] = {}
    for each in ours():
        here = each.module.removesuffix(" (pxd)")
        if each.target in modules() and each.target != here and not is_write_sample(each):
            graph.setdefault(here, set()).add(each.target)
    circles = [sorted(circle) for circle in _circles(graph) if len(circle) > 1]
    assert not circles, "\n".join(map(", ".join, circles))


#: The words of games in recordings, and of the classes and messages of one.
GAME_WORDS = re.compile("dota|DOTA|csgo|citadel")


def test_the_engine_names_games_only_in_its_list() -> None:
    sample = ("playhead.source2", "sample_dota2.dem")  # the sample of this format is of that game
    wrong = [
        f"{name}:{line} says {word!r}"
        for name, path in modules().items()
        if room_of(name, "playhead") == "source2" and name != "playhead.source2.games"
        for line, word in _words_of_code(path, GAME_WORDS)
        if GAME_WORDS.search(word) and (name, word) != sample
    ]
    assert not wrong, "\n".join(wrong)


#: Rooms that all games share: a game answers by methods of its `Replay` and by fields of its `Presentation`.
SHARED_ROOMS = ("cli", "corpus", "export", "presentation", "show", "sql", "ask", "web", "view")
FORMAT_WORDS = frozenset((*FORMATS, "dota2", "cs2", "deadlock", "ddnet"))


def test_no_shared_room_asks_which_game_it_is() -> None:
    texts = {
        "playhead.cli.commands",  # lists the commands of a format
        "playhead.cli.commands.source2.messages",  # chooses between two writers of JSON
    }
    wrong = [
        f"{name}:{line} says {word!r}"
        for name, path in modules().items()
        if room_of(name, "playhead") in SHARED_ROOMS and name not in texts
        for line, word in _words_of_code(path, re.compile("|".join(FORMAT_WORDS)))
        if word in FORMAT_WORDS
    ]
    commands_of_ddnet = "playhead.cli.commands.ddnet."  # they are about one format
    wrong += [
        f"{each.module}:{each.line} imports {each.target}"
        for each in ours()
        if room_of(each.module, "playhead") in SHARED_ROOMS
        and room_of(each.target, "playhead") in FORMAT_WORDS
        and not each.module.startswith(commands_of_ddnet)
    ]
    assert not wrong, "\n".join(wrong)


def test_the_page_asks_no_game() -> None:
    """Code and texts of the page name no game or format; each game declares its `Presentation`."""
    names = re.compile(r"dota|sc2|starcraft|teehistorian|ddnet|cs2|csgo|deadlock|citadel|source2", re.IGNORECASE)
    comments = re.compile(r"/\*.*?\*/|(?<![:\w])//[^\n]*", re.DOTALL)
    pages = sorted((SOURCE.parent / "viewer" / "src").rglob("*.[tch]*"))
    assert pages
    wrong = [
        f"{path.name} says {found[0]!r}"
        for path in pages
        for found in names.finditer(comments.sub("", path.read_text(encoding="utf-8")))
    ]
    assert not wrong, "\n".join(wrong)


#: A longer module says why in its docstring: "The module is long because …".
MOST_LINES = 500


def test_no_module_is_long_without_a_reason() -> None:
    for name, path in modules().items():
        text, words = path.read_text(encoding="utf-8"), "The module is long because"
        said = words in text and words in (ast.get_docstring(ast.parse(text)) or "")
        assert said == (len(text.splitlines()) > MOST_LINES), name


#: Modules with comments ``# stub:``, the second type language that `tools/write_stubs.py` accepts, each with the
#: reason why an annotation cannot say it. Elsewhere, C types are in the .pxd and Python types are annotations.
STUB_COMMENTS = {
    "playhead.blizzard.encoding.bit_packed": "a Python int, where Cython takes `int` for a C integer",
    "playhead.sc2.state.players.action_metrics": "arrays of float: a bare array is one of int in the stub",
    "playhead.source2.container.frames": "overloads, and a base class that an extension cannot have",
    "playhead.source2.entities.entity": "overloads by `default`",
    "playhead.source2.entities.manager": "items of a list that a C method returns",
    "playhead.tables.json_columns": "arrays of float: a bare array is one of int in the stub",
}


def test_types_are_said_once() -> None:
    said = {name for name, path in modules().items() if "# stub:" in path.read_text(encoding="utf-8")}
    assert said == STUB_COMMENTS.keys()


#: Decorators of C functions that the .pxd cannot say.
OWN_DECORATORS = {"cython.nogil", "cython.with_gil", "cython.inline"}


def test_a_c_signature_is_written_once() -> None:
    twice = []
    for name, path in modules().items():
        pxd = path.with_suffix(".pxd")
        text = pxd.read_text(encoding="utf-8") if pxd.is_file() else ""
        declared = set(re.findall(r"^ *cp?def .*?(\w+)\(", text, re.MULTILINE))
        python = path.read_text(encoding="utf-8")
        for node in _statements(ast.parse(python)) if declared and "exceptval" in python else ():
            if isinstance(node, ast.FunctionDef) and node.name in declared:
                words = {ast.unparse(each).partition("(")[0] for each in node.decorator_list}
                if "cython.exceptval" in words and not words & OWN_DECORATORS:
                    twice.append(f"{name}.{node.name}")
    assert not twice, f"the .pxd declares them; they need no decorators: {', '.join(twice)}"


#: Public classes of one name in several modules. No other pair may be added, except tables of several formats.
SAME_NAMES = {
    "Event",  # the base of StarCraft II events, public under this name
    *("Messages", "Positions"),  # tables of several formats
    # Messages of both versions of the protocol of teehistorian.
    *("CallVote", "Emoticon", "Kill", "Say", "SetSpectatorMode", "SetTeam", "StartInfo", "Vote"),
}


def test_a_class_name_has_one_meaning() -> None:
    found: dict[str, list[str]] = {}
    for name, path in modules().items():
        text = path.read_text(encoding="utf-8")
        for node in ast.parse(text).body if re.search("^class [^_]", text, re.MULTILINE) else ():
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(name)
    twice = {name: places for name, places in found.items() if len(places) > 1}
    assert twice.keys() == SAME_NAMES, {name: twice.get(name) for name in twice.keys() ^ SAME_NAMES}


def _words_of_code(path: Path, wanted: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Every name and every string of a module, without its docstrings; none if nothing `wanted` is in its text."""
    text = path.read_text(encoding="utf-8")
    if not wanted.search(text):
        return
    tree = ast.parse(text)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        for word in (getattr(node, field, None) for field in ("id", "attr", "name", "arg", "value")):
            if isinstance(word, str) and id(node) not in docstrings:
                yield getattr(node, "lineno", 0), word


def _circles(graph: Mapping[str, set[str]]) -> Iterator[set[str]]:
    """The sets of modules that all reach each other."""
    reached = {module: _reachable(graph, module) for module in graph}
    left = set(graph)
    while left:
        module = left.pop()
        circle = {other for other in reached[module] if module in reached.get(other, ())} | {module}
        left -= circle
        yield circle


def _reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = list(graph.get(start, ()))
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting.extend(graph.get(module, ()))
    return found
