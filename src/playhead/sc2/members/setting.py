"""The kind of game (teams, matchmaking, region, the game's data), and the words for its codes: attributes, races.

Names of the game's own attributes are numbers in the file, and values up to four letters. Their words are in
``attribute_names.json``, with their source and licence; ``tools/build_sc2_attributes.py`` writes it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from playhead.blizzard.members.lobby import Attribute, Lobby, Struct
from playhead.model import Player
from playhead.runtime.beside import read_beside
from playhead.text.names import ordered_matchup

#: Namespace of the game's own attributes; all others belong to a map or mod, and only its data names them.
GAME_NAMESPACE = 999

CONTROLLER, RACE, DIFFICULTY, ROLE, COMMANDER = 500, 3001, 3004, 3007, 3013


@cache
def _known() -> dict[int, tuple[str, dict[str, str]]]:
    data: dict[str, Any] = json.loads(read_beside(__file__, "attribute_names.json"))
    return {int(number): (name, data["values"][place]) for number, (name, place) in data["attributes"].items()}


@lru_cache(1 << 12)
def words_of(namespace: int, attribute: int, value: str) -> tuple[str | None, str | None]:
    """Return the name of an attribute and its value in words; see `attribute_name` and `value_name`."""
    row = Attribute(namespace, attribute, 0, value)
    return attribute_name(row), value_name(row)


def attribute_name(row: Attribute) -> str | None:
    """Return the name of an attribute (``Difficulty``); None if unknown, or a map's own."""
    if row.namespace != GAME_NAMESPACE or row.attribute not in _known():
        return None
    return _known()[row.attribute][0]


def value_name(row: Attribute) -> str | None:
    """Return the value of an attribute in words (``Medium``), or a number unchanged; None if unknown."""
    if attribute_name(row) is None:
        return None
    code = row.value.strip()
    word = _known()[row.attribute][1].get(code)
    if word is None and code.isdigit() and all(each.isdigit() for each in _known()[row.attribute][1]):
        return code
    return word


TERRAN, PROTOSS, ZERG, RANDOM = "Terran", "Protoss", "Zerg", "Random"

#: Races by their number in the lobby; no number is a random race.
RACES = (TERRAN, ZERG, PROTOSS)

#: Spellings of ``replay.details``, in the language of the player who saved the replay. Those of the corpus agree
#: with the picked race or with English metadata in the same file; some are only in sc2reader's list.
_SPELLINGS = {
    TERRAN: ("Terran", "Terraner", "Terrano", "Terranie", "Терран", "Терраны", "테란", "人类", "人類"),
    PROTOSS: ("Protoss", "Protosi", "Протосс", "Протоссы", "프로토스", "星灵", "神族"),
    ZERG: ("Zerg", "Zergi", "Зерг", "Зерги", "저그", "异虫", "蟲族"),
}
_BY_SPELLING = {spelling: race for race, spellings in _SPELLINGS.items() for spelling in spellings}

#: First four letters of the English name: metadata and attributes.
_BY_CODE = {"Terr": TERRAN, "Prot": PROTOSS, "Zerg": ZERG, "Rand": RANDOM, "RAND": RANDOM}


def english_race(spelling: str | None) -> str | None:
    """Return the English name of a race; for commanders with a race in their name (``Terran Tychus``) the first
    word. None for an unknown spelling."""
    first, *_ = (spelling or "").split() or [""]
    return _BY_SPELLING.get(spelling or "") or _BY_SPELLING.get(first)


def race_of_code(code: str | None) -> str | None:
    """Return the race of ``Terr``, ``Prot``, ``Zerg``, ``Rand`` (any race)."""
    return None if code is None else _BY_CODE.get(code.strip())


def race_of_number(number: int | None) -> str | None:
    """Return the race of a lobby's preference; None (no preference) is random."""
    if number is None:
        return RANDOM
    return RACES[number] if 0 <= number < len(RACES) else None


LIBERTY, SWARM, VOID = "WoL", "HotS", "LotV"

#: Type and region, before the hash in a cache handle.
_HANDLE_HEAD = 8
_GAMES = {"Void": VOID, "Swarm": SWARM, "Liberty": LIBERTY}
FIRST_VOID = 34784
#: The games' data by name in the game's cache: the SHA-256 of ``Standard Data: Core.SC2Mod``. As numbers, since
#: `hashlib` loads OpenSSL, 2 ms of a first file.
STANDARD = {
    "6de41503baccd05656360b6f027db88169fa1989bb6357b1b215a2547939f5fb": "Core",
    "421c8aa0f3619b652d23a2735dfee812ab644228235e7a797edecfe8b67da30e": "Liberty",
    "66093832128453efffbb787c80b7d3eec1ad81bde55c83c930dea79c4e505a04": "Swarm",
    "d92dfc48c484c59154270b924ad7d57484f2ab9a47621c7ab16431bf66c53b40": "Void",
    "af23fed12efa6c496166dcf9441f802f33ab15172a87133dfae41ed603e3de16": "VoidMulti",
    "5c673e6cd2f1bf6e068fa59e2f9421f5debb91cb516aca3237d3b05fe7c7e9fa": "LibertyMulti",
    "881585946366c3c9d1499f38aba954216d3213de69554b9bee6b07311fb38336": "SwarmMulti",
    "a41a0872e6c56074fe3f4c82857524095c7a97e42ce15c0dfad730586e1439a9": "BalanceMulti",
}


def standard_data(cache_handles: Iterable[bytes]) -> list[str]:
    """Return Blizzard's own data among the handles, by the game's names: Liberty, Swarm, Void …"""
    names = (handle[_HANDLE_HEAD:].hex() for handle in cache_handles)
    return [STANDARD[name] for name in names if name in STANDARD]


def game_of(cache_handles: Sequence[bytes], build: int) -> str:
    """Return the game whose data a replay was played with: WoL, HotS or LotV, by its cache handles or else its
    build."""
    found = standard_data(cache_handles)
    for name, game in _GAMES.items():
        if name in found:
            return game
    return VOID if build >= FIRST_VOID else LIBERTY


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
