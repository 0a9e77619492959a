"""Resume an event stream after a gap. The first part of the input selects stream, build and end."""

from __future__ import annotations

from random import Random

import mutation
import pieces

from playhead.blizzard.protocol.tables import ID_BITS, TRACKER
from playhead.blizzard.repair.resume import StreamEncoding, resume
from playhead.sc2.protocol.tables import distinct_builds, event_program

#: Bound on the bytes after the gap, each of which is tried.
MOST = 3000


def encoding_of(builds: tuple[int, int], number: int) -> StreamEncoding:
    """Return the encoding of a stream: game, messages or tracker."""
    stream = ("game", "message", "tracker")[number]
    return StreamEncoding(event_program(*builds, stream), stream == TRACKER, ID_BITS[stream])


def fuzz(data: bytes) -> None:
    head, before, after = [*pieces.split(data, 3), b"", b"", b""][:3]
    if len(head) < 4:
        return
    builds = distinct_builds()
    encoding = encoding_of(builds[head[1] % len(builds)], head[0] % 3)
    last = int.from_bytes(head[2:6], "little")
    gap = head[0] * 8 + 1
    found = resume(before[:MOST], after[:MOST], gap, encoding, last)
    if found is None:
        return
    loops = [loop for _, loop in encoding.events(found.data)]
    assert loops[-1] == last
    assert found.first_after in loops
    assert gap <= found.lost_bytes <= gap + len(before) + len(after)


def mutate(data: bytes, random: Random) -> bytes:
    """Enlarge the gap, or change one side of it."""
    head, before, after = [*pieces.split(data, 3), b"", b"", b""][:3]
    match random.randrange(4):
        case 0:
            before = before[: random.randrange(len(before) + 1)]
        case 1:
            after = after[random.randrange(len(after) + 1) :]
        case 2:
            before = mutation.change(before, random)
        case _:
            after = mutation.change(after, random)
    return pieces.join([head, before, after])
