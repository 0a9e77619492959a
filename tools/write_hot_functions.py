"""Add to hot_functions.txt the functions of hot modules that the build is to compile for speed.

    pip install . && python tools/write_hot_functions.py CORPUS MATCH

Callgrind counts the instructions of benchmark jobs on files of the corpus, and on MATCH, which `benchmarks/all.py`
writes as ``real_2min.dem``. A function that takes a 2500th of any run is added. One already listed stays while its
source has it, because gcc puts functions for speed into each other, where they cannot be counted. So a list made
anew starts from an install with an empty one.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "benchmarks"), str(Path(__file__).parent)]
from counted import count  # noqa: E402
from translate_hot_modules import HOT_FUNCTIONS, listed_functions, pattern_of  # noqa: E402

PACKAGE = ROOT / "src" / "playhead"
SHARE = 1 / 2500
_SC2 = [
    "sc2/1.3.0.18092/1.3.0.18092__Tixx_vs_Nilsson_10167",
    "sc2/4.5.0.67188/2018_08_14_T_Jason_VS_T_IIIIIIIIIIII",
]
_SC2 = [f"{path}.SC2Replay" for path in _SC2]
_TEE = "teehistorian/deb16.4-physics/tsunami"
#: Jobs of the benchmarks with their files; an absolute one stands for MATCH.
JOBS = [
    *([job, "/"] for job in ("entities", "all_tables")),
    *(["entities", f"source2/{name}.dem"] for name in ("dota2_build9912_10bots", "cs2_14090")),
    *(["random_access", f"source2/{name}.dem"] for name in ("dota2_pov", "cs2_14090")),
    ["cs2_tables", "source2/cs2_14090.dem"],
    ["deadlock_players", "source2/deadlock_10423.dem"],
    *([job, *_SC2] for job in ("tables_without_events", "sc2_events", "sc2_columns")),
    ["sc2_at", _SC2[1]],
    ["all_columns", "hots/ai_braxis_90670.StormReplay"],
    *([job, f"{_TEE}.teehistorian"] for job in ("tee_columns", "tee_messages")),
    ["tee_simulation", f"{_TEE}.teehistorian", f"{_TEE}.map"],
]


def functions_of(body: list[ast.stmt], owner: str = "") -> Iterator[str]:
    """Yield the qualified names of the functions that a module or class defines."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield owner + node.name
        elif isinstance(node, ast.ClassDef):
            yield from functions_of(node.body, f"{owner}{node.name}.")
        elif isinstance(node, ast.If):
            yield from functions_of([*node.body, *node.orelse], owner)


def hot(runs: Iterable[Counter[str]]) -> set[str]:
    """Return the C names of the functions that take their share of a run."""
    found = set()
    for run in runs:
        taken: Counter[str] = Counter()
        for name, instructions in run.items():
            taken[re.sub(r"['.].*", "", name)] += instructions  # a recursive call, a part of a function
        found |= {name for name, instructions in taken.items() if instructions >= SHARE * run.total()}
    return found


def lines(names: set[str]) -> Iterator[str]:
    """Yield a line for each module with functions that are listed or have these C names."""
    known = listed_functions()
    for module in (PACKAGE / "hot_modules.txt").read_text("ascii").split():
        tree = ast.parse((PACKAGE / f"{module}.py").read_text("utf-8"))
        listed = [
            name
            for name in sorted(set(functions_of(tree.body)))
            if name in known.get(module, ()) or any(map(re.compile(pattern_of(module, name)).fullmatch, names))
        ]
        if listed:
            yield " ".join([module, *listed]) + "\n"


def main() -> None:
    """Count, and write the longer list."""
    corpus, match = sys.argv[1:]
    names: set[str] = set()
    for job, *files in JOBS:
        paths = [match if file == "/" else str(Path(corpus, file)) for file in files]
        names |= hot(count([job, "2", *paths], "fn")[1:-1])
    HOT_FUNCTIONS.write_text("".join(lines(names)), "ascii")


if __name__ == "__main__":
    main()
