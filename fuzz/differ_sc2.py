"""Events of mutated StarCraft II streams, as playhead and s2protocol decode them.

Both decode the same bytes with the same type table. s2protocol does not bound what it allocates, so streams are
short. Known difference: playhead counts loops in 32 bits (the tracker of a resumed game starts over); s2protocol
does not, so they are compared modulo 2**32.
"""

from __future__ import annotations

import importlib
from random import Random
from typing import Any

import mutation
from differences import differences
from s2protocol.decoders import CorruptedError, TruncatedError
from targets import LIMITS
from tests.samples.sc2 import replay as sc2
from tests.samples.sc2.events import sample_streams

from playhead.blizzard.events.columns import decode_stream
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.sc2.protocol.tables import event_program, protocol_table

BUILD = sc2.HEADER.base_build
DECODERS = {GAME: "game", MESSAGE: "message", TRACKER: "tracker"}


def peer_events(data: bytes, stream: str) -> tuple[list[tuple[int, int, int | None]], bool]:
    """Return loop, number and user of the events that s2protocol decodes, and whether it reached the end."""
    protocol: Any = importlib.import_module(f"s2protocol.versions.protocol{BUILD}")
    decode = getattr(protocol, f"decode_replay_{DECODERS[stream]}_events")
    found = []
    try:
        for event in decode(data):
            user = event.get("_userid")
            found.append(
                (event["_gameloop"] & 0xFFFFFFFF, event["_eventid"], None if user is None else user["m_userId"])
            )
    except (CorruptedError, TruncatedError, IndexError, KeyError, TypeError, ValueError, UnicodeDecodeError):
        return found, False
    return found, True


def our_events(data: bytes, stream: str) -> tuple[list[tuple[int, int, int | None]], bool]:
    """Return the same of playhead."""
    decoded = decode_stream(data, event_program(BUILD, sc2.HEADER.build, stream), stream, limits=LIMITS)
    loops, users, numbers = decoded.rows.heads[:3]
    rows = [
        (loop & 0xFFFFFFFF, number, None if stream == TRACKER else user)
        for loop, user, number in zip(loops, users, numbers, strict=True)
    ]
    return rows, decoded.error is None


def compare(data: bytes, stream: str) -> tuple[bool, str | None]:
    """Return whether both read the stream to its end, and how they differ on the events that both decode."""
    return differences(our_events(data, stream), peer_events(data, stream), "event")


def seeds() -> dict[str, bytes]:
    """Return the streams of the sample, by name."""
    return sample_streams(protocol_table(BUILD, sc2.HEADER.build))


def mutate(data: bytes, random: Random, stream: str) -> bytes:
    """Change the bytes of a stream."""
    return mutation.change(data, random)[:4096]
