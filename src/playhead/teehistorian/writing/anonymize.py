"""Anonymises a recording: the same game, with pseudonyms.

Messages of ticks, positions and inputs, joins and FINISH are copied byte for byte. Of the others, only harmless
data is kept:

* header: a known key whose value has the usual form (`_KEPT`), and numbers of configuration and tuning,
  except settings with a text, key or address; all else becomes ``redacted``. ``playhead_anonymized`` is added.
* StartInfo, ChangeInfo, SkinChange: name and clan are replaced; country, skin and colours become the default.
  Other network messages that consist of numbers are kept; those with texts (chat, vote reasons, arguments),
  unknown and malformed ones are reduced to their id.
* console commands keep their name if it is a known one. An argument is kept if it is a word of the game or a
  number that the game expects at this position (`_KEPT_ARGUMENTS`, settings), and too short for an address written
  as one number; other arguments are replaced.
* names in PLAYER_NAME and saves, keys in AUTH_*, reasons of DROP other than the server's own texts: replaced.
* DDNETVER loses the connection id and text; ANTIBOT and unknown extensions lose their data.

Equal texts get equal pseudonyms within a file: a ``load`` still fits its ``save``, and a ``timeout`` the earlier
one. Pseudonyms are numbered in order of appearance; with a salt, the numbers are derived from salt and text and
equal in all recordings.

On request the ids of games and saves are replaced by derived ones, and start time and port by given values.
`Ledger` counts the replaced, removed and kept data.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from playhead.bits import ByteWriter
from playhead.limits import Limits
from playhead.runtime.records import replace
from playhead.teehistorian.network import NetworkMessage, NetworkRecord, decode_network, encode_network, seven, six
from playhead.teehistorian.state.tracker import ConnectionTracker
from playhead.teehistorian.stream import extensions
from playhead.teehistorian.stream.feed import Feed
from playhead.teehistorian.stream.header import Header, encode_header
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Extra, Message, NetMessage
from playhead.teehistorian.stream.text import encode_text
from playhead.teehistorian.writing.writer import encode_message

#: Fields that can be replaced on request, with their values for an empty text; an id is derived from the old one.
REPLACEABLE: Mapping[str, str] = {"game_uuid": "", "start_time": "1970-01-01T00:00:00+0000", "server_port": "0"}

_REDACTED = "redacted"
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DIGITS = re.compile("[0-9]{1,10}")
_TITLE = re.compile(r"[^\0-\x1f]*", re.DOTALL)
#: Form of a kept value, by key.
_KEPT: Mapping[str, re.Pattern[str]] = {
    "comment": re.compile(r"teehistorian@ddnet\.tw"),
    "version": _DIGITS,
    "version_minor": _DIGITS,
    "minor_version": _DIGITS,
    "game_uuid": _UUID,
    "prev_game_uuid": _UUID,
    "server_version": re.compile(r"[0-9][\w.,()+ -]{0,100}"),
    "start_time": re.compile(r"[0-9]{4}(-[0-9]{2}){2}[T ][0-9]{2}(:[0-9]{2}){2} ?[+-][0-9]{4}"),
    "server_port": re.compile("[0-9]{1,5}"),
    "game_type": _TITLE,
    "map_name": _TITLE,
    "map_size": _DIGITS,
    "map_crc": re.compile("[0-9a-f]{8}"),
    "map_sha256": re.compile("[0-9a-f]{64}"),
    "prng_description": re.compile(r"[\w-]+(:[0-9a-f]+)*"),
    "playhead_slice": re.compile("[0-9]+-[0-9]+"),
}
_EXTENSION_NAME = re.compile(r"[a-z0-9_-]+@[a-z0-9.-]+")
_CONFIG_TITLES = frozenset({"sv_map", "sv_gametype"})

#: Complete addresses, 0.6 and 0.7, with and without port; shorter ones are recognised only by their position.
ADDRESS = re.compile(r"(?<![0-9])[0-9]{1,3}(\.[0-9]{1,3}){3}(?![0-9])|(?i:[0-9a-f]{0,4}(:[0-9a-f]{0,4}){2,})")

#: Parts of the names of settings with texts, keys or addresses, which may look like numbers.
_TEXT_SETTING = re.compile(
    "pass|auth|key|code|login|token|rcon|addr|host|motd|url|file|message|welcome|announce|banner|title"
    "|(^|_)(name|msg|text|rules?|info|desc|ip)$"
)
#: Seven digits: an address written as one decimal number has more.
WHOLE_NUMBER = re.compile("-?[0-9]{1,7}")


def is_numeric_setting(name: str) -> bool:
    """Return whether the setting of this name has a number that may be published."""
    return _TEXT_SETTING.search(name) is None


def check_replacements(replace: Mapping[str, str]) -> None:
    """Check the replacements that a caller requests.

    Raises:
        ValueError: the field cannot be replaced, or the text has another form.
    """
    for key, text in replace.items():
        if key not in REPLACEABLE:
            raise ValueError(f"cannot replace {key!r}; what can be is {', '.join(REPLACEABLE)}")
        if text and _KEPT[key].fullmatch(text) is None:
            raise ValueError(f"{text!r} is no {key} as servers write it")


def anonymized_name(header: Header, words: Words, replace: Mapping[str, str]) -> str:
    """Return the name of the file of an anonymised recording: the id of its game, with ``.teehistorian``."""
    kept = header.text("game_uuid")
    name = kept if kept is not None and _UUID.fullmatch(kept) else str(UUID(int=0))
    if "game_uuid" in replace:
        name = replace["game_uuid"] or str(words.replace_id(UUID(name)))
    return f"{name}.teehistorian"


def anonymize_header(header: Header, words: Words, replace: Mapping[str, str], ledger: Ledger) -> bytes:
    """Return the header without the server's texts; of an invalid one, only the version remains."""
    fields: dict[str, Any] = {"version": str(header.version)}
    for key, value in header.fields.items():
        if key == "version":
            ledger.kept["header version"] += 1
        elif key in ("config", "tuning") and isinstance(value, dict):
            fields[key] = {name: _setting(key, name, text, ledger) for name, text in value.items()}
        elif key == "uuids" and isinstance(value, list):
            fields[key] = [text if _is_shaped(text, _EXTENSION_NAME) else _REDACTED for text in value]
            ledger.kept["header uuids"] += 1
        elif key == "playhead_anonymized":
            pass  # added below
        else:
            fields[key] = _field(key, value, words, replace, ledger)
    return encode_header({**fields, "playhead_anonymized": "1"})


def _field(key: str, value: Any, words: Words, replace: Mapping[str, str], ledger: Ledger) -> Any:
    kept = value is None or (key in _KEPT and _is_shaped(value, _KEPT[key]))
    if key in _KEPT and _KEPT[key] is _TITLE and isinstance(value, str) and ADDRESS.search(value):
        kept = False
    asked = replace.get("game_uuid" if key == "prev_game_uuid" else key)
    if kept and value is not None and asked is not None:
        ledger.replaced[f"header {key}"] += 1
        if key == "prev_game_uuid" or (key == "game_uuid" and not asked):
            return str(words.replace_id(UUID(value)))
        return asked or REPLACEABLE[key]
    (ledger.kept if kept else ledger.replaced)[f"header {key}"] += 1
    return value if kept else _REDACTED


def _is_shaped(value: object, shape: re.Pattern[str]) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return False
    return shape.fullmatch(str(value)) is not None


def _setting(key: str, name: str, text: object, ledger: Ledger) -> object:
    if name in _CONFIG_TITLES:
        kept = isinstance(text, str) and not ADDRESS.search(text)
    else:
        kept = is_numeric_setting(name) and _is_shaped(text, WHOLE_NUMBER)
    (ledger.kept if kept else ledger.replaced)[f"{key} {name}"] += 1
    return text if kept else _REDACTED


class Words:
    """Maps equal texts to equal pseudonyms; without a salt, they are numbered in order of appearance."""

    def __init__(self, salt: bytes | None = None) -> None:
        self._salt = salt
        self._id_salt = secrets.token_bytes(16) if salt is None else salt
        self._words: dict[str, tuple[str, int]] = {}

    def replace(self, text: str, kind: str) -> str:
        """Return the pseudonym of `text`; an empty text stays empty.

        A pseudonym begins with the first requested `kind`, that of a name always with ``player``: a person has the
        same pseudonym in all recordings, even if a command with the name came first.
        """
        if not text:
            return text
        known = self._words.get(text)
        if known is None:
            known = self._words[text] = kind, self._number(text)
        elif kind == "player" and known[0] != kind:
            known = self._words[text] = kind, known[1]
        return f"{known[0]}{known[1]}"

    def _number(self, text: str) -> int:
        if self._salt is None:
            return len(self._words) + 1
        digest = hmac.digest(self._salt, encode_text(text), "sha256")
        return int.from_bytes(digest[:8], "big") % 1_000_000_000  # nine digits: a name has at most 15 bytes

    def replace_id(self, original: UUID) -> UUID:
        """Return another id, equal for equal ids; random without a salt. None stays None."""
        if not original.int:
            return original
        return UUID(bytes=hmac.digest(self._id_salt, original.bytes, "sha256")[:16], version=4)


class Ledger:
    """Counts replaced, removed and kept data by kind."""

    def __init__(self) -> None:
        self.replaced: Counter[str] = Counter()
        self.removed: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()

    def sentences(self, whole: str) -> tuple[str, ...]:
        """Return up to three sentences with the counts; the last one is of kept data and of what stays whole."""
        changed = (("replaced", self.replaced), ("removed", self.removed))
        kept = f"kept: {_listed(self.kept)}; whole: {whole}" if self.kept else f"kept whole: {whole}"
        return (*(f"{side}: {_listed(counts)}" for side, counts in changed if counts), kept)


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{what} ({count})" if count > 1 else what for what, count in sorted(counts.items()))


_NUMBER = re.compile(r"-?[0-9]{1,7}(\.[0-9]{1,7})?")
_COMMAND = re.compile(r"[+-]?[a-z][a-z0-9_]{0,47}")
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

#: Kept arguments by command and position.
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
#: Codes; their pseudonyms begin with this kind.
_CODE_COMMANDS = frozenset({"timeout", "save", "load"})

#: The server's own texts about a client that left.
_REASONS = frozenset(
    ("", "Timeout", "Timeout Protection used", "Server shutdown", "Kicked", "Too many connections")
)
_KICKED = re.compile(r"(Kicked|Banned|You have been banned) \(.*\)", re.DOTALL)

#: Size of a save's payload truncated by servers before version_minor 9; kept, since it shows the truncation.
_CUT_SAVE = 2048


class Anonymizer:
    """Replaces the rare messages of one recording, in file order."""

    def __init__(
        self, header: Header, limits: Limits, words: Words, ledger: Ledger, *, replace_ids: bool = False
    ) -> None:
        self._words = words
        self._ledger = ledger
        self._replace_ids = replace_ids
        self._tracker = ConnectionTracker.for_header(header, limits.sessions)

    def anonymize(self, tick: int, message: Message) -> Message:
        rare = self._tracker.on_message(tick, message)
        match message:
            case Drop():
                return replace(message, reason=self._reason(message.reason))
            case ConsoleCommand():
                return self._command(message)
            case NetMessage():
                return replace(message, data=self._network(message))
            case Extra():
                return self._extra(message, rare.extension)
            case _:
                return message

    def _reason(self, reason: str) -> str:
        if reason in _REASONS:
            self._ledger.kept["reasons of the server's own"] += 1
            return reason
        self._ledger.replaced["reasons of leaving"] += 1
        kicked = _KICKED.fullmatch(reason)
        return f"{kicked[1]} (redacted)" if kicked else self._words.replace(reason, "reason")

    def _command(self, message: ConsoleCommand) -> ConsoleCommand:
        command = message.command
        if _COMMAND.fullmatch(command) is None:
            self._ledger.replaced["names of commands that no server has"] += 1
            command = self._words.replace(command, "command")
        kind = "code" if command in _CODE_COMMANDS else "text"
        expected = _KEPT_ARGUMENTS.get(command, ())
        if command.startswith("sv_") and is_numeric_setting(command):
            expected = (WHOLE_NUMBER,)
        arguments = []
        for place, text in enumerate(message.arguments):
            stays = place < len(expected) and expected[place].fullmatch(text) is not None
            if stays:
                self._ledger.kept[f"values of {command}"] += 1
            else:
                self._ledger.replaced[f"arguments of {command}"] += 1
            arguments.append(text if stays else self._words.replace(text, kind))
        return replace(message, command=command, arguments=tuple(arguments))

    def _network(self, original: NetMessage) -> bytes:
        message = decode_network(original.data, self._tracker.protocol(original.cid) or 6)
        match message.record:
            case six.StartInfo() | six.ChangeInfo() | seven.StartInfo() as record:
                name, clan = self._name(record.name), self._words.replace(record.clan, "clan")
                self._ledger.replaced["looks (clan, country, skin, colours)"] += 1
                return encode_network(replace(_DEFAULT_LOOK[type(record)], name=name, clan=clan))
            case seven.SkinChange():
                self._ledger.replaced["looks (clan, country, skin, colours)"] += 1
                return encode_network(_DEFAULT_SKIN)
            case NetworkRecord() as record if all(encoding is int for _, encoding, _ in record.encodings):
                self._ledger.kept["network messages of numbers"] += 1
                return encode_network(record)
            case _:
                self._ledger.removed["contents of network messages"] += 1
                return _head(message)

    def _extra(self, message: Extra, extension: extensions.Extension | None) -> Extra:
        match extension:
            case extensions.Antibot():
                self._ledger.removed["data of the anti-cheat module"] += 1
                return Extra(message.uuid, b"")
            case None:  # unknown or damaged; the client id is kept
                self._ledger.removed["data of unknown or damaged extensions"] += 1
                client = extensions.extension_client(message)
                return Extra(message.uuid, b"" if client is None else _packed_int(client))
            case extensions.PlayerName():
                extension = replace(extension, name=self._name(extension.name))
            case extensions.AuthInit() | extensions.AuthLogin():
                self._ledger.replaced["names of rcon keys"] += 1
                role = extension.role
                role = role if role.lower() in extensions.ROLE_LEVELS else self._words.replace(role, "role")
                extension = replace(extension, key=self._words.replace(extension.key, "key"), role=role)
            case extensions.DDNetVersion():
                self._ledger.removed["connection ids and texts of client versions"] += 1
                extension = replace(extension, connection_uuid=UUID(int=0), version_text="")
            case extensions.SaveSuccess() | extensions.LoadSuccess():
                self._ledger.replaced["names in saves"] += 1
                save_uuid = self._id(extension.save_uuid)
                clean = extensions.encode_extension(
                    replace(extension, save_uuid=save_uuid, save=self._save(extension.save))
                )
                return _padded(clean) if len(message.data) == _CUT_SAVE else clean
            case _:
                pass
        return extensions.encode_extension(extension)

    def _save(self, text: str) -> str:
        """Return a save without names: a line of numbers for the team, whose second field counts the tees; a line
        per tee, its name first; then lines of numbers.
        """
        head, *lines = text.split("\n")
        counts = head.split("\t")
        if len(counts) < 2 or not all(map(_NUMBER.fullmatch, counts)):
            return self._words.replace(text, "text")
        tees = int(float(counts[1]))
        kept = [head]
        for index, line in enumerate(lines):
            first, *rest = line.split("\t")
            first = self._words.replace(first, "player") if index < tees else self._save_field(first)
            kept.append("\t".join([first, *map(self._save_field, rest)]))
        return "\n".join(kept)

    def _save_field(self, field: str) -> str:
        if _UUID.fullmatch(field):  # id of the game with the save
            return str(self._id(UUID(field)))
        return field if _SAVE_NUMBER.fullmatch(field) else "0"

    def _name(self, name: str) -> str:
        self._ledger.replaced["names"] += 1
        return self._words.replace(name, "player")

    def _id(self, original: UUID) -> UUID:
        return self._words.replace_id(original) if self._replace_ids else original


_SKIN_PARTS = ("standard", "", "", "standard", "standard", "standard")
_DEFAULT_SKIN = seven.SkinChange(_SKIN_PARTS, (0,) * 6, (0,) * 6)
_DEFAULT_LOOK: Mapping[type, Any] = {
    six.StartInfo: six.StartInfo("", "", -1, "default", 0, 0, 0),
    six.ChangeInfo: six.ChangeInfo("", "", -1, "default", 0, 0, 0),
    seven.StartInfo: seven.StartInfo("", "", -1, _SKIN_PARTS, (0,) * 6, (0,) * 6),
}


def _head(message: NetworkMessage) -> bytes:
    """Return the id of a message; empty if it is incomplete."""
    if message.number is None:
        return b""
    head = _packed_int(message.number << 1 | message.system)
    return head if message.uuid is None else head + message.uuid.bytes


def _packed_int(value: int) -> bytes:
    out = ByteWriter()
    out.write_packed_int(value)
    return out.to_bytes()


_SAVE_NUMBER = re.compile(r"-?[0-9]*(\.[0-9]+)?")


def _padded(extra: Extra) -> Extra:
    """Return `extra` with a payload of `_CUT_SAVE` bytes and a final zero byte: pad its text with blanks, or cut
    it."""
    text = extra.data[:-1][: _CUT_SAVE - 1]
    return Extra(extra.uuid, text.ljust(_CUT_SAVE - 1) + b"\0")


#: What stays whole in every recording.
KEPT_WHOLE = "ticks, positions, inputs, client ids, teams, practice, finishes, names of commands"


def anonymize_recording(
    feed: Feed,
    header: Header,
    words: Words | None = None,
    *,
    replace: Mapping[str, str] | None = None,
    ledger: Ledger | None = None,
) -> Iterator[bytes]:
    """Yield the bytes of the anonymised recording, in pieces; `feed` is before the first message.

    Args:
        feed: source of the messages.
        header: header of the recording.
        words: pseudonyms of texts.
        replace: new values of other fields; an empty text means the default (`REPLACEABLE`).
        ledger: counts the replaced, removed and kept data.

    Raises:
        ReplayError: the recording is damaged; raised after all messages before the damage.
    """
    words, counts, asked = words or Words(), ledger or Ledger(), replace or {}
    yield anonymize_header(header, words, asked, counts)
    anonymizer = Anonymizer(header, feed.limits, words, counts, replace_ids="game_uuid" in asked)
    for tick, part in feed.rare_and_rest():
        yield part if isinstance(part, bytes) else encode_message(anonymizer.anonymize(tick, part))
