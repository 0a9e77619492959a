"""`Roshans`: the Roshans of the written match: their drops, and what became of each Aegis."""

from __future__ import annotations

from tests.samples.dota2_match.battle import AEGIS, Battle
from tests.samples.dota2_match.field import Battlefield
from tests.samples.dota2_match.log import HERO_NAMES, ROSHAN, ROSHAN_DROPS
from tests.samples.dota2_match.plan import PLAYERS, RATE
from tests.samples.source2.encoding import encode_message
from tests.samples.source2.entities import cell_fields

from playhead.source2.writing.demo import InnerMessage

_ROSHAN, _FIRST_ITEM, _PLACE = 390, 2300, (-7808.0, 7680.0)
# Seconds of birth, death and the taking of the Aegis; chat event; number of drops; who takes it.
_PLAN = (
    (1, 205, 207, "AEGIS", 1, None),
    (230, 260, 263, "AEGIS_STOLEN", 2, 6),
    (600, 620, 624, "DENIED_AEGIS", 3, 2),
    (650, 700, 703, "AEGIS", 3, 8),
)
_WORDS = {"AEGIS": "taken", "AEGIS_STOLEN": "stolen", "DENIED_AEGIS": "denied"}


class Roshans:
    """The Roshans.

    Args:
        match: the match.
        battle: its fights; the first Aegis revives a hero.
    """

    def __init__(self, match: Battlefield, battle: Battle) -> None:
        self._match, self._battle = match, battle

    def play(self, tick: int, game: int) -> list[InnerMessage]:
        """Play a tick, and return the messages."""
        match, said = self._match, []
        for number, (born, dies, taken, event, drops, taker) in enumerate(_PLAN):
            now = game // 2
            if now == born * RATE // 2:
                values = {"m_iTeamNum": 4, "m_lifeState": 0, "m_iHealth": 6000, "m_iMaxHealth": 6000}
                match.create(_ROSHAN, "CDOTA_Unit_Roshan", {**values, **cell_fields(*_PLACE)})
            elif now == dies * RATE // 2:
                self._die(tick, number, drops)
            elif now == taken * RATE // 2:
                player = min(set(PLAYERS) - set(self._battle.dead)) if taker is None else taker
                if taker is None:
                    self._battle.aegis_player = player
                line = {"type": f"CHAT_MESSAGE_{event}", "value": 0, "playerid_1": player, "playerid_2": -1}
                said.append(encode_message("dota2", "CDOTAUserMsg_ChatEvent", line))
                self._tell(number, _WORDS[event], player, tick)
                if event == "DENIED_AEGIS":
                    self._tell_end(number, "denied", tick)
            if number == 0 and now == AEGIS // 2:
                self._tell_end(number, "used", tick)
            elif number == 1 and now == (taken + 300) * RATE // 2:
                self._tell_end(number, "expired", tick)
        return said

    def _die(self, tick: int, number: int, drops: int) -> None:
        match, names = self._match, ROSHAN_DROPS[:drops]
        match.put(_ROSHAN, {"m_lifeState": 1, "m_iHealth": 0})
        match.log.add("DEATH", by=HERO_NAMES[number], to=ROSHAN)
        for place, name in enumerate(names):
            index = _FIRST_ITEM + 10 * number + 2 * place
            match.create(index, "CDOTA_Item_Tango", {"m_iCurrentCharges": 0, **match.name_field(name)})
            lies = {"m_hItem": match.handle_of(index), **cell_fields(_PLACE[0] + 30.0 * place, _PLACE[1])}
            match.create(index + 1, "CDOTA_Item_Physical", lies)
        match.story["roshans"].append([tick, list(names), None, None, None, None, None])

    def _tell(self, number: int, word: str, player: int, tick: int) -> None:
        self._match.story["roshans"][number][2:5] = [word, player, tick]

    def _tell_end(self, number: int, word: str, tick: int) -> None:
        self._match.story["roshans"][number][5:] = [word, tick]
