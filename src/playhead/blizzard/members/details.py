"""``replay.details``: players, map and time. Tagged, in every build from 0.11 on.

Field numbers and names are Blizzard's. ``replay.details.backup`` (from 3.4 on) is the same with blank names, and
the only version in anonymised packs.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from playhead.blizzard.encoding.versioned import TaggedStruct, whole_value
from playhead.blizzard.members.text import decode_text, split_name
from playhead.errors import CorruptReplay
from playhead.limits import Limits
from playhead.runtime.records import dataclass

_FILETIME_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)

#: 100 ns from 1601 to the year 9999.
_LAST_FILETIME = 2_650_467_743_999_999_999

CONTROL_HUMAN = 2
CONTROL_COMPUTER = 3

#: Kind of participant by ``m_control``; slots with other controls are empty.
CONTROL_KINDS = {CONTROL_HUMAN: "human", CONTROL_COMPUTER: "computer"}

RESULTS = {1: "win", 2: "loss", 3: "tie"}


def filetime(ticks: int) -> datetime | None:
    """Return a Windows FILETIME (100 ns since 1601, UTC) as a time; None for 0 and times beyond the calendar."""
    if not 0 < ticks <= _LAST_FILETIME:
        return None
    return _FILETIME_EPOCH + timedelta(microseconds=ticks // 10)


@dataclass(frozen=True, slots=True)
class Toon:
    """An account on Battle.net.

    Attributes:
        region: 1 Americas, 2 Europe, 3 Korea and Taiwan, 5 China, 6 South-East Asia, 98 public test; 0 none.
        program: ``S2``, empty for a computer.
        realm: 1 or 2 within a region.
        name: the account's name; betas 0.11 to 0.17 only, which have no `id`.
        id: number of the profile; 0 for a computer.
    """

    region: int
    program: str
    realm: int
    name: str
    id: int

    @property
    def handle(self) -> str | None:
        """``2-S2-1-1234567``, as Blizzard writes it; None without an account."""
        if self.program and (self.id or self.name):
            return f"{self.region}-{self.program}-{self.realm}-{self.id or self.name}"
        return None


@dataclass(frozen=True, slots=True)
class DetailsPlayer:
    """An entry of the player list.

    Attributes:
        name, clan: without markup; `marked_name` has it.
        race: possibly localised.
        color: alpha, red, green, blue.
        control: 2 human, 3 computer. Builds up to 23925 set it to 0 or 1 for one ordinary player of a replay.
        handicap: percent.
        observe: 0 for players. Builds up to 23925 set it to 1 for one ordinary player of a replay.
        result: 0 undecided, 1 win, 2 loss, 3 tie.
        working_set_slot: index of the lobby slot, from 24764 on; None if empty.
        hero: co-op commander or similar, from 34835 on; mostly empty.
    """

    marked_name: str
    clan: str | None
    name: str
    toon: Toon
    race: str
    color: tuple[int, int, int, int]
    control: int
    team: int
    handicap: int
    observe: int
    result: int
    working_set_slot: int | None
    hero: str

    @property
    def empty(self) -> bool:
        """Whether the entry has no player: betas 0.11 to 0.17 list all 16."""
        return not (self.marked_name or self.race or self.control or self.toon.id)


@dataclass(frozen=True, slots=True)
class Details:
    """The decoded member.

    Attributes:
        players: all entries in file order, empty ones included.
        title: name of the map, possibly localised.
        time_utc: end of the game, when the replay was written, raw FILETIME.
        time_local_offset: of the clock of the player who saved it, in 100 ns.
        game_speed: index into `clock.GAME_SPEEDS`.
        cache_handles: 40 bytes each: type (``s2ma``), region, SHA-256 of a file of the map and its mods.
        mod_paths: None if empty or missing in the build.
    """

    players: tuple[DetailsPlayer, ...]
    title: str
    difficulty: str
    thumbnail: str
    is_blizzard_map: bool
    time_utc: int
    time_local_offset: int
    restart_as_transition_map: bool | None
    description: str
    image_file_path: str
    map_file: str
    cache_handles: tuple[bytes, ...]
    mini_save: bool
    game_speed: int
    default_difficulty: int
    mod_paths: tuple[str, ...] | None
    campaign_index: int | None
    disable_recover_game: bool | None

    @property
    def ended(self) -> datetime | None:
        """`time_utc` as a time."""
        return filetime(self.time_utc)


def _toon(fields: TaggedStruct) -> Toon:
    program = fields.integer(1, "m_programId") & 0xFFFFFFFF
    return Toon(
        region=fields.integer(0, "m_region", bits=32),
        # Four characters as one little-endian number, "\\0\\0S2": 0x32530000.
        program=decode_text(program.to_bytes(4, "little").strip(b"\0")),
        realm=fields.integer(2, "m_realm", bits=32),
        name=decode_text(fields.blob(3, "m_name", b"")),
        id=fields.integer(4, "m_id", 0),
    )


def _player(value: object) -> DetailsPlayer:
    fields = TaggedStruct.of(value, "an entry of m_playerList")
    marked = decode_text(fields.blob(0, "m_name"))
    clan, name = split_name(marked)
    color = fields.struct(3, "m_color")
    alpha, red, green, blue = (color.integer(i, "argb"[i]) for i in range(4))
    return DetailsPlayer(
        marked_name=marked,
        clan=clan,
        name=name,
        toon=_toon(fields.struct(1, "m_toon")),
        race=decode_text(fields.blob(2, "m_race")),
        color=(alpha, red, green, blue),
        control=fields.integer(4, "m_control"),
        team=fields.integer(5, "m_teamId", bits=32),
        handicap=fields.integer(6, "m_handicap"),
        observe=fields.integer(7, "m_observe"),
        result=fields.integer(8, "m_result"),
        working_set_slot=fields.integer(9, "m_workingSetSlotId", None),
        hero=decode_text(fields.blob(10, "m_hero", b"")),
    )


def _flag(fields: TaggedStruct, number: int, name: str) -> bool | None:
    value = fields.integer(number, name, None)
    return None if value is None else bool(value)


def _blobs(values: list[object], name: str) -> tuple[bytes, ...]:
    checked = []
    for value in values:
        if not isinstance(value, bytes):
            raise CorruptReplay(f"expected {name} to hold texts, found {type(value).__name__}")
        checked.append(value)
    return tuple(checked)


def read_details(data: bytes, limits: Limits | None = None) -> Details:
    """Decode the member to its last byte.

    Raises:
        TruncatedReplay, CorruptReplay: the bytes are not this member, or more bytes follow it.
        LimitExceeded: nested deeper than `limits.depth`, or more than `limits.elements` values.
    """
    top = TaggedStruct.of(whole_value(data, limits or Limits(), "details"), "replay.details")
    mod_paths = top.array(14, "m_modPaths", None)
    return Details(
        players=tuple(_player(entry) for entry in top.array(0, "m_playerList", [])),
        title=decode_text(top.blob(1, "m_title")),
        difficulty=decode_text(top.blob(2, "m_difficulty", b"")),
        thumbnail=decode_text(top.struct(3, "m_thumbnail").blob(0, "m_file", b"")),
        is_blizzard_map=bool(top.integer(4, "m_isBlizzardMap", 0)),
        time_utc=top.integer(5, "m_timeUTC"),
        time_local_offset=top.integer(6, "m_timeLocalOffset", 0),
        description=decode_text(top.blob(7, "m_description", b"")),
        image_file_path=decode_text(top.blob(8, "m_imageFilePath", b"")),
        map_file=decode_text(top.blob(9, "m_mapFileName", b"")),
        cache_handles=_blobs(top.array(10, "m_cacheHandles", []), "m_cacheHandles"),
        mini_save=bool(top.integer(11, "m_miniSave", 0)),
        game_speed=top.integer(12, "m_gameSpeed"),
        default_difficulty=top.integer(13, "m_defaultDifficulty", 0),
        mod_paths=None
        if mod_paths is None
        else tuple(decode_text(path) for path in _blobs(mod_paths, "m_modPaths")),
        campaign_index=top.integer(15, "m_campaignIndex", None),
        restart_as_transition_map=_flag(top, 16, "m_restartAsTransitionMap"),
        disable_recover_game=_flag(top, 17, "m_disableRecoverGame"),
    )
