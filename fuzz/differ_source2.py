"""Mutated demos as playhead and the crate source2-demo play them: the state at their end, field by field.

Only demos without a problem are compared: after damage each parser goes on in its own way. Known differences are
in `benchmarks/peers/explained.py`.
"""

from __future__ import annotations

import sys
import tempfile
from functools import cache
from pathlib import Path
from random import Random

from seeds import seeds_of
from targets import source2_demo

from playhead.errors import ReplayError

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks" / "peers"))

import compare as peers
import playhead_dump

#: A mutant may make a peer wait or allocate.
_SECONDS = 20


@cache
def _peer() -> peers.Peer:
    (found,) = peers.peers({"source2-demo"})
    if found.missing:
        raise SystemExit(found.missing)
    found.command[:0] = ["prlimit", "--as=4000000000"]
    return found


@cache
def _file() -> Path:
    return Path(tempfile.mkdtemp(prefix="playhead-differ-")) / "mutant.dem"


def compare(data: bytes, _name: str) -> tuple[bool, str | None]:
    """Return whether both read the demo to its end without a problem, and the first unexplained differences."""
    path = _file()
    path.write_bytes(data)
    ours = peers.State()
    try:
        for line in playhead_dump.lines(str(path)):
            ours.add(line)
    except ReplayError:
        return False, None
    if ours.last["problems"]:
        return False, None
    theirs = peers.run(_peer(), path, _SECONDS)
    if theirs.error:
        return False, None
    found = peers.Comparison("mutant", "source2-demo")
    peers.compare_states(found, ours, theirs, None)
    return True, "; ".join(found.first) or None


def seeds() -> dict[str, bytes]:
    """Return the samples of the games."""
    return {
        f"{game} {number}": data
        for game in ("dota2", "cs2", "deadlock")
        for number, data in enumerate(seeds_of(f"source2_{game}_facts"))
    }


def mutate(data: bytes, random: Random, _name: str) -> bytes:
    """Change the content of a frame, and store it with its size corrected."""
    return source2_demo.mutate(data, random)
