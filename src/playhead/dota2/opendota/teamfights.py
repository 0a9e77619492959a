"""Teamfights by OpenDota's rule: from 15 seconds before a hero's death to 15 seconds after the last, of three
deaths or more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from playhead.dota2.opendota.log import Act

COOLDOWN = 15
LEAST_DEATHS = 3
_SUMS = ("damage", "healing", "gold_delta", "xp_delta", "buybacks")

#: Cell and total experience of each player, by second.
States = Mapping[int, Mapping[int, tuple[int | None, int | None, int | None]]]


def teamfights(acts: Sequence[Act], states: States, players: Sequence[int], last: int) -> list[dict[str, Any]]:
    """Return the teamfights.

    Args:
        acts: of `CombatSums`.
        states: cell x, cell y and experience by player, by second.
        players: the players, in order.
        last: the last second of the match; a fight that has not ended by then is omitted.
    """
    found = []
    for start, end, times in _spans(sorted(act.time for act in acts if act.kind == "killed"), last):
        here = {player: _empty() for player in players}
        for act in acts:
            if start <= act.time <= end:
                _add(here, act, states)
        for player, row in here.items():
            for name, time in (("xp_start", start), ("xp_end", end)):
                row[name] = states.get(time, {}).get(player, (None, None, None))[2]
        found.append(
            {
                "start": start,
                "end": end,
                "last_death": times[-1],
                "deaths": len(times),
                "players": [here[player] for player in players],
            }
        )
    return found


def _spans(deaths: Iterable[int], last: int) -> Iterable[tuple[int, int, list[int]]]:
    """Yield start, end and deaths of each fight."""
    fight: list[int] = []
    for time in [*deaths, None]:
        if fight and (time is None or time - fight[-1] >= COOLDOWN):
            end = fight[-1] + COOLDOWN
            if len(fight) >= LEAST_DEATHS and end <= last:
                yield fight[0] - COOLDOWN, end, fight
            fight = []
        if time is not None:
            fight.append(time)


def _empty() -> dict[str, Any]:
    maps = ("deaths_pos", "ability_uses", "ability_targets", "item_uses", "killed")
    return {**{name: {} for name in maps}, "deaths": 0, **dict.fromkeys(_SUMS, 0)}


def _add(fight: dict[int, dict[str, Any]], act: Act, states: States) -> None:
    row = fight.get(-1 if act.player is None else act.player)
    if act.kind == "killed":
        victim = fight.get(act.value)
        x, y, _xp = states.get(act.time, {}).get(act.value, (None, None, None))
        if victim is not None:
            victim["deaths"] += 1
            if x is not None and y is not None:
                column = victim["deaths_pos"].setdefault(str(x), {})
                column[str(y)] = column.get(str(y), 0) + 1
        if row is not None:
            row["killed"][act.key] = row["killed"].get(act.key, 0) + 1
    elif row is not None and act.kind in _SUMS:
        row[act.kind] += act.value
    elif row is not None:
        row[act.kind][act.key] = row[act.kind].get(act.key, 0) + act.value
