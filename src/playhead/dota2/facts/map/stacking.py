"""`credited`: which player stacked which camp, if several camps were stacked at one tick."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import NamedTuple

#: Largest distance of a hero from the camp that it stacked, in world units.
REACH = 1500.0


class Wave(NamedTuple):
    """A wave that came over living creeps.

    Attributes:
        camp: entity of the camp.
        creeps_before: living creeps of earlier waves.
        place: of the camp, in world units; None if unknown.
    """

    camp: int
    creeps_before: int
    place: tuple[float | None, float | None]


class Credit(NamedTuple):
    """A rise of a player's count of stacked camps.

    Attributes:
        player: the player.
        camps: how many camps the rise counts.
        places: of the player's hero in the seconds before.
    """

    player: int
    camps: int
    places: Sequence[tuple[float, float]]


def credited(waves: Sequence[Wave], credits: Sequence[Credit]) -> list[tuple[Wave, int | None]]:
    """Assign the waves of one tick to the credited players; None if no credited hero was near.

    A single player who is credited with every wave gets all. Otherwise each wave goes to the nearest credited hero
    within `REACH`, nearest pairs first. If there are more waves than credits, waves without a player are no
    stacks: a camp may spawn beside a single creep that left it.
    """
    left = {credit.player: 0 for credit in credits}
    for credit in credits:
        left[credit.player] += credit.camps
    if len(left) == 1 and sum(left.values()) == len(waves):
        (player,) = left
        return [(wave, player) for wave in waves]
    pairs = sorted(
        (distance, number, credit.player)
        for number, wave in enumerate(waves)
        for credit in credits
        if (distance := _distance(wave, credit)) <= REACH
    )
    total = sum(left.values())
    taken: dict[int, int] = {}
    for _distance_of, number, player in pairs:
        if number not in taken and left[player]:
            taken[number] = player
            left[player] -= 1
    found = [(wave, taken.get(number)) for number, wave in enumerate(waves)]
    return found if len(waves) <= total else [(wave, player) for wave, player in found if player is not None]


def _distance(wave: Wave, credit: Credit) -> float:
    """Return the smallest distance of the hero from the camp; infinite if either place is unknown."""
    x, y = wave.place
    if x is None or y is None or not credit.places:
        return float("inf")
    return min(hypot(x - at_x, y - at_y) for at_x, at_y in credit.places)
