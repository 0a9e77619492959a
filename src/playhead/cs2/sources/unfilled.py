"""The tables of facts that a recording cannot fill, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from playhead.errors import ReplayError
from playhead.source2.container.frames import SIGNON_PACKET
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader

if TYPE_CHECKING:
    from playhead.source2.playback.recording import Recording

_OF_EVENTS = ("kills", "damages", "shots")
#: The class without which a table has no rows.
_CLASSES = {
    "rounds": "CCSGameRulesProxy",
    "player_series": "CCSPlayerPawn",
    "positions": "CCSPlayerPawn",
    "flashes": "CFlashbangProjectile",
    "smokes": "CSmokeGrenadeProjectile",
    "infernos": "CInferno",
    "bomb": "CPlantedC4",
}
_NO_LIST = "the recording has no list of game events (svc_GameEventList), so events have numbers without names"
_ONE_VIEW = "a player recorded: other players have rows only while the server sent them to that player"


def unfilled_tables(recording: Recording) -> dict[str, str]:
    """Return the reason by name of table; tables without an entry can be filled."""
    found = {}
    classes = frozenset(recording.class_names.values())
    for name, wanted in _CLASSES.items():
        if wanted not in classes:
            found[name] = f"the recording does not declare class {wanted}"
    if not _has_event_list(recording):
        found.update(dict.fromkeys(_OF_EVENTS, _NO_LIST))
    server: Mapping[str | int, object] = recording.server_info
    if server.get("is_hltv") is False:
        for name in ("player_series", "positions"):
            found.setdefault(name, _ONE_VIEW)
    return found


def _has_event_list(recording: Recording) -> bool:
    wanted = frozenset({int(Engine.GAME_EVENT_LIST)})
    for frame, payload in recording.signon(SIGNON_PACKET):
        try:
            if PacketReader(recording.packet(frame, payload)).advance_to(wanted):
                return True
        except ReplayError:  # the pass that checks all frames meets it too
            continue
    return False
