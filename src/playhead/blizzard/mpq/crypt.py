"""Hashes, digests and cipher of the MPQ format.

Index in the hash table, name check and key all use one table of 1,280 pseudo-random words, which a linear
congruential generator makes from the seed 0x00100001.
"""

from __future__ import annotations

import struct
from functools import cache, lru_cache

try:
    from _md5 import md5 as _md5  # type: ignore[import-not-found]  # hashlib loads OpenSSL, 2 ms of a first file
except ImportError:  # a Python without its own digests
    from hashlib import md5 as _md5

#: Purposes of a hash: the second argument of `hash_name`.
PLACE, NAME_A, NAME_B, KEY = range(4)


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


def decrypt(data: bytes | memoryview, key: int) -> bytes:
    """Return the deciphered `data`. As the format demands, the last ``len(data) % 4`` bytes stay unchanged."""
    words, rest = divmod(len(data), 4)
    table = _crypt_table()
    key &= 0xFFFFFFFF
    seed = 0xEEEEEEEE
    out = []
    for word in struct.unpack_from(f"<{words}I", data):
        seed = (seed + table[0x400 + (key & 0xFF)]) & 0xFFFFFFFF
        word ^= (key + seed) & 0xFFFFFFFF
        out.append(word)
        key = (((~key << 21) + 0x11111111) | (key >> 11)) & 0xFFFFFFFF
        seed = (word + seed + (seed << 5) + 3) & 0xFFFFFFFF
    return struct.pack(f"<{words}I", *out) + bytes(data[len(data) - rest :])


def encrypt(data: bytes, key: int) -> bytes:
    """The inverse of `decrypt`."""
    words, rest = divmod(len(data), 4)
    table = _crypt_table()
    key &= 0xFFFFFFFF
    seed = 0xEEEEEEEE
    out = []
    for word in struct.unpack_from(f"<{words}I", data):
        seed = (seed + table[0x400 + (key & 0xFF)]) & 0xFFFFFFFF
        out.append(word ^ ((key + seed) & 0xFFFFFFFF))
        key = (((~key << 21) + 0x11111111) | (key >> 11)) & 0xFFFFFFFF
        seed = (word + seed + (seed << 5) + 3) & 0xFFFFFFFF
    return struct.pack(f"<{words}I", *out) + data[len(data) - rest :]
