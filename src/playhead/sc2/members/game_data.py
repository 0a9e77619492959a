"""The game (WoL, HotS, LotV) whose data a replay was played with, by the cache files that it names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
