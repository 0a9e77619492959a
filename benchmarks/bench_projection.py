"""What a question costs: of a Dota 2 match, chat alone, a few fields of one class, the clock, everything.

    python benchmarks/bench_projection.py [FILE.dem]

Without a file, a synthetic match of forty minutes is made. Each line opens the file anew, so that nothing is kept
from the question before; the best of three runs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import playhead
from playhead.samples.source2.dota2 import SampleMessages
from playhead.samples.source2.match_demo import match_demo

QUESTIONS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("open", lambda replay: None),
    ("info", lambda replay: replay.info),
    ('table("chat")', lambda replay: replay.table("chat")),
    ('events("chat")', lambda replay: list(replay.events("chat"))),
    ("at(600.0), by the full packet before it", lambda replay: replay.at(600.0)),
    ('to_tick("10:00"), by the clock of the game', lambda replay: replay.to_tick("10:00")),
    (
        'table("entities:CDOTA_Unit_Hero_*", fields=["m_iHealth", "m_flMana"], every="1s")',
        lambda replay: replay.table("entities:CDOTA_Unit_Hero_*", fields=["m_iHealth", "m_flMana"], every="1s"),
    ),
    (
        'table("entities:CDOTA_Unit_Hero_*", every="1s"), every field',
        lambda replay: replay.table("entities:CDOTA_Unit_Hero_*", every="1s"),
    ),
    ('table("kills")', lambda replay: replay.table("kills")),
    ('events("kill", "ward_*", "rune_*")', lambda replay: list(replay.events("kill", "ward_*", "rune_*"))),
    ("read_tables(), all of them", lambda replay: replay.read_tables()),
)


def _best(path: Path, ask: Callable[[Any], Any], runs: int = 3) -> float:
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        ask(playhead.open(path))
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            path = Path(sys.argv[1])
        else:
            path = Path(folder) / "match.dem"
            path.write_bytes(match_demo(40, messages=SampleMessages())[0])
        print(f"{path.stat().st_size / 1e6:.1f} MB, {playhead.open(path).info.duration_seconds:.0f} s of play")
        for title, ask in QUESTIONS:
            print(f"{_best(path, ask) * 1e3:10.1f} ms  {title}")


if __name__ == "__main__":
    main()
