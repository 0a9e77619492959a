"""The two lives of the hot modules."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from playhead.runtime import hot

ROOT = Path(__file__).parents[1]


def test_the_list_of_hot_modules_is_sorted_and_every_one_is_there() -> None:
    assert list(hot.HOT_MODULES) == sorted(set(hot.HOT_MODULES))
    assert all(hot.source_path(name).is_file() for name in hot.HOT_MODULES)


def test_no_extension_is_stale() -> None:
    states = hot.status()
    assert set(states) == set(hot.HOT_MODULES)
    assert "stale" not in states.values()


def test_hot_modules_run_the_way_they_were_asked_to() -> None:
    if os.environ.get("PLAYHEAD_PURE_PYTHON"):
        assert hot.summary() == "interpreted"
    elif os.environ.get("PLAYHEAD_REQUIRE_COMPILED"):
        assert hot.summary() == "compiled"
    else:
        assert hot.summary() in ("compiled", "interpreted")


def _run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("PLAYHEAD_")} | environment
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)


def test_pure_python_switch() -> None:
    code = (
        "from playhead import bits\nfrom playhead.runtime import hot\n"
        "print(hot.summary(), bits.BitReader(b'\\x05').read_bits(3))"
    )
    assert _run(code, PLAYHEAD_PURE_PYTHON="1").stdout.split() == ["interpreted", "5"]


def test_a_missing_extension_can_be_made_an_error() -> None:
    code = (
        # The import passes; then one module loses its extension.
        "import sys, playhead.runtime.hot as hot\n"
        "hot.status = lambda: {'playhead.bits.bit_reader': 'interpreted'}\n"
        "hot.apply_environment()"
    )
    outcome = _run(code, PLAYHEAD_REQUIRE_COMPILED="1")
    assert outcome.returncode != 0
    assert "PLAYHEAD_REQUIRE_COMPILED" in outcome.stderr


def test_an_edited_source_beside_its_extension_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    if hot.summary() != "compiled":
        pytest.skip("the hot modules run interpreted: no extension could be stale")
    name = "playhead.bits.bit_reader"
    monkeypatch.setattr(hot, "_recorded_hashes", lambda: {**dict.fromkeys(hot.HOT_MODULES, "x")})
    assert hot.status()[name] == "stale"
    assert "stale" in hot.summary()


def test_the_build_marks_functions_that_no_loop_calls(tmp_path: Path) -> None:
    pytest.importorskip("Cython")
    source, output = tmp_path / "small.py", tmp_path / "small.c"
    source.write_text(
        "from playhead.runtime import cython\n\n"
        "@cython.cfunc\ndef own(x: cython.int) -> cython.int:\n    return x\n\n"
        "def called(x: cython.int, rows: list):\n    return own(x) + rows[x]\n"
    )
    source.with_suffix(".pxd").write_text("from playhead.bits.byte_reader cimport ByteReader\n")
    tool = ROOT / "tools" / "translate_hot_modules.py"
    files = [source, "--", tmp_path / "shared.c", output]
    for _ in range(2):  # an edited module is translated again
        subprocess.run([sys.executable, tool, ROOT / "src", tmp_path / "dep", "shared", *files], check=True)
        source.write_text(source.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        os.utime(source, (time.time() + 10, time.time() + 10))
    code = output.read_text(encoding="utf-8")
    functions = re.findall(r"^(PLAYHEAD_LIGHT )?static [^;={}()]*?(\w+)\([^;{}]*\)\s*\{", code, re.MULTILINE)
    marks = {name: bool(mark) for mark, name in functions}
    assert not any(mark for name, mark in marks.items() if name.startswith(("__pyx_f_", "__pyx_pf_")))
    assert marks["__Pyx_InitConstants"], "no section of Cython's own functions: its C code has changed"
    assert not marks["__Pyx_GetItemInt_List_Fast"]
    assert "PLAYHEAD_LIGHT static PyObject *__pyx_pw_" in code
    read = (tmp_path / "dep").read_text(encoding="utf-8").split()  # an edited one makes ninja translate
    assert {str(source), str(ROOT / "src" / "playhead" / "bits" / "byte_reader.pxd")} <= set(read)


def test_runs_without_cython_installed() -> None:
    code = (
        "import sys; sys.modules['cython'] = None\n"
        "from playhead import bits\nfrom playhead.runtime import hot\n"
        "from playhead.tables.column_buffers import Int32Buffer\n"
        "w = bits.BitWriter(); w.write_varint32(-5)\n"
        "print(bits.BitReader(w.to_bytes()).read_varint32(), hot.summary())"
    )
    outcome = _run(code, PLAYHEAD_PURE_PYTHON="1")
    assert outcome.stdout.split() == ["-5", "interpreted"], outcome.stderr


def _meaning(stub: str) -> tuple[list[str], str]:
    """What a stub imports, in any order, and what else it says, in any layout."""
    tree = ast.parse(stub)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    tree.body = [node for node in tree.body if node not in imports]
    return sorted(map(ast.unparse, imports)), ast.unparse(tree)


@pytest.mark.parametrize("name", hot.HOT_MODULES)
def test_a_stub_is_what_its_module_says(name: str, tool: Callable[[str], ModuleType]) -> None:
    source = hot.source_path(name)
    committed = source.with_suffix(".pyi").read_text(encoding="utf-8")
    generated = tool("write_stubs").stub_of(source)
    assert _meaning(committed) == _meaning(generated), "it is old: run python tools/write_stubs.py"


@pytest.mark.parametrize("name", hot.HOT_MODULES)
def test_attributes_in_a_stub_exist(name: str) -> None:
    if hot.status()[name] != "compiled":
        pytest.skip("interpreted classes have no attributes before __init__")
    loaded = importlib.import_module(name)
    stub = ast.parse(hot.source_path(name).with_suffix(".pyi").read_text(encoding="utf-8"))
    for cls in (node for node in stub.body if isinstance(node, ast.ClassDef)):
        names = [
            item.target.id
            for item in cls.body
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
        ]
        names += [item.name for item in cls.body if isinstance(item, ast.FunctionDef)]
        assert [attribute for attribute in names if not hasattr(getattr(loaded, cls.name), attribute)] == []
