"""The type table of one wire format, the pool of its types, and the streams of events that it describes.

A pool stores each type once, however many tables and other types use it. A type is a list: its kind, and then

* ``int``, ``blob``, ``bitarray``: the least value and the width in bits (of the number, or of the length);
* ``array``: the same of the count, and the element type;
* ``optional``: the type;
* ``choice``: the same of the tag, and a list of ``[tag, name, type]``;
* ``struct``: a list of ``[name, type, tag]``;
* ``bool``, ``fourcc``, ``null``: nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from playhead.runtime.records import dataclass

Type = list[Any]


class TypePool:
    """Types by number; `add` gives equal types equal numbers."""

    def __init__(self, types: Sequence[Type] = ()) -> None:
        self.types: list[Type] = list(types)
        # Most replays add no types and do not need it.
        self._numbers: dict[str, int] | None = None

    def add(self, new: Type) -> int:
        """Return the number of a type whose parts are already in the pool."""
        if self._numbers is None:
            self._numbers = {json.dumps(known): number for number, known in enumerate(self.types)}
        key = json.dumps(new)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.types)
            self.types.append(new)
        return number

    def fields(self, number: int) -> list[list[Any]]:
        """Return the fields of a struct, to be changed and stored again with `add`."""
        kind, fields = self.types[number]
        if kind != "struct":
            raise ValueError(f"type {number} is of kind {kind}, not a struct")
        return [list(field) for field in fields]

    def has_kind(self, number: int, kind: str) -> bool:
        """Return whether values of the type can contain values of a kind."""
        own, *rest = self.types[number]
        inner: list[int] = []
        if own == "struct":
            inner = [field[1] for field in rest[0]]
        elif own == "choice":
            inner = [case[2] for case in rest[2]]
        elif own in ("array", "optional"):
            inner = [rest[-1]]
        return own == kind or any(self.has_kind(child, kind) for child in inner)

    def add_table(self, builds: Sequence[int], raw: Mapping[str, Any]) -> dict[str, Any]:
        """Add the types of a ``protocolNNNNN`` module, given by its names; return its table."""
        typeinfos = raw["typeinfos"]
        done: dict[int, int] = {}

        def convert(index: int) -> int:
            if index not in done:
                kind, rest = typeinfos[index]
                kind = kind.removeprefix("_")  # spelt as in the modules
                done[index] = self.add([kind, *_converted(kind, rest)])
            return done[index]

        def _converted(kind: str, rest: Sequence[Any]) -> list[Any]:
            if kind == "struct":
                return [[[name, convert(inner), tag] for name, inner, tag in rest[0]]]
            if kind == "optional":
                return [convert(rest[0])]
            out = list(rest[0]) if rest else []
            if kind == "array":
                out.append(convert(rest[1]))
            elif kind == "choice":
                cases = sorted((int(tag), name, inner) for tag, (name, inner) in rest[1].items())
                out.append([[tag, name, convert(inner)] for tag, name, inner in cases])
            return out

        def events(name: str) -> list[list[Any]]:
            found = sorted((int(number), *event) for number, event in (raw.get(name) or {}).items())
            return [[number, full.removeprefix("NNet."), convert(inner)] for number, inner, full in found]

        return {
            "builds": list(builds),
            "game": events("game_event_types"),
            "message": events("message_event_types"),
            "tracker": events("tracker_event_types"),
            "init_data": convert(raw["replay_initdata_typeid"]),
        }


#: The three streams of events.
GAME = "game"
MESSAGE = "message"
TRACKER = "tracker"

#: Bits of an event's number in the bit-packed streams.
ID_BITS = {GAME: 7, MESSAGE: 4, TRACKER: 0}

#: User id of the game itself.
NO_USER = 16


def short_name(full: str) -> str:
    """Return an event's name, ``Game.SCmdEvent``, without the part up to the last dot."""
    return full.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class ProtocolTable:
    """Types of one wire format.

    Attributes:
        base_build: the build of the table.
        confidence: ``exact`` if the table was published for the base build; ``published by s2protocol`` if only an
            installed s2protocol has it; otherwise ``nearest lower build …``, of either source, or ``lowest build
            …`` below all tables. The effects of each patch are appended.
        pool: the types by number.
        game, message, tracker: by event number, the event's name and the number of its type.
        init_data: number of the type of ``replay.initData``.
    """

    base_build: int
    confidence: str
    pool: TypePool
    game: Mapping[int, tuple[str, int]]
    message: Mapping[int, tuple[str, int]]
    tracker: Mapping[int, tuple[str, int]]
    init_data: int

    def events(self, stream: str) -> Mapping[int, tuple[str, int]]:
        """Return the events of one of the three streams."""
        return {GAME: self.game, MESSAGE: self.message, TRACKER: self.tracker}[stream]
