"""A small synthetic replay: a five-minute game of two players on a map that does not exist."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from tests.samples.blizzard import new_details, write_details, write_header, write_metadata
from tests.samples.sc2 import events

from playhead.blizzard.members import member_names
from playhead.blizzard.members.details import DetailsPlayer, Toon
from playhead.blizzard.members.header import ReplayHeader
from playhead.blizzard.mpq.compression import ZLIB
from playhead.blizzard.mpq.writer import NewMember, write_archive
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.io.atomic import write_whole
from playhead.runtime.records import replace
from playhead.sc2.members.metadata import GameMetadata, read_metadata
from playhead.sc2.protocol.tables import protocol_table

FILE_NAME = "sample_sc2.SC2Replay"

HEADER = ReplayHeader(
    signature=b"StarCraft II replay\x1b11",
    flags=1,
    major=5,
    minor=0,
    revision=14,
    build=93333,
    base_build=93333,
    type=2,
    loops=6720,
    use_scaled_time=True,
    ngdp_root_key=bytes(range(16)),
    data_build=93333,
    compatibility_hash=bytes(range(16, 32)),
    ngdp_root_key_is_dev_data=False,
)


def _player(
    marked: str, clan: str | None, name: str, account: int, race: str, red: int, blue: int, team: int, result: int
) -> DetailsPlayer:
    return DetailsPlayer(
        marked,
        clan,
        name,
        toon=Toon(region=2, program="S2", realm=1, name="", id=account),
        race=race,
        color=(255, red, 20, blue),
        control=2,
        team=team,
        handicap=100,
        observe=0,
        result=result,
        working_set_slot=team,
        hero="",
    )


DETAILS = new_details(
    "Two Rivers LE",
    (
        _player("&lt;HEAD&gt;<sp/>Needle", "HEAD", "Needle", 1000001, "Terran", 180, 30, 0, 1),
        _player("Spindle", None, "Spindle", 1000002, "Zerg", 0, 255, 1, 2),
    ),
    datetime(2025, 1, 1, 12, 5, tzinfo=UTC),
    # The data of Legacy of the Void, which identifies the expansion to other readers, and the map.
    (
        b"s2ma\0\0EU" + sha256(b"Standard Data: Void.SC2Mod").digest(),
        b"s2ma\0\0EU" + bytes(range(32)),
    ),
    difficulty=3,
)

METADATA: GameMetadata = read_metadata(
    b"""{
    "Title": "Two Rivers LE", "GameVersion": "5.0.14.93333", "DataBuild": "93333",
    "DataVersion": "000102030405060708090A0B0C0D0E0F", "BaseBuild": "Base93333", "Duration": 420,
    "Players": [
        {"PlayerID": 1, "MMR": 4321, "APM": 187, "Result": "Win", "SelectedRace": "Rand", "AssignedRace": "Terr"},
        {"PlayerID": 2, "MMR": 4300, "APM": 212, "Result": "Loss", "SelectedRace": "Zerg", "AssignedRace": "Zerg"}
    ]}"""
)


def sample_bytes() -> bytes:
    """Return the replay; the same bytes on every call."""
    return archive(HEADER, events.sample_streams(protocol_table(HEADER.base_build, HEADER.build)))


def archive(header: ReplayHeader, streams: Mapping[str, bytes]) -> bytes:
    """Return a replay of the sample's players with that header and those event streams."""
    backup = replace(DETAILS, players=tuple(replace(player, marked_name="") for player in DETAILS.players))
    table = protocol_table(header.base_build, header.build)
    metadata = replace(METADATA, raw={**METADATA.raw, "Duration": header.loops // 16})
    names = tuple(player.name for player in DETAILS.players)
    accounts = tuple(player.toon.handle or "" for player in DETAILS.players)
    return write_archive(
        [
            NewMember(member_names.DETAILS, write_details(DETAILS), method=ZLIB),
            NewMember(member_names.DETAILS_BACKUP, write_details(backup), method=ZLIB),
            NewMember(member_names.INIT_DATA, events.sample_lobby(table, names, accounts), method=ZLIB),
            NewMember(member_names.GAME_EVENTS, streams[GAME], method=ZLIB),
            NewMember(member_names.MESSAGE_EVENTS, streams[MESSAGE], method=ZLIB),
            NewMember(member_names.TRACKER_EVENTS, streams[TRACKER], method=ZLIB),
            NewMember(member_names.GAME_ATTRIBUTES, events.sample_attributes()),
            NewMember(member_names.SYNC_EVENTS, events.sample_sync(header.loops), method=ZLIB),
            NewMember(member_names.RESUMABLE, events.sample_resumable(header.loops - 120)),
            NewMember(member_names.METADATA, write_metadata(metadata)),
        ],
        write_header(header),
    )


def write_sample(folder: Path) -> Path:
    """Write the replay into `folder` as `FILE_NAME`; return its path."""
    path = folder / FILE_NAME
    write_whole(path, sample_bytes())
    return path
