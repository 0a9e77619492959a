"""The seek index of a recording in a file, to read a large recording only once.

Layout: `_MAGIC`; then, compressed by zlib: 8 bytes length of a JSON object, the object, and the slots of all
checkpoints as little-endian 32-bit integers. A file of another recording or another version of playhead, or a
damaged one, counts as missing; the index is then built again.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints
from uuid import UUID

from playhead.io.atomic import whole_file
from playhead.runtime.records import asdict
from playhead.teehistorian.state.connections import Connection, Identity
from playhead.teehistorian.state.seek import SLOT_WIDTH, Checkpoint, SeekIndex
from playhead.teehistorian.stream.messages import MAX_CLIENTS
from playhead.teehistorian.stream.reader import MAX_TICK

_MAGIC = b"playhead teehistorian index 5\n"

#: `Checkpoint.last_cid` before the first tick.
_BEFORE_FIRST_TICK = 0x7FFFFFFF

_Made = TypeVar("_Made", Connection, Identity)


def _identity(data: memoryview) -> str:
    """Return a digest of a recording: of all its bytes, as one changed byte can change every state after it."""
    return sha256(data).hexdigest()


def _to_little_endian(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers


def _facts(connection: Connection) -> dict[str, Any]:
    """Return a connection as JSON; its identity is the last one of its history."""
    facts = asdict(connection)
    del facts["identity"]
    for _, identity in facts["history"]:
        if identity["connection_uuid"] is not None:
            identity["connection_uuid"] = str(identity["connection_uuid"])
    return facts


def _connection(*, history: list[Any], taken_over: list[list[int]], **facts: Any) -> Connection:
    identities = []
    for tick, identity in history:
        if identity["connection_uuid"] is not None:
            identity["connection_uuid"] = UUID(str(identity["connection_uuid"]))
        if identity["colors"] is not None:
            body, feet = identity["colors"]
            identity["colors"] = (int(body), int(feet))
        identities.append((int(tick), _typed(Identity(**identity), _IDENTITY)))
    times = [(int(tick), int(number)) for tick, number in taken_over]
    made = Connection(**facts, identity=identities[-1][1], history=identities, taken_over=times)
    return _typed(made, _CONNECTION)


def _types_of(kind: type) -> dict[str, Any]:
    """Return the allowed types of the fields of a class; for a list or tuple, without those of its items."""

    def allowed(hint: Any) -> tuple[type, ...]:
        alternatives = (hint,) if get_origin(hint) is list else get_args(hint) or (hint,)
        return tuple(get_origin(each) or each for each in alternatives)

    return {name: allowed(hint) for name, hint in get_type_hints(kind).items()}


_CONNECTION, _IDENTITY = _types_of(Connection), _types_of(Identity)


def _typed(made: _Made, types: dict[str, Any]) -> _Made:
    """Create an object, or raise TypeError if a field has another type."""
    for name, allowed in types.items():
        value = getattr(made, name)
        if not isinstance(value, allowed) or isinstance(value, bool):
            raise TypeError(f"a {name} that no recording gives: {value!r}")
    return made


def pack_index(index: SeekIndex, data: memoryview) -> Iterator[bytes]:
    """Yield the bytes of the file for the `index` of `data`, in pieces."""
    facts = {
        "identity": _identity(data),
        "last_tick": index.last_tick,
        "teams": index.teams,
        "connections": [_facts(connection) for connection in index.connections],
        "checkpoints": [[c.offset, c.tick, c.last_cid, len(c.slots), c.connections] for c in index.checkpoints],
    }
    text = json.dumps(facts, separators=(",", ":")).encode()
    packer = zlib.compressobj(1)
    yield _MAGIC
    yield packer.compress(len(text).to_bytes(8, "little") + text)
    for checkpoint in index.checkpoints:
        yield packer.compress(_to_little_endian(checkpoint.slots).tobytes())
    yield packer.flush()


def write_index(path: Path, index: SeekIndex, data: memoryview) -> None:
    """Write the `index` of `data` to `path`, atomically."""
    with whole_file(path) as temporary, temporary.open("wb") as file:
        file.writelines(pack_index(index, data))


def _checked(checkpoint: Checkpoint, data: memoryview, first_offset: int, connections: int) -> Checkpoint:
    slots = checkpoint.slots
    if (
        not first_offset <= checkpoint.offset <= len(data)
        or not -1 <= checkpoint.tick <= MAX_TICK
        or not -1 <= checkpoint.last_cid <= _BEFORE_FIRST_TICK
        or len(slots) % SLOT_WIDTH
        or any(not 0 <= cid < MAX_CLIENTS for cid in slots[::SLOT_WIDTH])
        or not 0 <= checkpoint.connections <= connections
        or any(not -1 <= one < checkpoint.connections for pair in checkpoint.sessions().values() for one in pair)
    ):
        raise ValueError("a checkpoint that no recording gives")
    return checkpoint


def parse_index(content: bytes, data: memoryview, first_offset: int) -> SeekIndex | None:
    """Decode the bytes of a file; see `read_index`."""
    if not content.startswith(_MAGIC):
        return None
    try:
        return _parse(content[len(_MAGIC) :], data, first_offset)
    except (ValueError, KeyError, TypeError, IndexError, EOFError, OverflowError, RecursionError, zlib.error):
        return None


def _parse(packed: bytes, data: memoryview, first_offset: int) -> SeekIndex | None:
    # An index is at most this much larger than its recording: bounds the decompressed size of a damaged file.
    unpacker = zlib.decompressobj()
    raw = unpacker.decompress(packed, len(data) + (1 << 24))
    if not unpacker.eof:  # truncated: the checksum is at the end
        return None
    end = 8 + int.from_bytes(raw[:8], "little")
    facts: dict[str, Any] = json.loads(raw[8:end])
    if facts["identity"] != _identity(data):
        return None
    numbers: array[int] = array("i")
    numbers.frombytes(raw[end:])
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
    """Return the index in `path` if it belongs to `data`, whose first message is at `first_offset`; else None."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    return parse_index(content, data, first_offset)
