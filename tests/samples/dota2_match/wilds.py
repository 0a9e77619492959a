"""`Wilds`: the neutral camps of the written match: their waves, deaths and stacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.samples.dota2_match import plan
from tests.samples.dota2_match.field import Battlefield
from tests.samples.dota2_match.log import HERO_NAMES, NEUTRALS
from tests.samples.dota2_match.plan import CAMPS, MINUTE, RATE
from tests.samples.source2.entities import cell_fields

_FIRST_CAMP, _FIRST_CREEP, _WAVE = 3000, 3100, 3
#: Ticks after the full minute at which a wave is created, and at which it comes.
_CREATED, _COMES = 60, 120
_HUNT = 30 * RATE


class Wilds:
    """The camps and their creeps.

    Args:
        match: the match.

    Attributes:
        story: camps, creeps and stacks.
    """

    def __init__(self, match: Battlefield) -> None:
        self._match = match
        self._creeps: list[list[Any]] = []
        # Index and row of the living creeps, by camp; indices of the dead, which are used again.
        self._living: dict[int, list[tuple[int, list[Any]]]] = {camp: [] for camp in range(len(CAMPS))}
        self._waiting: dict[int, list[tuple[int, list[Any]]]] = {}
        self._dead: list[int] = []
        self._next = _FIRST_CREEP
        self.story: dict[str, Any] = {"camps": [], "creeps": self._creeps, "stacks": []}
        for camp, (kind, (x, y)) in enumerate(CAMPS):
            match.create(_FIRST_CAMP + camp, "CDOTA_NeutralSpawner", {"m_Type": kind, **cell_fields(x, y)})
            self.story["camps"].append({"x": x, "y": y, "type": kind, "entity": _FIRST_CAMP + camp})

    def play(self, tick: int, game: int) -> None:
        """Play a tick."""
        minute, at = game // MINUTE, game % MINUTE // 2 * 2
        if minute < 1 or game + MINUTE > self._match.last:
            return
        stacked = [each for each in plan.STACKS if each[0] == minute]
        if at == 0:
            self._draw(game, stacked)
        elif at == _CREATED:
            for camp in range(len(CAMPS)):
                self._create(camp)
        elif at == _COMES:
            self._come(tick, stacked)
        elif at >= _HUNT and (at - _HUNT) % 20 == 0:
            kept = {camp for when, camp, _ in plan.STACKS if when == minute + 1}
            hunted = [camp for camp in sorted(self._living) if self._living[camp] and camp not in kept]
            if hunted:
                self._kill(tick, hunted[0], (minute + hunted[0]) % 10)

    def _draw(self, game: int, stacked: Sequence[plan.Stack]) -> None:
        """Bring the heroes to the camps that they stack, from half a second before to the wave."""
        for _minute, camp, player in stacked:
            if player is not None:
                x, y = CAMPS[camp][1]
                self._match.go(player, (x + 300.0, y - 200.0), game + _COMES)

    def _create(self, camp: int) -> None:
        home = self._match.handle_of(_FIRST_CAMP + camp)
        wave: list[tuple[int, list[Any]]] = []
        self._waiting[camp] = wave
        for _ in range(_WAVE):
            # An index of a dead creep is used again, without a message about its end.
            index = self._dead.pop() if self._dead else self._next
            self._next += index == self._next
            values = {"m_iTeamNum": 4, "m_hNeutralSpawner": home, "m_bIsWaitingToSpawn": True, "m_lifeState": 0}
            place = cell_fields(*CAMPS[camp][1])
            named = self._match.name_field(NEUTRALS[camp])
            self._match.create(index, "CDOTA_BaseNPC_Creep_Neutral", {**values, **place, **named})
            wave.append((index, [camp, None, None, None]))

    def _come(self, tick: int, stacked: Sequence[plan.Stack]) -> None:
        for _minute, camp, player in sorted(stacked, key=lambda each: each[1]):
            self._match.credit(plan.STRAY if player is None else player, "m_iCampsStacked")
            self.story["stacks"].append([tick, player, len(self._living[camp])])
        for camp, wave in self._waiting.items():
            for index, row in wave:
                self._match.put(index, {"m_bIsWaitingToSpawn": False})
                row[1] = tick
                self._creeps.append(row)
            self._living[camp] += wave
        self._waiting.clear()

    def _kill(self, tick: int, camp: int, player: int) -> None:
        index, row = self._living[camp].pop(0)
        self._match.put(index, {"m_lifeState": 1, "m_iHealth": 0})
        self._match.log.add("DEATH", by=HERO_NAMES[player], to=NEUTRALS[camp])
        self._match.killed_creep(player)
        row[2], row[3] = tick, player
        self._dead.insert(0, index)
