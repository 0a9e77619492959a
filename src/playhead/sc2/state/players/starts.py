"""How a game starts, by the tracker: setups of the players, town halls, the loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events import tracker
from playhead.blizzard.events.base import PLAYER_FIELDS
from playhead.blizzard.events.columns import EventStream
from playhead.sc2.members.lobby import PlayerSetup
from playhead.tables.arrow import player_number

_, _OWNER, _ = PLAYER_FIELDS
#: First base build with positions in cells; before, they are in blocks of four.
_FIRST_CELLS = 27950


def cell_size(base_build: int) -> float:
    """Return the number of cells in one unit of the tracker's positions."""
    return 1.0 if base_build >= _FIRST_CELLS else 4.0


def player_setups(stream: EventStream | None) -> list[PlayerSetup]:
    """Return the player setups (from 2.1 on)."""
    if stream is None:
        return []
    setups = stream.of(tracker.PlayerSetupEvent)
    about = zip(*map(setups.numbers, ("m_playerId", "setup_user", "setup_slot")), strict=True)
    known = ([None if number == NOTHING else number for number in row] for row in about)
    return [PlayerSetup(player_number(player), user, slot) for player, user, slot in known]


#: Town hall of each race at the start.
_TOWN_HALLS = {"CommandCenter": "Terran", "Nexus": "Protoss", "Hatchery": "Zerg"}


def _halls(stream: EventStream) -> list[tuple[int, int, str]]:
    """Return loop, owner (`NOTHING` for none) and race of each of these town halls that appeared complete."""
    born, loops = stream.of(tracker.UnitBornEvent), stream.rows.heads[0]
    names = {place: _TOWN_HALLS[text] for place, text in enumerate(stream.rows.texts) if text in _TOWN_HALLS}
    about = zip(born.orders, born.numbers("unit_type"), born.numbers(_OWNER), strict=True)
    return [(loops[row], owner, names[type_]) for row, type_, owner in about if type_ in names]


def starting_races(stream: EventStream | None) -> dict[int, str]:
    """Return the race of each player who has a town hall from the first loop on, by number."""
    if stream is None:
        return {}
    return {owner: race for loop, owner, race in _halls(stream) if loop == 0 and owner != NOTHING}


class LateStart(NamedTuple):
    """A game that begins after its recording: the loop, and the race of each player by number."""

    tick: int
    races: Mapping[int, str]


#: Town halls of one start appear within so many loops.
_TOGETHER = 5


def late_start(stream: EventStream | None) -> LateStart | None:
    """Return the start of a game whose players get their first town halls, all together, after loop 0, as on the
    casting map GameHeart, where all participants choose sides in a lobby of the map. None for all others."""
    if stream is None or not stream.kinds:
        return None
    halls = [(loop, owner, race) for loop, owner, race in _halls(stream) if owner != NOTHING and owner > 0]
    if not halls or halls[0][0] == 0:
        return None
    races = {owner: race for loop, owner, race in halls if loop <= halls[0][0] + _TOGETHER}
    return LateStart(halls[0][0], races) if len(races) > 1 else None
