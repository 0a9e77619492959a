"""Event streams of StarCraft II replays: playhead and s2protocol on the same files in the same run.

Usage: bench_sc2_events.py [FOLDER] [STEP]     (default: the corpus folder of the tests, every 8th file)

Both readers get unpacked streams, so opening the archive and importing are excluded. playhead produces
everything: loop, user and event of every event, its fields as JSON text, columns of the tables; then objects
like s2protocol's, and typed events. Best of three rounds for playhead, one for the other. CPU seconds are per
megabyte of unpacked streams. Whole files are rows of `all.py`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from fastest import fastest
from s2protocol import versions

import playhead
from playhead.blizzard.encoding.event_decoder import EventDecoder
from playhead.blizzard.events.columns import decode_stream
from playhead.blizzard.events.reading import read_events
from playhead.blizzard.protocol.tables import GAME, ID_BITS, MESSAGE, TRACKER
from playhead.runtime import hot
from playhead.sc2.protocol.tables import event_program
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.tables.registry import TABLES

ROUNDS = 3
MEMBERS = {name: f"replay.{name}.events" for name in (GAME, MESSAGE, TRACKER)}


def corpus_folder() -> Path:
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    named = os.environ.get("PLAYHEAD_CORPUS")
    return (Path(named) if named else Path(__file__).parents[2] / "shared" / "corpus") / "sc2"


def streams_of(path: Path) -> list[tuple[str, Any, Any, bytes]]:
    """Return the streams for which s2protocol has types."""
    replay = playhead.open(path)
    assert isinstance(replay, Sc2Replay)
    if replay.recording.container.archive is None or replay.recording.container.header is None:
        return []
    try:
        protocol = versions.build(replay.recording.container.header.base_build)
    except ImportError:
        return []
    out = []
    for name, member in MEMBERS.items():
        typed = "tracker_event_types" if name == TRACKER else "replay_userid_typeid"
        if member in replay.recording.container.archive and getattr(protocol, typed, None):
            program = event_program(
                replay.recording.container.header.base_build, replay.recording.container.header.build, name
            )
            out.append((name, program, protocol, replay.recording.container.archive.read(member)))
    return out


def theirs(name: str, protocol: Any, data: bytes) -> int:
    try:
        return sum(1 for _ in getattr(protocol, f"decode_replay_{name}_events")(data))
    except Exception:
        return -1


def as_objects(name: str, program: Any, data: bytes) -> None:
    decoder = EventDecoder(program, data, tagged=name == TRACKER, id_bits=ID_BITS[name])
    while decoder.next_event() is not None:
        pass


def as_typed(name: str, program: Any, data: bytes) -> None:
    for _ in read_events(data, program, name, 22.4, {}):
        pass


def as_columns(name: str, program: Any, data: bytes) -> None:
    decode_stream(data, program, name, capture=TABLES.captured(name), text=True)


WAYS: dict[str, Callable[[str, Any, bytes], None]] = {
    "playhead to Arrow": as_columns,
    "playhead to dicts": as_objects,
    "playhead typed": as_typed,
}


def show(seconds: dict[str, float], events: int, size: int) -> None:
    for reader, spent in seconds.items():
        rate, cost = events / spent, spent / size * 1e6
        print(f"{reader:22} {spent:8.3f} s  {rate:12,.0f} events/s  {cost:8.4f} CPU s/MB")


def streams(paths: Iterable[Path]) -> None:
    events = size = files = 0
    seconds = dict.fromkeys((*WAYS, "s2protocol to dicts"), 0.0)
    for path in paths:
        counted = False
        for name, program, protocol, data in streams_of(path):
            start = time.process_time()
            count = theirs(name, protocol, data)
            spent = time.process_time() - start
            if count != len(decode_stream(data, program, name)):
                continue  # one of them stops at damage, or does not know an event
            counted = True
            events, size = events + count, size + len(data)
            seconds["s2protocol to dicts"] += spent
            for way, action in WAYS.items():
                seconds[way] += fastest(partial(action, name, program, data), ROUNDS)[0]
        files += counted
    print(f"Streams: {files} files, {events:,} events, {size / 1e6:.1f} MB unpacked, playhead {hot.summary()}")
    show(seconds, events, size)
    print(f"{seconds['s2protocol to dicts'] / seconds['playhead to Arrow']:.1f} times faster")


def main() -> None:
    step = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    paths = sorted(path for path in corpus_folder().rglob("*") if path.suffix.lower() == ".sc2replay")[::step]
    streams(paths)


if __name__ == "__main__":
    main()
