"""`CsMatch`: players, entities, agenda and story of the written match."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from itertools import count
from math import atan2, cos, degrees, hypot, radians, sin
from random import Random
from typing import Any

from tests.samples.source2.cs2_match.events import EVENTS
from tests.samples.source2.cs2_match.world import (
    ROUND_ROWS,
    CsWorld,
    controller_index,
    pawn_index,
    place_fields,
)

from playhead.runtime.records import dataclass, field
from playhead.source2.writing.demo import InnerMessage

TICKS_PER_SECOND = 64
FIRST_SERVER_TICK = 1920
FIRST_ACCOUNT = 76561197960265728 + 2_000_000
T, CT = 2, 3
NOBODY = 0xFFFF
NO_HANDLE = 0xFFFFFF

_STORY = """
rounds kills damage shots grenades flashes bomb items pauses players chat votes voice sounds inputs ranks spotted
hostages other_deaths
"""
#: m_fFlags of a body on the ground and in the air.
STANDS, JUMPS = 65, 64
_SPEED = 225.0 / TICKS_PER_SECOND
_STRIDE = 2 * TICKS_PER_SECOND

#: Names by slot; the last plays from the second half on in the slot of the ninth.
NAMES = ("Quartz", "Slate", "Talc", "Umber", "Basalt", "Flint", "Gneiss", "Marble", "Pumice", "Chert")
SUBSTITUTE = "Obsidian"
BOT_SLOT, LEAVER_SLOT, SUBSTITUTE_SLOT, RECORDER_SLOT = 9, 3, 8, 10
STATS = (
    *("m_iKills", "m_iDeaths", "m_iAssists", "m_iLiveTime", "m_iHeadShotKills", "m_iDamage"),
    *("m_iUtilityDamage", "m_iEnemiesFlashed", "m_iEquipmentValue", "m_iKillReward", "m_iCashEarned"),
)


@dataclass(slots=True)
class Weapon:
    """One weapon on somebody or on the ground."""

    index: int
    word: str
    cost: int
    clip: int
    full: int
    owner: Player | None = None


@dataclass(slots=True)
class Player:
    """One person or bot, with its body.

    Attributes:
        squad: 0 or 1; squads change sides.
        body: the player whose pawn it plays: itself, or a bot.
        played_by: the human who plays its pawn; itself otherwise.
        row: what it did in this round, by name of field.
        total: the same of the match.
    """

    slot: int
    name: str
    account: int
    squad: int
    is_bot: bool = False
    team: int = 0
    x: float = 0.0
    y: float = 0.0
    pitch: float = 0.0
    yaw: float = 0.0
    way: tuple[float, float] = (0.0, 0.0)
    steps: int = 0
    walks: bool = False
    alive: bool = False
    health: int = 100
    armor: int = 0
    helmet: bool = False
    kit: bool = False
    money: int = 800
    spent: int = 0
    weapons: list[Weapon] = field(default_factory=list)
    active: Weapon | None = None
    refundable: list[tuple[int, int, int]] = field(default_factory=list)
    plays: Player | None = None
    played_by: Player | None = None
    row: dict[str, int] = field(default_factory=dict)
    total: dict[str, int] = field(default_factory=dict)
    born: int = 0
    blinder: Player | None = None
    blind_until: int = 0
    in_air: bool = False

    @property
    def body(self) -> Player:
        """The player whose pawn it plays."""
        return self.plays or self

    @property
    def mind(self) -> Player:
        """The one who plays its pawn."""
        return self.played_by or self


class CsMatch:
    """The match at a tick.

    Args:
        seed: of the random numbers.
        step: ticks between two steps of a player.

    Attributes:
        world: its entities.
        tick: present tick.
        players: by slot, those who are there.
        rules: values of the game rules.
        story: what happened, by name of table.
        carrier: who carries the bomb.
        playing: play is on: neither freeze time nor the end of a round.
        users: entries of the table of users, by slot.
        sights: rows of the story of those who see a player, by its slot and theirs.
        flying: functions that remove a thrown grenade or its fire, by entity.
    """

    def __init__(self, seed: int, step: int = 1) -> None:
        self.world = CsWorld()
        self.random = Random(seed)
        self._step = step
        self.tick = 0
        self.players: dict[int, Player] = {}
        self.story: dict[str, Any] = {name: [] for name in _STORY.split()}
        self.rules: dict[str, Any] = {}
        self.paused_ticks = 0
        self._held: tuple[int, int] | None = None
        self.playing = False
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._order = count()
        self._messages: list[InnerMessage] = []
        self.over = False
        self.users: dict[int, bytes] = {}
        self.flying: dict[int, Callable[[], None]] = {}
        self.sights: dict[int, dict[int, dict[str, Any]]] = {}

    # -- time and messages ------------------------------------------------------------------------------

    def later(self, ticks: float, action: Callable[[], None]) -> None:
        """Do something after so many ticks, at least one."""
        heapq.heappush(self._agenda, (self.tick + max(1, int(ticks)), next(self._order), action))

    def forget(self) -> None:
        """Drop all that was to come, and what flies."""
        self._agenda.clear()
        for vanish in list(self.flying.values()):
            vanish()

    def game_time(self, ticks: float = 0.0) -> float:
        """Return GameTime_t so many ticks from now: it stands while the engine is paused."""
        return (FIRST_SERVER_TICK + self.tick + ticks - self.paused_ticks) / TICKS_PER_SECOND

    def send(self, message: InnerMessage) -> None:
        """Send a message in the packet of this tick."""
        self._messages.append(message)

    def event(self, name: str, /, **values: Any) -> None:
        """Send a game event."""
        self.send(EVENTS.event(name, values, FIRST_SERVER_TICK + self.tick))

    def of(self, player: Player | None, key: str = "userid") -> dict[str, Any]:
        """Return the keys of a player in an event."""
        if player is None:
            return {key: NOBODY, f"{key}_pawn": -1}
        return {key: player.slot, f"{key}_pawn": self.pawn_key(player)}

    def pawn_key(self, player: Player) -> int:
        """Return the handle of a player's pawn as events have it: 17 bits of serial number above 15 of index."""
        pawn = self.world.objects[pawn_index(player.body.slot)]
        return pawn.index | pawn.serial << 15

    def tell(self, table: str, **row: Any) -> dict[str, Any]:
        """Add a row to the story."""
        told = {"tick": self.tick, **row}
        self.story[table].append(told)
        return told

    def put_rules(self, **values: Any) -> None:
        """Set fields of the game rules."""
        self.rules |= values
        self.world.put_rules(values)

    def packets(self) -> Iterator[tuple[int, list[InnerMessage]]]:
        """Play until the match is over; yield tick and messages of each packet."""
        while not self.over:
            self.tick += 1
            if self._held is not None and self.tick == self._held[1]:
                self._resume()
            while self._held is None and self._agenda and self._agenda[0][0] <= self.tick:
                heapq.heappop(self._agenda)[2]()
            if self.playing and self._held is None and self.tick % self._step == 0:
                for player in self.players.values():
                    if player.alive:
                        self._walk(player)
            messages, self._messages = self._messages, []
            yield self.tick, messages

    def hold(self, ticks: int) -> None:
        """Pause the engine: the agenda waits, and so does the game's time."""
        self._held = (self.tick, self.tick + ticks)
        self.put_rules(m_bGamePaused=True, m_nPauseStartTick=FIRST_SERVER_TICK + self.tick)

    def _resume(self) -> None:
        assert self._held is not None
        length = self.tick - self._held[0]
        self._held = None
        self.paused_ticks += length
        self._agenda = [(tick + length, order, action) for tick, order, action in self._agenda]
        heapq.heapify(self._agenda)
        self.put_rules(m_bGamePaused=False, m_nTotalPausedTicks=self.paused_ticks)

    # -- players ----------------------------------------------------------------------------------------

    def squad(self, number: int) -> list[Player]:
        """Return the players of a squad."""
        return [player for player in self.players.values() if player.squad == number]

    def side(self, team: int, *, alive: bool = False) -> list[Player]:
        """Return the players of a team, or its living ones."""
        return [each for each in self.players.values() if each.team == team and (each.alive or not alive)]

    def put_pawn(self, player: Player, **values: Any) -> None:
        """Set fields of a pawn; ``__`` is the dot in a name."""
        index = pawn_index(player.slot)
        self.world.put(index, {name.replace("__", "."): value for name, value in values.items()})

    def put_controller(self, player: Player, **values: Any) -> None:
        """Set fields of a controller; ``__`` is the dot in a name."""
        index = controller_index(player.slot)
        self.world.put(index, {name.replace("__", "."): value for name, value in values.items()})

    def count(self, player: Player, name: str, amount: int = 1) -> None:
        """Add to a count that the game keeps of a round and of the match."""
        player.row[name] = player.row.get(name, 0) + amount
        player.total[name] = player.total.get(name, 0) + amount
        # Not m_totalRoundsPlayed: that of the next round once this one has ended.
        number = self.rules["m_iRoundStartRoundNumber"]
        prefix = "m_pActionTrackingServices."
        values = {f"{prefix}{name}": player.total[name]}
        if number >= ROUND_ROWS:
            values[f"{prefix}m_perRoundStats"] = number + 1
        values[f"{prefix}m_perRoundStats.{number:04}.{name}"] = player.row[name]
        self.world.put(controller_index(player.slot), values)

    def stand(self, player: Player, x: float, y: float) -> None:
        """Put a player at a place."""
        player.x, player.y = x, y
        player.steps = 0
        self.put_pawn(player, m_szLastPlaceName=place_name(x, y), **_velocity(0.0, 0.0))
        self.world.put(pawn_index(player.slot), place_fields(x, y, 64.0))

    def halt(self, player: Player, ticks: int = 1 << 20) -> None:
        """Let a player stay where it is."""
        player.steps, player.way = ticks, (0.0, 0.0)
        self.put_pawn(player, **_velocity(0.0, 0.0))

    def _walk(self, player: Player) -> None:
        index = pawn_index(player.slot)
        if player.steps <= 0:
            # A stretch of the way, straight, towards a place near the middle of the map.
            goal_x, goal_y = self.random.uniform(-900, 900), self.random.uniform(-700, 700)
            angle = atan2(goal_y - player.y, goal_x - player.x)
            far = hypot(goal_x - player.x, goal_y - player.y)
            player.steps = min(_STRIDE, int(far / _SPEED) + 1)
            player.way = (_SPEED * cos(angle), _SPEED * sin(angle))
            player.yaw = degrees(angle)
            speed = tuple(each * TICKS_PER_SECOND for each in player.way)
            self.put_pawn(player, m_szLastPlaceName=place_name(player.x, player.y), **_velocity(*speed))
        player.steps -= self._step
        player.x += player.way[0] * self._step
        player.y += player.way[1] * self._step
        yaw = (player.yaw + 4 * sin(radians(self.tick * 3 + player.slot * 40)) + 180) % 360 - 180
        values = place_fields(player.x, player.y, None)
        values["m_angEyeAngles"] = (player.pitch, yaw, 0.0)
        self.world.put(index, values)


def _velocity(x: float, y: float) -> dict[str, float]:
    return {"m_vecVelocity__m_vecX": x, "m_vecVelocity__m_vecY": y}


def place_name(x: float, y: float) -> str:
    """Return the map's word for a place."""
    if x < -1000:
        return "TSpawn"
    if x > 1000:
        return "CTSpawn"
    return "BombsiteA" if y > 300 else "BombsiteB" if y < -300 else "Middle"
