"""Reads a map file: its container, and from it `Tiles`, entities, exits of teleporters and settings."""

from __future__ import annotations

import hashlib
import math
import struct
import zlib
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path

from playhead.errors import CorruptReplay, LimitExceeded, ReplayError
from playhead.runtime.records import dataclass
from playhead.teehistorian.physics.arena.single import cosine, rounded, sine, single
from playhead.teehistorian.physics.arena.tiles import Tiles
from playhead.teehistorian.stream.header import Header

_HEAD = 36
#: Types of items, layers, and flags of layers.
INFO, GROUP, LAYER = 1, 4, 5
TILE_LAYER = 2
#: Flag of a tile layer, place of its block's number in an item with and without a name, bytes of a tile.
LAYERS = {
    "game": (1, 14, 14, 4),
    "front": (8, 20, 17, 4),
    "tele": (2, 18, 15, 2),
    "speedup": (4, 19, 16, 6),
    "switch": (16, 21, 18, 4),
    "tune": (32, 22, 19, 2),
}


class MapContainer:
    """The items and blocks of one file."""

    def __init__(self, data: bytes, name: str) -> None:
        """
        Raises:
            CorruptReplay: the file is no map, or damaged.
        """
        self._data = data
        self._name = name
        if data[:4] not in (b"DATA", b"ATAD"):
            raise self.error("expected a map: the file does not begin with DATA")
        version, _, _, types, items, blocks, item_bytes, _ = self._ints(4, 8)
        if version not in (3, 4):
            raise self.error(f"expected a map of container version 3 or 4, found {version}")
        if min(types, items, blocks, item_bytes) < 0 or 4 * (3 * types + items + blocks) > len(data):
            raise self.error("expected counts that fit the file")
        place = _HEAD + 12 * types
        self._item_offsets = self._ints(place, items)
        place += 4 * items
        self._block_offsets = self._ints(place, blocks)
        place += 4 * blocks
        self._sizes = self._ints(place, blocks) if version == 4 else ()
        self._items = place + 4 * len(self._sizes)
        self._blocks = self._items + item_bytes

    def error(self, text: str) -> CorruptReplay:
        """Return an error that names the file."""
        return CorruptReplay(text, file=self._name)

    def _ints(self, place: int, count: int) -> tuple[int, ...]:
        if place < 0 or count < 0 or place + 4 * count > len(self._data):
            raise self.error(f"expected {count} numbers at byte {place}, the file ends before")
        return struct.unpack_from(f"<{count}i", self._data, place)

    def items(self, kind: int) -> Iterator[tuple[int, ...]]:
        """Yield the items of a type, as numbers."""
        for offset in self._item_offsets:
            key, size = self._ints(self._items + offset, 2)
            if (key >> 16) & 0xFFFF == kind:
                yield self._ints(self._items + offset + 8, size // 4)

    def block(self, number: int, most: int) -> bytes:
        """Return a block, at most `most` bytes of it."""
        if not 0 <= number < len(self._block_offsets):
            raise self.error(f"expected a block below {len(self._block_offsets)}, found {number}")
        begin = self._blocks + self._block_offsets[number]
        ends = [*self._block_offsets[number + 1 : number + 2], len(self._data) - self._blocks]
        end = self._blocks + ends[0]
        if not self._blocks <= begin <= end <= len(self._data):
            raise self.error(f"expected block {number} within the file")
        if not self._sizes:
            return self._data[begin : min(end, begin + most)]
        try:
            return zlib.decompressobj().decompress(self._data[begin:end], most)
        except zlib.error as error:
            raise self.error(f"block {number} is damaged: {error}") from None

    def settings(self) -> tuple[str, ...]:
        """Return the commands that the server runs when it loads the map."""
        for item in self.items(INFO):
            if len(item) > 5 and item[5] >= 0:
                text = self.block(item[5], 1 << 20)
                return tuple(part.decode("utf-8", "replace") for part in text.split(b"\0") if part)
        return ()

    def layers(self, most_tiles: int) -> tuple[int, int, dict[str, bytes]]:
        """Return width, height and the physical layers by the names of `LAYERS`.

        Raises:
            CorruptReplay: there is no game layer, or layers have different sizes.
            OverflowError: there are more than `most_tiles` tiles.
        """
        found: dict[str, tuple[int, ...]] = {}
        for item in self.items(LAYER):
            if len(item) > 14 and item[1] == TILE_LAYER:
                for name, (flag, *_) in LAYERS.items():
                    if item[6] == flag:
                        found[name] = item
        if "game" not in found:
            raise self.error("expected a map with a game layer")
        width, height = found["game"][4:6]
        if width < 1 or height < 1:
            raise self.error(f"expected a map of tiles, found {width} x {height}")
        if width * height > most_tiles:
            raise OverflowError(width * height)
        layers = {}
        for name, item in found.items():
            _, named, unnamed, size = LAYERS[name]
            place = named if item[3] > 2 else unnamed
            if item[4:6] != (width, height) or place >= len(item):
                raise self.error(f"expected all layers of one size, layer {name} has another")
            data = self.block(item[place], width * height * size)
            if name == "game" and item[3] > 3:
                data = _unskipped(data, width * height)
            if len(data) != width * height * size:
                raise self.error(f"expected {width * height} tiles in layer {name}, found {len(data) // size}")
            layers[name] = data
        return width, height, layers


def _unskipped(data: bytes, tiles: int) -> bytes:
    """Return a layer in which each tile said how often it is repeated, with each tile once."""
    found = bytearray()
    for place in range(0, len(data) - 3, 4):
        found += (data[place : place + 2] + b"\0\0") * (data[place + 2] + 1)
        if len(found) >= 4 * tiles:
            break
    return bytes(found[: 4 * tiles])


#: Largest map file, and largest number of tiles: far above those of real maps.
MOST_BYTES = 256 << 20
MOST_TILES = 16 << 20

MOST_ENTITIES = 65_536
#: Lasers, draggers, turrets and bullets, which act on every tick: far above those of real maps.
MOST_MACHINES = 4_096


#: Number of the first entity among the tiles, and of those that this module or `entities` asks for.
ENTITY_OFFSET = 191
DOOR, LASER_SHORT, LASER_LONG = 49, 19, 21
_MACHINES = {*range(12, 19), *range(29, 35), *range(42, 48), DOOR}


@dataclass(frozen=True, slots=True)
class MapEntity:
    """A thing of a map: its number (`ENTITY_OFFSET` less than its tile), tile, flags, and switch.

    Attributes:
        number: switch that turns it off; 0 for none.
        beside: numbers of the entities in the same layer around it (down, then against the clock), then of those
            two tiles away.
    """

    kind: int
    column: int
    row: int
    flags: int
    number: int
    beside: tuple[int, ...]

    @property
    def x(self) -> int:
        """Centre of its tile, in units."""
        return 32 * self.column + 16

    @property
    def y(self) -> int:
        """Centre of its tile, in units."""
        return 32 * self.row + 16


@dataclass(frozen=True, slots=True)
class GameMap:
    """A map that a recording can be played again on.

    Attributes:
        name: name of the file.
        data: its bytes.
        sha256: hash of the file, in hex digits.
        tiles: its tiles.
        entities: pickups, doors and the like, in the order in which the server makes them.
        exits, checkpoint_exits: exits of teleporters by number, in units.
        settings: commands that the server runs when it loads the map.
        is_other: it is not the map of the recording.
    """

    name: str
    data: bytes
    sha256: str
    tiles: Tiles
    entities: tuple[MapEntity, ...]
    exits: dict[int, list[tuple[int, int]]]
    checkpoint_exits: dict[int, list[tuple[int, int]]]
    settings: tuple[str, ...]
    is_other: bool


def map_files(folder: Path, header: Header) -> Iterator[Path]:
    """Yield files in a folder with the name of a recording's map: the client's ``NAME_<sha256>.map``, an old
    client's ``NAME_<crc>.map``, and ``NAME.map``."""
    name = header.text("map_name") or ""
    if name and not set(name) & set("/\\\0:") and name not in (".", ".."):  # a colon is a drive of Windows
        sums = (header.text("map_sha256") or "", header.text("map_crc") or "")
        for path in (*(folder / f"{name}_{sum}.map" for sum in sums if sum.isalnum()), folder / f"{name}.map"):
            if path.is_file():
                yield path


def find_map(folder: Path, header: Header) -> Path:
    """Return the file of a recording's map in a folder: by name (see `map_files`) and hash, or else by hash alone.
    Failing both, return another map of that name, which the caller may accept.

    Raises:
        ReplayError: there is none; the text names the map, its hash and the option.
        OSError: a file cannot be read.
    """
    name, sha256 = header.text("map_name") or "", header.text("map_sha256") or ""
    named = [*map_files(folder, header)]
    size = header.number("map_size")
    maps = (path for path in sorted(folder.glob("*.map")) if path.is_file())
    others = (path for path in maps if size in (None, path.stat().st_size))
    for path in (*named, *others):
        if path.stat().st_size <= MOST_BYTES and is_map_of(path.read_bytes(), header):
            return path
    if named:
        return named[0]
    hashed = f" or {name}_{sha256}.map" if sha256 else ""
    raise ReplayError(
        f"needs the map {name!r} (sha256 {sha256 or 'not recorded'}): no {name}.map{hashed} in "
        f"{folder}; give the file with --map FILE|DIR"
    )


def read_map(path: str | Path, header: Header, *, other_map: bool = False) -> GameMap:
    """Read a map and check that it is that of the recording.

    Args:
        other_map: accept another map.

    Raises:
        ReplayError: it is another map.
        LimitExceeded: the file or the map is too large.
        CorruptReplay: the file is no map.
        OSError: the file cannot be read.
    """
    path = Path(path)
    if path.stat().st_size > MOST_BYTES:
        raise LimitExceeded(f"the map is larger than {MOST_BYTES} bytes", file=str(path))
    data = path.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    is_other = _is_other(data, sha256, header)
    if is_other and not other_map:
        raise ReplayError(
            f"is not the map of this recording, {header.text('map_name')!r} with sha256 "
            f"{header.text('map_sha256') or 'not recorded'}, crc {header.text('map_crc')}: its sha256 is {sha256} "
            "(--other-map accepts it)",
            file=str(path),
        )
    return decode_map(data, str(path), path.name, sha256, is_other)


def decode_map(data: bytes, file_name: str, name: str, sha256: str, is_other: bool) -> GameMap:
    """Decode a map; errors are those of `read_map`."""
    file = MapContainer(data, file_name)
    try:
        width, height, layers = file.layers(MOST_TILES)
    except OverflowError:
        raise LimitExceeded(f"the map has more than {MOST_TILES} tiles", file=file_name) from None
    parts = _parts(width * height, layers)
    entities = tuple(_entities(width, parts))
    if sum(entity.kind in _MACHINES for entity in entities) > MOST_MACHINES:
        raise LimitExceeded(f"the map has more than {MOST_MACHINES} lasers, draggers and turrets", file=file_name)
    _add_doors(width, height, parts, entities)
    angles = array("h", layers["speedup"]) if "speedup" in layers else array("h")
    return GameMap(
        name,
        data,
        sha256,
        Tiles(width, height, parts, angles[2::3] if angles else array("h", bytes(2 * width * height))),
        entities,
        _places(width, parts, 27),
        _places(width, parts, 30),
        file.settings(),
        is_other,
    )


def is_map_of(data: bytes, header: Header) -> bool:
    """Return whether bytes are the map of a recording, by SHA-256 or, in old recordings, CRC-32 and size."""
    return not _is_other(data, hashlib.sha256(data).hexdigest(), header)


def _is_other(data: bytes, sha256: str, header: Header) -> bool:
    recorded = header.text("map_sha256")
    if recorded:
        return recorded.lower() != sha256
    crc, size = header.text("map_crc"), header.number("map_size")
    return (crc or "").lower() != f"{zlib.crc32(data):08x}" or size != len(data)


#: The arrays that the bytes of each tile of a layer belong to.
_PARTS = {
    "game": "game game_flags",
    "front": "front front_flags",
    "tele": "tele_number tele",
    "speedup": "speedup_force speedup_most speedup_type",
    "switch": "switch_number switch switch_flags switch_delay",
    "tune": "tune tune_on",
}


def _parts(size: int, layers: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the arrays of `BYTES`; empty ones are one object."""
    parts, empty = {}, bytes(size)
    for kind, names in _PARTS.items():
        data, step = layers.get(kind), LAYERS[kind][-1]
        for place, name in enumerate(names.split()):
            part = empty if data is None else data[place::step]
            if name in ("game_flags", "front_flags"):
                part = part.translate(_FLAGS)
            parts[name] = empty if part == empty else part
    on = parts.pop("tune_on")
    if any(parts["tune"]):
        parts["tune"] = bytes(number if kind else 0 for number, kind in zip(parts["tune"], on, strict=True))
    parts["wall"] = parts["game"].translate(_WALLS)
    parts["door"] = parts["door_number"] = empty
    return parts


_FLAGS = bytes(flags & 11 for flags in range(256))
_WALLS = bytes(tile if 1 <= tile <= 4 else 0 for tile in range(256))
#: Tiles that act on a tee that is on them, in the game and the front layer.
_SPECIAL = bytes(9 <= tile <= 129 or tile in (144, 145) for tile in range(256))
_STOPS = bytes(tile in (61, 62) for tile in range(256))
_TELEPORTERS = bytes(tile in (10, 26, 29, 31, 63) for tile in range(256))
_ANY = bytes(tile > 0 for tile in range(256))


def _special(width: int, parts: Mapping[str, bytes]) -> bytes:
    """Mark the tiles that act on a tee on them, and those beside a stopper that the server looks for.

    Beside a one-way stopper that is flipped, not turned, a tee is stopped only if something else acts there.
    """
    masks = [parts[layer].translate(_SPECIAL) for layer in ("game", "front")]
    masks += [parts[layer].translate(_ANY) for layer in ("speedup_force", "switch", "tune", "door")]
    masks.append(parts["tele"].translate(_TELEPORTERS))
    stops = [parts["door"].translate(_ANY)]
    for layer in ("game", "front"):
        stops.append(parts[layer].translate(_STOPS))
        if 60 in parts[layer]:
            sides = zip(parts[layer], parts[layer + "_flags"], strict=True)
            turned = bytes(_TURNED.get(flags, 0) if tile == 60 else 0 for tile, flags in sides)
            masks += [
                _moved(turned.translate(table), step * width ** (side % 2)) for side, (table, step) in _SIDES
            ]
    for stop in stops:
        if any(stop):
            masks += [_moved(stop, step) for step in (-1, 1, -width, width)]
    found = 0
    for mask in masks:
        found |= int.from_bytes(mask, "little")
    return found.to_bytes(len(parts["game"]), "little")


def _moved(mask: bytes, step: int) -> bytes:
    """Return a mask moved by so many tiles."""
    return bytes(step) + mask[:-step] if step > 0 else mask[-step:] + bytes(-step)


#: Side of a one-way stopper that it closes, by its flags: left, above, right, below; and the step to that tile.
_TURNED = {11: 1, 0: 2, 8: 3, 3: 4}
_SIDES = tuple(
    enumerate(
        (bytes(side == value for value in range(256)), step) for side, step in ((1, -1), (2, -1), (3, 1), (4, 1))
    )
)


_BESIDE = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))


def _entities(width: int, parts: Mapping[str, bytes]) -> Iterator[MapEntity]:
    """Yield entities as the server makes them: row by row, of a tile those of game, front, and switch layer."""
    kinds = (("game", "game_flags"), ("front", "front_flags"), ("switch", "switch_flags"))
    found = sorted(
        (place, number)
        for number, (layer, _) in enumerate(kinds)
        if max(parts[layer]) > ENTITY_OFFSET + 3
        for place, tile in enumerate(parts[layer])
        if tile > ENTITY_OFFSET + 3
    )
    if len(found) > MOST_ENTITIES:
        raise LimitExceeded(f"the map has more than {MOST_ENTITIES} entities")
    for place, number in found:
        layer, flags = kinds[number]
        data = parts[layer]
        row, column = divmod(place, width)
        beside = tuple(
            _entity_at(data, width, column + far * x, row + far * y) for far in (1, 2) for x, y in _BESIDE
        )
        switch = parts["switch_number"][place] if layer == "switch" else 0
        yield MapEntity(data[place] - ENTITY_OFFSET, column, row, parts[flags][place], switch, beside)


def _entity_at(data: bytes, width: int, column: int, row: int) -> int:
    place = row * width + column
    return data[place] - ENTITY_OFFSET if 0 <= column < width and 0 <= place < len(data) else 0


def _add_doors(width: int, height: int, parts: dict[str, bytes], entities: tuple[MapEntity, ...]) -> None:
    """Mark the tiles of doors, and all tiles that act."""
    doors, numbers = bytearray(width * height), bytearray(width * height)
    wall = parts["wall"]
    for entity in entities:
        place = entity.row * width + entity.column
        for side in range(8):
            if entity.kind == DOOR and LASER_SHORT <= entity.beside[side] <= LASER_LONG:
                if wall[place] or 1 <= parts["front"][place] <= 4:
                    continue
                angle = single(single(math.pi) / 4 * side)
                dx, dy = sine(angle), cosine(angle)
                for step in range(96 * (entity.beside[side] - LASER_SHORT + 1) - 1):
                    x, y = (
                        rounded(single(entity.x + single(dx * step))),
                        rounded(single(entity.y + single(dy * step))),
                    )
                    cell = min(max(y // 32, 0), height - 1) * width + min(max(x // 32, 0), width - 1)
                    if wall[cell] in (1, 3):
                        break
                    doors[cell] = 62
                    numbers[cell] = entity.number
    if any(doors):
        parts["door"], parts["door_number"] = bytes(doors), bytes(numbers)
    parts["special"] = _special(width, parts)


def _places(width: int, parts: Mapping[str, bytes], kind: int) -> dict[int, list[tuple[int, int]]]:
    """Return the centres of tiles of the teleporter layer by number."""
    found: dict[int, list[tuple[int, int]]] = {}
    place = parts["tele"].find(kind)
    while place >= 0:
        row, column = divmod(place, width)
        found.setdefault(parts["tele_number"][place], []).append((column * 32 + 16, row * 32 + 16))
        place = parts["tele"].find(kind, place + 1)
    return found
