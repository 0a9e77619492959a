"""Floods of Source 2: inner messages, entities, string tables and frames of each kind at one tick of a match."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from tests.samples.patch_day import SHORT_MATCHES

import playhead
from playhead.source2.container import frames
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import enumeration, fields, message_numbers
from playhead.source2.messages.numbers import Engine
from playhead.source2.replay import Source2Replay
from playhead.source2.schema.tree import Slot
from playhead.source2.writing.demo import (
    DemoWriter,
    InnerMessage,
    StringTableEntry,
    create_string_table,
    update_string_table,
)
from playhead.source2.writing.entities import EntityMessage, values_of

Maker = Callable[[int], InnerMessage]

#: The first index of the entities that floods create, above those of the match, and their number.
_FREE, _CREATED = 9000, 200
_DEEPEST = 3
#: Words in names of fields that number one of few things.
_FEW = ("player", "slot", "ent", "team", "user", "table_id", "index", "type", "id")


class Match(NamedTuple):
    """A match that a flood comes into.

    Attributes:
        frames: command with the bit of compression, tick and stored payload of each frame before the flood.
        kinds: writes a message of each kind.
        commands: kinds that are frames of their own, not messages of a packet; with the command.
    """

    frames: Sequence[tuple[int, int, bytes]]
    kinds: Mapping[str, Maker]
    commands: Mapping[str, int]


def _value(game: str, kind: str, target: str | None, name: str, i: int, depth: int) -> Any:
    match kind:
        case "message":
            return _message(game, target or "", i, depth + 1)
        case "enum":
            numbers = list(enumeration(target or "", game).values())
            return numbers[i % len(numbers)]
        case "string":
            return f"t{i % 50}"
        case "bytes":
            return b"x" * (i % 3)
        case "bool":
            return bool(i & 1)
        case "float" | "double":
            return float(i % 100)
    return i % 8 if any(word in name.lower() for word in _FEW) else i % 1000


def _message(game: str, message: str, i: int, depth: int = 0) -> dict[Any, Any]:
    """Return a value for every field of a message."""
    values: dict[Any, Any] = {}
    for field in fields(message, game):
        if field.kind != "message" or depth < _DEEPEST:
            value = _value(game, field.kind, field.target, field.name, i, depth)
            values[field.name] = [value] if field.repeated else value
    return values


def _defined(game: str, number: int, message: str) -> Maker:
    return lambda i: (number, wire.encode(message, _message(game, message, i), game))


def _sent(replay: Source2Replay) -> dict[str, Maker]:
    """Return writers of the game events and of the entries of the combat log that the match itself has."""
    found: dict[str, list[bytes]] = {}
    numbers = {"event": Engine.GAME_EVENT}
    for message in replay.messages():
        content = message.fields or {}
        if message.number == Engine.GAME_EVENT:
            found.setdefault(f"event {content.get('eventid')}", []).append(message.raw)
        elif message.type == "CMsgDOTACombatLogEntry":
            numbers["combat"] = message.number
            found.setdefault(f"combat {content.get('type')}", []).append(message.raw)

    def again(number: int, raw: list[bytes]) -> Maker:
        return lambda i: (number, raw[i % len(raw)])

    return {name: again(numbers[name.split()[0]], raw) for name, raw in found.items()}


def _entities(replay: Source2Replay, tick: int) -> dict[str, Maker]:
    """Return writers of updates and creations of entities of each class, alike ones left out."""
    bits = len(replay.recording.class_names).bit_length()

    def written(write: Callable[[EntityMessage, int], None]) -> Maker:
        def make(i: int) -> InnerMessage:
            message = EntityMessage(bits)
            write(message, i)
            return message.encode()

        return make

    def updated(index: int, values: Sequence[tuple[Slot, Any]]) -> Maker:
        return written(lambda message, i: message.update_slots(index, [values[i % len(values)]]))

    def created(class_id: int, values: Sequence[tuple[Slot, Any]]) -> Maker:
        return written(
            lambda message, i: message.create_slots(_FREE + i % _CREATED, i % 1000, class_id, values[:40])
        )

    found: dict[str, Maker] = {}
    seen = set()
    for entity in replay.at(tick).entities:
        alike = "_".join(entity.class_name.split("_")[:3])
        if alike not in seen and (values := values_of(entity)):
            seen.add(alike)
            found[f"update {entity.class_name}"] = updated(entity.index, values)
            found[f"create {entity.class_name}"] = created(entity.class_info.class_id, values)
    found["leave"] = written(lambda message, i: message.leave(_FREE + i % _CREATED))
    found["delete"] = written(lambda message, i: message.delete(_FREE + i % _CREATED))
    return found


def _string_tables(replay: Source2Replay, tick: int) -> dict[str, Maker]:
    """Return writers of new tables, and of new and of old entries of the tables that the match has."""
    found: dict[str, Maker] = {"new table": lambda i: create_string_table(f"new{i}", [(0, b"x", b"y")])}
    for table in replay.at(tick).string_tables.by_id:
        key, value = next(((item.key.encode(), item.value) for item in table), (b"k", b"v"))

        def update(make: Callable[[int], StringTableEntry], table: Any = table) -> Maker:
            return lambda i: update_string_table(
                table.id,
                [make(i)],
                fixed_bits=table.fixed_bits,
                varint_sizes=table.varint_sizes,
                flags=table.flags,
            )

        first = len(table)
        found[f"entry of {table.name}"] = update(
            lambda i, first=first, value=value: (first + i, b"new%d" % i, value)
        )
        found[f"change of {table.name}"] = update(lambda i, entry=(0, key, value): entry)
        found[f"touch of {table.name}"] = update(lambda i: (0, None, None))
    return found


@cache
def match(game: str) -> Match:
    """Return the first half of a match of a game."""
    with playhead.open(SHORT_MATCHES[game]()) as replay:
        assert isinstance(replay, Source2Replay)
        recording = replay.recording
        held = list(recording.frames)
        packets = [number for number, frame in enumerate(held) if frame.command == frames.PACKET]
        held = held[: packets[len(packets) // 2] + 1]
        kinds = {
            **{
                entry.name: _defined(game, entry.number, entry.message)
                for entry in message_numbers(game).values()
                # A flood of these is a flood of something else: of signs-on, or of entities, as below.
                if entry.message is not None and entry.number not in (Engine.PACKET_ENTITIES, Engine.SERVER_INFO)
            },
            **_sent(replay),
            **_entities(replay, held[-1].tick),
            **_string_tables(replay, held[-1].tick),
            "unknown message": lambda i: (1000 + i % 9000, b"abc"),
            "empty packet": lambda i: (0, b""),
            "user command": lambda i: (0, b"\x08\x01"),
            "unknown frame": lambda i: (0, b"abc"),
            "full packet": lambda i: (0, b""),
        }
        commands = {
            "empty packet": frames.PACKET,
            "user command": frames.USER_COMMAND,
            "unknown frame": 17,
            "full packet": frames.FULL_PACKET,
        }
        stored = [
            (frame.command | (frames.COMPRESSED if frame.compressed else 0), frame.tick, recording.stored(frame))
            for frame in held
        ]
        return Match(stored, kinds, commands)


def kinds(game: str) -> Mapping[str, Maker]:
    """Return the kinds of messages of a game."""
    return match(game).kinds


def write(game: str, order: Sequence[tuple[str, int]]) -> bytes:
    """Return a demo with these messages in packets of one tick, and frames among them."""
    into = match(game)
    writer = DemoWriter(into.frames[0][2])
    for command, tick, stored in into.frames[1:]:
        writer.stored_frame(command, tick, stored)
    messages: list[InnerMessage] = []
    for kind, i in order:
        message = into.kinds[kind](i)
        if kind not in into.commands:
            messages.append(message)
            continue
        if messages:
            writer.packet(tick, messages)
            messages = []
        writer.frame(into.commands[kind], tick, message[1], compress=False)
    writer.packet(tick, messages)
    return writer.finish(tick, {"playback_ticks": tick, "playback_time": tick / 60, "playback_frames": 1})
