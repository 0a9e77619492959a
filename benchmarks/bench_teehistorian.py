"""Ticks, positions and inputs of a teehistorian file into Arrow: playhead and teehistorian-py.

    python benchmarks/bench_teehistorian.py [FILE] [--repeat N]

Without FILE, it creates a synthetic recording. teehistorian-py (the package `teehistorian_py`) yields chunks
without ticks, so the same tracking is done in Python on top. Both sides build the columns tick, player, x, y and
tick, player, ten input numbers, and must agree on every value. teehistorian-py is AGPL: it is used here only for
measuring.
"""

from __future__ import annotations

import argparse
import platform
from array import array
from operator import add
from pathlib import Path

import pyarrow as pa
from fastest import fastest

import playhead
from playhead.runtime import hot
from playhead.teehistorian.stream.messages import Finish
from playhead.teehistorian.stream.ticks import INPUT_FIELDS
from playhead.teehistorian.writing.writer import TeehistorianWriter

TABLES = ["positions", "inputs"]


def synthetic(players: int = 24, ticks: int = 20_000) -> bytes:
    """Return a recording like that of a busy server: every tee moves every tick, half of the inputs change."""
    writer = TeehistorianWriter({"version": "2", "version_minor": "22"})
    for tick in range(1, ticks + 1):
        writer.set_tick(tick)
        for cid in range(players):
            writer.tee_at(cid, 3000 + (tick * (cid + 3)) % 61, 2000 - (tick * tick) % 17)
        for cid in range(tick % 2, players, 2):
            writer.set_input(cid, (tick % 3 - 1, tick % 400, -(tick % 350), 0, tick // 8, 0, 1, 0, 0, 0))
    writer.record(Finish())
    return writer.to_bytes()


def by_playhead(data: bytes) -> tuple[pa.Table, pa.Table]:
    """Return both tables with all columns."""
    tables = playhead.open(data).read_tables(TABLES)
    return tables["positions"], tables["inputs"]


def by_teehistorian_py(data: bytes) -> tuple[pa.Table, pa.Table]:
    """Return both tables from teehistorian-py's chunks, with ticks, positions and inputs tracked in Python."""
    import teehistorian_py as th

    diff, skip, new, old = th.PlayerDiff, th.TickSkip, th.PlayerNew, th.PlayerOld
    input_diff, input_new = th.InputDiff, th.InputNew
    tick, last = 0, 1 << 30
    x, y = [0] * 128, [0] * 128
    pressed: list[list[int]] = [[0] * 10] * 128
    positions, inputs = array("i"), array("i")  # rows of 4 and 12 numbers
    for chunk in th.Teehistorian(data):
        kind = type(chunk)
        if kind is diff or kind is new or kind is old:
            cid = chunk.client_id
            if cid <= last:
                tick += 1
            last = cid
            if kind is diff:
                x[cid] += chunk.dx
                y[cid] += chunk.dy
            elif kind is new:
                x[cid], y[cid] = chunk.x, chunk.y
            positions.extend((tick, cid, x[cid], y[cid]))
        elif kind is input_diff or kind is input_new:
            cid = chunk.client_id
            values = chunk.input
            if kind is input_diff:
                values = list(map(add, pressed[cid], values))
            pressed[cid] = values
            inputs.extend((tick + 1, cid, *values))
        elif kind is skip:
            tick += chunk.dt + 1
            last = -1
    arrays = [pa.array(positions[i::4]) for i in range(4)] + [pa.array(inputs[i::12]) for i in range(12)]
    return (
        pa.table(arrays[:4], names=["tick", "player", "x", "y"]),
        pa.table(arrays[4:], names=["tick", "player", *INPUT_FIELDS]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="a .teehistorian file (uncompressed)")
    parser.add_argument("--repeat", type=int, default=7, help="runs of each side; the fastest counts")
    options = parser.parse_args()

    data = options.file.read_bytes() if options.file else synthetic()
    replay = playhead.open(data)
    messages = replay.table("messages").num_rows
    megabytes = len(data) / 1e6
    ticks = replay.info.duration_ticks
    print(f"{options.file or 'synthetic'}: {megabytes:.2f} MB, {messages} messages, {ticks} ticks")
    print(f"playhead {playhead.__version__} ({hot.summary()}), Python {platform.python_version()}")

    def show(what: str, seconds: float) -> None:
        speed = f"{megabytes / seconds:8.1f} MB/s {messages / seconds / 1e6:7.2f} million messages/s"
        print(f"{what:44} {seconds * 1e3:9.1f} ms {speed}")

    ours = fastest(lambda: by_playhead(data), options.repeat)[0]
    show("playhead: ticks, positions, inputs", ours)
    everything = ["messages", "positions", "inputs", "sessions"]
    show("playhead: all tables", fastest(lambda: playhead.open(data).read_tables(everything), options.repeat)[0])
    show("playhead: message objects", fastest(lambda: sum(1 for _ in replay.messages()), options.repeat)[0])

    try:
        import teehistorian_py
    except ModuleNotFoundError:
        print("teehistorian-py is not installed: no comparison (pip install teehistorian-py)")
        return
    for mine, its in zip(by_playhead(data), by_teehistorian_py(data), strict=True):
        for name in its.column_names:
            if mine.column(name).to_pylist() != its.column(name).to_pylist():
                raise SystemExit(f"the two sides differ in column {name}")
    theirs = fastest(lambda: by_teehistorian_py(data), options.repeat)[0]
    show("teehistorian-py: ticks, positions, inputs", theirs)
    objects = fastest(lambda: sum(1 for _ in teehistorian_py.Teehistorian(data)), options.repeat)[0]
    show("teehistorian-py: message objects", objects)
    print(f"ratio: playhead is {theirs / ours:.1f} times as fast to the tables")


if __name__ == "__main__":
    main()
