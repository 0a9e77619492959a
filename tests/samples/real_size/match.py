"""The synthetic match with realistic traffic: the same story, and everything that moves around it.

`SyntheticMatch` plays the story and knows the expected values. This module adds illusions, summoned units,
carriers of effects, walking neutrals, and changes of fields outside the story, in the quantities of `measures`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, sin
from random import Random
from typing import Any

from tests.samples.real_size.measures import A_MINUTE, BEFORE_HORN, CERTAIN_LEAD, MID_GAME, Course
from tests.samples.real_size.patterns import Patterns
from tests.samples.real_size.schema import SUMMONED, THINKER, real_schema
from tests.samples.source2.constants import FIRST_SERVER_TICK, TICKS_PER_SECOND
from tests.samples.source2.engine import PICKS_BANS, PLAYERS
from tests.samples.source2.entities import cell_fields
from tests.samples.source2.match import SyntheticMatch

from playhead.dota2.sources.roster import RADIANT

_RULES, _RESOURCE, _SPECTATOR = 1, 2, 5
#: Reserve time in the draft of Radiant and Dire: their fields, and the seconds at first.
DRAFT_RESERVES, RESERVE = ("m_fExtraTimeRemaining.0000", "m_fExtraTimeRemaining.0001"), 130.0
_FIRST_GUEST, _GUESTS = 2000, 400
#: Estimated: new ones per second of full activity, and their lifetime in seconds.
_COMING = {SUMMONED: (0.4, 40.0), THINKER: (2.0, 3.0), "illusion": (0.25, 20.0)}
#: Estimated: shares of the kinds of entities in the deltas of a packet besides the story's.
_SHARES = {
    "CDOTA_BaseNPC_Creep_Lane": 30,
    "CDOTA_Unit_Hero_": 16,
    "CDOTA_BaseNPC_Creep_Neutral": 10,
    SUMMONED: 6,
    THINKER: 3,
    "CDOTA_Ability_": 9,
    "CDOTA_Item_": 6,
    "CDOTA_BaseNPC_Tower": 4,
    "CDOTA_Unit_Courier": 5,
    "CDOTAPlayerController": 6,
    "CDOTA_NPC_Observer_Ward": 1,
    "CDOTAWearableItem": 2,
    "CDOTAGamerulesProxy": 2,
}
_DECK = 4096
_STRIDE = 18.0
_WALKERS = ("CDOTA_BaseNPC_Creep_Neutral", SUMMONED)


class RealMatch(SyntheticMatch):
    """The entities of a match of real size, packet by packet.

    Args:
        minutes: length of the match, which shapes the traffic.

    Attributes:
        drafted: each step of the draft so far: tick, side, hero, and both sides' reserves.
    """

    def __init__(self, minutes: float, seed: int = 7) -> None:
        self.course = Course(minutes)
        self._traffic = Random(seed + 1)
        self._guests: list[tuple[int, int]] = []
        self._deck: list[int] = []
        super().__init__(seed, real_schema())
        self._patterns = Patterns(self.send_tables, self._traffic)
        self._sizes = {
            id(phase): self._traffic.choices(list(phase.sizes), list(phase.sizes.values()), k=_DECK)
            for phase in (BEFORE_HORN, MID_GAME)
        }
        self._horn = int(self.course.horn * TICKS_PER_SECOND) // 2 * 2
        self.set_fields(_RULES, m_pGameRules__m_nGameState=4, m_pGameRules__m_flGameStartTime=0.0)
        self.spawn(_SPECTATOR, "CDOTA_DataSpectator")
        self._grow(self._horn)
        self._draft = [
            self._horn * (place + 1) // (len(PICKS_BANS) + 2) // 2 * 2 for place in range(len(PICKS_BANS))
        ]
        self._reserves = dict.fromkeys(DRAFT_RESERVES, RESERVE)
        self.set_fields(_RULES, m_pGameRules__m_iGameMode=2, m_pGameRules__m_iActiveTeam=RADIANT)
        self.put(_RULES, {f"m_pGameRules.{name}": seconds for name, seconds in self._reserves.items()})
        self.drafted: list[dict[str, Any]] = []
        nobody = {f"m_vecPlayerTeamData.{player:04}.m_nSelectedHeroID": -1 for player in range(len(PLAYERS))}
        self.put(_RESOURCE, nobody)

    # -- what changes -----------------------------------------------------------------------------------

    def put(self, index: int, values: Mapping[str, Any]) -> None:
        """Set fields of an entity; unchanged ones are not sent again."""
        entity = self.objects[index]
        if entity.created:
            super().put(index, values)
            return
        known = entity.values
        news = {name: value for name, value in values.items() if known.get(name) != value}
        if news:
            known.update(news)
            entity.news.update(news)
            self.changed.add(index)

    def play(self, tick: int) -> None:
        """Play the events of a tick, since the previous packet."""
        super().play(tick)
        if tick == self._horn:
            self.set_fields(
                _RULES,
                m_pGameRules__m_nGameState=5,
                m_pGameRules__m_flGameStartTime=(FIRST_SERVER_TICK + tick) / TICKS_PER_SECOND,
            )
            self.spawn_wave(tick)
        if self.story.pauses and tick < self.story.pauses[-1]["end_tick"]:
            return
        self._play_draft(tick)
        activity = self.course.activity(tick / TICKS_PER_SECOND)
        if tick % TICKS_PER_SECOND == 0:
            self._come_and_go(tick, activity)
            self._look_around()
            self._grow(tick)
        if self._deck:
            self._move(tick, activity)

    def spawn_wave(self, tick: int) -> None:
        """Send creeps, from the horn on."""
        if tick >= self._horn:
            super().spawn_wave(tick)

    # -- draft ------------------------------------------------------------------------------------------

    def _play_draft(self, tick: int) -> None:
        """Ban or pick the heroes that are due, in the game rules; the side takes a second of its reserve."""
        while len(self.drafted) < len(PICKS_BANS) and self._draft[len(self.drafted)] <= tick:
            place = len(self.drafted)
            step, *later = PICKS_BANS[place:]
            listed = "SelectedHeroes" if step["is_pick"] else "BannedHeroes"
            number = sum(other["is_pick"] == step["is_pick"] for other in PICKS_BANS[:place])
            side = DRAFT_RESERVES[step["team"] != RADIANT]
            self._reserves[side] -= 1.0
            news = {f"m_{listed}.{number:04}": step["hero_id"], side: self._reserves[side]}
            if later:
                news["m_iActiveTeam"] = later[0]["team"]
            if step["is_pick"]:
                player = next(each for each, person in enumerate(PLAYERS) if person[3] == step["hero_id"])
                self.put(_RESOURCE, {f"m_vecPlayerTeamData.{player:04}.m_nSelectedHeroID": step["hero_id"]})
            self.put(_RULES, {f"m_pGameRules.{name}": value for name, value in news.items()})
            reserves = [self._reserves[name] for name in DRAFT_RESERVES]
            self.drafted.append({"tick": tick, **step, "reserves": reserves})

    # -- players ----------------------------------------------------------------------------------------

    def _grow(self, tick: int) -> None:
        """Tell what players have done up to a tick, and who is likely to win."""
        for hero in self.heroes:
            self.set_player_data(hero.player, self.grown(hero.player, tick))
        lead = sum(hero.gold if hero.team == RADIANT else -hero.gold for hero in self.heroes)
        self.set_fields(_SPECTATOR, m_fRadiantWinProbability=min(max(0.5 + lead / CERTAIN_LEAD / 2, 0.0), 1.0))

    def grown(self, player: int, tick: int) -> dict[str, float]:
        """Return the fields of `A_MINUTE` for a player at a tick; later players do more."""
        minutes = max(0, tick - self._horn - self.story.paused_ticks(tick)) / TICKS_PER_SECOND / 60
        found = {name: rate * minutes * (1 + player / 10) for name, rate in A_MINUTE.items()}
        return {name: value if name == "m_fStuns" else int(value) for name, value in found.items()}

    # -- guests: units that come and go -----------------------------------------------------------------

    def _come_and_go(self, tick: int, activity: float) -> None:
        staying = []
        for index, until in self._guests:
            if until > tick:
                staying.append((index, until))
            else:
                self.remove(index)
        self._guests = staying
        taken = {index for index, _ in staying} | set(self.removed)
        free = (index for index in range(_FIRST_GUEST, _FIRST_GUEST + _GUESTS) if index not in taken)
        for kind, (often, seconds) in _COMING.items():
            for _ in range(int(often * activity + self._traffic.random())):
                hero, place = self._traffic.choice(self.heroes), next(free, None)
                if place is None or hero.dead_until:
                    continue
                name = kind
                more: dict[str, Any] = {}
                if kind == "illusion":
                    name = f"CDOTA_Unit_Hero_{hero.name}"
                    more = {
                        "m_hReplicatingOtherHeroModel": self.handle_of(hero.index),
                        "m_iCurrentLevel": hero.level,
                    }
                self.spawn(place, name, m_iTeamNum=hero.team, **more)
                self.put(place, cell_fields(hero.x + 30.0, hero.y - 30.0))
                self._guests.append((place, tick + int(seconds * TICKS_PER_SECOND)))

    # -- what moves -------------------------------------------------------------------------------------

    def _look_around(self) -> None:
        """Choose the entities that change in the next second, by their shares."""
        found: dict[str, list[int]] = {kind: [] for kind in _SHARES}
        for index, entity in self.objects.items():
            name = entity.writer.name
            for kind in _SHARES:
                if name.startswith(kind):
                    found[kind].append(index)
                    break
        here = {kind: indices for kind, indices in found.items() if indices}
        kinds = self._traffic.choices(list(here), [_SHARES[kind] for kind in here], k=_DECK // 2)
        self._deck = [self._traffic.choice(here[kind]) for kind in kinds]

    def _move(self, tick: int, activity: float) -> None:
        random, objects = self._traffic, self.objects
        phase = MID_GAME if activity else BEFORE_HORN
        wanted = BEFORE_HORN.deltas + (MID_GAME.deltas - BEFORE_HORN.deltas) * activity
        wanted *= random.uniform(0.85, 1.15)
        chosen = set(self.changed)
        at = int(random.random() * len(self._deck))
        deck = self._deck[at:] + self._deck[:at]
        for index in deck:
            if len(chosen) >= wanted:
                break
            if index in objects and index not in self._away:
                chosen.add(index)
        sizes = self._sizes[id(phase)]
        self.changed |= chosen
        for index in sorted(chosen):
            entity = objects.get(index)
            if entity is None or entity.created:
                continue
            name = entity.writer.name
            size = sizes[int(random.random() * _DECK)] - len(entity.news)
            if size > 1 and name in _WALKERS:
                size -= self._walk(index, random.random() * 6.283)
            if size > 0:
                values, times = self._patterns.draw(name, size, phase)
                entity.values.update(values)
                entity.news.update(values)
                for time in times:
                    entity.values[time] = entity.news[time] = tick
            if not entity.news:
                entity.news["m_flSimulationTime"] = entity.values["m_flSimulationTime"] = tick

    def _walk(self, index: int, turn: float) -> int:
        """Move a unit outside the story by a step; return the number of changed fields."""
        values = self.objects[index].values
        place = []
        for axis, way in (("X", cos(turn)), ("Y", sin(turn))):
            cell, rest = values[f"CBodyComponent.m_cell{axis}"], values[f"CBodyComponent.m_vec{axis}"]
            place.append(min(max(cell * 128 + rest - 16384 + _STRIDE * way, -7500.0), 7500.0))
        self.put(index, cell_fields(*place))
        return len(self.objects[index].news)
