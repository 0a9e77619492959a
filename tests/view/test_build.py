"""The page that is committed is what its source builds to."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import playhead

VIEWER = Path(__file__).parents[2] / "viewer"
STATIC = Path(playhead.__file__).parent / "view" / "static"


def test_a_rebuild_is_identical(tmp_path: Path) -> None:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("no Node.js on this machine")
    if not (VIEWER / "node_modules" / "esbuild").is_dir():
        done = subprocess.run(
            ["npm", "ci", "--no-audit", "--no-fund"], cwd=VIEWER, capture_output=True, timeout=300
        )
        if done.returncode:
            pytest.skip("npm could not fetch the packages that package-lock.json names")
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=VIEWER, check=True, capture_output=True, timeout=120)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {path.name for path in STATIC.iterdir()}
    for name in names:
        assert (tmp_path / name).read_bytes() == (STATIC / name).read_bytes(), (
            f"{name}: run npm run build in viewer/"
        )


def test_the_licences_are_with_it() -> None:
    text = (STATIC / "LICENSES.txt").read_text(encoding="utf-8")
    for name in ("apache-arrow", "flatbuffers", "preact", "tslib", "uplot"):
        assert f"\n{name} " in text
