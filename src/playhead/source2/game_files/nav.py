"""Areas of the nav mesh of a map in an installed game: on which of them a place is.

``maps/NAME.vpk`` of the game has ``maps/NAME.nav``. All numbers are little-endian: 0xfeedface, version, sub-
version and flags; from version 36 on KeyValues; from 31 on corners (three floats each) and polygons (count of
corners as a byte, their numbers, from 35 on another number); from 32 on a count of 0, from 35 on a list of names
with 48 bytes each, from 36 on KeyValues again; then the areas: number, flags of 64 bits, hull, polygon (before 31
corners), a float, connections of each side (two numbers each), hiding spots, encounters, ladders above and below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from playhead.bits.byte_reader import ByteReader
from playhead.errors import CorruptReplay, LimitExceeded, UnsupportedVersion
from playhead.presentation.installed import steam_apps
from playhead.runtime.records import NamedTuple
from playhead.source2.game_files.vpk import Vpk

_MAGIC, _VERSIONS = 0xFEEDFACE, range(30, 37)
#: KeyValues of version 5: "KV3" and the version, backwards; size of their header; their last word.
_KEY_VALUES, _KEY_VALUES_HEADER, _KEY_VALUES_END = 0x4B563305, 120, 0xFFEEDD00
#: Limits: real maps have some thousand areas.
MOST_ENTRIES, _MOST_CORNERS, _MOST_SIDE = 1 << 18, 64, 8192.0
_MOVED_BYTES, _SPOT_BYTES = 48, 17
#: Side of a cell of the index, and how far above and below an area a place on it may be, in units.
_CELL, _ABOVE, _BELOW = 256.0, 120.0, 36.0

Corner = tuple[float, float, float]


class NavArea(NamedTuple):
    """One area.

    Attributes:
        number: the game's number of it.
        hull: number of the size of body that it is for; 0 is the players'.
        corners: in their order around it.
    """

    number: int
    hull: int
    corners: Sequence[Corner]


class NavMesh:
    """Finds the area of a place."""

    def __init__(self, areas: Sequence[NavArea]) -> None:
        lowest = min((area.hull for area in areas), default=0)
        self.areas = [area for area in areas if area.hull == lowest and len(area.corners) > 2]
        self._cells: dict[tuple[int, int], list[NavArea]] = {}
        for area in self.areas:
            for cell in _cells(area.corners):
                self._cells.setdefault(cell, []).append(area)

    def area_at(self, x: float, y: float, z: float) -> int | None:
        """Return the number of the area under a place, the nearest below it; None without one."""
        found, least = None, _ABOVE
        for area in self._cells.get((int(x // _CELL), int(y // _CELL)), ()):
            if _is_inside(area.corners, x, y):
                above = z - _height(area.corners, x, y)
                if above >= -_BELOW and abs(above) < least:
                    found, least = area.number, abs(above)
        return found


def installed_nav(app: str, name: str) -> NavMesh | None:
    """Return the nav mesh of a map in an installed game; None if the game, or the map in it, is missing.

    Args:
        app: folder of the game's maps' parent, in the folder of all applications.
        name: name of the map.

    Raises:
        ReplayError, OSError: a file of the game cannot be read.
    """
    for apps in steam_apps():
        path = apps / app / "maps" / f"{name}.vpk"
        if name and path.is_file():
            pack = Vpk(path, ("maps",))
            if f"maps/{name}.nav" in pack:
                return NavMesh(list(read_areas(pack.read(f"maps/{name}.nav"))))
    return None


def read_areas(data: bytes) -> Iterator[NavArea]:
    """Yield the areas of a file."""
    reader = ByteReader(data)
    magic, version = reader.read_u32(), reader.read_u32()
    if magic != _MAGIC:
        raise CorruptReplay(f"expected a nav mesh (feedface), found {magic:08x}", offset=0)
    if version not in _VERSIONS:
        raise UnsupportedVersion(f"expected a nav mesh of version 30 to 36, found {version}", offset=4)
    reader.skip(8)
    if version > 35:
        _skip_key_values(reader)
    polygons = _polygons(reader, version) if version > 30 else []
    if version > 31 and (count := reader.read_u32()):
        raise UnsupportedVersion(f"expected no directions of gravity, found {count}", offset=reader.tell() - 4)
    for _ in range(_count(reader, _MOVED_BYTES) if version > 34 else 0):
        reader.skip_cstring()
        reader.skip(_MOVED_BYTES)
    if version > 35:
        _skip_key_values(reader)
    for _ in range(_count(reader, 1)):
        number = reader.read_u32()
        reader.skip(8)
        hull = reader.read_u8()
        if version > 30:
            place = reader.read_u32()
            if place >= len(polygons):
                raise CorruptReplay(
                    f"expected a polygon below {len(polygons)}, found {place}", offset=reader.tell()
                )
            corners = polygons[place]
        else:
            corners = [_corner(reader) for _ in range(min(_count(reader, 12), _MOST_CORNERS))]
        reader.skip(4)
        for _ in corners:
            reader.skip(8 * _count(reader, 8))
        reader.skip(_SPOT_BYTES * reader.read_u8())
        if encounters := reader.read_u32():
            raise UnsupportedVersion(f"expected no encounters, found {encounters}", offset=reader.tell() - 4)
        for _ in ("above", "below"):
            reader.skip(4 * _count(reader, 4))
        yield NavArea(number, hull, corners)


def _polygons(reader: ByteReader, version: int) -> list[list[Corner]]:
    corners = [_corner(reader) for _ in range(_count(reader, 12))]
    polygons = []
    for _ in range(_count(reader, 1)):
        numbers = [reader.read_u32() for _ in range(reader.read_u8())]
        if any(number >= len(corners) for number in numbers):
            raise CorruptReplay(f"expected corners below {len(corners)}, found {numbers}", offset=reader.tell())
        polygons.append([corners[number] for number in numbers])
        reader.skip(4 if version > 34 else 0)
    return polygons


def _skip_key_values(reader: ByteReader) -> None:
    """Skip a document of KeyValues, and the zero bytes before it; it has nothing about places.

    Its header: magic, 16 bytes of a format, compression, 24 bytes, two total sizes, number of blobs, 12 bytes,
    sizes of both parts, plain and compressed in turns, 32 bytes.
    """
    while (first := reader.read_u8()) == 0:
        pass
    start = reader.tell() - 1
    if (magic := first | int.from_bytes(reader.read_bytes(3), "little") << 8) != _KEY_VALUES:
        raise UnsupportedVersion(f"expected KeyValues of version 5, found {magic:08x}", offset=start)
    reader.skip(16)
    is_plain = reader.read_u32() == 0
    reader.skip(32)
    if blobs := reader.read_u32():
        raise UnsupportedVersion(f"expected KeyValues without blobs, found {blobs}", offset=start)
    reader.skip(12)
    plain, packed, more_plain, more_packed = (reader.read_u32() for _ in range(4))
    reader.skip(_KEY_VALUES_HEADER - (reader.tell() - start))
    if not is_plain:
        reader.skip(packed + more_packed)
        return
    reader.skip(max(plain + more_plain - 4, 0))
    if (end := reader.read_u32()) != _KEY_VALUES_END:
        raise CorruptReplay(f"expected the end of KeyValues, found {end:08x}", offset=reader.tell() - 4)


def _count(reader: ByteReader, size: int) -> int:
    """Read a count of things of at least so many bytes."""
    count = reader.read_u32()
    if count > MOST_ENTRIES or count * size > reader.remaining():
        raise LimitExceeded(f"expected at most {reader.remaining() // size} entries, found {count}")
    return count


def _corner(reader: ByteReader) -> Corner:
    return reader.read_f32(), reader.read_f32(), reader.read_f32()


def _cells(corners: Sequence[Corner]) -> Iterator[tuple[int, int]]:
    """Yield the cells of the index that an area may be in; none for an area larger than any."""
    sides = []
    for axis in (0, 1):
        low, high = min(corner[axis] for corner in corners), max(corner[axis] for corner in corners)
        if not high - low < _MOST_SIDE or not abs(low) < 1 << 17:  # or not a number
            return
        sides.append(range(int(low // _CELL), int(high // _CELL) + 1))
    for x in sides[0]:
        for y in sides[1]:
            yield x, y


def _is_inside(corners: Sequence[Corner], x: float, y: float) -> bool:
    inside = False
    for (x1, y1, _), (x2, y2, _) in pairwise((*corners, corners[0])):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            inside = not inside
    return inside


def _height(corners: Sequence[Corner], x: float, y: float) -> float:
    """Return the height of the plane of an area at a place: that of its corners' mean, with Newell's normal."""
    a = b = c = 0.0
    for (x1, y1, z1), (x2, y2, z2) in pairwise((*corners, corners[0])):
        a += (y1 - y2) * (z1 + z2)
        b += (z1 - z2) * (x1 + x2)
        c += (x1 - x2) * (y1 + y2)
    x0, y0, z0 = (sum(corner[axis] for corner in corners) / len(corners) for axis in range(3))
    return z0 if c == 0.0 else z0 - (a * (x - x0) + b * (y - y0)) / c
