"""`Battle`: the fights of the written match: damage, deaths, buybacks."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist
from typing import Any

from tests.samples.dota2_match import plan
from tests.samples.dota2_match.field import DATA, Battlefield
from tests.samples.dota2_match.fight_story import FightStory
from tests.samples.dota2_match.log import CREEP, HERO_NAMES, STUNNED, SUMMON
from tests.samples.dota2_match.plan import DIRE, HORN, PLAYERS, RADIANT, RATE, RESOURCE, Fight

#: Gold that a death costs.
LOSS = 70
_HELPERS = 2
#: Seconds of game time until a player can buy back again.
BUYBACK_COOLDOWN = 480.0
#: Fields of the log's entry of a disable.
DISABLES = {
    "slow": ("slow_duration",),
    "silence": ("silence_modifier", "modifier_duration"),
    "root": ("root_modifier", "modifier_duration"),
}
#: When an Aegis revives a hero, without a trace in the log, and how long that takes.
AEGIS, AEGIS_TICKS = 215 * RATE, 5 * RATE


class Battle:
    """The fights.

    Args:
        match: the match.
        fights: the planned fights.

    Attributes:
        fights: the planned fights.
        dead: tick on the game's clock at which each dead hero is back, by player.
        smoked: begin and end of each smoke on a player's hero, on the game's clock.
        kills: kills by side.
        story: what each player did in them.
        aegis_player: the player whom an Aegis revives.
    """

    def __init__(self, match: Battlefield, fights: Sequence[Fight]) -> None:
        self._match = match
        self.fights = fights
        self.dead: dict[int, int] = {}
        self.smoked: dict[int, list[tuple[int, int]]] = {player: [] for player in PLAYERS}
        self.kills = {RADIANT: 0, DIRE: 0}
        self.story = FightStory(match)
        self.aegis_player = 0
        # Time, victim, source, cause and value of damage to heroes.
        self._hits: list[tuple[int, int, str, str | None, int]] = []
        # Number, victim and killer of the deaths of the present packet; kills by killer since its last death, and
        # the times of all its kills; times of buybacks.
        self._new: list[tuple[int, int, int | None, bool]] = []
        self._since: dict[int, int] = dict.fromkeys(PLAYERS, 0)
        self._killed_at: dict[int, list[int]] = {player: [] for player in PLAYERS}
        self._bought_at: dict[int, list[int]] = {player: [] for player in PLAYERS}

    def play(self, tick: int, game: int) -> None:
        """Play a tick."""
        for player, when in list(self.dead.items()):
            if game >= when:
                self._revive(player)
        if game // 2 == AEGIS // 2:
            self._revived(tick, self.aegis_player)
        elif game // 2 == (AEGIS + AEGIS_TICKS) // 2:
            self._match.put(self._match.index_of(self._match.story["revivals"][0][1]), {"m_lifeState": 0})
        for number, fight in enumerate(self.fights):
            self._play(tick, game, number, fight)

    def tell_deaths(self) -> None:
        """Tell the state at the end of a packet of those who died in it, and of their killers."""
        for game, victim, killer, alone in self._new:
            match = self._match
            x, y = match.where[match.index_of(victim)]
            near = [
                player
                for player in PLAYERS
                if player not in self.dead and dist((x, y), match.where[match.index_of(player)]) <= 1500
            ]
            enemies = sum((player < 5) != (victim < 5) for player in near)
            told = [x, y, match.level(victim), match.wealth[victim]["net_worth"]]
            ended, self._since[victim] = self._since[victim], 0
            if killer is None:
                told += [None, None, None]
            else:
                self._since[killer] += 1
                self._killed_at[killer].append(game)
                series = 1
                times = self._killed_at[killer]
                while series < len(times) and times[-series] - times[-series - 1] <= 18 * RATE:
                    series += 1
                told += [match.wealth[killer]["net_worth"], series, self._since[killer]]
            died_back = any(0 <= game - then <= 60 * RATE for then in self._bought_at[victim])
            gank = enemies >= 2 and enemies > 1 + len(near) - enemies
            match.story["death_series"].append([*told, ended, killer is not None and alone, gank, died_back])
        self._new.clear()

    def finish(self) -> None:
        """End the deaths of those who are dead at the end."""
        for player in self.dead:
            self._tell_life(player)
        self.story.finish()

    def _play(self, tick: int, game: int, number: int, fight: Fight) -> None:
        since = game - fight.at
        if not 0 <= since < 400:
            return
        if since < 2:
            for player in {each for victim, killer, _ in fight.deaths for each in (victim, killer)}:
                if player not in self.dead:
                    self._match.go(player, fight.place, game + 380)
        for place, (victim, killer, buys) in enumerate(fight.deaths):
            dies = 100 + 90 * place
            if since // 2 == dies // 2:
                self._die(tick, game, number, victim, killer)
            elif since < dies and since % 30 < 2 and victim not in self.dead:
                self._hit(tick, game, number, victim, killer)
                if since >= 60:
                    self._heal(number, fight, killer)
            elif buys and since // 2 == (dies + 80) // 2:
                self._buy_back(tick, game, victim)

    def _hit(self, tick: int, game: int, number: int, victim: int, killer: int) -> None:
        random, target, by_hero = self._match.random, HERO_NAMES[victim], HERO_NAMES[killer]
        cause = random.choice((None, "razor_plasma_field", "item_dagon_5", "storm_spirit_overload"))
        value, kind = random.randrange(20, 300), random.choice((1, 2, 4))
        by, source = HERO_NAMES[killer], None
        if killer == 0 and random.random() < 0.4:
            by, source = SUMMON, HERO_NAMES[0]
        hit: dict[str, Any] = {"by": by, "source": source, "to": target, "inflictor": cause}
        self._match.log.add("DAMAGE", **hit, value=value, damage_type=kind)
        self._hits.append((game, victim, source or by, cause, value))
        if random.random() < 0.2:
            self._match.log.add("DAMAGE", by=by, to=target, illusion=True, value=33, damage_type=1)
        if random.random() < 0.3:
            self._match.log.add("ABILITY", by=HERO_NAMES[killer], inflictor="puck_illusory_orb", ability_level=2)
            stun = random.choice((0.5, 1.25, 2.0))
            self._match.log.add("MODIFIER_ADD", by=by_hero, to=target, inflictor=STUNNED, stun_duration=stun)
            self.story.did(number, tick, killer, "abilities_used", "puck_illusory_orb")
            self.story.did(number, tick, killer, "stun_seconds", stun)
        for kind, fields in DISABLES.items():
            if random.random() < 0.1:
                long = random.choice((0.5, 1.5, 3.0))
                sent = {name: long if name.endswith("duration") else True for name in fields}
                self._match.log.add("MODIFIER_ADD", by=by_hero, to=target, inflictor=STUNNED, **sent)
                self.story.did(number, tick, killer, f"{kind}_seconds", long)
        if random.random() < 0.3:
            self._match.log.add("HEAL", by=by_hero, to=by_hero, value=random.randrange(5, 60))

    def _heal(self, number: int, fight: Fight, player: int) -> None:
        """Heal an ally who fights too: the hero itself, and the summon of player 0."""
        here = {each for victim, killer, _ in fight.deaths for each in (victim, killer)} - set(self.dead)
        here = {each for each in here if self._match.at[each][1] == fight.place}  # others stack a camp
        allies = sorted(each for each in here if (each < 5) == (player < 5) and each != player)
        for ally in allies[:1] if player in here else ():
            by = {"by": SUMMON, "source": HERO_NAMES[0]} if player == 0 else {"by": HERO_NAMES[player]}
            self._match.log.add("HEAL", **by, to=HERO_NAMES[ally], value=40 + ally)
            self._match.story["heals"].append([number, player, 40 + ally])

    def _die(self, tick: int, game: int, number: int, victim: int, killer: int) -> None:
        """Kill a hero. In fight 3 a creep kills; in fight 4 a hero comes back at once, before it dies."""
        target, by = HERO_NAMES[victim], HERO_NAMES[killer]
        if number == 4 and not any(death[0] == tick for death in self._match.story["deaths"]):
            self._match.log.add("DEATH", by=by, to=target, will_reincarnate=True)
            self._match.log.add("DEATH", by=by, to=target, illusion=True)
        by, who = (CREEP, None) if number == 3 else (by, killer)
        mates = [each for each in PLAYERS if who is not None and (each < 5) == (who < 5) and each != who]
        assists = [] if number % 3 == 1 else mates[:_HELPERS]
        self._match.log.add("DEATH", by=by, to=target, assist_players=assists, will_reincarnate=False)
        if victim == 5:  # its clone dies with it
            self._match.log.add("DEATH", by=by, to=target, assist_players=assists, will_reincarnate=False)
        self._match.log.add("GOLD", to=target, value=-LOSS, gold_reason=1)
        self._match.wealth[victim]["lost"] += LOSS
        self._match.wealth[victim]["deaths"] += 1
        if who is not None:
            self._match.log.add("GOLD", to=by, value=200, gold_reason=12)
            self._match.log.add("XP", to=by, value=150, xp_reason=1)
            self._match.gain(who, "HeroKill", 200, 150)
            self.kills[RADIANT if who < 5 else DIRE] += 1
            self._match.wealth[who]["kills"] += 1
            kills = self._match.wealth[who]["kills"]
            self._match.put(RESOURCE, {f"m_vecPlayerTeamData.{who:04}.m_iKills": kills})
        self._match.tell(victim)
        self._match.put(self._match.index_of(victim), {"m_lifeState": 1, "m_iHealth": 0})
        deaths = self._match.wealth[victim]["deaths"]
        self._match.put(RESOURCE, {f"m_vecPlayerTeamData.{victim:04}.m_iDeaths": deaths})
        self.dead[victim] = game + 2 * self._match.random.randrange(180, 400)
        self._tell_death(tick, game, number, victim, who, assists)

    def _revived(self, tick: int, player: int) -> None:
        """Let a hero fall that comes back: the log has a death as any other, m_iDeaths stays."""
        killer = (player + 5) % 10
        self._match.log.add("DEATH", by=HERO_NAMES[killer], to=HERO_NAMES[player], counts=False)
        self._match.put(self._match.index_of(player), {"m_lifeState": 1})
        self._match.story["revivals"].append([tick, player, killer])

    def _tell_death(
        self, tick: int, game: int, number: int, victim: int, killer: int | None, assists: list[int]
    ) -> None:
        story = self._match.story
        story["deaths"].append([tick, victim, killer])
        smokes = self.smoked[killer] if killer is not None else ()
        smoked = any(begin <= game and game - end <= 30 * RATE for begin, end in smokes)
        story["death_facts"].append([assists or None, LOSS, smoked])
        before = max((death[2] for death in story["_died"] if death[0] == victim), default=-(1 << 30))
        sums: dict[tuple[str, str | None], int] = {}
        for when, who, by, cause, value in self._hits:
            if who == victim and max(before, game - 10 * RATE - 1) < when <= game:
                sums[by, cause] = sums.get((by, cause), 0) + value
        story["death_damage"] += [
            [tick, victim, HERO_NAMES.index(by), cause, sum_] for (by, cause), sum_ in sums.items()
        ]
        story["_died"].append([victim, None, game])
        self._new.append((game, victim, killer, not assists))
        self.story.died(number, tick, victim, assists)
        side = "dire" if victim < 5 else "radiant"
        if not story["fights"] or story["fights"][-1][3] != number:
            story["fights"].append([tick, 0, {"radiant": 0, "dire": 0}, number])
        story["fights"][-1][1] += 1
        story["fights"][-1][2][side] += 1

    def _revive(self, player: int) -> None:
        del self.dead[player]
        self._match.put(self._match.index_of(player), {"m_lifeState": 0, "m_iHealth": 900})
        self._tell_life(player)

    def _tell_life(self, player: int) -> None:
        now = round((self._match.log.seconds - plan.FIRST_SERVER_TICK / RATE) * RATE) - HORN
        death = next(each for each in reversed(self._match.story["_died"]) if each[0] == player)
        death[1] = (now - death[2]) / RATE

    def _buy_back(self, tick: int, game: int, player: int) -> None:
        if player not in self.dead:
            return
        cost = 200 + self._match.wealth[player]["net_worth"] // 13
        ready = self._match.log.seconds + BUYBACK_COOLDOWN
        row = {f"m_vecDataTeam.{player % 5:04}.m_flBuybackCooldownTime": ready}
        self._match.put(DATA[RADIANT if player < 5 else DIRE], row)
        self._match.story["buyback_ready"].append([tick, player, game / RATE + BUYBACK_COOLDOWN])
        self._match.spent[player]["Buybacks"] += cost
        self._match.wealth[player]["net_worth"] -= cost
        self._match.tell(player)
        self._match.log.add("BUYBACK", value=player)
        self._bought_at[player].append(game)
        self._revive(player)
        self._match.story["buybacks"].append([tick, player, cost])
