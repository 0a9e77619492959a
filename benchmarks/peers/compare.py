"""Compare the results of playhead and other parsers on Source 2 demos: entity by entity and string by string.

    python benchmarks/peers/compare.py FILE… [--written] [--json] [--time] [--peers source2-demo,manta]

The native parsers are built first, with cargo and go, in the versions of Cargo.lock and go.sum; one that cannot
be built is skipped and marked in the table. Each plays a file to its end in its own process. Its final state is
compared with playhead's: entities with serial, class and every field, string tables with every key and value,
entries of the combat log. Known differences and their reasons are in `explained`, and are counted by reason. The
exit code is 1 if there is an unexplained difference, or if a peer fails on a file of a game that it supports.

A folder is a broadcast: playhead plays the fragments, and the peers a file that playhead writes from them.

`--written` is for files that playhead wrote. Then a missing string-table entry that is only in a dump is no
longer excused, because the writer can also put it into messages.

`--time` plays each file three more times without printing the state, and reports the least user CPU time of the
whole process, including its start.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from explained import (
    Difference,
    explain_failure,
    explain_field,
    explain_item,
    means_the_same,
    reads,
)

import playhead

_HERE = Path(__file__).resolve().parent
TARGET = Path(os.environ.get("PLAYHEAD_PEERS_TARGET", _HERE / "target"))
_FIRST = 5  # differences to show
_RUNS = 3
_LONGEST = 1800  # seconds


@dataclass
class Peer:
    """A parser to compare with, and its command; `missing` is the reason if it cannot run."""

    name: str
    command: list[str]
    missing: str = ""


@dataclass
class State:
    """The final state of a parser for a file."""

    entities: dict[int, dict[str, Any]] = field(default_factory=dict)
    tables: dict[str, list[list[Any]]] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)
    error: str = ""

    def add(self, content: dict[str, Any]) -> None:
        """Add a line that the parser printed."""
        if "entity" in content:
            self.entities[content["entity"]] = content
        elif "table" in content:
            self.tables[content["table"]] = content["items"]
        else:
            self.last = content


@dataclass
class Comparison:
    """Result of comparing a peer's state with playhead's."""

    file: str
    peer: str
    verdict: str = ""
    entities: list[int] = field(default_factory=lambda: [0, 0])
    fields: list[int] = field(default_factory=lambda: [0, 0])
    strings: list[int] = field(default_factory=lambda: [0, 0])
    explained: Counter[str] = field(default_factory=Counter)
    first: list[str] = field(default_factory=list)
    seconds: float | None = None

    def differ(self, what: str) -> None:
        """Record an unexplained difference."""
        if len(self.first) < _FIRST:
            self.first.append(what)


# -- the peers --------------------------------------------------------------------------------------------


def build(tool: str, command: list[str], folder: Path, **environment: str) -> str:
    """Build a peer; return the reason of a failure, or an empty string."""
    if shutil.which(tool) is None:
        return f"not built: no {tool}"
    done = subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    return f"not built: {done.stderr.strip().splitlines()[-1]}" if done.returncode else ""


def peers(wanted: set[str]) -> Iterator[Peer]:
    if "source2-demo" in wanted:
        target = TARGET / "source2_demo"
        cargo = ["cargo", "build", "--release", "--locked", "--quiet"]
        missing = build("cargo", cargo, _HERE / "source2_demo", CARGO_TARGET_DIR=str(target))
        yield Peer("source2-demo", [str(target / "release" / "source2-demo-dump")], missing)
    if "manta" in wanted:
        program = TARGET / "manta" / "manta-dump"
        missing = build("go", ["go", "build", "-mod=readonly", "-o", str(program), "."], _HERE / "manta")
        yield Peer("manta", [str(program)], missing)
    if "gem-dota" in wanted:
        found = subprocess.run([sys.executable, "-c", "import gem.parser"], capture_output=True, check=False)
        missing = "not installed" if found.returncode else ""
        yield Peer("gem-dota", [sys.executable, str(_HERE / "gem_dump.py")], missing)


_OURS = Peer("playhead", [sys.executable, str(_HERE / "playhead_dump.py")])


def run(peer: Peer, path: Path, seconds: float = _LONGEST) -> State:
    """Return the state of a parser for a file."""
    state = State()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        try:
            done = subprocess.run(
                [*peer.command, str(path)],
                stdout=out,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            state.error = f"no end after {seconds} s"
            return state
        if done.returncode:
            state.error = _error_of(done)
            return state
        out.seek(0)
        for line in out:
            state.add(json.loads(line))
    return state


def _error_of(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last output of the process: a panic's place and text, an error, the end of a traceback."""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    for at, line in enumerate(lines):
        if "panicked at" in line:
            return " ".join(lines[at : at + 2])
        if line.startswith("Error:"):
            return line
    return lines[-1] if lines else f"ended with {done.returncode}"


def _user_seconds(peer: Peer, path: Path) -> float:
    """Return the least user CPU time of some runs."""
    best = float("inf")
    for _ in range(_RUNS):
        process = subprocess.Popen(
            [*peer.command, str(path), "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        best = min(best, usage.ru_utime)
    return best


# -- the comparison ---------------------------------------------------------------------------------------


def _compare_fields(out: Comparison, ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Compare the fields of one entity; return whether all are equal or explained."""
    about: dict[str, list[Any]] = ours["about"]
    mine: dict[str, Any] = ours["fields"]
    if out.peer == "gem-dota":
        mine = {about[key][0]: value for key, value in mine.items()}
        about = {entry[0]: entry for entry in about.values()}
    found: dict[str, Any] = theirs["fields"]
    equal = True
    for key in [*mine, *(key for key in found if key not in mine)]:
        value, other = mine.get(key), found.get(key)
        difference = Difference(out.peer, key, value, other, about, mine)
        if (value == other and type(value) is type(other)) or means_the_same(difference):
            out.fields[0] += 1
            continue
        reason = explain_field(difference)
        if reason is not None:
            out.explained[reason] += 1
            continue
        out.fields[1] += 1
        equal = False
        name = about[key][0] if key in about else key
        out.differ(f"entity {ours['entity']} {ours['class']} {name}: {value!r}, {out.peer} {other!r}")
    return equal


def _compare_entities(out: Comparison, ours: State, theirs: State) -> None:
    for index in sorted(ours.entities.keys() | theirs.entities.keys()):
        mine, other = ours.entities.get(index), theirs.entities.get(index)
        if mine is None or other is None:
            out.entities[1] += 1
            present = mine or other or {}
            out.differ(
                f"entity {index} {present['class']}: {'missing' if other is None else 'only'} in {out.peer}"
            )
            continue
        kept = ("serial", "class", "active") if out.peer == "gem-dota" else ("serial", "class")
        odd = [key for key in kept if mine[key] != other[key]]
        for key in odd:
            out.differ(f"entity {index}: {key} {mine[key]!r}, {out.peer} {other[key]!r}")
        same = _compare_fields(out, mine, other) and not odd
        out.entities[0 if same else 1] += 1


def _compare_tables(out: Comparison, ours: State, theirs: State, witness: State | None) -> None:
    for name in sorted(ours.tables.keys() | theirs.tables.keys()):
        mine = {item[0]: item for item in ours.tables.get(name, ())}
        found = {item[0]: item for item in theirs.tables.get(name, ())}
        seen = {} if witness is None else {item[0]: item for item in witness.tables.get(name, ())}
        for index in sorted(mine.keys() | found.keys()):
            item, other = mine.get(index), found.get(index)
            # Only playhead distinguishes a missing value from an empty one.
            if item and other and item[1] == other[1] and (item[2] or "") == (other[2] or ""):
                out.strings[0] += 1
                continue
            reason = explain_item(out.peer, name, item, other, seen.get(index))
            if reason is not None:
                out.explained[reason] += 1
                continue
            out.strings[1] += 1
            out.differ(f"{name}[{index}]: {_short(item)}, {out.peer} {_short(other)}")


def compare_states(out: Comparison, ours: State, theirs: State, witness: State | None) -> None:
    """Compare entities, string tables and the number of combat-log entries."""
    _compare_entities(out, ours, theirs)
    _compare_tables(out, ours, theirs, witness)
    mine, other = ours.last["counters"]["combat_log"], theirs.last["counters"]["combat_log"]
    if mine != other:
        out.differ(f"{mine} entries of the combat log, {out.peer} {other}")


def _short(item: list[Any] | None) -> str:
    if item is None:
        return "none"
    value = item[2]
    return f"{item[1]!r} {'no value' if value is None else f'{len(value) // 2} bytes {value[:24]}'}"


def _compare(path: Path, peer: Peer, ours: State, states: dict[str, State], written: bool) -> Comparison:
    out = Comparison(path.name, peer.name)
    if peer.missing:
        out.verdict = peer.missing
        return out
    theirs = states[peer.name] = run(peer, path)
    if theirs.error and ours.error:
        out.verdict = "refused by both"
        out.first = [theirs.error]
        return out
    if ours.error:
        out.verdict = "playhead FAILED"
        out.first = [ours.error]
        return out
    if theirs.error:
        reason = explain_failure(peer.name, ours.last["game"], theirs.error)
        out.verdict = "FAILED" if reason is None else f"cannot: {reason}"
        out.first = [theirs.error]
        return out
    for note in theirs.last.get("accommodated", ()):
        out.explained[f"helped: {note}"] += 1
    compare_states(out, ours, theirs, None if written else states.get("source2-demo"))
    if not out.first:
        out.verdict = "equal"
    elif reads(peer.name, ours.last["game"]):
        out.verdict = "DIFFERENT"
    else:
        out.verdict = "differs: not a game it reads"
    return out


# -- what is printed --------------------------------------------------------------------------------------


def _print(results: list[Comparison]) -> None:
    row = "{:34} {:13} {:>13} {:>17} {:>15}  {}"
    print(row.format("file", "peer", "entities", "fields", "strings", "verdict"))
    print(row.format("", "", "equal/differ", "equal/differ", "equal/differ", ""))
    for out in results:
        pairs = ["{}/{}".format(*pair) if any(pair) else "" for pair in (out.entities, out.fields, out.strings)]
        seconds = "" if out.seconds is None else f", {out.seconds:.3f} s"
        print(row.format(out.file[:34], out.peer, *pairs, (out.verdict + seconds).lstrip(", ")))
        for reason, count in out.explained.most_common():
            print(f"    {count} explained: {reason}")
        for line in out.first:
            print(f"    {line}")


def _is_bad(out: Comparison) -> bool:
    return out.verdict in ("DIFFERENT", "FAILED", "playhead FAILED")


def as_demo(folder: Path, scratch: Path) -> Path:
    """Write a broadcast as a file for the peers."""
    path = scratch / f"{folder.name}.dem"
    info = playhead.open(folder).info
    playhead.open(folder).write_slice(path, info.details["joined_at_tick"], info.duration_ticks or 0)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--written", action="store_true", help="playhead wrote the files")
    parser.add_argument("--json", action="store_true", help="print one JSON value instead of the table")
    parser.add_argument("--time", action="store_true", help="measure the user CPU of each")
    parser.add_argument("--peers", default="source2-demo,manta,gem-dota", help="which, separated by commas")
    given = parser.parse_args()
    wanted = list(peers(set(given.peers.split(","))))
    results = []
    scratch = Path(tempfile.mkdtemp())
    for given_path in given.files:
        ours = run(_OURS, given_path)
        path = as_demo(given_path, scratch) if given_path.is_dir() else given_path
        states: dict[str, State] = {}
        if given.time and not ours.error:
            mine = Comparison(path.name, _OURS.name, "", seconds=_user_seconds(_OURS, given_path))
            results.append(mine)
        for peer in wanted:
            out = _compare(path, peer, ours, states, given.written)
            if given.time and out.verdict in ("equal", "DIFFERENT"):
                out.seconds = _user_seconds(peer, path)
            results.append(out)
    shutil.rmtree(scratch)
    if given.json:
        print(json.dumps([vars(out) for out in results], indent=1))
    else:
        _print(results)
    raise SystemExit(any(map(_is_bad, results)))


if __name__ == "__main__":
    main()
