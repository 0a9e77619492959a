"""What is recovered of damaged replays: the damage matrix, playhead beside the readers of others.

    python benchmarks/damage.py                            # the synthetic samples
    python benchmarks/damage.py FILE … --places 8          # these files
    PLAYHEAD_PEERS_PYTHON=… python benchmarks/damage.py    # a Python that has the peers, if not this one

Each file is cut, has a bit flipped, 64 bytes zeroed, two pieces of 64 bytes swapped, 16 bytes put in and 16 taken
out at evenly spaced places: one damage at a time. Readers count what they give of it: operations on entities
(playhead, gem-dota), rows of players and ticks (demoparser2), events (playhead, s2protocol, sc2reader), messages
(playhead, teehistorian-py). *Kept* is the share of what the same reader gives of the intact file; *wrong* what it
gives beside that, in per cent of the same. A reader that raises has kept what it gave before, where it gives
things one by one. *Raised* are files that ended in an error, too long a wait or the end of the process.
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

from measure import HERE, PEER_PYTHON

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

#: By game or, where there is no entry, format: playhead, then its peers.
READERS = {
    "dota": ("playhead: entities", "gem-dota"),
    "source2": ("playhead: entities", "demoparser2"),
    "sc2": ("playhead: events", "s2protocol", "sc2reader"),
    "teehistorian": ("playhead: messages", "teehistorian-py"),
}


def readers_of(path: Path) -> tuple[str, ...]:
    """Which readers a file is for."""
    with playhead.open(path) as replay:
        return READERS.get(replay.info.game or "", ()) or READERS[replay.format]


def write_damaged(path: Path, folder: Path, places: int) -> list[tuple[str, Path]]:
    """Write what becomes of a file by each damage, and which it is."""
    data = path.read_bytes()
    found = []
    for kind, damage in DAMAGES.items():
        for number in range(places):
            place = (2 * number + 1) * len(data) // (2 * places)
            out = folder / f"{kind}{number}{path.suffix}"
            out.write_bytes(damage(data, place))
            found.append((kind, out))
    return found


def ask(reader: str, seconds: int, paths: list[Path]) -> list[dict[str, Any]]:
    """What a reader says of each file; nothing if it cannot be run, or does not read the intact one."""
    python = sys.executable if reader.startswith("playhead") else PEER_PYTHON
    command = [python, str(HERE / "damage_readers.py"), reader, str(seconds), *map(str, paths)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    lines: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    return lines if len(lines) == len(paths) and lines[0]["whole"] else []


def report(path: Path, places: int, seconds: int) -> None:
    """Print the rows of one file."""
    readers = readers_of(path)
    with tempfile.TemporaryDirectory() as folder:
        damaged = write_damaged(path, Path(folder), places)
        for reader in readers:
            whole, *lines = ask(reader, seconds, [path, *(one for _, one in damaged)]) or [None]
            cells = []
            for kind in DAMAGES if whole else ():
                of_kind = [line for (other, _), line in zip(damaged, lines, strict=True) if other == kind]
                assert whole is not None
                cells.append(f"{fmean(100 * line['kept'] / whole['whole'] for line in of_kind):.0f}")
            if not whole:
                print(f"| {path.name} | {reader} | {'not read' if reader else ''} |" + " |" * (len(DAMAGES) + 2))
                continue
            wrong = fmean(100 * line["wrong"] / whole["whole"] for line in lines)
            raised = sum(line["failed"] is not None for line in lines)
            ends = f"{wrong:.1f} | {raised} of {len(lines)}"
            print(f"| {path.name} | {reader} | {whole['whole']:,} | {' | '.join(cells)} | {ends} |", flush=True)


def main() -> None:
    """The command."""
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
