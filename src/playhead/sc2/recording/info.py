"""`load_info`: the facts of a StarCraft II replay as an `Info`."""

from __future__ import annotations

from typing import Any

from playhead.model import Info
from playhead.runtime.records import replace
from playhead.sc2.members import facts, member_names, players
from playhead.sc2.members.game_data import game_of
from playhead.sc2.members.map_names import map_hash, map_names
from playhead.sc2.members.setting import setting_facts
from playhead.sc2.protocol.tables import GAME, TRACKER, protocol_table
from playhead.sc2.recording.losses import confidence, losses
from playhead.sc2.recording.recording import Sc2Recording
from playhead.sc2.recording.streams import EVENT_STREAMS

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
        game="sc2",
        source=name,
        complete=recording.streams.complete,
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
        from playhead.sc2.state.players.takeover import taken_over

        resumed = taken_over(recording)
        if resumed is not None:
            more["resumed_tick"] = resumed[0]
    if recording.battle_lobby is not None:
        more["battle_lobby"] = {
            "bytes": recording.battle_lobby.size,
            "unread_bytes": recording.battle_lobby.unread,
        }
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
        out |= facts.header_facts(container.header)
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
        out |= facts.details_facts(recording.details)
        out["details_member"] = recording.details_source[1]
    elif recording.replay_info is not None:
        out |= facts.replay_info_facts(recording.replay_info)
    regions = facts.region_codes(recording.cache_handles)
    out |= setting_facts(recording.lobby, recording.attributes, recording.players, regions)
    if recording.late_start is not None:
        out["start_tick"] = recording.start_tick
    out |= _data_facts(recording, title)
    out |= _inferred_facts(recording)
    speed = recording.speed
    if speed is not None:
        out |= facts.speed_facts(speed, recording.duration[0])
    if recording.load_info is not None:
        out["loading_screen"] = recording.load_info.image or None
    if recording.metadata is not None:
        out["metadata"] = facts.metadata_facts(recording.metadata)
    return out


def _data_facts(recording: Sc2Recording, title: str | None) -> dict[str, Any]:
    """Return the facts about the data of the game and of the map."""
    handles = recording.cache_handles
    sha256 = map_hash(handles)
    return {
        "expansion": game_of(handles, recording.data_build),
        "map_hash": sha256,
        "map_english": map_names().english(sha256, title),
    }


def _build_facts(recording: Sc2Recording) -> dict[str, Any]:
    """Return the facts about the type table, and the tables that are empty without the tracker."""
    table = protocol_table(*recording.builds)
    archive = recording.container.archive
    tracked = archive is not None and member_names.TRACKER_EVENTS in archive
    out: dict[str, Any] = {"protocol": table.base_build, "tracker": tracked}
    if not tracked and not any(each.startswith(TRACKER) for each in losses(recording)):
        from playhead.sc2.tables.registry import tables_of

        out["not_recorded"] = tables_of(TRACKER)
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
