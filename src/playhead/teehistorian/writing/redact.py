"""A recording without what identifies people: the same game, with other words.

Kept byte for byte: every message of ticks, positions and inputs, joins and FINISH. Of the rest, only what is known
to be harmless is kept, not what is known to be harmful removed:

* header: the keys in `_HEADER_KEPT`, numbers of the configuration and the tuning; other text is replaced. The key
  ``playhead_redacted`` is added.
* StartInfo, ChangeInfo, SkinChange: name and clan are replaced; country, skin and colours become the default.
  Other network messages keep their numbers and lose their texts (chat, vote reasons, arguments); unknown and
  malformed ones keep their id alone.
* console commands keep their name and, on the console, short numbers; other arguments are replaced, except those
  of `_PLAIN_COMMANDS`.
* names in PLAYER_NAME and saves, keys in AUTH_*, reasons of DROP that are not the server's own words: replaced.
* DDNETVER loses the connection id and text; ANTIBOT and unknown extensions lose their data.

The same text is replaced by the same word everywhere in a file, so that a ``load`` still fits its ``save`` and a
``timeout`` the earlier one. The words tell nothing: they are numbered in the order of appearance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import UUID

from playhead.bits import ByteReader, ByteWriter
from playhead.errors import CorruptReplay, TruncatedReplay
from playhead.teehistorian.state.connections import ConnectionTracker
from playhead.teehistorian.stream.extensions import (
    Antibot,
    AuthInit,
    AuthLogin,
    DDNetVersion,
    LoadSuccess,
    PlayerName,
    SaveSuccess,
    decode_extension,
    encode_extension,
    extension_client,
    extension_uuid,
)
from playhead.teehistorian.stream.feed import Feed
from playhead.teehistorian.stream.header import Header, encode_header
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Extra, Message, NetMessage
from playhead.teehistorian.stream.text import decode_text
from playhead.teehistorian.writing.writer import encode_message

_HEADER_KEPT = frozenset(
    "comment version version_minor minor_version game_uuid prev_game_uuid server_version start_time server_port "
    "game_type map_name map_size map_crc map_sha256 prng_description uuids playhead_slice".split()
)
_CONFIG_KEPT = frozenset({"sv_map", "sv_gametype"})

#: Arguments of commands with these in their names are codes, though they may look like numbers.
_SECRET = re.compile("timeout|save|load|pass|auth|key|code|login")
#: Their arguments are the game's own words and numbers.
_PLAIN_COMMANDS = frozenset("emote team tune tune_zone tune_reset change_map hot_reload reload".split())
#: In the flag mask of a command that was typed in chat, where a number may be somebody's name.
_CHAT_COMMAND = 128
_NUMBER = re.compile(r"-?[0-9]{1,5}(\.[0-9]{1,5})?")

#: What the server itself says of a client that is gone.
_REASONS = frozenset(
    ("", "Timeout", "Timeout Protection used", "Server shutdown", "Kicked", "Too many connections")
)
_KICKED = re.compile(r"(Kicked|Banned|You have been banned) \(.*\)", re.DOTALL)

#: Network messages that hold nothing but so many numbers, by protocol and id.
_NUMBERS: Mapping[int, Mapping[int, int]] = {
    6: {18: 1, 19: 1, 22: 0, 23: 1, 24: 1, 26: 1, 31: 1},
    7: {25: 1, 26: 2, 28: 0, 29: 0, 30: 1, 31: 1},
}
_NUMBERS_BY_UUID = {
    extension_uuid("show-distance@netmsg.ddnet.tw"): 2,
    extension_uuid("showothers@netmsg.ddnet.tw"): 1,
    extension_uuid("show-others@netmsg.ddnet.tw"): 1,
    extension_uuid("camera-info@netmsg.ddnet.org"): 3,
    extension_uuid("enable-spectator-count@netmsg.ddnet.org"): 1,
}

#: Size of a save's payload that servers before version_minor 9 have cut; kept, because it shows that.
_CUT_SAVE = 2048


class Words:
    """Replaces texts, the same by the same."""

    def __init__(self) -> None:
        self._words: dict[str, str] = {}

    def replace(self, text: str, kind: str) -> str:
        """A word for `text`; the empty text stays. Its `kind` shows in the word if it is the first to ask."""
        if not text:
            return text
        return self._words.setdefault(text, f"{kind}{len(self._words) + 1}")


def redact_header(header: Header) -> bytes:
    """The bytes of the header without the server's own texts; of one that is no JSON, only the version is left."""
    fields: dict[str, Any] = {}
    for key, value in header.fields.items():
        if key in _HEADER_KEPT:
            fields[key] = value
        elif key in ("config", "tuning") and isinstance(value, dict):
            fields[key] = {
                name: text if name in _CONFIG_KEPT or _is_number(text) else "redacted"
                for name, text in value.items()
            }
        else:
            fields[key] = "redacted"
    return encode_header({"version": str(header.version), **fields, "playhead_redacted": "1"})


def _is_number(text: object) -> bool:
    return isinstance(text, str) and _NUMBER.fullmatch(text) is not None


class Redactor:
    """Takes the rare messages of one recording in order and gives what is to be written in their place."""

    def __init__(self) -> None:
        self._words = Words()
        self._tracker = ConnectionTracker()

    def redact(self, tick: int, message: Message) -> Message:
        with suppress(TruncatedReplay):  # a damaged extension; it loses its data below
            self._tracker.on_message(tick, message)
        match message:
            case Drop():
                return replace(message, reason=self._reason(message.reason))
            case ConsoleCommand():
                return replace(message, arguments=self._arguments(message))
            case NetMessage():
                return replace(message, data=self._network(message.cid, message.data))
            case Extra():
                return self._extra(message)
            case _:
                return message

    def _reason(self, reason: str) -> str:
        if reason in _REASONS:
            return reason
        kicked = _KICKED.fullmatch(reason)
        return f"{kicked[1]} (redacted)" if kicked else self._words.replace(reason, "reason")

    def _arguments(self, message: ConsoleCommand) -> tuple[str, ...]:
        if message.command in _PLAIN_COMMANDS:
            return message.arguments
        secret = _SECRET.search(message.command) is not None
        kind = "code" if secret else "text"
        numbers_stay = not secret and not message.flags & _CHAT_COMMAND
        return tuple(
            [
                text if numbers_stay and _is_number(text) else self._words.replace(text, kind)
                for text in message.arguments
            ]
        )

    # -- network messages ---------------------------------------------------------------------------------

    def _network(self, cid: int, data: bytes) -> bytes:
        reader = ByteReader(data)
        try:
            head = reader.read_packed_int()
        except TruncatedReplay:
            return b""
        out = ByteWriter()
        out.write_packed_int(head)
        protocol = self._tracker.protocol(cid) or 6
        uuid = None
        try:
            if head >> 1 == 0:
                uuid = UUID(bytes=reader.read_bytes(16))
                out.write_bytes(uuid.bytes)
            head_only = out.to_bytes()
            self._write_body(out, reader, -1 if head & 1 else head >> 1, uuid, protocol)
        except CorruptReplay:
            return b"" if uuid is None and head >> 1 == 0 else head_only
        return out.to_bytes()

    def _write_body(
        self, out: ByteWriter, reader: ByteReader, kind: int, uuid: UUID | None, protocol: int
    ) -> None:
        if (protocol, kind) in ((6, 20), (6, 21), (7, 27)):
            for word in ("player", "clan"):
                text = self._words.replace(decode_text(reader.read_cstring()), word)
                out.write_cstring(text.encode())
            _write_default_look(out, protocol)
            return
        if (protocol, kind) == (7, 34):
            _write_default_skin(out)
            return
        numbers = _NUMBERS[protocol].get(kind, 0) if uuid is None else _NUMBERS_BY_UUID.get(uuid, 0)
        for _ in range(numbers):
            out.write_packed_int(reader.read_packed_int())

    # -- extensions ---------------------------------------------------------------------------------------

    def _extra(self, message: Extra) -> Extra:
        try:
            extension = decode_extension(message)
        except TruncatedReplay:
            extension = None
        match extension:
            case Antibot():
                return Extra(message.uuid, b"")
            case None:  # unknown or damaged; whom it is about stays
                client = extension_client(message)
                return Extra(message.uuid, b"" if client is None else _packed_int(client))
            case PlayerName():
                extension = replace(extension, name=self._words.replace(extension.name, "player"))
            case AuthInit() | AuthLogin():
                extension = replace(extension, key=self._words.replace(extension.key, "key"))
            case DDNetVersion():
                extension = replace(extension, connection_id=UUID(int=0), version_text="")
            case SaveSuccess() | LoadSuccess():
                redacted = encode_extension(replace(extension, save=self._save(extension.save)))
                return _padded(redacted) if len(message.data) == _CUT_SAVE else redacted
            case _:
                pass
        return encode_extension(extension)

    def _save(self, text: str) -> str:
        """A save without names: a line of numbers for the team, of which the second counts the tees; a line for
        each tee, its name first; then lines of numbers.
        """
        head, *lines = text.split("\n")
        counts = head.split("\t")
        if len(counts) < 2 or not all(map(_is_number, counts)):
            return self._words.replace(text, "text")
        tees = int(float(counts[1]))
        kept = [head]
        for index, line in enumerate(lines):
            first, *rest = line.split("\t")
            if index < tees:
                first = self._words.replace(first, "player")
            fields = [first, *(field if _SAVE_FIELD.fullmatch(field) else "0" for field in rest)]
            if index >= tees and not _SAVE_FIELD.fullmatch(first):
                fields[0] = "0"
            kept.append("\t".join(fields))
        return "\n".join(kept)


def _packed_int(value: int) -> bytes:
    out = ByteWriter()
    out.write_packed_int(value)
    return out.to_bytes()


#: Numbers, and the id of the game in which the save was made.
_SAVE_FIELD = re.compile(r"-?[0-9]*(\.[0-9]+)?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _padded(extra: Extra) -> Extra:
    """`extra` with a payload of `_CUT_SAVE` bytes that ends with a zero byte: its text goes on with blanks, or
    ends earlier.
    """
    text = extra.data[:-1][: _CUT_SAVE - 1]
    return Extra(extra.uuid, text.ljust(_CUT_SAVE - 1) + b"\0")


def _write_default_look(out: ByteWriter, protocol: int) -> None:
    """What follows name and clan in StartInfo and ChangeInfo: country, skin, colours."""
    out.write_packed_int(-1)
    if protocol == 7:
        _write_default_skin(out)
        return
    out.write_cstring(b"default")
    for _ in range(3):
        out.write_packed_int(0)


def _write_default_skin(out: ByteWriter) -> None:
    for part in (b"standard", b"", b"", b"standard", b"standard", b"standard"):
        out.write_cstring(part)
    for _ in range(12):
        out.write_packed_int(0)


def redact_recording(feed: Feed, header: Header) -> Iterator[bytes]:
    """The bytes of the redacted recording, in pieces; `feed` stands at the first message.

    Raises:
        ReplayError: the recording is damaged; behind all that was good. What cannot be read is not written.
    """
    yield redact_header(header)
    redactor = Redactor()
    for tick, part in feed.rare_and_rest():
        yield part if isinstance(part, bytes) else encode_message(redactor.redact(tick, part))
