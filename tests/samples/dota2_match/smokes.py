"""`Smokes`: the smokes of the written match, what ended them and what came of them."""

from __future__ import annotations

from math import dist
from typing import Any

from tests.samples.dota2_match.battle import Battle
from tests.samples.dota2_match.field import Battlefield
from tests.samples.dota2_match.log import HERO_NAMES, SMOKE, SMOKED
from tests.samples.dota2_match.plan import DIRE, PLAYERS, RADIANT, RATE

#: How long a smoke lasts if nobody breaks it, in seconds.
SMOKE_LASTS = 45


class Smokes:
    """The smokes.

    Args:
        match: the match.
        battle: its fights.
    """

    def __init__(self, match: Battlefield, battle: Battle) -> None:
        self._match = match
        self._battle = battle
        # Tick, begin on the game's clock and members of each smoke.
        self._used: list[tuple[int, int, tuple[int, ...]]] = []
        self._begun: dict[int, int] = {}
        self._ended: list[tuple[int, int, int]] = []

    def use(self, tick: int, game: int, player: int | None, members: tuple[int, ...]) -> None:
        """Hide heroes: by a hero's item, or by a courier, which the log does not name."""
        match = self._match
        if player is not None:
            match.log.add("ITEM", by=HERO_NAMES[player], to=HERO_NAMES[player], inflictor=SMOKE)
            match.story["members"].append([tick, [[HERO_NAMES[each], tick, None] for each in members]])
        else:
            match.story["courier_smokes"].append([tick, RADIANT if members[0] < 5 else DIRE, list(members)])
        by = None if player is None else HERO_NAMES[player]
        for member in members:
            lasts = float(SMOKE_LASTS)
            match.log.add("MODIFIER_ADD", by=by, to=HERO_NAMES[member], inflictor=SMOKED, modifier_duration=lasts)
            self._battle.smoked[member].append((game, 1 << 30))
            self._begun[member] = game
        self._used.append((tick, game, members))

    def end(self, tick: int, game: int, members: tuple[int, ...]) -> None:
        """Show heroes again."""
        for member in members:
            self._match.log.add("MODIFIER_REMOVE", to=HERO_NAMES[member], inflictor=SMOKED)
            smoked = self._battle.smoked[member]
            smoked[-1] = smoked[-1][0], game
            self._ended.append((tick, game, member))
        for _tick, told in self._match.story["members"]:
            for row in told:
                if row[2] is None and row[0] in [HERO_NAMES[each] for each in members]:
                    row[2] = tick

    def tell_ends(self) -> None:
        """Tell how smokes ended, with the state at the end of the packet."""
        for tick, game, member in self._ended:
            lasted = game - self._begun[member]
            near: list[tuple[float, int]] = []
            where = self._match.where
            place = where[self._match.index_of(member)]
            for player in PLAYERS:
                away = dist(place, where[self._match.index_of(player)])
                if (player < 5) != (member < 5) and player not in self._battle.dead and away <= 1100:
                    near.append((away, player))
            broken = lasted < SMOKE_LASTS * RATE
            breaker = min(near)[1] if near and broken else None
            told: list[Any] = [member, tick, lasted / RATE, "broken" if broken else "expired", breaker]
            self._match.story["smoke_ends"].append(told)
        self._ended.clear()

    def finish(self) -> None:
        """Tell what came of each smoke."""
        deaths = [
            (row[2], victim, killer)
            for row, (_, victim, killer) in zip(
                self._match.story["_died"], self._match.story["deaths"], strict=True
            )
        ]
        for tick, begin, members in self._used:
            then = [(victim, killer) for game, victim, killer in deaths if 0 <= game - begin <= 35 * RATE]
            kills = sum(killer in members for _, killer in then)
            self._match.story["smoke_results"].append([tick, kills, sum(victim in members for victim, _ in then)])
