"""Matches of CS2, Deadlock and Dota 2 after an update: fields, types, classes, values of events have other names.

The first byte chooses the game, the second the kind of change, the others what is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import Any

import meaning
from tests.samples.patch_day import fields_read, other_type, other_value, renamed
from tests.samples.source2 import dota2
from tests.samples.source2.cs2_match.demo import write_cs2_match
from tests.samples.source2.cs2_match.events import EVENTS
from tests.samples.source2.cs2_match.plan import plan_match
from tests.samples.source2.deadlock.recording import WrittenMatch

import playhead
from playhead.bits import ByteReader
from playhead.source2.container.frames import SEND_TABLES
from playhead.source2.games import GAMES
from playhead.source2.messages import wire
from playhead.source2.replay import Source2Replay

MATCHES: tuple[Callable[[], bytes], ...] = (
    lambda: write_cs2_match(0.25, plan=plan_match(3, 1)[:4]).data,  # rows of every table but inputs
    lambda: WrittenMatch(0.5).demo(),
    lambda: dota2.sample_demo.__wrapped__()[0],  # a new one, with what is changed
)
_EVENTS: Mapping[str, Any] = EVENTS._events


@cache
def match(game: int) -> tuple[bytes, list[str], list[str]]:
    """A written match, the fields that tables read, and all names of its schema."""
    data = MATCHES[game]()
    with playhead.open(data) as replay:
        assert isinstance(replay, Source2Replay)
        recording = replay.recording
        (frame,) = (each for each in recording.frames if each.command == SEND_TABLES)
        reader = ByteReader(wire.field_bytes(bytes(recording.payload(frame)), 1) or b"")
        message = wire.decode("CSVCMsg_FlattenedSerializer", reader.read_bytes(reader.read_varuint32()))
        former = GAMES[replay.info.game].former
        symbols = [each for each in message["symbols"] if each not in former]
        return data, [each for each in fields_read(replay) if each not in former], symbols


def fuzz(data: bytes) -> None:
    if len(data) < 3:
        return
    game, kind, random = data[0] % 3, data[1] % 4, Random(data[2:])
    sound, fields, symbols = match(game)
    if kind == 0:  # names of fields: what tables lose has a problem
        name = random.choice(fields)
        meaning.check(sound, renamed(sound, name, f"{name}{random.randrange(9)}"))
    elif kind == 1:  # any names of the schema, also those of types and classes; its sense may be lost
        changed = sound
        for _ in range(random.randrange(1, 4)):
            changed = renamed(changed, random.choice(symbols), meaning.other_name(random.choice(symbols), random))
        meaning.check(sound, changed)
    elif kind == 2:  # types
        try:
            with other_type(random.choice(fields), random.choice(["float32", "bool", "uint64", "CUtlString"])):
                changed = MATCHES[game]()
        except (KeyError, TypeError, ValueError, OverflowError):
            return  # our writers cannot write that
        meaning.check(sound, changed)
    elif game == 0:  # values of events
        event = random.choice([name for name, types in _EVENTS.items() if types])
        value = random.choice(list(_EVENTS[event]))
        to = random.choice(["float", "long", "short", "byte", "string"])
        with other_value(event, value, **({"name": value + "_new"} if random.random() < 0.5 else {"kind": to})):
            changed = MATCHES[0]()
        meaning.check(sound, changed)
