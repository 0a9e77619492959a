"""A recording of DDNet whose header and extensions mean something else: the JSON's keys and types, UUIDs.

The first byte chooses which, the others what is changed.
"""

from __future__ import annotations

from functools import cache
from random import Random

import meaning
from tests.samples import teehistorian

from playhead.teehistorian.stream.header import encode_header, read_header
from targets import LIMITS, teehistorian_extensions

_ALL_OF_HEADER = frozenset({"info"})


@cache
def sound() -> bytes:
    return teehistorian.sample_bytes()


def fuzz(data: bytes) -> None:
    if len(data) < 2:
        return
    random = Random(data[1:])
    before = sound()
    header = read_header(memoryview(before), LIMITS)
    if data[0] % 2 == 0:
        changed = encode_header(meaning.other_json(dict(header.fields), random)) + before[header.size :]
        meaning.check(before, changed, _ALL_OF_HEADER)
    else:
        uuid = random.choice(teehistorian_extensions.UUIDS).bytes
        # An extension that nobody knows is an event without a name; only that table has its rows.
        others = meaning.rows_of(before).keys() - {"events"}
        meaning.check(before, before.replace(uuid, random.randbytes(16)), others)
