"""Weapons and money of the written match: given, bought, refunded, dropped, picked up, reloaded."""

from __future__ import annotations

from struct import pack, unpack
from typing import Any

from tests.samples.source2.cs2_match.state import CT, NO_HANDLE, CsMatch, Player, T, Weapon
from tests.samples.source2.cs2_match.world import controller_index, pawn_index, place_fields

_FIRST_ACCOUNT_OF_STEAM = 76561197960265728
_MY, _SELL = "m_pWeaponServices.m_hMyWeapons", "m_pBuyServices.m_vecSellbackPurchaseEntries"

#: Class, number (m_iItemDefinitionIndex), rounds in the magazine, price.
ITEMS = {
    "knife": ("CKnife", 42, -1, 0),
    "knife_t": ("CKnife", 59, -1, 0),
    "glock": ("CWeaponGlock", 4, 20, 200),
    "usp_silencer": ("CWeaponUSPSilencer", 61, 12, 200),
    "deagle": ("CDEagle", 1, 7, 700),
    "ak47": ("CAK47", 7, 30, 2700),
    "m4a1": ("CWeaponM4A1", 16, 30, 2900),
    "awp": ("CWeaponAWP", 9, 5, 4750),
    "mac10": ("CWeaponMAC10", 17, 30, 1050),
    "mp9": ("CWeaponMP9", 34, 30, 1250),
    "flashbang": ("CFlashbang", 43, -1, 200),
    "smokegrenade": ("CSmokeGrenade", 45, -1, 300),
    "hegrenade": ("CHEGrenade", 44, -1, 300),
    "molotov": ("CMolotovGrenade", 46, -1, 400),
    "incgrenade": ("CIncendiaryGrenade", 48, -1, 500),
    "decoy": ("CDecoyGrenade", 47, -1, 50),
    "c4": ("CC4", 49, -1, 0),
}
GUNS = frozenset("glock usp_silencer deagle ak47 m4a1 awp mac10 mp9".split())
_PRIMARY = frozenset("ak47 m4a1 awp mac10 mp9".split())
#: Number of the gloves that people wear.
GLOVES = 5030


def _whole(number: int) -> float:
    """Return the float that has the bits of a whole number, as attributes store it."""
    return float(unpack("<f", pack("<I", number))[0])


#: Attributes of every sniper rifle beside its paint: counted kills, stickers in places 0 and 2 with wear and
#: offset. demoparser2 expects the first sticker in fifth place, and these four of each in a row.
AWP_MORE = {80: _whole(12), 113: _whole(5144), 114: 0.25, 278: 0.5, 279: 0.125}
AWP_MORE |= {121: _whole(7436), 122: 0.0, 282: 0.25, 283: 0.75}
_ARMOR, _HELMET, _KIT = 50, 51, 55
#: Money that a kill earns.
REWARDS = {"awp": 100, "mac10": 600, "mp9": 600, "knife": 1500, "knife_t": 1500}
MOST_MONEY = 16000
_RELOAD_TICKS = 90


def give(match: CsMatch, player: Player, word: str) -> Weapon:
    """Give a new weapon."""
    class_name, number, clip, cost = ITEMS[word]
    handle = match.world.handle_of(pawn_index(player.slot))
    account = player.account
    values: dict[str, Any] = {
        "m_hOwnerEntity": handle,
        "m_iTeamNum": player.team,
        "m_iClip1": clip,
        "m_iItemDefinitionIndex": number,
        "CBodyComponent.m_hModel": number,
        "m_iOriginalTeamNumber": player.team,
        "m_OriginalOwnerXuidLow": account & 0xFFFFFFFF,
        "m_OriginalOwnerXuidHigh": account >> 32,
        "m_iAccountID": max(0, account - _FIRST_ACCOUNT_OF_STEAM),
    }
    if word in _PRIMARY and not player.is_bot:
        skin = {"m_nFallbackPaintKit": 300 + player.slot, "m_nFallbackSeed": 7 * player.slot}
        values |= skin | {"m_flFallbackWear": 0.125}
    weapon = Weapon(match.world.add(class_name, values), word, cost, clip, clip, player)
    if word == "awp":
        _decorate(match, weapon.index, {6: 400.0, 7: float(player.slot), 8: 0.25} | AWP_MORE)
    player.weapons.append(weapon)
    tell_weapons(match, player)
    return weapon


def _decorate(match: CsMatch, index: int, given: dict[int, float]) -> None:
    """Give attributes of an item of an inventory, by number."""
    looks = [{"m_iAttributeDefinitionIndex": key, "m_iRawValue32": value} for key, value in given.items()]
    match.world.put_vector(index, "m_Attributes", looks)


def dress(match: CsMatch, player: Player) -> None:
    """Give the gloves and the agent that a player has on its side; bots have no gloves."""
    match.put_controller(player, m_nPawnCharacterDefIndex=agent_of(player.team))
    if not player.is_bot:
        values = {"m_iItemDefinitionIndex": GLOVES, "m_iItemIDLow": 900 + player.slot}
        values |= {"m_iAccountID": player.account - _FIRST_ACCOUNT_OF_STEAM}
        match.world.put(pawn_index(player.slot), values)
        _decorate(match, pawn_index(player.slot), {6: 10000.0 + player.slot, 7: 3.0, 8: 0.5})


def agent_of(team: int) -> int:
    """Return the number of the agent of a side's players."""
    return 5036 if team == T else 5037


def tell_weapons(match: CsMatch, player: Player) -> None:
    """Send what a player carries and what it is worth."""
    handles = [match.world.handle_of(weapon.index) for weapon in player.weapons]
    if player.active not in player.weapons:
        player.active = max(
            player.weapons, key=lambda weapon: weapon.cost if weapon.word in GUNS else -1, default=None
        )
    active = NO_HANDLE if player.active is None else match.world.handle_of(player.active.index)
    match.world.put_vector(pawn_index(player.slot), _MY, [{"": each} for each in handles])
    values = {"m_pWeaponServices.m_hActiveWeapon": active, "m_unCurrentEquipmentValue": worth(player)}
    match.world.put(pawn_index(player.slot), values)


def worth(player: Player) -> int:
    """Return the value of the equipment."""
    armor = (1000 if player.helmet else 650) if player.armor else 0
    return sum(weapon.cost for weapon in player.weapons) + armor + 400 * player.kit


def hold(match: CsMatch, player: Player, weapon: Weapon) -> None:
    """Take a weapon into the hands."""
    if player.active is not weapon:
        player.active = weapon
        handle = match.world.handle_of(weapon.index)
        match.put_pawn(player, m_pWeaponServices__m_hActiveWeapon=handle)


def carried(player: Player, words: frozenset[str] | str) -> Weapon | None:
    """Return the first weapon of those kinds."""
    wanted = (words,) if isinstance(words, str) else words
    return next((weapon for weapon in player.weapons if weapon.word in wanted), None)


def spend_round(match: CsMatch, player: Player) -> None:
    """Send the clip of the weapon in the hands after a shot; an empty one is reloaded."""
    weapon = player.active
    if weapon is None or weapon.clip < 1:
        return
    weapon.clip -= 1
    match.world.put(weapon.index, {"m_iClip1": weapon.clip, "m_fLastShotTime": match.game_time()})
    if weapon.clip:
        return
    match.world.put(weapon.index, {"m_bInReload": True})

    def full() -> None:
        if weapon.index in match.world.objects:
            weapon.clip = weapon.full
            match.world.put(weapon.index, {"m_iClip1": weapon.clip, "m_bInReload": False})

    match.later(_RELOAD_TICKS, full)


# -- money --------------------------------------------------------------------------------------------------


def pay(match: CsMatch, player: Player, amount: int) -> None:
    """Earn money; a negative amount is spent."""
    player.money = min(MOST_MONEY, player.money + amount)
    services = "m_pInGameMoneyServices."
    values = {f"{services}m_iAccount": player.money}
    if amount < 0:
        player.spent -= amount
        values[f"{services}m_iCashSpentThisRound"] = player.spent
    match.world.put(controller_index(player.slot), values)


def tell_refundable(match: CsMatch, player: Player) -> None:
    """Send what can be refunded."""
    entries = [
        {
            "m_unDefIdx": number,
            "m_nCost": cost,
            "m_hItem": match.world.handle_of(weapon) if weapon in match.world.objects else NO_HANDLE,
        }
        for number, cost, weapon in player.refundable
    ]
    match.world.put_vector(pawn_index(player.slot), _SELL, entries)


def _bought(match: CsMatch, player: Player, item: str, number: int, cost: int, weapon: int) -> None:
    player.refundable.append((number, cost, weapon))
    pay(match, player, -cost)
    tell_refundable(match, player)
    match.tell("items", change="purchase", player=player.name, item=item, cost=cost)


def buy(match: CsMatch, player: Player, word: str) -> bool:
    """Buy a weapon, if there is enough money."""
    if player.money < ITEMS[word][3]:
        return False
    if word in _PRIMARY and carried(player, _PRIMARY):
        return False
    weapon = give(match, player, word)
    _bought(match, player, word, ITEMS[word][1], weapon.cost, weapon.index)
    return True


def buy_armor(match: CsMatch, player: Player, *, helmet: bool) -> None:
    """Buy a vest, with a helmet."""
    cost = 1000 if helmet else 650
    if player.armor < 100 and player.money >= cost:
        player.armor, player.helmet = 100, helmet
        match.put_pawn(player, m_ArmorValue=100, m_pItemServices__m_bHasHelmet=helmet)
        match.put_controller(player, m_iPawnArmor=100, m_bPawnHasHelmet=helmet)
        _bought(match, player, "vesthelm" if helmet else "vest", _HELMET if helmet else _ARMOR, cost, 0)
        tell_weapons(match, player)


def buy_kit(match: CsMatch, player: Player) -> None:
    """Buy a defuse kit."""
    if not player.kit and player.money >= 400:
        player.kit = True
        match.put_pawn(player, m_pItemServices__m_bHasDefuser=True)
        match.put_controller(player, m_bPawnHasDefuser=True)
        _bought(match, player, "defuser", _KIT, 400, 0)
        tell_weapons(match, player)


def refund(match: CsMatch, player: Player, word: str) -> None:
    """Give a weapon back."""
    weapon = carried(player, word)
    entry = next((each for each in player.refundable if weapon is not None and each[2] == weapon.index), None)
    if weapon is None or entry is None:
        return
    player.refundable.remove(entry)
    player.weapons.remove(weapon)
    match.world.discard(weapon.index)
    player.spent -= entry[1]
    pay(match, player, entry[1])
    match.put_controller(player, m_pInGameMoneyServices__m_iCashSpentThisRound=player.spent)
    tell_refundable(match, player)
    tell_weapons(match, player)
    match.tell("items", change="refund", player=player.name, item=word, cost=entry[1])


def shop(match: CsMatch, player: Player, *, pistol: bool) -> None:
    """Buy what the money allows."""
    if pistol:
        if player.slot % 5 == 1:
            buy(match, player, "flashbang")
            if player.slot == 1:
                match.later(24, lambda: refund(match, player, "flashbang"))
        else:
            buy_armor(match, player, helmet=False)
        return
    rifle = "ak47" if player.team == T else "m4a1"
    if player.slot % 5 == 2 and player.money >= 6000:
        buy(match, player, "awp")
    elif player.money >= 3700:
        buy(match, player, rifle)
    elif player.money >= 2200 and player.slot % 2:
        buy(match, player, "mac10" if player.team == T else "mp9")
    buy_armor(match, player, helmet=player.money >= 1000)
    if player.team == CT and player.slot % 2:
        buy_kit(match, player)
    fire = "molotov" if player.team == T else "incgrenade"
    for word in ("smokegrenade", "flashbang", fire, "hegrenade", "decoy"):
        if player.money >= 600 and carried(player, word) is None:
            buy(match, player, word)


# -- the ground ---------------------------------------------------------------------------------------------


def drop(match: CsMatch, player: Player, weapon: Weapon) -> None:
    """Drop a weapon where the player is."""
    player.weapons.remove(weapon)
    weapon.owner = None
    values = {"m_hOwnerEntity": NO_HANDLE, "m_hPrevOwner": match.world.handle_of(pawn_index(player.slot))}
    values |= {"m_nDropTick": match.tick, **place_fields(player.x, player.y, 64.0)}
    match.world.put(weapon.index, values)
    tell_weapons(match, player)
    match.tell("items", change="drop", player=player.mind.name, item=weapon.word)


def pick_up(match: CsMatch, player: Player, weapon: Weapon) -> None:
    """Take a weapon from the ground, if there is room for it."""
    if weapon.owner is not None or weapon.index not in match.world.objects:
        return
    if weapon.word != "c4" and (weapon.word not in _PRIMARY or carried(player, _PRIMARY)):
        return
    weapon.owner = player
    player.weapons.append(weapon)
    match.world.put(weapon.index, {"m_hOwnerEntity": match.world.handle_of(pawn_index(player.slot))})
    tell_weapons(match, player)
    match.event(
        "item_pickup", userid=player.mind.slot, item=weapon.word, silent=False, defindex=ITEMS[weapon.word][1]
    )
    match.tell("items", change="pickup", player=player.mind.name, item=weapon.word)


def strip(match: CsMatch, player: Player) -> None:
    """Take all weapons away."""
    for weapon in player.weapons:
        match.world.discard(weapon.index)
    player.weapons, player.active = [], None
    tell_weapons(match, player)
