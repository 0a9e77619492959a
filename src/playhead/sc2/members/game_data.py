"""The game (WoL, HotS, LotV) whose data a replay was played with, by the cache files that it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

LIBERTY, SWARM, VOID = "WoL", "HotS", "LotV"

#: Type and region, before the hash in a cache handle.
_HANDLE_HEAD = 8
_MODS = ("Core", "Liberty", "Swarm", "Void", "VoidMulti", "LibertyMulti", "SwarmMulti", "BalanceMulti")
_GAMES = {"Void": VOID, "Swarm": SWARM, "Liberty": LIBERTY}
FIRST_VOID = 34784


@cache
def _data() -> Mapping[bytes, str]:
    """Return the games' data by name in the game's cache, which is the hash of a text."""
    from hashlib import sha256

    return {sha256(f"Standard Data: {mod}.SC2Mod".encode()).digest(): mod for mod in _MODS}


def standard_data(cache_handles: Iterable[bytes]) -> list[str]:
    """Return Blizzard's own data among the handles, by the game's names: Liberty, Swarm, Void …"""
    data = _data()
    return [data[handle[_HANDLE_HEAD:]] for handle in cache_handles if handle[_HANDLE_HEAD:] in data]


def game_of(cache_handles: Sequence[bytes], build: int) -> str:
    """Return the game whose data a replay was played with: WoL, HotS or LotV, by its cache handles or else its
    build."""
    found = standard_data(cache_handles)
    for name, game in _GAMES.items():
        if name in found:
            return game
    return VOID if build >= FIRST_VOID else LIBERTY
