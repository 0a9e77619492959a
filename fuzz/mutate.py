"""Change one operator of a module at random and run the tests that call it; list the changes that no test notices.

    python fuzz/mutate.py src/playhead/cs2 --count 150 --seed 1    with the tests of the room, tests/cs2
    python fuzz/mutate.py src/playhead/view --tests tests/view tests/show
    python fuzz/mutate.py src/playhead/cs2/sources/rounds.py --line 340    every change of a line
    python fuzz/mutate.py src/playhead/cs2 --calls build/cs2.json    keep which file of tests calls which function

A comparison becomes its neighbour, ``and`` becomes ``or``, ``+`` becomes ``-``, a whole number one more or less,
and ``not`` is removed. No file is changed: each process of a test compiles the changed module itself, as a
``sitecustomize`` tells it. A first run of each file of tests notes the functions that it calls. A change then runs
the files that call its function to the first failure; fast files, and those that noticed many changes, come first.
A hot module runs interpreted. The exit status is 1 if a change survives.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "playhead"
#: Environment variable with what `sitecustomize` is to do, as JSON.
TASK = "PLAYHEAD_MUTATE"

_PAIRS = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
    *((ast.And, ast.Or), (ast.Add, ast.Sub)),
)
_OTHER: dict[type[ast.AST], type[ast.AST]] = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}


class Place(NamedTuple):
    """A possible change: the expression, and which operator of a comparison or which step of a number."""

    node: Any
    part: int
    function: str  # empty at the top of a module or class

    def change(self) -> tuple[str, str]:
        """Change the tree; return the expression before and after."""
        node, before = self.node, ast.unparse(self.node)
        if isinstance(node, ast.Compare):
            ops: list[Any] = node.ops
            ops[self.part] = _OTHER[type(ops[self.part])]()
        elif isinstance(node, ast.Constant):
            node.value = int(str(node.value)) + self.part
        elif isinstance(node, ast.UnaryOp):
            node.op = _Nothing()
            return before, ast.unparse(node.operand)
        else:
            node.op = _OTHER[type(node.op)]()
        return before, ast.unparse(node)


class _Nothing(ast.UAdd):
    """Marks a ``not`` that goes; `_Without` takes it out."""


class _Without(ast.NodeTransformer):
    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return node.operand if isinstance(node.op, _Nothing) else node


def places(tree: ast.Module) -> list[Place]:
    """Return the possible changes of a module, always in the same order."""
    return [place for statement in tree.body for place in _places(statement, (), False)]


def _places(node: ast.AST, names: tuple[str, ...], inside: bool) -> Iterator[Place]:
    function = ".".join(names) if inside else ""
    if isinstance(node, ast.Compare):
        yield from (Place(node, at, function) for at, op in enumerate(node.ops) if type(op) in _OTHER)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield from (Place(node, step, function) for step in (1, -1))
    elif (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)) or (
        isinstance(node, ast.BoolOp | ast.BinOp | ast.AugAssign) and type(node.op) in _OTHER
    ):
        yield Place(node, 0, function)
    if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        names = names if inside else (*names, node.name)
        within = inside or not isinstance(node, ast.ClassDef)
        for each in node.body:
            yield from _places(each, names, within)
        return
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "type_params"):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    yield from _places(each, names, inside)


def changed(path: str, number: int) -> tuple[CodeType, tuple[str, str]]:
    """Return the code of a module with one change, and the expression before and after."""
    tree = ast.parse(Path(path).read_bytes(), path)
    words = places(tree)[number].change()
    without = ast.fix_missing_locations(_Without().visit(tree))
    return compile(without, path, "exec", dont_inherit=True), words


# -- in the processes of tests ----------------------------------------------------------------------------------


def module_name(path: Path) -> str:
    """Return the name by which Python imports a file, wherever playhead is installed."""
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


def obey(task: dict[str, Any]) -> None:
    """Do what `sitecustomize` was told: change a module, or note the functions that run."""
    if "number" in task:
        get_code = SourceFileLoader.get_code

        def get_changed(loader: Any, name: str) -> CodeType | None:
            if name == task["module"]:
                return changed(task["path"], task["number"])[0]
            return get_code(loader, name)

        SourceFileLoader.get_code = get_changed  # type: ignore[assignment, method-assign]
        return
    seen: dict[int, CodeType] = {}
    file = os.open(task["calls"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(frame: FrameType, _event: str, _arg: object) -> None:
        code = frame.f_code
        if id(code) not in seen:
            seen[id(code)] = code
            module = str(frame.f_globals.get("__name__"))
            if f"{module}.".startswith(f"{task['module']}."):
                os.write(file, f"{module}\t{code.co_qualname}\n".encode())

    sys.settrace(note)
    threading.settrace(note)


# -- the tool ---------------------------------------------------------------------------------------------------


class Tests:
    """Files of tests, the seconds that each takes, and the functions that each calls.

    Args:
        files: files and folders of tests.
        within: path of the module or package to change.
        calls: file to keep them in; None for no file.
    """

    def __init__(self, files: list[Path], within: Path, calls: Path | None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mutate")
        lines = (
            "import importlib.util, json, os, sys",
            f"spec = importlib.util.spec_from_file_location('mutate', {str(Path(__file__).resolve())!r})",
            "mutate = sys.modules['mutate'] = importlib.util.module_from_spec(spec)",
            "spec.loader.exec_module(mutate)",
            f"mutate.obey(json.loads(os.environ[{TASK!r}]))",
        )
        Path(self._folder.name, "sitecustomize.py").write_text("\n".join(lines))
        self._noticed = Counter[str]()
        self.seconds: dict[str, float] = {}
        self.calls: dict[str, set[tuple[str, str]]] = {}
        self._hot = {line.split()[0] for line in (SOURCE / "hot_modules.txt").read_text().splitlines()}
        known = json.loads(calls.read_text()) if calls is not None and calls.exists() else {}
        for file in sorted(
            each for path in files for each in (path.rglob("test_*.py") if path.is_dir() else [path])
        ):
            name = str(file.relative_to(ROOT))
            if name not in known:
                known[name] = self._measure(name, within)
                if calls is not None:
                    calls.write_text(json.dumps(known))
            if known[name] is not None:
                self.seconds[name], called = known[name]
                self.calls[name] = {(module, function) for module, function in called}

    def _measure(self, name: str, within: Path) -> tuple[float, list[list[str]]] | None:
        noted = Path(self._folder.name, "calls")
        noted.write_text("")
        begun = time.monotonic()
        status, output = self._run([name], {"calls": str(noted), "module": module_name(within)}, limit=3600)
        took = time.monotonic() - begun
        print(f"{name}: {took:.0f} s", flush=True)
        if status not in (0, 5):  # 5: there is no test
            print(f"left out, for it fails as it is ({status}): {name}\n{output}", flush=True)
            return None
        return took, [line.split("\t") for line in noted.read_text().splitlines()]

    def _run(self, files: list[str], task: dict[str, Any], limit: float, *, pure: bool = False) -> tuple[int, str]:
        more = {"PLAYHEAD_PURE_PYTHON": "1"} if pure else {}
        environment = {**os.environ, **more, "PYTHONPATH": self._folder.name, TASK: json.dumps(task), "CI": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--no-header", *files]
        command += ["-m", "not slow_interpreted"] if pure else []
        with subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as running:
            try:
                output = running.communicate(timeout=limit)[0]
            except subprocess.TimeoutExpired:
                running.kill()
                return -1, "over the time"
        return running.returncode, output[-3000:]

    def of(self, path: Path, function: str) -> list[str]:
        """Return the files that call a function or, without one, anything of a module; the best first."""
        if self._is_hot(path):
            found = list(self.seconds)
        else:
            changing = module_name(path)
            found = [
                name
                for name, calls in self.calls.items()
                if any(
                    module == changing
                    and (called.partition(".<locals>")[0] == function if function else called != "<module>")
                    for module, called in calls
                )
            ]
        return sorted(found, key=lambda name: self.seconds[name] / (1 + self._noticed[name]))

    def notice(self, path: Path, number: int, files: list[str]) -> bool:
        """Return whether the tests of these files fail with a change, or take far longer."""
        limit = 60 + 4 * sum(self.seconds[name] for name in files)
        pure = self._is_hot(path)
        task = {"path": str(path), "module": module_name(path), "number": number}
        status, output = self._run(files, task, limit, pure=pure) if files else (0, "")
        self._noticed.update(name for name in files if f"FAILED {name}" in output or f"ERROR {name}" in output)
        return status not in (0, 5)

    def _is_hot(self, path: Path) -> bool:
        return path.relative_to(SOURCE).with_suffix("").as_posix() in self._hot


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("package", type=Path, help="a folder or file in src/playhead")
    parser.add_argument("--tests", type=Path, nargs="+", help="files or folders of tests (default: tests/ROOM)")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--line", type=int, help="only the changes of this line, all of them")
    parser.add_argument("--calls", type=Path, help="file to keep the calls of the tests in")
    asked = parser.parse_args()
    package = asked.package.resolve()
    room = package.relative_to(SOURCE).parts[0].removesuffix(".py")
    files = [path.resolve() for path in asked.tests or [ROOT / "tests" / room]]
    tests = Tests(files, package, asked.calls)
    chosen = [
        (path, number, place)
        for path in sorted(package.rglob("*.py") if package.is_dir() else [package])
        for number, place in enumerate(places(ast.parse(path.read_bytes())))
        if asked.line in (None, place.node.lineno)
    ]
    if asked.line is None:
        Random(asked.seed).shuffle(chosen)
        del chosen[asked.count :]
    survived = 0
    for path, number, place in chosen:
        names = tests.of(path, place.function)
        noticed = tests.notice(path, number, names)
        survived += not noticed
        before, after = changed(str(path), number)[1]
        word = "caught" if noticed else "survives" if names else "survives, for no test calls it"
        where = f"{path.relative_to(ROOT)}:{place.node.lineno}"
        print(f"{word}: {where}: {before}  →  {after}  ({len(names)} files)", flush=True)
    print(f"{len(chosen) - survived} of {len(chosen)} changes caught, {survived} survive")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
