"""The whole table of speed, in one run: playhead cold and warm, beside its peers, on CPU time.

    python benchmarks/all.py [--only ROW …] [--json FILE] [--rounds N]

Each line is measured in turns: playhead, a peer, playhead again …, each in a process of its own, and the least
counts, for other work on a machine only ever makes one slower. *Cold* is the CPU time of a whole process up to
the end of its first file, the start of Python and all imports included; *warm* that of a later run in the same
process. The ratio is playhead's time to the peer's, warm unless there is none.

What is missing is said and skipped: files of the corpus (``PLAYHEAD_CORPUS``, default ``../shared/corpus``),
peers in Rust and Go (built by cargo and go in the versions of their lock files, into ``PLAYHEAD_PEERS_TARGET``),
packages of Python (of this Python, or the one that ``PLAYHEAD_PEERS_PYTHON`` names). Synthetic files are written
first, and kept if ``--files`` names a folder for them.

An editable install pays for its loader at each start: measure a regular one (``pip install .``).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from measure import HERE, PEER_PYTHON, Missing, Taken
from rows import ROWS, Files, Line

import playhead
from playhead import hot

_PACKAGES = ("pyarrow", "numpy", "typer")


def machine() -> dict[str, str]:
    """What was measured where."""
    cpu = platform.processor() or platform.machine()
    described = Path("/proc/cpuinfo")
    if described.is_file():
        names = [line for line in described.read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].partition(":")[2].strip() if names else cpu
    found = {
        "cpu": f"{cpu}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": platform.python_version(),
        "playhead": f"{playhead.__version__} ({hot.summary()})",
        "install": "editable" if "_playhead_editable_loader" in sys.modules else "regular",
    }
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def seconds(value: float | None) -> str:
    """A time for people: ``1.24 s``, ``31 ms``, ``0.62 ms``."""
    if value is None:
        return ""
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.0f} ms" if value >= 0.02 else f"{value * 1e3:.2g} ms"


def ratio(line: Line, taken: Taken) -> float | None:
    """Playhead's time to a peer's: warm ones if both have one."""
    if line.warm is not None:
        return line.warm / taken.warm
    return None if line.cold is None else line.cold / (taken.cold or taken.warm)


def peer_text(line: Line) -> str:
    """The peers of a line, with ratios."""
    said = []
    for name, taken in line.peers.items():
        if isinstance(taken, str):
            said.append(f"no {name}")
            continue
        its = ratio(line, taken)
        said.append(f"{name} {seconds(taken.warm)}" + ("" if its is None else f": **{its:.2g} ×**"))
    return "; ".join(said)


def markdown(found: dict[str, list[Line]], facts: dict[str, str]) -> str:
    """The table, with what was measured where below it."""
    out = ["| work | of | cold | warm | peers: ratio | | aim |", "|---|---|---|---|---|---|---|"]
    for name, lines in found.items():
        for number, line in enumerate(lines):
            title, target = (ROWS[name].title, ROWS[name].target) if not number else ("", "")
            cells = [title, line.case, seconds(line.cold), seconds(line.warm), peer_text(line), line.value, target]
            out.append("| " + " | ".join(cells) + " |")
    out += ["", ", ".join(f"{key} {value}" for key, value in facts.items()) + "."]
    return "\n".join(out)


def as_json(found: dict[str, list[Line]], facts: dict[str, str]) -> dict[str, Any]:
    """The same as a value of JSON; times in seconds of CPU."""
    rows = {
        name: {"title": ROWS[name].title, "aim": ROWS[name].target, "lines": [asdict(line) for line in lines]}
        for name, lines in found.items()
    }
    return {"machine": facts, "rows": rows}


def run(files: Files, only: list[str], rounds: int) -> dict[str, list[Line]]:
    """Measure the rows; say on standard error what is missing."""
    found: dict[str, list[Line]] = {}
    for name in only:
        print(f"{name} …", file=sys.stderr)
        lines = found[name] = []
        try:
            lines.extend(ROWS[name].lines(files, rounds))
        except Missing as reason:
            print(f"{name}: skipped: {reason}", file=sys.stderr)
        for line in lines:
            for peer, taken in line.peers.items():
                if isinstance(taken, str):
                    print(f"{name}: without {peer}: {taken}", file=sys.stderr)
    return {name: lines for name, lines in found.items() if lines}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=ROWS, metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side (3)")
    parser.add_argument("--files", type=Path, metavar="DIR", help="keep the synthetic files there")
    parser.add_argument("--minutes", type=float, default=10, help="length of the match of real size (10)")
    parser.add_argument("--megabytes", type=int, default=120, help="size of the teehistorian file (120)")
    parser.add_argument("--step", type=int, default=8, help="take one of so many replays of StarCraft II (8)")
    given = parser.parse_args()
    named = os.environ.get("PLAYHEAD_CORPUS")
    corpus = Path(named) if named else HERE.parents[1] / "shared" / "corpus"
    with tempfile.TemporaryDirectory() as temporary:
        scratch = given.files or Path(temporary)
        scratch.mkdir(parents=True, exist_ok=True)
        files = Files(corpus, scratch, minutes=given.minutes, megabytes=given.megabytes, step=given.step)
        facts = machine() | {"peers' python": Path(PEER_PYTHON).name}
        found = run(files, given.only or list(ROWS), given.rounds)
    print(markdown(found, facts))
    if given.json is not None:
        given.json.write_text(json.dumps(as_json(found, facts), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
