"""Every change of the header, of extensions and of messages of a recording of DDNet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any
from unittest.mock import patch

from sweep_blizzard import other_json
from targets import LIMITS
from tests.samples import teehistorian

from playhead.teehistorian.stream import extensions
from playhead.teehistorian.stream.header import encode_header, read_header
from playhead.teehistorian.stream.messages import Extra, NetMessage
from playhead.teehistorian.writing.writer import TeehistorianWriter

#: Tables that list the messages themselves.
EXCUSED = frozenset({"messages", "net_messages"})
#: What a sound recording may lack, by pattern of a change's name, with the reason.
ABSENT = {
    "extension AuthLogout removed*": "who has rcon may leave with it",
    "extension DDNetVersion removed*": "other clients send no version",
    "extension SaveSuccess removed*": "nobody saved; a save of another recording can be loaded",
    "extension LoadSuccess removed*": "nobody loaded",
    "extension LoadFailure removed*": "no load failed",
    "extension TeamPractice removed*": "no team practised",
    "extension PlayerSwap removed*": "nobody swapped",
    "extension Antibot removed*": "the module of the server has nothing to say",
    "message ConsoleCommand removed*": "nobody gave a command",
    "message InputDiff removed*": "nobody changed an input",
    "message PlayerDiff removed*": "nobody moved",
    "message TickSkip removed*": "each tick had a message; the file has no other clock",
    "net message * renamed": "the reading has it as message_sent, with its number",
}


@cache
def sound(game: str) -> bytes:
    return teehistorian.sample_bytes()


def changes(game: str) -> Iterator[tuple[str, Callable[[], bytes | None]]]:
    data = sound(game)
    header = read_header(memoryview(data), LIMITS)
    for what, changed in other_json(dict(header.fields)):
        yield f"header {what}", lambda fields=changed: encode_header(fields) + data[header.size :]
    for uuid, record in extensions.EXTENSIONS.items():
        if uuid.bytes in data[header.size :]:
            name = record.__name__
            yield f"extension {name} renamed", partial(_other_uuid, game, header.size, uuid.bytes)
            for what, new in (
                ("cut", lambda d: b""),
                ("cut late", lambda d: d[:-1]),
                ("longer", lambda d: d + b"z"),
            ):

                def changed_extra(one: Any, u: Any = uuid, new: Any = new) -> Any:
                    return Extra(u, new(one.data)) if isinstance(one, Extra) and one.uuid == u else one

                yield f"extension {name} {what}", partial(_other, changed_extra)
            yield (
                f"extension {name} removed (renamed)",
                partial(_other, lambda one, u=uuid: None if isinstance(one, Extra) and one.uuid == u else one),
            )
    for kind in sorted(_kinds()):
        yield (
            f"message {kind} removed (renamed)",
            partial(_other, lambda one, n=kind: None if _kind(one) == n else one),
        )
    for number in sorted({one.data[:1] for one in _records() if isinstance(one, NetMessage)}):
        for what, new in (
            ("renamed", lambda p: b"\xbf\x7f" + p[1:]),
            ("cut", lambda p: p[:1]),
            ("cut late", lambda p: p[:-1]),
            ("longer", lambda p: p + b"\x01zz\0"),
        ):

            def changed(one: Any, n: bytes = number, new: Any = new) -> Any:
                is_one = isinstance(one, NetMessage) and one.data[:1] == n
                return NetMessage(one.cid, new(one.data)) if is_one else one

            yield f"net message {number.hex()} {what}", partial(_other, changed)


def _kind(one: Any) -> str:
    return type(one).__name__


@cache
def _records() -> tuple[Any, ...]:
    found: list[Any] = []

    def note(one: Any) -> Any:
        found.append(one)
        return one

    _other(note)
    return tuple(found)


def _kinds() -> frozenset[str]:
    return frozenset(_kind(one) for one in _records())


def _other(change: Callable[[Any], Any]) -> bytes:
    write = TeehistorianWriter.write

    def changed(self: TeehistorianWriter, one: Any) -> None:
        new = change(one)
        if new is not None:
            write(self, new)

    with patch.object(TeehistorianWriter, "write", changed):
        return teehistorian.sample_bytes()


def _other_uuid(game: str, size: int, uuid: bytes) -> bytes:
    data = sound(game)
    return data[:size] + data[size:].replace(uuid, bytes(range(16)))
