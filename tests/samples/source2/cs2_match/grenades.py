"""Thrown grenades of the written match: flight, smoke, fire, flash, blast."""

from __future__ import annotations

from math import atan2, cos, hypot, sin
from typing import Any

from tests.samples.source2.cs2_match.arms import ITEMS, carried, hold, tell_weapons
from tests.samples.source2.cs2_match.fights import hurt
from tests.samples.source2.cs2_match.state import FIRST_SERVER_TICK, CsMatch, Player
from tests.samples.source2.cs2_match.world import pawn_index, place_fields

_CLASSES = {
    "smokegrenade": "CSmokeGrenadeProjectile",
    "flashbang": "CFlashbangProjectile",
    "hegrenade": "CHEGrenadeProjectile",
    "molotov": "CMolotovProjectile",
    "incgrenade": "CMolotovProjectile",
    "decoy": "CDecoyProjectile",
}
_SMOKE_TICKS, _FIRE_TICKS, _DECOY_TICKS = 18 * 64, 7 * 64, 10 * 64
_SPEED, _RISE, _GRAVITY = 620.0, 300.0, 500.0
FLIGHT_TICKS = 80


def throw(match: CsMatch, player: Player, word: str) -> bool:
    """Throw a grenade, if the player has it."""
    weapon = carried(player, word)
    if weapon is None or not player.alive:
        return False
    hold(match, player, weapon)
    match.event("weapon_fire", **match.of(player.mind), weapon=f"weapon_{word}", silenced=False)
    match.tell("shots", player=player.mind.name, weapon=word)
    player.weapons.remove(weapon)
    match.world.discard(weapon.index)
    player.active = None
    tell_weapons(match, player)
    _Flight(match, player, word)
    return True


class _Flight:
    """A projectile, until it is gone."""

    def __init__(self, match: CsMatch, player: Player, word: str) -> None:
        self.match, self.player, self.word = match, player, word
        angle = atan2(-player.y, -player.x) + match.random.uniform(-0.5, 0.5)
        self.x, self.y, self.z = player.x, player.y, 128.0
        self.speed = [_SPEED * cos(angle), _SPEED * sin(angle), _RISE]
        self.bounces = 0
        self.left = FLIGHT_TICKS
        handle = match.world.handle_of(pawn_index(player.slot))
        values: dict[str, Any] = {
            **place_fields(self.x, self.y, self.z),
            "m_hThrower": handle,
            "m_hOwnerEntity": handle,
            "m_iTeamNum": player.team,
            "m_vInitialPosition": (self.x, self.y, self.z),
            "m_vInitialVelocity": tuple(self.speed),
            "m_bIsLive": True,
            # Some parsers know the kind of a projectile by the model of the weapon.
            "CBodyComponent.m_hModel": ITEMS[word][1],
        }
        if word in ("molotov", "incgrenade"):
            values["m_bIsIncGrenade"] = word == "incgrenade"
        self.index = match.world.add(_CLASSES[word], values)
        self.row = match.tell(
            "grenades", player=player.mind.name, kind=word, entity=self.index, detonation_tick=None, end_tick=None
        )
        match.flying[self.index] = self._remove
        match.later(1, self._fly)

    def _fly(self) -> None:
        self.left -= 1
        if self.index not in self.match.world.objects:
            return
        self.x += self.speed[0] / 64
        self.y += self.speed[1] / 64
        self.z += self.speed[2] / 64
        self.speed[2] -= _GRAVITY / 64
        values = place_fields(self.x, self.y, self.z)
        if self.z < 64.0 and self.speed[2] < 0:
            self.z = 64.0
            self.speed = [self.speed[0] / 2, self.speed[1] / 2, -self.speed[2] / 2]
            self.bounces += 1
            values |= {"m_nBounces": self.bounces, **place_fields(self.x, self.y, self.z)}
        self.match.world.put(self.index, values)
        if self.left:
            self.match.later(1, self._fly)
        else:
            self._burst()

    def _burst(self) -> None:
        match, at = self.match, (self.x, self.y, self.z)
        self.row["detonation_tick"] = match.tick
        place = {"entityid": self.index, "x": self.x, "y": self.y, "z": self.z}
        who = match.of(self.player.mind)
        now = FIRST_SERVER_TICK + match.tick
        if self.word == "smokegrenade":
            values = {"m_bDidSmokeEffect": True, "m_nSmokeEffectTickBegin": now, "m_vSmokeDetonationPos": at}
            match.world.put(self.index, values)
            match.event("smokegrenade_detonate", **who, **place)
            match.later(_SMOKE_TICKS, lambda: self._end("smokegrenade_expired"))
        elif self.word == "decoy":
            match.event("decoy_started", userid_pawn=who["userid_pawn"], **place)
            match.world.put(self.index, {"m_nExplodeEffectTickBegin": now, "m_vecExplodeEffectOrigin": at})
            match.later(_DECOY_TICKS, lambda: self._end("decoy_detonate"))
        elif self.word in ("molotov", "incgrenade"):
            self._remove()
            _burn(match, self.player, self.word, at)
        else:
            match.world.put(self.index, {"m_nExplodeEffectTickBegin": now, "m_vecExplodeEffectOrigin": at})
            match.event(f"{self.word}_detonate", **who, **place)
            if self.word == "flashbang":
                _blind(match, self.player, at)
            else:
                _blast(match, self.player, at)
            match.later(8, self._remove)

    def _end(self, event: str) -> None:
        if self.index in self.match.world.objects:
            place = {"entityid": self.index, "x": self.x, "y": self.y, "z": self.z}
            self.match.event(event, **self.match.of(self.player.mind), **place)
            self._remove()

    def _remove(self) -> None:
        if self.match.flying.pop(self.index, None) is not None:
            self.match.world.discard(self.index)
            self.row["end_tick"] = self.match.tick


def _nearest(match: CsMatch, player: Player, at: tuple[float, float, float]) -> list[Player]:
    enemies = [each for each in match.players.values() if each.alive and each.team == 5 - player.team]
    return sorted(enemies, key=lambda each: hypot(each.x - at[0], each.y - at[1]))


def _blind(match: CsMatch, player: Player, at: tuple[float, float, float]) -> None:
    for number, victim in enumerate(_nearest(match, player, at)[:2]):
        duration = round(match.random.uniform(1.0, 4.0) - number / 2, 4)
        match.put_pawn(victim, m_flFlashDuration=duration, m_flFlashMaxAlpha=255.0)
        victim.blinder, victim.blind_until = player, match.tick + round(duration * 64)
        match.count(player.mind, "m_iEnemiesFlashed")
        match.tell("flashes", attacker=player.mind.name, victim=victim.mind.name, duration=duration)
        match.later(duration * 64, lambda victim=victim: _see(match, victim))  # type: ignore[misc]


def _see(match: CsMatch, victim: Player) -> None:
    if pawn_index(victim.slot) in match.world.objects:
        match.put_pawn(victim, m_flFlashDuration=0.0)


def _blast(match: CsMatch, player: Player, at: tuple[float, float, float]) -> None:
    for victim in _nearest(match, player, at)[:1]:
        if victim.health > 40:
            hurt(match, victim, player, "hegrenade", 37, utility=True)


def _burn(match: CsMatch, player: Player, word: str, at: tuple[float, float, float]) -> None:
    points = [(at[0] + 40.0 * i, at[1] - 30.0 * i, 64.0) for i in range(4)]
    values: dict[str, Any] = {
        **place_fields(*at),
        "m_hOwnerEntity": match.world.handle_of(pawn_index(player.slot)),
        "m_nInfernoType": int(word == "incgrenade"),
        "m_fireCount": 1,
        "m_firePositions.0000": points[0],
        "m_bFireIsBurning.0000": True,
        "m_nFireEffectTickBegin": FIRST_SERVER_TICK + match.tick,
        "m_nFireLifetime": 7.0,
    }
    index = match.world.add("CInferno", values)
    place = {"entityid": index, "x": at[0], "y": at[1], "z": at[2]}
    match.event("inferno_startburn", **place)

    def spread(number: int) -> None:
        if index in match.world.objects:
            new = {f"m_firePositions.{number:04}": points[number], f"m_bFireIsBurning.{number:04}": True}
            match.world.put(index, {"m_fireCount": number + 1, **new})

    def singe() -> None:
        for victim in _nearest(match, player, at)[:1]:
            if index in match.world.objects and victim.health > 12:
                hurt(match, victim, player, "inferno", 8, utility=True)

    def out() -> None:
        if match.flying.pop(index, None) is not None:
            match.event("inferno_expire", **place)
            match.world.discard(index)

    match.flying[index] = out
    for number in (1, 2, 3):
        match.later(16 * number, lambda number=number: spread(number))  # type: ignore[misc]
    match.later(40, singe)
    match.later(_FIRE_TICKS, out)
