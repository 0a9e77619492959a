"""What the readers that `damage.py` compares give of a file, in a process of their own: a line of JSON for each.

    python benchmarks/damage_readers.py READER SECONDS INTACT DAMAGED …

Each file is read in a process that is ended after so many seconds, or may die. What is there when a reader raises
counts. Nothing of playhead is imported but by its own reader.
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

#: Adds what it reads to the counter, one by one or at the end, and may raise.
Reader = Callable[[str, "Counter[Any]"], None]


def playhead_entities(path: str, found: Counter[Any]) -> None:
    """Every operation on an entity: tick, index, which."""
    import playhead

    playback = playhead.open(path).playback()  # type: ignore[attr-defined]
    playback.entities.on_entity(lambda entity, op: found.update([(playback.tick, entity.index, int(op))]))
    playback.run()


def gem_dota(path: str, found: Counter[Any]) -> None:
    """The same of gem-dota."""
    from gem.parser import ReplayParser

    parser = ReplayParser(path)
    parser.on_entity(lambda entity, op: found.update([(parser.tick, entity.get_index(), int(op))]))
    parser.parse()


def demoparser2(path: str, found: Counter[Any]) -> None:
    """Position and health of every player at every tick."""
    from demoparser2 import DemoParser

    table = DemoParser(path).parse_ticks(["X", "Y", "health"])
    found.update(zip(*(map(str, table[name]) for name in ("tick", "steamid", "X", "Y", "health")), strict=True))


def playhead_events(path: str, found: Counter[Any]) -> None:
    """Every event of the three streams: loop, user and name, as s2protocol counts them."""
    import playhead

    replay = playhead.open(path)
    names = ("game_events", "message_events", "tracker_events")
    for table in replay.read_tables(names).values():
        columns = [
            table.column(name).to_pylist() for name in ("tick", "user", "event") if name in table.column_names
        ]
        found.update(zip(*columns, strict=True))


def s2protocol(path: str, found: Counter[Any]) -> None:
    """The same of Blizzard's s2protocol; a stream that fails leaves the others."""
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
    """Typed events: frame and name."""
    import sc2reader as package

    found.update((event.frame, event.name) for event in package.load_replay(path, load_level=4).events)


def playhead_messages(path: str, found: Counter[Any]) -> None:
    """Every message of a teehistorian: tick, kind, client, size."""
    import playhead

    table = playhead.open(path).table("messages")
    found.update(
        zip(*(table.column(name).to_pylist() for name in ("tick", "kind", "client", "bytes")), strict=True)
    )


def teehistorian_py(path: str, found: Counter[Any]) -> None:
    """The same of teehistorian-py."""
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
    """Read a file in a forked process; return what it found, and why it stopped short."""
    with tempfile.TemporaryFile() as told:
        child = os.fork()
        if not child:
            signal.alarm(seconds)
            found: Counter[Any] = Counter()
            failed = None
            try:
                reader(path, found)
            except BaseException as error:  # a panic of Rust is no Exception
                failed = type(error).__name__
            pickle.dump((found, failed), told)
            told.flush()
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if os.WIFSIGNALED(status):
            late = os.WTERMSIG(status) == signal.SIGALRM
            return Counter(), "too long" if late else f"signal {os.WTERMSIG(status)}"
        told.seek(0)
        result: tuple[Counter[Any], str | None] = pickle.load(told)
        return result


def main(name: str, seconds: int, paths: Iterable[str]) -> None:
    """Tell of each path what share of the first's is in it, and how much that is not."""
    whole: Counter[Any] | None = None
    # What Rust and loggers say of damage is not asked for.
    quiet = os.open(os.devnull, os.O_WRONLY)
    told = os.dup(1)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    with os.fdopen(told, "w") as out:
        for path in paths:
            found, failed = one(READERS[name], path, seconds)
            whole = found if whole is None else whole
            kept = (found & whole).total()
            line = {"whole": whole.total(), "kept": kept, "wrong": found.total() - kept, "failed": failed}
            print(json.dumps(line), file=out, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
