"""`ClientStates`: entity messages of a client's recording, made to build on the states of a slice alone.

A message of a client's recording builds on a state that the client had (`delta_from`), and entities that it
creates may begin with what an earlier message left for them (`update_baseline`). The first messages of a slice
name states and beginnings from before it. Such a message is replaced by one that leads from the state before it,
as the slice has it, to the state that the whole recording has. It is a change too, since some readers look at no
whole state but the first, and at no `delta_from`. All other messages stay byte for byte.
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
from playhead.source2.string_tables.tables import StringTableChange
from playhead.source2.writing.demo import InnerMessage
from playhead.source2.writing.entities import EntityMessage, changed_values, encode_state, values_of


class ClientStates:
    """Follows what a reader of the slice has, beside the playback of the whole recording.

    Args:
        playback: of the recording, at the beginning of the slice; it is played on here.
        class_bits: width of a class number.
        server_tick: the server's tick of its latest state.
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

    # -- the beginning --------------------------------------------------------------------------------------

    def first(self) -> InnerMessage:
        """The whole state, by which a reader knows a client's recording."""
        # What it leaves for entities to begin with is taken back by the message behind it.
        message = encode_state(self._whole, self._class_bits, server_tick=self._latest, update_baseline=True)
        self._slice.apply(message[1])
        return message

    def second(self) -> InnerMessage:
        """What is to follow it: no entity has a beginning of its own yet; some may be out of sight.

        Raises:
            ValueError: no message leads to the state of the recording.
        """
        message = self._apply(self._out_of_sight(), update_baseline=True)
        self._check()
        return message

    # -- packets --------------------------------------------------------------------------------------------

    def play(self, frame: Frame, messages: Sequence[InnerMessage]) -> list[InnerMessage] | None:
        """Play the next frame, which has these messages. Return those that the slice has in their place; None if
        they stay as they are.
        """
        payloads = [payload for number, payload in messages if number == Engine.PACKET_ENTITIES]
        known = self._whole.valid
        self._created.clear()
        self._playback.step()
        if not payloads or (frame.command == FULL_PACKET and known):
            return None
        if self._stays(payloads):
            for payload in payloads:
                with suppress(ReplayError):  # a problem of the recording, and of the slice
                    self._slice.apply(payload)
                    self._latest = _head(payload).get("server_tick", 0)
            return None
        made = self._lead_on(_head(payloads[-1]))
        out: list[InnerMessage] = []
        for message in messages:
            if message[0] == Engine.PACKET_ENTITIES:
                out += made  # in the place of the first
            else:
                out.append(message)
        return out

    def _stays(self, payloads: Sequence[bytes]) -> bool:
        """Whether a reader of the slice makes the same of these messages; the recording has applied them."""
        if not self._whole.valid or not self._slice.valid:
            return True  # until a whole state comes, which needs no other
        if len(payloads) > 1:
            return False
        head = _head(payloads[0])
        if not head.get("legacy_is_delta"):
            return True
        baseline = head.get("baseline", 0) & 1
        return self._slice.knows_state(head.get("delta_from", -1)) and all(
            self._whole.begins_as(self._slice, index, baseline) for index in self._created
        )

    # -- messages of our own --------------------------------------------------------------------------------

    def _lead_on(self, head: dict[str, Any]) -> Iterator[InnerMessage]:
        """The messages that lead from the slice's state to the recording's."""
        tick = head.get("server_tick", 0)
        changes = self._changes(self._created)
        yield self._apply(changes, tick, bool(head.get("update_baseline")), head.get("baseline", 0) & 1)
        differing = self._differing()
        if differing:
            # They began with more fields than they have. Of what is deleted, nothing is left to begin with.
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
        """The changes that lead to the recording's state, in which those of `created` are created anew."""
        message = self._message()
        for index in range(MOST_ENTITIES):
            before, after = self._slice.entities[index], self._whole.entities[index]
            if after is None:
                if before is not None:
                    message.delete(index)
                continue
            values = None
            if before is not None and index not in created and _same_identity(before, after):
                values = changed_values(before, after)
            if values is None:
                message.create_slots(index, after.serial, after.class_info.class_id, values_of(after))
            elif values or (before is not None and after.active and not before.active):
                message.update_slots(index, values)
        return message

    def _sights(self) -> Iterator[int]:
        """Entities that are out of sight in the recording and not in the slice, by index."""
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


def _same_identity(one: Entity, other: Entity) -> bool:
    return one.class_info is other.class_info and one.serial == other.serial


def _head(payload: bytes) -> dict[str, Any]:
    """The fields of an entity message."""
    return {str(name): value for name, value in wire.decode("CSVCMsg_PacketEntities", payload).items()}
