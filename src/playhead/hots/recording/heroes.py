"""`spawned_heroes`: which hero each player got, as the map reports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playhead.blizzard.protocol.tables import TRACKER

if TYPE_CHECKING:
    from playhead.blizzard.recording.recording import GameRecording

#: Units whose names are not that of their hero.
_UNITS = {"DVaPilot": "DVa", "DVaMech": "DVa"}


def spawned_heroes(recording: GameRecording) -> dict[int, str]:
    """Return the game's own name of the hero by player; the last one, as computers change theirs in brawls."""
    from playhead.blizzard.events import Scope
    from playhead.blizzard.events.tracker import StatGameEvent

    stream = recording.stream(TRACKER)
    number = None if stream is None else stream.number_of(StatGameEvent)
    found = dict[int, str]()
    if number is None:
        return found
    # Without the players by user id, which are not known yet; events of the tracker have none.
    reports = recording.streams.events(
        TRACKER, frozenset((number,)), recording.loops_per_second, {}, lambda _: Scope()
    )
    for event in reports:
        assert isinstance(event, StatGameEvent)  # the only class of this number
        if event.statistic == "PlayerSpawned":
            unit = dict(event.texts or {}).get("Hero", "").removeprefix("Hero")
            players = dict(event.numbers or {}).get("PlayerID")
            if unit and players:
                found[players[0]] = _UNITS.get(unit, unit)
    return found
