"""A recording without what identifies people: the same game, with other words.

Kept byte for byte: every message of ticks, positions and inputs, joins and FINISH. Of the rest, only what is known
to be harmless is kept:

* header: the keys in `_HEADER_KEPT`, whole numbers of the configuration and the tuning; other text is replaced.
  The key ``playhead_anonymized`` is added.
* StartInfo, ChangeInfo, SkinChange: name and clan are replaced; country, skin and colours become the default.
  Other network messages of numbers alone stay; those with texts (chat, vote reasons, arguments), unknown and
  malformed ones keep their id alone.
* console commands keep their name. An argument stays if it is one of the game's own words or a number, in a place
  where the game expects that (`_KEPT_ARGUMENTS`, settings); every other one is replaced.
* names in PLAYER_NAME and saves, keys in AUTH_*, reasons of DROP that are not the server's own words: replaced.
* DDNETVER loses the connection id and text; ANTIBOT and unknown extensions lose their data.

The same text is replaced by the same word everywhere in a file, so that a ``load`` still fits its ``save`` and a
``timeout`` the earlier one. The words are numbered in the order of appearance; with a salt the numbers follow from
salt and text, so that they are the same in every recording.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from playhead.bits import ByteWriter
from playhead.teehistorian.network import (
    NetworkMessage,
    NetworkRecord,
    decode_network,
    encode_network,
    seven,
    six,
)
from playhead.teehistorian.state.tracker import ConnectionTracker
from playhead.teehistorian.stream.extensions import (
    Antibot,
    AuthInit,
    AuthLogin,
    DDNetVersion,
    Extension,
    LoadSuccess,
    PlayerName,
    SaveSuccess,
    encode_extension,
    extension_client,
)
from playhead.teehistorian.stream.feed import Feed
from playhead.teehistorian.stream.header import Header, encode_header
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Extra, Message, NetMessage
from playhead.teehistorian.stream.text import encode_text
from playhead.teehistorian.writing.writer import encode_message

_HEADER_KEPT = frozenset(
    "comment version version_minor minor_version game_uuid prev_game_uuid server_version start_time server_port "
    "game_type map_name map_size map_crc map_sha256 prng_description uuids playhead_slice".split()
)
_CONFIG_KEPT = frozenset({"sv_map", "sv_gametype"})

#: Settings with these in their names may be secret, though they look like numbers.
_SECRET = re.compile("pass|auth|key|code|login|token|rcon")
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,10}")
_NUMBER = re.compile(r"-?[0-9]{1,7}(\.[0-9]{1,7})?")
#: A client id, a team, a zone.
_SHORT_NUMBER = re.compile(r"-?[0-9]{1,3}")
#: Minutes or seconds.
_TIME = re.compile(r"[0-9]{1,5}")
_EMOTION = re.compile("angry|blink|close|happy|normal|pain|surprise")
_TUNING = re.compile(
    "(ground|air)_(control_speed|control_accel|friction|jump_impulse)|ground_elasticity_[xy]"
    "|hook_(length|fire_speed|drag_accel|drag_speed|duration)|gravity|velramp_(start|range|curvature)"
    "|(gun|shotgun|grenade)_(curvature|speed|lifetime)|shotgun_speeddiff"
    "|laser_(reach|bounce_delay|bounce_num|bounce_cost|damage)|player_(collision|hooking)"
    "|(jetpack|shotgun|explosion|hammer)_strength|(hammer|gun|shotgun|grenade|laser|ninja)_fire_delay"
    "|hammer_hit_fire_delay"
)

#: What arguments may stay, by command and place.
_KEPT_ARGUMENTS: Mapping[str, tuple[re.Pattern[str], ...]] = {
    "ban": (_SHORT_NUMBER, _TIME),
    "emote": (_EMOTION, _TIME),
    "kick": (_SHORT_NUMBER,),
    "muteid": (_SHORT_NUMBER, _TIME),
    "rename": (_SHORT_NUMBER,),
    "set_team": (_SHORT_NUMBER, _SHORT_NUMBER, _TIME),
    "set_team_all": (_SHORT_NUMBER,),
    "set_team_ddr": (_SHORT_NUMBER, _SHORT_NUMBER),
    "showothers": (_SHORT_NUMBER,),
    "team": (_SHORT_NUMBER,),
    "tune": (_TUNING, _NUMBER),
    "tune_reset": (_TUNING,),
    "tune_zone": (_SHORT_NUMBER, _TUNING, _NUMBER),
    "unban": (_SHORT_NUMBER,),
}
#: Codes: the words for them show that they are.
_CODE_COMMANDS = frozenset({"timeout", "save", "load"})

#: What the server itself says of a client that is gone.
_REASONS = frozenset(
    ("", "Timeout", "Timeout Protection used", "Server shutdown", "Kicked", "Too many connections")
)
_KICKED = re.compile(r"(Kicked|Banned|You have been banned) \(.*\)", re.DOTALL)

#: Size of a save's payload that servers before version_minor 9 have cut; kept, because it shows that.
_CUT_SAVE = 2048


class Words:
    """Replaces texts, the same by the same."""

    def __init__(self, salt: bytes | None = None) -> None:
        self._salt = salt
        self._words: dict[str, str] = {}

    def replace(self, text: str, kind: str) -> str:
        """Return a word for `text`; the empty text stays. The word begins with the first `kind` asked for."""
        if not text:
            return text
        known = self._words.get(text)
        if known is None:
            known = self._words[text] = f"{kind}{self._number(text)}"
        return known

    def _number(self, text: str) -> int:
        if self._salt is None:
            return len(self._words) + 1
        digest = hmac.digest(self._salt, encode_text(text), "sha256")
        return int.from_bytes(digest[:8], "big") % 1_000_000_000  # nine digits: a name has at most 15 bytes


def anonymize_header(header: Header) -> bytes:
    """Return a header without the server's own texts; of one that is no JSON, only the version is left."""
    fields: dict[str, Any] = {}
    for key, value in header.fields.items():
        if key in _HEADER_KEPT:
            fields[key] = value
        elif key in ("config", "tuning") and isinstance(value, dict):
            fields[key] = {
                name: text if name in _CONFIG_KEPT or _is_harmless_setting(name, text) else "redacted"
                for name, text in value.items()
            }
        else:
            fields[key] = "redacted"
    return encode_header({"version": str(header.version), **fields, "playhead_anonymized": "1"})


def _is_harmless_setting(name: str, value: object) -> bool:
    return isinstance(value, str) and not _SECRET.search(name) and _WHOLE_NUMBER.fullmatch(value) is not None


class Anonymizer:
    """Replaces the rare messages of one recording, in their order."""

    def __init__(self, salt: bytes | None = None) -> None:
        self._words = Words(salt)
        self._tracker = ConnectionTracker()

    def anonymize(self, tick: int, message: Message) -> Message:
        rare = self._tracker.on_message(tick, message)
        match message:
            case Drop():
                return replace(message, reason=self._reason(message.reason))
            case ConsoleCommand():
                return replace(message, arguments=self._arguments(message))
            case NetMessage():
                return replace(message, data=self._network(message))
            case Extra():
                return self._extra(message, rare.extension)
            case _:
                return message

    def _reason(self, reason: str) -> str:
        if reason in _REASONS:
            return reason
        kicked = _KICKED.fullmatch(reason)
        return f"{kicked[1]} (redacted)" if kicked else self._words.replace(reason, "reason")

    def _arguments(self, message: ConsoleCommand) -> tuple[str, ...]:
        command = message.command
        kind = "code" if command in _CODE_COMMANDS else "text"
        expected = _KEPT_ARGUMENTS.get(command, ())
        if command.startswith("sv_") and not _SECRET.search(command):
            expected = (_WHOLE_NUMBER,)
        kept = [
            place < len(expected) and expected[place].fullmatch(text) is not None
            for place, text in enumerate(message.arguments)
        ]
        return tuple(
            text if stays else self._words.replace(text, kind)
            for text, stays in zip(message.arguments, kept, strict=True)
        )

    def _network(self, original: NetMessage) -> bytes:
        message = decode_network(original.data, self._tracker.protocol(original.cid) or 6)
        match message.record:
            case six.StartInfo() | six.ChangeInfo() | seven.StartInfo() as record:
                name, clan = self._words.replace(record.name, "player"), self._words.replace(record.clan, "clan")
                return encode_network(replace(_DEFAULT_LOOK[type(record)], name=name, clan=clan))
            case seven.SkinChange():
                return encode_network(_DEFAULT_SKIN)
            case NetworkRecord() as record if all(encoding is int for _, encoding, _ in record.encodings):
                return encode_network(record)
            case _:
                return _head(message)

    def _extra(self, message: Extra, extension: Extension | None) -> Extra:
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
                clean = encode_extension(replace(extension, save=self._save(extension.save)))
                return _padded(clean) if len(message.data) == _CUT_SAVE else clean
            case _:
                pass
        return encode_extension(extension)

    def _save(self, text: str) -> str:
        """A save without names: a line of numbers for the team, of which the second counts the tees; a line for
        each tee, its name first; then lines of numbers.
        """
        head, *lines = text.split("\n")
        counts = head.split("\t")
        if len(counts) < 2 or not all(map(_NUMBER.fullmatch, counts)):
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


_SKIN_PARTS = ("standard", "", "", "standard", "standard", "standard")
_DEFAULT_SKIN = seven.SkinChange(_SKIN_PARTS, (0,) * 6, (0,) * 6)
_DEFAULT_LOOK: Mapping[type, Any] = {
    six.StartInfo: six.StartInfo("", "", -1, "default", 0, 0, 0),
    six.ChangeInfo: six.ChangeInfo("", "", -1, "default", 0, 0, 0),
    seven.StartInfo: seven.StartInfo("", "", -1, _SKIN_PARTS, (0,) * 6, (0,) * 6),
}


def _head(message: NetworkMessage) -> bytes:
    """Return the id of a message alone; nothing where it has no whole one."""
    if message.number is None:
        return b""
    head = _packed_int(message.number << 1 | message.system)
    return head if message.uuid is None else head + message.uuid.bytes


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


def anonymize_recording(feed: Feed, header: Header, salt: bytes | None = None) -> Iterator[bytes]:
    """Yield the bytes of the anonymised recording, in pieces; `feed` is before the first message.

    Raises:
        ReplayError: the recording is damaged; behind all that was good. What cannot be read is not written.
    """
    yield anonymize_header(header)
    anonymizer = Anonymizer(salt)
    for tick, part in feed.rare_and_rest():
        yield part if isinstance(part, bytes) else encode_message(anonymizer.anonymize(tick, part))
