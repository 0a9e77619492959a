"""Changes of bytes: bits, runs, numbers that are often a border, pieces moved about."""

from __future__ import annotations

from random import Random

_BORDERS = (
    b"\0",
    b"\xff",
    b"\x7f",
    b"\x80",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\x80",
    b"\xff" * 4,
    b"\xff\xff\xff\xff\x0f",
    b"\xff" * 9 + b"\1",
)

#: No input grows above this.
MOST = 1 << 18


def change(data: bytes, random: Random) -> bytes:
    """A copy of `data` with one to four changes."""
    out = bytearray(data)
    for _ in range(random.randrange(1, 5)):
        at = random.randrange(len(out) + 1)
        size = min(random.randrange(1, 1 << random.randrange(1, 10)), len(out) - at)
        match random.randrange(7):
            case 0 if at < len(out):
                out[at] ^= 1 << random.randrange(8)
            case 1 if at < len(out):
                out[at] = random.randrange(256)
            case 2:
                border = random.choice(_BORDERS)
                out[at : at + len(border)] = border
            case 3:
                del out[at : at + size]
            case 4:
                out[at:at] = out[at : at + size]
            case 5:
                out[at:at] = random.randbytes(random.randrange(1, 9))
            case _:
                to = random.randrange(len(out) + 1)
                out[to : to + size] = out[at : at + size]
    return bytes(out[:MOST])
