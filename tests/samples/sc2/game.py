"""A longer synthetic game for plots and queries: two economies grow, and armies fight every ninety seconds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.samples.blizzard import EventWriter
from tests.samples.sc2 import replay

from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER, ProtocolTable
from playhead.io.atomic import write_whole
from playhead.runtime.records import dataclass, field, replace
from playhead.sc2.protocol.tables import protocol_table

_LOOPS_PER_SECOND = 22.4
_STATS_EVERY = 160  # loops between samples of the players, as in the game
_FIGHT_EVERY = 90.0  # seconds
_FIRST_FIGHT = 120.0
_MIDDLE = (80, 74)
_SELECTION = 10  # number of the group that is selected
_NO_KILLER = dict.fromkeys(("m_killerUnitTagIndex", "m_killerUnitTagRecycle"))

Event = tuple[int, int, str, dict[str, Any]]
"""Loop, user, name, fields."""


@dataclass(frozen=True)
class _Plan:
    """The production of a player: structures and upgrades by time, units by interval, in seconds."""

    town_hall: str
    worker: str
    supply: str
    army: tuple[str, ...]
    structures: tuple[tuple[float, float, str], ...]  # start, duration, name
    upgrades: tuple[tuple[float, str], ...]
    home: tuple[int, int]
    worker_every: float
    army_every: float


_PLANS = (
    _Plan(
        "CommandCenter",
        "SCV",
        "SupplyDepot",
        ("Marine", "Marine", "Marine", "Marauder"),
        (
            *((40, 46, "Barracks"), (48, 21, "Refinery"), (95, 71, "CommandCenter"), (110, 43, "Factory")),
            *((130, 46, "Barracks"), (165, 36, "Starport"), (200, 25, "EngineeringBay")),
        ),
        ((190, "Stimpack"), (300, "TerranInfantryWeaponsLevel1")),
        (40, 40),
        9,
        5,
    ),
    _Plan(
        "Hatchery",
        "Drone",
        "Overlord",
        ("Zergling", "Zergling", "Roach"),
        (
            *((35, 71, "Hatchery"), (52, 46, "SpawningPool"), (56, 21, "Extractor"), (140, 39, "RoachWarren")),
            *((175, 71, "Hatchery"), (210, 25, "EvolutionChamber")),
        ),
        ((130, "zerglingmovementspeed"), (320, "ZergMissileWeaponsLevel1")),
        (120, 110),
        8,
        6,
    ),
)

#: Minerals and supply of a unit, for the score.
_COSTS = {"Marine": (50, 1), "Marauder": (100, 2), "Zergling": (25, 0.5), "Roach": (75, 2)}


@dataclass
class _Side:
    """The current state of a player."""

    player: int
    plan: _Plan
    workers: int = 12
    supply: int = 15
    collected: float = 50.0
    army: list[tuple[int, str]] = field(default_factory=list)
    lost: int = 0
    killed: int = 0

    def score(self, second: float) -> dict[str, int]:
        """Return the score as sampled by the game; supply in units of 1/4096."""
        army = sum(_COSTS[kind][0] for _, kind in self.army)
        used = self.workers + sum(_COSTS[kind][1] for _, kind in self.army)
        gas = max(0, min(6, int(second / 40) - 1)) * 55
        return {
            "m_scoreValueMineralsCurrent": int(120 + 80 * abs((second / 37) % 2 - 1) * self.player),
            "m_scoreValueVespeneCurrent": gas // 2,
            "m_scoreValueMineralsCollectionRate": 52 * self.workers,
            "m_scoreValueVespeneCollectionRate": gas,
            "m_scoreValueWorkersActiveCount": self.workers,
            "m_scoreValueMineralsUsedCurrentArmy": army,
            "m_scoreValueMineralsUsedCurrentEconomy": 50 * self.workers,
            "m_scoreValueMineralsLostArmy": self.lost,
            "m_scoreValueMineralsKilledArmy": self.killed,
            "m_scoreValueFoodUsed": int(used * 4096),
            "m_scoreValueFoodMade": max(self.supply, int(used)) * 4096,
        }


class _Game:
    """The whole game, second by second."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.chance = random.Random(16)
        self.sides = tuple(_Side(number, plan) for number, plan in enumerate(_PLANS, 1))
        self.tracker: list[Event] = []
        self.game: list[Event] = []
        self._next_unit = 1

    def _tag(self) -> int:
        self._next_unit += 1
        return self._next_unit

    def _add(self, second: float, name: str, **fields: Any) -> None:
        self.tracker.append((int(second * _LOOPS_PER_SECOND), 0, name, fields))

    def _born(self, side: _Side, second: float, kind: str, spread: int = 6) -> int:
        tag = self._tag()
        x, y = (where + round(self.chance.gauss(0, spread / 2)) for where in side.plan.home)
        owner = {"m_controlPlayerId": side.player, "m_upkeepPlayerId": side.player, "m_x": x, "m_y": y}
        unit = {"m_unitTagIndex": tag, "m_unitTagRecycle": 1, "m_unitTypeName": kind.encode()}
        self._add(second, "SUnitBornEvent", **unit, **owner)
        return tag

    def _opening(self, side: _Side) -> None:
        setup = {"m_playerId": side.player, "m_type": 1, "m_userId": side.player - 1, "m_slotId": side.player - 1}
        self._add(0, "SPlayerSetupEvent", **setup)
        base = self._born(side, 0, side.plan.town_hall, spread=0)
        delta = {"m_removeMask": {"None": None}, "m_addUnitTags": [base << 18 | 1]}
        selection = {"m_controlGroupId": _SELECTION, "m_delta": delta}
        self.game.append((1, side.player - 1, "SSelectionDeltaEvent", selection))
        for _ in range(side.workers):
            self._born(side, 0, side.plan.worker)

    def _built(self, side: _Side, begun: float, takes: float, kind: str) -> None:
        if begun + takes < self.seconds:
            tag = {"m_unitTagIndex": self._tag(), "m_unitTagRecycle": 1}
            x, y = (where + round(self.chance.gauss(0, 8)) for where in side.plan.home)
            owner = {"m_controlPlayerId": side.player, "m_upkeepPlayerId": side.player, "m_x": x, "m_y": y}
            self._add(begun, "SUnitInitEvent", **tag, m_unitTypeName=kind.encode(), **owner)
            self._add(begun + takes, "SUnitDoneEvent", **tag)

    def _more_supply(self, side: _Side, second: float) -> None:
        side.supply += 8
        if side.plan.supply == "SupplyDepot":
            self._built(side, second, 21, side.plan.supply)
        else:
            self._born(side, second, side.plan.supply, spread=16)

    def _structures(self, side: _Side) -> None:
        for begun, takes, kind in side.plan.structures:
            self._built(side, begun, takes, kind)
        for second, name in side.plan.upgrades:
            if second < self.seconds:
                upgrade = {"m_upgradeTypeName": name.encode(), "m_count": 1}
                self._add(second, "SUpgradeEvent", m_playerId=side.player, **upgrade)

    def _fight(self, second: float) -> None:
        """Kill half of both armies, and a little more of the smaller one."""
        for side, enemy in (self.sides, self.sides[::-1]):
            share = 0.65 if len(side.army) < len(enemy.army) else 0.4
            dead, side.army = side.army[: int(len(side.army) * share)], side.army[int(len(side.army) * share) :]
            for number, (tag, kind) in enumerate(dead):
                x, y = (where + round(self.chance.gauss(0, 5)) for where in _MIDDLE)
                killer = {"m_killerPlayerId": enemy.player, **_NO_KILLER}
                place = {"m_unitTagIndex": tag, "m_unitTagRecycle": 1, "m_x": x, "m_y": y}
                self._add(second + number * 0.4, "SUnitDiedEvent", **place, **killer)
                side.lost += _COSTS[kind][0]
                enemy.killed += _COSTS[kind][0]

    def _act(self, side: _Side, second: float, busy: bool) -> None:
        """Add a camera move, orders and control groups; more of them in a fight."""
        loop, user = int(second * _LOOPS_PER_SECOND), side.player - 1
        x, y = _MIDDLE if busy else side.plan.home
        self.game.append((loop, user, "SCameraUpdateEvent", {"m_target": {"x": x * 256, "y": y * 256}}))
        for _ in range(self.chance.randint(1, 3) + 2 * busy):
            group = {"m_controlGroupIndex": self.chance.randint(1, 5), "m_controlGroupUpdate": 2}
            self.game.append((loop, user, "SControlGroupUpdateEvent", group))
        point = {"TargetPoint": {"x": x * 4096, "y": y * 4096, "z": 8 * 4096}}
        attack = {"m_abilLink": 40, "m_abilCmdIndex": 0, "m_abilCmdData": None}
        order = {"m_abil": attack, "m_data": point, "m_sequence": len(self.game)}
        self.game.append((loop, user, "SCmdEvent", order))

    def play(self) -> None:
        """Fill `tracker` and `game`."""
        for side in self.sides:
            self._opening(side)
            self._structures(side)
        next_worker, next_army, next_supply = [12.0, 9.0], [90.0, 75.0], [20.0, 18.0]
        next_fight = _FIRST_FIGHT
        for second in range(1, int(self.seconds)):
            for number, side in enumerate(self.sides):
                if second >= next_worker[number] and side.workers < 60:
                    self._born(side, second, side.plan.worker)
                    side.workers += 1
                    next_worker[number] += side.plan.worker_every / (1 + (second > 180))
                if second >= next_army[number]:
                    kind = self.chance.choice(side.plan.army)
                    side.army.append((self._born(side, second, kind, spread=10), kind))
                    next_army[number] += side.plan.army_every / (1 + second / 120)
                if second >= next_supply[number]:
                    self._more_supply(side, second)
                    next_supply[number] += 16
                busy = abs(second - next_fight) < 12
                if self.chance.random() < (0.9 if busy else 0.5):
                    self._act(side, second, busy)
            if second >= next_fight:
                self._fight(second)
                next_fight += _FIGHT_EVERY
            self._sample(second)

    def _sample(self, second: int) -> None:
        """Add scores at those loops of this second at which the game samples them."""
        first, last = int(second * _LOOPS_PER_SECOND), int((second + 1) * _LOOPS_PER_SECOND)
        for loop in range(first, last):
            if loop % _STATS_EVERY == 0:
                for side in self.sides:
                    score = {"m_playerId": side.player, "m_stats": side.score(second)}
                    self.tracker.append((loop, 0, "SPlayerStatsEvent", score))


def _written(table: ProtocolTable, name: str, events: Iterator[Event] | list[Event]) -> bytes:
    writer = EventWriter(table, name)
    for loop, user, event, fields in sorted(events, key=lambda found: found[0]):
        writer.write(loop, user, event, **fields)
    return writer.to_bytes()


def game_bytes(minutes: float) -> bytes:
    """Return a game of that many minutes of game time; the same bytes on every call."""
    seconds = minutes * 60
    header = replace(replay.HEADER, loops=int(seconds * _LOOPS_PER_SECOND))
    table = protocol_table(header.base_build, header.build)
    story = _Game(seconds)
    story.play()
    last = header.loops - 20
    leaves: Event = (last, 1, "SGameUserLeaveEvent", {"m_leaveReason": 0})
    chat: list[Event] = [
        (60, 0, "SChatMessage", {"m_recipient": 0, "m_string": b"gl hf"}),
        (90, 1, "SChatMessage", {"m_recipient": 0, "m_string": b"u2"}),
        (last - 5, 1, "SChatMessage", {"m_recipient": 0, "m_string": b"gg"}),
    ]
    streams = {
        GAME: _written(table, GAME, [*story.game, leaves]),
        MESSAGE: _written(table, MESSAGE, chat),
        TRACKER: _written(table, TRACKER, story.tracker),
    }
    return replay.archive(header, streams)


def write_game(folder: Path, minutes: float) -> Path:
    """Write ``sample_sc2_<minutes>min.SC2Replay`` into `folder`; return its path."""
    path = folder / f"sample_sc2_{minutes:g}min.SC2Replay"
    write_whole(path, game_bytes(minutes))
    return path
