"""The page: its source passes its own checks, and the committed page is the build of that source."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import playhead

STATIC = Path(playhead.__file__).parent / "view" / "static"


def test_a_rebuild_is_identical(node: Path, tmp_path: Path) -> None:
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=node, check=True, capture_output=True, timeout=120)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {path.name for path in STATIC.iterdir()}
    for name in names:
        assert (tmp_path / name).read_bytes() == (STATIC / name).read_bytes(), (
            f"{name}: run npm run build in viewer/"
        )


@pytest.mark.long
@pytest.mark.parametrize("script", ["check", "lint", "test"])
def test_the_page_passes(node: Path, script: str) -> None:
    done = subprocess.run(["npm", "run", script], cwd=node, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_licences_are_with_it() -> None:
    text = (STATIC / "LICENSES.txt").read_text(encoding="utf-8")
    assert "\npreact " in text


def test_the_page_is_small() -> None:
    sizes = {name: (STATIC / name).stat().st_size for name in ("page.js", "page.css")}
    assert sum(sizes.values()) <= 165_000, sizes
