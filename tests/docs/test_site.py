"""The site of docs/ builds, and all links and anchors have a target."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.long
def test_the_site_builds(tmp_path: Path) -> None:
    if any(importlib.util.find_spec(name) is None for name in ("zensical", "mkdocstrings")):
        pytest.skip("zensical and mkdocstrings are not installed (group docs)")
    for name in ("deploy", "docs", "src", "tools"):  # a copy: the site is built next to its configuration
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for name in ("README.md", "mkdocs.yml"):
        shutil.copy(ROOT / name, tmp_path / name)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Sc2Replay" in (tmp_path / "build/site/reference/index.html").read_text(encoding="utf-8")
    # Classes under `playhead.runtime.records.dataclass` are shown as dataclasses.
    assert "doc-label-dataclass" in (tmp_path / "build/site/reference/index.html").read_text(encoding="utf-8")
    # The page includes the table of the README.
    assert "teehistorian-py with tracking" in (tmp_path / "build/site/comparison/index.html").read_text(
        encoding="utf-8"
    )


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        assert page.relative_to(ROOT / "docs").as_posix() in menu


#: Characters of code in a window of 1280 pixels; docs/stylesheets/wide.css.
CODE_WIDTH = 100
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_is_not_cut_off(page: Path) -> None:
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            assert len(line if fenced else line[4:]) <= CODE_WIDTH, f"{page.name}:{number}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pictures_are_there(page: Path) -> None:
    """The site builder ignores missing pictures."""
    for link in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).stat().st_size > 1000, link


def test_pictures_are_small_and_shown() -> None:
    pictures = list((ROOT / "docs/images").iterdir())
    assert sum(picture.stat().st_size for picture in pictures) < 1_500_000
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [picture.name for picture in pictures if f"images/{picture.name}" not in text] == []


def test_links_of_the_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(links) > 10
    assert not [link for link in links if "://" not in link and not (ROOT / link).exists()]
