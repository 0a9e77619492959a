"""Where to jump to: the next kill, fight, expansion, finish; ticks of events by what people look for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.events import ReplayEvent

#: Whether an event is one to jump to.
Fits = Callable[["ReplayEvent"], bool]

#: A fight of StarCraft II, where no table has them: so many units are killed by another player, none longer than
#: so many seconds after the one before.
FIGHT_DEATHS, FIGHT_SECONDS = 6, 10.0
_TOWN_HALLS = frozenset({"Nexus", "Hatchery", "CommandCenter"})


def _kinds(*names: str) -> Fits:
    return lambda event: event.kind in names


def _named(*names: str) -> Fits:
    return lambda event: event.kind == "game_event" and event.payload.get("name") in names


#: By format or game: what there is to jump to, in the order of the buttons.
_RULES: Mapping[str, Mapping[str, Fits]] = {
    "dota": {
        "kill": _kinds("kill"),
        "fight": _kinds("fight"),
        "objective": _kinds("building_destroyed", "roshan_killed", "aegis_taken", "tormentor_killed"),
    },
    "sc2": {
        "kill": lambda event: event.kind == "unit_died" and bool(event.payload.get("killer_player")),
        "expansion": lambda event: event.kind == "unit_init" and event.payload.get("unit_type") in _TOWN_HALLS,
    },
    "teehistorian": {"finish": _kinds("player_finish", "team_finish"), "kill": _kinds("net_kill")},
    "source2": {"kill": _named("player_death"), "round": _named("round_start", "round_freeze_end")},
}


def jump_rules(format: str, game: str) -> Mapping[str, Fits]:
    """Return what there is to jump to in a format or game, each with a test of whether an event is one."""
    return _RULES.get(game) or _RULES.get(format, {})


def fights(deaths: Iterable[int], rate: float) -> list[int]:
    """Return when fights began, from the ticks of deaths in order; see `FIGHT_DEATHS`."""
    found: list[int] = []
    group: list[int] = []
    for tick in (*deaths, None):
        if group and (tick is None or tick - group[-1] > FIGHT_SECONDS * rate):
            if len(group) >= FIGHT_DEATHS:
                found.append(group[0])
            group = []
        if tick is not None:
            group.append(tick)
    return found
