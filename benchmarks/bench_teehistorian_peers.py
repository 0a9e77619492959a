"""A large teehistorian recording to columns and to objects: playhead and two peers, in one run.

    python benchmarks/bench_teehistorian_peers.py [FILE] [--megabytes 120] [--runs 3]

The peers are the Rust crate `teehistorian` (built from `peers/teehistorian_rs` by cargo) and teehistorian-py;
their lines are skipped if cargo or the package is missing. Without FILE, it creates the recording of
`bench_teehistorian_large.py`. Each line is a separate process that reads the file once; lines take turns, and
the run with the least CPU time counts. Memory is the process's peak minus its memory before opening the file,
also as a multiple of the file; it includes the pages of a mapped file. Columns are those of the crate: tick,
client, x, y of positions; tick, client and the ten numbers of inputs. The sums of all cells must agree.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench_teehistorian_large import write_large

_CRATE = Path(__file__).parent / "peers" / "teehistorian_rs"


def _columns(path: str) -> dict[str, Any]:
    import pyarrow.compute as pc

    import playhead
    from playhead.teehistorian.stream.ticks import INPUT_FIELDS

    wanted = {"positions": ["tick", "client", "x", "y"], "inputs": ["tick", "client", *INPUT_FIELDS]}
    tables = playhead.open(path).read_tables(wanted)
    rows = {name: table.num_rows for name, table in tables.items()}

    def check() -> int:
        return int(sum(pc.sum(column).as_py() for table in tables.values() for column in table.columns))

    return {**rows, "check": check}


def _tables(path: str) -> dict[str, Any]:
    import playhead

    tables = playhead.open(path).read_tables(["positions", "inputs"])
    return {name: table.num_rows for name, table in tables.items()}


def _batches(path: str) -> dict[str, Any]:
    import playhead

    replay = playhead.open(path)
    return {name: sum(len(batch) for batch in replay.batches(name)) for name in ("positions", "inputs")}


def _messages(path: str) -> dict[str, Any]:
    import playhead

    count = 0
    for _tick, _message in playhead.open(path).messages():  # type: ignore[attr-defined]
        count += 1
    return {"messages": count}


def _teehistorian_py(path: str) -> dict[str, Any]:
    import teehistorian_py

    count = 0
    for _ in teehistorian_py.Teehistorian(Path(path).read_bytes()):
        count += 1
    return {"messages": count}


_OURS: dict[str, Callable[[str], dict[str, Any]]] = {
    "playhead, the columns that the crate gives": _columns,
    "playhead, all columns of both tables": _tables,
    "playhead, both tables in batches, one after the other": _batches,
    "playhead, messages with ticks": _messages,
    "teehistorian-py, messages without ticks": _teehistorian_py,
}


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _in_process(what: str, path: str) -> None:
    import pyarrow as pa

    import playhead  # noqa: F401

    pa.array([1])
    before = _peak()
    start = time.process_time()
    found = _OURS[what](path)
    cpu = time.process_time() - start
    peak = _peak() - before
    check = found.pop("check", None)
    print(json.dumps({**found, "cpu": cpu, "peak": peak, **({} if check is None else {"sum": check()})}))


def _commands(path: Path) -> dict[str, list[str]]:
    commands = {
        what: [sys.executable, __file__, "--one", what, str(path)]
        for what in _OURS
        if "teehistorian-py" not in what or importlib.util.find_spec("teehistorian_py")
    }
    if shutil.which("cargo"):
        subprocess.run(["cargo", "build", "--quiet", "--release"], cwd=_CRATE, check=True)
        program = str(_CRATE / "target" / "release" / "teehistorian-count")
        commands["crate teehistorian, columns"] = [program, str(path), "columns"]
        commands["crate teehistorian, messages without ticks"] = [program, str(path), "messages"]
    return commands


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="a .teehistorian file (uncompressed)")
    parser.add_argument("--megabytes", type=int, default=120)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        _in_process(options.one, str(options.file))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or Path(folder) / "large.teehistorian"
        if options.file is None:
            write_large(path, options.megabytes, compressed=False)
        size = path.stat().st_size
        found: dict[str, list[dict[str, Any]]] = {}
        for _ in range(options.runs):
            for what, command in _commands(path).items():
                run = subprocess.run(command, capture_output=True, text=True, check=True)
                found.setdefault(what, []).append(json.loads(run.stdout))
    print(f"{size / 1e6:.0f} MB")
    for what, runs in found.items():
        best = min(runs, key=lambda one: float(one["cpu"]))
        rows = ", ".join(f"{best[key]:,} {key}" for key in ("messages", "positions", "inputs") if best.get(key))
        print(
            f"{what:54} {best['cpu']:6.2f} CPU s {best['peak'] / 1e6:7.0f} MB ({best['peak'] / size:.1f}x)  {rows}"
        )
    sums = {run["sum"] for runs in found.values() for run in runs if run.get("sum")}
    if len(sums) > 1:
        raise SystemExit(f"the columns differ: sums of all cells are {sorted(sums)}")


if __name__ == "__main__":
    main()
