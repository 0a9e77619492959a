"""`Wards`: the wards of the written match, and whom they see."""

from __future__ import annotations

from math import dist
from typing import NamedTuple

from tests.samples.dota2_match.field import Battlefield
from tests.samples.dota2_match.log import HERO_NAMES, WARDS
from tests.samples.dota2_match.plan import BOTTOM, DIRE, MID, PLAYERS, RADIANT, RATE, TOP
from tests.samples.source2.entities import cell_fields

_FIRST_WARD = 2200


class _Ward(NamedTuple):
    """Class, player, second of placing, second of the end, and who ends it: None if its time is over."""

    kind: str
    player: int
    begin: int
    end: int
    killer: int | None
    place: tuple[float, float]


_PLAN = (
    _Ward("observer", 0, 100, 160, 5, (TOP[0] + 600.0, TOP[1] - 300.0)),
    _Ward("observer", 6, 120, 480, None, (MID[0] + 500.0, MID[1])),
    _Ward("sentry", 2, 130, 150, 3, (BOTTOM[0], BOTTOM[1] + 400.0)),
    _Ward("observer", 9, 300, 5000, None, (BOTTOM[0] - 500.0, BOTTOM[1])),
)
_CLASSES = {"observer": "CDOTA_NPC_Observer_Ward", "sentry": "CDOTA_NPC_Observer_Ward_TrueSight"}


class Wards:
    """The wards.

    Args:
        match: the match.
        seen: whether Radiant and Dire see a player's hero, by player.
    """

    def __init__(self, match: Battlefield, seen: dict[int, tuple[bool, bool]]) -> None:
        self._match, self._seen = match, seen
        self._told: dict[int, list[object]] = {}
        self._begun: dict[int, int] = {}

    def play(self, tick: int, game: int, dead: dict[int, int]) -> None:
        """Play a tick."""
        match = self._match
        for number, ward in enumerate(_PLAN):
            index, team = _FIRST_WARD + number, RADIANT if ward.player < 5 else DIRE
            if game // 2 == ward.begin * RATE // 2:
                owner = match.handle_of(match.index_of(ward.player))
                values = {
                    "m_iTeamNum": team,
                    "m_hOwnerEntity": owner,
                    "m_lifeState": 0,
                    **cell_fields(*ward.place),
                }
                match.create(index, _CLASSES[ward.kind], values)
                seen: list[int] | None = [] if ward.kind == "observer" else None
                self._begun[number] = game
                self._told[number] = [tick, ward.kind, ward.player, None, None, None, seen]
                match.story["wards"].append(self._told[number])
            elif game // 2 == ward.end * RATE // 2:
                match.put(index, {"m_lifeState": 1})
                name = WARDS[ward.kind]
                by = name if ward.killer is None else HERO_NAMES[ward.killer]
                match.log.add("DEATH", by=by, to=name)
                ally = ward.killer is not None and (ward.killer < 5) == (ward.player < 5)
                outcome = "expired" if ward.killer is None else "denied" if ally else "killed"
                self._told.pop(number)[3:6] = [(game - self._begun[number]) / RATE, outcome, ward.killer]
        if tick % RATE == 0:
            self._look(dead)

    def _look(self, dead: dict[int, int]) -> None:
        for number, told in self._told.items():
            ward = _PLAN[number]
            for player in PLAYERS:
                near = dist(self._match.where[self._match.index_of(player)], ward.place) <= 1600
                enemy = (player < 5) != (ward.player < 5)
                sees = self._seen[player][0 if ward.player < 5 else 1]
                seen = told[6]
                if (
                    near
                    and enemy
                    and sees
                    and player not in dead
                    and isinstance(seen, list)
                    and player not in seen
                ):
                    seen.append(player)
