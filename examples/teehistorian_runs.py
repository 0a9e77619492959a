"""Finished runs of DDNet recordings, fastest first, and how far each finisher had travelled.

    python examples/teehistorian_runs.py FILE…

Needs nothing but playhead. Files may be compressed (.xz, .zst); one that is cut is read as far as it goes.
"""

from __future__ import annotations

import sys
from math import hypot
from typing import Any

import playhead

TILE = 32  # units of a position


def distance(replay: playhead.Replay, player: int, start: int, end: int) -> float:
    """Tiles that a tee moved between two ticks; where it appears anew is no movement."""
    moved, place = 0.0, None
    for row in replay.table("positions").to_pylist():
        if row["player"] != player or not start <= row["tick"] <= end:
            continue
        if row["event"] == "moved" and place is not None:
            moved += hypot(row["x"] - place[0], row["y"] - place[1])
        place = row["x"], row["y"]
    return moved / TILE


def runs(replay: playhead.Replay) -> list[dict[str, Any]]:
    """Rows of the table ``runs``, each with ``tiles`` where the recording shows the whole run."""
    found: list[dict[str, Any]] = replay.table("runs").to_pylist()
    for run in found:
        begun = run["start_tick"]
        run["tiles"] = None if begun is None else distance(replay, run["players"][0], begun, run["tick"])
    return found


def main() -> None:
    every = []
    for path in sys.argv[1:]:
        try:
            replay = playhead.open(path)
            every += [(run["duration_seconds"], replay.info.map, run) for run in runs(replay)]
        except playhead.ReplayError as error:
            print(error, file=sys.stderr)
    for seconds, map_name, run in sorted(every, key=lambda entry: entry[0]):
        notes = [word for word in ("practice", "loaded") if run[word]]
        if run["tiles"] is not None:
            notes.append(f"{run['tiles']:.0f} tiles")
        print(f"{seconds:9.2f} s  {map_name}  {', '.join(filter(None, run['names']))}  {' '.join(notes)}".rstrip())


if __name__ == "__main__":
    main()
