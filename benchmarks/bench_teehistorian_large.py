"""A large teehistorian file: memory and speed of streaming, indexing, one state, and two minutes.

    python benchmarks/bench_teehistorian_large.py [--megabytes N] [--compressed]

The recording is synthetic: 24 tees move every tick, and half of them change their input. It is written to a
temporary folder. Peak memory is that of a separate process, including pyarrow.
"""

from __future__ import annotations

import argparse
import lzma
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import playhead
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.stream.messages import Finish, InputDiff, Join, Message, PlayerDiff, PlayerNew, TickSkip
from playhead.teehistorian.writing.writer import TeehistorianWriter, encode_message

_PLAYERS = 24
_PERIOD = 2000  # ticks until positions repeat


def _period() -> bytes:
    messages: list[Message] = []
    for tick in range(_PERIOD):
        step = 3 if tick < _PERIOD // 2 else -3
        messages += [PlayerDiff(cid, step, tick % 2 * 2 - 1) for cid in range(_PLAYERS)]
        turn = step * 7
        messages += [
            InputDiff(cid, (0, turn, -turn, 0, tick % 2, 0, 0, 0, 0, 0)) for cid in range(tick % 2, _PLAYERS, 2)
        ]
    return b"".join(map(encode_message, messages))


def write_large(path: Path, megabytes: int, *, compressed: bool) -> None:
    """Write a recording of about that many uncompressed megabytes."""
    writer = TeehistorianWriter({"version": "2", "version_minor": "22", "map_name": "large"})
    for cid in range(_PLAYERS):
        writer.record(Join(cid))
    writer.write(TickSkip(0))
    for cid in range(_PLAYERS):
        writer.write(PlayerNew(cid, 1000 * cid, 2000))
    for cid in range(_PLAYERS):
        writer.set_input(cid, [0] * 10)
    period = _period()
    with lzma.open(path, "wb", preset=0) if compressed else path.open("wb") as file:
        file.write(writer.to_bytes())
        for _ in range(max(1, megabytes * 1_000_000 // len(period))):
            file.write(period)
        file.write(encode_message(Finish()))


def _stream(path: str) -> None:
    """Print rows of positions, seconds, and peak memory in megabytes, from a separate process."""
    import pyarrow as pa

    pa.array([1])
    start = time.perf_counter()
    rows = sum(batch.num_rows for batch in playhead.open(path, stream=True).batches("positions"))
    seconds = time.perf_counter() - start
    print(rows, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _median_ms(run: Callable[[], object], repeat: int = 50) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--compressed", action="store_true", help="as .xz; indexing then needs it whole in memory")
    parser.add_argument("--stream", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stream:
        _stream(options.stream)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.teehistorian"
        write_large(path, options.megabytes, compressed=options.compressed)
        stored = path.stat().st_size / 1e6
        run = subprocess.run(
            [sys.executable, __file__, "--stream", path], capture_output=True, text=True, check=True
        )
        rows, seconds, peak = map(float, run.stdout.split())
        print(f"{stored:.0f} MB stored, {rows / 1e6:.1f} M positions")
        print(f"streamed in batches: {seconds:.2f} s, {stored / seconds:.0f} MB/s, peak memory {peak:.0f} MB")
        replay = playhead.open(path)
        assert isinstance(replay, TeehistorianReplay)
        start = time.perf_counter()
        last = replay.index.last_tick
        print(f"index: {time.perf_counter() - start:.2f} s, once ({last} ticks)")
        dice = random.Random(1)
        print(f"at(a tick): {_median_ms(lambda: replay.at(dice.randrange(last))):.2f} ms")

        def window() -> None:
            tick = dice.randrange(max(1, last - 6000))
            found = replay.window(tick, tick + 6000, client=5)
            assert found.positions.num_rows
            assert found.inputs.num_rows

        print(f"window(two minutes of a client): {_median_ms(window):.1f} ms")


if __name__ == "__main__":
    main()
