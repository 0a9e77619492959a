"""The index of a recording in a file beside it, so that a large one is read through only once.

Layout: `_MAGIC`; then, compressed by zlib: 8 bytes length of a JSON object, the object, and the slots of all
checkpoints as little-endian 32-bit integers. A file that is of another recording, of another version of playhead
or damaged in any way counts as missing: it is only ever made from the recording.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

from playhead.io.atomic import whole_file
from playhead.teehistorian.state.connections import Connection, Identity
from playhead.teehistorian.state.seek import SLOT_WIDTH, Checkpoint, SeekIndex
from playhead.teehistorian.stream.messages import MAX_CLIENTS

_MAGIC = b"playhead teehistorian index 3\n"
_SAMPLE = 1 << 16


def _identity(data: memoryview) -> str:
    """Return a digest that tells recordings and their lengths apart, without reading all of one."""
    digest = sha256(len(data).to_bytes(8, "little"))
    for start in (0, max(0, len(data) // 2), max(0, len(data) - _SAMPLE)):
        digest.update(data[start : start + _SAMPLE])
    return digest.hexdigest()


def _to_little_endian(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers


def _facts(connection: Connection) -> dict[str, Any]:
    """A connection as JSON; its identity is the last of its history."""
    facts = asdict(connection)
    del facts["identity"]
    for _, identity in facts["history"]:
        if identity["connection_id"] is not None:
            identity["connection_id"] = str(identity["connection_id"])
    return facts


def _connection(*, history: list[Any], taken_over: list[list[int]], **facts: Any) -> Connection:
    identities = []
    for tick, identity in history:
        if identity["connection_id"] is not None:
            identity["connection_id"] = UUID(identity["connection_id"])
        identities.append((int(tick), Identity(**identity)))
    times = [(int(tick), int(number)) for tick, number in taken_over]
    return Connection(**facts, identity=identities[-1][1], history=identities, taken_over=times)


def write_index(path: Path, index: SeekIndex, data: memoryview) -> None:
    """Write `index`, made from `data`, to `path`; the file appears whole or not at all."""
    facts = {
        "identity": _identity(data),
        "last_tick": index.last_tick,
        "teams": index.teams,
        "connections": [_facts(connection) for connection in index.connections],
        "checkpoints": [[c.offset, c.tick, c.last_cid, len(c.slots), c.connections] for c in index.checkpoints],
    }
    text = json.dumps(facts, separators=(",", ":")).encode()
    packer = zlib.compressobj(1)
    with whole_file(path) as temporary, temporary.open("wb") as file:
        file.write(_MAGIC)
        file.write(packer.compress(len(text).to_bytes(8, "little") + text))
        for checkpoint in index.checkpoints:
            file.write(packer.compress(_to_little_endian(checkpoint.slots).tobytes()))
        file.write(packer.flush())


def _checked(checkpoint: Checkpoint, data: memoryview, first_offset: int, connections: int) -> Checkpoint:
    slots = checkpoint.slots
    if (
        not first_offset <= checkpoint.offset <= len(data)
        or len(slots) % SLOT_WIDTH
        or any(not 0 <= cid < MAX_CLIENTS for cid in slots[::SLOT_WIDTH])
        or not 0 <= checkpoint.connections <= connections
        or any(not -1 <= one < checkpoint.connections for pair in checkpoint.sessions().values() for one in pair)
    ):
        raise ValueError("a checkpoint that no recording gives")
    return checkpoint


def _parse(packed: bytes, data: memoryview, first_offset: int) -> SeekIndex | None:
    # No index is larger than its recording by more than this; bounds what a damaged one may unpack to.
    unpacker = zlib.decompressobj()
    raw = unpacker.decompress(packed, len(data) + (1 << 24))
    if not unpacker.eof:  # cut; the checksum is at the end
        return None
    behind = 8 + int.from_bytes(raw[:8], "little")
    facts: dict[str, Any] = json.loads(raw[8:behind])
    if facts["identity"] != _identity(data):
        return None
    numbers: array[int] = array("i")
    numbers.frombytes(raw[behind:])
    numbers = _to_little_endian(numbers)
    checkpoints = []
    start = 0
    for offset, tick, last_cid, count, begun in facts["checkpoints"]:
        slots = numbers[start : start + count]
        start += count
        checkpoint = Checkpoint(int(offset), int(tick), int(last_cid), slots, int(begun))
        checkpoints.append(_checked(checkpoint, data, first_offset, len(facts["connections"])))
    if start != len(numbers) or not checkpoints:
        return None
    return SeekIndex(
        checkpoints=checkpoints,
        teams=[(int(tick), int(cid), int(team)) for tick, cid, team in facts["teams"]],
        connections=tuple(_connection(**row) for row in facts["connections"]),
        last_tick=int(facts["last_tick"]),
    )


def read_index(path: Path, data: memoryview, first_offset: int) -> SeekIndex | None:
    """Return the index in `path` if it is one of `data`, whose first message is at `first_offset`; else None."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if not content.startswith(_MAGIC):
        return None
    try:
        return _parse(content[len(_MAGIC) :], data, first_offset)
    except (ValueError, KeyError, TypeError, IndexError, EOFError, OverflowError, RecursionError, zlib.error):
        return None
