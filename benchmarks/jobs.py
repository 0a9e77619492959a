"""The playhead jobs of `all.py`, one per process: ``jobs.py NAME RUNS PATH…`` prints its times as JSON.

A job gets its paths and returns a function, which is called and measured RUNS times, each time from the path on.
If the function returns a mapping, it is printed too.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

Paths = list[str]
JOBS: dict[str, Callable[[Paths], Callable[[], Any]]] = {}


def job(make: Callable[[Paths], Callable[[], Any]]) -> Callable[[Paths], Callable[[], Any]]:
    """Register a job under the name of its function."""
    JOBS[make.__name__] = make
    return make


def _open(path: str, **options: Any) -> Any:
    import playhead

    return playhead.open(path, **options)


# -- Source 2 ------------------------------------------------------------------------------------------------


@job
def entities(paths: Paths) -> Callable[[], Any]:
    """Play every entity from the first packet to the last."""
    return lambda: _open(paths[0]).playback().run()


@job
def schema(paths: Paths) -> Callable[[], Any]:
    """Read the serializers and classes of the second file; the first, of another build, warms up imports.

    The first run decodes the build for the first time, and reports its own time (`new`).
    """
    _open(paths[0]).playback().run()
    taken: list[float] = []

    def run() -> dict[str, float]:
        replay = _open(paths[1])
        start = time.process_time()
        replay.recording.schema  # noqa: B018
        taken.append(time.process_time() - start)
        return {"new": taken[0], "known": min(taken[1:] or taken), "classes": len(replay.recording.class_names)}

    return run


@job
def arrow(paths: Paths) -> Callable[[], Any]:
    """Play every entity to the end, and build the string tables and the combat log as Arrow tables, in one
    pass.
    """

    def run() -> None:
        replay = _open(paths[0])
        replay.play(*sorted({"string_tables", "combat_log"} & replay.tables.keys()))

    return run


@job
def chat_table(paths: Paths) -> Callable[[], Any]:
    """Build table ``chat``."""
    return lambda: _open(paths[0]).table("chat")


@job
def chat_events(paths: Paths) -> Callable[[], Any]:
    """Read the events ``chat``."""
    return lambda: list(_open(paths[0]).events("chat_sent"))


@job
def all_tables(paths: Paths) -> Callable[[], Any]:
    """Build every table of every file."""
    return lambda: [_open(path).read_tables() for path in paths] and None


@job
def all_columns(paths: Paths) -> Callable[[], Any]:
    """Build every table of every file, and make every column."""
    return lambda: [dict(_open(path).read_tables()) for path in paths] and None


@job
def tables_without_events(paths: Paths) -> Callable[[], Any]:
    """Build every table except ``events``."""

    def run() -> None:
        for path in paths:
            replay = _open(path)
            replay.read_tables(name for name in replay.tables if name != "events")

    return run


def _rows_of(path: str, names: list[str]) -> Callable[[], Any]:
    return lambda: {"rows": sum(table.num_rows for table in _open(path).read_tables(names).values())}


def _cs2_players(path: str, jobs: int) -> Callable[[], Any]:
    columns = ["x", "y", "z", "health", "armor", "side", "pitch", "yaw", "tick", "name"]
    return lambda: {"rows": len(_open(path).table("player_series", every="1 tick", columns=columns, jobs=jobs))}


@job
def cs2_players(paths: Paths) -> Callable[[], Any]:
    """Eight columns of all players of a CS2 match at every tick."""
    return _cs2_players(paths[0], 1)


@job
def cs2_players_2(paths: Paths) -> Callable[[], Any]:
    """As `cs2_players`, on two cores."""
    return _cs2_players(paths[0], 2)


@job
def cs2_all_columns(paths: Paths) -> Callable[[], Any]:
    """All columns of all players of a CS2 match at every tick."""
    return lambda: {"rows": _open(paths[0]).table("player_series", every="1 tick").num_rows}


@job
def cs2_tables(paths: Paths) -> Callable[[], Any]:
    """All tables of a CS2 match."""
    from playhead.cs2.facts import TABLES

    names = list(TABLES.own())
    return _rows_of(paths[0], names)


@job
def cs2_fights(paths: Paths) -> Callable[[], Any]:
    """Kills, damage and rounds of a CS2 match."""
    names = ["kills", "damage", "rounds"]
    return _rows_of(paths[0], names)


@job
def cs2_fights_one_by_one(paths: Paths) -> Callable[[], Any]:
    """As `cs2_fights`, with a call of `table` for each."""

    def run() -> dict[str, int]:
        replay = _open(paths[0])
        return {"rows": sum(replay.table(name).num_rows for name in ("kills", "damage", "rounds"))}

    return run


#: Tables that people ask for, whatever they cost.
_SIXTEEN = (
    *("kills", "damage", "rounds", "shots", "flashes", "bomb", "grenades", "economy", "item_events"),
    *("player_stats", "player_series", "chat", "infernos", "smokes", "periods", "match"),
)


@job
def cs2_sixteen(paths: Paths) -> Callable[[], Any]:
    """Sixteen tables of a CS2 match, together."""
    return _rows_of(paths[0], list(_SIXTEEN))


@job
def cs2_sixteen_one_by_one(paths: Paths) -> Callable[[], Any]:
    """As `cs2_sixteen`, with a call of `table` for each."""

    def run() -> dict[str, int]:
        replay = _open(paths[0])
        return {"rows": sum(replay.table(name).num_rows for name in _SIXTEEN)}

    return run


@job
def one_table(paths: Paths) -> Callable[[], Any]:
    """A table of a file. The second path is its name, the third that of a module imported before, or ``-``."""
    path, name, before = paths
    if before != "-":
        importlib.import_module(before)
    return lambda: {"rows": _open(path).table(name).num_rows}


@job
def deadlock_players(paths: Paths) -> Callable[[], Any]:
    """All columns of all players of a Deadlock match at every tick."""
    return lambda: {"rows": _open(paths[0]).table("player_series", every=1).num_rows}


@job
def deadlock_fights(paths: Paths) -> Callable[[], Any]:
    """Kills, damage and purchases of a Deadlock match."""
    names = ["kills", "damage", "item_events"]
    return _rows_of(paths[0], names)


@job
def deadlock_tables(paths: Paths) -> Callable[[], Any]:
    """All tables of `playhead.deadlock`; those with an interval once a second."""
    from playhead.deadlock.facts import TABLES

    return lambda: {"tables": len(_open(paths[0]).read_tables(sorted(TABLES.own())))}


def _segments(path: str, workers: int) -> Callable[[], Any]:
    def run() -> dict[str, float]:
        replay = _open(path)
        start = time.perf_counter()
        rows = replay.entity_table("CDOTA_Unit_Hero_*", jobs=workers).num_rows
        return {"wall": time.perf_counter() - start, "rows": rows}

    return run


@job
def segments_1(paths: Paths) -> Callable[[], Any]:
    """Build every change of a hero, on one core."""
    return _segments(paths[0], 1)


@job
def segments_2(paths: Paths) -> Callable[[], Any]:
    """Build every change of a hero, on two cores."""
    return _segments(paths[0], 2)


# -- StarCraft II --------------------------------------------------------------------------------------------


@job
def sc2_columns(paths: Paths) -> Callable[[], Any]:
    """Read all events of all files as columns."""

    def run() -> dict[str, int]:
        events = 0
        for path in paths:
            replay = _open(path)
            events += sum(len(replay.recording.stream(name) or ()) for name in ("game", "message", "tracker"))
        return {"events": events}

    return run


@job
def sc2_events(paths: Paths) -> Callable[[], Any]:
    """Read all events of all files as typed objects, in a list per file."""
    return lambda: {"events": sum(len(list(_open(path).events())) for path in paths)}


@job
def sc2_at(paths: Paths) -> Callable[[], Any]:
    """Read the state in the middle of the game."""

    def run() -> None:
        replay = _open(paths[0])
        replay.at(replay.info.duration_ticks // 2)

    return run


# -- teehistorian --------------------------------------------------------------------------------------------


@job
def tee_columns(paths: Paths) -> Callable[[], Any]:
    """Read positions and inputs, in one pass."""
    return lambda: _open(paths[0]).read_tables(["positions", "inputs"]) and None


@job
def tee_whole(paths: Paths) -> Callable[[], Any]:
    """Read positions and inputs, in one pass, and make every column of both."""
    return lambda: dict(_open(paths[0]).read_tables(["positions", "inputs"])) and None


@job
def tee_batches(paths: Paths) -> Callable[[], Any]:
    """Stream positions in batches."""
    return lambda: {"rows": sum(b.num_rows for b in _open(paths[0], stream=True).batches("positions"))}


@job
def tee_messages(paths: Paths) -> Callable[[], Any]:
    """Read every message as an object, with its tick."""
    return lambda: {"messages": sum(1 for _ in _open(paths[0]).messages())}


# -- the command line ----------------------------------------------------------------------------------------


@job
def info_batch(paths: Paths) -> Callable[[], Any]:
    """Run ``playhead info`` on all files, in one process."""
    import contextlib
    import io

    def run() -> None:
        from playhead.cli.arguments import Exit
        from playhead.cli.commands.info import run as info

        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
            contextlib.suppress(Exit),
        ):
            info(paths, as_json=False, map=None, check=False, strict=False)

    return run


def _peak() -> int:
    """Return the peak memory of this process, without that of the process which started it, in bytes."""
    if not os.path.exists("/proc/self/status"):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        [peak] = (line.split()[1] for line in status if line.startswith("VmHWM:"))
    return int(peak) * 1024


def main(jobs: Mapping[str, Callable[[Paths], Callable[[], Any]]]) -> None:
    """Run the job named in the arguments."""
    name, runs, *paths = sys.argv[1:]
    run = jobs[name](paths)
    times: list[float] = []
    clock: list[float] = []
    cold, facts, first = 0.0, None, 0.0
    for _ in range(int(runs)):
        start, began, alone = time.process_time(), time.perf_counter(), time.thread_time()
        facts = run()
        # Of this thread: NumPy's BLAS starts threads, which wait in a loop for tens of milliseconds.
        first = first or time.thread_time() - alone
        times.append(time.process_time() - start)
        clock.append(time.perf_counter() - began)
        cold = cold or time.process_time()
    found = facts if isinstance(facts, dict) else {}
    print(json.dumps({"times": times, "cold": cold, "first": first, "peak": _peak(), "wall": min(clock), **found}))


if __name__ == "__main__":
    main(JOBS)
