"""MPQ archives: tables, members, digests."""

from __future__ import annotations

import contextlib
import struct
from random import Random

import mutation

from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.crypt import decrypt, encrypt
from playhead.blizzard.mpq.layout import BLOCK_TABLE_KEY, ENTRY_SIZE, HASH_TABLE_KEY
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET
from playhead.errors import ReplayError
from targets import LIMITS


def fuzz(data: bytes) -> None:
    view = memoryview(data)
    archive = MpqArchive(view, ARCHIVE_OFFSET, member_names.KNOWN_NAMES, LIMITS)
    for index in range(min(len(archive.blocks), 64)):
        with contextlib.suppress(ReplayError):
            archive.check_digests(index)
    for name in archive.names:
        try:
            archive.read(name)
        except ReplayError:
            continue


def mutate(data: bytes, random: Random) -> bytes:
    """Change a number of the hash table or the block table. Both are encrypted, so other changes are noise."""
    head = data[ARCHIVE_OFFSET + 16 : ARCHIVE_OFFSET + 32]
    if len(head) < 16:
        return mutation.change(data, random)
    hash_at, block_at, hashes, blocks = struct.unpack("<4I", head)
    of_blocks = random.random() < 0.8
    key, at, count = (BLOCK_TABLE_KEY, block_at, blocks) if of_blocks else (HASH_TABLE_KEY, hash_at, hashes)
    begin = ARCHIVE_OFFSET + at
    end = begin + ENTRY_SIZE * count
    if not count or end > len(data):
        return mutation.change(data, random)
    numbers = list(struct.unpack(f"<{4 * count}I", decrypt(data[begin:end], key)))
    for _ in range(random.randrange(1, 4)):
        place = random.randrange(len(numbers))
        near = (numbers[place] ^ 1 << random.randrange(32), numbers[place] + 1 & 0xFFFF)
        odd = (0, 1, len(data), random.choice(numbers), 1 << random.randrange(32), 0xFFFFFFFF)
        numbers[place] = random.choice(odd + near)
    if data[ARCHIVE_OFFSET + 12] == 3:  # an all-zero digest counts as missing
        data = data[: ARCHIVE_OFFSET + 112] + bytes(96) + data[ARCHIVE_OFFSET + 208 :]
    return data[:begin] + encrypt(struct.pack(f"<{4 * count}I", *numbers), key) + data[end:]
