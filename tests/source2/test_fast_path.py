"""Runs of packets on the fast path: all handlers get the same calls as frame by frame, in the same order."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from tests.opened import open_as
from tests.samples.source2 import dota2

from playhead.source2.container.frames import PACKET
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine, message_number
from playhead.source2.messages.packet import inner_messages
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.sampling import Sampler
from playhead.source2.replay import Source2Replay
from playhead.source2.tables.frames import Frames, Messages
from playhead.source2.writing.demo import DemoWriter, encode_packet

pytestmark = pytest.mark.slow_interpreted

_CHAT = "DOTA_UM_ChatMessage"
_EVENTS = ("DOTA_UM_ChatEvent", "DOTA_UM_CombatLogDataHLTV", "GE_Source1LegacyGameEvent")


@cache
def _sample() -> bytes:
    return dota2.sample_demo()[0]


def _opened(data: bytes | None = None) -> Source2Replay:
    return open_as(Source2Replay, _sample() if data is None else data)


def _messages(replay: Source2Replay, number: int) -> list[tuple[int, bytes]]:
    frame = replay.recording.frames[number]
    return inner_messages(replay.recording.packet(frame, replay.recording.payload(frame)))


def _rewritten(number: int, messages: list[tuple[int, bytes]]) -> bytes:
    """Return the sample with other messages in one packet."""
    replay = _opened()
    out = DemoWriter(bytes(replay.recording.payload(replay.recording.frames[0])))
    for place, frame in enumerate(replay.recording.frames[1:-3], 1):
        payload = bytes(replay.recording.payload(frame))
        if place == number:
            payload = wire.encode("CDemoPacket", {"data": encode_packet(messages)})
        out.frame(frame.command, frame.tick, payload)
    return out.finish(replay.recording.frames[-4].tick, replay.recording.file_info)


def _told(
    play: Callable[[Playback], Any], data: bytes | None = None, *, frames: bool = False, **asked: Any
) -> tuple[list[Any], Any]:
    """Return the calls of handlers of messages and entities, and of frames that are no packets if `frames`, when a
    recording is played in this way.
    """
    replay = _opened(data)
    playback = replay.playback(None, **asked)
    seen: list[Any] = []

    def on(name: str) -> Callable[[int, bytes], None]:
        return lambda tick, payload: seen.append((name, tick, playback.tick, payload))

    for name in (_CHAT, *_EVENTS):
        playback.on_message(name, on(name))
    playback.on_user_message(lambda tick, number, payload: seen.append((number, tick, payload)))
    if asked.get("entities", True):
        playback.on_string_table(
            None, lambda change, tick: seen.append(("table", tick, playback.server_tick_offset, change.index))
        )
        playback.after_packet(lambda tick: seen and seen[-1][0] == "table" and seen.append(("after", tick)))
        playback.entities.on_entity(lambda entity, op: seen.append((playback.tick, entity.index, int(op))))
    if frames:
        playback.on_frame(lambda number, frame, _payload: seen.append(("frame", number, frame)), packets=False)
    play(playback)
    failures = dict(playback.failures)
    return seen, (playback.packets, playback.tick, playback.server_tick_offset, failures, replay.problems)


def _step_by_step(playback: Playback) -> None:
    for _ in playback.steps():
        pass


@pytest.mark.parametrize(("entities", "frames"), [(True, False), (False, False), (True, True)])
def test_all_handlers_get_the_same_calls(entities: bool, frames: bool) -> None:
    found, facts = _told(Playback.run, entities=entities, frames=frames)
    expected, expected_facts = _told(_step_by_step, entities=entities, frames=frames)
    assert found == expected
    kinds = {each[0] for each in found}
    assert {_CHAT, *_EVENTS, *(["frame"] if frames else [])} <= kinds
    if entities:
        assert facts == expected_facts


@pytest.mark.parametrize("damage", [None, 40_000, 90_000])
def test_frames_and_messages_are_the_same_as_frame_by_frame(damage: int | None) -> None:
    data = bytearray(_sample())
    if damage is not None:
        data[damage] ^= 0x40
    columns = []
    for play in (Playback.run, _step_by_step):
        replay = _opened(bytes(data))
        playback = replay.playback(None)
        collectors = Frames(replay.recording), Messages(replay.recording)
        for each in collectors:
            each.attach(playback)
        play(playback)
        sizes, rows = collectors[0].tables()["frames"], collectors[1].tables()["messages"]
        columns.append((sizes.to_pydict(), rows.read().to_pydict(), collectors[1].counts))
    assert columns[0] == columns[1]
    assert len(columns[0][1]["frame"]) > 100


def _packet_with(number: int) -> int:
    """Return a packet of the game that changes entities and has such a message."""
    replay = _opened()
    for place, frame in enumerate(replay.recording.frames):
        if frame.command == PACKET and frame.tick > 30:
            numbers = [each for each, _ in _messages(replay, place)]
            if Engine.PACKET_ENTITIES in numbers and number in numbers:
                return place
    raise AssertionError(f"no packet with message {number}")


def _number(name: str) -> int:
    return message_number("dota2", name)


@pytest.mark.parametrize("every", [1, 3])
def test_samples_are_repeated_until_a_handler_is_called(every: int) -> None:
    def played(play: Callable[[Playback], Any]) -> tuple[list[Any], list[Any]]:
        playback = _opened().playback()
        calls: list[Any] = []
        sampler = Sampler(playback, every)
        ended = range(7, 1 << 20, 11)  # of these ticks, the handlers want the next one anew

        def take(kind: str, tick: int) -> bool:
            calls.append((kind, tick))
            return tick not in ended

        sampler.on_sample(lambda tick: take("sample", tick), lambda tick: take("again", tick))
        playback.on_message(_CHAT, lambda tick, _payload: calls.append(("message", tick)))
        play(playback)
        sampler.finish()
        return calls, [("sample" if kind == "again" else kind, tick) for kind, tick in calls]

    calls, found = played(Playback.run)
    anew, expected = played(_step_by_step)
    assert found == expected
    assert anew == expected  # nothing is repeated frame by frame
    repeated = [at for at, (kind, _) in enumerate(calls) if kind == "again"]
    assert len(repeated) > len(calls) // 2
    assert all(calls[at - 1][0] != "message" and (calls[at - 1][1] - 7) % 11 for at in repeated)


def test_an_error_in_a_repeated_sample_is_raised() -> None:
    def fail(tick: int) -> bool:
        raise ZeroDivisionError(f"at {tick}")

    playback = _opened().playback()
    Sampler(playback, 1).on_sample(lambda _tick: True, fail)
    with pytest.raises(ZeroDivisionError, match=r"at \d+"):
        playback.run()


def test_messages_of_a_packet_with_damaged_entities_reach_handlers() -> None:
    number = _packet_with(_number(_CHAT))
    messages = []
    for each, payload in _messages(_opened(), number):
        content = payload
        if each == Engine.PACKET_ENTITIES:
            values = wire.decode("CSVCMsg_PacketEntities", payload)
            values["entity_data"] = values["entity_data"][:-9]
            content = wire.encode("CSVCMsg_PacketEntities", {str(key): value for key, value in values.items()})
        messages.append((each, content))
    data = _rewritten(number, messages)
    found, facts = _told(Playback.run, data)
    expected, expected_facts = _told(_step_by_step, data)
    assert found == expected
    assert facts == expected_facts
    assert facts[3] == {"entities": 1}
    tick = _opened(data).recording.frames[number].tick
    assert any(each[:2] == (_CHAT, tick) for each in found)


def test_a_handler_added_while_playing_is_called_from_the_next_packet_on() -> None:
    def seen(play: Callable[[Playback], Any]) -> list[Any]:
        playback = _opened().playback()
        found: list[Any] = []

        def chat(tick: int, _payload: bytes) -> None:
            if not found:
                playback.on_message(_EVENTS[1], lambda tick, payload: found.append((tick, payload)))
                playback.call_after(tick + 7, lambda tick: found.append((playback.tick, tick)))
            found.append(tick)

        playback.on_message(_CHAT, chat)
        play(playback)
        return found

    found = seen(Playback.run)
    assert found == seen(_step_by_step)
    assert len(found) > 10


def test_state_messages_reach_handlers_too() -> None:
    def seen(play: Callable[[Playback], Any]) -> list[Any]:
        playback = _opened().playback()
        found: list[Any] = []

        def on(number: int) -> Callable[[int, bytes], None]:
            return lambda tick, payload: found.append((number, tick, payload))

        for number in (Engine.NET_TICK, Engine.PACKET_ENTITIES, Engine.UPDATE_STRING_TABLE):
            playback.on_message(number, on(number))
        play(playback)
        return found

    found = seen(Playback.run)
    assert found == seen(_step_by_step)
    assert {each[0] for each in found} >= {Engine.NET_TICK, Engine.PACKET_ENTITIES}


def test_a_problem_of_a_message_names_its_own_frame() -> None:
    number = _packet_with(_number(_CHAT))
    chat = _number(_CHAT)
    messages = [(each, b"\x0a\xff" if each == chat else payload) for each, payload in _messages(_opened(), number)]
    data = _rewritten(number, messages)

    def problems(play: Callable[[Playback], Any]) -> list[Any]:
        replay = _opened(data)
        playback = replay.playback()

        def on_chat(tick: int, payload: bytes) -> None:
            playback.decoder.message(tick, chat, payload)

        playback.on_message(chat, on_chat)
        play(playback)
        return [(each.tick, each.offset, each.where, str(each)) for each in replay.problems]

    found = problems(Playback.run)
    assert found == problems(_step_by_step)
    assert [each[0] for each in found] == [_opened(data).recording.frames[number].tick]
