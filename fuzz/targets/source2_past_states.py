"""Entity messages of a client's recording, each of which builds on any earlier state."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pieces

from playhead.errors import ReplayError
from playhead.source2.entities.manager import EntityManager
from playhead.source2.messages import wire
from playhead.source2.writing.entities import EntityMessage
from targets import source2_entities

PLACES = 8


def fuzz(data: bytes) -> None:
    manager = source2_entities.new_manager()
    ticks = []
    for number, message in enumerate(pieces.split(data, 200)):
        if number & 1:
            manager.on_packet_entities(message)
        else:
            with suppress(ReplayError):
                manager.apply(message)
        ticks.append(number)
    _look_at(manager)
    other = source2_entities.new_manager()
    for message in pieces.split(data, 200):
        with suppress(ReplayError):
            other.apply(message)
    _look_at(other)


def _look_at(manager: EntityManager) -> None:
    for entity in manager:
        entity.to_dict()
    for tick in range(-1, 40):
        manager.knows_state(tick)
    for _ in manager.differences(manager):
        raise AssertionError("a state differs from itself")


def random_messages(random: Random, count: int = 30) -> list[bytes]:
    """Return valid messages of a client's recording, some of which name unknown states."""
    tick = random.choice((1, 100, (1 << 31) - 10))
    states: dict[int, dict[int, int]] = {}
    out = []
    for number in range(count):
        tick += random.choice((1, 1, 1, 2, 0, -3)) if number else 0
        whole = not states or random.random() < 0.05
        base = random.choice(list(states)[-4:]) if states else 0
        now = {} if whole else dict(states[base])
        message = EntityMessage(source2_entities.CLASS_BITS, delta=not whole)
        for index in range(PLACES):
            if random.random() < 0.5:
                continue
            values = {"m_iHealth": random.randrange(1 << 20), "m_vecRows": random.randrange(4)}
            if index not in now:
                now[index] = random.randrange(1 << 17)
                message.create(index, now[index], source2_entities.writer(), values)
            elif (action := random.randrange(4)) == 0:
                message.delete(index)
                del now[index]
            elif action == 1:
                message.leave(index)
            else:
                message.update(index, source2_entities.writer(), values if action == 2 else {})
        out.append(
            message.encode(
                server_tick=max(0, tick),
                delta_from=base if random.random() < 0.95 else random.randrange(1 << 31),
                update_baseline=whole or random.random() < 0.2,
                baseline=random.randrange(2),
            )[1]
        )
        states[max(0, tick)] = now
    return out


def mutate(data: bytes, random: Random) -> bytes:
    """Drop, repeat and swap messages; change heads and bits, each in an otherwise valid message."""
    messages = pieces.split(data, 200)
    if not messages or random.random() < 0.1:
        return pieces.join(random_messages(random, random.randrange(2, 60)))
    for _ in range(random.randrange(1, 4)):
        at, other = random.randrange(len(messages)), random.randrange(len(messages))
        match random.randrange(6):
            case 0:
                messages[at] = b""
            case 1:
                messages.insert(at, messages[other])
            case 2:
                messages[at], messages[other] = messages[other], messages[at]
            case 3:
                messages[at] = source2_entities.mutate(messages[at], random)
            case _:
                messages[at] = _other_head(messages[at], random)
    return pieces.join(messages[:200])


def _other_head(message: bytes, random: Random) -> bytes:
    try:
        fields = wire.decode("CSVCMsg_PacketEntities", message)
    except ReplayError:
        return message
    known = {name: value for name, value in fields.items() if isinstance(name, str)}
    name = random.choice(("delta_from", "server_tick", "baseline", "updated_entries"))
    known[name] = random.choice((0, 1, 2, random.randrange(200), (1 << 31) - 1))
    for flag in ("update_baseline", "legacy_is_delta"):
        if random.random() < 0.2:
            known[flag] = not known.get(flag, False)
    try:
        return wire.encode("CSVCMsg_PacketEntities", known)
    except (ReplayError, ValueError, TypeError, KeyError):
        return message
