"""The kind of game: teams, matchmaking and region."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from playhead.blizzard.members.attributes import Attribute
from playhead.blizzard.members.lobby import Lobby, Struct
from playhead.model import Player
from playhead.sc2.members.attribute_names import GAME_NAMESPACE
from playhead.text.names import ordered_matchup

COOP, ARCHON, ARCADE, FREE_FOR_ALL = "co-op", "archon", "arcade", "FFA"

#: By the first number of a toon handle.
REGIONS = {1: "Americas", 2: "Europe", 3: "Korea and Taiwan", 5: "China", 6: "South-East Asia", 98: "public test"}

#: By the region code of a cache handle; those of the betas end in B.
_REGION_CODES = {"US": 1, "EU": 2, "KR": 3, "TW": 3, "CN": 5, "SG": 6, "XX": 98, "USB": 1, "EUB": 2, "KRB": 3}

#: Scope of attributes that are the game's, not a player's.
_WHOLE_GAME = 16

_PLAYERS = ("human", "computer")


def commanders(lobby: Lobby) -> bool:
    """Return whether every player has a commander and a level: a co-op mission. (A beta of Legacy of the Void has
    the same commander, without a level, in every slot of a ladder game.)"""
    playing = [slot for slot in lobby.playing if slot["m_userId"] is not None]
    return bool(playing) and all(slot.get("m_commander") and slot.get("m_commanderLevel") for slot in playing)


def shares_armies(lobby: Lobby) -> bool:
    """Return whether two players share an army: archon mode."""
    return any(lobby.leader(slot) is not None for slot in lobby.playing)


def _is_arcade(lobby: Lobby, attributes: Sequence[Attribute]) -> bool:
    """Return whether the map has its own settings: attributes of its namespace. Attributes only of single players
    may belong to an observer's interface, if a mod extends the map."""
    own = [row for row in attributes if row.namespace != GAME_NAMESPACE]
    extended = lobby.game.get("m_hasExtensionMod") is not False
    return any(row.scope == _WHOLE_GAME for row in own) or (bool(own) and not extended)


def has_own_rules(lobby: Lobby, attributes: Sequence[Attribute]) -> bool:
    """Return whether the map has other rules than melee: a mission of co-op, or an arcade map."""
    return commanders(lobby) or _is_arcade(lobby, attributes)


def _mode(lobby: Lobby, attributes: Sequence[Attribute], players: Sequence[Player]) -> str | None:
    if commanders(lobby):
        return COOP
    if _is_arcade(lobby, attributes):
        return ARCADE
    if shares_armies(lobby):
        return ARCHON
    return sides(players)


def sides(players: Sequence[Player]) -> str | None:
    """Return the sizes of the teams (``1v1``, ``2v2``, ``1v2``, ``FFA``); None for fewer than two teams or with an
    unknown one."""
    teams = Counter(player.team for player in players if player.kind not in ("observer", "referee"))
    if None in teams or len(teams) < 2:
        return None
    if len(teams) > 2 and set(teams.values()) == {1}:
        return FREE_FOR_ALL
    return "v".join(str(size) for size in sorted(teams.values()))


def matchup(players: Sequence[Player]) -> str | None:
    """Return the races of the teams (``PvT``, ``PTvTZ``), by their first letters, in alphabetical order within and
    between teams; None unless two or more teams and all races are known."""
    teams: dict[int | None, list[str]] = {}
    for player in players:
        if player.kind not in ("observer", "referee"):
            race = player.details.get("race")
            if race is None or player.team is None:
                return None
            teams.setdefault(player.team, []).append(race[0])
    return ordered_matchup("v".join(map("".join, teams.values()))) if len(teams) > 1 else None


def _game_type(lobby: Lobby, options: Mapping[str, Any]) -> str:
    if not options.get("m_battleNet"):
        return "offline"
    if not options.get("m_amm"):
        return "custom"
    if commanders(lobby):
        return COOP
    if options.get("m_cooperative") or any(slot["m_userId"] is None for slot in lobby.playing):
        return "versus AI"
    if options.get("m_practice"):
        return "training"
    return "unranked" if options.get("m_ranked") is False else "ladder"


def _region(players: Sequence[Player], codes: Sequence[str]) -> str | None:
    """Return the region of the players' accounts, or else of the files in the game's cache."""
    numbers = Counter(player.account.partition("-")[0] for player in players if player.account)
    for number, _ in numbers.most_common(1):
        if number.isdecimal() and int(number) in REGIONS:
            return REGIONS[int(number)]
    found = Counter(_REGION_CODES[code] for code in codes if code in _REGION_CODES)
    return REGIONS[found.most_common(1)[0][0]] if found else None


def setting_facts(
    lobby: Lobby | None, attributes: Sequence[Attribute], players: Sequence[Player], codes: Sequence[str]
) -> dict[str, Any]:
    """Return the facts of `Info.details` about the game's setting.

    Args:
        codes: the region codes of the cache handles.
    """
    facts: dict[str, Any] = {"mode": None, "game_type": None, "map_width": None, "map_height": None}
    facts["region"] = _region(players, codes)
    if lobby is None:
        return facts | {"mode": sides(players), "matchup": matchup(players)}
    facts["mode"] = _mode(lobby, attributes, players)
    facts["matchup"] = None if facts["mode"] in (COOP, ARCADE) else matchup(players)
    options: Any = lobby.game["m_gameOptions"]
    if isinstance(options, Mapping):  # the first betas have 16 bits, whose meaning is unknown
        facts["game_type"] = _game_type(lobby, options)
    game: Struct = lobby.game
    return facts | {"map_width": game.get("m_mapSizeX") or None, "map_height": game.get("m_mapSizeY") or None}
