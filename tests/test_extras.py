"""What a hint says to install is what would be installed, wherever playhead came from."""

from __future__ import annotations

import importlib.metadata
import os
import runpy
import shutil
import signal
import sys
import tomllib
from pathlib import Path

import pytest

from playhead.runtime.extras import import_extra, install_hint

DECLARED = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_every_extra_that_users_have_is_used() -> None:
    uses = runpy.run_path(str(Path(__file__).parents[1] / "tools" / "use_extras.py"))["USES"]
    assert set(uses) == {"core"} | DECLARED["optional-dependencies"].keys()


def _parts(requirement: str) -> tuple[str, set[str]]:
    """A requirement as the package and its bounds, which installers reorder."""
    name, *_ = requirement.replace("<", " <").replace(">", " >").replace("=", " =").split()
    return name, set(requirement.removeprefix(name).split(","))


@pytest.mark.parametrize(
    ("package", "extra"),
    [("fsspec", "remote"), ("duckdb", "duckdb"), ("matplotlib", "plot"), ("s3fs", "s3"), ("polars", "polars")],
)
def test_the_hint_is_the_extra_s_requirement(package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: str(Path(sys.executable).parent / name))
    hint = install_hint(package, extra)
    assert hint.startswith("pip install '")
    assert hint.endswith(f"' (the extra {extra})")
    declared = DECLARED["optional-dependencies"][extra][0]
    assert _parts(hint.split("'")[1]) == _parts(declared)


def test_an_extra_is_asked_for_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.distribution

    def only_ours(name: str) -> importlib.metadata.Distribution:
        return real(name if name == "playhead" else "none such")

    monkeypatch.setattr(importlib.metadata, "distribution", only_ours)
    asked = {_parts(each)[0] for each in install_hint("uvicorn", "view").split("'")[1::2]}
    assert asked == {_parts(each)[0] for each in DECLARED["optional-dependencies"]["view"]}
    assert asked < {_parts(each)[0] for each in install_hint("mcp", "mcp").split("'")[1::2]}


def test_without_metadata_the_name_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> list[str]:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "requires", nothing)
    monkeypatch.setattr(shutil, "which", lambda name: "/somewhere/else/pip")
    assert install_hint("duckdb", "duckdb") == f"{sys.executable} -m pip install 'duckdb' (the extra duckdb)"


def test_a_missing_package_and_one_that_is_broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ModuleNotFoundError, match=r"^SQL needs duckdb: .*pip install 'duckdb"):
        import_extra("duckdb", "duckdb", "SQL")
    (tmp_path / "broken_extra.py").write_text("import none_such")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'none_such'"):
        import_extra("broken_extra", "x", "it")


@pytest.mark.skipif(os.name != "posix", reason="signals are those of Unix")
def test_no_package_swallows_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import os\ntry:\n    os.kill(os.getpid(), 2)\n    list(map(id, [1]))\nexcept BaseException: pass\n"
    (tmp_path / "swallows.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a script starts with &
    try:
        with pytest.raises(KeyboardInterrupt):
            import_extra("swallows", "", "a test")
    finally:
        signal.signal(signal.SIGINT, before)
