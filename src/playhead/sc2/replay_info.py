"""``replay.info``: what the first betas (builds 0.2 to 0.10) have instead of details, initData and attributes.

Bit-packed, and then a tail of plain bytes. The layout is that of Blizzard's published protocol 15405 for users,
game description and lobby, with these differences, found on the replays of that time: two more bits of game
options, one more text behind the checksum of the mod, no ``m_isBlizzardMap``, cache handles that name the region
with three letters, and lobby slots without rewards.
"""

from __future__ import annotations

from dataclasses import dataclass

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay
from playhead.sc2.bit_packed import BitPackedReader
from playhead.sc2.places import BlobPlace, RecordingReader
from playhead.sc2.text import decode_text

_Bits = BitPackedReader | RecordingReader

#: Lobby races in the order of their numbers; no number is a random race.
RACES = ("Terran", "Zerg", "Protoss")


@dataclass(frozen=True, slots=True)
class InfoUser:
    """Somebody in the lobby, player or observer."""

    name: str
    random_seed: int
    race_preference: int | None
    observe: int


@dataclass(frozen=True, slots=True)
class InfoSlot:
    """A slot of the lobby.

    Attributes:
        control: 0 open, 1 closed, 2 a user, 3 the computer.
        user: index into `ReplayInfo.users`, or None.
        color: number of the colour chosen in the lobby (1 red, 2 blue …), or None.
        race: index into `RACES`, or None for random.
        handicap: percent.
        observe: 0 for a player.
    """

    control: int
    user: int | None
    team: int
    color: int | None
    race: int | None
    difficulty: int
    handicap: int
    observe: int


@dataclass(frozen=True, slots=True)
class InfoPlayer:
    """A row of the tail: player `number`, with the race played and the colour as alpha, red, green, blue."""

    number: int
    name: str
    race: str
    color: tuple[int, int, int, int] | None


@dataclass(frozen=True, slots=True)
class ReplayInfo:
    """The decoded member.

    Attributes:
        title: name of the map, possibly localised.
        map_file: path of the map in the cache of the player who saved the replay.
        game_options: the raw 16 bits; eight switches, then fog, observers and difficulty of two bits each.
        game_speed: 0 slower … 4 faster.
        cache_handles: 40 bytes each: type, region, SHA-256.
        game_duration: as the lobby has it; 0 in every file seen.
        players: the 16 rows of the tail, those without a name left out. Row 0 is neutral, so that a row's number
            is a player number.
    """

    title: str
    map_file: str
    map_size: tuple[int, int]
    game_cache_name: str
    mod_file: str
    game_options: int
    game_speed: int
    game_type: int
    cache_handles: tuple[bytes, ...]
    game_duration: int
    users: tuple[InfoUser, ...]
    slots: tuple[InfoSlot, ...]
    players: tuple[InfoPlayer, ...]


def _optional(bits: _Bits, count: int) -> int | None:
    return bits.read_int(count) if bits.read_bool() else None


def _text(bits: _Bits, length_bits: int) -> str:
    return decode_text(bits.read_blob(length_bits))


def _user(bits: _Bits) -> InfoUser:
    name = _text(bits, 8)
    seed = bits.read_int(32)
    race = _optional(bits, 8)
    bits.skip_bits(2)  # test map, test auto
    return InfoUser(name, seed, race, bits.read_int(2))


def _slot(bits: _Bits) -> InfoSlot:
    return InfoSlot(
        control=bits.read_int(8),
        user=_optional(bits, 4),
        team=bits.read_int(4),
        color=_optional(bits, 5),
        race=_optional(bits, 8),
        difficulty=bits.read_int(6),
        handicap=bits.read_int(7),
        observe=bits.read_int(2),
    )


def _skip_slot_description(bits: _Bits) -> None:
    """Which colours, races, difficulties, controls and ways to observe the slot allows: five bit arrays."""
    for length_bits in (6, 8, 6, 8, 2):
        bits.skip_bits(bits.read_int(length_bits))


def _color(text: bytes) -> tuple[int, int, int, int] | None:
    parts = text.split(b",")
    if len(parts) != 4 or not all(part.isdigit() and len(part) <= 3 for part in parts):
        return None
    alpha, red, green, blue = (int(part) for part in parts)
    return alpha, red, green, blue


def _tail(data: bytes, offset: int) -> tuple[InfoPlayer, ...]:
    reader = ByteReader(data, offset)
    zero, count = reader.read_u8(), reader.read_u8()
    if zero != 0 or count > 16:
        raise CorruptReplay(
            f"expected a zero byte and at most 16 players, found {zero} and {count}", offset=offset
        )
    players = []
    for number in range(count):
        name, race, color = (reader.read_bytes(reader.read_u8()) for _ in range(3))
        if name:
            players.append(InfoPlayer(number, decode_text(name), decode_text(race), _color(color)))
    if reader.remaining():
        raise CorruptReplay(
            f"expected the end behind the last player, found {reader.remaining()} more bytes", offset=reader.tell()
        )
    return tuple(players)


def read_replay_info(data: bytes) -> ReplayInfo:
    """Decode the member to its last byte.

    Raises:
        TruncatedReplay, CorruptReplay: the bytes do not fit the layout.
    """
    return _read(data, BitPackedReader(data))


def info_blobs(data: bytes) -> list[BlobPlace]:
    """Where the texts of the member are; their paths say whether they are the name of a ``user`` of the lobby, of
    a ``player`` of the tail, or some other ``text``.

    Raises:
        TruncatedReplay, CorruptReplay: as `read_replay_info`.
    """
    bits = RecordingReader(data)
    users = len(_read(data, bits).users)
    places = [
        place._replace(path=("user" if number < users else "text",)) for number, place in enumerate(bits.places)
    ]
    reader = ByteReader(data, bits.tell() >> 3)
    reader.read_u8()
    for _ in range(reader.read_u8()):
        for kind in ("player", "text", "text"):
            bit = reader.tell() * 8
            text = reader.read_bytes(reader.read_u8())
            places.append(BlobPlace((kind,), bit, 8, 0, reader.tell() - len(text), text))
    return places


def _read(data: bytes, bits: _Bits) -> ReplayInfo:
    users = tuple(_user(bits) for _ in range(bits.read_int(5)))
    bits.skip_bits(32)  # random value
    game_cache_name = _text(bits, 10)
    game_options = bits.read_int(16)
    game_speed = bits.read_int(3)
    game_type = bits.read_int(3)
    bits.skip_bits(5 + 5 + 4 + 4 + 5 + 8 + 8)  # most users, observers, players, teams, colours, races, controls
    map_size = (bits.read_int(8), bits.read_int(8))
    bits.skip_bits(32)  # checksum of the map
    map_file = _text(bits, 10)
    bits.skip_bits(32)  # checksum of the mod
    mod_file = _text(bits, 10)
    for _ in range(bits.read_int(5)):
        _skip_slot_description(bits)
    bits.skip_bits(6)  # default difficulty
    cache_handles = tuple(bits.read_aligned_bytes(40) for _ in range(bits.read_int(4)))
    bits.skip_bits(3 + 5 + 5)  # phase, most users, most observers
    slots = tuple(_slot(bits) for _ in range(bits.read_int(5)))
    bits.skip_bits(32)  # random seed
    _optional(bits, 4)  # user number of the host
    bits.skip_bits(1)  # single player
    game_duration = bits.read_int(32)
    bits.skip_bits(6)  # default difficulty, again
    title = _text(bits, 10)
    return ReplayInfo(
        title=title,
        map_file=map_file,
        map_size=map_size,
        game_cache_name=game_cache_name,
        mod_file=mod_file,
        game_options=game_options,
        game_speed=game_speed,
        game_type=game_type,
        cache_handles=cache_handles,
        game_duration=game_duration,
        users=users,
        slots=slots,
        players=_tail(data, bits.tell() >> 3),
    )
