"""Inner messages of real demos: every one equals the decoding by protobuf's own runtime."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as

import playhead
from playhead.source2.container.demo_stream import DemoStream
from playhead.source2.container.frames import FULL_PACKET, PACKET, SIGNON_PACKET
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import message_names, message_numbers
from playhead.source2.messages.packet import PacketReader
from playhead.source2.messages.user_commands import ServerCommands
from playhead.source2.replay import Source2Replay

FILES = (
    "cs2_14065.dem",
    "cs2_14090.dem",
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
    generated = set(message_names())  # gem-dota has no classes of the messages of other games
    compared: Counter[str] = Counter()
    for number, payload in inner_messages(path):
        entry = known.get(number)
        if entry is None or entry.message not in generated:
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


#: Recordings of the other games, each with the fields that its messages have and the definitions lack: those that
#: an older client sent.
OTHER_GAMES: dict[str, dict[tuple[str, int], int]] = {
    "cs2_14065.dem": {},
    "cs2_14090.dem": {},
    "cs2_14132.dem": {},
    "cs2_14155.dem": {},
    "deadlock_10423.dem": {},
    "deadlock_broadcast": {("CNETMsg_Tick", 6): 541},
}


@pytest.mark.parametrize("file", OTHER_GAMES)
def test_no_message_is_nameless_or_undecoded(corpus: Path, file: str) -> None:
    replay = open_as(Source2Replay, corpus / "source2" / file)
    missing: Counter[int] = Counter()
    unknown: Counter[tuple[str, int]] = Counter()
    count = 0
    for message in replay.messages():
        count += 1
        if message.name is None or message.type is None or message.fields is None:
            missing[message.number] += 1
        else:
            unknown.update((message.type, number) for number in unknown_fields(message.fields))
    assert count > 300
    assert (missing, unknown) == ({}, OTHER_GAMES[file])
    assert not replay.problems
    rows = replay.table("user_messages")
    assert rows.num_rows > 0
    assert rows.column("message").null_count == rows.column("fields").null_count == 0


def unknown_fields(fields: Any) -> Iterator[int]:
    """Yield the numbers of the fields without a name, at any depth."""
    for name, value in fields.items():
        if isinstance(name, int):
            yield name
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, dict):
                yield from unknown_fields(entry)


#: Item definition of a weapon by its name in events.
WEAPONS = {"weapon_ak47": 7, "weapon_galilar": 13, "weapon_hkp2000": 32}


def test_bullets_are_fired_when_and_by_what_the_events_say(corpus: Path) -> None:
    replay = open_as(Source2Replay, corpus / "source2" / "cs2_14090.dem")
    fired = [(shot.tick, shot.value("item_def_index")) for shot in replay.messages("GE_FireBulletsId")]
    assert len(fired) == 42
    assert fired == [(event.tick, WEAPONS[event.fields["weapon"]]) for event in replay.game_events("weapon_fire")]


def test_damage_is_what_boon_finds(corpus: Path) -> None:
    replay = open_as(Source2Replay, corpus / "source2" / "deadlock_broadcast")
    damages = [message.value("damage") for message in replay.messages("CCitadelUserMessage_Damage")]
    assert (len(damages), sum(damages)) == (682, 12460)  # boon 0.10.0, table damage


#: Commands of every player, and how often their messages have fields that the definitions lack.
COMMANDS: dict[str, tuple[int, dict[int, int]]] = {
    "cs2_14065.dem": (184, {}),
    "cs2_14090.dem": (571, {6: 212, 7: 264, 8: 4}),
    "cs2_14132.dem": (124, {}),
    "cs2_14155.dem": (160, {}),
    "deadlock_10423.dem": (147, {}),
    "deadlock_broadcast": (12 * 1623, {}),
}


@pytest.mark.parametrize("file", COMMANDS)
def test_commands_of_every_player(corpus: Path, file: str) -> None:
    replay = playhead.open(corpus / "source2" / file)
    assert isinstance(replay, Source2Replay)
    unknown: Counter[int] = Counter()
    commands, latest = ServerCommands(replay.recording.game), dict[int, int]()
    count = 0
    for message in replay.messages("svc_UserCmds"):
        for sent in commands.read(message.raw):
            assert sent.command is not None
            assert not sent.delta
            assert sent.number == latest.get(sent.slot, sent.number - 1) + 1
            assert sent.command.base["viewangles"].keys() <= {"x", "y", "z"}
            # Fields of the game's own message.
            assert sent.command.own.keys() & {"input_history", "vec_camera_position"} or file == "cs2_14090.dem"
            unknown.update(unknown_fields({"base": sent.command.base, **sent.command.own}))
            latest[sent.slot] = sent.number
            count += 1
    assert (count, unknown) == COMMANDS[file]
