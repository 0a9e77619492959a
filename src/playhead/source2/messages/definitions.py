"""The protobuf messages that a recording carries: their fields, and the numbers they travel under.

These are facts of the wire format, in the spelling of Valve's public definitions, kept as data
(``definitions*.zlib``, made by ``tools/build_source2_messages.py``) and compiled on first use. One file has those
of the engine and of Dota 2; a game with `Game.own_definitions` has a further file with the definitions that it
adds or changes, read when a message is first looked up for that game.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from functools import cache

from playhead.runtime.beside import read_beside
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.games import GAMES, UNKNOWN_GAME
from playhead.source2.messages.wire_decoder import KINDS, WireDecoder


class FieldDef(NamedTuple):
    """One field of a message definition.

    Attributes:
        number: its number on the wire.
        kind: one of `KINDS`.
        target: name of the message or the enumeration, for those two kinds; else None.
        name: its name.
        repeated: it may come several times.
        default: what its absence means where the definition has it; else None.
    """

    number: int
    kind: str
    target: str | None
    name: str
    repeated: bool
    default: Any


class MessageNumber(NamedTuple):
    """What an inner message's number means.

    Attributes:
        number: the number.
        name: its name in the enumeration of numbers (``DOTA_UM_ChatEvent``).
        message: name of the message's definition (``CDOTAUserMsg_ChatEvent``), or None.
    """

    number: int
    name: str
    message: str | None


def edition(game: str) -> str:
    """Return the name of a game with own definitions; "" for a game with those of the engine and Dota 2."""
    return game if GAMES.get(game, UNKNOWN_GAME).own_definitions else ""


@cache
def _lines(edition: str) -> list[str]:
    name = f"definitions_{edition}.zlib" if edition else "definitions.zlib"
    return zlib.decompress(read_beside(__file__, name)).decode().split("\n")


@cache
def _numbers_and_enumerations(edition: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(_lines(edition)[0])
    return content


@cache
def _messages(edition: str) -> dict[str, str]:
    # The fields of each as JSON: a recording uses a few of some 600.
    return dict(line.split(" ", 1) for line in _lines(edition)[1:])


def source(game: str = "") -> str:
    """Return the published copy that the definitions of a game were made from: package, version, licence."""
    return str(_numbers_and_enumerations(edition(game))["source"])


@cache
def message_numbers(game: str) -> Mapping[int, MessageNumber]:
    """Inner messages of a game (``dota2``, ``cs2``, ``deadlock``) by number.

    The numbers below about 300, and those of temporary entities, are the engine's and hold for every game; the
    others are each game's own.
    """
    numbers = _numbers_and_enumerations("")["numbers"]
    own = _numbers_and_enumerations(edition(game))["numbers"].get(game, ())
    return {row[0]: MessageNumber(*row) for row in [*numbers[""], *own]}


@cache
def enumeration(name: str, game: str = "") -> Mapping[str, int]:
    """Number of each value of an enumeration, by name.

    Raises:
        KeyError: there is none of that name.
    """
    own = edition(game)
    found: Mapping[str, int] | None = _numbers_and_enumerations(own)["enums"].get(name) if own else None
    values: Mapping[str, int] = _numbers_and_enumerations("")["enums"][name] if found is None else found
    return values


@cache
def fields(message: str, game: str = "") -> tuple[FieldDef, ...]:
    """The fields of a message, in order of their numbers, as a game defines it.

    Raises:
        KeyError: there is no definition of that name.
    """
    found = []
    own = edition(game)
    text = _messages(own).get(message) if own else None
    for number, kind, name, repeated, *default in json.loads(text or _messages("")[message]):
        target = None
        if kind.startswith("enum "):
            kind, target = kind.split(" ")
        elif kind not in KINDS:
            kind, target = "message", kind
        found.append(FieldDef(number, kind, target, name, bool(repeated), default[0] if default else None))
    return tuple(found)


@cache
def defaults(message: str, game: str = "") -> Mapping[str, Any]:
    """What absence means, by field: the declared default, else zero of its kind; None for a message inside."""
    return {field.name: _absent(field, game) for field in fields(message, game)}


def _absent(field: FieldDef, game: str) -> Any:
    if field.repeated:
        return ()
    if field.kind == "enum" and field.target is not None:
        values = enumeration(field.target, game)
        number = next(iter(values.values())) if field.default is None else field.default
        return next((name for name, value in values.items() if value == number), number)
    if field.default is not None:
        return field.default.encode("latin-1") if field.kind == "bytes" else field.default
    zero = {"bool": False, "string": "", "bytes": b"", "message": None, "float": 0.0, "double": 0.0}
    return zero.get(field.kind, 0)


def message_names(game: str = "") -> tuple[str, ...]:
    """Names of all definitions that hold for a game, those of the engine and Dota 2 first."""
    own = edition(game)
    return tuple(dict.fromkeys((*_messages(""), *(_messages(own) if own else ()))))


# By game and name of message.
_decoders: dict[tuple[str, str], WireDecoder] = {}


def decoder(message: str, game: str = "") -> WireDecoder:
    """The decoder of a message, compiled with those inside it on first use.

    Args:
        message: name of its definition.
        game: whose definition it is; the default is that of the engine and of Dota 2.

    Raises:
        KeyError: there is no definition of that name.
    """
    ready = _decoders.get((game, message))
    return _compile(message, game) if ready is None else ready


@cache
def shallow_decoder(message: str) -> WireDecoder:
    """As `decoder`, with the messages inside left as bytes, and enumerations as numbers."""
    definition = [(field, "bytes" if field.kind == "message" else field.kind) for field in fields(message)]
    return WireDecoder(message, [(f.number, KINDS.index(kind), f.name, f.repeated) for f, kind in definition])


def _compile(message: str, game: str) -> WireDecoder:
    """Make the decoder of a message and add it to those that are known, with those inside it."""
    own = edition(game)
    if own != game:
        return _decoders.setdefault((game, message), decoder(message, own))
    made: dict[tuple[str, str], WireDecoder] = {}

    def compiled(name: str) -> WireDecoder:
        definition = fields(name, game)
        made[game, name] = out = WireDecoder(
            name, [(field.number, KINDS.index(field.kind), field.name, field.repeated) for field in definition]
        )
        for place, field in enumerate(definition):
            if field.target is None:
                continue
            if field.kind == "enum":
                # Of several names of one number, the first is the one protobuf shows.
                values = enumeration(field.target, game)
                out.link(place, {number: name for name, number in reversed(list(values.items()))})
            else:
                key = game, field.target
                out.link(place, _decoders.get(key) or made.get(key) or compiled(field.target))
        return out

    ready = compiled(message)
    _decoders.update(made)  # only now are all of them whole
    return ready
