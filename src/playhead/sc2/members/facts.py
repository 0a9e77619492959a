"""The facts of `Info.details`, from each part of a replay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playhead.sc2.members.clock import GAME_SPEEDS, wall_seconds
from playhead.sc2.members.details import Details
from playhead.sc2.members.header import ReplayHeader
from playhead.sc2.members.metadata import GameMetadata
from playhead.sc2.members.replay_info import ReplayInfo
from playhead.sc2.members.text import decode_text


def _hex(digest: bytes | None) -> str | None:
    return None if digest is None else digest.hex()


def header_facts(header: ReplayHeader) -> dict[str, Any]:
    return {
        "game_build": header.build,
        "data_build": header.data_build,
        "use_scaled_time": header.use_scaled_time,
        "version_flags": header.flags,
        "replay_type": header.type,
        "ngdp_root_key": _hex(header.ngdp_root_key),
        "ngdp_root_key_is_dev_data": header.ngdp_root_key_is_dev_data,
        "compatibility_hash": _hex(header.compatibility_hash),
    }


def _cache_handle(handle: bytes) -> str:
    """Return ``s2ma US 6e41…``: type, region and SHA-256 of a file in the game's cache."""
    return " ".join((decode_text(handle[:4]), decode_text(handle[4:8].strip(b"\0")), handle[8:].hex()))


def region_codes(handles: Sequence[bytes]) -> list[str]:
    """Return the region in the handle of each file of the game's cache (``US``, ``EUB``)."""
    return [decode_text(handle[4:8].strip(b"\0")) for handle in handles]


def details_facts(details: Details) -> dict[str, Any]:
    return {
        "utc_offset_seconds": details.time_local_offset / 1e7,
        "thumbnail": details.thumbnail,
        "is_blizzard_map": details.is_blizzard_map,
        "map_file": details.map_file,
        "description": details.description,
        "mini_save": details.mini_save,
        "difficulty": details.difficulty,
        "default_difficulty": details.default_difficulty,
        "campaign_index": details.campaign_index,
        "restart_as_transition_map": details.restart_as_transition_map,
        "disable_recover_game": details.disable_recover_game,
        "mod_paths": None if details.mod_paths is None else list(details.mod_paths),
        "cache_handles": [_cache_handle(handle) for handle in details.cache_handles],
    }


def replay_info_facts(info: ReplayInfo) -> dict[str, Any]:
    return {"map_file": info.map_file, "cache_handles": [_cache_handle(handle) for handle in info.cache_handles]}


def metadata_facts(metadata: GameMetadata) -> dict[str, Any]:
    return {
        "title": metadata.title,
        "data_version": metadata.data_version,
        "duration": metadata.duration,
        "is_not_available": metadata.is_not_available,
    }


def speed_facts(speed: int, loops: int | None) -> dict[str, Any]:
    """Return the name of a game speed, or its number without one, and the real duration of `loops`."""
    facts: dict[str, Any] = {"game_speed": GAME_SPEEDS[speed][0] if 0 <= speed < len(GAME_SPEEDS) else speed}
    if loops is not None:
        facts["wall_seconds"] = wall_seconds(loops, speed)
    return facts
