"""Messages of a teehistorian, without the header. The first byte selects the version."""

from __future__ import annotations

from random import Random

import mutation

from playhead.errors import ReplayError
from playhead.teehistorian.stream.reader import MessageReader
from playhead.teehistorian.writing.writer import encode_message


def fuzz(data: bytes) -> None:
    version = 1 + (data[:1] == b"\1")
    skipper = MessageReader(data, 1, version=version, max_messages=10_000)
    reported: ReplayError | None = None
    count = 0
    try:
        for tick, message in MessageReader(data, 1, version=version, max_messages=10_000):
            assert tick >= 0
            assert message is not None
            count += 1
    except ReplayError as error:
        reported = error
    for _ in range(count):
        assert skipper.advance()
    if reported is not None:
        raise reported


def mutate(data: bytes, random: Random) -> bytes:
    """Drop, repeat and swap valid messages."""
    messages = []
    try:
        for _, message in MessageReader(data, 1):
            messages.append(encode_message(message))
    except ReplayError:
        pass
    if not messages:
        return mutation.change(data, random)
    for _ in range(random.randrange(1, 4)):
        at, other = random.randrange(len(messages)), random.randrange(len(messages))
        match random.randrange(4):
            case 0:
                messages[at] = b""
            case 1:
                messages[at] *= 2
            case 2:
                messages[at], messages[other] = messages[other], messages[at]
            case _:
                messages[at] = mutation.change(messages[at], random)
    return data[:1] + b"".join(messages)
