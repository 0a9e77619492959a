"""Lanes and positions of players, by OpenDota's rules.

A cell of 128 world units belongs to a lane: OpenDota's grid of 128 by 128 cells in the middle of the map
(odota/core, ``laneMappings``). A player's lane is the most frequent one of the player's cells; a player with fewer
than 45 % of the cells in it roams. Positions 1 to 5 follow odota/core#2974.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

BOTTOM, MIDDLE, TOP, RADIANT_JUNGLE, DIRE_JUNGLE = 1, 2, 3, 4, 5
SAFE, MID, OFF, JUNGLE = 1, 2, 3, 4

#: Words of lanes and roles.
LANES = {BOTTOM: "bottom", MIDDLE: "mid", TOP: "top", RADIANT_JUNGLE: "radiant_jungle", DIRE_JUNGLE: "dire_jungle"}
ROLES = {SAFE: "safe", MID: "mid", OFF: "off", JUNGLE: "jungle"}

#: Smaller shares of the cells in the most frequent lane mean that a player roams.
ROAMING = 0.45

#: Gold of ten minutes, by odota/core: melee, ranged and siege creeps, passive income, and the gold at the start.
TEN_MINUTES = 40 * 60 + 45 * 20 + 74 * 2 + 600 * 1.5 + 600
#: The richest players of a lane have drawn if their gold differs by at most this (odota/web#852).
DRAW = 350

# The first cell of the grid, and its size.
_FIRST, _SIZE = 64, 128
_CORES = 3


def lane_of_cell(x: int, y: int) -> int | None:
    """Return the lane of a cell; None outside the grid."""
    column, row = x - _FIRST, _SIZE - (y - _FIRST)
    if not (0 <= column < _SIZE and 0 <= row < _SIZE):
        return None
    if abs(row + column - (_SIZE - 1)) < 8:
        return MIDDLE
    if column < 27 or row < 27:
        return TOP
    if column >= 100 or row >= 100:
        return BOTTOM
    if row < 50:
        return DIRE_JUNGLE
    return RADIANT_JUNGLE if row >= 77 else MIDDLE


def role_of_lane(lane: int, radiant: bool) -> int:
    """Return the role of a lane for a side: safe lane 1, middle 2, off lane 3, jungle 4."""
    if lane == MIDDLE:
        return MID
    if lane in (RADIANT_JUNGLE, DIRE_JUNGLE):
        return JUNGLE
    return SAFE if (lane == BOTTOM) == radiant else OFF


def lane_of_cells(cells: Mapping[tuple[int, int], int]) -> tuple[int | None, bool | None]:
    """Return the most frequent lane of cells, and whether the player roams; None without a cell of the grid.

    Of equally frequent lanes it is the one that reaches the count first, with cells ordered by x and y.
    """
    counts: dict[int, int] = {}
    best, most = None, 0
    for (x, y), count in sorted(cells.items()):
        lane = lane_of_cell(x, y)
        if lane is not None:
            counts[lane] = counts.get(lane, 0) + count
            if counts[lane] > most:
                best, most = lane, counts[lane]
    return best, None if best is None else most / sum(counts.values()) < ROAMING


def outcome(own: int | None, other: int | None) -> str | None:
    """Return won, lost or draw, from the gold of the richest player of each side; None if a side has none."""
    if own is None or other is None:
        return None
    if abs(own - other) <= DRAW:
        return "draw"
    return "won" if own > other else "lost"


def positions(players: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """Return the position 1 to 5 of each player of a team.

    The three players with the largest shares of the team's gold and last hits are cores: of the middle, safe and
    off lane they have position 2, 1 and 3. The others are supports: of the safe lane 5, else 4. Players whose
    position is taken get the remaining ones, the richer first.

    Args:
        players: player, role_id, and farm (share of the team's gold and last hits).
    """
    order = sorted(players, key=lambda each: (-each["farm"], each["player"]))
    found: dict[int, int] = {}
    wishes = {SAFE: 1, MID: 2, OFF: 3}
    for group, places, wish in (
        (order[:_CORES], (1, 2, 3), wishes.get),
        (order[_CORES:], (4, 5), lambda role: 5 if role == SAFE else 4),
    ):
        left = list(places)
        late = []
        for each in group:
            place = wish(each["role_id"])
            if place in left:
                left.remove(place)
                found[each["player"]] = place
            else:
                late.append(each["player"])
        found.update(zip(late, left, strict=False))
    return found


def farm_shares(samples: Iterable[Mapping[int, tuple[float, float]]]) -> dict[int, float]:
    """Return the mean share of each player in the team's gold and last hits.

    Args:
        samples: gold and last hits by player, at several times.
    """
    shares: dict[int, list[float]] = {}
    for sample in samples:
        gold, hits = (sum(each[i] for each in sample.values()) or 1.0 for i in range(2))
        for player, (own_gold, own_hits) in sample.items():
            shares.setdefault(player, []).append((own_gold / gold + own_hits / hits) / 2)
    return {player: sum(each) / len(each) for player, each in shares.items()}
