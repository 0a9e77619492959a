"""`Play`: what happens in a round from the end of freeze time on."""

from __future__ import annotations

from typing import Any

from tests.samples.source2.cs2_match import bomb as bombs
from tests.samples.source2.cs2_match import bystanders, said, state
from tests.samples.source2.cs2_match.arms import carried, worth
from tests.samples.source2.cs2_match.fights import LENGTH, die, duel, hurt
from tests.samples.source2.cs2_match.grenades import throw
from tests.samples.source2.cs2_match.people import leave, take_over
from tests.samples.source2.cs2_match.plan import (
    BOMB_DEFUSED,
    CT_SURRENDER,
    CT_WIN,
    FORFEIT,
    T_SURRENDER,
    T_WIN,
    TARGET_BOMBED,
    TARGET_SAVED,
    RoundPlan,
)

from playhead.runtime.records import dataclass

_ORDER = ("smokegrenade", "flashbang", "molotov", "hegrenade", "incgrenade", "decoy")


@dataclass(frozen=True, slots=True)
class Pace:
    """Lengths in ticks: freeze time, the longest play, and the time after the end of a round."""

    freeze: int
    live: int
    after: int


class Play:
    """The round that is played.

    Args:
        match: the match.
        plan: the first round.
        pace: lengths.

    Attributes:
        round: the plan of the present round.
    """

    def __init__(self, match: state.CsMatch, plan: RoundPlan, pace: Pace) -> None:
        self.match = match
        self.round = plan
        self.pace = pace
        self._number = -1
        self._row: dict[str, Any] = {}
        self._ended = False
        self._last_death = (0, 0)
        self._takes_over = False

    def _end(self, reason: int) -> None:
        raise NotImplementedError

    def _next(self) -> None:
        raise NotImplementedError

    def _forfeit(self) -> None:
        raise NotImplementedError

    def _team(self, squad: int) -> int:
        first = self.round.first_squad
        return first if squad == 0 else 5 - first

    # -- play -------------------------------------------------------------------------------------------

    def _live(self) -> None:
        match, plan, length = self.match, self.round, self.pace.live
        match.playing = True
        self._takes_over = False
        match.put_rules(m_bFreezePeriod=False, m_bRoundInProgress=True)
        match.event("round_freeze_end")
        self._row["freeze_end_tick"] = match.tick
        for player in match.players.values():
            match.put_pawn(player, m_unFreezetimeEndEquipmentValue=worth(player), m_bInBuyZone=False)
        for side, team in (("t", state.T), ("ct", state.CT)):
            self._row[f"{side}_equipment_value"] = sum(map(worth, match.side(team)))
            self._row[f"{side}_money"] = sum(each.money for each in match.side(team))
        # A round whose plan failed (the planter died, say) ends all the same.
        current = self._number
        match.later(length + 64, lambda: self._end_late(current))
        if plan.reason == FORFEIT:
            match.later(length // 4, self._forfeit)
            return
        if plan.reason in (T_SURRENDER, CT_SURRENDER):
            match.later(length // 4, lambda: self._end(plan.reason))
            return
        site = plan.number % 2
        if plan.reason in (TARGET_BOMBED, BOMB_DEFUSED):
            self._plan_bomb(site)
        elif plan.reason == TARGET_SAVED:
            match.later(length, lambda: self._end(TARGET_SAVED))
        elif plan.number % 2:
            match.later(length // 10, self._feint)
        if plan.phase == "live":
            match.later(length // 20, lambda: bystanders.rescue(match, dies=plan.number % 2 == 0))
            match.later(length // 8, lambda: bystanders.shoot_chicken(match))
            for number, word in enumerate(_ORDER):
                match.later(length * (5 + 6 * number) // 100, lambda word=word: self._throw(word))  # type: ignore[misc]
        for number, (at, team) in enumerate(self._deaths()):
            last = (at, team) == self._last_death
            match.later(at - LENGTH, lambda team=team, n=number, last=last: self._fight(team, n, last=last))  # type: ignore[misc]
        if plan.number == 1:
            self._say()
        if plan.pause == "engine":
            match.later(length // 2, self._hold)
        if "substitute" in plan.happens:
            said.chat(match, match.players[state.SUBSTITUTE_SLOT], "hello")
        if "leave" in plan.happens:
            match.later(length // 2, lambda: self._lose_one())
        if "fall" in plan.happens:
            match.later(length // 3, self._fall)
        if "teamkill" in plan.happens:
            match.later(length // 3 + 20, self._kill_a_mate)
        if "takeover" in plan.happens:
            match.later(length * 55 // 100, self._need_the_bot)

    def _say(self) -> None:
        people = list(self.match.players.values())
        said.chat(self.match, people[0], "glhf")
        said.vote(self.match, people[0], people[1], people[2:4])
        said.speak(self.match, people[5])
        said.step(self.match, people[5])

    def _hold(self) -> None:
        length = 5 * state.TICKS_PER_SECOND
        self.match.tell("pauses", kind="engine", end_tick=self.match.tick + length)
        self.match.hold(length)

    def _deaths(self) -> list[tuple[int, int]]:
        """Return when somebody of which team has to die."""
        plan, length = self.round, self.pace.live
        winner = self._team(plan.winner or 0)
        loser = 5 - winner
        all_die = plan.reason in (T_WIN, CT_WIN)
        losers = 5 if all_die else 4 if plan.reason == BOMB_DEFUSED else 2
        others = self.match.random.randint(1, 3)
        teams = [loser] * (losers - 1) + [winner] * others
        self.match.random.shuffle(teams)
        begin, end = 15 * length // 100, 75 * length // 100
        step = (end - begin) // max(1, len(teams))
        found = [(begin + step * i, team) for i, team in enumerate(teams)]
        found.append((78 * length // 100, loser))
        self._last_death = found[-1]
        return found

    def _fight(self, team: int, number: int, *, last: bool) -> None:
        match = self.match
        if self._ended:
            return
        spared = self._spared()
        victims = [each for each in match.side(team, alive=True) if each is not spared]
        attackers = match.side(5 - team, alive=True)
        if not attackers:
            return
        if last and self.round.reason in (T_WIN, CT_WIN):
            self._finish(team, attackers)
            return
        if len(victims) < 2:
            return
        blind = [each for each in victims if each.blind_until > match.tick + LENGTH]
        place = (number + self.round.number) % len(victims)
        victim = next(each for each in (*blind, *victims[place:], *victims) if each is not self._awaited())
        attacker = attackers[(number * 3 + 1) % len(attackers)]
        mates = [each for each in attackers if each is not attacker]
        assister = mates[0] if mates and number % 3 == 2 and victim.health > 60 else None
        duel(match, victim, attacker, assister=assister)
        if "takeover" in self.round.happens and victim.team == self._bot().team and not victim.is_bot:
            self._takes_over = True
            match.later(LENGTH + 60, lambda: self._take_over(victim))

    def _awaited(self) -> state.Player | None:
        """Return the bot that must not die: nobody plays with its body yet."""
        bot = self._bot()
        return bot if "takeover" in self.round.happens and bot.played_by is None else None

    def _finish(self, team: int, attackers: list[state.Player]) -> None:
        """Kill all who are left of a team, one after the other; then the round ends."""
        match = self.match
        left = match.side(team, alive=True)
        for number, victim in enumerate(left):
            match.later(1 + number * (LENGTH + 4), lambda victim=victim: duel(match, victim, attackers[0]))  # type: ignore[misc]
        match.later(1 + len(left) * (LENGTH + 4), lambda: self._end(self.round.reason))

    def _spared(self) -> state.Player | None:
        """Return the player who must not die: the planter before the plant."""
        if self.round.reason in (TARGET_BOMBED, BOMB_DEFUSED) and not self.match.rules["m_bBombPlanted"]:
            return next((each for each in self.match.side(state.T, alive=True) if carried(each, "c4")), None)
        return None

    def _throw(self, word: str) -> None:
        if not self._ended:
            order = sorted(self.match.players.values(), key=lambda each: (each.slot + self.round.number) % 10)
            next((each for each in order if throw(self.match, each, word)), None)

    # -- the bomb ---------------------------------------------------------------------------------------

    def _feint(self) -> None:
        match = self.match
        carrier = next((each for each in match.side(state.T, alive=True) if carried(each, "c4")), None)
        if carrier is not None and bombs.begin_planting(match, carrier, 0):
            match.later(20, lambda: bombs.abort_planting(match, carrier))

    def _plan_bomb(self, site: int) -> None:
        match, length = self.match, self.pace.live
        fuse = min(40 * state.TICKS_PER_SECOND, length // 2)
        plant_ticks = min(bombs.PLANT_TICKS, length // 10)

        def begin() -> None:
            carrier = self._spared()
            if carrier is not None and bombs.begin_planting(match, carrier, site):
                match.later(plant_ticks, lambda: finish(carrier))

        def finish(carrier: state.Player) -> None:
            index = bombs.plant(match, carrier, site, fuse)
            if index is None:
                return
            self._row |= {"bomb_planted_tick": match.tick, "bomb_site": "AB"[site]}
            if self.round.reason == BOMB_DEFUSED:
                match.later(fuse // 2, lambda: self._defuse(index, site, fuse // 4))
            else:
                match.later(fuse, lambda: self._explode(index, site, carrier))

        match.later(length // 5, begin)

    def _defuse(self, index: int, site: int, ticks: int) -> None:
        match = self.match
        helpers = match.side(state.CT, alive=True)
        if helpers:
            for each in match.side(state.T, alive=True):
                match.halt(each)
            done = lambda: self._end(BOMB_DEFUSED)  # noqa: E731
            bombs.defuse(match, helpers[0], index, site, ticks, done, aborts=self.round.number % 2 == 0)

    def _explode(self, index: int, site: int, planter: state.Player) -> None:
        match = self.match
        bombs.explode(match, index, site, planter)
        victims = match.side(state.CT, alive=True)
        if len(victims) > 1:
            damage = victims[0].health + 50
            hurt(match, victims[0], None, "planted_c4", damage)
            die(match, victims[0], None, "planted_c4", damage=damage)
        self._end(TARGET_BOMBED)

    # -- happenings -------------------------------------------------------------------------------------

    def _bot(self) -> state.Player:
        return next(each for each in self.match.players.values() if each.is_bot)

    def _need_the_bot(self) -> None:
        """Let a teammate of the bot die who takes it over, if none has done so."""
        bot = self._bot()
        mates = [each for each in self.match.side(bot.team, alive=True) if not each.is_bot]
        if mates and not self._takes_over and not self._ended:
            duel(self.match, mates[0], self.match.side(5 - bot.team, alive=True)[0])
            self.match.later(LENGTH + 60, lambda: self._take_over(mates[0]))

    def _take_over(self, player: state.Player) -> None:
        bot = self._bot()
        if bot.alive and bot.played_by is None and not player.alive and player.plays is None and not self._ended:
            take_over(self.match, player, bot)
            self.match.later(20, lambda: self._meet(bot))
            self.match.later(20 + 2 * LENGTH, lambda: self._meet(bot, dies=True))

    def _meet(self, bot: state.Player, *, dies: bool = False) -> None:
        """Let a bot's body kill an enemy, or die."""
        enemies = [each for each in self.match.side(5 - bot.team, alive=True) if each is not self._spared()]
        if bot.alive and len(enemies) > (not dies) and not self._ended:
            duel(self.match, *((bot, enemies[0]) if dies else (enemies[0], bot)))

    def _lose_one(self) -> None:
        if state.LEAVER_SLOT in self.match.players:
            leave(self.match, state.LEAVER_SLOT)

    def _fall(self) -> None:
        victims = [each for each in self.match.side(state.CT, alive=True) if each.slot % 5]
        if len(victims) > 2 and not self._ended:
            damage = victims[-1].health
            hurt(self.match, victims[-1], None, "world", damage)
            die(self.match, victims[-1], None, "world", damage=damage)

    def _kill_a_mate(self) -> None:
        mates = self.match.side(state.CT, alive=True)
        if len(mates) > 2 and not self._ended:
            damage = mates[0].health
            weapon = mates[1].active.word if mates[1].active else "knife"
            hurt(self.match, mates[0], mates[1], weapon, damage, group=2)
            die(self.match, mates[0], mates[1], weapon, damage=damage)

    def _warm_up(self) -> None:
        match = self.match
        for number in range(4):
            match.later(self.pace.live * (number + 1) // 6, lambda number=number: self._warm_kill(number))  # type: ignore[misc]
        match.later(self.pace.live, self._next)

    def _warm_kill(self, number: int) -> None:
        attackers, victims = (
            self.match.side(2 + number % 2, alive=True),
            self.match.side(3 - number % 2, alive=True),
        )
        if attackers and len(victims) > 1:
            duel(self.match, victims[-1], attackers[0])

    def _end_late(self, number: int) -> None:
        if number == self._number:
            self._end(T_WIN if self._team(self.round.winner or 0) == state.T else TARGET_SAVED)
