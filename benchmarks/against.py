"""Compare a run of `all.py` with stored figures."""

from __future__ import annotations

import bz2
import time
from collections.abc import Iterator, Mapping, Sequence

from measure import Taken
from rows import Line

#: A row has fallen if its ratio is larger than the stored one by more than this share.
MOST = 0.10
#: Times of a few milliseconds vary by more than that.
SHORTEST = 0.01


def unit() -> float:
    """Return the CPU seconds of a fixed piece of work, by which times of different machines are compared."""
    data = bz2.compress(bytes(range(256)) * 2000)
    taken = []
    for _ in range(20):
        began = time.process_time()
        bz2.decompress(data)
        sum(range(100_000))
        taken.append(time.process_time() - began)
    return min(taken)


def ratio(line: Line, taken: Taken) -> float | None:
    """Return playhead's time divided by a peer's: of warm runs if both have them."""
    if line.warm is not None:
        return line.warm / taken.warm
    return None if line.cold is None else line.cold / (taken.cold or taken.warm)


def fallen(
    rows: Mapping[str, Sequence[Line]], stored: Mapping[str, Sequence[Line]], units: tuple[float, float] | None
) -> Iterator[str]:
    """Yield a sentence for each line that became slower.

    A line with a peer in both runs is compared by its ratios, another by its times in units of `unit`.

    Args:
        rows: lines of this run by row.
        stored: lines of the stored run.
        units: `unit` of this run and of the stored one; None compares ratios only.
    """
    for name, lines in rows.items():
        known = {line.case: line for line in stored.get(name, ())}
        for line in lines:
            before = known.get(line.case)
            for what, now, then in () if before is None else _pairs(line, before, units):
                if now > then * (1 + MOST):
                    yield f"{name}, {line.case}: {what} {now:.3g}, stored {then:.3g} ({now / then - 1:+.0%})"


def _pairs(line: Line, before: Line, units: tuple[float, float] | None) -> Iterator[tuple[str, float, float]]:
    """Yield what is compared: its name, the value now, and the stored one."""
    compared = False
    for peer, taken in line.peers.items():
        held = before.peers.get(peer)
        if isinstance(taken, Taken) and isinstance(held, Taken):
            now, then = ratio(line, taken), ratio(before, held)
            if now is not None and then is not None:
                compared = True
                yield f"ratio to {peer}", now, then
    if compared or units is None:
        return
    for what, time_now, time_then in (("cold", line.cold, before.cold), ("warm", line.warm, before.warm)):
        if time_now is not None and time_then is not None and time_now >= SHORTEST:
            yield f"{what}, in units,", time_now / units[0], time_then / units[1]
