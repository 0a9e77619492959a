"""Inner messages of real demos: every one decoded as protobuf's own runtime decodes it."""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import playhead
from playhead.source2 import wire
from playhead.source2.frames import FULL_PACKET, PACKET, SIGNON_PACKET
from playhead.source2.message_definitions import message_numbers
from playhead.source2.packet import PacketReader
from playhead.source2.stream import DemoStream

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


@cache
def _classes() -> dict[str, Any]:
    """Generated message classes by name, from the files that an installed gem-dota carries."""
    found = {}
    for file in (
        *("demo", "networkbasetypes", "netmessages", "gameevents", "usermessages", "te", "prediction_events"),
        *(
            "usercmd",
            "dota_shared_enums",
            "dota_commonmessages",
            "dota_usermessages",
            "dota_modifiers",
            "dota_match_metadata",
        ),
    ):
        module = importlib.import_module(f"gem.proto.{file}_pb2")
        found.update({name: getattr(module, name) for name in module.DESCRIPTOR.message_types_by_name})
    return found


def _plain(message: Any) -> dict[str | int, Any]:
    """What `wire.decode` should give, from a message object of protobuf's runtime."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    out: dict[str | int, Any] = {}
    for field, value in message.ListFields():
        values = list(value) if field.is_repeated else [value]
        if field.message_type is not None:
            values = [_plain(entry) for entry in values]
        elif field.enum_type is not None:
            names = field.enum_type.values_by_number
            values = [names[entry].name if entry in names else entry for entry in values]
        out[field.name] = values if field.is_repeated else values[0]
    for unknown in UnknownFieldSet(message):
        field = message.DESCRIPTOR.fields_by_number.get(unknown.field_number)
        # Its runtime keeps a number that an enumeration does not have as an unknown field.
        if field is not None and field.enum_type is not None and unknown.wire_type == 0:
            number = (unknown.data + 2**31) % 2**32 - 2**31
            if field.is_repeated:
                out.setdefault(field.name, []).append(number)
            else:
                out[field.name] = number
        else:
            out.setdefault(unknown.field_number, []).append(unknown.data)
    return out


def _same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(_same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(_same, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, float) and math.isnan(ours):
        return math.isnan(theirs)
    return type(ours) is type(theirs) and bool(ours == theirs)


@pytest.mark.parametrize("file", FILES)
def test_every_message_is_what_protobuf_says(corpus: Path, file: str) -> None:
    pytest.importorskip("gem", reason="gem-dota carries the generated classes to compare with")
    path = corpus / "source2" / file
    known = message_numbers(playhead.open(path).info.game)
    compared: Counter[str] = Counter()
    for number, payload in inner_messages(path):
        entry = known.get(number)
        if entry is None or entry.message is None:
            continue
        theirs = _classes()[entry.message]()
        theirs.ParseFromString(payload)
        ours = wire.decode(entry.message, payload)
        assert _same(ours, _plain(theirs)), (entry.message, payload.hex())
        compared[entry.message] += 1
    assert len(compared) > 12
    assert sum(compared.values()) > 300
