"""The Huffman code of field-path operations, and the packing of a path into 64 bits.

The weights are facts of the wire format. The two lightest nodes are joined first. Of equal weights, the node
with the higher number comes first (leaves are numbered by operation, inner nodes from 40 on). The first of the
two gets bit 0. A weight of 0 counts as 1. The longest code has 17 bits.
"""

from __future__ import annotations

import heapq
from array import array
from functools import cache

#: Names by operation number, each with its weight, if that is not 0.
_WEIGHTS = (
    "PlusOne:36271 PlusTwo:10334 PlusThree:1375 PlusFour:646 PlusN:4128 "
    "Push1L0R0:35 Push1L0RN:3 Push1L1R0:521 Push1L1RN:2942 "
    "Push1LNR0:560 Push1LNRN:471 Push1LNRN6:10530 Push1LNRN8:251 "
    "Push2L0 Push2P5L0 Push3L0 Push3P5L0 Push2L1 Push2P5L1 Push3L1 Push3P5L1 "
    "Push2LN Push2P5LN Push3LN Push3P5LN PushN PushNNonTopo:310 "
    "Pop1P1:2 Pop1PN PopAllP1:1837 PopAllPN:149 PopAllP3:300 PopAllP6:634 PopNP1 PopNPN PopNNonTopo:1 "
    "NonTopo:76 NonTopoPen:271 NonTopo4:99 Fin:25474"
)
#: (name, weight) by operation number.
OPERATIONS: tuple[tuple[str, int], ...] = tuple(
    (name, int(weight or 0)) for name, _, weight in (entry.partition(":") for entry in _WEIGHTS.split())
)
FIN = 39

#: Levels of a path, and bits of each level in a packed path. A level holds its number + 1; 0 ends the path.
LEVELS = 7
WIDTHS = (11, 12, 11, 8, 7, 4, 4)
SHIFTS = tuple(sum(WIDTHS[:level]) for level in range(LEVELS))


@cache
def codes() -> tuple[str, ...]:
    """Return the code of every operation as a string of bits in reading order."""
    heap: list[tuple[int, int, tuple[int, ...]]]
    heap = [(max(weight, 1), -number, (number,)) for number, (_, weight) in enumerate(OPERATIONS)]
    heapq.heapify(heap)
    out = [""] * len(OPERATIONS)
    node = len(OPERATIONS)
    while len(heap) > 1:
        first, second = heapq.heappop(heap), heapq.heappop(heap)
        for bit, (_, _, leaves) in (("0", first), ("1", second)):
            for leaf in leaves:
                out[leaf] = bit + out[leaf]
        heapq.heappush(heap, (first[0] + second[0], -node, first[2] + second[2]))
        node += 1
    return tuple(out)


@cache
def lookup_table(bits: int, known: int = 0) -> array[int]:
    """Return ``operation | length << 8`` by the next `bits` bits of the stream, lowest first; 0 for longer codes,
    and for codes of up to `known` bits, which the caller has looked up in a smaller table.

    The result is shared: do not modify it.
    """
    table = array("H", [0]) * (1 << bits)
    for number, code in enumerate(codes()):
        if not known < len(code) <= bits:
            continue
        # One entry for each combination of bits after the code.
        table[int(code[::-1], 2) :: 1 << len(code)] = array("H", [number | len(code) << 8]) * (
            1 << (bits - len(code))
        )
    return table


def pack(path: tuple[int, ...]) -> int:
    """Pack a path into one integer.

    Raises:
        ValueError: the path has too many levels or too large a number.
    """
    if not 0 < len(path) <= LEVELS:
        raise ValueError(f"expected 1 to {LEVELS} levels, got {len(path)}")
    packed = 0
    for number, width, shift in zip(path, WIDTHS, SHIFTS, strict=False):
        if not 0 <= number < (1 << width) - 1:
            raise ValueError(f"number {number} does not fit in {width} bits in path {path}")
        packed |= (number + 1) << shift
    return packed


def unpack(packed: int) -> tuple[int, ...]:
    """Return the path of a packed integer."""
    path = []
    for width, shift in zip(WIDTHS, SHIFTS, strict=True):
        number = packed >> shift & (1 << width) - 1
        if not number:
            break
        path.append(number - 1)
    return tuple(path)
