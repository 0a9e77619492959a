"""`ClientStates`: makes a slice of a client's recording independent of states before the slice.

A message of a client's recording builds on an earlier state of the client (`delta_from`), and created entities
may begin with fields that an earlier message stored (`update_baseline`). The first messages of a slice refer to
states and stored fields from before the slice. Such a message is replaced by one that leads from the latest
state of the slice to the state of the whole recording. The replacement is a delta too, because some readers
ignore later complete states and `delta_from`. All other messages are copied byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from playhead.errors import ReplayError
from playhead.source2.container.frames import FULL_PACKET, Frame
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.manager import INSTANCE_BASELINE, MOST_ENTITIES
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.playback.playback import Playback
from playhead.source2.string_tables.entries import StringTableChange
from playhead.source2.writing.demo import InnerMessage
from playhead.source2.writing.entities import EntityMessage, changed_values, encode_state, values_of


class ClientStates:
    """Tracks the state of a reader of the slice next to the playback of the whole recording.

    Args:
        playback: plays the recording, and is at the beginning of the slice.
        class_bits: bits of a class number.
        server_tick: server tick of its latest state.
    """

    def __init__(self, playback: Playback, class_bits: int, server_tick: int) -> None:
        self._playback = playback
        self._class_bits = class_bits
        self._latest = server_tick
        self._whole = playback.entities
        self._slice = playback.another_manager()
        self._created: set[int] = set()
        playback.entities.on_entity(self._on_created, op=EntityOp.CREATED)
        playback.on_string_table(INSTANCE_BASELINE, self._on_baseline)

    def _on_created(self, entity: Entity, _op: EntityOp) -> None:
        self._created.add(entity.index)

    def _on_baseline(self, change: StringTableChange, _tick: int) -> None:
        if change.sent is not None:
            self._slice.on_baseline_updated(change.key, change.sent)

    # -- start of the slice ----------------------------------------------------------------------------------

    def first(self) -> InnerMessage:
        """Return the complete state, which marks the slice as a client's recording."""
        # The next message takes back the fields that this one stores for later creations.
        message = encode_state(self._whole, self._class_bits, server_tick=self._latest, update_baseline=True)
        self._slice.apply(message[1])
        return message

    def second(self) -> InnerMessage:
        """Return the message after the first, which clears stored fields and hides invisible entities.

        Raises:
            ValueError: no message leads to the state of the recording.
        """
        message = self._apply(self._out_of_sight(), update_baseline=True)
        self._check()
        return message

    # -- packets --------------------------------------------------------------------------------------------

    def play(self, frame: Frame, messages: Sequence[InnerMessage]) -> list[InnerMessage] | None:
        """Play the next frame. Return the messages that replace `messages` in the slice; None to keep them."""
        payloads = [payload for number, payload in messages if number == Engine.PACKET_ENTITIES]
        known = self._whole.valid
        self._created.clear()
        self._playback.step()
        if not payloads or (frame.command == FULL_PACKET and known):
            return None
        if self._stays(payloads):
            for payload in payloads:
                with suppress(ReplayError):  # a problem of the recording, which the slice copies
                    self._slice.apply(payload)
                    self._latest = _head(payload).get("server_tick", 0)
            return None
        made = self._lead_on(_head(payloads[-1]))
        out: list[InnerMessage] = []
        for message in messages:
            if message[0] == Engine.PACKET_ENTITIES:
                out += made  # replaces the first one
            else:
                out.append(message)
        return out

    def _stays(self, payloads: Sequence[bytes]) -> bool:
        """Return whether these messages have the same effect in the slice; the recording has applied them."""
        if not self._whole.valid or not self._slice.valid:
            return True  # wait for a complete state, which builds on no other
        if len(payloads) > 1:
            return False
        head = _head(payloads[0])
        if not head.get("legacy_is_delta"):
            return True
        baseline = head.get("baseline", 0) & 1
        return self._slice.knows_state(head.get("delta_from", -1)) and all(
            self._whole.begins_as(self._slice, index, baseline) for index in self._created
        )

    # -- replacements --------------------------------------------------------------------------------------

    def _lead_on(self, head: dict[str, Any]) -> Iterator[InnerMessage]:
        """Yield the messages that lead from the slice's state to the recording's."""
        tick = head.get("server_tick", 0)
        changes = self._changes(self._created)
        yield self._apply(changes, tick, bool(head.get("update_baseline")), head.get("baseline", 0) & 1)
        differing = self._differing()
        if differing:
            # These began with extra fields. A deletion also clears the fields stored for them.
            gone = self._message()
            for index in differing:
                gone.delete(index)
            yield self._apply(gone)
            yield self._apply(self._changes(set()))
        if any(self._sights()):
            yield self._apply(self._out_of_sight())
        self._check()

    def _differing(self) -> list[int]:
        return sorted({index for index, *_ in self._whole.differences(self._slice)})

    def _check(self) -> None:
        if self._differing() or any(self._sights()):
            raise ValueError(f"the entities of the server's tick {self._latest} cannot be written")

    def _changes(self, created: set[int]) -> EntityMessage:
        """Return a message that leads to the recording's state, with entities in `created` created again."""
        message = self._message()
        for index in range(MOST_ENTITIES):
            before, after = self._slice.entities[index], self._whole.entities[index]
            if after is None:
                if before is not None:
                    message.delete(index)
                continue
            values = None
            if before is not None and index not in created:
                same = before.class_info is after.class_info and before.serial == after.serial
                values = changed_values(before, after) if same else None
            if values is None:
                message.create_slots(index, after.serial, after.class_info.class_id, values_of(after))
            elif values or (before is not None and after.active and not before.active):
                message.update_slots(index, values)
        return message

    def _sights(self) -> Iterator[int]:
        """Yield the indices of entities that are invisible in the recording and visible in the slice."""
        for entity in self._whole:
            other = self._slice.find(entity.index)
            if other is not None and other.active and not entity.active:
                yield entity.index

    def _out_of_sight(self) -> EntityMessage:
        message = self._message()
        for index in self._sights():
            message.leave(index)
        return message

    def _message(self) -> EntityMessage:
        return EntityMessage(self._class_bits, deletion_list=self._whole.has_deletion_lists)

    def _apply(
        self,
        message: EntityMessage,
        server_tick: int | None = None,
        update_baseline: bool = False,
        baseline: int = 0,
    ) -> InnerMessage:
        """Encode a message that changes the slice's latest state, and apply it."""
        tick = self._latest if server_tick is None else server_tick
        made = message.encode(
            server_tick=tick, delta_from=self._latest, update_baseline=update_baseline, baseline=baseline
        )
        self._slice.apply(made[1])
        self._latest = tick
        return made


def _head(payload: bytes) -> dict[str, Any]:
    """Return the fields of an entity message."""
    return {str(name): value for name, value in wire.decode("CSVCMsg_PacketEntities", payload).items()}
