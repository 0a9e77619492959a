"""Cost of a corpus of thousands of replays: replays per second, memory, peers in loops, Ray, kills and poison.

    python benchmarks/scale.py [--only SECTION …] [--count 3300] [--json FILE] [--files DIR] [--match FILE]

Inputs are the StarCraft II replays of the corpus (``PLAYHEAD_CORPUS``, default ``../shared/corpus``) and
variants of them by playhead's own writer: the same game on another day, hence with another hash. They are
written into a temporary folder, or kept in ``--files``.

Figures are CPU seconds of all processes together, which do not depend on other work of the machine; bytes are
those of the stored inputs. Each run has its own process. Peers are those of the Python in
``PLAYHEAD_PEERS_PYTHON``; missing ones are reported and skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import measure
import scale_poison
from tests.samples.blizzard import write_details

import playhead
from playhead.blizzard.members import member_names
from playhead.blizzard.members.details import read_details
from playhead.blizzard.writing.rewriter import rewrite_replay
from playhead.corpus import WorkerLimits, compact

CORPUS = Path(os.environ.get("PLAYHEAD_CORPUS", Path(__file__).parents[2] / "shared" / "corpus"))

#: Tables exported from every replay: facts, players, economy, build orders, chat, commands.
SOME = ["info", "players", "player_stats", "build_order", "chat", "commands"]
OF_MATCH = ["info", "players", "player_series", "kills", "objectives", "chat"]
FACTS = ["info", "players"]
FEW = ["info", "players", "player_stats"]

_DAY = 864_000_000_000  # in units of 100 ns
_QUERY = "SELECT player, max(seconds) FROM player_stats GROUP BY player"


class Inputs:
    """The folders of inputs, created on first use."""

    def __init__(self, folder: Path, count: int, match: Path | None = None) -> None:
        self._folder = folder
        self.count = count
        self.match = match
        self.games = sorted((CORPUS / "sc2").rglob("*.SC2Replay"))

    def variants(self, count: int | None = None) -> Path:
        """Return that many distinct replays: those of the corpus, and variants of its StarCraft II replays."""
        count = count or self.count
        folder = self._folder / f"variants-{count}"
        if not folder.is_dir():
            made = folder.with_name(folder.name + ".part")
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir(parents=True)
            originals = self.games[:count]
            for number, path in enumerate(originals):
                shutil.copy(path, made / f"{number}.SC2Replay")
            left = count - len(originals)
            for number, data in zip(range(left), self._changed(), strict=False):
                (made / f"variant{number}.SC2Replay").write_bytes(data)
            made.rename(folder)
        return folder

    def _changed(self) -> Iterator[bytes]:
        """Yield the same games on other days, without end."""
        day = 0
        while True:
            day += 1
            for path in self.games:
                with playhead.open(path) as game:
                    assert isinstance(game, playhead.sc2.replay.Sc2Replay)
                    try:
                        details = read_details(game.archive.read(member_names.DETAILS))
                        moved = write_details(replace(details, time_utc=details.time_utc + day * _DAY))
                        yield rewrite_replay(game, {member_names.DETAILS: moved})
                    except (playhead.ReplayError, KeyError, ValueError, AttributeError):
                        yield path.read_bytes() + day.to_bytes(4, "little")  # replays without details

    def copies(self) -> Path:
        """Return each of the variants under ten names."""
        folder = self._folder / f"copies-{self.count}"
        if not folder.is_dir():
            made = folder.with_name(folder.name + ".part")
            shutil.rmtree(made, ignore_errors=True)
            for part in range(10):
                (made / str(part)).mkdir(parents=True)
                for path in self.variants().iterdir():
                    os.link(path, made / str(part) / path.name)
            made.rename(folder)
        return folder


# -- one export, in a process of its own ---------------------------------------------------------------------


def export(source: Path | list[str], *, jobs: int = 2, **options: Any) -> dict[str, Any]:
    """Return the cost of an export: CPU seconds, peak memory of the program and of its largest worker."""
    order = {"source": str(source) if isinstance(source, Path) else source, "jobs": jobs, **options}
    return measure.run_json([sys.executable, __file__, "--run", json.dumps(order)])


def run(order: dict[str, Any]) -> dict[str, Any]:
    """Run the order of `export` in this process."""
    keep = order.pop("lake", None)
    with tempfile.TemporaryDirectory() as scratch:
        lake = keep or f"{scratch}/lake"
        corpus = playhead.scan(order.pop("source"), jobs=order.pop("jobs"))
        began = time.monotonic()
        report = corpus.export(lake, **order)
        wall = time.monotonic() - began
        size = sum(path.stat().st_size for path in Path(lake).rglob("*.parquet"))
        mine, workers = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = mine.ru_utime + mine.ru_stime + workers.ru_utime + workers.ru_stime
    progress = report.progress
    return {
        "replays": progress.done,
        "held": progress.held,
        "copies": report.copies,
        "mb": progress.bytes_done / 1e6,
        "failed": progress.failed,
        "lake_mb": size / 1e6,
        "cpu": spent,
        "cpu_program": mine.ru_utime + mine.ru_stime,
        "wall": wall,
        "peak_program_mb": mine.ru_maxrss / 1024,
        "peak_worker_mb": workers.ru_maxrss / 1024,
    }


def rates(facts: dict[str, Any]) -> str:
    """Return a readable summary of a run."""
    per = facts["replays"] / facts["cpu"]
    there = f" ({facts['held']} there, {facts['copies']} copies)" if facts["held"] else ""
    return (
        f"{facts['replays']} replays{there}, {facts['mb']:.0f} MB: {facts['cpu']:.1f} s of CPU, {per:.1f} replays "
        f"and {facts['mb'] / facts['cpu']:.2f} MB a second of CPU, wall {facts['wall']:.0f} s, "
        f"memory {facts['peak_program_mb']:.0f} + {facts['peak_worker_mb']:.0f} MB, lake {facts['lake_mb']:.1f} MB"
    )


# -- sections ------------------------------------------------------------------------------------------------


def processes(inputs: Inputs) -> dict[str, Any]:
    """Measure one and two processes on the real replays: some tables, and all default exports."""
    real = CORPUS / "sc2"
    return {
        "1 process, six tables": export(real, jobs=1, tables=SOME),
        "2 processes, six tables": export(real, jobs=2, tables=SOME),
        "2 processes, all tables": export(real, jobs=2),
    }


def growth(inputs: Inputs) -> dict[str, Any]:
    """Measure a tenth of the replays, all of them, and each under ten names: memory must not grow."""
    lake = inputs.variants().with_name("lake")
    found = {
        "a tenth": export(inputs.variants(inputs.count // 10), tables=FACTS),
        "all": export(inputs.variants(), tables=FACTS, lake=str(lake)),
        "each under ten names, all there": export(inputs.copies(), tables=FACTS, lake=str(lake)),
    }
    shutil.rmtree(lake)
    return found


def peers(inputs: Inputs) -> dict[str, Any]:
    """Measure loops over peers, one process each, and playhead on the same files."""
    games = inputs.games
    matches = [CORPUS / "source2" / "dota2_build9912_10bots.dem"]
    counter = sorted((CORPUS / "source2").glob("cs2_*.dem"))
    found: dict[str, Any] = {
        "playhead, six tables": export([str(path) for path in games], jobs=1, tables=SOME),
        "playhead, all tables": export([str(path) for path in games], jobs=1),
        "playhead, Dota 2": export([str(path) for path in matches], jobs=1),
        "playhead, CS2": export([str(path) for path in counter], jobs=1),
    }
    for name, package, files in (
        ("sc2reader_loop", "sc2reader", games),
        ("spawningtool", "spawningtool", games),
        ("gem_batch", "gem", matches),
        ("awpy", "awpy", counter),
    ):
        try:
            side = measure.peer_job(package, name, *files, runs=1)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken = side()
        except measure.Missing as error:
            found[name] = {"missing": str(error)}
            continue
        after = resource.getrusage(resource.RUSAGE_CHILDREN)  # includes the processes that a peer starts
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        size = sum(path.stat().st_size for path in files) / 1e6
        found[name] = {"replays": len(files), "mb": size, "cpu": spent, **taken.facts}
    return found


def poison(inputs: Inputs) -> dict[str, Any]:
    """Measure 1,000 inputs: 892 good ones, 100 damaged ones, 5 that hang and 3 that crash their process."""
    whole = [number for number, path in enumerate(inputs.games) if _is_whole(path)]
    names = [f"{number}.SC2Replay" for number in whole]
    names += [
        f"variant{day * len(inputs.games) + number}.SC2Replay"
        for day in range(inputs.count // len(inputs.games) - 1)
        for number in whole
    ]
    good = [inputs.variants() / name for name in names[:892]]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "in")
        folder.mkdir()
        for number, path in enumerate(good):
            shutil.copy(path, folder / f"good{number}.SC2Replay")
        data = good[0].read_bytes()
        for number in range(100):
            (folder / f"damaged{number}.SC2Replay").write_bytes(data[:28] + bytes([number]))
        for word, count in (("hang", 5), ("crash", 3)):
            for number in range(count):
                (folder / f"{word}{number}.SC2Replay").write_bytes(data + word.encode() + bytes([number]))
        corpus = playhead.scan(folder, jobs=2, worker_limits=WorkerLimits(stall_seconds=20.0))
        corpus._running = replace(corpus._running, decoder=scale_poison.decode)
        report = corpus.export(Path(scratch, "lake"), tables=FEW)
        lake = playhead.open_lake(Path(scratch, "lake"))
        reasons: dict[str, int] = {}
        for reason in lake.problems["kind"].to_pylist():
            reasons[reason or "problems"] = reasons.get(reason or "problems", 0) + 1
        read = lake.status()
        wrong = {Path(name).stem.rstrip("0123456789") for name in report.failed["file"].to_pylist()}
    return {"inputs": report.progress.done, **read, "reasons": reasons, "what failed": sorted(wrong)}


def _is_whole(path: Path) -> bool:
    with playhead.open(path) as game:
        game.read_tables(FEW)
        return not game.problems_so_far


def matches(inputs: Inputs) -> dict[str, Any]:
    """Measure one long match, given by --match: some tables, and all default exports."""
    if inputs.match is None:
        return {"missing": "no --match"}
    one = [str(inputs.match)]
    return {"six tables": export(one, jobs=1, tables=OF_MATCH), "all tables": export(one, jobs=1)}


def shards(inputs: Inputs) -> dict[str, Any]:
    """Measure opening, querying and compacting a lake of many small shards, one per real replay."""
    with tempfile.TemporaryDirectory() as scratch:
        lake = Path(scratch, "lake")
        export(CORPUS / "sc2", tables=FEW, shard_inputs=1, lake=str(lake))
        found: dict[str, Any] = {"shards": len(playhead.open_lake(lake).data_files("info"))}
        for when in ("as written", "compacted"):
            files = sum(1 for path in lake.rglob("*") if path.is_file())
            opening = _cpu(lambda: playhead.open_lake(lake).inputs)
            query = _cpu(lambda: playhead.open_lake(lake).query(_QUERY))
            found[when] = {"files": files, "opening": opening, "opening and a query": query}
            if when == "as written":
                found["compaction"] = _cpu(lambda: compact(lake, keep_hours=0), runs=1)
    return found


def _cpu(work: Callable[[], object], runs: int = 3) -> float:
    """Return the least CPU seconds of this process for some work."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


SECTIONS: dict[str, Callable[[Inputs], dict[str, Any]]] = {
    each.__name__: each for each in (processes, matches, growth, peers, poison, shards)
}


def main() -> None:
    """Run the sections and print their results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--count", type=int, default=3300)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--files", type=Path)
    parser.add_argument("--match", type=Path, help="a long recording, for the section of that name")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        print(json.dumps(run(json.loads(asked.run))))
        return
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        inputs = Inputs(asked.files or Path(scratch), asked.count, asked.match)
        for name in asked.only:
            print(f"## {name}: {(SECTIONS[name].__doc__ or '').partition(chr(10))[0]}", flush=True)
            found[name] = SECTIONS[name](inputs)
            for key, value in found[name].items():
                whole = isinstance(value, dict) and "wall" in value
                print(f"{key}: {rates(value) if whole else value}", flush=True)
            if asked.json:
                asked.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
