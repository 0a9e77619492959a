"""The protobuf messages that a recording carries: their fields, and the numbers they travel under.

These are facts of the wire format, in the spelling of Valve's public definitions, kept as data
(``definitions*.txt``, made by ``tools/build_source2_messages.py``) and compiled on first use. One file has those
of the engine and of Dota 2; a game with `Game.own_definitions` has a further file with the definitions that it
adds or changes, read at the first look-up of a message of the game.

A file is plain text in four blocks: its source; messages' numbers for each game, without a name for the engine;
enumerations; messages. Each is two lines: its name, and words, which are parsed on use. A recording uses a few of
some 600 messages; JSON would import `json` and `re` at each start, and unpacking takes longer than all the rest.
"""

from __future__ import annotations

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


_SOURCE, _NUMBERS, _ENUMERATIONS, _MESSAGES = range(4)


@cache
def _blocks(edition: str) -> list[str]:
    name = f"definitions_{edition}.txt" if edition else "definitions.txt"
    return read_beside(__file__, name).decode().split("\n====\n")


@cache
def _lines(edition: str, block: int) -> dict[str, str]:
    """Return the lines of words in a block by name."""
    lines = _blocks(edition)[block].split("\n")
    return dict(zip(lines[::2], lines[1::2], strict=True))


def source(game: str = "") -> str:
    """Return the published copy that the definitions of a game were made from: package, version, licence."""
    return _blocks(edition(game))[_SOURCE]


def _number_words(game: str) -> list[str]:
    """Return number, name and definition of each inner message of a game, one after the other."""
    return f"{_lines('', _NUMBERS)['']} {_lines(edition(game), _NUMBERS).get(game, '')}".split()


@cache
def message_numbers(game: str) -> Mapping[int, MessageNumber]:
    """Inner messages of a game (``dota2``, ``cs2``, ``deadlock``) by number.

    The numbers below about 300, and those of temporary entities, are the engine's and hold for every game; the
    others are each game's own.
    """
    words = _number_words(game)
    return {
        int(number): MessageNumber(int(number), name, None if message == "-" else message)
        for number, name, message in zip(words[::3], words[1::3], words[2::3], strict=True)
    }


@cache
def numbers_by_name(game: str) -> Mapping[str, int]:
    """Inner messages of a game by name: the numbers of `message_numbers`."""
    words = _number_words(game)
    return dict(zip(words[1::3], map(int, words[::3]), strict=True))


@cache
def enumeration(name: str, game: str = "") -> Mapping[str, int]:
    """Number of each value of an enumeration, by name.

    Raises:
        KeyError: no message has that name.
    """
    own = edition(game)
    found = _lines(own, _ENUMERATIONS).get(name) if own else None
    words = (_lines("", _ENUMERATIONS)[name] if found is None else found).split()
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


@cache
def fields(message: str, game: str = "") -> tuple[FieldDef, ...]:
    """The fields of a message, in order of their numbers, as a game defines it.

    Raises:
        KeyError: there is no definition of that name.
    """
    found = []
    own = edition(game)
    text = _lines(own, _MESSAGES).get(message) if own else None
    words = iter((_lines("", _MESSAGES)[message] if text is None else text).split())
    for number, kind, name, repeated, default in zip(words, words, words, words, words, strict=True):
        target: str | None = None
        if kind.startswith("enum:"):
            kind, target = "enum", kind.removeprefix("enum:")
        elif kind not in KINDS:
            kind, target = "message", kind
        value = None if default == "-" else _default(kind, default)
        found.append(FieldDef(int(number), kind, target, name, repeated == "1", value))
    return tuple(found)


def _default(kind: str, word: str) -> bool | int | float:
    if kind == "bool":
        return word == "true"
    return float(word) if kind in ("float", "double") else int(word)


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
        return field.default
    zero = {"bool": False, "string": "", "bytes": b"", "message": None, "float": 0.0, "double": 0.0}
    return zero.get(field.kind, 0)


def message_names(game: str = "") -> tuple[str, ...]:
    """Names of all definitions that hold for a game, those of the engine and Dota 2 first."""
    own = edition(game)
    return tuple(dict.fromkeys((*_lines("", _MESSAGES), *(_lines(own, _MESSAGES) if own else ()))))


# By game and name of message.
_decoders: dict[tuple[str, str], WireDecoder] = {}


def decoder(message: str, game: str = "") -> WireDecoder:
    """The decoder of a message, compiled with those inside it on first use.

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
