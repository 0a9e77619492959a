"""The tool that changes operators: it changes one thing at a time, and runs what calls it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.loading import load_module

ROOT = Path(__file__).parents[2]
SOURCE = """
from typing import Literal
TOP: Literal[4] = 3

class Kind:
    limit = 1 + TOP

    def fits(self, a: int, b: int = 7) -> bool:
        return not a < b and b is not None or any(each in (a,) for each in ())
"""


@pytest.fixture(scope="module")
def mutate() -> Any:
    return load_module("mutate", ROOT / "fuzz" / "mutate.py")


def test_each_change_is_of_one_place(mutate: Any, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(SOURCE)
    found = [
        (place.function, *mutate.changed(str(path), number)[1])
        for number, place in enumerate(mutate.places(ast.parse(SOURCE)))
    ]
    fits = "Kind.fits"
    assert found == [
        ("", "3", "4"),
        ("", "3", "2"),
        ("", "1 + TOP", "1 - TOP"),
        ("", "1", "2"),
        ("", "1", "0"),
        (
            fits,
            "not a < b and b is not None or any((each in (a,) for each in ()))",
            "(not a < b and b is not None) and any((each in (a,) for each in ()))",
        ),
        (fits, "not a < b and b is not None", "not a < b or b is not None"),
        (fits, "not a < b", "a < b"),
        (fits, "a < b", "a <= b"),
        (fits, "b is not None", "b is None"),
        (fits, "each in (a,)", "each not in (a,)"),
    ]


def test_a_changed_module_runs(mutate: Any, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("def same(a, b):\n    return not a != b\n")
    answers = []
    for number in range(2):
        names: dict[str, Any] = {}
        exec(mutate.changed(str(path), number)[0], names)
        answers.append((names["same"](1, 1), names["same"](1, 2)))
    assert answers == [(False, True), (False, True)]


@pytest.mark.long
def test_a_file_of_tests_that_calls_a_function_notices_its_change(tmp_path: Path) -> None:
    module = "src/playhead/clock.py"
    lines = (ROOT / module).read_text().splitlines()
    (line,) = (number for number, text in enumerate(lines, 1) if "if self.label == GAME_TIME" in text)
    command = [sys.executable, "fuzz/mutate.py", module, "--line", str(line)]

    def run(test: str) -> tuple[int, str]:
        more = ["--tests", test, "--calls", str(tmp_path / Path(test).stem)]
        done = subprocess.run([*command, *more], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()[-1]

    assert run("tests/test_clock.py") == (0, "1 of 1 changes caught, 0 survive")
    assert run("tests/test_names.py") == (1, "0 of 1 changes caught, 1 survive")
    assert (ROOT / module).read_text().splitlines() == lines
