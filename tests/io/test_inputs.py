"""Which files folders, patterns, lists and URLs mean."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

import playhead
from playhead.io.inputs import InputFile, expand_inputs, is_one_file


def made(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def paths(*names: str, stdin: str | None = None) -> list[str]:
    found = list(expand_inputs(names, None if stdin is None else io.StringIO(stdin)))
    assert [each for each in found if each.error] == []
    return [each.path for each in found]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_stay_as_they_are_named(here: Path) -> None:
    made(here, "b", "a")
    assert list(expand_inputs(["b", "a", "none", "-", Path("a")])) == [
        InputFile("b", True, 1),
        InputFile("a", True, 1),
        InputFile("none", True),
        InputFile("-", True),
    ]


def test_a_folder_is_all_below_it_in_natural_order(here: Path) -> None:
    made(
        here,
        "x/game10",
        "x/Game9",
        "x/game2/b",
        "x/game2/a",
        "x/game1",
        "x/.git/config",
        "x/.hidden",
        "x/007",
        "x/6",
    )
    (here / "x" / "empty").mkdir()
    os.mkfifo(here / "x" / "pipe")
    with pytest.warns(UserWarning, match="^skipped names that begin with a dot: 2$"):
        found = list(expand_inputs(["x"]))
    assert [each.path for each in found] == [
        "x/6",
        "x/007",
        "x/game1",
        "x/game2/a",
        "x/game2/b",
        "x/Game9",
        "x/game10",
    ]
    assert not any(each.named for each in found)
    assert [each.size for each in found] == [os.path.getsize(each.path) for each in found]


def test_patterns(here: Path) -> None:
    made(here, "r/g10.dem", "r/g2.dem", "r/notes", "r/deep/er/g1.dem", "r/.g3.dem", "a[1].dem", "folder/x")
    assert paths("r/*.dem") == ["r/g2.dem", "r/g10.dem"]
    assert paths("r/**/*.dem") == ["r/deep/er/g1.dem", "r/g2.dem", "r/g10.dem"]
    assert paths("r/g[13]0.dem") == ["r/g10.dem"]
    assert paths("a[1].dem") == ["a[1].dem"]  # there is a file of that very name
    assert paths("fold*") == ["folder/x"]
    assert not next(iter(expand_inputs(["r/*.dem"]))).named


def test_the_folder_of_a_broadcast_is_one_replay(here: Path) -> None:
    made(here, "all/match/7/full.bin", "all/match/7/delta.bin", "all/match/sync.json", "all/other.dem")
    assert list(expand_inputs(["all/match"])) == [InputFile("all/match", True)]
    assert paths("all") == paths("all/*") == ["all/match", "all/other.dem"]
    assert not any(each.named for each in expand_inputs(["all"]))
    assert is_one_file("all/match")


def test_nothing_comes_twice(here: Path) -> None:
    made(here, "x/a", "x/b")
    (here / "again").symlink_to("x/a")
    assert paths("x/b", "x", "./x/a", "x/*", str(here / "x" / "a"), "again", "-", "-") == ["x/b", "x/a", "-"]
    assert paths("again", "x") == ["again", "x/b"]


def test_links_are_followed_once(here: Path) -> None:
    made(here, "x/a", "store/b")
    (here / "x" / "more").symlink_to("../store")
    (here / "x" / "loop").symlink_to("../x")
    (here / "x" / "broken").symlink_to("nowhere")
    assert paths("x") == ["x/a", "x/more/b"]


def test_lists(here: Path) -> None:
    made(here, "a", "b c", "x/1", "x/2", "@odd")
    (here / "list.txt").write_text("# mine\na\n\n  b c  \nx\nx/*\nnone\n@odd\nhttps://h/p?q=1\n")
    expected = ["a", "b c", "x/1", "x/2", "none", "@odd", "https://h/p?q=1"]
    assert paths("@list.txt") == expected
    assert paths("@-", stdin=(here / "list.txt").read_text()) == expected
    assert paths("@-", "a", stdin="b c\0# no\0\0") == ["b c", "# no", "a"]
    assert [each.named for each in expand_inputs(["@list.txt"])] == [True, True, False, False, True, True, True]
    assert paths("./@odd") == ["./@odd"]


def test_what_cannot_be_had_is_an_error_in_its_place(here: Path) -> None:
    made(here, "a", "z")
    found = list(expand_inputs(["a", "no*such", "@no.txt", "z"]))
    assert [each.path for each in found] == ["a", "no*such", "@no.txt", "z"]
    assert [type(each.error) for each in found] == [type(None), FileNotFoundError, FileNotFoundError, type(None)]
    assert str(found[1].error) == "no*such: no file matches this pattern"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may list every folder")
def test_a_folder_that_may_not_be_listed(here: Path) -> None:
    made(here, "x/shut/a", "x/b")
    (here / "x" / "shut").chmod(0)
    found = list(expand_inputs(["x"]))
    (here / "x" / "shut").chmod(0o700)
    assert [(each.path, type(each.error)) for each in found] == [
        ("x/b", type(None)),
        ("x/shut", PermissionError),
    ]


def test_a_folder_that_goes_away(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(here, "x/b")
    walk = expand_inputs(["x/b", "x"])
    assert next(walk).path == "x/b"
    monkeypatch.setattr(os, "scandir", lambda path: (_ for _ in ()).throw(FileNotFoundError(2, "gone", path)))
    (left,) = walk
    assert (left.path, type(left.error)) == ("x", FileNotFoundError)


@pytest.mark.parametrize("name", ["@list", "x", "no*such", "s3://bucket/", "s3://bucket/*.dem"])
def test_what_may_be_several(name: str, here: Path) -> None:
    (here / "x").mkdir()
    assert not is_one_file(name)


@pytest.mark.parametrize(
    "name", ["a[1]", "none", "-", "https://host/a*b?c=[1]", "http://host/", "s3://bucket/a.dem"]
)
def test_what_is_one(name: str, here: Path) -> None:
    made(here, "a[1]")
    assert is_one_file(name)


@pytest.mark.filterwarnings("ignore:skipped names")
def test_behind_urls() -> None:
    fsspec = pytest.importorskip("fsspec", reason="URLs need fsspec")
    store = fsspec.filesystem("memory")
    for name in ("/pack/g10.dem", "/pack/g2.dem", "/pack/deep/g1.dem", "/pack/.hidden", "/other/x"):
        store.pipe_file(name, b"12345")
    with pytest.warns(UserWarning, match="dot: 1$"):
        found = list(expand_inputs(["memory:///pack/"]))
    assert found == [
        InputFile(f"memory:///pack/{name}", False, 5) for name in ("deep/g1.dem", "g2.dem", "g10.dem")
    ]
    assert paths("memory:///pack/*.dem") == ["memory:///pack/g2.dem", "memory:///pack/g10.dem"]
    assert paths("memory:///pack/g2.dem", "memory:///pack/") == [
        "memory:///pack/g2.dem",
        "memory:///pack/deep/g1.dem",
        "memory:///pack/g10.dem",
    ]
    assert paths("memory:///pack") == paths("memory:///pack/")  # the slash may be missing
    assert paths("memory:///pack/none") == ["memory:///pack/none"]
    (missing,) = expand_inputs(["memory:///nothing/*"])
    assert isinstance(missing.error, FileNotFoundError)


def test_what_is_found_first_and_named_later_is_named(here: Path) -> None:
    Path("r").mkdir(exist_ok=True)
    Path("r/notes.txt").write_text("no replay")
    Path("names.txt").write_text("r/notes.txt\n")
    for names in (["r/*", "r/notes.txt"], ["r", "@names.txt"], ["r/notes.txt", "r/"]):
        found = {Path(each.path).name: each.named for each in expand_inputs(names)}
        assert found.pop("notes.txt"), names
        assert not any(found.values()), names


def test_a_pattern_that_no_file_matches_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no file matches this pattern: '.*nothing\*\.dem'"):
        playhead.scan(tmp_path / "nothing*.dem")
    (tmp_path / "nothing[1].dem").touch()
    for name in ("n*.dem", "nothing[1].dem", "**/*.dem"):
        playhead.scan(tmp_path / name)
