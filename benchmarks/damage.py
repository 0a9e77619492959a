"""Measure data recovered from damaged replays: the damage matrix of playhead and other readers.

    python benchmarks/damage.py                            # the synthetic samples
    python benchmarks/damage.py FILE … --places 8          # these files
    PLAYHEAD_PEERS_PYTHON=… python benchmarks/damage.py    # a Python with the peers, if not this one
    PLAYHEAD_S2PROTOCOL=… python benchmarks/damage.py      # one with s2protocol, which needs 3.11 or older

Each damaged copy of a file has one damage at one of several evenly spaced places: a cut, a flipped bit, 64
zeroed bytes, two swapped pieces of 64 bytes, 16 inserted bytes, or 16 removed bytes. Readers count their
results: operations on entities (playhead, gem-dota), rows of players and ticks (demoparser2), events (playhead,
s2protocol, sc2reader), messages (playhead, teehistorian-py). *Kept* is the share of the intact file's results by
the same reader; *wrong* is the number of other results, in per cent of the same. If a reader raises, the results
that it yielded before count. *Raised* counts files that ended in an error, a timeout or a crash.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

from measure import HERE, python_of

import playhead
from playhead.registry import BUILTIN_FORMATS

PIECE = 64
FEW = 16


def cut(data: bytes, place: int) -> bytes:
    return data[:place]


def flip(data: bytes, place: int) -> bytes:
    return data[:place] + bytes((data[place] ^ 0x10,)) + data[place + 1 :]


def zero(data: bytes, place: int) -> bytes:
    return (data[:place] + bytes(PIECE) + data[place + PIECE :])[: len(data)]


def swap(data: bytes, place: int) -> bytes:
    end = place + PIECE
    return data[:place] + data[end : end + PIECE] + data[place:end] + data[end + PIECE :]


def grow(data: bytes, place: int) -> bytes:
    return data[:place] + data[place : place + FEW] + data[place:]


def shrink(data: bytes, place: int) -> bytes:
    return data[:place] + data[place + FEW :]


DAMAGES: dict[str, Callable[[bytes, int], bytes]] = {
    "cut": cut,
    "flip": flip,
    "zero": zero,
    "swap": swap,
    "grow": grow,
    "shrink": shrink,
}

#: Readers by game, or else by format: playhead, then its peers.
READERS = {
    "dota2": ("playhead: entities", "gem-dota"),
    "source2": ("playhead: entities", "demoparser2"),
    "sc2": ("playhead: events", "s2protocol", "sc2reader"),
    "hots": ("playhead: events",),
    "teehistorian": ("playhead: messages", "teehistorian-py"),
}


def readers_of(path: Path) -> tuple[str, ...]:
    """Return the readers for a file."""
    with playhead.open(path) as replay:
        return READERS.get(replay.info.game or "", ()) or READERS[replay.format]


def write_damaged(path: Path, folder: Path, places: int) -> list[tuple[str, Path]]:
    """Write a copy of a file for each damage; return names and paths."""
    data = path.read_bytes()
    found = []
    for kind, damage in DAMAGES.items():
        for number in range(places):
            place = (2 * number + 1) * len(data) // (2 * places)
            out = folder / f"{kind}{number}{path.suffix}"
            out.write_bytes(damage(data, place))
            found.append((kind, out))
    return found


def ask(reader: str, seconds: int, paths: list[Path]) -> list[dict[str, Any]] | str:
    """Return a reader's results for each file, or why there are none: it cannot run or read the intact file.

    A reader of playhead that cannot is an error of this program, not a result.
    """
    python = sys.executable if reader.startswith("playhead") else python_of(reader)
    command = [python, str(HERE / "damage_readers.py"), reader, str(seconds), *map(str, paths)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    lines: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    if len(lines) == len(paths) and lines[0]["whole"]:
        return lines
    reason = (lines[0]["failed"] or "no results") if lines else f"status {done.returncode}"
    if reader.startswith("playhead"):
        raise SystemExit(f"{reader} cannot read {paths[0]}: {reason}")
    return reason


def report(path: Path, places: int, seconds: int) -> None:
    """Print the rows of one file."""
    readers = readers_of(path)
    with tempfile.TemporaryDirectory() as folder:
        damaged = write_damaged(path, Path(folder), places)
        for reader in readers:
            answer = ask(reader, seconds, [path, *(one for _, one in damaged)])
            if isinstance(answer, str):
                print(f"| {path.name} | {reader} | not read: {answer} |" + " |" * (len(DAMAGES) + 2))
                continue
            whole, *lines = answer
            cells = []
            for kind in DAMAGES:
                of_kind = [line for (other, _), line in zip(damaged, lines, strict=True) if other == kind]
                cells.append(f"{fmean(100 * line['kept'] / whole['whole'] for line in of_kind):.0f}")
            wrong = fmean(100 * line["wrong"] / whole["whole"] for line in lines)
            raised = sum(line["failed"] is not None for line in lines)
            ends = f"{wrong:.1f} | {raised} of {len(lines)}"
            print(f"| {path.name} | {reader} | {whole['whole']:,} | {' | '.join(cells)} | {ends} |", flush=True)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="replays; the samples if none is given")
    parser.add_argument("--places", type=int, default=8, help="damages of each kind")
    parser.add_argument("--seconds", type=int, default=60, help="for one file, at most")
    arguments = parser.parse_args()
    print(f"| file | reader | intact | {' | '.join(DAMAGES)} | wrong | raised |")
    print("|---|---|" + "--:|" * (len(DAMAGES) + 3))
    with tempfile.TemporaryDirectory() as folder:
        files = arguments.files or [each.write_sample(Path(folder)) for each in BUILTIN_FORMATS]
        for path in files:
            report(path, arguments.places, arguments.seconds)


if __name__ == "__main__":
    main()
