"""What the viewer's server costs: opening, jumps, and the passes behind what comes later, in CPU seconds.

    python benchmarks/bench_view.py FILE

FILE is a recording of any format; `playhead sample --minutes 40 --size real .` writes a long one.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from playhead.view.match import Match


def cpu(make: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.process_time()
    found = make()
    return time.process_time() - begun, found


def memory() -> str:
    """Most memory so far, with what is mapped of the file."""
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"


def main(path: str) -> None:
    opened, match = cpu(lambda: Match(path))
    summary, facts = cpu(match.summary)
    first, _ = cpu(lambda: match.state(0))
    print(f"open, summary, first stretch  {opened + summary + first:.3f} s   {memory()}")
    last = match.last_tick // match.stretch
    places = sorted({last * part // 17 for part in range(1, 17)} - {0}, key=lambda place: place * 7919 % 17)
    jumps = [cpu(lambda place=place: match.state(place))[0] for place in places]
    typical, worst = statistics.median(jumps), max(jumps)
    print(f"jump, median and worst of {len(jumps)}   {typical:.3f} s, {worst:.3f} s   {memory()}")
    moments = [cpu(lambda place=place: match.moment(place * match.stretch))[0] for place in places]
    print(f"players at a tick, median     {statistics.median(moments):.3f} s   {memory()}")
    for name, make in (
        ("ground and clock", lambda: (match.ground(), match.clock())),
        ("events", lambda: match.events(tuple(facts["notable"]))),
    ):
        print(f"{name:<29} {cpu(make)[0]:.3f} s   {memory()}")


if __name__ == "__main__":
    main(sys.argv[1])
