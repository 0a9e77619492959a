"""Reads a map file (package twmap, extra ``physics``) as `Tiles`, exits of teleporters and settings."""

from __future__ import annotations

import hashlib
import zlib
from array import array
from pathlib import Path
from typing import Any

from playhead.errors import CorruptReplay, LimitExceeded, ReplayError
from playhead.runtime.extras import import_extra
from playhead.runtime.records import dataclass
from playhead.teehistorian.physics.tiles import Tiles
from playhead.teehistorian.stream.header import Header

#: Largest map file, and largest number of tiles: far above those of real maps.
MOST_BYTES = 256 << 20
MOST_TILES = 16 << 20

#: Tiles that act on a tee that is on them, in the game and the front layer; a range and stoppers.
_FIRST_SPECIAL, _LAST_SPECIAL = 9, 129


@dataclass(frozen=True, slots=True)
class GameMap:
    """A map that a recording can be played again on.

    Attributes:
        name: name of the file.
        data: its bytes.
        sha256: hash of the file, in hex digits.
        tiles: its tiles.
        exits, checkpoint_exits: exits of teleporters by number, in units.
        settings: commands that the server runs when it loads the map.
        is_other: it is not the map of the recording.
    """

    name: str
    data: bytes
    sha256: str
    tiles: Tiles
    exits: dict[int, list[tuple[int, int]]]
    checkpoint_exits: dict[int, list[tuple[int, int]]]
    settings: tuple[str, ...]
    is_other: bool


def find_map(folder: Path, header: Header) -> Path:
    """Return the file of a recording's map in a folder: ``NAME.map`` or the client's ``NAME_<sha256>.map``.

    Raises:
        ReplayError: there is none; the text names the map, its hash and the option.
    """
    name, sha256 = header.text("map_name") or "", header.text("map_sha256") or ""
    if name and not set(name) & set("/\\\0") and name not in (".", ".."):
        for candidate in (folder / f"{name}_{sha256}.map", folder / f"{name}.map"):
            if candidate.is_file():
                return candidate
    raise ReplayError(
        f"needs the map {name!r} (sha256 {sha256 or 'not recorded'}): no {name}.map or {name}_{sha256}.map in "
        f"{folder}; give the file with --map FILE"
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
        ModuleNotFoundError: twmap or NumPy are not installed.
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
    tiles, exits, checkpoint_exits, settings = _decode(data, str(path))
    return GameMap(path.name, data, sha256, tiles, exits, checkpoint_exits, settings, is_other)


def _is_other(data: bytes, sha256: str, header: Header) -> bool:
    recorded = header.text("map_sha256")
    if recorded:
        return recorded.lower() != sha256
    crc, size = header.text("map_crc"), header.number("map_size")
    return (crc or "").lower() != f"{zlib.crc32(data):08x}" or size != len(data)


def _decode(data: bytes, name: str) -> tuple[Tiles, Any, Any, tuple[str, ...]]:
    twmap = import_extra("twmap", "physics", "playing a recording again")
    numpy = import_extra("numpy", "physics", "playing a recording again")
    try:
        found = twmap.Map.from_bytes(data)
        layers = {
            kind: None if layer is None else numpy.asarray(layer.tiles)
            for kind, layer in (
                *(("game", found.game_layer()), ("front", found.front_layer()), ("tele", found.tele_layer())),
                *(("speedup", found.speedup_layer()), ("switch", found.switch_layer())),
                ("tune", found.tune_layer()),
            )
        }
        settings = tuple(map(str, found.info.settings))
    except (twmap.MapError, ValueError, MemoryError) as error:
        raise CorruptReplay(f"expected a map: {error}", file=name) from None
    game = layers["game"]
    if game is None:
        raise CorruptReplay("expected a map with a game layer", file=name)
    height, width = game.shape[:2]
    if height * width > MOST_TILES:
        raise LimitExceeded(f"the map has more than {MOST_TILES} tiles", file=name)
    for kind, layer in layers.items():
        if layer is not None and layer.shape[:2] != (height, width):
            raise CorruptReplay(f"expected all layers of one size, layer {kind} has another", file=name)
    tiles, parts = _tiles(numpy, layers, width, height)
    return tiles, _places(numpy, parts, 27), _places(numpy, parts, 30), settings


def _tiles(numpy: Any, layers: Any, width: int, height: int) -> tuple[Tiles, Any]:
    nothing = numpy.zeros((height, width), numpy.uint8)

    def part(kind: str, place: int) -> Any:
        layer = layers[kind]
        return nothing if layer is None else layer[:, :, place].astype(numpy.uint8)

    parts = {
        "game": part("game", 0),
        "game_flags": part("game", 1) & 11,
        "front": part("front", 0),
        "front_flags": part("front", 1) & 11,
        "tele_number": part("tele", 0),
        "tele": part("tele", 1),
        "speedup_force": part("speedup", 0),
        "speedup_most": part("speedup", 1),
        "speedup_type": part("speedup", 2),
        "switch_number": part("switch", 0),
        "switch": part("switch", 1),
        "switch_delay": part("switch", 3),
        "tune": numpy.where(part("tune", 1) > 0, part("tune", 0), 0).astype(numpy.uint8),
    }
    game, front = parts["game"], parts["front"]
    parts["wall"] = numpy.where((game >= 1) & (game <= 4), game, 0).astype(numpy.uint8)
    special = nothing > 0
    for layer in (game, front):
        special |= (layer >= _FIRST_SPECIAL) & (layer <= _LAST_SPECIAL)
        special |= (layer == 144) | (layer == 145)
        stops = (layer >= 60) & (layer <= 62)
        for axis in (0, 1):
            special |= numpy.roll(stops, 1, axis) | numpy.roll(stops, -1, axis)
    for kind in ("tele", "speedup_force", "switch", "tune"):
        special |= parts[kind] > 0
    parts["special"] = special.astype(numpy.uint8)
    speedup = layers["speedup"]
    angles = array("h", bytes(2 * height * width))
    if speedup is not None:
        angle = speedup[:, :, 3].astype(numpy.int16)
        angles = array("h", angle.tobytes())
    return Tiles(width, height, {name: layer.tobytes() for name, layer in parts.items()}, angles), parts


def _places(numpy: Any, parts: Any, kind: int) -> dict[int, list[tuple[int, int]]]:
    """Return the centres of tiles of the teleporter layer by number."""
    found: dict[int, list[tuple[int, int]]] = {}
    for row, column in zip(*numpy.nonzero(parts["tele"] == kind), strict=True):
        number = int(parts["tele_number"][row, column])
        found.setdefault(number, []).append((int(column) * 32 + 16, int(row) * 32 + 16))
    return found
