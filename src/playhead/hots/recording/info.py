"""`load_info`: the facts of a replay as an `Info`."""

from __future__ import annotations

from collections import Counter
from typing import Any

from playhead.blizzard.members import member_names
from playhead.hots.members.map_name import read_map_name
from playhead.hots.members.players import winner_of
from playhead.hots.members.setting import setting_facts
from playhead.hots.protocol import PROTOCOLS
from playhead.hots.recording.game import HEROES
from playhead.hots.recording.recording import HotsRecording
from playhead.model import Info, Player
from playhead.runtime.records import replace

#: By the first number of an account.
REGIONS = {"1": "US", "2": "EU", "3": "KR", "5": "CN", "98": "PTR"}


def _region(players: tuple[Player, ...]) -> str | None:
    numbers = Counter(player.account.partition("-")[0] for player in players if player.account)
    return next((REGIONS.get(number) for number, _ in numbers.most_common(1)), None)


def load_info(recording: HotsRecording, format: str, name: str) -> Info:
    """Return the facts of a replay."""
    header, details, players = recording.container.header, recording.details, recording.players
    won = [player for player in players if player.result == "win"]
    winner = winner_of(players)
    return Info(
        format=format,
        game=HEROES.name,
        source=name,
        complete=recording.streams.complete,
        version=None if header is None else header.version,
        build=None if header is None else header.base_build,
        map=None if details is None else details.title or None,
        end_time=None if details is None else details.ended,
        duration_ticks=recording.duration[0],
        ticks_per_second=recording.loops_per_second,
        winner_team=None if winner is None else winner.team,
        winner_side=None if winner is None else winner.side,
        winner_name=None if winner is None else ", ".join(player.name for player in won if player.name) or None,
        details=_details(recording),
    )


def with_map(info: Info, recording: HotsRecording) -> Info:
    """Return the facts with the map by the game's own name."""
    name, _ = recording.container.try_member(member_names.TRACKER_EVENTS, read_map_name)
    return replace(info, details={**info.details, "map_english": name})


def _details(recording: HotsRecording) -> dict[str, Any]:
    table = PROTOCOLS.table(*recording.builds)
    out: dict[str, Any] = {"protocol": table.base_build, "confidence": table.confidence}
    if (header := recording.container.header) is not None:
        out |= {"game_build": header.build, "data_build": header.data_build}
    else:
        out |= {"confidence": "not known", "duration_from": recording.duration[1]}
    out |= recording.streams.gap_facts
    if lost := recording.losses:
        out["lost_parts"] = lost
    out |= setting_facts(recording.lobby, recording.attributes)
    out["map_english"] = None  # the tracker has it
    out["region"] = _region(recording.players)
    out["has_computers"] = any(player.kind == "computer" for player in recording.players)
    out["observers"] = sum(player.kind in ("observer", "referee") for player in recording.players)
    if (details := recording.details) is not None:
        out |= {
            "utc_offset_seconds": details.time_local_offset / 1e7,
            "is_blizzard_map": details.is_blizzard_map,
            "map_file": details.map_file,
        }
    return out
