"""Inner messages decoded to named fields, by number and by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.messages.definitions import MessageNumber, decoder, defaults, edition, message_numbers
from playhead.source2.messages.numbers import FIRST_USER_MESSAGE as FIRST_USER_MESSAGE
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.wire_decoder import FieldPlan
from playhead.text.names import unknown_name

#: svc_UserMessage: one message that carries another by number.
USER_MESSAGE = Engine.USER_MESSAGE

#: A decoded message.
MessageFields = dict[str | int, Any]


class _Message(NamedTuple):
    tick: int
    number: int
    name: str | None
    type: str | None
    fields: MessageFields | None
    raw: bytes


class Message(_Message):
    """One inner message.

    Attributes:
        tick: demo tick; -1 for sign-on.
        number: its number.
        name: name of the number (``DOTA_UM_ChatEvent``); None if playhead does not know it.
        type: name of its definition (``CDOTAUserMsg_ChatEvent``); None if it has none.
        fields: the fields that the bytes have, by name; None if there is no definition. An enumeration is a
            value's name, or its number if it has no name; unknown fields are lists under their numbers.
        raw: the bytes.
        game: the game whose definition it is; "" for those of the engine and Dota 2. It is no part of the tuple.
    """

    game: str = ""

    def value(self, field: str) -> Any:
        """Return a field; if it was not sent, its declared default, else zero, or None for a message inside.

        Raises:
            KeyError: the definition has no such field.
        """
        if self.type is None or self.fields is None:
            raise KeyError(f"message {self.number} has no definition, so no field {field!r}")
        absent = defaults(self.type, self.game)
        if field not in absent:
            raise KeyError(f"{self.type} has no field {field!r}; it has {', '.join(absent)}")
        return self.fields.get(field, absent[field])


class MessageDecoder:
    """Decodes the messages of one game (``dota2``, ``cs2``, ``deadlock``)."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._edition = edition(game)
        self._ready: dict[int, tuple[str | None, str | None, Callable[[bytes], MessageFields] | None]] = {}

    @cached_property
    def _known(self) -> Mapping[int, MessageNumber]:
        return message_numbers(self._game)

    def numbers(self, names: Iterable[str | int]) -> frozenset[int]:
        """Return the numbers of messages named by number, by name (``DOTA_UM_ChatEvent``), by definition
        (``CDOTAUserMsg_ChatEvent``) or by a pattern of either (``DOTA_UM_Chat*``).

        Raises:
            KeyError: no message of this game is called that, or fits the pattern.
        """
        from fnmatch import fnmatchcase

        found: set[int] = set()
        for name in names:
            if isinstance(name, int) or name.isdecimal():
                found.add(int(name))
                continue
            fitting = {
                entry.number
                for entry in self._known.values()
                if fnmatchcase(entry.name, name) or (entry.message and fnmatchcase(entry.message, name))
            }
            if not fitting:
                known = {each for entry in self._known.values() for each in (entry.name, entry.message) if each}
                raise KeyError(unknown_name(name, known, f"message of {self._game}"))
            found |= fitting
        return frozenset(found)

    def decode(self, tick: int, number: int, data: bytes) -> Message:
        """Return a decoded message.

        Raises:
            ReplayError: it has a definition, but the bytes are no such message.
        """
        ready = self._ready.get(number)
        if ready is None:
            ready = self._ready[number] = self._prepare(number)
        name, message, decode = ready
        found = Message(tick, number, name, message, decode(data) if decode is not None else None, data)
        if self._edition:
            found.game = self._edition
        return found

    def _prepare(self, number: int) -> tuple[str | None, str | None, Callable[[bytes], MessageFields] | None]:
        entry = self._known.get(number)
        if entry is None:
            return None, None, None
        return entry.name, entry.message, decoder(entry.message, self._game).decode if entry.message else None

    def plan(self, number: int, *, text: bool = True) -> FieldPlan | None:
        """Return a plan that reads all fields as JSON, or skips them; None if the message has no definition."""
        entry = self._known.get(number)
        return (
            None if entry is None or entry.message is None else FieldPlan(decoder(entry.message, self._game), text)
        )


def unwrap(data: bytes) -> tuple[int, bytes]:
    """Return number and bytes of the message inside svc_UserMessage.

    Raises:
        ReplayError: the bytes are no such message.
    """
    outer = decoder("CSVCMsg_UserMessage").decode(data)
    return outer.get("msg_type", 0), outer.get("msg_data", b"")
