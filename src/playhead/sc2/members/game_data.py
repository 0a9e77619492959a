"""The game (WoL, HotS, LotV) whose data a replay was played with, by the cache files that it names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

LIBERTY, SWARM, VOID = "WoL", "HotS", "LotV"

#: Type and region, before the hash in a cache handle.
_HANDLE_HEAD = 8
#: The games' data are members of the game's cache under a name that is a hash of this text.
_DATA = {
    hashlib.sha256(f"Standard Data: {mod}.SC2Mod".encode()).digest(): mod
    for mod in ("Core", "Liberty", "Swarm", "Void", "VoidMulti", "LibertyMulti", "SwarmMulti", "BalanceMulti")
}
_GAMES = {"Void": VOID, "Swarm": SWARM, "Liberty": LIBERTY}
FIRST_VOID = 34784


def standard_data(cache_handles: Iterable[bytes]) -> list[str]:
    """Return Blizzard's own data among the handles, by the game's names: Liberty, Swarm, Void …"""
    return [_DATA[handle[_HANDLE_HEAD:]] for handle in cache_handles if handle[_HANDLE_HEAD:] in _DATA]


def game_of(cache_handles: Sequence[bytes], build: int) -> str:
    """Return the game whose data a replay was played with: WoL, HotS or LotV, by its cache handles or else its
    build."""
    found = standard_data(cache_handles)
    for name, game in _GAMES.items():
        if name in found:
            return game
    return VOID if build >= FIRST_VOID else LIBERTY
