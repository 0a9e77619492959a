"""Readers for `damage.py`, in their own process: print a line of JSON per file.

    python benchmarks/damage_readers.py READER SECONDS INTACT DAMAGED …

Each file is read in a separate process with a timeout, which may also crash. Results before an exception count.
Only playhead's own readers import playhead.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

#: Adds its results to the counter, one by one or at the end; may raise.
Reader = Callable[[str, "Counter[Any]"], None]


def playhead_entities(path: str, found: Counter[Any]) -> None:
    """Count every operation on an entity: tick, index, operation."""
    import playhead

    playback = playhead.open(path).playback()  # type: ignore[attr-defined]
    playback.entities.on_entity(lambda entity, op: found.update([(playback.tick, entity.index, int(op))]))
    playback.run()


def gem_dota(path: str, found: Counter[Any]) -> None:
    """Count gem-dota's operations on entities."""
    from gem.parser import ReplayParser

    parser = ReplayParser(path)
    parser.on_entity(lambda entity, op: found.update([(parser.tick, entity.get_index(), int(op))]))
    parser.parse()


def demoparser2(path: str, found: Counter[Any]) -> None:
    """Count position and health of every player at every tick."""
    from demoparser2 import DemoParser

    table = DemoParser(path).parse_ticks(["X", "Y", "health"])
    found.update(zip(*(map(str, table[name]) for name in ("tick", "steamid", "X", "Y", "health")), strict=True))


def playhead_events(path: str, found: Counter[Any]) -> None:
    """Count every event of the three streams: loop, user and name, as s2protocol does."""
    import playhead

    replay = playhead.open(path)
    names = ("game_events", "message_events", "tracker_events")
    for table in replay.read_tables(names).values():
        columns = [
            table.column(name).to_pylist() for name in ("tick", "user", "event") if name in table.column_names
        ]
        found.update(zip(*columns, strict=True))


def s2protocol(path: str, found: Counter[Any]) -> None:
    """Count s2protocol's events; a failing stream does not affect the others."""
    import mpyq
    from s2protocol import versions

    archive = mpyq.MPQArchive(path)
    header = versions.latest().decode_replay_header(archive.header["user_data_header"]["content"])
    try:
        protocol = versions.build(header["m_version"]["m_baseBuild"])
    except ImportError:
        protocol = versions.latest()
    failed: list[Exception] = []
    for name in ("game", "message", "tracker"):
        try:
            for event in getattr(protocol, f"decode_replay_{name}_events")(
                archive.read_file(f"replay.{name}.events")
            ):
                user = event.get("_userid", {}).get("m_userId")
                found[event["_gameloop"], user, event["_event"]] += 1
        except Exception as error:
            failed.append(error)
    if failed:
        raise failed[0]


def sc2reader(path: str, found: Counter[Any]) -> None:
    """Count typed events: frame and name."""
    import sc2reader as package

    found.update((event.frame, event.name) for event in package.load_replay(path, load_level=4).events)


def playhead_messages(path: str, found: Counter[Any]) -> None:
    """Count every message of a teehistorian: tick, name, client, size."""
    import playhead

    table = playhead.open(path).table("messages")
    found.update(
        zip(*(table.column(name).to_pylist() for name in ("tick", "message", "client", "bytes")), strict=True)
    )


def teehistorian_py(path: str, found: Counter[Any]) -> None:
    """Count teehistorian-py's messages."""
    import teehistorian_py as package

    with open(path, "rb") as file:
        data = file.read()
    for message in package.Teehistorian(data):
        found[repr(message)] += 1


READERS: dict[str, Reader] = {
    "playhead: entities": playhead_entities,
    "gem-dota": gem_dota,
    "demoparser2": demoparser2,
    "playhead: events": playhead_events,
    "s2protocol": s2protocol,
    "sc2reader": sc2reader,
    "playhead: messages": playhead_messages,
    "teehistorian-py": teehistorian_py,
}


def one(reader: Reader, path: str, seconds: int) -> tuple[Counter[Any], str | None]:
    """Read a file in a forked process; return its results, and the reason for an early end."""
    with tempfile.TemporaryFile() as reported:
        child = os.fork()
        if not child:
            signal.alarm(seconds)
            found: Counter[Any] = Counter()
            failed = None
            try:
                reader(path, found)
            except BaseException as error:  # a Rust panic is not an Exception
                failed = type(error).__name__
            pickle.dump((found, failed), reported)
            reported.flush()
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if os.WIFSIGNALED(status):
            late = os.WTERMSIG(status) == signal.SIGALRM
            return Counter(), "too long" if late else f"signal {os.WTERMSIG(status)}"
        reported.seek(0)
        result: tuple[Counter[Any], str | None] = pickle.load(reported)
        return result


def main(name: str, seconds: int, paths: Iterable[str]) -> None:
    """Print for each path the share of the first path's results that it has, and the number of other results."""
    whole: Counter[Any] | None = None
    # Silence the damage reports of Rust and of loggers.
    quiet = os.open(os.devnull, os.O_WRONLY)
    reported = os.dup(1)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    with os.fdopen(reported, "w") as out:
        for path in paths:
            found, failed = one(READERS[name], path, seconds)
            whole = found if whole is None else whole
            kept = (found & whole).total()
            line = {"whole": whole.total(), "kept": kept, "wrong": found.total() - kept, "failed": failed}
            print(json.dumps(line), file=out, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
