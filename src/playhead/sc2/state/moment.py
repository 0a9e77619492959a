"""What there is at a loop of a game, as rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from playhead.model import Moment, Player
from playhead.sc2.state.timeline import State


def moment_of(state: State, players: Iterable[Player]) -> Moment:
    """Of a state; before the tracker (2.0.8) and in anonymised packs there are selections only."""
    players = list(players)
    groups = {"players": list(_players(state, players))}
    if state.has_tracker:
        groups["units"] = list(_units(state, players))
    return Moment(state.loop, state.seconds, {"tracker": state.has_tracker}, groups)


def _players(state: State, players: Iterable[Player]) -> Iterator[Mapping[str, Any]]:
    resources = state.resources
    for player in players:
        row: dict[str, Any] = {"player": player.player, "name": player.name, "race": player.character}
        row["selected"] = len(state.selection(player.player))
        if state.has_tracker:
            held = resources.get(player.player)
            row |= {
                "minerals": held and held.minerals,
                "vespene": held and held.vespene,
                "mineral_rate": held and held.mineral_rate,
                "vespene_rate": held and held.vespene_rate,
                "workers": held and held.workers,
                "supply_used": held and held.supply_used,
                "supply_made": held and held.supply_made,
                "upgrades": sorted(state.upgrades.get(player.player, {})),
            }
        yield row


def _units(state: State, players: Iterable[Player]) -> Iterator[Mapping[str, Any]]:
    """How many of each type a player has, the most first; those of no player (minerals …) are left out."""
    for player in players:
        counts: Counter[str] = Counter()
        building: Counter[str] = Counter()
        for unit in state.units_of(player.player):
            (counts if unit.finished else building)[unit.unit_type] += 1
        for name in sorted({*counts, *building}, key=lambda name: (-counts[name], name)):
            yield {
                "player": player.player,
                "unit_type": name,
                "count": counts[name],
                "under_construction": building[name],
            }
