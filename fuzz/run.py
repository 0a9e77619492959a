"""Run the fuzz targets: with atheris where it is installed, else by random changes of the seeds.

    python fuzz/run.py                              every target in turn, 1000 inputs each, no atheris needed
    python fuzz/run.py sc2_mpq --runs 100000        one target; --seconds 60 ends it by time
    python fuzz/run.py sc2_mpq --guided -- -runs=0  by coverage, with atheris; what follows -- is for libFuzzer
    python fuzz/run.py sc2_mpq --input FILE …       only these inputs, as to reproduce a finding

By coverage the hot modules run interpreted (atheris sees Python): what it finds is to be tried compiled too;
without it they run as they are installed, be it with sanitizers (``fuzz/build.sh``). An input that raises
anything but `ReplayError` is written to ``--findings``, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import hashlib
import os
import sys
import time
import traceback
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))


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
    import mutation

    if hasattr(target, "mutate") and random.random() < 0.5:
        changed: bytes = target.mutate(data, random)
        return changed
    return mutation.change(data, random)


def run(
    name: str, runs: int, seed: int = 0, seconds: float | None = None, last: Path | None = None
) -> dict[str, bytes]:
    """Try the seeds of a target, then changes of them.

    Args:
        seed: the same changes every time for the same one.
        last: where each input is kept while it is tried, for the case that the process dies of it.

    Returns:
        The inputs that failed, one for each place in the code, by traceback.
    """
    from seeds import seeds
    from targets import load

    target, random, found = load(name), Random(f"{name} {seed}"), {}
    places = set()
    pool = list(seeds()[name]) or [b""]
    end = None if seconds is None else time.monotonic() + seconds
    for number in range(runs):
        if end is not None and time.monotonic() > end:
            break
        data = pool[number] if number < len(pool) else change(target, random.choice(pool), random)
        if last is not None:
            last.write_bytes(data)
        error = check(target, data)
        if error is None:
            if len(pool) < 500 and random.random() < 0.05:
                pool.append(data)  # what was changed once is changed further
            continue
        place = "".join(error.splitlines()[-3:-1])
        if place not in places:
            places.add(place)
            found[error] = data
    return found


def guided(name: str, folder: Path, arguments: list[str]) -> None:
    """Hand over to atheris, which ends the process."""
    # The sources, which have no extensions beside them; PLAYHEAD_PURE_PYTHON would load hot modules past atheris.
    os.environ.pop("PLAYHEAD_PURE_PYTHON", None)
    sys.path.insert(1, str(Path(__file__).parents[1] / "src"))
    import atheris

    with atheris.instrument_imports(include=["playhead", "targets"]):
        from targets import load

        import playhead

        target = load(name)
    from seeds import seeds, write

    assert seeds()[name]
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
    parser.add_argument("--guided", action="store_true", help="by coverage, with atheris")
    parser.add_argument("--corpus", type=Path, default=Path("build/fuzz"), help="where --guided keeps its inputs")
    parser.add_argument("--findings", type=Path, default=Path("build/findings"))
    parser.add_argument("--input", type=Path, nargs="+", help="try these files and nothing else")
    arguments = parser.parse_args(ours.split())
    if arguments.guided:
        guided(arguments.targets[0], arguments.corpus, theirs.split())
    from targets import NAMES, load

    failed = 0
    arguments.findings.mkdir(parents=True, exist_ok=True)
    for name in arguments.targets or NAMES:
        begin = time.process_time()
        if arguments.input:
            found = {}
            for path in arguments.input:
                data = path.read_bytes()
                if error := check(load(name), data):
                    found[error] = data
        else:
            last = arguments.findings / f"{name}_last"
            found = run(name, arguments.runs, arguments.seed, arguments.seconds, last)
            last.unlink(missing_ok=True)
        for error, data in found.items():
            path = arguments.findings / f"{name}_{hashlib.sha256(data).hexdigest()[:8]}"
            path.write_bytes(data)
            print(f"{path}:\n{error}")
        failed += len(found)
        print(f"{name}: {len(found)} findings, {time.process_time() - begin:.1f} s of CPU", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
