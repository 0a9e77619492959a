"""Ghosts of DDNet's client, version 6: a run to race against. `write_ghost` and `read_ghost`.

Format: DDNet's ``engine/shared/ghost.cpp`` and ``game/client/components/ghost.h``. Versions 4 and 5 are read too.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from playhead.errors import CorruptReplay, ReplayError, TruncatedReplay
from playhead.teehistorian.physics.demo.huffman import coded, numbers
from playhead.teehistorian.physics.demo.snapshots import looks, signed
from playhead.teehistorian.physics.world.world import GameWorld

if TYPE_CHECKING:
    from playhead.teehistorian.physics.rerun.message_effects import MessageEffects


MAGIC = b"TWGHOST\0"
_FIRST, _LAST = 4, 6
_HEAD = struct.Struct(">8sB16s64s4sII")
_SHA256 = 32
#: Kinds of chunks, and how many numbers each item has.
_SKIN, _TEE_WITHOUT_TICK, _TEE, _START = range(4)
_SIZES = {_SKIN: 9, _TEE_WITHOUT_TICK: 11, _TEE: 12, _START: 1}
#: Most items of a chunk, and most bytes that they decode to.
_MOST_ITEMS, _MOST_BYTES = 50, 128 * 50


class GhostTee(NamedTuple):
    """A tee on a tick: whole units, velocity in 256ths of a unit a tick, `angle` in 256ths of a radian."""

    x: int
    y: int
    velocity_x: int
    velocity_y: int
    angle: int
    direction: int
    weapon: int
    hook_state: int
    hook_x: int
    hook_y: int
    attack_tick: int
    tick: int


class Ghost(NamedTuple):
    """A run.

    Attributes:
        owner, map_name: of the run; map_sha256: hash of the map in hex digits, empty before version 6.
        milliseconds: time of the run.
        start_tick: tick of the start line; None if the file lacks it.
        skin: name of the skin as the game packs it, in six numbers; whether it is coloured; colours of body, feet.
        tees: the tee on each tick.
    """

    owner: str
    map_name: str
    map_sha256: str
    milliseconds: int
    start_tick: int | None
    skin: tuple[int, ...]
    tees: tuple[GhostTee, ...]


def write_ghost(file: BinaryIO, ghost: Ghost) -> None:
    """Write a ghost of version 6.

    Raises:
        ValueError: it has no tees.
    """
    if not ghost.tees:
        raise ValueError("a ghost needs at least one tick")
    owner, name = _cut(ghost.owner, 15), _cut(ghost.map_name, 63)
    file.write(_HEAD.pack(MAGIC, _LAST, owner, name, bytes(4), len(ghost.tees), ghost.milliseconds))
    file.write(bytes.fromhex(ghost.map_sha256))
    _write_items(file, _START, [(ghost.tees[0].tick if ghost.start_tick is None else ghost.start_tick,)])
    _write_items(file, _SKIN, [ghost.skin])
    _write_items(file, _TEE, ghost.tees)


def _cut(text: str, most: int) -> bytes:
    return text.encode()[:most].decode("utf-8", "ignore").encode()


def _write_items(file: BinaryIO, kind: int, items: Iterable[tuple[int, ...]]) -> None:
    whole = list(items)
    for begin in range(0, len(whole), _MOST_ITEMS):
        part = whole[begin : begin + _MOST_ITEMS]
        values = list(part[0])
        for before, item in pairwise(part):
            values += [signed(new - old) for old, new in zip(before, item, strict=True)]
        data = coded(values)
        file.write(struct.pack(">BBH", kind, len(part), len(data)))
        file.write(data)


def read_ghost(data: bytes | memoryview, note: Callable[[ReplayError], object] | None = None) -> Ghost:
    """Read a ghost.

    Args:
        note: called with an error after the head, which ends the reading; without it, the error is raised.

    Raises:
        CorruptReplay: it is no ghost, of another version, or damaged.
        TruncatedReplay: the file is cut.
        LimitExceeded: a chunk decodes to too much.
    """
    data = bytes(data)
    if data[: len(MAGIC)] != MAGIC:
        raise CorruptReplay("expected a ghost of DDNet, which begins with TWGHOST", offset=0)
    if len(data) < _HEAD.size + _SHA256:
        raise TruncatedReplay("the head of the ghost is cut", offset=len(data))
    _, version, owner, map_name, _, ticks, milliseconds = _HEAD.unpack_from(data)
    if not _FIRST <= version <= _LAST:
        raise CorruptReplay(f"expected a ghost of version {_FIRST} to {_LAST}, got {version}", offset=len(MAGIC))
    place = _HEAD.size + (_SHA256 if version == _LAST else 0)
    sha256 = data[_HEAD.size : place].hex()
    found: dict[int, list[tuple[int, ...]]] = {kind: [] for kind in _SIZES}
    try:
        _read_items(data, place, version, found)
        tees = found[_TEE] or found[_TEE_WITHOUT_TICK]
        if len(tees) != ticks:
            raise CorruptReplay(f"expected {ticks} ticks, as the head says, got {len(tees)}", offset=len(data))
    except ReplayError as error:
        if note is None:
            raise
        note(error)
    start = found[_START][0][0] if found[_START] else None
    tees = found[_TEE] or [(*item, tick) for tick, item in enumerate(found[_TEE_WITHOUT_TICK])]
    skin = found[_SKIN][0] if found[_SKIN] else (0,) * _SIZES[_SKIN]
    texts = [field.split(b"\0")[0].decode("utf-8", "replace") for field in (owner, map_name)]
    return Ghost(texts[0], texts[1], sha256, milliseconds, start, skin, tuple(GhostTee(*tee) for tee in tees))


def _read_items(data: bytes, place: int, version: int, found: dict[int, list[tuple[int, ...]]]) -> None:
    """Append the items of all chunks from `place` on to those of their kind."""
    last: dict[int, tuple[int, ...]] = {}
    while place < len(data):
        if place + 4 > len(data):
            raise TruncatedReplay("the last chunk of the ghost is cut", offset=place)
        kind, count, size = struct.unpack_from(">BBH", data, place)
        if kind not in _SIZES:
            raise CorruptReplay(f"expected a chunk of type 0 to 3, got {kind}", offset=place)
        chunk = data[place + 4 : place + 4 + size]
        if len(chunk) < size:
            raise TruncatedReplay("the last chunk of the ghost is cut", offset=place)
        try:
            values = numbers(chunk, _MOST_BYTES)
        except CorruptReplay as error:
            error.locate(offset=place)
            raise
        width = _SIZES[kind]
        if not 0 < count <= _MOST_ITEMS or len(values) < count * width:
            raise CorruptReplay(f"expected {count} items of {width} numbers, got {len(values)}", offset=place)
        # Version 4 continues from the last item of the chunk before, if it has the same type.
        before = last.get(kind) if version == _FIRST else None
        for begin in range(0, count * width, width):
            item = tuple(values[begin : begin + width])
            if before is not None:
                item = tuple(signed(old + new) for old, new in zip(before, item, strict=True))
            found[kind].append(item)
            before = item
        last = {kind: found[kind][-1]}
        place += 4 + size


#: The weapon that the client shows in the hand of a frozen tee.
_NINJA = 5


class GhostWatcher:
    """Keeps the tee of a client from one tick to another.

    Attributes:
        name: the last name of the client.
    """

    def __init__(self, cid: int, first: int, last: int) -> None:
        self.name = ""
        self._cid, self._first, self._last = cid, first, last
        self._tees: list[GhostTee] = []
        self._skin: tuple[int, ...] = ()

    def begin(self, world: GameWorld, effects: MessageEffects) -> None:
        """Follow a pass."""
        self._world, self._effects = world, effects

    def on_tick(self, tick: int) -> None:
        """Keep the tee of a simulated tick."""
        tee = self._world.tees[self._cid]
        if not (self._first <= tick <= self._last and tee.alive):
            return
        connection = self._effects.connection(self._cid)
        if connection is not None:
            identity = connection.identity
            self.name, self._skin = identity.name or "", looks(identity.skin, identity.colors)
        frozen = tee.freeze_ticks > 0 or tee.deep
        self._tees.append(
            GhostTee(
                *(int(tee.x), int(tee.y), round(tee.vel_x * 256), 0, tee.angle, tee.direction),
                *(_NINJA if frozen else tee.weapon, tee.hook_state, int(tee.hook_x), int(tee.hook_y)),
                *(tee.attack_tick, tick),
            )
        )

    def ghost(self, name: str, map_name: str, map_sha256: str, milliseconds: int) -> Ghost:
        """Return the ghost; the client counts its start one tick before the server."""
        start = self._first - 1
        return Ghost(name, map_name, map_sha256, milliseconds, start, self._skin, tuple(self._tees))
