"""The members of a replay. The first byte selects the member, the second its build."""

from __future__ import annotations

from collections.abc import Callable

from playhead.blizzard.members.details import read_details
from playhead.blizzard.members.header import read_header
from playhead.blizzard.members.lobby import read_attributes, read_lobby
from playhead.sc2.members.battle_lobby import read_battle_lobby
from playhead.sc2.members.map_file import read_map, read_map_info
from playhead.sc2.members.metadata import read_load_info, read_metadata
from playhead.sc2.members.replay_info import read_replay_info
from playhead.sc2.members.resumable import read_resumable
from playhead.sc2.members.sync import read_sync
from playhead.sc2.protocol.tables import FIRST_ATTRIBUTES_WITH_SOURCE, distinct_builds, init_data_program
from playhead.sc2.recording.game import STARCRAFT2
from targets import LIMITS

READERS: tuple[Callable[[bytes, int, int], object], ...] = (
    lambda data, _base, build: read_attributes(data, with_source=build >= FIRST_ATTRIBUTES_WITH_SOURCE),
    lambda data, _base, _build: read_battle_lobby(data),
    lambda data, _base, _build: read_details(data, LIMITS),
    lambda data, _base, _build: read_header(memoryview(data), STARCRAFT2, LIMITS),
    lambda data, _base, _build: read_load_info(data),
    lambda data, base, build: read_lobby(data, init_data_program(base, build)),
    lambda data, _base, _build: read_map(memoryview(data), frozenset(), LIMITS),
    lambda data, _base, _build: read_map_info(data),
    lambda data, _base, _build: read_metadata(data),
    lambda data, _base, _build: read_replay_info(data),
    lambda data, _base, build: read_resumable(data, build),
    lambda data, _base, _build: read_sync(data),
)


def fuzz(data: bytes) -> None:
    if len(data) < 2:
        return
    builds = distinct_builds()
    READERS[data[0] % len(READERS)](data[2:], *builds[data[1] % len(builds)])
