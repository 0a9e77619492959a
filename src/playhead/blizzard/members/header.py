"""The replay header: the user data before the archive, readable without it."""

from __future__ import annotations

from typing import Any, Protocol

from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.blizzard.encoding.versioned import TaggedStruct, VersionedReader
from playhead.errors import CorruptReplay, TruncatedReplay, UnknownFormat
from playhead.limits import Limits
from playhead.runtime.records import dataclass


class Signed(Protocol):
    """The part of a game's declaration that its header shows."""

    @property
    def title(self) -> str: ...
    @property
    def signature(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class ReplayHeader:
    """The decoded header.

    Attributes:
        signature: as stored.
        flags, major, minor, revision, build: the version of the game.
        base_build: build that decides the encoding; differs from `build` if a patch kept the protocol.
        type: 2 for a replay.
        loops: length of the game in game loops.
        use_scaled_time: the game shows seconds at speed "faster" (Legacy of the Void). False before 2.0.10, which
            does not have the field.
        ngdp_root_key, compatibility_hash: 16 bytes each; None if empty or missing in the build.
        data_build: build of the game data.
        ngdp_root_key_is_dev_data: None if missing in the build.
    """

    signature: bytes
    flags: int
    major: int
    minor: int
    revision: int
    build: int
    base_build: int
    type: int
    loops: int
    use_scaled_time: bool | None = False
    ngdp_root_key: bytes | None = None
    data_build: int | None = None
    compatibility_hash: bytes | None = None
    ngdp_root_key_is_dev_data: bool | None = None

    @property
    def version(self) -> str:
        """``major.minor.revision.build``."""
        return f"{self.major}.{self.minor}.{self.revision}.{self.build}"


def _digest(struct: TaggedStruct | None) -> bytes | None:
    """Return the bytes of the struct ``{m_data: 16 bytes}`` (field 0, or 1 in the known versions)."""
    if struct is None:
        return None
    return struct.blob(1, "m_data", None) or struct.blob(0, "m_data", None)


def _read_tagged(content: memoryview, limits: Limits) -> ReplayHeader:
    reader = VersionedReader(content, max_depth=limits.depth, max_elements=limits.elements)
    top = TaggedStruct.of(reader.read_value(), "replay header")
    version = top.struct(1, "m_version")
    dev_data = top.integer(8, "m_ngdpRootKeyIsDevData", None)
    scaled = top.integer(4, "m_useScaledTime", None)
    return ReplayHeader(
        signature=top.blob(0, "m_signature"),
        flags=version.integer(0, "m_flags"),
        major=version.integer(1, "m_major"),
        minor=version.integer(2, "m_minor"),
        revision=version.integer(3, "m_revision"),
        build=version.integer(4, "m_build"),
        base_build=version.integer(5, "m_baseBuild"),
        type=top.integer(2, "m_type"),
        loops=top.integer(3, "m_elapsedGameLoops"),
        use_scaled_time=None if scaled is None else bool(scaled),
        ngdp_root_key=_digest(top.struct(5, "m_ngdpRootKey", None)),
        data_build=top.integer(6, "m_dataBuildNum", None),
        compatibility_hash=_digest(top.struct(7, "m_replayCompatibilityHash", None)),
        ngdp_root_key_is_dev_data=None if dev_data is None else bool(dev_data),
    )


def _read_bit_packed(content: memoryview) -> ReplayHeader:
    bits = BitPackedReader(content)
    # After the signature four numbers of the version, build, base build, type and loops.
    fields: list[Any] = [bits.read_blob(8), *map(bits.read_int, (8, 8, 8, 8, 32, 32, 3, 32))]
    return ReplayHeader(*fields)


def read_header(content: memoryview, game: Signed, limits: Limits | None = None) -> ReplayHeader:
    """Decode the user data of a replay, in either encoding.

    Raises:
        UnknownFormat: not the header of a replay of the game.
        TruncatedReplay: it is cut.
        CorruptReplay: it is damaged.
    """
    # A tagged header starts with a struct (tag 5), a bit-packed one (betas of StarCraft II) with the length of the
    # signature (21).
    if bytes(content[:1]) not in (b"\x05", b"\x15") or game.signature not in bytes(content[:64]):
        if len(content) < 32:
            raise TruncatedReplay(f"expected the replay header, found {len(content)} bytes of user data")
        raise UnknownFormat(
            f"expected a {game.title} replay, found an MPQ archive whose user data is not a replay header"
        )
    header = _read_tagged(content, limits or Limits()) if content[0] == 5 else _read_bit_packed(content)
    if not header.signature.startswith(game.signature):
        raise CorruptReplay(f"expected the signature {game.signature!r}, found {header.signature!r}")
    if not 0 <= header.loops < 1 << 31 or header.build < 0 or header.base_build < 0:
        raise CorruptReplay("expected builds that are not negative, and a length of 0 to 2^31 - 1 loops")
    return header
