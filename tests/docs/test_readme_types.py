"""Python code in README, the cookbook and the pages for machine learning and for users of other parsers passes a
strict type checker."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from markdown_blocks import python_blocks

pytestmark = pytest.mark.slow_interpreted

ROOT = Path(__file__).parents[2]
SETTINGS = {"typeCheckingMode": "strict", "pythonVersion": "3.11", "extraPaths": [str(ROOT / "src")]}

#: Names that the cookbook's test defines.
GIVEN = "from pathlib import Path\npath = folder = broadcast = Path()\n"


def test_pyright_strict(tmp_path: Path) -> None:
    for name in ("pyright", "pyarrow-stubs", "matplotlib", "polars", "duckdb"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed (extra dev)")
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
    for number, block in enumerate(python_blocks(ROOT / "docs/coming-from.md")):
        given = "" if "import playhead" in block.code else "import playhead\nreplay = playhead.open('match.dem')\n"
        (tmp_path / f"coming_from_{number}.py").write_text(given + block.code, encoding="utf-8")
    learning = [block.code for block in python_blocks(ROOT / "docs/machine-learning.md")]
    assert "ReplayArrays" in learning[0]
    (tmp_path / "machine_learning.py").write_text(learning[0], encoding="utf-8")
    assert len(list(tmp_path.glob("*.py"))) > 50
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    command = [*pyright, "--project", tmp_path, "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
