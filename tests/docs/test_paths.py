"""Every path and dotted name in backticks in README, CONTRIBUTING, SECURITY and docs/ exists."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/playhead"
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
)
#: Text between single backticks, outside of fenced blocks.
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_PATH = re.compile(r"[\w.-]+(?:/[\w.*-]+)*/?")
_FILE = re.compile(r"[\w.-]+\.(?:py|pxd|pyi|sh|md|txt|json|toml|yml|tsx?|ipynb)")
_DOTTED = re.compile(r"(?<![\w.])playhead(?:\.\w+)+")
#: A class, named from a room of the package: `tables.registry.TableRegistry`.
_CLASS = re.compile(r"(?<![\w.])([a-z]\w*)(?:\.[a-z]\w*)*\.[A-Z]\w*[a-z]\w*")
_ROOMS = {path.stem for path in PACKAGE.iterdir() if path.suffix in ("", ".py")}
#: Folders of the repository and of the package; a path that begins with one of them must exist.
_TOP = {path.name for folder in (ROOT, PACKAGE) for path in folder.iterdir() if path.is_dir()}
#: Members of replays and lakes, and files that a build makes.
_NOT_OURS = re.compile(r"build/|replay\.|GameStrings\.txt|_playhead\.json|sync\.json")
#: Extensions without a source: absent where playhead is installed interpreted.
_COMPILED = {"playhead.runtime.cython_shared"}
#: Keys of Parquet metadata, and the group of entry points.
_KEYS = {"playhead.table", "playhead.schema_version", "playhead.formats", "playhead.other_map"}


def mentions(page: Path) -> list[str]:
    """Text in backticks on a page, and the words of each command in it."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    return [word for code in _CODE.findall(text) for word in code.split()]


def is_path(word: str) -> bool:
    if _NOT_OURS.match(word) or _DOTTED.fullmatch(word) or not _PATH.fullmatch(word):
        return False
    return word.split("/")[0] in _TOP if "/" in word else bool(_FILE.fullmatch(word))


def exists(word: str) -> bool:
    """Whether a path exists below the root, `src` or the package; a bare file name may be anywhere in them."""
    if "/" not in word:
        folders = [PACKAGE, *(ROOT / name for name in ("tools", "benchmarks", ".github"))]
        here = (ROOT / word, ROOT / "viewer" / word)
        return any(path.exists() for path in here) or any(any(folder.rglob(word)) for folder in folders)
    return any(any(folder.glob(word.rstrip("/"))) for folder in (ROOT, ROOT / "src", PACKAGE))


def resolves(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_paths_exist(page: Path) -> None:
    assert not [word for word in mentions(page) if is_path(word) and not exists(word)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_dotted_names_exist(page: Path) -> None:
    words = mentions(page)
    names = [name for word in words for name in _DOTTED.findall(word)]
    names += [f"playhead.{name[0]}" for word in words for name in _CLASS.finditer(word) if name[1] in _ROOMS]
    assert not [name for name in names if name not in _KEYS | _COMPILED and not resolves(name)]


def test_mentions_are_found() -> None:
    """Missing modules fail the tests above."""
    gone = ("tests/real/test_x.py", "source2/playback/nothing.py", "row_reader_of_old.py")
    assert [is_path(word) and not exists(word) for word in gone] == [True] * 3
    assert [resolves(name) for name in ("playhead.dota2.gone", "playhead.dota2.replay")] == [False, True]
    words = [word for page in PAGES for word in mentions(page)]
    assert sum(map(is_path, words)) > 100
    assert sum(bool(_DOTTED.match(word)) for word in words) > 20
