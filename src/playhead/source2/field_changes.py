"""The changes of a field of an entity, each with its message and packet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from playhead.errors import ReplayError
from playhead.presentation.motion import Change
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.messages.definitions import enumeration
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader

if TYPE_CHECKING:
    from playhead.source2.container.frames import Frame

#: An entity index is the low bits of a handle.
_INDEX = 0x3FFF


class _Packets:
    """The packet that was played last, and its effect on one entity."""

    def __init__(self, playback: Any, handle: int) -> None:
        self._index = handle & _INDEX
        self._packet: tuple[int, Frame, Any] | None = None
        self._op: EntityOp | None = None
        self._commands = {number: name for name, number in enumeration("EDemoCommands").items()}
        playback.on_packet_data(self._on_data)
        playback.entities.on_entity(self._on_entity)

    def _on_data(self, number: int, frame: Frame, data: Any) -> None:
        self._packet = (number, frame, data)

    def _on_entity(self, entity: Any, op: EntityOp) -> None:
        if entity.index == self._index:
            self._op = op

    def why(self) -> dict[str, Any] | None:
        """Return the packet and message that touched the entity since the last call; None if none did."""
        op, self._op = self._op, None
        if op is None or self._packet is None:
            return None
        number, frame, data = self._packet
        place, size, count = _entities_in(data)
        return {
            "did": EntityOp(op).name or str(op),
            "message": "CSVCMsg_PacketEntities",
            "place": place,
            "count": count,
            "size": size,
            "packet": self._commands.get(frame.command, str(frame.command)),
            "tick": frame.tick,
            "frame": number,
            "offset": frame.offset,
        }


def _entities_in(data: Any) -> tuple[int | None, int | None, int]:
    """Return the place (from 1) and bytes of the message with entities in a packet, and how many it has."""
    place, size, count = None, None, 0
    reader = PacketReader(data)
    try:
        while reader.advance():
            count += 1
            if reader.id == Engine.PACKET_ENTITIES:
                place, size = count, reader.size
    except ReplayError:
        pass  # the rest of a damaged packet; `problems` has it
    return place, size, count


def field_changes(replay: Any, start: int, end: int, key: str, name: str) -> Iterator[Change]:
    """Yield the value of a field at `start` and at every tick in which a packet touched its entity."""
    handle = int(key)
    only = {name}.__contains__
    playback = replay.playback((), wanted=lambda _class: only, on_problem=lambda *_: None)
    packets = _Packets(playback, handle)
    playback.seek(start)
    why = packets.why()
    for tick in range(start, end + 1):
        if tick > start:
            playback.advance(tick)
            why = packets.why()
            if why is None:
                continue
        found = playback.entities.find_by_handle(handle)
        yield Change(tick, None if found is None else found.get(name), why)
