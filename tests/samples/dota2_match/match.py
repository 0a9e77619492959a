"""`WrittenMatch`: the entities of the written match, played tick by tick, and its story."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.samples.dota2_match import plan
from tests.samples.dota2_match.battle import Battle
from tests.samples.dota2_match.couriers import Couriers
from tests.samples.dota2_match.field import DATA, MEASURES, SOURCES, SPENT, WORDS, Battlefield
from tests.samples.dota2_match.items import Items
from tests.samples.dota2_match.log import HERO_NAMES, ITEMS, NEUTRALS, ROSHAN_DROPS, TOWER
from tests.samples.dota2_match.official import official_result
from tests.samples.dota2_match.plan import DIRE, FARM, HORN, MINUTE, PLAYERS, RADIANT, RATE, RESOURCE
from tests.samples.dota2_match.roshan import Roshans
from tests.samples.dota2_match.smokes import SMOKE_LASTS, Smokes
from tests.samples.dota2_match.wards import Wards
from tests.samples.dota2_match.wilds import Wilds
from tests.samples.source2.building_places import place_of
from tests.samples.source2.encoding import encode_message
from tests.samples.source2.entities import cell_fields

from playhead.dota2.sources.names import number_of
from playhead.source2.writing.demo import InnerMessage

_RULES, _SPECTATOR = 1, 5
_CLONE, _ILLUSION, _FIRST_TOWER, _TAKEN, _BANNER = 190, 191, 400, 500, 520
# Seconds in which an ability makes it night.
_MADE_NIGHT = (115, 125)

Row = dict[str, Any]


class WrittenMatch(Battlefield):
    """The match.

    Args:
        minutes: its length from the horn.
        seed: decides amounts, fights and sight.

    Attributes:
        battle: the fights.
        wilds: the neutral camps.
        smokes: the smokes.
        items: the items.
        wards: the wards.
        roshans: the Roshans.
        couriers: the couriers.
    """

    def __init__(self, minutes: float, seed: int) -> None:
        super().__init__(int(minutes * MINUTE) // 2 * 2, seed)
        self._messages: list[InnerMessage] = []
        self._seen: dict[int, tuple[bool, bool]] = {}
        self.battle = Battle(self, plan.fights(self.random, self.last))
        self._minutes = _minute_ticks(self.last)
        self.story |= {
            "horn": HORN,
            "pauses": [list(each) for each in pause_ticks(self.last)],
            "heroes": list(HERO_NAMES),
        }
        self._populate()
        self.wilds = Wilds(self)
        self.smokes = Smokes(self, self.battle)
        self.items = Items(self)
        self.wards = Wards(self, self._seen)
        self.roshans = Roshans(self, self.battle)
        self.couriers = Couriers(self)

    # -- the beginning ----------------------------------------------------------------------------------

    @property
    def entity_names(self) -> list[str]:
        """The names of all entities, also of those to come."""
        for name in (*NEUTRALS, *ITEMS, *ROSHAN_DROPS):
            self.name_field(name)
        return self.names

    def _populate(self) -> None:
        horn = (plan.FIRST_SERVER_TICK + HORN) / RATE
        rules = {
            "m_nGameState": 4,
            "m_flStateTransitionTime": horn,
            "m_bGamePaused": False,
            "m_unMatchID64": 7654321098,
        }
        self.create(
            _RULES, "CDOTAGamerulesProxy", {"m_pGameRules": True, **_rules(rules | {"m_nTotalPausedTicks": 0})}
        )
        self.create(RESOURCE, "CDOTA_PlayerResource", {"m_vecPlayerData": 10, "m_vecPlayerTeamData": 10})
        for team, side in ((RADIANT, "Radiant"), (DIRE, "Dire")):
            self.create(DATA[team], f"CDOTA_Data{side}", {"m_vecDataTeam": 5, "m_iTeamNum": team})
            self.create(5 + team, "CDOTATeam", {"m_iTeamNum": team, "m_szTeamname": side, "m_iHeroKills": 0})
        self.create(_SPECTATOR, "CDOTA_DataSpectator", {"m_fRadiantWinProbability": 0.5})
        for player in PLAYERS:
            self._populate_player(player)
        # A clone of player 5 and an illusion of player 0: heroes of the same class and player, not selected.
        for index, player in ((_CLONE, 5), (_ILLUSION, 0)):
            self._hero(index, player)
        self._populate_buildings()
        for player in PLAYERS:
            self._see(0, player, player < 5, player >= 5)

    def _hero(self, index: int, player: int) -> None:
        kind, name, number = plan.HEROES[player]
        self.create(
            index,
            f"CDOTA_Unit_Hero_{kind}",
            {
                **cell_fields(*plan.lane_place(player, 0)),
                **self.name_field(name),
                "m_iTeamNum": RADIANT if player < 5 else DIRE,
                "m_nPlayerID": player,
                "m_nHeroID": number,
                "m_iHeroFacetKey": number << 32 | 1 + player % 3,
                "m_iHealth": 900,
                "m_iMaxHealth": 900,
                "m_lifeState": 0,
            },
        )

    def _populate_player(self, player: int) -> None:
        self._hero(self.index_of(player), player)
        data, own = f"m_vecPlayerData.{player:04}.", f"m_vecPlayerTeamData.{player:04}."
        first_blood = player == self.battle.fights[0].deaths[0][1]
        share = (1 + player) / 16
        self.story["participation"].append(share)
        self.tell(player)
        counters = {f"m_vecDataTeam.{player % 5:04}.{name}": 0 for name in ("m_iCampsStacked", "m_iWatchersTaken")}
        counters[f"m_vecDataTeam.{player % 5:04}.m_flBuybackCooldownTime"] = 0.0
        self.put(DATA[RADIANT if player < 5 else DIRE], counters)
        self.story["first_blood"].append(int(first_blood))
        self.put(
            RESOURCE,
            {
                f"{data}m_iszPlayerName": f"Writer {player}",
                f"{data}m_iPlayerSteamID": 76561197960265728 + 5000 + player,
                f"{data}m_iPlayerTeam": RADIANT if player < 5 else DIRE,
                f"{data}m_iRankTier": 40 + player if player else 0,
                f"{own}m_nSelectedHeroID": plan.HEROES[player][2],
                f"{own}m_hSelectedHero": self.handle_of(self.index_of(player)),
                f"{own}m_iTeamSlot": player % 5,
                f"{own}m_iKills": 0,
                f"{own}m_iDeaths": 0,
                f"{own}m_flTeamFightParticipation": share,
                f"{own}m_iFirstBloodClaimed": int(first_blood),
                f"{own}m_bHasRandomed": player == 8,
                f"{own}m_bHasPredictedVictory": player == 1,
            },
        )

    def _populate_buildings(self) -> None:
        index = _FIRST_TOWER
        for side, team in (("good", RADIANT), ("bad", DIRE)):
            names = [f"dota_{side}guys_tower{tier}_{lane}" for lane in ("top", "mid", "bot") for tier in (1, 2, 3)]
            names += [f"dota_{side}guys_tower4_top", f"dota_{side}guys_tower4_bot"]
            kinds = [(name, "Tower") for name in names]
            kinds += [
                (f"{side}_rax_{kind}_{lane}", "Barracks")
                for lane in ("top", "mid", "bot")
                for kind in ("melee", "range")
            ]
            for name, kind in kinds:
                values = {**self.name_field(name), "m_iTeamNum": team, "m_iHealth": 1800, "m_iMaxHealth": 1800}
                values |= cell_fields(*place_of(name))
                self.create(index, f"CDOTA_BaseNPC_{kind}", {**values, "m_lifeState": 0})
                index += 1
        for place, kind in enumerate(("NPC_Lantern", "NPC_Lantern", "BaseNPC_Watch_Tower", "BaseNPC_MangoTree")):
            values = {"m_iTeamNum": plan.NEUTRAL, "m_iHealth": 450, "m_lifeState": 0}
            self.create(_TAKEN + place, f"CDOTA_{kind}", {**values, **cell_fields(700.0 * place, -900.0)})

    # -- ticks -----------------------------------------------------------------------------------------

    def packets(self) -> Iterator[tuple[int, list[InnerMessage]]]:
        """Yield tick and messages of each packet."""
        pauses = pause_ticks(self.last)
        paused_before = 0
        end = demo_tick(self.last)
        for tick in range(2, end + 62, 2):
            pause = next((each for each in pauses if each[0] <= tick < each[1]), None)
            over = sum(stop - start for start, stop in pauses if stop <= tick)
            if pause is not None:
                start = plan.FIRST_SERVER_TICK + pause[0]
                self._rule(m_bGamePaused=True, m_nPauseStartTick=start)
            else:
                if over != paused_before:
                    paused_before = over
                    self._rule(m_bGamePaused=False, m_nTotalPausedTicks=over)
                game = tick - over - HORN
                self.log.raw_seconds = (plan.FIRST_SERVER_TICK + tick) / RATE
                self.log.seconds = self.log.raw_seconds - over / RATE
                if tick < end:
                    self._play(tick, game)
                elif tick <= end + 1:
                    self._finish(tick)
            self.battle.story.look(tick, self.battle.dead, paused=pause is not None)
            for minute, at in enumerate(self._minutes):
                if at in (tick, tick + 1):
                    self._keep(minute, at)
            messages, self._messages = self._messages, []
            yield tick, [*self.log.take(), *messages]

    def _rule(self, **values: Any) -> None:
        known = self.objects[_RULES].values
        news = {name: value for name, value in _rules(values).items() if known.get(name) != value}
        if news:
            self.put(_RULES, news)

    def _play(self, tick: int, game: int) -> None:
        if 0 <= game < 2:
            horn = (plan.FIRST_SERVER_TICK + HORN) / RATE
            self._rule(m_nGameState=5, m_flGameStartTime=horn)
        self._move(game)
        if game > 0 and game % RATE < 2:
            self._earn(game)
        if game > 0 and game % (4 * RATE) in (20, 21):
            self._look(tick)
        self.battle.play(tick, game)
        self.wilds.play(tick, game)
        self.items.play(tick, game)
        self._happen(tick, game)
        self.wards.play(tick, game, self.battle.dead)
        self._messages += self.roshans.play(tick, game)
        self.couriers.play(tick, game)
        self.battle.tell_deaths()
        self.smokes.tell_ends()

    def _move(self, game: int) -> None:
        for player in PLAYERS:
            until, place = self.at.get(player, (-1, (0.0, 0.0)))
            if player in self.battle.dead or game % 10 >= 2:
                continue
            self.put_at(
                self.index_of(player), *(place if game <= until else plan.lane_place(player, max(0, game + 900)))
            )

    def _earn(self, game: int) -> None:
        random, second = self.random, game // RATE
        for player in PLAYERS:
            self.wealth[player]["commands"] += random.randrange(4)
            self.gain(player, "Income", 1)
            self.gain(player, "CreepKill", FARM[player], 3 * FARM[player], int(second % (20 - FARM[player]) == 0))
            if random.random() < 0.05:
                name = random.choice(tuple(MEASURES))
                self.wealth[player][name] += random.randrange(1, 200)
                self.tell(player)
            if random.random() < 0.02:
                source = random.choice(SOURCES)
                self.gain(player, source, 10 * random.randrange(1, 9))
            if random.random() < 0.01:
                use = random.choice(("Items", "Consumables", "Support"))
                self.spent[player][use] += 50 * random.randrange(1, 9)
                self.tell(player)
        # A day of ten minutes, from the horn on.
        self._rule(m_iNetTimeOfDay=int((game / (10 * MINUTE) + 0.25) % 1 * 65535))
        self._rule(m_bIsTemporaryNight=_MADE_NIGHT[0] <= second < _MADE_NIGHT[1])
        if second % 20 == 7:
            self.put(_SPECTATOR, {"m_fRadiantWinProbability": random.randrange(1, 64) / 64})

    def _keep(self, minute: int, tick: int) -> None:
        """Tell the state of a minute."""
        players = [
            {
                **{name: self.wealth[player][name] for name in ("gold_earned", "xp", "last_hits", "net_worth")},
                "deaths": self.wealth[player]["deaths"],
                "measures": {name: self.wealth[player][name] for name in MEASURES},
                "sources": {WORDS[name]: gold for name, gold in self.sources[player].items()},
                "spent": {SPENT[name]: gold for name, gold in self.spent[player].items()},
                "lost": self.wealth[player]["lost"],
                "commands": self.wealth[player]["commands"],
            }
            for player in PLAYERS
        ]
        self.story["minutes"].append({"minute": minute, "tick": tick, "players": players})
        self.story["win"].append([minute, self.objects[_SPECTATOR].values["m_fRadiantWinProbability"]])

    # -- sight ------------------------------------------------------------------------------------------

    def _see(self, tick: int, player: int, radiant: bool, dire: bool) -> None:
        if self._seen.get(player) == (radiant, dire):
            return
        self._seen[player] = radiant, dire
        self.story["visibility"].append([tick, player, radiant, dire])
        word, bit = divmod(self.index_of(player), 64)
        for team, sees in ((RADIANT, radiant), (DIRE, dire)):
            name = f"m_bNPCVisibleState.{word:04}"
            before = self.objects[DATA[team]].values.get(name, 0)
            self.put(DATA[team], {name: before | 1 << bit if sees else before & ~(1 << bit)})

    def _look(self, tick: int) -> None:
        for player in self.random.sample(PLAYERS, 3):
            other = self.random.random() < 0.5
            self._see(tick, player, player < 5 or other, player >= 5 or other)

    # -- single events ----------------------------------------------------------------------------------

    def _happen(self, tick: int, game: int) -> None:
        """Play the events that happen once."""
        at = game // 2 * 2
        if at == 70 * RATE:
            self.smokes.use(tick, game, 1, (1, 2, 3))
        elif at == 80 * RATE:
            self.smokes.end(tick, game, (3,))
        elif at == 90 * RATE:
            self.smokes.end(tick, game, (1, 2))
        elif at == 116 * RATE:
            self.smokes.use(tick, game, None, (6, 8))
        elif at == 130 * RATE:
            self.smokes.end(tick, game, (6, 8))
        elif at == 205 * RATE:
            self.smokes.use(tick, game, 7, (7, 9))
        elif at == (205 + SMOKE_LASTS) * RATE:
            self.smokes.end(tick, game, (7, 9))
        elif at == 81 * RATE:
            self._take(tick, "watchers", 0, RADIANT, 2)
        elif at == 111 * RATE:
            self._take(tick, "watchers", 0, DIRE, 7)
        elif at == 112 * RATE:
            self._take(tick, "outposts", 2, DIRE, None)
        elif at == 85 * RATE:
            self._plant(tick)
        elif at == 86 * RATE:
            self._fall(_FIRST_TOWER + 17 + 3, TOWER)
        elif at == 87 * RATE:
            self._fall(_FIRST_TOWER + 11, "npc_dota_goodguys_melee_rax_top")
        elif at in (60 * RATE, 75 * RATE):
            self._connect(tick, 4, "disconnect" if at == 60 * RATE else "reconnect")
        elif at == 95 * RATE:
            self._find(tick, 3, "item_nether_shawl", 1, None)
        elif at == 96 * RATE:
            self._find(tick, 9, "item_nether_shawl", 2, "item_enhancement_mystical")

    def _take(self, tick: int, kind: str, place: int, team: int, player: int | None) -> None:
        index = _TAKEN + place
        self.put(index, {"m_iTeamNum": team})
        if player is None:
            self.story[kind].append([tick, team, index])
        else:
            self.credit(player, "m_iWatchersTaken")
            self.story[kind].append([tick, team, player, index])

    def _plant(self, tick: int) -> None:
        owner = self.handle_of(self.index_of(5))
        values = {"m_iTeamNum": DIRE, "m_hOwnerEntity": owner, "m_lifeState": 0}
        self.create(_BANNER, "CDOTA_Unit_Roshans_Banner", {**values, **cell_fields(3333.0, -1234.0)})
        self.story["banner"].append([tick, DIRE, 5, 3333.0, -1234.0])

    def _fall(self, index: int, logged: str) -> None:
        self.put(index, {"m_lifeState": 1, "m_iHealth": 0})
        killer = 0 if "bad" in logged else 5
        self.log.add("DEATH", by=HERO_NAMES[killer], to=logged)
        self.gain(killer, "Building", 120)

    def _connect(self, tick: int, player: int, event: str) -> None:
        kind = "CHAT_MESSAGE_" + {"disconnect": "DISCONNECT_WAIT_FOR_RECONNECT", "reconnect": "RECONNECT"}[event]
        line = {"type": kind, "value": 0, "playerid_1": player, "playerid_2": -1}
        self._messages.append(encode_message("dota2", "CDOTAUserMsg_ChatEvent", line))
        self.story["connection"].append([tick, player, event])

    def _find(self, tick: int, player: int, item: str, tier: int, enhancement: str | None) -> None:
        found = {"player_id": player, "item_ability_id": number_of(item), "item_tier": tier}
        if enhancement is not None:
            found["enhancement_ability_id"] = number_of(enhancement)
        self._messages.append(encode_message("dota2", "CDOTAUserMsg_FoundNeutralItem", found))
        self.story["neutral_finds"].append([tick, player, number_of(item), tier, item.removeprefix("item_")])
        self.story["enhancements"].append(enhancement)

    # -- the end ----------------------------------------------------------------------------------------

    def _finish(self, tick: int) -> None:
        self._rule(m_nGameState=6, m_nGameWinner=DIRE)
        self.battle.finish()
        self.smokes.finish()
        self.couriers.finish()
        story = self.story
        story["end"] = tick
        story["tower_status"] = [0b11111111111, 0b11111111111 & ~(1 << 3), 0b111110, 0b111111]
        story["dead_exact"] = [row[1] for row in story.pop("_died")]
        story["fights"] = [
            [first, count, "draw" if len({*sides.values()}) == 1 else max(sides, key=lambda side: sides[side])]
            for first, count, sides, _number in story["fights"]
        ]
        story["ledger_gem"] = [
            {WORDS[name]: gold for name, gold in self.sources[player].items()}
            | {f"spent_{SPENT[name]}": gold for name, gold in self.spent[player].items()}
            | {"lost": self.wealth[player]["lost"]}
            for player in PLAYERS
        ]
        story["commands"] = [wealth["commands"] for wealth in self.wealth]
        story["totals"] = self.log.totals
        story["lanes"] = [
            {"lane": lane, "lane_role": role, "is_roaming": roaming} for lane, role, roaming in plan.LANES
        ]
        story["positions"] = list(plan.POSITIONS) if self.last > 12 * MINUTE else None
        story |= self.wilds.story
        story["official"], summary = official_result(self.last, self.wealth, self.battle.kills)
        self._messages.append(summary)


def _rules(values: dict[str, Any]) -> dict[str, Any]:
    return {f"m_pGameRules.{name}": value for name, value in values.items()}


def demo_tick(game_tick: int) -> int:
    """Return the first demo tick of a tick on the game's clock."""
    return HORN + game_tick + sum(length for at, length in plan.PAUSES if at < game_tick)


def pause_ticks(last: int) -> list[tuple[int, int]]:
    """Return first tick of each pause, and the first tick after it."""
    return [(demo_tick(at), demo_tick(at) + length) for at, length in plan.PAUSES if at < last]


def _minute_ticks(last: int) -> list[int]:
    return [demo_tick(minute * MINUTE) for minute in range(last // MINUTE + 1)]
