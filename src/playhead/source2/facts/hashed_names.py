"""Numbers that stand for names in Source 2: MurmurHash2 of the lower-case name."""

from __future__ import annotations

#: Seeds of the hashes of names, and of the names of sounds.
SEED, SOUND_SEED = 0x31415926, 0x53524332
_MULTIPLIER, _MASK = 0x5BD1E995, 0xFFFFFFFF


def name_hash(name: str, seed: int = SEED) -> int:
    """Return the number of a name: MurmurHash2 (32 bits) of its lower-case UTF-8 bytes."""
    data = name.lower().encode()
    size = len(data)
    value = seed ^ size
    whole = size - size % 4
    for at in range(0, whole, 4):
        word = int.from_bytes(data[at : at + 4], "little") * _MULTIPLIER & _MASK
        word = (word ^ word >> 24) * _MULTIPLIER & _MASK
        value = value * _MULTIPLIER & _MASK ^ word
    if size % 4:
        value = (value ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _MASK
    value = (value ^ value >> 13) * _MULTIPLIER & _MASK
    return value ^ value >> 15
