"""An index of a recording, and seeks by it. The input is its JSON and the numbers of its slots."""

from __future__ import annotations

import json
import zlib
from functools import cache
from random import Random

import mutation
import pieces
from tests.samples import teehistorian

import playhead
from playhead.errors import ReplayError
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.state.index_file import pack_index, parse_index
from targets import LIMITS


@cache
def recording() -> TeehistorianReplay:
    """Return the indexed recording."""
    found = playhead.open(teehistorian.sample_bytes(), limits=LIMITS)
    assert isinstance(found, TeehistorianReplay)
    return found


@cache
def sound() -> bytes:
    """Return a valid index of it."""
    return b"".join(pack_index(recording().index, recording().source.data))


def fuzz(data: bytes) -> None:
    replay = recording()
    kept = replay.index
    head, packed = [*pieces.split(data, 2), b"", b""][:2]
    for content in (data, head + packed, head + zlib.compress(packed, 0)):
        index = parse_index(content, replay.source.data, replay.header.size)
        if index is None:
            continue
        replay.index = index
        try:
            for tick in (0, 40, index.last_tick):
                try:
                    for tee in replay.at(tick):
                        assert str(tee)
                except (ReplayError, ValueError):  # that tick is not in the recording
                    continue
        finally:
            replay.index = kept


def parts() -> tuple[bytes, bytes]:
    """Return the uncompressed head of a valid index, and its decompressed remainder."""
    head, _, packed = sound().partition(b"\n")
    return head + b"\n", zlib.decompress(packed)


def mutate(data: bytes, random: Random) -> bytes:
    """Change a value of the JSON, or the numbers after it."""
    head, content = parts()
    size = 8 + int.from_bytes(content[:8], "little")
    if random.random() < 0.3:
        return pieces.join([head, content[:size] + mutation.change(content[size:], random)])
    facts = json.loads(content[8:size])
    for _ in range(random.randrange(1, 3)):
        _change_value(facts, random)
    text = json.dumps(facts).encode()
    return pieces.join([head, len(text).to_bytes(8, "little") + text + content[size:]])


def _change_value(facts: object, random: Random) -> None:
    odd = (None, -1, 0, 1, 1 << 31, 1 << 70, 0.5, "", "x", [], {}, True, float("nan"))
    place: object = facts
    while True:
        if isinstance(place, dict) and place:
            key: object = random.choice([name for name in place if name != "identity" or place is not facts])
        elif isinstance(place, list) and place:
            key = random.randrange(len(place))
        else:
            return
        inner = place[key]  # type: ignore[index]
        if not isinstance(inner, dict | list) or not inner or random.random() < 0.1:
            if random.random() < 0.2:
                del place[key]  # type: ignore[attr-defined]
            else:
                place[key] = random.choice(odd)  # type: ignore[index]
            return
        place = inner
