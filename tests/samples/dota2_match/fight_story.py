"""`FightStory`: what each player did in the fights of the written match."""

from __future__ import annotations

from math import dist
from typing import Any

from tests.samples.dota2_match.field import Battlefield
from tests.samples.dota2_match.plan import PLAYERS, RATE

_WINDOW, _RADIUS = 15 * RATE, 3000.0
_COUNTS = ("assists", "stun_seconds", "slow_seconds", "silence_seconds", "root_seconds")


class FightStory:
    """Keeps the state of each second, and tells the fights at the end.

    Args:
        match: the match.
    """

    def __init__(self, match: Battlefield) -> None:
        self._match = match
        # Places, net worth and experience of the players at each second, with None for the dead.
        self._looks: dict[int, tuple[list[tuple[float, float]], list[bool], list[int], list[int]]] = {}
        self._paused: set[int] = set()
        # Number of the fight, tick and place of each death; tick, player, column and value of each action.
        self._deaths: list[tuple[int, int, tuple[float, float]]] = []
        self._actions: list[tuple[int, int, int, str, Any]] = []

    def look(self, tick: int, dead: dict[int, int], *, paused: bool) -> None:
        """Keep the state at the end of a packet."""
        match = self._match
        if tick % RATE == 0:
            places = [match.where.get(match.index_of(player), (1e6, 1e6)) for player in PLAYERS]
            worth = [dict(wealth) for wealth in match.wealth]
            self._looks[tick] = (
                *(places, [player not in dead for player in PLAYERS]),
                *([each["net_worth"] for each in worth], [each["xp"] for each in worth]),
            )
            if paused:
                self._paused.add(tick)

    def died(self, number: int, tick: int, victim: int, assists: list[int]) -> None:
        """A hero died in a fight."""
        self._deaths.append((number, tick, self._match.where[self._match.index_of(victim)]))
        self._actions += [(number, tick, player, "assists", 1) for player in assists]

    def did(self, number: int, tick: int, player: int, column: str, value: Any) -> None:
        """A player used something, or disabled an enemy, in a fight."""
        self._actions.append((number, tick, player, column, value))

    def finish(self) -> None:
        """Tell the fights."""
        numbers = sorted({number for number, _, _ in self._deaths})
        for fight, number in enumerate(numbers, 1):
            deaths = [(tick, place) for each, tick, place in self._deaths if each == number]
            middle = tuple(sum(place[axis] for _, place in deaths) / len(deaths) for axis in (0, 1))
            first, last = deaths[0][0] - _WINDOW, deaths[-1][0] + _WINDOW
            within = [tick for tick in self._looks if first // RATE * RATE <= tick <= last]
            swing = [0, 0]
            for player in PLAYERS:
                change = [
                    self._looks[within[-1]][what][player] - self._looks[within[0]][what][player] for what in (2, 3)
                ]
                swing = [
                    total + (each if player < 5 else -each) for total, each in zip(swing, change, strict=True)
                ]
                seconds = [
                    tick
                    for tick in within
                    if tick not in self._paused
                    and self._looks[tick][1][player]
                    and dist(self._looks[tick][0][player], middle) <= _RADIUS
                ]
                acts = [
                    (column, value)
                    for each, _, who, column, value in self._actions
                    if (each, who) == (number, player)
                ]
                uses = [value for column, value in acts if column == "abilities_used"]
                counts = [sum(value for column, value in acts if column == name) for name in _COUNTS]
                told = [fight, player, *change, float(len(seconds)), uses, *counts]
                self._match.story["fight_players"].append(told)
            self._match.story["swings"].append(swing)
