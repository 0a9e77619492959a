"""Writers of members of Blizzard's replays: header, details, lobby and events, by the type table of a build."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from playhead.bits import ByteWriter
from playhead.blizzard.encoding import tags, writers
from playhead.blizzard.encoding.versioned import Choice, StoredBits
from playhead.blizzard.members.details import Details, DetailsPlayer
from playhead.blizzard.members.header import ReplayHeader
from playhead.blizzard.protocol.tables import GAME, ID_BITS, TRACKER, ProtocolTable, TypePool, short_name
from playhead.blizzard.protocol.wire import USER_BITS
from playhead.sc2.members.metadata import GameMetadata

#: Bits of one word of an array of bits.
_WORD_BITS = 32


class BitPackedWriter(writers.BitPackedWriter):
    """Collects bits; the mirror image of `playhead.blizzard.encoding.bit_packed`."""

    def write_bit_indices(self, indices: Collection[int], count: int) -> None:
        """Write an array of `count` bits with those at `indices` set (see `BitArray`)."""
        for first in range(0, count, _WORD_BITS):
            size = min(_WORD_BITS, count - first)
            self.write_int(_word_of(indices, first, size), size)

    def write_bool(self, value: bool) -> None:
        self.write_int(1 if value else 0, 1)

    def align(self) -> None:
        """Fill the last byte with zero bits."""
        self._free = 0

    def write_aligned_bytes(self, data: bytes) -> None:
        """Write `data` from the start of the next byte."""
        self.align()
        self._out += data

    def write_blob(self, data: bytes, length_bits: int) -> None:
        """Write the byte count in `length_bits` bits, then `data` from the start of the next byte."""
        self.write_int(len(data), length_bits)
        self.write_aligned_bytes(data)


def _word_of(indices: Collection[int], first: int, count: int) -> int:
    """Return the integer with `count` (at most 32) bits from `first` on."""
    wanted = {index - first for index in indices}
    word = 0
    for start in range(0, count, 8):
        width = min(8, count - start)
        chunk = sum(1 << bit for bit in range(width) if start + bit in wanted)
        word = word << width | chunk
    return word


class AsU8(NamedTuple):
    """A flag, which is written as a number of one byte."""

    value: bool | None


class AsU32(NamedTuple):
    """A number that is written in four bytes."""

    value: int


class AsOptional(NamedTuple):
    """A value that the encoding marks as optional; None is absent."""

    value: Any


class VersionedWriter:
    """Collects tagged values; `to_bytes` returns them.

    `write_value` chooses the kind from the Python type; the methods named after a kind write values without a
    Python type of their own. After `begin_array`, `begin_struct` and so on the caller writes the announced values.
    """

    def __init__(self) -> None:
        self._out = ByteWriter()

    def to_bytes(self) -> bytes:
        """Return everything written so far."""
        return self._out.to_bytes()

    def begin_array(self, count: int) -> None:
        """Begin an array; `count` values follow."""
        self._out.write_u8(tags.ARRAY)
        self._out.write_vint(count)

    def write_bit_array(self, value: StoredBits) -> None:
        if len(value.data) != (value.bits + 7) // 8:
            raise ValueError(f"{value.bits} bits do not take {len(value.data)} bytes")
        self._out.write_u8(tags.BIT_ARRAY)
        self._out.write_vint(value.bits)
        self._out.write_bytes(value.data)

    def write_blob(self, value: bytes) -> None:
        self._out.write_u8(tags.BLOB)
        self._out.write_vint(len(value))
        self._out.write_bytes(value)

    def begin_choice(self, tag: int) -> None:
        """Begin a choice; its value follows."""
        self._out.write_u8(tags.CHOICE)
        self._out.write_vint(tag)

    def begin_optional(self, present: bool) -> None:
        """Begin an optional; its value follows if it is present."""
        self._out.write_u8(tags.OPTIONAL)
        self._out.write_u8(1 if present else 0)

    def begin_struct(self, count: int) -> None:
        """Begin a struct; `count` pairs of `write_field_number` and a value follow."""
        self._out.write_u8(tags.STRUCT)
        self._out.write_vint(count)

    def write_field_number(self, number: int) -> None:
        self._out.write_vint(number)

    def write_u8(self, value: int) -> None:
        self._out.write_u8(tags.U8)
        self._out.write_u8(value)

    def write_u32(self, value: int) -> None:
        self._out.write_u8(tags.U32)
        self._out.write_u32(value)

    def write_u64(self, value: int) -> None:
        self._out.write_u8(tags.U64)
        self._out.write_u64(value)

    def write_vint(self, value: int) -> None:
        if not -1 << 63 < value < 1 << 63:
            raise ValueError(f"{value} does not fit a vint of 64 bits")
        self._out.write_u8(tags.VINT)
        self._out.write_vint(value)

    def write_value(self, value: Any) -> None:
        """Write a dict as a struct, a list as an array, bytes as a blob, an int as a vint, None as an absent
        optional.

        Raises:
            TypeError: a value of another type.
            ValueError: an int that does not fit in a vint of 64 bits.
        """
        match value:
            case StoredBits():
                self.write_bit_array(value)
            case AsU8():
                self.write_u8(1 if value.value else 0)
            case AsU32():
                self.write_u32(value.value)
            case AsOptional():
                self.begin_optional(value.value is not None)
                if value.value is not None:
                    self.write_value(value.value)
            case Choice():
                self.begin_choice(value.tag)
                self.write_value(value.value)
            case dict():
                self.begin_struct(len(value))
                for number, field in value.items():
                    self.write_field_number(number)
                    self.write_value(field)
            case list():
                self.begin_array(len(value))
                for element in value:
                    self.write_value(element)
            case bytes():
                self.write_blob(value)
            case int():
                self.write_vint(value)
            case None:
                self.begin_optional(False)
            case _:
                raise TypeError(f"the tagged encoding has no kind for {type(value).__name__}")


def _written(value: object) -> bytes:
    out = VersionedWriter()
    out.write_value(value)
    return out.to_bytes()


def write_header(header: ReplayHeader) -> bytes:
    """Return the tagged header with the fields of today's builds."""
    version = (header.flags, header.major, header.minor, header.revision, header.build, header.base_build)
    fields = (
        *(
            header.signature,
            dict(enumerate(version)),
            header.type,
            header.loops,
            AsU8(bool(header.use_scaled_time)),
        ),
        {1: header.ngdp_root_key or bytes(16)},
        header.build if header.data_build is None else header.data_build,
        {1: header.compatibility_hash or bytes(16)},
        AsU8(header.ngdp_root_key_is_dev_data),
    )
    return _written(dict(enumerate(fields)))


def _player(player: DetailsPlayer) -> dict[int, Any]:
    """Return an entry of the player list by the numbers of its fields."""
    toon = player.toon
    program = AsU32(int.from_bytes(toon.program.encode().rjust(4, b"\0"), "little"))
    fields = (
        *(player.marked_name.encode(), {0: toon.region, 1: program, 2: toon.realm, 4: toon.id}),
        *(player.race.encode(), dict(enumerate(player.color)), player.control, player.team, player.handicap),
        *(player.observe, player.result, AsOptional(player.working_set_slot), player.hero.encode()),
    )
    return dict(enumerate(fields))


def write_details(details: Details) -> bytes:
    """Return ``replay.details`` with the fields of today's builds."""
    mods, restart = details.mod_paths, details.restart_as_transition_map
    fields = (
        *(AsOptional(list(map(_player, details.players))), details.title.encode(), details.difficulty.encode()),
        *({0: details.thumbnail.encode()}, AsU8(details.is_blizzard_map)),
        *(details.time_utc, details.time_local_offset, details.description.encode()),
        *(details.image_file_path.encode(), details.map_file.encode(), AsOptional(list(details.cache_handles))),
        *(AsU8(details.mini_save), details.game_speed, details.default_difficulty),
        AsOptional(None if mods is None else [path.encode() for path in mods]),
        details.campaign_index or 0,
        AsOptional(None if restart is None else AsU8(restart)),
        AsU8(details.disable_recover_game),
    )
    return _written(dict(enumerate(fields)))


def new_details(
    title: str, players: Iterable[DetailsPlayer], ended: datetime, cache_handles: Iterable[bytes], difficulty: int
) -> Details:
    """Return the details of a ladder game that ended then, played on one of Blizzard's maps in Central Europe."""
    since = ended - datetime(1601, 1, 1, tzinfo=UTC)
    return Details(
        players=tuple(players),
        title=title,
        difficulty="",
        thumbnail="Minimap.tga",
        is_blizzard_map=True,
        time_utc=int(since.total_seconds()) * 10_000_000,  # of 100 ns
        time_local_offset=3600 * 10_000_000,
        restart_as_transition_map=False,
        description="",
        image_file_path="",
        map_file="",
        cache_handles=tuple(cache_handles),
        mini_save=False,
        game_speed=4,
        default_difficulty=difficulty,
        mod_paths=None,
        campaign_index=0,
        disable_recover_game=False,
    )


def blank(pool: TypePool, type_: int) -> Any:
    """Return the simplest value of a type: zeros, empty arrays, absent optionals, the first alternative."""
    kind, *rest = pool.types[type_]
    if kind == "struct":
        return {name: blank(pool, inner) for name, inner, _ in rest[0]}
    if kind == "choice":
        _, name, inner = rest[2][0]
        return {name: blank(pool, inner)}
    if kind == "blob":
        return bytes(rest[0])
    fixed: dict[str, Any] = {"bool": False, "fourcc": bytes(4), "bitarray": (0, 0), "array": []}
    return fixed.get(kind, max(rest[0], 0) if kind == "int" else None)


def filled(pool: TypePool, type_: int, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a struct with the fields of `value`, structs in it filled likewise, and blank values for the rest."""
    out: dict[str, Any] = blank(pool, type_)
    inner_types = {name: inner for name, inner, _ in pool.fields(type_)}
    for name, given in value.items():
        inner = inner_types[name]
        nested = isinstance(given, Mapping) and pool.types[inner][0] == "struct"
        out[name] = filled(pool, inner, given) if nested else given
    return out


def _write_bits(out: BitPackedWriter, low: int, width: int, value: Any) -> None:
    """Write a bit array, given as ``(bits, number)`` or as a set of indices, whose highest is the last bit."""
    if isinstance(value, tuple):
        out.write_int(value[0] - low, width)
        out.write_int(value[1], value[0])
        return
    count = max(value, default=-1) + 1
    out.write_int(count - low, width)
    out.write_bit_indices(value, count)


def write_packed(out: BitPackedWriter, pool: TypePool, type_: int, value: Any) -> None:
    """Write a value in the bit-packed encoding."""
    kind, *rest = pool.types[type_]
    if kind == "int":
        out.write_int(value - rest[0], rest[1])
    elif kind == "bool":
        out.write_bool(value)
    elif kind == "blob":
        out.write_int(len(value) - rest[0], rest[1])
        out.write_aligned_bytes(value)
    elif kind == "fourcc":
        out.write_int(int.from_bytes(value, "big"), 32)
    elif kind == "bitarray":
        _write_bits(out, rest[0], rest[1], value)
    elif kind == "array":
        out.write_int(len(value) - rest[0], rest[1])
        for element in value:
            write_packed(out, pool, rest[2], element)
    elif kind == "optional":
        out.write_bool(value is not None)
        if value is not None:
            write_packed(out, pool, rest[0], value)
    elif kind == "choice":
        ((chosen, inner_value),) = value.items()
        tag, _, inner = next(case for case in rest[2] if case[1] == chosen)
        out.write_int(tag - rest[0], rest[1])
        write_packed(out, pool, inner, inner_value)
    elif kind == "struct":
        for name, inner, _ in rest[0]:
            write_packed(out, pool, inner, value if name == "__parent" else value[name])


def _write_tagged(out: VersionedWriter, pool: TypePool, type_: int, value: Any) -> None:
    kind, *rest = pool.types[type_]
    if kind == "struct":
        out.begin_struct(len(rest[0]))
        for name, inner, tag in rest[0]:
            out.write_field_number(tag)
            _write_tagged(out, pool, inner, value[name])
    elif kind == "optional":
        out.begin_optional(value is not None)
        if value is not None:
            _write_tagged(out, pool, rest[0], value)
    elif kind == "array":
        out.begin_array(len(value))
        for element in value:
            _write_tagged(out, pool, rest[2], element)
    else:
        out.write_value(value)


class EventWriter:
    """Collects the events of one stream, in the order of their loops; `to_bytes` returns them."""

    def __init__(self, table: ProtocolTable, stream: str = GAME) -> None:
        self._pool = table.pool
        self._stream = stream
        self._numbers = {
            short_name(name): (number, type_) for number, (name, type_) in table.events(stream).items()
        }
        self._loop = 0
        self._out = bytearray()

    def to_bytes(self) -> bytes:
        """Return everything written so far."""
        return bytes(self._out)

    def write(self, loop: int, user: int, event: str, **fields: Any) -> None:
        """Write one event; fields that are not given are blank. The tracker has no user."""
        number, type_ = self._numbers[event]
        value = filled(self._pool, type_, fields)
        delta, self._loop = loop - self._loop, loop
        if self._stream == TRACKER:
            tagged = VersionedWriter()
            tagged.write_value(Choice(3, delta))
            tagged.write_value(number)
            _write_tagged(tagged, self._pool, type_, value)
            self._out += tagged.to_bytes()
            return
        out = BitPackedWriter()
        out.write_loop_delta(delta)
        out.write_int(user, USER_BITS)
        out.write_int(number, ID_BITS[self._stream])
        write_packed(out, self._pool, type_, value)
        self._out += out.to_bytes()


def write_lobby(table: ProtocolTable, fields: Mapping[str, Any]) -> bytes:
    """Return ``replay.initData``."""
    out = BitPackedWriter()
    write_packed(out, table.pool, table.init_data, filled(table.pool, table.init_data, fields))
    return out.to_bytes()


def write_metadata(metadata: GameMetadata) -> bytes:
    """Return ``replay.gamemetadata.json``: `GameMetadata.raw` after a byte order mark, as the game writes it."""
    return b"\xef\xbb\xbf" + json.dumps(metadata.raw, ensure_ascii=False, indent=4).encode()


def write_sync(checks: Mapping[int, int]) -> bytes:
    """Return ``replay.sync.events`` from checksum by loop, in ascending order."""
    parts = []
    before = 0
    for loop, checksum in checks.items():
        out = BitPackedWriter()
        out.write_loop_delta(loop - before)
        out.write_int(1, 1)
        out.write_int(checksum, 16)
        parts.append(out.to_bytes())
        before = loop
    return b"".join(parts)
