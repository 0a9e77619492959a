"""Build step: translate Python modules to C with Cython, all in one process.

Usage: translate_hot_modules.py INCLUDE_DIR DEPFILE SHARED SOURCE... -- OUTPUT...

A process per module would spend more time on starting Cython than on translating. The script skips an output that
is newer than its source and everything the source cimports, so that its C file is not compiled again.

SHARED is the dotted name of an extension that holds Cython's own C code (memory views, function objects, argument
parsing). The modules import it; without it each contains a copy, a quarter of all the C.

The environment variable PLAYHEAD_TRANSLATED names a folder that keeps the C files, for several builds of the same
sources.
"""

import gc
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from Cython.Compiler import ExprNodes, Nodes, ParseTreeTransforms
from Cython.Compiler.Code import UtilityCode
from Cython.Compiler.Main import CompilationOptions, compile

DIRECTIVES = {
    # No Python lines as comments: the C source is a third shorter.
    "emit_code_comments": False,
    # Readers hold pointers into buffers: pickling one by its fields would be wrong. Records turn it on again.
    "auto_pickle": False,
    # Plain method descriptors, not function objects: a third less C to compile, less to set up at import.
    # The signature goes where inspect.signature finds it.
    "binding": False,
    "embedsignature": True,
    "embedsignature.format": "clinic",
}


class Directives(ParseTreeTransforms.InterpretCompilerDirectives):
    """Read `from playhead.runtime import cython` as Cython reads `import cython`, which needs Cython to run."""

    def visit_FromImportStatNode(self, node):
        if node.module.module_name.value == "playhead.runtime":
            return self.visit_CImportStatNode(Nodes.CImportStatNode(node.pos, module_name="cython", as_name=None))
        return super().visit_FromImportStatNode(node)


def dependencies(output: Path) -> list[str]:
    """Read the files that OUTPUT was made of, as Cython noted them; empty if it was never made."""
    noted = output.with_name(output.name + ".dep")
    if not noted.exists():
        return []
    return noted.read_text(encoding="utf-8").split(":", 1)[1].replace("\\\n", " ").split()


def is_current(output: Path) -> bool:
    """Say whether OUTPUT is newer than everything it was made of, this file included."""
    made_of = dependencies(output)
    if not made_of or not output.exists():
        return False
    made = output.stat().st_mtime
    return all(Path(file).exists() and Path(file).stat().st_mtime < made for file in [*made_of, __file__])


def declare_critical_sections() -> None:
    """Make `bytearray.append` bring the macros it uses: Cython 3.3.1 takes them from code that is shared here."""
    with suppress(ValueError):  # a Cython without such code
        macros = UtilityCode.load_cached("CriticalSections", "Synchronization.c")
        append = UtilityCode.load_cached("ByteArrayAppend", "StringTools.c")
        append.requires = [*(append.requires or ()), macros]


def keep_suffixes() -> None:
    """Write a 64-bit exception value of a .pxd as ``-1LL``: Cython 3.3.1 appends the suffix twice."""
    written = ExprNodes.IntNode.get_constant_c_result_code
    ExprNodes.IntNode.get_constant_c_result_code = lambda node: (
        node.value if node.value.endswith("L") else written(node)
    )


def main() -> None:
    include, depfile, shared, *files = sys.argv[1:]
    middle = files.index("--")
    sources, outputs = files[:middle], [Path(o) for o in files[middle + 1 :]]
    kept = Path(folder) if (folder := os.environ.get("PLAYHEAD_TRANSLATED")) else None
    declare_critical_sections()
    keep_suffixes()
    ParseTreeTransforms.InterpretCompilerDirectives = Directives
    gc.disable()  # it would walk all syntax trees again and again: a third of the time, for a third of the memory
    for source, output in zip(sources, outputs, strict=True):
        if is_current(output):
            continue
        noted = Path(f"{output}.dep")
        if kept and (kept / output.name).exists():
            for file in (noted, output):
                shutil.copyfile(kept / file.name, file)
            continue
        options = CompilationOptions(
            output_file=str(output),
            include_path=[include],
            language_level=3,
            compiler_directives=dict(DIRECTIVES),
            shared_utility_qualified_name=shared,
            depfile=str(noted),
        )
        if compile(source, options).num_errors:
            output.unlink(missing_ok=True)
            sys.exit(1)
        if kept:
            for file in (noted, output):
                shutil.copyfile(file, kept / file.name)
    everything = sorted({file for output in outputs for file in dependencies(output)})
    Path(depfile).write_text(f"{outputs[0]}: {' '.join(everything)}\n", encoding="utf-8")
    gc.freeze()  # the end of the process need not walk them either


main()
