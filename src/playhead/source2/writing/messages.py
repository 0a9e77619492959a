"""Write inner messages by name, and game events: the inverse of `source2.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.source2.messages import wire
from playhead.source2.messages.definitions import message_numbers
from playhead.source2.messages.numbers import Engine
from playhead.source2.writing.demo import InnerMessage

# Type of a game event's value: its number in descriptors, and the field with the value.
_VALUE_TYPES = {
    **{kind: (n, f"val_{kind}") for n, kind in enumerate("string float long short byte bool uint64".split(), 1)},
    "pawn": (8, "val_long"),
    "player": (9, "val_short"),
}


def encode_message(game: str, name: str, fields: Mapping[str, Any]) -> InnerMessage:
    """Return an inner message, by its name or that of its definition.

    Raises:
        KeyError: the game has no definition of that message, or the definition has no such field.
    """
    for entry in message_numbers(game).values():
        if entry.message is not None and name in (entry.name, entry.message):
            return entry.number, wire.encode(entry.message, fields, game)
    raise KeyError(f"game {game} has no definition of a message {name!r}")


def wrap(message: InnerMessage) -> InnerMessage:
    """Return the message inside svc_UserMessage."""
    number, data = message
    return Engine.USER_MESSAGE, wire.encode("CSVCMsg_UserMessage", {"msg_type": number, "msg_data": data})


class GameEventWriter:
    """Writes the game events of one recording.

    Args:
        events: types of values by event and value name: ``string``, ``float``, ``long``, ``short``, ``byte``,
            ``bool``, ``uint64``, ``pawn`` (a handle) or ``player`` (a slot).
        numbers: number of each event; by default they are counted.
    """

    def __init__(self, events: Mapping[str, Mapping[str, str]], numbers: Mapping[str, int] | None = None) -> None:
        self._events = events
        self._numbers = numbers or {name: number for number, name in enumerate(events)}

    def event_list(self) -> InnerMessage:
        """Return the message with the descriptors, for the sign-on."""
        descriptors = [
            {
                "eventid": self._numbers[event],
                "name": event,
                "keys": [{"type": _VALUE_TYPES[kind][0], "name": name} for name, kind in values.items()],
            }
            for event, values in self._events.items()
        ]
        return Engine.GAME_EVENT_LIST, wire.encode("CMsgSource1LegacyGameEventList", {"descriptors": descriptors})

    def event(self, name: str, values: Mapping[str, Any], server_tick: int | None = None) -> InnerMessage:
        """Return one event; omitted values are not sent.

        Raises:
            KeyError: there is no such event, or it has no such value.
        """
        types = self._events[name]
        unknown = values.keys() - types.keys()
        if unknown:
            raise KeyError(f"game event {name} has no {', '.join(sorted(unknown))}")
        keys = []
        for key, kind in types.items():
            number, field = _VALUE_TYPES[kind]
            keys.append({"type": number, **({field: values[key]} if key in values else {})})
        content: dict[str, Any] = {"eventid": self._numbers[name], "keys": keys}
        if server_tick is not None:
            content["server_tick"] = server_tick
        return Engine.GAME_EVENT, wire.encode("CMsgSource1LegacyGameEvent", content)
