"""Inner messages of real demos: every one equals the decoding by protobuf's own runtime."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import playhead
from playhead.source2.container.demo_stream import DemoStream
from playhead.source2.container.frames import FULL_PACKET, PACKET, SIGNON_PACKET
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import message_numbers
from playhead.source2.messages.packet import PacketReader

FILES = (
    "cs2_14065.dem",
    "cs2_14132.dem",
    "cs2_14155.dem",
    "deadlock_10423.dem",
    "dota2_build9912_10bots.dem",
)


def inner_messages(path: Path) -> Iterator[tuple[int, bytes]]:
    for _, command, payload in DemoStream(path):
        packet: bytes | None = payload
        if command == FULL_PACKET:
            packet = wire.field_bytes(payload, 2)
        elif command not in (PACKET, SIGNON_PACKET):
            continue
        reader = PacketReader(wire.field_bytes(packet or b"", 3) or b"")
        while reader.advance():
            yield reader.id, reader.payload()


@pytest.mark.parametrize("file", FILES)
def test_every_message_equals_protobufs_decoding(
    corpus: Path, file: str, protobuf: Callable[[str, bytes], dict[str | int, Any]]
) -> None:
    path = corpus / "source2" / file
    known = message_numbers(playhead.open(path).info.game)
    compared: Counter[str] = Counter()
    for number, payload in inner_messages(path):
        entry = known.get(number)
        if entry is None or entry.message is None:
            continue
        ours, theirs = wire.decode(entry.message, payload), protobuf(entry.message, payload)
        assert repr(sorted_fields(ours)) == repr(sorted_fields(theirs)), payload.hex()
        compared[entry.message] += 1
    assert len(compared) > 12
    assert sum(compared.values()) > 300


def sorted_fields(value: Any) -> Any:
    """Return the value with sorted fields; unlike ==, repr distinguishes 1 from 1.0 and True, and equates NaNs."""
    if isinstance(value, dict):
        return {key: sorted_fields(value[key]) for key in sorted(value, key=str)}
    return [sorted_fields(entry) for entry in value] if isinstance(value, list) else value
