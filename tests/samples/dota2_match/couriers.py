"""`Couriers`: the couriers of the written match: deliveries, and a death."""

from __future__ import annotations

from tests.samples.dota2_match.field import Battlefield
from tests.samples.dota2_match.log import COURIER, HERO_NAMES
from tests.samples.dota2_match.plan import BASE, DIRE, MID, PLAYERS, RADIANT, RATE
from tests.samples.source2.entities import cell_fields

from playhead.dota2.sources.roster import NO_HANDLE

_FIRST_COURIER, _FIRST_ITEM = 600, 2400
_AT_BASE, _MOVING, _DELIVERING, _RETURNING, _DEAD = 1, 2, 3, 4, 5
_ITEMS = (("Tango", "item_tango"), ("Boots", "item_boots"))


class Couriers:
    """The couriers.

    Args:
        match: the match.
    """

    def __init__(self, match: Battlefield) -> None:
        self._match = match
        random = match.random
        self._deliverer, self._victim = random.sample(PLAYERS, 2)
        self._killer = random.choice([each for each in PLAYERS if (each < 5) != (self._victim < 5)])
        self._since = dict.fromkeys(PLAYERS, (0, _AT_BASE))
        for player in PLAYERS:
            index = _FIRST_COURIER + player
            values = {"m_iTeamNum": RADIANT if player < 5 else DIRE, "m_nPlayerOwnerID": player, "m_lifeState": 0}
            match.create(
                index,
                "CDOTA_Unit_Courier",
                {**values, **match.name_field(COURIER), "m_nCourierState": _AT_BASE, **cell_fields(*BASE)},
            )

    def play(self, tick: int, game: int) -> None:
        """Play a tick."""
        at, one, other = game // 2 * 2, self._deliverer, self._victim
        if at == 140 * RATE:
            self._become(tick, one, _DELIVERING)
            for slot, (kind, name) in enumerate(_ITEMS):
                self._match.create(_FIRST_ITEM + slot, f"CDOTA_Item_{kind}", self._match.name_field(name))
                self._carry(one, slot, self._match.handle_of(_FIRST_ITEM + slot))
        elif at == 150 * RATE:
            self._carry(one, 0, NO_HANDLE)
            names = [name for _, name in _ITEMS]
            self._become(tick, one, _RETURNING, items=names, delivered=names[:1])
        elif at == 160 * RATE:
            self._become(tick, one, _AT_BASE, items=[_ITEMS[1][1]])
        elif at == 170 * RATE:
            self._become(tick, other, _MOVING)
            self._match.put_at(_FIRST_COURIER + other, *MID)
        elif at == 176 * RATE:
            self._match.put(_FIRST_COURIER + other, {"m_lifeState": 1})
            side = RADIANT if other < 5 else DIRE
            self._match.log.add("DEATH", by=HERO_NAMES[self._killer], to=COURIER, target_team=side)
            self._become(tick, other, _DEAD, sent=False)
        elif at == 220 * RATE:
            self._match.put(_FIRST_COURIER + other, {"m_lifeState": 0})
            self._become(tick, other, _AT_BASE, killer=self._killer)

    def _carry(self, player: int, slot: int, handle: int) -> None:
        self._match.put(_FIRST_COURIER + player, {f"m_hItems.{slot:04}": handle})

    def _become(
        self,
        tick: int,
        player: int,
        state: int,
        *,
        items: list[str] | None = None,
        delivered: list[str] | None = None,
        killer: int | None = None,
        sent: bool = True,
    ) -> None:
        """Let a courier pass into a state: tell what it did in the one before, and send the state."""
        begin, before = self._since[player]
        self._match.story["couriers"].append([begin, tick, player, before, items or [], delivered, killer])
        self._since[player] = tick, state
        if sent:
            self._match.put(_FIRST_COURIER + player, {"m_nCourierState": state})

    def finish(self) -> None:
        """Tell the states at the end."""
        for player, (begin, state) in self._since.items():
            items = [_ITEMS[1][1]] if player == self._deliverer and begin else []
            self._match.story["couriers"].append([begin, None, player, state, items, None, None])
