"""Both cells of each row of docs/coming-from/questions.md have the same answer on a written match."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.docs.markdown_blocks import python_blocks
from tests.samples.source2.cs2_match.demo import write_cs2_match
from tests.samples.source2.cs2_match.plan import plan_match

import playhead

pytestmark = pytest.mark.slow_interpreted

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "coming-from" / "questions.md"
SECTIONS = {part.partition("\n")[0]: part for part in PAGE.read_text("utf-8").split("\n## Ten to ")[1:]}


class Tool(NamedTuple):
    """How to ask a tool."""

    game: str
    module: str = ""
    #: Variable with the interpreter that has the module; of most tools that of the tests may have it.
    variable: str = "PLAYHEAD_PEERS_PYTHON"


TOOLS = {
    "gem-dota": Tool("dota2", "gem"),
    "demoparser2": Tool("cs2", "demoparser2"),
    "sc2reader": Tool("sc2", "sc2reader"),
    "awpy": Tool("cs2", "awpy", "PLAYHEAD_AWPY_PYTHON"),
    "demoinfocs": Tool("cs2"),
    "boon": Tool("deadlock", "boon", "PLAYHEAD_BOON_NEW"),
    "OpenDota's parser": Tool("dota2"),
    "spawningtool": Tool("sc2", "spawningtool.parser"),
    "heroprotocol": Tool("hots", "heroprotocol"),
    "libtw2": Tool("teehistorian"),
}
_ASK = """
import json, sys, warnings
warnings.simplefilter("ignore")
from typing import Any
module, opening, cells, path = json.loads(sys.argv[1])
try:
    __import__(module)
except ImportError:
    raise SystemExit(4)
names = {"path": path, "Any": Any, module.partition(".")[0]: sys.modules[module.partition(".")[0]]}
exec(opening, names)
print(json.dumps([eval(cell, names) for cell in cells], default=str))
"""
_GO = """package main

import (
	"encoding/json"
	"os"

	dem "github.com/markus-wa/demoinfocs-golang/v5/pkg/demoinfocs"
	"github.com/markus-wa/demoinfocs-golang/v5/pkg/demoinfocs/events"
)

func main() {
	file, _ := os.Open(os.Args[1])
	parser := dem.NewParser(file)
	found := make([][]any, 10)
	HANDLERS
	if err := parser.ParseToEnd(); err != nil {
		panic(err)
	}
	json.NewEncoder(os.Stdout).Encode(found)
}
"""
_RUST = """use teehistorian::{Chunk, Th, ThBufReader};

fn text(bytes: &[u8]) -> String { String::from_utf8_lossy(bytes).into_owned() }

fn main() {
    let file = std::fs::File::open(std::env::args().nth(1).unwrap()).unwrap();
    let mut reader = Th::parse(ThBufReader::new(file)).unwrap();
    let mut found: Vec<Vec<String>> = vec![vec![]; 10];
    reader.header().unwrap();
    while let Ok(chunk) = reader.next_chunk() {
        if let Chunk::Eos = chunk { break; }
        HANDLERS
    }
    println!("{:?}", found);
}
"""


def test_each_tool_has_ten() -> None:
    assert SECTIONS.keys() == TOOLS.keys()
    assert [len(questions(tool)) for tool in TOOLS] == [10] * len(TOOLS)


def questions(tool: str) -> list[tuple[str, str, str]]:
    return re.findall(r"^\| (.+?\?) \| `(.+)` \| `(.+)` \|$", SECTIONS[tool], re.MULTILINE)


def run(*command: str, **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode == 4:
        pytest.skip(f"{command[0]} has not the tool")
    assert done.returncode == 0, done.stderr
    return done.stdout


def of_python(tool: str, cells: list[str], path: Path) -> Any:
    line = re.search(r"^`(theirs = .+)`$", SECTIONS[tool], re.MULTILINE)
    block = re.search(r"^```py\n(.+?)^```$", SECTIONS[tool], re.MULTILINE | re.DOTALL)
    (opening,) = (found[1] for found in (line, block) if found)
    asked = json.dumps([TOOLS[tool].module, opening, cells, str(path)])
    variable = TOOLS[tool].variable
    python = os.environ.get(variable, sys.executable if variable == Tool("").variable else "")
    if not python:
        pytest.skip(f"no {tool} (set {variable} to an interpreter with it)")
    return json.loads(run(python, "-c", _ASK, asked))


def of_go(cells: list[str], path: Path, folder: Path) -> Any:
    if not os.environ.get("PLAYHEAD_DEMOINFOCS"):
        pytest.skip("no demoinfocs (set PLAYHEAD_DEMOINFOCS)")
    for name in ("go.mod", "go.sum"):
        shutil.copy(ROOT / "benchmarks" / "peers" / "demoinfocs" / name, folder)
    added = "parser.RegisterEventHandler(func(e events.{0}) {{ found[{1}] = append(found[{1}], {2}) }})"
    handlers = (
        added.format(event, number, value)
        for number, (event, value) in enumerate(cell.split(": ", 1) for cell in cells)
    )
    (folder / "main.go").write_text(_GO.replace("HANDLERS", "\n".join(handlers)), "utf-8")
    return json.loads(run("go", "run", ".", str(path), cwd=folder))


def of_rust(cells: list[str], path: Path, folder: Path) -> Any:
    if not os.environ.get("PLAYHEAD_PEERS_TARGET"):
        pytest.skip("no libtw2 (set PLAYHEAD_PEERS_TARGET to the folder where cargo builds)")
    shutil.copy(ROOT / "benchmarks" / "peers" / "teehistorian_rs" / "Cargo.toml", folder)
    shutil.copy(ROOT / "benchmarks" / "peers" / "teehistorian_rs" / "Cargo.lock", folder)
    arms = (
        f'match &chunk {{ {pattern} => found[{number}].push(format!("{{:?}}", {value})), _ => () }}'
        for number, (pattern, value) in enumerate(cell.split(" => ", 1) for cell in cells)
    )
    (folder / "src").mkdir()
    (folder / "src" / "main.rs").write_text(_RUST.replace("HANDLERS", "\n".join(arms)), "utf-8")
    target = {**os.environ, "CARGO_TARGET_DIR": os.environ["PLAYHEAD_PEERS_TARGET"]}
    found = json.loads(run("cargo", "run", "--quiet", "--", str(path), cwd=folder, env=target))
    return [[ast.literal_eval(value) for value in values] for values in found]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tool", TOOLS)
def test_the_answers_are_equal(
    tool: str, samples: Mapping[str, Path], short_match: Callable[[str], Path], tmp_path: Path
) -> None:
    game = TOOLS[tool].game
    path = tmp_path / "plain.dem"
    if game == "cs2":  # awpy drops what was before a restored backup, demoinfocs the second person of a slot
        path.write_bytes(write_cs2_match(6, plan=plan_match(6, 2, backup=False, quiet=True), seed=11).data)
    else:
        path = short_match(game) if game == "deadlock" else samples[{"dota2": "source2"}.get(game, game)]
    asked = questions(tool)
    cells = [theirs for _, theirs, _ in asked]
    if TOOLS[tool].module:
        found = of_python(tool, cells, path)
    elif tool == "OpenDota's parser":
        with playhead.open(path) as replay:
            (document,) = replay.export(tmp_path, format="opendota")
        found = [eval(cell, {"theirs": json.loads(document.read_text("utf-8"))}) for cell in cells]
    else:
        found = (of_go if tool == "demoinfocs" else of_rust)(cells, path, tmp_path)
    (block,) = python_blocks(PAGE, ("python",))
    code = block.code.replace('"match.dem"', repr(str(path)))
    assert code != block.code
    names: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    for (question, _, ours), theirs in zip(asked, found, strict=True):
        assert theirs not in (None, []), question
        assert plain(eval(ours, names)) == plain(theirs), question


def plain(answer: Any) -> Any:
    """Return an answer as JSON has it, floats to three digits."""
    return json.loads(json.dumps(answer, default=str), parse_float=lambda text: round(float(text), 3))
