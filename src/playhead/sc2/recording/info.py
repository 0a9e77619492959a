"""`load_info`: the facts of a StarCraft II replay as an `Info`, from its members, with what damage took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playhead.blizzard.members import member_names
from playhead.blizzard.members.details import Details
from playhead.blizzard.members.header import ReplayHeader
from playhead.blizzard.members.text import decode_text
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.recording.recording import losses
from playhead.blizzard.recording.streams import EVENT_STREAMS
from playhead.model import Info
from playhead.runtime.records import replace
from playhead.sc2.members import players
from playhead.sc2.members.clock import GAME_SPEEDS, wall_seconds
from playhead.sc2.members.map_names import map_hash, map_names
from playhead.sc2.members.setting import game_of, setting_facts
from playhead.sc2.protocol.tables import known_builds, protocol_table
from playhead.sc2.recording.game import STARCRAFT2
from playhead.sc2.recording.recording import Sc2Recording


def _hex(digest: bytes | None) -> str | None:
    return None if digest is None else digest.hex()


def header_facts(header: ReplayHeader) -> dict[str, Any]:
    return {
        "game_build": header.build,
        "data_build": header.data_build,
        "use_scaled_time": bool(header.use_scaled_time),
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


#: Facts that are fields of the same names, of the details and of the game's own summary.
_DETAILS = (
    *("thumbnail", "is_blizzard_map", "map_file", "description", "mini_save", "difficulty", "default_difficulty"),
    *("campaign_index", "restart_as_transition_map", "disable_recover_game"),
)
_METADATA = ("title", "data_version", "duration", "is_not_available")


def details_facts(details: Details) -> dict[str, Any]:
    return {
        "utc_offset_seconds": details.time_local_offset / 1e7,
        **{name: getattr(details, name) for name in _DETAILS},
        "mod_paths": None if details.mod_paths is None else list(details.mod_paths),
        "cache_handles": [_cache_handle(handle) for handle in details.cache_handles],
    }


def speed_facts(speed: int, loops: int | None) -> dict[str, Any]:
    """Return the name of a game speed, or its number without one, and the real duration of `loops`."""
    facts: dict[str, Any] = {"game_speed": GAME_SPEEDS[speed][0] if 0 <= speed < len(GAME_SPEEDS) else speed}
    if loops is not None:
        facts["wall_seconds"] = wall_seconds(loops, speed)
    return facts


_WAY_OUT = "update playhead, or pip install -U s2protocol, whose newer tables playhead uses"


def confidence(recording: Sc2Recording, table: str) -> str:
    """Return the confidence in the type table, with the way out if it is of another build and does not fit."""
    base = recording.builds[0]
    fits = all(each.whole for each in recording.streams.extents.values())
    if fits or base <= known_builds()[-1] or table.startswith(("exact", "published")):
        return table
    return f"{table}, which does not fit build {base}: {_WAY_OUT}"


#: First base build with resumed games, and first one in which they list the accounts of their users.
_FIRST_RESUMED, _FIRST_ACCOUNTS = 24764, 24944
#: A part of every account: region, program, realm and number.
_ACCOUNT = b"-S2-"


def load_info(recording: Sc2Recording, format: str, name: str) -> Info:
    """Return the facts of a replay, without those of `with_slow_facts`."""
    details, old, metadata = recording.details, recording.replay_info, recording.metadata
    title = details.title if details is not None else old.title if old is not None else None
    if not title and metadata is not None:
        title = metadata.title
    recorded = recording.recorded_builds
    return Info(
        format=format,
        game=STARCRAFT2.name,
        source=name,
        complete=recording.complete,
        version=recording.version,
        build=recorded[0] if recorded else None,
        map=title or None,
        # No member has the start: the end minus the loops is wrong by every pause.
        start_time=None,
        end_time=None if details is None else details.ended,
        duration_ticks=recording.duration[0],
        ticks_per_second=recording.loops_per_second,
        winner_team=players.winner_team(recording.players),
        winner_name=players.winner(recording.players),
        details=_details(recording, title),
    )


def with_slow_facts(info: Info, recording: Sc2Recording) -> Info:
    """Return an `Info` with the facts that take long: ``resumed_tick`` and ``battle_lobby`` in `details`."""
    more: dict[str, Any] = {}
    events, _ = recording.container.try_member(member_names.GAME_EVENTS, bytes)
    extent = recording.streams.extents.get(GAME)
    is_plain = extent is not None and extent.whole and extent.resumed is None
    if events is not None and not is_plain and _may_be_resumed(recording.builds[0], events):
        from playhead.blizzard.events.game import taken_over

        resumed = taken_over(recording)
        if resumed is not None:
            more["resumed_tick"] = resumed[0]
    if recording.battle_lobby is not None:
        lobby = recording.battle_lobby
        more["battle_lobby"] = {"bytes": lobby.size, "unread_bytes": lobby.unread}
    before = {name: value for name, value in info.details.items() if name != "metadata"}
    return replace(info, details={**before, **more, **info.details}) if more else info


def _may_be_resumed(base_build: int, game_events: bytes) -> bool:
    """Return whether the game events can have a resumption; only that one has accounts."""
    if base_build < _FIRST_RESUMED:
        return False
    return base_build < _FIRST_ACCOUNTS or _ACCOUNT in game_events


def _details(recording: Sc2Recording, title: str | None) -> dict[str, Any]:
    out: dict[str, Any] = {}
    container, streams = recording.container, recording.streams
    if container.header is not None:
        out |= header_facts(container.header)
    else:
        out |= {"use_scaled_time": recording.use_scaled_time, "duration_from": recording.duration[1]}
    if container.archive is not None:
        out |= _build_facts(recording)
        if not streams.complete:
            for stream in EVENT_STREAMS.values():  # finds the gaps
                recording.stream(stream)
    out |= streams.gap_facts
    if lost := losses(recording):
        out["lost_parts"] = lost
    if recording.details is not None:
        out |= details_facts(recording.details)
        out["details_member"] = recording.details_source[1]
    elif recording.replay_info is not None:
        old = recording.replay_info
        out |= {"map_file": old.map_file, "cache_handles": list(map(_cache_handle, old.cache_handles))}
    regions = region_codes(recording.cache_handles)
    out |= setting_facts(recording.lobby, recording.attributes, recording.players, regions)
    if recording.late_start is not None:
        out["start_tick"] = recording.start_tick
    handles = recording.cache_handles
    out["expansion"] = game_of(handles, recording.data_build)
    out["map_hash"] = map_hash(handles)
    out["map_english"] = map_names().english(out["map_hash"], title)
    out |= _inferred_facts(recording)
    if (speed := recording.speed) is not None:
        out |= speed_facts(speed, recording.duration[0])
    if recording.load_info is not None:
        out["loading_screen"] = recording.load_info.image or None
    if recording.metadata is not None:
        out["metadata"] = {name: getattr(recording.metadata, name) for name in _METADATA}
    return out


def _build_facts(recording: Sc2Recording) -> dict[str, Any]:
    """Return the facts about the type table, and the tables that are empty without the tracker."""
    table = protocol_table(*recording.builds)
    archive = recording.container.archive
    tracked = archive is not None and member_names.TRACKER_EVENTS in archive
    out: dict[str, Any] = {"protocol": table.base_build, "tracker": tracked}
    if not tracked and not any(each.startswith(TRACKER) for each in losses(recording)):
        from playhead.sc2.tables.registry import TABLES

        out["not_recorded"] = sorted([*TABLES.made_of(TRACKER), "reasons"])
    out["confidence"] = confidence(recording, table.confidence)
    if recording.recorded_builds is None:
        guess = recording.guessed_builds
        out["confidence"] = "not known" if guess is None else "inferred: reads the members"
        out["build_range"] = None if guess is None else [guess.first, guess.last]
    return out


def _inferred_facts(recording: Sc2Recording) -> dict[str, Any]:
    """Return the probable winner of a game without a recorded one."""
    if any(player.result is not None for player in recording.players):
        return {}
    found = recording.inferred_winner
    if found is None:
        return {}
    names = [player.name for player in recording.players if player.team == found.team and player.name]
    return {
        "inferred_winner_name": ", ".join(names) or None,
        "inferred_winner_team": found.team,
        "winner_evidence": found.evidence,
    }
