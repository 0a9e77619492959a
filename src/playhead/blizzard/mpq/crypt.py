"""Hashes, digests and cipher of the MPQ format.

Index in the hash table, name check and key all use one table of 1,280 pseudo-random words, which a linear
congruential generator makes from the seed 0x00100001.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

try:
    from _md5 import md5 as _md5  # type: ignore[import-not-found]  # hashlib loads OpenSSL, 2 ms of a first file
except ImportError:  # a Python without its own digests
    from hashlib import md5 as _md5

#: Purposes of a hash: the second argument of `hash_name`.
PLACE, NAME_A, NAME_B, KEY = range(4)
_MOST_KEPT = 1024


def md5(data: bytes | memoryview) -> bytes:
    """Return the MD5 of bytes, by which archives check their parts."""
    digest: bytes = _md5(data, usedforsecurity=False).digest()
    return digest


@cache
def _crypt_table() -> tuple[int, ...]:
    table = [0] * 0x500
    seed = 0x00100001
    for low in range(0x100):
        for high in range(5):
            seed = (seed * 125 + 3) % 0x2AAAAB
            upper = (seed & 0xFFFF) << 16
            seed = (seed * 125 + 3) % 0x2AAAAB
            table[high * 0x100 + low] = upper | (seed & 0xFFFF)
    return tuple(table)


@lru_cache(maxsize=256)
def hash_name(name: str, kind: int) -> int:
    """Return the 32-bit hash of a member name. Case and the direction of slashes make no difference.

    `kind` is `PLACE` (first index to look up in the hash table), `NAME_A` or `NAME_B` (stored in that table) or
    `KEY` (cipher key; of the base name alone).
    """
    table = _crypt_table()
    seed1, seed2 = 0x7FED7FED, 0xEEEEEEEE
    for byte in name.upper().replace("/", "\\").encode("utf-8"):
        seed1 = table[(kind << 8) + byte] ^ ((seed1 + seed2) & 0xFFFFFFFF)
        seed2 = (byte + seed1 + seed2 + (seed2 << 5) + 3) & 0xFFFFFFFF
    return seed1


def member_key(name: str) -> int:
    """Return the cipher key of a member, made from its base name."""
    return hash_name(name.replace("/", "\\").rpartition("\\")[2], KEY)


def _keys(key: int, words: int) -> Iterable[tuple[int, int]]:
    """Return the key of each word, and its addend to the seed; those of a small table are kept, as all archives
    have the same."""
    return _kept_keys(key, words) if words <= _MOST_KEPT else _made_keys(key, words)


def _made_keys(key: int, words: int) -> Iterator[tuple[int, int]]:
    table = _crypt_table()
    key &= 0xFFFFFFFF
    for _ in range(words):
        yield key, table[0x400 + (key & 0xFF)]
        key = (((~key << 21) + 0x11111111) | (key >> 11)) & 0xFFFFFFFF


@lru_cache(maxsize=16)
def _kept_keys(key: int, words: int) -> list[tuple[int, int]]:
    return list(_made_keys(key, words))


def decrypt(data: bytes | memoryview, key: int) -> bytes:
    """Return the deciphered `data`. As the format demands, the last ``len(data) % 4`` bytes stay unchanged."""
    words, rest = divmod(len(data), 4)
    seed = 0xEEEEEEEE
    out = []
    for word, (key_now, added) in zip(struct.unpack_from(f"<{words}I", data), _keys(key, words), strict=True):
        seed += added
        word ^= (key_now + seed) & 0xFFFFFFFF
        out.append(word)
        seed = (word + seed + (seed << 5) + 3) & 0xFFFFFFFF
    return struct.pack(f"<{words}I", *out) + bytes(data[len(data) - rest :])


def encrypt(data: bytes, key: int) -> bytes:
    """The inverse of `decrypt`."""
    words, rest = divmod(len(data), 4)
    seed = 0xEEEEEEEE
    out = []
    for word, (key_now, added) in zip(struct.unpack_from(f"<{words}I", data), _keys(key, words), strict=True):
        seed += added
        out.append(word ^ ((key_now + seed) & 0xFFFFFFFF))
        seed = (word + seed + (seed << 5) + 3) & 0xFFFFFFFF
    return struct.pack(f"<{words}I", *out) + data[len(data) - rest :]
