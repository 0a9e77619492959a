"""`Cs2World`: the state of a CS2 match at one tick, with the players."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from playhead.cs2.sources.pawn import ARMOR, LIFE_STATE, player_state, weapon_in_hand, weapon_name, weapons_of
from playhead.source2.playback.world import World

if TYPE_CHECKING:
    from playhead.clock import Clock
    from playhead.cs2.sources.match import Cs2Match
    from playhead.cs2.sources.people import Person
    from playhead.source2.playback.playback import Playback

_MONEY, _EQUIPMENT = "m_pInGameMoneyServices.m_iAccount", "m_unCurrentEquipmentValue"
_RESOURCES = ("money", "equipment_value")


class Cs2World(World):
    """As `World`, with place, view, health, weapons and money of the players."""

    def __init__(
        self, playback: Playback, tick: int, clock: Clock | None, match: Cs2Match, number: Callable[[Person], int]
    ) -> None:
        """`match` follows the playback; `number` returns the number of a person in the whole recording."""
        super().__init__(playback, tick, clock, lambda: ())
        self._match = match
        self._number = number

    @property
    def players(self) -> Sequence[Mapping[str, Any]]:
        """The players of both sides, by number."""
        return sorted(map(self._player, self._match.people.playing), key=lambda row: row["player"])

    def _player(self, person: Person) -> dict[str, Any]:
        pawn = self._match.people.pawn(person)
        controller = person.controller
        state = None if pawn is None else pawn.get_int(LIFE_STATE)
        return {
            "player": self._number(person),
            "name": person.name,
            "team": person.team,
            "side": person.side,
            "alive": None if state is None else state == 0,
            **player_state(pawn),
            "armor": None if pawn is None else pawn.get_int(ARMOR),
            "money": None if controller is None else controller.get_int(_MONEY),
            "equipment_value": None if pawn is None else pawn.get_int(_EQUIPMENT),
            "active_weapon": weapon_in_hand(self.entities, pawn),
            "inventory": [] if pawn is None else [weapon_name(each) for each in weapons_of(self.entities, pawn)],
        }

    @property
    def resources(self) -> Mapping[int, Mapping[str, Any]]:
        """Money and value of the equipment of each player."""
        return {row["player"]: {name: row[name] for name in _RESOURCES} for row in self.players}
