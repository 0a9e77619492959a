"""Equal stretches of inputs of two players, at the same time or later.

Two independent players do not aim at the same points for long. Equal stretches come from a dummy that copies its
player's moves, from a replayed recording, or from two programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from playhead.teehistorian.patterns.visits import Visit

#: Least number of equal inputs in a row.
SHORTEST_STRETCH = 25
#: Least number of different aims in a stretch; with fewer, the mouse rests and equal key presses can be chance.
FEWEST_AIMS = 5

_MODULUS = (1 << 61) - 1
_BASE = 1_000_003

#: The compared values of an input: ticks since the input before, and its fields; counters by their change.
Step = tuple[int, ...]


def steps(visit: Visit) -> list[Step]:
    """Return the inputs of a visit, from the second on, each relative to the one before."""
    columns = visit.inputs
    same = [
        columns[name][1:] for name in ("direction", "cursor_x", "cursor_y", "jump", "hook", "wanted_weapon_id")
    ]
    changes = [_changes(columns[name]) for name in ("fire", "next_weapon", "prev_weapon")]
    waits = [now - before for before, now in pairwise(visit.tick)]
    return list(zip(waits, *same, *changes, strict=True))


def _changes(counter: Sequence[int]) -> list[int]:
    return [(now - before) % 64 for before, now in pairwise(counter)]


class SequenceIndex:
    """An index of the stretches of one player's inputs, by hash."""

    def __init__(self, visits: Iterable[Visit]) -> None:
        self._visits = [(visit, steps(visit)) for visit in visits]
        self._starts: dict[int, tuple[int, int]] = {}
        for number, (_, own) in enumerate(self._visits):
            for start, value in _hashes(own):
                self._starts.setdefault(value, (number, start))

    def find(self, other: Visit) -> Iterator[dict[str, Any]]:
        """Return the longest equal stretches of the indexed player and another visit."""
        theirs = steps(other)
        covered = 0
        for start, value in _hashes(theirs):
            if start < covered or value not in self._starts:
                continue
            number, own_start = self._starts[value]
            visit, own = self._visits[number]
            length = _equal_length(own, own_start, theirs, start)
            if length < SHORTEST_STRETCH:
                continue
            covered = start + length
            aims = {step[2:4] for step in theirs[start:covered]}
            if len(aims) >= FEWEST_AIMS:
                # Step n belongs to the input of row n + 1.
                first, last = visit.tick[own_start + 1], visit.tick[own_start + length]
                yield {
                    "player": visit.connection.number,
                    "first_tick": first,
                    "last_tick": last,
                    "other_player": other.connection.number,
                    "other_name": other.connection.name,
                    "other_first_tick": other.tick[start + 1],
                    "ticks_later": other.tick[start + 1] - first,
                    "inputs": length,
                    "different_aims": len(aims),
                }


def _hashes(sequence: Sequence[Step]) -> Iterator[tuple[int, int]]:
    """Yield (start, hash) of every stretch of `SHORTEST_STRETCH` steps."""
    leading = pow(_BASE, SHORTEST_STRETCH, _MODULUS)
    value = 0
    codes = [hash(step) for step in sequence]
    for index, code in enumerate(codes):
        value = value * _BASE + code
        if index >= SHORTEST_STRETCH:
            value -= leading * codes[index - SHORTEST_STRETCH]
        value %= _MODULUS
        if index >= SHORTEST_STRETCH - 1:
            yield index - SHORTEST_STRETCH + 1, value


def _equal_length(own: Sequence[Step], own_start: int, theirs: Sequence[Step], start: int) -> int:
    length = 0
    longest = min(len(own) - own_start, len(theirs) - start)
    while length < longest and own[own_start + length] == theirs[start + length]:
        length += 1
    return length
