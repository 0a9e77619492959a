"""Run the fuzz targets: with atheris where it is installed, else by random changes of the seeds.

    python fuzz/run.py                              every target in turn, 1000 inputs each, no atheris needed
    python fuzz/run.py sc2_mpq --runs 100000        one target; --seconds 60 ends it by time
    python fuzz/run.py sc2_mpq --guided -- -runs=0  by coverage, with atheris; what follows -- is for libFuzzer
    python fuzz/run.py sc2_mpq --input FILE …       only these inputs, as to reproduce a finding
    fuzz/sanitized.sh --seconds 6 --processes 2     compiled with sanitizers

By coverage the hot modules run interpreted (atheris sees Python): what it finds is to be tried compiled too;
without it they run as they are installed, be it with sanitizers (``fuzz/sanitized.sh``). An input that raises
anything but `ReplayError` is written to ``--findings``, and the exit status is 1; one that the process died of is
in ``TARGET_SEED_last`` there.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import hashlib
import mmap
import os
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import mutation


def check(target: Any, data: bytes) -> str | None:
    """Try one input: the traceback of what may not be, None if all is well."""
    from playhead import ReplayError

    try:
        target.fuzz(data)
    except ReplayError:
        pass
    except Exception:
        return traceback.format_exc()
    return None


def change(target: Any, data: bytes, random: Random) -> bytes:
    """Change an input, through our writers half of the time where the target can."""
    if hasattr(target, "mutate") and random.random() < 0.5:
        changed: bytes = target.mutate(data, random)
        return changed
    return mutation.change(data, random)


class Last:
    """A mapped file with the input that is being tried, for the case that the process dies of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.write_bytes(bytes(mutation.MOST + 8))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    def keep(self, data: bytes) -> None:
        size = min(len(data), mutation.MOST)
        self._map[: 8 + size] = size.to_bytes(8, "little") + data[:size]

    def forget(self) -> None:
        self._map.close()
        self._path.unlink()

    @staticmethod
    def read(path: Path) -> bytes:
        """The input in such a file."""
        data = path.read_bytes()
        return data[8 : 8 + int.from_bytes(data[:8], "little")]


@dataclass
class Run:
    """What came of one: inputs tried, and those that failed, one for each place in the code, by traceback."""

    tried: int = 0
    found: dict[str, bytes] = field(default_factory=dict)


def seeds_of(name: str, folder: Path | None) -> list[bytes]:
    """The seeds of a target, made now or read from the folder into which ``fuzz/seeds.py`` wrote them."""
    if folder is not None:
        return [path.read_bytes() for path in sorted((folder / name).iterdir())]
    import seeds

    return list(seeds.seeds_of(name))


def run(
    name: str,
    runs: int,
    seed: int = 0,
    seconds: float | None = None,
    last: Last | None = None,
    seeds: Path | None = None,
) -> Run:
    """Try the seeds of a target, then changes of them: the same every time for one `seed`."""
    from targets import load

    target, random, done = load(name), Random(f"{name} {seed}"), Run()
    places = set()
    pool = seeds_of(name, seeds)
    first = len(pool)
    end = None if seconds is None else time.monotonic() + seconds
    while done.tried < runs and (end is None or done.tried < first or done.tried % 8 or time.monotonic() < end):
        data = pool[done.tried] if done.tried < first else change(target, random.choice(pool), random)
        done.tried += 1
        if last is not None:
            last.keep(data)
        error = check(target, data)
        if error is None:
            # What was changed once is changed further; what has grown large would make the others wait.
            if len(data) < 1 << 15 and random.random() < 0.05:
                if len(pool) < first + 500:
                    pool.append(data)
                else:
                    pool[first + random.randrange(500)] = data
            continue
        place = "".join(error.splitlines()[-3:-1])
        if place not in places:
            places.add(place)
            done.found[error] = data
    return done


def guided(name: str, folder: Path, arguments: list[str]) -> None:
    """Hand over to atheris, which ends the process."""
    # The sources, which have no extensions beside them; PLAYHEAD_PURE_PYTHON would load hot modules past atheris.
    os.environ.pop("PLAYHEAD_PURE_PYTHON", None)
    sys.path.insert(1, str(Path(__file__).parents[1] / "src"))
    import atheris

    with atheris.instrument_imports(include=["playhead", "targets"]):
        from seeds import write
        from targets import load

        import playhead

        target = load(name)
        # Much is imported on use only, and what is imported out of here is not seen by atheris.
        for seed in seeds_of(name, None):
            check(target, seed)
    write(folder)

    def one(data: bytes) -> None:
        with contextlib.suppress(playhead.ReplayError):
            target.fuzz(data)

    def mutator(data: bytes, most: int, seed: int) -> bytes:
        random = Random(seed)
        if hasattr(target, "mutate") and random.random() < 0.3:
            return target.mutate(data, random)[:most]
        return atheris.Mutate(data, most)

    words = [f"-dict={folder / name}.dict", "-max_len=65536", *arguments, str(folder / name)]
    atheris.Setup([sys.argv[0], *words], one, custom_mutator=mutator)
    atheris.Fuzz()


def main() -> int:
    """The command."""
    faulthandler.enable()
    ours, _, theirs = (" ".join(sys.argv[1:]) + " ").partition(" -- ")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("targets", nargs="*", help="names of targets; all if none is given")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, help="for each target, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1, help="targets that run side by side")
    parser.add_argument("--guided", action="store_true", help="by coverage, with atheris")
    parser.add_argument("--corpus", type=Path, default=Path("build/fuzz"), help="where --guided keeps its inputs")
    parser.add_argument("--findings", type=Path, default=Path("build/findings"))
    parser.add_argument("--seeds", type=Path, help="folder of fuzz/seeds.py; otherwise each process makes its own")
    parser.add_argument("--input", type=Path, nargs="+", help="try these files and nothing else")
    arguments = parser.parse_args(ours.split())
    if arguments.guided:
        guided(arguments.targets[0], arguments.corpus, theirs.split())
    from targets import NAMES, load

    names = arguments.targets or list(NAMES)
    arguments.findings.mkdir(parents=True, exist_ok=True)
    if arguments.processes > 1:
        return several(names, arguments.processes, arguments)
    failed = 0
    for name in names:
        begin, done = time.process_time(), Run()
        if arguments.input:
            for path in arguments.input:
                data = Last.read(path) if path.name.endswith("_last") else path.read_bytes()
                done.tried += 1
                if error := check(load(name), data):
                    done.found[error] = data
        else:
            last = Last(arguments.findings / f"{name}_{arguments.seed}_last")
            done = run(name, arguments.runs, arguments.seed, arguments.seconds, last, arguments.seeds)
            last.forget()
        for error, data in done.found.items():
            path = arguments.findings / f"{name}_{hashlib.sha256(data).hexdigest()[:8]}"
            path.write_bytes(data)
            print(f"{path}:\n{error}")
        failed += len(done.found)
        spent = time.process_time() - begin
        print(f"{name}: {done.tried} inputs, {len(done.found)} findings, {spent:.1f} s of CPU", flush=True)
    return min(failed, 1)


def several(names: list[str], processes: int, arguments: argparse.Namespace) -> int:
    """Run targets side by side, a few in each process, which may die; return 1 if one found something."""
    options = ["--runs", str(arguments.runs), "--seed", str(arguments.seed), "--findings", str(arguments.findings)]
    for option in ("seconds", "seeds"):
        value = getattr(arguments, option)
        options += [] if value is None else [f"--{option}", str(value)]

    def few(targets: list[str]) -> int:
        command = [sys.executable, __file__, *targets, *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        print(done.stdout, end="", flush=True)
        if done.returncode not in (0, 1):
            print(f"{', '.join(targets)}: died with status {done.returncode}\n{done.stderr}", flush=True)
        return done.returncode

    with ThreadPoolExecutor(processes) as pool:
        # A process takes seconds to start with sanitizers.
        count = max(processes, len(names) // 9)
        return int(any(list(pool.map(few, [names[first::count] for first in range(count)]))))


if __name__ == "__main__":
    sys.exit(main())
