"""Write the .pyi of every hot module from its .py and .pxd: an extension has no types that tools could see.

    python tools/write_stubs.py            # writes those that differ
    python tools/write_stubs.py --check    # lists them instead; exit status 1 if there are any

Taken over are public classes, functions and constants. C types become the Python types that they are seen as
(``cython.longlong`` is int, a bare ``array`` is ``array[int]``), functions that only C can call are left out,
attributes are those that the .pxd or ``cython.declare`` makes ``public`` or ``readonly``; an annotation of the
class or of ``self.name`` says their type more exactly. Where Cython does not let the source say a type, a
comment does:

    # stub: def get_int(self, name: str) -> int | None: ...
    # stub: def get_int(self, name: str, default: int) -> int: ...

It replaces what has the same name in the same class (several of one function are its overloads), and goes on in
comment lines that are indented further.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "playhead"
_STUB = re.compile(r"#\s*stub:\s*(.*)")
_FLOATS = frozenset(("float", "double", "longdouble"))
_BARE = {
    "list": "list[Any]",
    "dict": "dict[Any, Any]",
    "tuple": "tuple[Any, ...]",
    "set": "set[Any]",
    "frozenset": "frozenset[Any]",
    "array": "array[int]",
}
_SIZES = {"const", "unsigned", "signed", "char", "short", "int", "long", "Py_ssize_t", "size_t"}
_ATTRIBUTE = re.compile(r" +cdef (public|readonly) ((?:(?:unsigned|signed|long|const) )*\S+) (.+)")
_STANDARD = {
    "Any": "typing",
    "final": "typing",
    "overload": "typing",
    "Buffer": "typing_extensions",
    "dataclass": "dataclasses",
    "Callable": "collections.abc",
    "Container": "collections.abc",
    "Iterable": "collections.abc",
    "Iterator": "collections.abc",
    "Mapping": "collections.abc",
    "Sequence": "collections.abc",
}


class _Members:
    """What a module or class has, in order: by name its lines in the stub."""

    def __init__(self) -> None:
        self.lines: dict[str, list[str]] = {}

    def add(self, name: str, *lines: str) -> None:
        self.lines.setdefault(name, []).extend(lines)


def stub_of(path: Path) -> str:
    """Return the stub of a hot module."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    comments = dict(_comments(text))
    attributes = _attributes(path.with_suffix(".pxd"))
    hidden = set(_c_functions(path.with_suffix(".pxd")))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for node in (tree, *classes):
        owner = "" if node is tree else node.name
        node.body = [each for each in node.body if (owner, getattr(each, "name", "")) not in hidden]
    spans = {(node.lineno, node.end_lineno or node.lineno): node.name for node in classes}
    orders: dict[str, list[str]] = {}
    for line, order in comments.items():
        inside = next((name for (first, last), name in spans.items() if first <= line <= last), "")
        orders.setdefault(inside, []).append(order)
    extra = [order for order in orders.get("", []) if order.startswith(("import ", "from "))]
    module = _Members()
    for name in _enumerated(path.with_suffix(".pxd")):
        module.add(name, f"{name}: int")
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            module.add(node.name, *_class_lines(node, attributes.get(node.name, {}), orders.get(node.name, [])))
        elif isinstance(node, ast.FunctionDef) and _is_public(node):
            module.add(node.name, _signature(node))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for name, line in _constants(node):
                module.add(name, line)
    _apply(module, [order for order in orders.get("", []) if order not in extra])
    body = _layout(module)
    return _imports([*_cimported(path.with_suffix(".pxd")), *ast.walk(tree)], extra, body) + body


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each order; comment lines that are indented further go on with it."""
    line, order = 0, ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        if order and token.string.startswith("#   ") and token.start[0] == line + 1:
            line, order = line + 1, f"{order} {token.string[1:].strip()}"
            continue
        if order:
            yield line, order
        found = _STUB.fullmatch(token.string)
        line, order = token.start[0], found[1] if found else ""
    if order:
        yield line, order


def _attributes(pxd: Path) -> dict[str, dict[str, tuple[str, bool]]]:
    """Return type and whether it can be set, by name, of the attributes that Python sees, by class."""
    found: dict[str, dict[str, tuple[str, bool]]] = {}
    current = ""
    for line in pxd.read_text(encoding="utf-8").splitlines() if pxd.is_file() else ():
        if head := re.match(r"cdef class (\w+)", line):
            current = head[1]
        elif line[:1].strip():
            current = ""
        declared = _ATTRIBUTE.fullmatch(line.partition("#")[0].rstrip())
        if current and declared:
            for name in declared[3].split(","):
                found.setdefault(current, {})[name.strip()] = _of_c(declared[2]), declared[1] == "public"
    return found


def _c_functions(pxd: Path) -> Iterator[tuple[str, str]]:
    """Yield class (or nothing) and name of each function that a .pxd declares for C alone."""
    current = ""
    for line in pxd.read_text(encoding="utf-8").splitlines() if pxd.is_file() else ():
        if line[:1].strip():
            head = re.match(r"cdef class (\w+)", line)
            current = head[1] if head else ""
        if declared := re.match(r" *cdef .*?(\w+)\(", line):
            yield current, declared[1]


def _enumerated(pxd: Path) -> Iterator[str]:
    """Yield the names of numbers that a .pxd gives to Python too (``cpdef enum:``)."""
    inside = False
    for line in pxd.read_text(encoding="utf-8").splitlines() if pxd.is_file() else ():
        if line[:1].strip():
            inside = line.startswith("cpdef enum:")
        elif inside and (name := re.match(r" +(\w+)", line)):
            yield name[1]


def _cimported(pxd: Path) -> Iterator[ast.AST]:
    """Yield what a .pxd takes from other modules of the package, as imports."""
    text = pxd.read_text(encoding="utf-8") if pxd.is_file() else ""
    for found in re.finditer(r"^from playhead\S+ cimport (\([^)]*\)|.*)", text, re.MULTILINE):
        yield from ast.walk(ast.parse(found[0].replace(" cimport ", " import ")))


def _of_c(kind: str) -> str:
    """Return the Python type that a C type of a .pxd is seen as."""
    words = kind.split()
    if set(words) <= _SIZES or re.fullmatch(r"u?int\d+_t", kind):
        return "int"
    if words[-1] in _FLOATS:
        return "float"
    if kind == "bint":
        return "bool"
    return "Any" if kind == "object" else _BARE.get(kind, kind)


class _PythonTypes(ast.NodeTransformer):
    """C types of annotations as the Python types that they are seen as, bare containers as containers of Any."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.slice = self.visit(node.slice)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.parse(_BARE[node.id], mode="eval").body if node.id in _BARE else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == "cython":
            name = "float" if node.attr in _FLOATS else "bool" if node.attr == "bint" else "int"
            return ast.Name(name)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return self.visit(ast.parse(node.value, mode="eval").body) if isinstance(node.value, str) else node


def _annotation(node: ast.expr | None, absent: str = "Any") -> str:
    if node is None:
        return absent
    return ast.unparse(_PythonTypes().visit(ast.parse(ast.unparse(node), mode="eval").body))


def _is_public(node: ast.FunctionDef) -> bool:
    decorators = {ast.unparse(each).partition("(")[0] for each in node.decorator_list}
    if "cython.cfunc" in decorators or node.name in ("__dealloc__", "__cinit__"):
        return False
    return not node.name.startswith("_") or node.name.endswith("__")


def _signature(node: ast.FunctionDef, indent: str = "") -> str:
    arguments = ast.parse(ast.unparse(node.args).join(("def f(", "): ..."))).body[0].args  # type: ignore[attr-defined]
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if argument.arg not in ("self", "cls"):
            argument.annotation = ast.parse(_annotation(argument.annotation), mode="eval").body
    for argument in filter(None, (arguments.vararg, arguments.kwarg)):
        argument.annotation = ast.parse(_annotation(argument.annotation), mode="eval").body
    arguments.defaults = [each if _is_literal(each) else ast.Constant(...) for each in arguments.defaults]
    arguments.kw_defaults = [
        each if each is None or _is_literal(each) else ast.Constant(...) for each in arguments.kw_defaults
    ]
    absent = "None" if node.name == "__init__" else "Any"
    returns = _annotation(node.returns, absent)
    returns = "Any" if returns == "object" else returns
    return f"{indent}def {node.name}({ast.unparse(arguments)}) -> {returns}: ..."


def _is_literal(value: ast.expr) -> bool:
    return not any(isinstance(node, ast.Name | ast.Call | ast.Attribute) for node in ast.walk(value))


def _constants(node: ast.Assign | ast.AnnAssign) -> Iterator[tuple[str, str]]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if not isinstance(target, ast.Name) or target.id.startswith("_"):
            continue
        if isinstance(node, ast.AnnAssign):
            yield target.id, f"{target.id}: {_annotation(node.annotation)}"
        else:
            yield target.id, f"{target.id}: {_type_of(node.value)}"


def _type_of(value: ast.expr) -> str:
    """Return the type of a constant, as far as its expression shows it."""
    match value:
        case ast.Constant():
            return type(value.value).__name__
        case ast.BinOp() | ast.UnaryOp():
            inner = value.left if isinstance(value, ast.BinOp) else value.operand
            return _type_of(inner)
        case ast.Tuple(elts=[first, *_]):
            return f"tuple[{_type_of(first)}, ...]"
        case ast.Call(func=ast.Name(id=name)) if name[:1].isupper():
            return name
    return "int" if isinstance(value, ast.Name) else "Any"


def _class_lines(node: ast.ClassDef, attributes: dict[str, tuple[str, bool]], orders: list[str]) -> list[str]:
    decorators = [ast.unparse(each) for each in node.decorator_list]
    hot = "cython.cclass" in decorators
    members = _Members()
    said = _said_of_self(node)
    for name, (kind, public) in attributes.items():
        if not name.startswith("_"):
            members.add(name, *_attribute(name, said.get(name, kind), public))
    fields = any("dataclass" in each for each in decorators) or not hot
    for item in node.body:
        if isinstance(item, ast.If):
            continue  # what only one of the two lives has
        if isinstance(item, ast.FunctionDef) and _is_public(item):
            _add_method(members, item)
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            if item.target.id in attributes:
                public = attributes[item.target.id][1]
                members.lines[item.target.id] = _attribute(item.target.id, _annotation(item.annotation), public)
            elif fields and not item.target.id.startswith("_"):
                default = "" if item.value is None else " = ..."
                members.lines[item.target.id] = [f"    {item.target.id}: {_annotation(item.annotation)}{default}"]
        elif isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name):
            enum = any(ast.unparse(base).endswith("Enum") for base in node.bases)
            _add_assigned(members, item.targets[0].id, item.value, enum, said)
    heads = [order for order in orders if order.startswith("class ")]
    _apply(members, [order for order in orders if order not in heads], "    ")
    kept = ["@final"] if "cython.final" in decorators else []
    kept += ["@" + each.removeprefix("cython.dataclasses.") for each in decorators if "dataclass" in each]
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    head = heads[0] if heads else f"class {node.name}{bases}:"
    lines = [line for part in members.lines.values() for line in part]
    return ["", *kept, head, *lines] if lines else ["", *kept, f"{head} ..."]


def _said_of_self(node: ast.ClassDef) -> dict[str, str]:
    """Return the types of attributes that methods annotate: ``self.names: list[str] = []``."""
    return {
        item.target.attr: _annotation(item.annotation)
        for item in ast.walk(node)
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Attribute)
    }


def _attribute(name: str, kind: str, public: bool) -> list[str]:
    if public:
        return [f"    {name}: {kind}"]
    return ["    @property", f"    def {name}(self) -> {kind}: ..."]


def _add_method(members: _Members, item: ast.FunctionDef) -> None:
    for each in item.decorator_list:
        text = ast.unparse(each)
        if text in ("property", "staticmethod", "classmethod") or text.endswith(".setter"):
            members.add(item.name, f"    @{text}")
    members.add(item.name, _signature(item, "    "))


def _add_assigned(members: _Members, name: str, value: ast.expr, enum: bool, said: dict[str, str]) -> None:
    """A declared attribute, a member of an enumeration, or a constant of the class."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "cython.declare":
        seen = [ast.literal_eval(each.value) for each in value.keywords if each.arg == "visibility"]
        if seen and not name.startswith("_"):
            kind = said.get(name, _annotation(value.args[0]))
            members.add(name, *_attribute(name, kind, seen == ["public"]))
    elif enum or name == "__match_args__":
        members.add(name, f"    {name} = {ast.unparse(value)}")
    elif not name.startswith("_"):
        members.add(name, f"    {name}: {_type_of(value)}")


def _apply(members: _Members, orders: Iterable[str], indent: str = "") -> None:
    """Put what comments of the source say in the place of what has the same name, else at the front or end."""
    said: dict[str, list[str]] = {}
    for order in orders:
        found = re.match(r"(?:def )?(\w+)", order)
        assert found is not None, order
        said.setdefault(found[1], []).append(order)
    first = {}
    for name, texts in said.items():
        before = members.lines.get(name, [])
        mark = [f"{indent}@overload"] if len(texts) > 1 else []
        if len(texts) == 1:
            mark = [line for line in before if line.strip() in ("@property", "@classmethod")]
        lines = [line for text in texts for line in (*mark, indent + text)]
        if mark == [f"{indent}@property"] and not texts[0].startswith("def "):
            setter = next((i for i, line in enumerate(before) if line.endswith(".setter")), len(before))
            lines = [*_attribute(name, texts[0].partition(": ")[2], public=False), *before[setter:]]
        if name in members.lines or texts[0].startswith("def "):
            members.lines[name] = lines
        else:
            first[name] = lines
    members.lines = {**first, **members.lines}


def _layout(module: _Members) -> str:
    return "\n".join(line for lines in module.lines.values() for line in lines) + "\n"


def _imports(nodes: list[ast.AST], extra: list[str], body: str) -> str:
    """Return the imports of the source, and of comments, that the stub needs."""
    used = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    known = dict(_STANDARD)
    whole = []
    for node in [*nodes, *(node for text in extra for node in ast.walk(ast.parse(text)))]:
        if isinstance(node, ast.ImportFrom) and node.module and node.module != "__future__":
            module = node.module.removeprefix("cython.cimports.").removeprefix("cpython.")
            known.update({each.asname or each.name: module for each in node.names})
        elif isinstance(node, ast.Import):
            whole += [each for each in node.names if (each.asname or each.name) in used]
    needed: dict[str, list[str]] = {}
    for name in sorted(used & known.keys()):
        needed.setdefault(known[name], []).append(name)
    lines = [f"import {each.name}" + (f" as {each.asname}" if each.asname else "") for each in whole]
    lines += [f"from {module} import {', '.join(names)}" for module, names in sorted(needed.items())]
    return "\n".join(dict.fromkeys(lines)) + "\n\n" if lines else ""


def formatted(stub: str, path: Path) -> str:
    """Return a stub as the project formats its files."""
    import subprocess

    command = ["ruff", "check", "--quiet", "--select", "I", "--fix", "--stdin-filename", str(path), "-"]
    sorted_imports = subprocess.run(command, input=stub, capture_output=True, text=True, check=True).stdout
    command = ["ruff", "format", "--quiet", "--stdin-filename", str(path), "-"]
    return subprocess.run(command, input=sorted_imports, capture_output=True, text=True, check=True).stdout


def stubs() -> Iterator[tuple[Path, str]]:
    """Yield the path of each stub, and what it is to be."""
    for line in (ROOT / "hot_modules.txt").read_text("ascii").splitlines():
        path = ROOT / f"{line.split()[0]}.pyi"
        yield path, formatted(stub_of(path.with_suffix(".py")), path)


def main() -> None:
    """Write or check all stubs."""
    odd = [(path, text) for path, text in stubs() if not path.is_file() or path.read_text("utf-8") != text]
    for path, text in odd:
        print(path.relative_to(ROOT))
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
    if odd and "--check" in sys.argv:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
