"""Measure the whole speed table in one run: playhead cold and warm, next to its peers, in CPU time.

    python benchmarks/all.py [--only ROW …] [--stages] [--json FILE] [--page PAGE] [--rounds N]

Each line is measured in turns (playhead, a peer, playhead again …), each in its own process. The minimum counts,
because other work on a machine only slows a process down. *Cold* is the CPU time of a whole process up to the
end of its first file, including the start of Python and all imports. *Warm* is that of a later run in the same
process. The ratio is playhead's time divided by the peer's, warm if both have a warm time.

Missing inputs and peers are reported and skipped: files of the corpus (``PLAYHEAD_CORPUS``, default
``../shared/corpus``), peers in Rust and Go (built by cargo and go in the versions of their lock files, into
``PLAYHEAD_PEERS_TARGET``), and Python packages (of this Python, or of ``PLAYHEAD_PEERS_PYTHON``; boon 0.10 of
``PLAYHEAD_BOON``, s2protocol of ``PLAYHEAD_S2PROTOCOL``). Synthetic files are written first, and kept if
``--files`` names a folder for them.

``--stages`` profiles each row (`stages.py`), and measures lower bounds for its input bytes. ``--page`` writes
the tables into ``docs/speed.md``, between their marks. ``--read`` does so from files written by ``--json``; of
several results for a row, the last counts.

``--check FILE`` compares the run with the figures that ``--json`` wrote into FILE, and names each line whose ratio
to a peer (or, without a peer, whose time in units of a fixed piece of work) rose by more than a tenth; the status
is then 1. `stored.json` has the figures of the page.

An editable install runs its loader at each start: measure a regular one (``pip install .``).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import measure
from against import fallen, ratio, unit
from measure import HERE, Missing, Taken
from rows import ROWS, Files, Line

import playhead
from playhead.runtime import hot

_PACKAGES = ("pyarrow", "numpy")


@dataclass
class Measured:
    """Measurements of a row: its lines, shares of stages by name, seconds of lower bounds by name."""

    lines: list[Line] = field(default_factory=list)
    stages: dict[str, float] = field(default_factory=dict)
    limits: dict[str, float | None] = field(default_factory=dict)


#: Measured rows by name.
Found = dict[str, Measured]


def machine() -> dict[str, str]:
    """Return a description of the machine and the software."""
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
        "unit": f"{unit() * 1e3:.3f} ms",
        "install": "editable" if "_playhead_editable_loader" in sys.modules else "regular",
    }
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def seconds(value: float | None) -> str:
    """Return a readable time: ``1.24 s``, ``31 ms``, ``0.62 ms``."""
    if value is None:
        return ""
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.0f} ms" if value >= 0.02 else f"{value * 1e3:.2g} ms"


def peer_text(line: Line) -> str:
    """Return the peers of a line, with ratios."""
    said = []
    for name, taken in line.peers.items():
        if isinstance(taken, str):
            said.append(f"no {name}")
            continue
        its = ratio(line, taken)
        shown = taken.warm if line.warm is not None else taken.cold or taken.warm
        text = f"{name} {seconds(shown)}" + ("" if its is None else f": **{its:.2g} ×**")
        if line.warm is not None and taken.cold is not None and taken.cold != taken.warm:
            text += f" ({seconds(taken.cold)} cold)"
        said.append(text)
    return "; ".join(said)


def markdown(found: Found, facts: dict[str, str]) -> str:
    """Return the table, followed by the machine and the software."""
    out = ["| work | of | cold | warm | peers: ratio | | aim |", "|---|---|---|---|---|---|---|"]
    for name, row in found.items():
        for number, line in enumerate(row.lines):
            title, target = (ROWS[name].title, ROWS[name].target) if not number else ("", "")
            cells = [title, line.case, seconds(line.cold), seconds(line.warm), peer_text(line), line.value, target]
            out.append("| " + " | ".join(cells) + " |")
    out += ["", ", ".join(f"{key} {value}" for key, value in facts.items()) + "."]
    return "\n".join(out)


def stages_markdown(found: Found) -> str:
    """Return the shares of stages of each row, and the lower bounds for its bytes."""
    out = ["| work | stages | the bytes | their limits |", "|---|---|---|---|"]
    for name, row in found.items():
        if not row.stages:
            continue
        parts = ", ".join(f"{stage} {share:.0%}" for stage, share in row.stages.items() if share >= 0.005)
        held = dict(row.limits)
        stored, unpacked = (held.pop(what, None) or 0 for what in ("stored", "unpacked"))
        size = f"{stored / 1e6:.2f} MB, unpacked {unpacked / 1e6:.2f} MB"
        limits = ", ".join(f"{what} {seconds(taken)}" for what, taken in held.items() if taken is not None)
        out.append(f"| {ROWS[name].title} | {parts} | {size} | {limits} |")
    return "\n".join(out)


def as_json(found: Found, facts: dict[str, str]) -> dict[str, Any]:
    """Return the measurements as a JSON value; times in seconds of CPU."""
    return {"machine": facts, "rows": {name: asdict(row) for name, row in found.items()}}


def from_json(held: dict[str, Any]) -> Found:
    """Return the measurements from a value of `as_json`."""

    def line(each: dict[str, Any]) -> Line:
        peers = {name: said if isinstance(said, str) else Taken(**said) for name, said in each["peers"].items()}
        return Line(**{**each, "peers": peers})

    return {
        name: Measured([line(each) for each in row["lines"]], row["stages"], row["limits"])
        for name, row in held["rows"].items()
    }


def write_page(path: Path, parts: dict[str, str]) -> None:
    """Write each part between its marks on a page: ``<!-- speed: NAME -->`` … ``<!-- end -->``."""
    text = path.read_text(encoding="utf-8")
    for name, part in parts.items():
        mark = re.compile(rf"(<!-- speed: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text = mark.sub(lambda found, part=part: f"{found[1]}\n{part}\n\n{found[2]}", text)
    path.write_text(text, encoding="utf-8")


def run(files: Files, only: list[str], rounds: int, *, profile: bool) -> Found:
    """Measure the rows; report missing inputs and peers on standard error."""
    found: Found = {}
    for name in only:
        print(f"{name} …", file=sys.stderr)
        row = found[name] = Measured()
        try:
            row.lines.extend(ROWS[name].lines(files, rounds))
            profiled = ROWS[name].profiled
            if profile and profiled is not None:
                paths = profiled.paths(files)
                row.stages = measure.stages(profiled.job, *paths)
                row.limits = measure.limits(profiled.compression, *paths)
        except Missing as reason:
            print(f"{name}: skipped: {reason}", file=sys.stderr)
        for line in row.lines:
            for peer, taken in line.peers.items():
                if isinstance(taken, str):
                    print(f"{name}: without {peer}: {taken}", file=sys.stderr)
    return {name: row for name, row in found.items() if row.lines}


def corpus_folder() -> Path:
    """Return the folder of the real replays."""
    named = os.environ.get("PLAYHEAD_CORPUS")
    return Path(named) if named else HERE.parents[1] / "shared" / "corpus"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=ROWS, metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--stages", action="store_true", help="profile each row too, and measure its limits")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument(
        "--page", type=Path, metavar="PAGE", help="write the tables into a page that has marks for them"
    )
    parser.add_argument(
        "--read", type=Path, action="append", metavar="FILE", help="measure nothing: show what --json wrote"
    )
    parser.add_argument("--check", type=Path, metavar="FILE", help="compare the run with what --json wrote there")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side (3)")
    parser.add_argument("--files", type=Path, metavar="DIR", help="keep the synthetic files there")
    parser.add_argument("--minutes", type=float, default=10, help="length of the match of real size (10)")
    parser.add_argument("--megabytes", type=int, default=120, help="size of the teehistorian file (120)")
    parser.add_argument("--step", type=int, default=8, help="take one of so many replays of StarCraft II (8)")
    given = parser.parse_args()
    only = given.only or list(ROWS)
    found: Found = {}
    if given.read:
        facts: dict[str, str] = {}
        for path in given.read:
            held = json.loads(path.read_text(encoding="utf-8"))
            found |= from_json(held)
            facts = held["machine"]
        found = {name: found[name] for name in only if name in found}
    else:
        facts = machine() | {"best of": f"{given.rounds} rounds"}
        with tempfile.TemporaryDirectory() as temporary:
            scratch = given.files or Path(temporary)
            scratch.mkdir(parents=True, exist_ok=True)
            sizes = {"minutes": given.minutes, "megabytes": given.megabytes, "step": given.step}
            found = run(Files(corpus_folder(), scratch, **sizes), only, given.rounds, profile=given.stages)
    parts = {"table": markdown(found, facts)}
    if any(row.stages for row in found.values()):
        parts["stages"] = stages_markdown(found)
    print("\n\n".join(parts.values()))
    if given.json is not None:
        given.json.write_text(json.dumps(as_json(found, facts), ensure_ascii=False) + "\n", encoding="utf-8")
    if given.page is not None:
        write_page(given.page, parts)
    if given.check is not None:
        held = json.loads(given.check.read_text(encoding="utf-8"))
        units = [float(each["unit"].split()[0]) for each in (facts, held["machine"]) if "unit" in each]
        lines = {name: row.lines for name, row in found.items()}
        stored = {name: row.lines for name, row in from_json(held).items()}
        slower = list(fallen(lines, stored, (units[0], units[1]) if len(units) == 2 else None))
        print("\n".join(slower) or f"none of {len(lines)} rows fell by more than a tenth", file=sys.stderr)
        sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
