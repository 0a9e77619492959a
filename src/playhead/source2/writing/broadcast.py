"""Write broadcasts: the fragments that a relay would serve, from any recording.

`playhead.source2.container.broadcast` describes the format. As in real broadcasts, a fragment every few seconds
begins with the state before it. This state cannot say which entities are invisible: a reader that starts there
treats all as visible.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playhead.bits import ByteWriter
from playhead.io.atomic import write_whole
from playhead.source2.container.broadcast import DELTA, FULL, START
from playhead.source2.container.frames import (
    FILE_HEADER,
    FULL_PACKET,
    PACKET,
    SIGNON_PACKET,
    STOP,
    STRING_TABLES,
    SYNC_TICK,
    Frame,
)
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.writing.beginning import StateMessages, sent_at_signon
from playhead.source2.writing.demo import InnerMessage, encode_packet

#: Seconds of a fragment, as in real broadcasts.
SECONDS = 3.0

_PROTOCOL = 5
_SIGNON_NUMBER = 0
_FIRST_NUMBER = 1
# Sign-on frames of a file that a broadcast lacks.
_OF_FILES = (FILE_HEADER, SYNC_TICK, STRING_TABLES)


class FragmentWriter:
    """Writes one part of a fragment, frame by frame."""

    def __init__(self) -> None:
        self._out = ByteWriter()

    def frame(self, command: int, tick: int, payload: bytes) -> None:
        """Append a frame; for a packet, `payload` is its bare inner messages."""
        self._out.write_varuint32(command)
        self._out.write_u32(tick & 0xFFFFFFFF)
        self._out.write_u8(0)
        self._out.write_u32(len(payload))
        self._out.write_bytes(payload)

    def packet(self, tick: int, messages: list[InnerMessage]) -> None:
        """Append a packet of the game."""
        self.frame(PACKET, tick, encode_packet(messages))

    def copy(self, recording: Recording, frame: Frame, tick: int | None = None) -> None:
        """Append a frame of a recording, decompressed; `tick` replaces its tick."""
        payload = recording.payload(frame)
        if frame.command in (PACKET, SIGNON_PACKET):
            payload = recording.packet(frame, payload)
        self.frame(frame.command, frame.tick if tick is None else tick, bytes(payload))

    def stop(self) -> None:
        """Append the end of the broadcast."""
        self._out.write_bytes(bytes(6))

    def to_bytes(self) -> bytes:
        """Return the whole part."""
        return self._out.to_bytes()


def broadcast_parts(
    recording: Recording, playback: Playback, *, seconds: float = SECONDS
) -> Iterator[tuple[str, bytes]]:
    """Yield names and bytes of the parts of a broadcast in the order in which a relay receives them.

    First ``sync``, then ``0/start``, ``1/full``, ``1/delta`` and so on; the last part contains the end.

    Args:
        recording: the recording to broadcast.
        playback: a new playback of the recording that follows every string table.
        seconds: length of a fragment.

    Raises:
        ValueError: the recording has no game or no tick rate, or it is a client's, whose messages build on
            earlier states.
        ReplayError: in strict mode, the first problem.
    """
    frames = recording.frames
    signon = next((i for i, frame in enumerate(frames) if frame.command in (PACKET, FULL_PACKET)), len(frames))
    rate = recording.ticks_per_second
    if signon == len(frames) or rate is None:
        raise ValueError("expected a recording with a game after its sign-on, and a tick rate")
    yield "sync", _description(recording, frames[signon].tick, rate, seconds)
    start = FragmentWriter()
    for frame in frames[:signon]:
        if frame.command not in _OF_FILES:
            start.copy(recording, frame, 0)
        playback.step()
    yield f"{_SIGNON_NUMBER}/{START}", start.to_bytes()
    sent = sent_at_signon(recording, frames[:signon])
    number, begun = _FIRST_NUMBER, frames[signon].tick
    delta = FragmentWriter()
    first = _first_state(recording, playback)
    if first is None:
        playback.seek_full_packet(None)
    else:
        yield f"{number}/{FULL}", first
    while (following := playback.next_frame()) is not None and following.command != STOP:
        if following.tick >= begun + seconds * rate:
            yield f"{number}/{DELTA}", delta.to_bytes()
            number, begun, delta = number + 1, following.tick, FragmentWriter()
            state = StateMessages(recording, playback)
            if state.entities:
                full = FragmentWriter()
                full.packet(begun, [*state.net_tick(begun), *state.table_changes(sent), *state.entities])
                yield f"{number}/{FULL}", full.to_bytes()
        if following.command != FULL_PACKET:
            delta.copy(recording, following)
        playback.step()
        if playback.entities.builds_on_past_states:
            raise ValueError("expected a server's recording: a client's messages build on earlier states")
    yield f"{number}/{DELTA}", delta.to_bytes()
    end = FragmentWriter()
    end.stop()
    yield f"{number + 1}/{DELTA}", end.to_bytes()


def _description(recording: Recording, tick: int, rate: float, seconds: float) -> bytes:
    description: dict[str, Any] = {
        "tick": tick,
        "rtdelay": 0.0,
        "rcvage": 0.0,
        "fragment": _FIRST_NUMBER,
        "signup_fragment": _SIGNON_NUMBER,
        "tps": round(rate) if rate == round(rate) else rate,
        "keyframe_interval": seconds,
        "map": recording.server_info.get("map_name", ""),
        "protocol": _PROTOCOL,
    }
    return json.dumps(description).encode()


def _first_state(recording: Recording, playback: Playback) -> bytes | None:
    """Play the first tick of the game; return a full fragment with its state, None if the state is unknown."""
    full = FragmentWriter()
    tick = recording.frames[playback.position].tick
    sent = sent_at_signon(recording, recording.frames[: playback.position])
    while (following := playback.next_frame()) is not None and following.tick == tick:
        known = playback.entities.valid
        playback.step()
        if following.command != FULL_PACKET:
            full.copy(recording, following)
        elif not known:
            state = StateMessages(recording, playback)
            full.packet(tick, [*state.net_tick(tick), *state.table_changes(sent), *state.entities])
    return full.to_bytes() if playback.entities.valid else None


def write_broadcast(recording: Recording, playback: Playback, folder: Path, *, seconds: float = SECONDS) -> None:
    """Write a broadcast of the recording as a folder for `playhead.open`. Each part is written atomically.

    Raises:
        ValueError, ReplayError: as `broadcast_parts`.
        OSError: a part cannot be written.
    """
    for name, data in broadcast_parts(recording, playback, seconds=seconds):
        write_whole(folder / (f"{name}.json" if name == "sync" else f"{name}.bin"), data)
