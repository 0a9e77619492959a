"""``replay.info`` of the first betas (builds 0.2 to 0.10), which replaces details, initData and attributes.

Bit-packed, in the layout of `playhead.sc2.protocol.tables.replay_info_type`, followed by plain bytes: a zero, the
number of players, and for each the name, race and colour as texts with their lengths.
"""

from __future__ import annotations

from playhead.bits import ByteReader
from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.blizzard.encoding.blob_offsets import BlobOffset, packed_blobs
from playhead.blizzard.encoding.event_decoder import EventDecoder
from playhead.blizzard.encoding.versioned import check_end
from playhead.blizzard.members.lobby import Lobby, Struct
from playhead.blizzard.members.text import decode_text
from playhead.errors import CorruptReplay
from playhead.runtime.records import dataclass
from playhead.sc2.protocol.tables import replay_info_program, replay_info_type

#: Rows of the tail, used or not.
_MOST_PLAYERS = 16


@dataclass(frozen=True, slots=True)
class InfoUser:
    """A player or observer in the lobby."""

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
        race: index into `races.RACES`, or None for random.
        difficulty: 0 very easy … of the computer.
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
        game_options: the raw 16 bits; the meaning of each is unknown.
        game_speed: 0 slower … 4 faster.
        cache_handles: 40 bytes each: type, region, SHA-256.
        game_duration: from the lobby; 0 in every known file.
        players: the 16 rows of the tail, except those without a name. Row 0 is neutral, so a row's number is a
            player number.
        lobby: all of the first part under Blizzard's names.
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
    lobby: Lobby

    @property
    def players_by_user(self) -> dict[int, int]:
        """Player number by index in `users`, without observers: a player has the name of the user."""
        playing = {slot.user for slot in self.slots if slot.user is not None and not slot.observe}
        numbers: dict[str, int] = {}
        for player in self.players:
            numbers.setdefault(player.name, player.number)
        return {
            number: numbers[user.name]
            for number, user in enumerate(self.users)
            if number in playing and user.name in numbers
        }


def _user(fields: Struct) -> InfoUser:
    return InfoUser(
        name=decode_text(fields["m_name"]),
        random_seed=fields["m_randomSeed"],
        race_preference=fields["m_racePreference"]["m_race"],
        observe=fields["m_observe"],
    )


def _slot(fields: Struct) -> InfoSlot:
    return InfoSlot(
        control=fields["m_control"],
        user=fields["m_userId"],
        team=fields["m_teamId"],
        color=fields["m_colorPref"]["m_color"],
        race=fields["m_racePref"]["m_race"],
        difficulty=fields["m_difficulty"],
        handicap=fields["m_handicap"],
        observe=fields["m_observe"],
    )


def _color(text: bytes) -> tuple[int, int, int, int] | None:
    parts = text.split(b",")
    if len(parts) != 4 or not all(part.isdigit() and len(part) <= 3 for part in parts):
        return None
    alpha, red, green, blue = (int(part) for part in parts)
    return alpha, red, green, blue


def _tail(data: bytes, offset: int) -> list[tuple[BlobOffset, BlobOffset, BlobOffset]]:
    """Return the offsets of name, race and colour of each row."""
    reader = ByteReader(data, offset)
    zero, count = reader.read_u8(), reader.read_u8()
    if zero != 0 or count > _MOST_PLAYERS:
        raise CorruptReplay(
            f"expected a zero byte and at most {_MOST_PLAYERS} players, found {zero} and {count}", offset=offset
        )

    def text(field: str) -> BlobOffset:
        bit = reader.tell() * 8
        content = reader.read_bytes(reader.read_u8())
        return BlobOffset(("tail", field), bit, 8, 0, reader.tell() - len(content), content)

    rows = [(text("name"), text("race"), text("color")) for _ in range(count)]
    check_end(reader, "last player")
    return rows


def info_blobs(data: bytes) -> list[BlobOffset]:
    """Return the offsets of the texts of the member; those of the tail under ``("tail", "name")``, ``"race"`` and
    ``"color"``.

    Raises:
        TruncatedReplay, CorruptReplay: as `read_replay_info`.
    """
    bits = BitPackedReader(data)
    places = list(packed_blobs(*replay_info_type(), bits))
    for row in _tail(data, bits.tell() >> 3):
        places += row
    return places


def read_replay_info(data: bytes) -> ReplayInfo:
    """Decode the member to its last byte.

    Raises:
        TruncatedReplay, CorruptReplay: the bytes do not fit the layout.
    """
    decoder = EventDecoder(replay_info_program(), data)
    fields = decoder.read_object(0)
    lobby = Lobby(fields)
    game = lobby.game
    players = [
        InfoPlayer(number, decode_text(name.data), decode_text(race.data), _color(color.data))
        for number, (name, race, color) in enumerate(_tail(data, len(data) - decoder.remaining()))
        if name.data
    ]
    return ReplayInfo(
        title=decode_text(fields["m_title"]),
        map_file=decode_text(game["m_mapFileName"]),
        map_size=(game["m_mapSizeX"], game["m_mapSizeY"]),
        game_cache_name=decode_text(game["m_gameCacheName"]),
        mod_file=decode_text(game["m_modFileName"]),
        game_options=game["m_gameOptions"],
        game_speed=game["m_gameSpeed"],
        game_type=game["m_gameType"],
        cache_handles=tuple(game["m_cacheHandles"]),
        game_duration=lobby.state["m_gameDuration"],
        users=tuple(_user(user) for user in lobby.users),
        slots=tuple(_slot(slot) for slot in lobby.slots),
        players=tuple(players),
        lobby=lobby,
    )
