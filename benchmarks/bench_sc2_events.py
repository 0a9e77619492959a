"""All event streams of StarCraft II replays: playhead into Arrow, s2protocol into dicts; same files, same run.

Usage: bench_sc2_events.py [FOLDER] [STEP]     (default: the corpus folder that the tests use, every 8th file)

Unpacked streams are given to both; opening the archive and importing are not part of it. playhead makes all it
has of them: loop, user and event of every event, its fields as JSON text, and the columns of the tables. Best of
three rounds for playhead, one for s2protocol.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from s2protocol import versions

import playhead
from playhead import hot
from playhead.sc2.protocol.program import event_program
from playhead.sc2.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.streams import decode_stream

ROUNDS = 3
MEMBERS = {name: f"replay.{name}.events" for name in (GAME, MESSAGE, TRACKER)}


def corpus_folder() -> Path:
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    named = os.environ.get("PLAYHEAD_CORPUS")
    return (Path(named) if named else Path(__file__).parents[2] / "shared" / "corpus") / "sc2"


def streams_of(path: Path) -> list[tuple[str, Any, Any, bytes]]:
    """Streams that s2protocol has types for."""
    replay = playhead.open(path)
    assert isinstance(replay, Sc2Replay)
    if replay.archive is None or replay.header is None:
        return []
    try:
        protocol = versions.build(replay.header.base_build)
    except ImportError:
        return []
    out = []
    for name, member in MEMBERS.items():
        typed = "tracker_event_types" if name == TRACKER else "replay_userid_typeid"
        if member in replay.archive and getattr(protocol, typed, None):
            program = event_program(replay.header.base_build, replay.header.build, name)
            out.append((name, program, protocol, replay.archive.read(member)))
    return out


def theirs(name: str, protocol: Any, data: bytes) -> int:
    try:
        return sum(1 for _ in getattr(protocol, f"decode_replay_{name}_events")(data))
    except Exception:
        return -1


def main() -> None:
    step = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    paths = sorted(path for path in corpus_folder().rglob("*") if path.suffix.lower() == ".sc2replay")[::step]
    events = size = files = 0
    ours_seconds = their_seconds = 0.0
    for path in paths:
        counted = False
        for name, program, protocol, data in streams_of(path):
            start = time.process_time()
            count = theirs(name, protocol, data)
            spent = time.process_time() - start
            best = None
            for _ in range(ROUNDS):
                start = time.process_time()
                stream = decode_stream(data, program, name, text=True)
                taken = time.process_time() - start
                best = taken if best is None else min(best, taken)
            if count != len(stream):
                continue  # one of the two stops at damage, or does not know an event
            assert best is not None
            counted = True
            events, size = events + count, size + len(data)
            ours_seconds, their_seconds = ours_seconds + best, their_seconds + spent
        files += counted
    print(f"{files} files, {events:,} events, {size / 1e6:.1f} MB unpacked, playhead {hot.summary()}")
    for reader, seconds in (("playhead to Arrow", ours_seconds), ("s2protocol to dicts", their_seconds)):
        rate, cost = events / seconds, seconds / size * 1e6
        print(f"{reader:20} {seconds:8.3f} s  {rate:12,.0f} events/s  {cost:8.4f} CPU s/MB")
    print(f"{their_seconds / ours_seconds:.1f} times faster")


if __name__ == "__main__":
    main()
