"""Descriptors of the game events of the written match, as in recordings of patch 14155.

SourceTV recordings have neither round_start nor round_end, and no item_purchase, item_drop or player_blind.
"""

from __future__ import annotations

from tests.samples.source2.encoding import GameEventWriter

from playhead.source2.messages.game_events import known_lists

_WHO = {"userid": "player", "userid_pawn": "pawn"}
_HOSTAGE = {**_WHO, "hostage": "short"}
_PLACED = {"entityid": "short", "x": "float", "y": "float", "z": "float"}


def _keys(text: str) -> dict[str, str]:
    """Return the type of each key, from ``name type`` separated by semicolons."""
    return dict(entry.split() for entry in text.split("; "))


EVENTS = GameEventWriter(
    {
        "player_connect": _keys("name string; userid player; networkid string; xuid uint64; bot bool"),
        "player_disconnect": _keys(
            "userid player; reason short; name string; networkid string; xuid uint64; PlayerID short"
        ),
        "player_spawn": _WHO,
        "player_team": _WHO | _keys("team byte; oldteam byte; disconnect bool; silent bool; isbot bool"),
        "player_hurt": _WHO
        | _keys(
            "attacker player; attacker_pawn pawn; health byte; armor byte; weapon string; dmg_health "
            "short; dmg_armor byte; hitgroup byte"
        ),
        "round_freeze_end": {},
        "round_announce_match_start": {},
        "begin_new_match": {},
        "cs_win_panel_match": {},
        "announce_phase_end": {},
        "player_death": _WHO
        | _keys(
            "attacker player; attacker_pawn pawn; assister player; assister_pawn pawn; assistedflash "
            "bool; weapon string; weapon_itemid string; weapon_fauxitemid string; "
            "weapon_originalowner_xuid string; headshot bool; dominated short; revenge short; wipe "
            "short; penetrated short; noreplay bool; noscope bool; thrusmoke bool; attackerblind bool; "
            "distance float; dmg_health short; dmg_armor byte; hitgroup byte; attackerinair bool"
        ),
        "bot_takeover": {**_WHO, "botid": "player", "p": "float", "y": "float", "r": "float"},
        "player_sound": {**_WHO, "radius": "long", "duration": "float", "step": "bool"},
        "vote_cast": {"vote_option": "byte", "team": "short", "userid": "player"},
        "bomb_beginplant": {**_WHO, "site": "short"},
        "bomb_abortplant": {**_WHO, "site": "short"},
        "bomb_planted": {**_WHO, "site": "short"},
        "bomb_defused": {**_WHO, "site": "short"},
        "bomb_exploded": {**_WHO, "site": "short"},
        "bomb_dropped": {**_WHO, "entindex": "long"},
        "bomb_pickup": {"userid_pawn": "pawn"},
        "bomb_begindefuse": {**_WHO, "haskit": "bool"},
        "bomb_abortdefuse": _WHO,
        "weapon_fire": {**_WHO, "weapon": "string", "silenced": "bool"},
        "weapon_zoom": _WHO,
        "item_pickup": {"userid": "player", "item": "string", "silent": "bool", "defindex": "long"},
        "hegrenade_detonate": {**_WHO, **_PLACED},
        "flashbang_detonate": {**_WHO, **_PLACED},
        "smokegrenade_detonate": {**_WHO, **_PLACED},
        "smokegrenade_expired": {**_WHO, **_PLACED},
        "decoy_started": {"userid_pawn": "pawn", **_PLACED},
        "decoy_detonate": {**_WHO, **_PLACED},
        **{f"hostage_{what}": _HOSTAGE for what in ("follows", "hurt", "killed", "stops_following")},
        "hostage_rescued": {**_HOSTAGE, "site": "short"},
        "hostage_call_for_help": {"hostage": "short"},
        "other_death": _keys(
            "otherid short; othertype string; attacker short; weapon string; weapon_itemid string; "
            "weapon_fauxitemid string; weapon_originalowner_xuid string; headshot bool; penetrated short; "
            "noscope bool; thrusmoke bool; attackerblind bool"
        ),
        "inferno_startburn": _PLACED,
        "inferno_expire": _PLACED,
    },
    {name: number for number, name, _ in known_lists("cs2")[-1].events},
)
