"""Python code in README, the cookbook and the pages for machine learning and for users of other parsers passes
pyright in strict mode, and so does tests/typing/consumer.py. One run checks them all: most of its time goes into
the types of playhead and pyarrow."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from markdown_blocks import python_blocks

pytestmark = pytest.mark.slow_interpreted

ROOT = Path(__file__).parents[2]
CONSUMER = ROOT / "tests/typing/consumer.py"

#: Names that the cookbook's test defines.
GIVEN = "from pathlib import Path\npath = folder = broadcast = Path()\n"


@pytest.mark.long
def test_pyright_strict(tmp_path: Path) -> None:
    # pyarrow has no types of its own; without stubs its tables are unknown.
    for name in ("pyright", "pyarrow-stubs", "matplotlib", "polars", "duckdb"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed (group dev)")
    pyright = [sys.executable, "-m", "pyright"]
    # The first run downloads pyright itself.
    if subprocess.run([*pyright, "--version"], capture_output=True, check=False).returncode:
        pytest.skip("pyright is installed and does not run: no node, or no way to fetch it")
    readme = "".join(block.code for block in python_blocks(ROOT / "README.md") if ">>>" not in block.code)
    assert "replay.messages(" in readme
    (tmp_path / "readme.py").write_text(readme, encoding="utf-8")
    for page in sorted((ROOT / "docs/cookbook").glob("*.md")):
        start, *recipes = (block.code for block in python_blocks(page))
        # Recipes reuse names for answers of other types: each is a file of its own.
        for number, recipe in enumerate(recipes):
            (tmp_path / f"{page.stem}_{number}.py").write_text(f"{GIVEN}{start}\n{recipe}", encoding="utf-8")
    pages = sorted((ROOT / "docs/coming-from").glob("*.md"))
    for number, block in enumerate(block for page in pages for block in python_blocks(page)):
        given = "" if "import playhead" in block.code else "import playhead\nreplay = playhead.open('match.dem')\n"
        (tmp_path / f"coming_from_{number}.py").write_text(given + block.code, encoding="utf-8")
    learning = [block.code for block in python_blocks(ROOT / "docs/machine-learning.md")]
    assert "ReplayArrays" in learning[0]
    # The functions of NumPy 2.5 are "partially unknown" to pyright, whoever calls them.
    ours = f"# pyright: reportUnknownMemberType=false\n{learning[0]}"
    (tmp_path / "machine_learning.py").write_text(ours, encoding="utf-8")
    assert len(list(tmp_path.glob("*.py"))) > 50
    shutil.copy(CONSUMER, tmp_path)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pyright"]
    assert settings["typeCheckingMode"] == "strict"
    assert ROOT / settings["include"][0] == CONSUMER.parent
    settings |= {"include": ["*.py"], "extraPaths": [str(ROOT / path) for path in settings["extraPaths"]]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [*pyright, "--project", tmp_path, "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
