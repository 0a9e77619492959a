"""What `Info.details` tells of a replay, from each of its parts."""

from __future__ import annotations

from typing import Any

from playhead.sc2.members.details import Details
from playhead.sc2.members.header import ReplayHeader
from playhead.sc2.members.players import observers
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
    """``s2ma US 6e41…``: type, region and SHA-256 of a file in the game's cache."""
    return " ".join((decode_text(handle[:4]), decode_text(handle[4:8].strip(b"\0")), handle[8:].hex()))


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
    return {
        "map_file": info.map_file,
        "map_size": list(info.map_size),
        "observers": observers(info),
        "cache_handles": [_cache_handle(handle) for handle in info.cache_handles],
    }
