"""Cost of partial queries on a Dota 2 match: chat alone, a few fields of one class, the clock, everything.

    python benchmarks/bench_projection.py [FILE.dem]

Without a file, it creates a synthetic match of forty minutes and realistic size. Each line opens the file anew,
so no result is reused; the best of three runs, in CPU time.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastest import fastest
from real_match import real_match

import playhead

QUESTIONS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("open", lambda replay: None),
    ("info", lambda replay: replay.info),
    ('table("chat")', lambda replay: replay.table("chat")),
    ('events("chat_sent")', lambda replay: list(replay.events("chat_sent"))),
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


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else real_match(folder, 40)
        print(f"{path.stat().st_size / 1e6:.1f} MB, {playhead.open(path).info.duration_seconds:.0f} s of play")
        for title, ask in QUESTIONS:
            print(f"{fastest(lambda ask=ask: ask(playhead.open(path)), 3)[0] * 1e3:10.1f} ms  {title}")


if __name__ == "__main__":
    main()
