"""Build step: translate Python modules to C with Cython, in one process for each processor.

Usage: translate_hot_modules.py INCLUDE_DIR DEPFILE SHARED SOURCE... -- SHARED_OUTPUT OUTPUT...

A process per module would spend more time on starting Cython than on translating: one process starts it and forks.
The script skips an output that is newer than its source and everything the source cimports, so that its C file is
not compiled again.

SHARED is the dotted name of an extension that holds Cython's own C code (memory views, function objects, argument
parsing), SHARED_OUTPUT its C file. The modules import it; without it each contains a copy, a quarter of all the C.

The environment variable PLAYHEAD_TRANSLATED names a folder that keeps the C files, for several builds of the same
sources.
"""

import gc
import multiprocessing
import os
import re
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from Cython.Build.SharedModule import generate_shared_module
from Cython.Compiler import ExprNodes, Main, Nodes, ParseTreeTransforms
from Cython.Compiler.Code import UtilityCode

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


# Cython's code for the digits of Python's integers, for packed names and for calls of types takes gcc a fifteenth
# of its time, and saves no row of the benchmarks 1 % of its instructions.
SETTINGS = """\
#define CYTHON_USE_PYLONG_INTERNALS 0
#define CYTHON_COMPRESS_STRINGS 0
#define CYTHON_VECTORCALL_TPNEW 0
"""
# gcc compiles functions that no loop calls at -Og: a seventh of its time, for at most a hundredth of a benchmark.
# These are the wrappers of methods, which take arguments apart, and all functions after the module's own: those of
# its import, its types and Cython's own, except those for indices, types of objects, numbers, calls, exceptions.
LIGHT_MACRO = """\
#if defined(__GNUC__) && !defined(__clang__)
  #define PLAYHEAD_LIGHT __attribute__((optimize("Og")))
#else
  #define PLAYHEAD_LIGHT
#endif
"""
AFTER_OWN_FUNCTIONS = "/* #### Code section: module_exttypes ### */"
WRAPPER = re.compile(r"^(?=static (?:CYTHON_UNUSED )?(?:PyObject \*|int |Py_ssize_t |Py_hash_t )__pyx_pw_)", re.M)
FUNCTION = re.compile(r"^static [^;={}()]*?(\w+)\([^;{}]*\)\s*\{", re.M)
CALLED_BY_LOOPS = re.compile(
    "GetItemInt|SetItemInt|GetItemDefault|Append|Contains|is_valid_index|TypeTest|IsSubtype|NewRef|XDECREF|MEMVIEW|"
    "_tp_new|_tp_dealloc|_tp_init|CallTp|PyLong_As|PyLong_From|PyInt_|PyIndex_As|_div_|_mod_|PyUnicode_Equals|"
    "PyObject_IsTrue|PyObject_(Fast)?Call|GetAttr|GetModuleGlobal|Exception(Save|Reset|Swap)|TopmostException|"
    "Err(Fetch|Restore)InState"
)


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
    return noted.read_text(encoding="utf-8").split(":", 1)[1].split()


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


def lighten(code: str) -> str:
    """Return the C code of a module with settings for Cython's part, and marks on functions that need no speed."""

    def marked(function: re.Match[str]) -> str:
        return function[0] if CALLED_BY_LOOPS.search(function[1]) else "PLAYHEAD_LIGHT " + function[0]

    head, line, code = code.partition("\n")  # Cython overwrites only a file with this line
    own, section, rest = code.partition(AFTER_OWN_FUNCTIONS)
    own = WRAPPER.sub("PLAYHEAD_LIGHT ", own)
    return head + line + SETTINGS + LIGHT_MACRO + own + section + FUNCTION.sub(marked, rest)


class Reader(Main.Context):
    """Note which files Cython reads. Its own notes miss some .pxd files, and cost a fifteenth of its time."""

    files: ClassVar[list[str]] = []

    def parse(self, source_desc, *more, **named):
        self.files.append(source_desc.filename)
        return super().parse(source_desc, *more, **named)


def translate(job: tuple[str, Path, str, str]) -> bool:
    """Write the C file of a module, or of the shared extension if SOURCE is empty; false after errors."""
    source, output, include, shared = job
    noted = Path(f"{output}.dep")
    kept = Path(folder) if (folder := os.environ.get("PLAYHEAD_TRANSLATED")) else None
    if kept and (kept / output.name).exists():
        for file in (noted, output):
            shutil.copyfile(kept / file.name, file)
        return True
    options = Main.CompilationOptions(
        output_file=str(output),
        include_path=[include],
        language_level=3,
        compiler_directives=dict(DIRECTIVES) if source else {},
        shared_utility_qualified_name=shared if source else None,
    )
    Reader.files.clear()
    if source:
        errors = Main.compile(source, options).num_errors
        if not errors:
            output.write_text(lighten(output.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        options.shared_c_file_path, options.module_name = str(output), shared
        errors = generate_shared_module(options)[0]
    made_of = [source or __file__, *(file for file in Reader.files if file.startswith(include))]
    noted.write_text(f"{output}: {' '.join(made_of)}\n", encoding="utf-8")
    if errors:
        output.unlink(missing_ok=True)
    elif kept:
        for file in (noted, output):
            shutil.copyfile(file, kept / file.name)
    return not errors


def in_processes(jobs: Iterable[tuple[str, Path, str, str]]) -> bool:
    """Do the jobs in forks of this process, one for each processor that it may use."""
    try:
        count, forks = len(os.sched_getaffinity(0)), multiprocessing.get_context("fork")
    except (AttributeError, ValueError):  # neither Windows nor macOS has both
        return all(map(translate, jobs))
    with forks.Pool(count) as pool:
        return all(pool.imap_unordered(translate, jobs))


def main() -> None:
    include, depfile, shared, *files = sys.argv[1:]
    middle = files.index("--")
    sources, outputs = ["", *files[:middle]], [Path(o) for o in files[middle + 1 :]]
    declare_critical_sections()
    keep_suffixes()
    ParseTreeTransforms.InterpretCompilerDirectives = Directives
    Main.Context = Reader
    gc.disable()  # it would walk all syntax trees again and again: a third of the time, for a third of the memory
    jobs = [
        (source, output, include, shared)
        for source, output in zip(sources, outputs, strict=True)
        if not is_current(output)
    ]
    jobs.sort(key=lambda job: os.path.getsize(job[0]) if job[0] else sys.maxsize, reverse=True)  # long ones first
    if not in_processes(jobs):
        sys.exit(1)
    everything = sorted({file for output in outputs for file in dependencies(output)})
    Path(depfile).write_text(f"{outputs[0]}: {' '.join(everything)}\n", encoding="utf-8")
    gc.freeze()  # the end of the process need not walk them either


if __name__ == "__main__":
    main()
