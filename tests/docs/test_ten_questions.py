"""Both cells of each row of docs/coming-from/questions.md have the same answer on a written match."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.docs.markdown_blocks import python_blocks

pytestmark = pytest.mark.slow_interpreted

PAGE = Path(__file__).parents[2] / "docs" / "coming-from" / "questions.md"
SECTIONS = {part.partition("\n")[0]: part for part in PAGE.read_text("utf-8").split("\n## Ten to ")[1:]}
#: The module of each tool, and the game of the written match.
TOOLS = {"gem-dota": ("gem", "dota2"), "demoparser2": ("demoparser2", "cs2"), "sc2reader": ("sc2reader", "sc2")}


def test_each_tool_has_ten() -> None:
    assert SECTIONS.keys() == TOOLS.keys()
    assert [len(questions(tool)) for tool in TOOLS] == [10] * len(TOOLS)


def questions(tool: str) -> list[tuple[str, str, str]]:
    return re.findall(r"^\| (.+?\?) \| `(.+)` \| `(.+)` \|$", SECTIONS[tool], re.MULTILINE)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tool", TOOLS)
def test_the_answers_are_equal(tool: str, samples: Mapping[str, Path], short_match: Callable[[str], Path]) -> None:
    module, game = TOOLS[tool]
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{tool} is not installed")
    path = {"dota2": samples["source2"], "sc2": samples["sc2"]}.get(game) or short_match(game)
    (block,) = python_blocks(PAGE, ("python",))
    names: dict[str, Any] = {module: importlib.import_module(module)}
    code = block.code.replace('"match.dem"', repr(str(path)))
    assert code != block.code
    exec(compile(code, str(PAGE), "exec"), names)
    opened = re.search(r"^`theirs = (.+)`$", SECTIONS[tool], re.MULTILINE)
    assert opened is not None
    names["theirs"] = eval(opened[1], names)
    for question, theirs, ours in questions(tool):
        found = eval(theirs, names)
        assert found not in (None, []), question
        assert eval(ours, names) == found, question
