"""Events of the synthetic match besides movement and deaths: wards, runes, towers, Roshan, purchases, smokes,
couriers, pauses.

They repeat every two minutes with other players.
"""

from __future__ import annotations

from typing import Any

from tests.samples.source2.camp import CREEP, DEATH_AT, WAVE_SIZE, SampleCamp
from tests.samples.source2.constants import FIRST_SERVER_TICK, TICKS_PER_SECOND
from tests.samples.source2.entities import SyntheticEntities
from tests.samples.source2.match_names import item_name
from tests.samples.source2.match_schema import ABILITIES_A_HERO, ITEMS

from playhead.dota2.sources.roster import DIRE, RADIANT
from playhead.runtime.records import dataclass, field

PERIOD = 3600
PAUSE_AT, PAUSE_TICKS = 2700, 150

_RULES = 1
_ROSHAN, _RUNES, _FIRST_WARD = 390, (475, 476, 477), 1470
#: Index of the courier of player 0, and the number of the state of dead couriers.
FIRST_COURIER, _DEAD = 460, 5
_ROSHAN_PLACE = (-7808.0, 7680.0)
_RUNE_PLACES = ((-1600.0, 1056.0), (1152.0, -1216.0), (-7616.0, 1344.0))
_WISDOM, _WISDOM_PLACE = 8, 2
_BUYER, _BUYBACK_COOLDOWN = 5, 480.0
_WARD_CLASSES = {"observer": "CDOTA_NPC_Observer_Ward", "sentry": "CDOTA_NPC_Observer_Ward_TrueSight"}
_COUNTER_FIELDS = {
    "observer_wards_placed": "m_iObserverWardsPlaced",
    "sentry_wards_placed": "m_iSentryWardsPlaced",
    "wards_destroyed": "m_iWardsDestroyed",
    "camps_stacked": "m_iCampsStacked",
    "creeps_stacked": "m_iCreepsStacked",
    "rune_pickups": "m_iRunePickups",
    "smokes_used": "m_iSmokesUsed",
    "neutral_tokens_found": "m_iNeutralTokensFound",
    "tower_kills": "m_iTowerKills",
    "roshan_kills": "m_iRoshanKills",
}

Row = dict[str, Any]


@dataclass
class MatchStory:
    """The events so far, as rows with the columns of their tables.

    Attributes:
        wards, runes, buildings, bosses, purchases, levels, smokes, counters, pauses, modifiers, stacks,
            connections, couriers: the events; of couriers, the deaths.
        camp: the neutral camp, with the rows of its creeps.
        logged: tick, type and values of the related combat-log entries.
        chat_events: tick and fields of the related chat events.
    """

    match: SyntheticEntities
    wards: list[Row] = field(default_factory=list)
    runes: list[Row] = field(default_factory=list)
    structures: list[Row] = field(default_factory=list)
    bosses: list[Row] = field(default_factory=list)
    purchases: list[Row] = field(default_factory=list)
    levels: list[Row] = field(default_factory=list)
    smokes: list[Row] = field(default_factory=list)
    counters: dict[tuple[int, str], int] = field(default_factory=dict)
    pauses: list[Row] = field(default_factory=list)
    modifiers: list[Row] = field(default_factory=list)
    stacks: list[Row] = field(default_factory=list)
    connections: list[Row] = field(default_factory=list)
    couriers: list[Row] = field(default_factory=list)
    logged: list[tuple[int, str, Row]] = field(default_factory=list)
    chat_events: list[tuple[int, Row]] = field(default_factory=list)
    _standing: dict[str, int] = field(default_factory=dict)
    _fading: list[tuple[int, int]] = field(default_factory=list)
    _next_ward: int = _FIRST_WARD

    def __post_init__(self) -> None:
        self.camp = SampleCamp(self.match)

    # -- reading ----------------------------------------------------------------------------------------

    def _log(self, tick: int, kind: str, **values: Any) -> None:
        self.logged.append((tick, kind, values))

    def _say(self, tick: int, kind: str, *, value: int = 0, first: int = -1, second: int = -1) -> None:
        line = {"type": f"CHAT_MESSAGE_{kind}", "value": value, "playerid_1": first, "playerid_2": second}
        self.chat_events.append((tick, line))

    def _count(self, player: int, counter: str, more: int = 1) -> None:
        value = self.counters.get((player, counter), 0) + more
        self.counters[player, counter] = value
        self.match.set_player_data(player, {_COUNTER_FIELDS[counter]: value})

    def learn(self, tick: int, player: int, number: int, level: int) -> None:
        """Raise the level of an ability."""
        index = self.match.heroes[player].index + 1 + number
        self.match.set_fields(index, m_iLevel=level)
        self.levels.append({"tick": tick, "player": player, "ability": number, "ability_level": level})

    # -- ticks -----------------------------------------------------------------------------------------

    def paused(self, tick: int) -> bool:
        """Return whether the game is paused; begin and end pauses."""
        at = tick % PERIOD - PAUSE_AT
        if at == 0:
            self.pauses.append({"tick": tick, "end_tick": tick + PAUSE_TICKS})
            self.match.set_fields(
                _RULES, m_pGameRules__m_bGamePaused=True, m_pGameRules__m_nPauseStartTick=FIRST_SERVER_TICK + tick
            )
        elif at == PAUSE_TICKS:
            self.match.set_fields(
                _RULES,
                m_pGameRules__m_bGamePaused=False,
                m_pGameRules__m_nTotalPausedTicks=PAUSE_TICKS * len(self.pauses),
            )
        return 0 <= at < PAUSE_TICKS

    def paused_ticks(self, tick: int) -> int:
        """Return how many ticks the game was paused up to a tick."""
        return sum(min(tick, row["end_tick"]) - row["tick"] for row in self.pauses)

    def begin(self) -> None:
        """Create the initial objects."""
        for number in range(2):
            self._rune(0, number, number)
        self._roshan(0)
        self.camp.begin()

    def play(self, tick: int) -> None:
        """Play the events of a tick."""
        at, turn = tick % PERIOD, tick // PERIOD
        radiant, dire = turn % 5, 5 + turn % 5
        self._clear(tick)
        self.camp.play(tick, at)
        if at == 240:
            self._ward(tick, "observer", radiant)
        elif at == 300:
            self._ward(tick, "sentry", dire)
        elif at == 700:
            self._buy(tick, radiant, turn)
        elif at == 900:
            self._take_rune(tick, 0, "taken", (radiant + 2) % 5)
        elif at == 960:
            self._take_rune(tick, 1, "bottled", 5 + (turn + 2) % 5)
        elif at == 1200:
            self._smoke(tick, radiant)
        elif at == 1350:
            self._count(3, "camps_stacked")
            self._count(3, "creeps_stacked", WAVE_SIZE)
            stack = {"tick": tick, "camp": self.camp.entity, "player": 3, "creeps_before": WAVE_SIZE}
            self.stacks.append(stack)
        elif at == 1410:
            self._rune(tick, _WISDOM_PLACE, _WISDOM)
        elif at == 1440:
            self._take_rune(tick, _WISDOM_PLACE, "taken", dire)
        elif at == 1500:
            if turn == 0:
                self._buy_back(tick)
            self._end_ward(tick, "observer", "killed", dire)
        elif at == 1650:
            self._fall(tick, dire if turn % 2 == 0 else radiant)
        elif at == DEATH_AT:
            self._log(tick, "DEATH", attacker=3, target=CREEP)
        elif at == 1860:
            self._rune(tick, 0, 5)
            self._end_smoke(tick)
        elif at == 1950:
            self._count(8, "neutral_tokens_found")
        elif at == 2100:
            self._rune(tick, 1, 7)
        elif at == 2250:
            self._say(tick, "GLYPH_USED", first=RADIANT)
        elif at == 2280:
            self._say(tick, "SCAN_USED", value=DIRE)
        elif at in (2310, 2370):
            self._connect(tick, 9, "disconnect" if at == 2310 else "reconnect")
        elif at == 2400:
            self._kill_roshan(tick, dire)
        elif at == 2430:
            self._kill_courier(tick, (radiant + 1) % 5, dire)
        elif at == 2460:
            self._end_ward(tick, "sentry", "expired", None)
            self._say(tick, "AEGIS", first=dire)
            self.bosses[-1] |= {"aegis": "taken", "aegis_player": dire, "aegis_tick": tick}
        elif at == 2940:
            self._revive_courier(tick)
        elif at == 3000:
            self._roshan(tick)

    def _clear(self, tick: int) -> None:
        """Remove the dead after two seconds."""
        for index, when in [entry for entry in self._fading if entry[1] <= tick]:
            self._fading.remove((index, when))
            self.match.remove(index)

    def _connect(self, tick: int, player: int, event: str) -> None:
        self._say(tick, event.upper(), first=player)
        self.connections.append({"tick": tick, "player": player, "event": f"{event}ed"})

    # -- wards ------------------------------------------------------------------------------------------

    def _ward(self, tick: int, kind: str, player: int) -> None:
        hero = self.match.heroes[player]
        index, self._next_ward = self._next_ward, self._next_ward + 1
        name = f"npc_dota_{kind}_wards"
        place = (round(hero.x), round(hero.y))
        self.match.spawn(index, _WARD_CLASSES[kind], name, m_iTeamNum=hero.team, m_lifeState=0, m_iHealth=2)
        self.match.set_fields(index, m_hOwnerEntity=self.match.handle_of(hero.index), m_iDuration=360)
        self.match.put_at(index, *place)
        self._standing[kind] = index
        self._count(player, f"{kind}_wards_placed")
        row = {"tick": tick, "kind": kind, "player": player, "team": hero.team, "outcome": None}
        self.wards.append(row | {"x": place[0], "y": place[1], "entity": index})

    def _end_ward(self, tick: int, kind: str, outcome: str, killer: int | None) -> None:
        index = self._standing.pop(kind)
        name = f"npc_dota_{kind}_wards"
        self.match.set_fields(index, m_lifeState=1, m_iHealth=0)
        self._fading.append((index, tick + 60))
        row = next(row for row in self.wards if row["entity"] == index)
        row |= {"end_tick": tick, "outcome": outcome}
        self._log(tick, "DEATH", attacker=name if killer is None else killer, target=name)
        if killer is not None:
            row["attacker_player"] = killer
            self._count(killer, "wards_destroyed")

    # -- runes ------------------------------------------------------------------------------------------

    def _rune(self, tick: int, number: int, kind: int) -> None:
        index, place = _RUNES[number], _RUNE_PLACES[number]
        where = ("top", "bottom", "left")[number]
        self.match.spawn(index, "CDOTA_Item_Rune", m_iRuneType=kind, m_szLocation=where, m_flRuneTime=3.0)
        self.match.put_at(index, *place)
        row = {"tick": tick, "rune_id": kind, "x": place[0], "y": place[1], "outcome": None, "entity": index}
        self.runes.append(row)

    def _take_rune(self, tick: int, number: int, outcome: str, player: int) -> None:
        row = next(row for row in reversed(self.runes) if row["entity"] == _RUNES[number])
        row |= {"end_tick": tick, "outcome": outcome, "player": player}
        self.match.remove(_RUNES[number])
        kind = {"taken": "RUNE_PICKUP", "bottled": "RUNE_BOTTLE"}[outcome]
        self._say(tick, kind, value=row["rune_id"], first=player)
        self._count(player, "rune_pickups")

    # -- objectives -------------------------------------------------------------------------------------

    def _fall(self, tick: int, killer: int) -> None:
        """Destroy the next tower of the killer's enemies."""
        enemy = RADIANT if killer >= 5 else DIRE
        number = sum(row["team"] == enemy for row in self.structures)
        towers = self.match.towers[enemy]
        if number >= len(towers):
            return
        index, name = towers[number]
        self.match.set_fields(index, m_lifeState=1, m_iHealth=0)
        self._fading.append((index, tick + 60))
        self.structures.append(
            {"tick": 0, "end_tick": tick, "entity_name": name, "team": enemy, "kind": "tower", "entity": index}
        )
        self._count(killer, "tower_kills")
        # The log gives all towers of tier 4 the same name.
        logged = name.rpartition("_")[0] if "tower4" in name else name
        self._log(tick, "DEATH", attacker=killer, target=f"npc_{logged}")

    def _roshan(self, tick: int) -> None:
        self.match.spawn(_ROSHAN, "CDOTA_Unit_Roshan", "npc_dota_roshan", m_iTeamNum=4, m_lifeState=0)
        self.match.set_fields(_ROSHAN, m_iHealth=6000, m_iMaxHealth=6000)
        self.match.put_at(_ROSHAN, *_ROSHAN_PLACE)
        self.bosses.append({"tick": tick, "boss": "roshan", "number": len(self.bosses) + 1})

    def _kill_roshan(self, tick: int, killer: int) -> None:
        self.match.set_fields(_ROSHAN, m_lifeState=1, m_iHealth=0)
        self._fading.append((_ROSHAN, tick + 60))
        team = self.match.heroes[killer].team
        self.bosses[-1] |= {"end_tick": tick, "attacker_team": team}
        self._count(killer, "roshan_kills")
        self._log(tick, "DEATH", attacker=killer, target="npc_dota_roshan")
        self._say(tick, "ROSHAN_KILL", value=200, first=team)

    # -- couriers ---------------------------------------------------------------------------------------

    def dead_courier(self, player: int) -> bool:
        """Return whether a player's courier is dead."""
        return any(row["player"] == player and "end_tick" not in row for row in self.couriers[-1:])

    def _kill_courier(self, tick: int, player: int, killer: int) -> None:
        team = self.match.heroes[player].team
        self.match.set_fields(FIRST_COURIER + player, m_lifeState=1, m_iHealth=0, m_nCourierState=_DEAD)
        self.couriers.append({"tick": tick, "player": player, "team": team, "attacker_player": killer})
        self._log(tick, "DEATH", attacker=killer, target="npc_dota_courier", target_team=team)
        self._say(tick, "COURIER_LOST", first=killer, second=team)

    def _revive_courier(self, tick: int) -> None:
        index = FIRST_COURIER + self.couriers[-1]["player"]
        self.match.set_fields(index, m_lifeState=0, m_iHealth=550, m_nCourierState=1)
        self.couriers[-1]["end_tick"] = tick

    # -- heroes -----------------------------------------------------------------------------------------

    def _buy(self, tick: int, player: int, turn: int) -> None:
        """Replace the item in the last slot."""
        item = ITEMS[3 + turn % (len(ITEMS) - 3)]
        self.match.give(player, 5, item)
        self.purchases.append({"tick": tick, "player": player, "slot": 5, "item": item_name(item)})
        self._log(tick, "PURCHASE", target=player, item=item_name(item))

    def _buy_back(self, tick: int) -> None:
        """Let a player wait for the next buyback."""
        now = (FIRST_SERVER_TICK + tick - self.paused_ticks(tick)) / TICKS_PER_SECOND
        self.match.set_player_data(_BUYER, {"m_flBuybackCooldownTime": now + _BUYBACK_COOLDOWN})

    def _smoke(self, tick: int, player: int) -> None:
        members = sorted({(player + i) % 5 for i in range(3)})
        self._log(tick, "ITEM", attacker=player, inflictor="item_smoke_of_deceit", value=0)
        for member in members:
            hidden = {"target": member, "inflictor": "modifier_smoke_of_deceit"}
            self._log(tick, "MODIFIER_ADD", attacker=player, **hidden, modifier_duration=45.0)
            handle = self.match.handle_of(self.match.heroes[member].index)
            modifier = {
                "tick": tick,
                "player": member,
                "modifier": "modifier_smoke_of_deceit",
                "planned_seconds": 45.0,
            }
            self.modifiers.append(modifier | {"caster_player": player, "handle": handle})
        self._count(player, "smokes_used")
        self.smokes.append({"tick": tick, "player": player, "team": RADIANT, "members": members})

    def _end_smoke(self, tick: int) -> None:
        self.smokes[-1]["end_tick"] = tick
        for member in self.smokes[-1]["members"]:
            hidden = {"target": member, "inflictor": "modifier_smoke_of_deceit"}
            self._log(tick, "MODIFIER_REMOVE", attacker=self.smokes[-1]["player"], **hidden)
        for row in self.modifiers:
            row.setdefault("end_tick", tick)


def ability_at(level: int) -> int:
    """Return the ability that a hero learns at a level."""
    return level % ABILITIES_A_HERO
