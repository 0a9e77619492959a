"""A command imports what it needs, and nothing else: that is what its start costs."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.samples.source2 import engine

import playhead
from playhead.cli.commands import COMMANDS, GROUPS, first_paragraph, summary
from playhead.registry import list_formats

HEAVY = ("pyarrow", "numpy", "pandas", "polars", "duckdb", "rich", "fsspec", "matplotlib")
_SHOW = """
import sys
from playhead.cli import main
try:
    main()
except SystemExit as end:
    print(end.code, *sys.modules, file=sys.stderr)
"""


#: All of playhead that its import loads; everything else waits for a name that is asked for.
OF_IMPORT = {"playhead", "playhead.runtime", "playhead.runtime.hot", "playhead.version"}

#: What `playhead info` loads, whatever the format, and of each format: packages stand for what is in them.
OF_INFO = {
    *(
        "bits",
        "capabilities",
        "clock",
        "errors",
        "events",
        "io",
        "limits",
        "model",
        "recorded",
        "registry",
        "replay",
    ),
    *("presentation", "runtime", "tables", "text", "timed", "version"),
    *("cli.arguments", "cli.commands", "cli.inputs", "cli.output", "cli.program"),
}

#: What only tables, pictures and writing need.
NOT_OF_INFO = {
    *("show", "sql", "export", "compare", "samples", "testing", "text.html"),
    *("sc2.writing", "source2.writing", "teehistorian.writing", "sc2.events", "sc2.state.timeline"),
    *("teehistorian.folder", "teehistorian.patterns"),
}


def shown(code: str, *arguments: object, options: Sequence[str] = ()) -> set[str]:
    """The modules that code loads."""
    # Without the variables of hot.py, which make the import load every hot module at once.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PLAYHEAD_")}
    command = [sys.executable, *options, "-c", code, *map(str, arguments)]
    outcome = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    status, *modules = outcome.stderr.split()
    assert status == "0", outcome.stderr
    return set(modules)


def loaded(*arguments: object) -> set[str]:
    """The modules that a command loads."""
    return shown(_SHOW, *arguments)


def ours(modules: set[str]) -> set[str]:
    """Those of playhead, without its name."""
    return {name.removeprefix("playhead.") for name in modules if name.startswith("playhead.")}


def within(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def test_the_import_loads_next_to_nothing() -> None:
    # Without site-packages, whose own hooks (an editable install's) import what playhead is not to import.
    code = "import sys; sys.path.append(sys.argv[1]); import playhead; print(0, *sys.modules, file=sys.stderr)"
    modules = shown(code, Path(str(playhead.__file__)).parents[1], options=["-S"])
    assert {name for name in modules if name.partition(".")[0] == "playhead"} == OF_IMPORT
    assert not modules & {*HEAVY, "typing", "re", "dataclasses", "pathlib", "inspect", "json"}


def test_the_help_loads_no_command() -> None:
    modules = loaded("--help")
    of_help = {"cli.arguments", "cli.commands", "cli.output", "cli.output.standard", "cli.program", "text.visible"}
    assert ours(modules) <= {"cli", "runtime", "runtime.hot", "runtime.typing", "text", "version", *of_help}
    assert not modules & {*HEAVY}


@pytest.mark.parametrize("name", [*COMMANDS, *(f"lake {command}" for command in GROUPS["lake"])])
def test_the_help_of_a_list_is_that_of_the_command(name: str) -> None:
    assert first_paragraph(name) == summary(name).strip().partition("\n\n")[0]


def test_the_names_that_load_late_are_those_that_type_checkers_see() -> None:
    tree = ast.parse(Path(str(playhead.__file__)).read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        if node.module != "typing":
            seen.update((each.name, node.module) for each in node.names)
    late = {name: f"playhead.{module}" for name, module in playhead._MODULES.items()}
    assert late == seen
    assert set(playhead.__all__) - late.keys() == {"__version__", "open"}
    for name in late:
        assert getattr(playhead, name) is not None
    assert set(playhead.__all__) <= set(dir(playhead))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        playhead.nonsense  # noqa: B018


@pytest.mark.long
@pytest.mark.parametrize("format", [known.name for known in list_formats()])
def test_info_loads_its_format_and_nothing_heavy(format: str, samples: dict[str, Path]) -> None:
    modules = loaded("info", samples[format])
    assert not modules & set(HEAVY)
    commands = {name for name in COMMANDS if f"playhead.cli.commands.{name}" in modules}
    assert commands == {"info"}
    formats = {format, {"source2": "dota2", "sc2": "blizzard", "hots": "blizzard"}.get(format, format)}
    assert not [name for name in ours(modules) if within(name, NOT_OF_INFO)]
    assert {name for name in ours(modules) - {"cli"} if not within(name, OF_INFO | formats)} == set()


def test_entities_alone_load_nothing_for_messages_tables_or_paths(tmp_path: Path) -> None:
    code = """
import sys
sys.path.append(sys.argv[1])
import playhead
playhead.open(sys.argv[2]).playback().run()
print(0, *sys.modules, file=sys.stderr)
"""
    modules = shown(code, Path(str(playhead.__file__)).parents[1], engine.write_sample(tmp_path), options=["-S"])
    assert "playhead.dota2.replay" in modules
    assert not modules & {
        *HEAVY,
        "typing",
        "pathlib",
        "urllib.parse",
        "tempfile",
        "zipfile",
        "ssl",
        "dataclasses",
        "inspect",
    }
    unwanted = {
        *("source2.messages.decoded", "source2.messages.game_events", "source2.playback.decoding"),
        *("source2.playback.collector", "source2.playback.world", "dota2.facts", "dota2.sources"),
        *("io.fragments", "io.remote", "io.web"),
    }
    assert not [name for name in ours(modules) if within(name, unwanted)]


def test_info_of_source2_does_without_typing(samples: dict[str, Path]) -> None:
    code = f"import sys; sys.path.append(sys.argv.pop(1)){_SHOW}"  # without site-packages, as above
    modules = shown(code, Path(str(playhead.__file__)).parents[1], "info", samples["source2"], options=["-S"])
    assert "playhead.source2.replay" in modules
    assert not modules & {"typing", "dataclasses"}


def test_the_version_loads_no_command() -> None:
    modules = loaded("--version")
    assert not [name for name in COMMANDS if f"playhead.cli.commands.{name}" in modules]


@pytest.mark.parametrize(("format", "table"), [("source2", "kills"), ("teehistorian", "positions")])
def test_a_table_alone_loads_what_it_needs(format: str, table: str, samples: dict[str, Path]) -> None:
    """Neither the tables of its game, nor `pyarrow.compute`, whose import takes longer than a small table."""
    code = """
import sys
import playhead
playhead.open(sys.argv[1]).table(sys.argv[2])
print(0, *sys.modules, file=sys.stderr)
"""
    modules = shown(code, samples[format], table)
    assert "pyarrow" in modules
    assert "pyarrow.compute" not in modules
    assert not [name for name in ours(modules) if within(name, {"show.notebook", "teehistorian.physics"})]
    assert not ours(modules) & {"dota2.facts.wards", "dota2.facts.lanes"}


@pytest.mark.parametrize("freeze", ["", "gc.freeze()"])
def test_imported_modules_count_as_old(freeze: str) -> None:
    """So the next collection does not traverse them. What is frozen stays so while it lives."""
    code = f"""
import gc, sys
from playhead.runtime.garbage import GC_PAUSED
{freeze}
frozen = gc.get_freeze_count() > 0
with GC_PAUSED:
    import playhead.model
old = id(playhead.model.__dict__) in {{id(each) for each in gc.get_objects(generation=2)}}
still = gc.get_freeze_count() > 0
print(0, *(name for name in ("frozen", "old", "still") if globals()[name]), file=sys.stderr)
"""
    # Python 3.12 begins with frozen objects of its own.
    frozen = freeze or sys.version_info[:2] == (3, 12)
    assert shown(code) == ({"frozen", "still"} if frozen else {"old"})
