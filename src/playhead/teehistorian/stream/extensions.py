"""EX messages: DDNet's additions to the twelve basic messages, each identified by a UUID.

The records below are the only description of the payloads: the type of a field is its encoding (`int` packed int,
`str` zero-terminated text, `UUID` 16 raw bytes, `bytes` the rest of the payload), for decoding and encoding. An
unknown extension is returned as a raw `Extra`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar, dataclass_transform, get_type_hints
from uuid import UUID, uuid3

from playhead.bits import ByteReader, ByteWriter
from playhead.errors import TruncatedReplay
from playhead.runtime.records import dataclass, field
from playhead.teehistorian.stream.messages import MAX_CLIENTS, Extra
from playhead.teehistorian.stream.text import decode_text, encode_text

#: Namespace of every UUID that Teeworlds derives from a name: extensions of the file and of the network protocol.
NAMESPACE = UUID("e05ddaaa-c4e6-4cfb-b642-5d48e80c0029")


def named_uuid(name: str) -> UUID:
    """Return the UUID derived from `name` (version 3: MD5)."""
    return uuid3(NAMESPACE, name)


class Extension:
    """Base of the records.

    Attributes:
        extension_name: the name from which `uuid` is derived.
    """

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    extension_name: ClassVar[str]
    uuid: ClassVar[UUID]


_E = TypeVar("_E", bound=Extension)
_BY_UUID: dict[UUID, type[Extension]] = {}

#: Every known extension by its UUID.
EXTENSIONS: Mapping[UUID, type[Extension]] = MappingProxyType(_BY_UUID)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def _extension(name: str) -> Callable[[type[_E]], type[_E]]:
    """Make the class a frozen dataclass and register it under the UUID of `name`."""

    def register(cls: type[_E]) -> type[_E]:
        record = dataclass(frozen=True, slots=True)(cls)
        record.extension_name = name
        record.uuid = named_uuid(name)
        _BY_UUID[record.uuid] = record
        return record

    return register


@_extension("teehistorian-test@ddnet.tw")
class ServerTest(Extension):
    """Only in DDNet's own tests. Since 11.0.3."""


@_extension("teehistorian-auth-init@ddnet.tw")
class AuthInit(Extension):
    """Had rcon when the map started. 11.0.3 to 19.5; later servers write `AuthLogin` instead."""

    cid: int
    auth_level: int
    key: str
    role: str = field(default="", kw_only=True)


@_extension("teehistorian-auth-login@ddnet.tw")
class AuthLogin(Extension):
    """Logged in to rcon: level 1 helper, 2 moderator, 3 administrator. Since 11.0.3.

    Servers since September 2026 write the name of the role instead of the number: `role` is the name, and `level`
    the number of that role (`ROLE_LEVELS`), or -1 for a role that the server defines.
    """

    cid: int
    auth_level: int
    key: str
    role: str = field(default="", kw_only=True)


@_extension("teehistorian-auth-logout@ddnet.tw")
class AuthLogout(Extension):
    """Logged out of rcon. Since 11.0.3."""

    cid: int


@_extension("teehistorian-ddnetver-old@ddnet.tw")
class DDNetVersionOld(Extension):
    """Client version, from the legacy message. Since 13.2."""

    cid: int
    version: int


@_extension("teehistorian-ddnetver@ddnet.tw")
class DDNetVersion(Extension):
    """Client version and connection id (may be all zero). Since 13.2."""

    cid: int
    connection_uuid: UUID
    version: int
    version_text: str


@_extension("teehistorian-joinver6@ddnet.tw")
class JoinVersion6(Extension):
    """The client about to join speaks protocol 0.6. Since 14.0."""

    cid: int


@_extension("teehistorian-joinver7@ddnet.tw")
class JoinVersion7(Extension):
    """The client about to join speaks protocol 0.7. Since 14.0."""

    cid: int


@_extension("teehistorian-save-success@ddnet.tw")
class SaveSuccess(Extension):
    """A team was saved. Before version_minor 9 a payload of 2048 bytes is truncated. Since 14.0.2."""

    team: int
    save_uuid: UUID
    save: str


@_extension("teehistorian-save-failure@ddnet.tw")
class SaveFailure(Extension):
    """A team could not be saved. Since 14.0.2."""

    team: int


@_extension("teehistorian-load-success@ddnet.tw")
class LoadSuccess(Extension):
    """A team was loaded; truncated as in `SaveSuccess`. Since 14.0.2."""

    team: int
    save_uuid: UUID
    save: str


@_extension("teehistorian-load-failure@ddnet.tw")
class LoadFailure(Extension):
    """A team could not be loaded. Since 14.0.2."""

    team: int


@_extension("teehistorian-player-team@ddnet.tw")
class PlayerTeam(Extension):
    """A player changed to a DDRace team; all players start in team 0. Since 15.6."""

    cid: int
    team: int


@_extension("teehistorian-team-practice@ddnet.tw")
class TeamPractice(Extension):
    """A team entered (1) or left (0) practice. Since 15.6."""

    team: int
    practice: int


@_extension("teehistorian-player-ready@ddnet.tw")
class PlayerReady(Extension):
    """Entered the game; the tee appears on the next tick. Since 16.0."""

    cid: int


@_extension("teehistorian-player-swap@ddnet.tw")
class PlayerSwap(Extension):
    """Two players swapped places. Since 16.2."""

    cid: int
    target_client: int


@_extension("teehistorian-rejoinver6@ddnet.org")
class PlayerRejoin(Extension):
    """The same address connected again; there is no `Drop` and no `Join`. Since 17.3."""

    cid: int


@_extension("teehistorian-antibot@ddnet.org")
class Antibot(Extension):
    """Bytes of the closed anti-cheat module; their meaning is not public. Since 17.3."""

    data: bytes


@_extension("teehistorian-player-name@ddnet.org")
class PlayerName(Extension):
    """The name assigned by the server, which may differ from the requested one. Since 18.3."""

    cid: int
    name: str


@_extension("teehistorian-player-finish@ddnet.org")
class PlayerFinish(Extension):
    """A player finished the map in `duration_ticks`. Since 18.3."""

    cid: int
    duration_ticks: int


@_extension("teehistorian-team-finish@ddnet.org")
class TeamFinish(Extension):
    """A team finished the map in `duration_ticks`. Since 18.3."""

    team: int
    duration_ticks: int


#: Levels of the roles that every server has, by name.
ROLE_LEVELS: Mapping[str, int] = MappingProxyType(
    {"helper": 1, "mod": 2, "moderator": 2, "admin": 3, "administrator": 3}
)

#: Whose `level` may be a role in the file.
_WITH_ROLE = frozenset({AuthInit.uuid, AuthLogin.uuid})


@cache
def _encodings(uuid: UUID) -> tuple[type, ...]:
    record = EXTENSIONS[uuid]
    hints = get_type_hints(record)
    return tuple(hints[name] for name in record.__match_args__)


def decode_extension(extra: Extra) -> Extension | None:
    """Return the record of a known extension; None for an unknown one.

    Bytes after the known fields (a newer server's additions) are left in `extra.data`.

    Raises:
        TruncatedReplay: the payload is shorter than its extension needs; the offset is within it.
    """
    record = EXTENSIONS.get(extra.uuid)
    if record is None:
        return None
    reader = ByteReader(extra.data)
    values: list[Any] = []
    for encoding in _encodings(record.uuid):
        if len(values) == 1 and extra.uuid in _WITH_ROLE and _is_role(extra.data[reader.tell() :]):
            role = decode_text(reader.read_cstring())
            key = decode_text(reader.read_cstring())
            return record(*values, ROLE_LEVELS.get(role.lower(), -1), key, role=role)  # type: ignore[call-arg]
        if encoding is int:
            values.append(reader.read_packed_int())
        elif encoding is str:
            values.append(decode_text(reader.read_cstring()))
        elif encoding is UUID:
            values.append(UUID(bytes=reader.read_bytes(16)))
        else:
            values.append(reader.read_bytes(reader.remaining()))
    return record(*values)


def _is_role(data: bytes) -> bool:
    """Whether two texts follow, or a known role: after a number, which is one byte below 4, there is one text."""
    role, _, rest = data.partition(b"\0")
    return data[:1].isalpha() and (b"\0" in rest or role.decode("ascii", "replace").lower() in ROLE_LEVELS)


def extension_client(extra: Extra) -> int | None:
    """Return the client that a known extension is about; None where it is about none, unknown or damaged."""
    record = EXTENSIONS.get(extra.uuid)
    if record is None or not extra.data or record.__match_args__[:1] != ("cid",):
        return None
    try:
        cid = ByteReader(extra.data).read_packed_int()
    except TruncatedReplay:
        return None
    return cid if 0 <= cid < MAX_CLIENTS else None


def encode_extension(record: Extension) -> Extra:
    """Return the EX message of a record."""
    writer = ByteWriter()
    for encoding, name in zip(_encodings(record.uuid), record.__match_args__, strict=True):
        value = getattr(record, name)
        if name == "auth_level" and isinstance(record, AuthInit | AuthLogin) and record.role:
            writer.write_cstring(encode_text(record.role))
        elif encoding is int:
            writer.write_packed_int(value)
        elif encoding is str:
            writer.write_cstring(encode_text(value))
        elif encoding is UUID:
            writer.write_bytes(value.bytes)
        else:
            writer.write_bytes(value)
    return Extra(record.uuid, writer.to_bytes())


class ExtensionNames:
    """Names for the extensions of one file: the known ones and those that its header lists by name."""

    def __init__(self, header_names: Iterable[str]) -> None:
        self._names = {named_uuid(name): name for name in header_names}
        self._names.update((uuid, record.extension_name) for uuid, record in EXTENSIONS.items())

    def __getitem__(self, uuid: UUID) -> str:
        """Return the name; the UUID's own text where nothing names it."""
        return self._names.get(uuid) or str(uuid)
