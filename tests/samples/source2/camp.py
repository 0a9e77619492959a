"""The neutral camp of the synthetic match: two waves of creeps, of which the second is a stack, and one death."""

from __future__ import annotations

from typing import Any

from tests.samples.source2.entities import SyntheticEntities

#: Ticks of a period at which each wave is created, and at which it comes.
WAVES = ((560, 600), (1320, 1350))
#: Ticks of a period: the first creep dies, its entity goes, all others go.
DEATH_AT, GONE_AT, END_AT = 1800, 1860, 3540
CREEP = "npc_dota_neutral_kobold"
WAVE_SIZE = 3

_SPAWNER, _FIRST_CREEP = 1600, 1601
_PLACE = (-4100.0, 3900.0)
_TYPE = 0  # a small camp
_NEUTRALS = 4  # team


class SampleCamp:
    """The camp and its creeps.

    Args:
        match: the entities.

    Attributes:
        place: the camp in world units.
        entity: index of the camp.
        neutrals: rows of table ``neutrals`` so far.
    """

    def __init__(self, match: SyntheticEntities) -> None:
        self._match = match
        self.place, self.entity = _PLACE, _SPAWNER
        self.neutrals: list[dict[str, Any]] = []
        # Index of each living creep: its row.
        self._living: dict[int, dict[str, Any]] = {}

    def begin(self) -> None:
        """Create the camp."""
        self._match.spawn(_SPAWNER, "CDOTA_NeutralSpawner", m_Type=_TYPE)
        self._match.put_at(_SPAWNER, *_PLACE)

    def play(self, tick: int, at: int) -> None:
        """Play a tick; `at` is the tick of the period. The creep's killer is for the story to tell."""
        for number, (created, comes) in enumerate(WAVES):
            wave = range(_FIRST_CREEP + number * WAVE_SIZE, _FIRST_CREEP + (number + 1) * WAVE_SIZE)
            if at == created:
                self._create(wave)
            elif at == comes:
                self._come(tick, wave)
        if at == DEATH_AT and _FIRST_CREEP in self._living:
            self._match.set_fields(_FIRST_CREEP, m_lifeState=1, m_iHealth=0)
            self._living[_FIRST_CREEP]["end_tick"] = tick
        elif at == GONE_AT:
            self._remove(tick, [_FIRST_CREEP])
        elif at == END_AT:
            self._remove(tick, list(self._living))

    def _create(self, wave: range) -> None:
        home = self._match.handle_of(_SPAWNER)
        for index in wave:
            self._match.spawn(
                index,
                "CDOTA_BaseNPC_Creep_Neutral",
                CREEP,
                m_iTeamNum=_NEUTRALS,
                m_hNeutralSpawner=home,
                m_bIsWaitingToSpawn=True,
            )
            self._match.put_at(index, *_PLACE)

    def _come(self, tick: int, wave: range) -> None:
        for index in wave:
            self._match.set_fields(index, m_bIsWaitingToSpawn=False)
            self._living[index] = {"tick": tick, "camp": _SPAWNER, "unit_type": CREEP}
            self.neutrals.append(self._living[index])

    def _remove(self, tick: int, creeps: list[int]) -> None:
        for index in creeps:
            row = self._living.pop(index, None)
            if row is not None:
                row.setdefault("end_tick", tick)
                self._match.remove(index)
