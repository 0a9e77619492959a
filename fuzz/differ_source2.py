"""Mutated demos as playhead and the crate source2-demo play them: the state at their end, field by field.

Only demos without a problem are compared: after damage each parser goes on in its own way. Known differences are
in `benchmarks/peers/explained.py`; source2-demo also ignores the message that clears all string tables.
"""

from __future__ import annotations

import sys
import tempfile
from functools import cache
from pathlib import Path
from random import Random

import mutation
from targets import source2_demo

from playhead.errors import ReplayError

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks" / "peers"))

import compare as peers
import playhead_dump
from tests.samples import cs2
from tests.samples.source2 import dota2
from tests.samples.source2.deadlock import recording as deadlock

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
    if not ours.tables:  # svc_ClearAllStringTables
        theirs.tables.clear()
    found = peers.Comparison("mutant", "source2-demo")
    peers.compare_states(found, ours, theirs, None)
    return True, "; ".join(found.first) or None


def seeds() -> dict[str, bytes]:
    """Return whole samples of the games."""
    match = deadlock.WrittenMatch()
    return {"dota2": dota2.sample_demo()[0], "cs2": cs2.sample_demo(), "deadlock": match.demo()}


def mutate(data: bytes, random: Random, _name: str) -> bytes:
    """Flip a bit in the content of a frame, or change it more, and store it with its size corrected."""
    return source2_demo.mutate(data, random, flip if random.random() < 0.8 else mutation.change)


def flip(data: bytes, random: Random) -> bytes:
    """Flip one bit: most such demos can still be played."""
    out = bytearray(data or b"\0")
    out[random.randrange(len(out))] ^= 1 << random.randrange(8)
    return bytes(out)
