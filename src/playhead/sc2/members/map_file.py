"""A map's own file (``.SC2Map``, or ``.s2ma`` in the game's cache): an MPQ archive like a replay.

A replay does not contain it, but has its SHA-256 in the cache handles. These members are read:

* ``MapInfo``, after http://www.galaxywiki.net/MapInfo_(File_Format) as sc2reader (MIT) reads it: size, playable
  bounds, tile set;
* ``GameStrings.txt`` of each language: the name of the map;
* ``Objects``: starting locations (points of type ``StartLoc``), mineral fields and geysers;
* ``t3SyncCliffLevel``, ``t3SyncHeightMap``, ``CellAttribute_Pnp``: `playhead.sc2.members.map_file`;
* ``DocumentInfo``: maps and mods that the map is based on;
* ``Minimap.tga`` (or ``.dds``, ``.jpg``, ``.png``): the picture, as stored."""

from __future__ import annotations

import hashlib
import struct
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from xml.etree import ElementTree

from playhead.bits import ByteReader
from playhead.blizzard.members.text import decode_text
from playhead.blizzard.mpq import MpqArchive, UserData
from playhead.blizzard.mpq.layout import ARCHIVE_MAGIC
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay, UnknownFormat
from playhead.limits import Limits
from playhead.runtime.records import asdict, dataclass, replace

CLIFFS, HEIGHTS, PAINTED = "t3SyncCliffLevel", "t3SyncHeightMap", "CellAttribute_Pnp"
#: The game's largest map has 256 cells at a side, and 257 corners.
_MOST_SIDE = 257
_CLIFF_HEADER, _HEIGHT_HEADER, _PAINTED_HEADER = 32, 64, 4
#: Levels of neighbours between which units walk differ by at most so much, except on ramps' edges.
WALKABLE_STEP = 8
PLATEAU = 64


@dataclass(frozen=True, slots=True)
class Terrain:
    """The ground of a map, cell by cell from the lower left, row by row.

    Attributes:
        width, height: in cells.
        cliffs: level of each cell; 0 is outside of the playable ground.
        heights: height of each corner in cells, as ``z`` of orders, ``width + 1`` in a row; None if missing.
        painted: bytes of painted pathing, 0 where nothing is painted; None if missing.
    """

    width: int
    height: int
    cliffs: array[int]
    heights: array[float] | None
    painted: bytes | None

    def ground(self, x: int, y: int) -> bool:
        """Return whether a cell has ground without painted pathing."""
        place = y * self.width + x
        return bool(self.cliffs[place]) and not (self.painted is not None and self.painted[place])

    def is_ramp(self, x: int, y: int) -> bool:
        """Return whether a cell is between two plateaus."""
        return self.cliffs[y * self.width + x] % PLATEAU != 0

    def is_edge(self, x: int, y: int) -> bool:
        """Return whether a cell is beside a cliff."""
        level = self.cliffs[y * self.width + x]
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            column, row = x + dx, y + dy
            if 0 <= column < self.width and 0 <= row < self.height:
                step = abs(self.cliffs[row * self.width + column] - level)
                if step > WALKABLE_STEP and not (self.is_ramp(x, y) and self.is_ramp(column, row)):
                    return True
        return False

    def ground_rows(self) -> list[int]:
        """Return the cells with ground as bits of a number for each row, from the bottom."""
        rows = []
        for y in range(self.height):
            row = 0
            for x in range(self.width):
                row |= self.ground(x, y) << x
            rows.append(row)
        return rows

    def as_dict(self) -> dict[str, int]:
        """Return the facts of the terrain, JSON-ready."""
        plateaus = {level for level in self.cliffs if level and level % PLATEAU == 0}
        return {"width": self.width, "height": self.height, "plateaus": len(plateaus)}


def _sides(data: bytes, magic: bytes, header: int, size: int) -> tuple[int, int]:
    """Return width and height of a grid, whose cells have `size` bytes each."""
    if len(data) < header:
        raise TruncatedReplay(f"expected {header} bytes, found {len(data)}", offset=len(data))
    if data[:4] != magic:
        raise CorruptReplay(f"expected {magic!r}, found {data[:4]!r}", offset=0)
    width, height = struct.unpack_from("<2I", data, 8)
    if not (0 < width <= _MOST_SIDE and 0 < height <= _MOST_SIDE):
        raise LimitExceeded(f"expected sides of 1 to {_MOST_SIDE}, found {width} x {height}", offset=8)
    if len(data) < header + width * height * size:
        raise TruncatedReplay(
            f"expected {width} x {height} values, found {len(data) - header} bytes", offset=header
        )
    return width, height


def _numbers(code: str, data: bytes) -> array[int]:
    found: array[int] = array(code, data)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def read_cliffs(data: bytes) -> tuple[int, int, array[int]]:
    """Decode ``t3SyncCliffLevel``: width, height and the level of each cell.

    Raises:
        CorruptReplay, TruncatedReplay, LimitExceeded: it is not that.
    """
    width, height = _sides(data, b"CLIF", _CLIFF_HEADER, 2)
    return width, height, _numbers("H", data[_CLIFF_HEADER : _CLIFF_HEADER + width * height * 2])


def read_heights(data: bytes) -> tuple[int, int, array[float]]:
    """Decode ``t3SyncHeightMap``: number of corners in a row, of rows, and the height of each corner in levels.

    Raises:
        CorruptReplay, TruncatedReplay, LimitExceeded: it is not that.
    """
    width, height = _sides(data, b"SMAP", _HEIGHT_HEADER, 4)
    pairs = _numbers("h", data[_HEIGHT_HEADER : _HEIGHT_HEADER + width * height * 4])
    return width, height, array("d", [value / 256 for value in pairs[::2]])


def terrain_of(
    cliffs: tuple[int, int, array[int]] | None,
    heights: tuple[int, int, array[float]] | None,
    painted: bytes | None,
) -> Terrain | None:
    """Return the terrain of a map; None without cliffs. Parts of another size are skipped."""
    if cliffs is None:
        return None
    width, height, levels = cliffs
    fits = heights is not None and heights[:2] == (width + 1, height + 1)
    body = None if painted is None else painted[_PAINTED_HEADER:]
    return Terrain(
        width,
        height,
        levels,
        heights[2] if heights is not None and fits else None,
        body if body is not None and len(body) == width * height else None,
    )


_T = TypeVar("_T")

MAP_INFO, OBJECTS, DOCUMENT_INFO = "MapInfo", "Objects", "DocumentInfo"
MINIMAPS = ("Minimap.tga", "Minimap.dds", "Minimap.jpg", "Minimap.png")
#: English first: the name of a map if no language is requested.
LOCALES = (
    *("enUS", "enGB", "deDE", "esES", "esMX", "frFR", "itIT"),
    *("koKR", "plPL", "ptBR", "ruRU", "zhCN", "zhTW"),
)
_START = "StartLoc"
_NAME = "DocInfo/Name"
_CUSTOM_PREVIEW = 2
#: The longest of the texts of ``MapInfo``.
_LONGEST_TEXT = 1 << 12


def strings_name(locale: str) -> str:
    """Return the name of the member with the texts of one language."""
    return f"{locale}.SC2Data\\LocalizedData\\GameStrings.txt"


_KNOWN_NAMES = (
    *(MAP_INFO, OBJECTS, DOCUMENT_INFO, CLIFFS, HEIGHTS, PAINTED, *MINIMAPS),
    *map(strings_name, LOCALES),
)
MAP_SUFFIXES = (".sc2map", ".s2ma")
#: A real map has a few hundred mineral fields and geysers.
_MOST_RESOURCES = 10_000
#: Real members with texts have at most a megabyte. Parsed, they take forty times as much memory.
_MOST_TEXT = 8 << 20
_FARTHEST = 1 << 16


@dataclass(frozen=True, slots=True)
class MapArchive:
    """The facts in a map's file; None or empty if missing.

    Attributes:
        sha256: of the file; the cache handle of a map ends with it.
        belongs: whether the replay was played on this file; None if the replay has no cache handles, as anonymised
            ones.
        name: name of the map, in English if available.
        names: its names by language (``deDE``).
        width, height: of the whole map, in cells.
        bounds: left, bottom, right and top of the camera's area, in cells.
        tile_set: name of the ground.
        start_locations: x and y of the points where players may start, in cells, from the lower left.
        resources: unit type, x and y of each mineral field and geyser, in cells.
        terrain: cliffs, heights and painted pathing; None if the file has no cliffs.
        dependencies: maps and mods that it is based on.
        minimap: the picture as stored; `minimap_name` has its kind.
        problems: one sentence for each part that could not be read.
    """

    sha256: str
    belongs: bool | None
    name: str | None
    names: Mapping[str, str]
    width: int | None
    height: int | None
    bounds: tuple[int, int, int, int] | None
    tile_set: str | None
    start_locations: tuple[tuple[float, float], ...]
    resources: tuple[tuple[str, float, float], ...]
    terrain: Terrain | None
    dependencies: tuple[str, ...]
    minimap: bytes | None
    minimap_name: str | None
    problems: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the picture and the cells of the terrain, JSON-ready."""
        out = asdict(replace(self, terrain=None))
        out["terrain"] = None if self.terrain is None else self.terrain.as_dict()
        out["minimap"] = None if self.minimap is None else len(self.minimap)
        return out


class _MapInfo(NamedTuple):
    width: int | None = None
    height: int | None = None
    tile_set: str | None = None
    bounds: tuple[int, int, int, int] | None = None


def _text(reader: ByteReader) -> str:
    """Read a text that ends with a zero byte."""
    out = bytearray()
    while byte := reader.read_u8():
        out.append(byte)
        if len(out) > _LONGEST_TEXT:
            raise CorruptReplay(f"expected a text of at most {_LONGEST_TEXT} bytes", offset=reader.tell())
    return decode_text(bytes(out))


def read_map_info(data: bytes) -> _MapInfo:
    """Decode the first part of ``MapInfo``, up to the bounds.

    Raises:
        CorruptReplay, TruncatedReplay: it is not ``MapInfo``, or ends too early.
    """
    reader = ByteReader(data)
    magic = reader.read_bytes(4)
    if magic not in (b"MapI", b"IpaM"):
        raise CorruptReplay(f"expected MapI, found {magic!r}", offset=0)
    version = reader.read_u32()
    if version >= 0x18:
        reader.read_bytes(8)
    width, height = reader.read_u32(), reader.read_u32()
    for _ in range(2):  # the small preview and the large one
        if reader.read_u32() == _CUSTOM_PREVIEW:
            _text(reader)
    if version >= 0x1F:
        _text(reader)
    if version >= 0x26:
        _text(reader)
    if version >= 0x1F:
        reader.read_u32()
    reader.read_u32()
    _text(reader)  # the fog
    tile_set = _text(reader)
    left, bottom, right, top = (reader.read_u32() for _ in range(4))
    if not (left <= right <= width and bottom <= top <= height):
        raise CorruptReplay(
            f"expected bounds inside of {width} x {height} cells, found {left}, {bottom} to {right}, {top}",
            offset=reader.tell(),
        )
    return _MapInfo(width, height, tile_set, (left, bottom, right, top))


def _tree(data: bytes) -> ElementTree.Element:
    _check_size(data)
    if b"<!" in data.replace(b"<!--", b"") or b"\0" in data:  # zero bytes: UTF-16, where both look different
        raise CorruptReplay("expected XML without a document type")
    try:
        return ElementTree.fromstring(data)
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # or an unknown encoding
        raise CorruptReplay(f"expected XML: {error}") from None


def _check_size(data: bytes) -> None:
    if len(data) > _MOST_TEXT:
        raise LimitExceeded(f"expected a text of at most {_MOST_TEXT} bytes, found {len(data)}")


class _Objects(NamedTuple):
    starts: tuple[tuple[float, float], ...]
    resources: tuple[tuple[str, float, float], ...]


def _position(thing: ElementTree.Element) -> tuple[float, float]:
    try:
        x, y, *_ = (float(number) for number in thing.get("Position", "").split(","))
    except ValueError:
        raise CorruptReplay(f"expected a position, found {thing.get('Position')!r}") from None
    if not max(abs(x), abs(y)) < _FARTHEST:  # or not a number
        raise CorruptReplay(f"expected a position on the map, found {x}, {y}")
    return x, y


def _objects(data: bytes) -> _Objects:
    tree = _tree(data)
    starts = tuple(_position(point) for point in tree.iter("ObjectPoint") if point.get("Type") == _START)
    resources: list[tuple[str, float, float]] = []
    for unit in tree.iter("ObjectUnit"):
        kind = unit.get("UnitType", "")
        if "MineralField" in kind or "Geyser" in kind:
            if len(resources) == _MOST_RESOURCES:
                raise LimitExceeded(f"expected at most {_MOST_RESOURCES} resources")
            resources.append((kind, *_position(unit)))
    return _Objects(starts, tuple(resources))


def _dependencies(data: bytes) -> tuple[str, ...]:
    return tuple(value.text or "" for value in _tree(data).iterfind("Dependencies/Value"))


def _name_in(data: bytes) -> str | None:
    _check_size(data)
    for line in decode_text(data).lstrip("\ufeff").splitlines():
        key, found, value = line.partition("=")
        if found and key.strip() == _NAME:
            return value
    return None


class _Reader:
    def __init__(self, data: memoryview, limits: Limits) -> None:
        offset = 0 if data[:4] == ARCHIVE_MAGIC else UserData.read(data).archive_offset
        self.archive = MpqArchive(data, offset, _KNOWN_NAMES, limits)
        if MAP_INFO not in self.archive:
            raise UnknownFormat(f"expected a map, found an archive without {MAP_INFO}")
        self.problems: list[str] = []

    def read(self, name: str, decode: Callable[[bytes], _T]) -> _T | None:
        """Return a decoded member; None if it is missing or, with a problem noted, cannot be decoded."""
        if name not in self.archive:
            return None
        try:
            return decode(self.archive.read(name))
        except ReplayError as error:
            self.problems.append(str(error.locate(where=name)))
            return None


def read_map(data: memoryview, cache_hashes: frozenset[str], limits: Limits) -> MapArchive:
    """Read a map's file.

    Args:
        cache_hashes: SHA-256 of the files that the replay was played with.

    Raises:
        UnknownFormat: not an archive, or not that of a map.
        CorruptReplay, TruncatedReplay, LimitExceeded: its tables cannot be read.
    """
    reader = _Reader(data, limits)
    info = reader.read(MAP_INFO, read_map_info) or _MapInfo()
    found = {locale: reader.read(strings_name(locale), _name_in) for locale in LOCALES}
    names = {locale: name for locale, name in found.items() if name}
    picture = next((name for name in MINIMAPS if name in reader.archive), None)
    sha256 = hashlib.sha256(data).hexdigest()
    objects = reader.read(OBJECTS, _objects) or _Objects((), ())
    heights, painted = reader.read(HEIGHTS, read_heights), reader.read(PAINTED, bytes)
    return MapArchive(
        sha256=sha256,
        belongs=sha256 in cache_hashes if cache_hashes else None,
        name=next(iter(names.values()), None),
        names=names,
        **info._asdict(),
        start_locations=objects.starts,
        resources=objects.resources,
        terrain=terrain_of(reader.read(CLIFFS, read_cliffs), heights, painted),
        dependencies=reader.read(DOCUMENT_INFO, _dependencies) or (),
        minimap=None if picture is None else reader.read(picture, bytes),
        minimap_name=picture,
        problems=tuple(reader.problems),
    )


def find_map(folder: Path, cache_handles: Sequence[bytes]) -> Path:
    """Return the map in a folder whose SHA-256 a replay names: files of the game's cache have it as their name,
    and others are read.

    Raises:
        FileNotFoundError: none exists.
    """
    hashes = {handle[8:].hex() for handle in cache_handles}
    maps = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in MAP_SUFFIXES and path.is_file()]
    for path in maps:
        if path.stem.lower() in hashes:
            return path
    for path in maps:
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() in hashes:
                return path
    raise FileNotFoundError(f"{folder} has {len(maps)} maps, but not that of the replay")
