"""Shots, hits and deaths of the written match."""

from __future__ import annotations

from math import hypot

from tests.samples.source2.cs2_match import sight
from tests.samples.source2.cs2_match.arms import GUNS, REWARDS, drop, hold, pay, pick_up, spend_round, strip
from tests.samples.source2.cs2_match.bomb import lose_bomb
from tests.samples.source2.cs2_match.state import JUMPS, NO_HANDLE, CsMatch, Player

_HIT_GROUPS = (2, 3, 4, 5, 6, 7)
_METRES = 0.0254
#: Ticks between the hits of one fight, and from the first to the death at most.
_BETWEEN, LENGTH = 8, 40
#: Ticks after which the second of two sees the first.
_LATER = 4
_KNIVES = {2: "knife_t", 3: "knife"}


def shoot(match: CsMatch, player: Player, weapon: str) -> None:
    """Fire the weapon in the hands."""
    match.event("weapon_fire", **match.of(player.mind), weapon=f"weapon_{weapon}", silenced=False)
    spend_round(match, player)
    match.tell("shots", player=player.mind.name, weapon=weapon)


def hurt(
    match: CsMatch,
    victim: Player,
    attacker: Player | None,
    weapon: str,
    damage: int,
    *,
    group: int = 0,
    utility: bool = False,
) -> bool:
    """Hit a player; return whether it died of it. The caller tells the death."""
    to_armor = min(victim.armor, damage // 4)
    before, armor = victim.health, victim.armor
    victim.health = max(0, victim.health - damage)
    victim.armor -= to_armor
    match.put_pawn(victim, m_iHealth=victim.health, m_ArmorValue=victim.armor)
    match.put_controller(victim, m_iPawnHealth=victim.health, m_iPawnArmor=victim.armor)
    mind = None if attacker is None else attacker.mind
    match.event(
        "player_hurt",
        **match.of(victim.mind),
        **match.of(mind, "attacker"),
        health=victim.health,
        armor=victim.armor,
        weapon=weapon,
        dmg_health=damage,
        dmg_armor=to_armor,
        hitgroup=group,
    )
    lost = before - victim.health
    if mind is not None and attacker is not None and attacker.team != victim.team:
        match.count(mind, "m_iDamage", lost)
        if utility:
            match.count(mind, "m_iUtilityDamage", lost)
    match.tell(
        "damage",
        attacker=None if mind is None else mind.name,
        victim=victim.mind.name,
        weapon=weapon,
        dmg_health=damage,
        damage=lost,
        dmg_armor=to_armor,
        health_pre=before,
        health_post=victim.health,
        armor_pre=armor,
        armor_post=victim.armor,
        hitgroup_id=group,
    )
    return victim.health == 0


def die(
    match: CsMatch,
    victim: Player,
    attacker: Player | None,
    weapon: str,
    *,
    assister: Player | None = None,
    headshot: bool = False,
    damage: int = 100,
    **flags: bool | int,
) -> None:
    """Kill a player: event, body, weapons on the ground, money and counts."""
    mind = None if attacker is None else attacker.mind
    far = 0.0 if attacker is None else hypot(attacker.x - victim.x, attacker.y - victim.y) * _METRES
    own = attacker is None or attacker.team == victim.team
    blinder = victim.blinder if match.tick < victim.blind_until and assister is None and not own else None
    flashed = (
        blinder is not None and attacker is not None and blinder.team == attacker.team and blinder is not attacker
    )
    if flashed:
        assister = blinder
    # Few are blind when they kill, and a short match has no kill with an AWP: some other kills have these flags.
    number = len(match.story["kills"])
    blind = attacker is not None and match.tick < attacker.blind_until
    flags |= {"attackerblind": blind or number % 9 == 4, "noscope": flags.get("noscope") or number % 11 == 6}
    signs = {name: bool(flags.get(name)) for name in ("noscope", "thrusmoke", "attackerblind", "attackerinair")}
    numbers = {name: int(flags.get(name, 0)) for name in ("dominated", "revenge", "penetrated")}
    match.event(
        "player_death",
        **match.of(victim.mind),
        **match.of(mind, "attacker"),
        **match.of(None if assister is None else assister.mind, "assister"),
        assistedflash=flashed,
        weapon=weapon,
        weapon_itemid="0",
        weapon_fauxitemid="0",
        weapon_originalowner_xuid="",
        headshot=headshot,
        wipe=0,
        noreplay=False,
        distance=far,
        dmg_health=damage,
        dmg_armor=0,
        hitgroup=1 if headshot else 2,
        **numbers,
        **signs,
    )
    victim.alive, victim.health = False, 0
    match.put_pawn(victim, m_lifeState=1, m_iHealth=0, m_flDeathTime=match.game_time())
    match.put_pawn(victim, **{f"m_vecVelocity__m_vec{axis}": 0.0 for axis in "XYZ"})
    match.put_controller(victim, m_bPawnIsAlive=False, m_iPawnHealth=0)
    match.count(victim.mind, "m_iDeaths")
    if mind is not None and not own:
        match.count(mind, "m_iKills")
        if headshot:
            match.count(mind, "m_iHeadShotKills")
        reward = REWARDS.get(weapon, 300)
        pay(match, mind, reward)
        match.count(mind, "m_iKillReward", reward)
    if assister is not None:
        match.count(assister.mind, "m_iAssists")
    lose_bomb(match, victim)
    gun = next((each for each in victim.weapons if each.word in GUNS), None)
    if gun is not None:
        drop(match, victim, gun)
        if attacker is not None and attacker.alive and not own and match.random.random() < 0.3:
            match.later(30, lambda: pick_up(match, attacker, gun) if attacker.alive else None)
    strip(match, victim)
    match.tell(
        "kills",
        attacker=None if mind is None else mind.name,
        victim=victim.mind.name,
        assister=None if assister is None else assister.mind.name,
        weapon=weapon,
        headshot=headshot,
        assist_flash=flashed,
        attacker_side=None if attacker is None else "t" if attacker.team == 2 else "ct",
        victim_side="t" if victim.team == 2 else "ct",
        attacker_controls_bot=None if attacker is None else mind is not attacker,
        victim_controls_bot=victim.mind is not victim,
        victim_blind=match.tick < victim.blind_until,
        victim_in_air=victim.in_air,
        **numbers,
        **signs,
    )
    sight.forget(match, victim)


def _meet(match: CsMatch, victim: Player, attacker: Player) -> None:
    """Let two see each other, the first now and the other later, and some victims jump."""
    number = len(match.story["kills"])
    first, second = (victim, attacker) if number % 3 == 1 else (attacker, victim)
    sight.see(match, first, second)
    if number % 3:
        match.later(_LATER, lambda: sight.see(match, second, first))
    if number % 5 == 2:
        victim.in_air = True
        match.put_pawn(victim, m_fFlags=JUMPS, m_hGroundEntity=NO_HANDLE)


def duel(match: CsMatch, victim: Player, attacker: Player, *, assister: Player | None = None) -> None:
    """Let one player kill another within `LENGTH` ticks, with some shots and hits before."""
    random = match.random
    gun = next((each for each in attacker.weapons if each.word in GUNS), None)
    if gun is None:
        gun = next((each for each in attacker.weapons if each.word.startswith("knife")), None)
    if gun is None:
        return
    hold(match, attacker, gun)
    _meet(match, victim, attacker)
    headshot = gun.word in GUNS and random.random() < 0.35
    hits = [random.randint(15, 30) for _ in range(1 if headshot else random.randint(1, 3))]
    if assister is not None:
        shoot(match, assister, assister.active.word if assister.active else "knife")
        hurt(match, victim, assister, assister.active.word if assister.active else "knife", 20, group=3)

    def strike(number: int) -> None:
        if not (attacker.alive and victim.alive):
            return
        shoot(match, attacker, gun.word)
        last = number == len(hits)
        if number == 0:  # the first shot misses
            match.later(_BETWEEN, lambda: strike(1))
            return
        damage = hits[number - 1]
        if not last:
            if victim.health > damage:
                hurt(match, victim, attacker, gun.word, damage, group=random.choice(_HIT_GROUPS))
            match.later(_BETWEEN, lambda: strike(number + 1))
            return
        # The last hit may be worth more than the health that is left.
        damage = victim.health + random.choice((0, 0, 12))
        hurt(match, victim, attacker, gun.word, damage, group=1 if headshot else 2)
        die(
            match,
            victim,
            attacker,
            gun.word,
            assister=assister,
            headshot=headshot,
            damage=damage,
            noscope=gun.word == "awp" and random.random() < 0.5,
            thrusmoke=random.random() < 0.1,
            attackerinair=random.random() < 0.1,
            penetrated=int(random.random() < 0.15),
            dominated=int(random.random() < 0.1),
            revenge=int(random.random() < 0.1),
        )

    strike(0)
