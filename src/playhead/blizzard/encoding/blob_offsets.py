"""Locates texts in encoded data and patches them in place.

Blobs of the bit-packed encoding start at whole bytes, so a blob may change its length without shifting the bits of
later values within their bytes. A patch writes only the length of a blob (some bits, anywhere) and its bytes; all
other bits stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from playhead.bits import ByteReader
from playhead.blizzard.encoding import tags
from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.blizzard.protocol.tables import TypePool

#: The path of a nested value: names of fields (tagged: their numbers) and indices.
Path = tuple[str | int, ...]

#: Bytes of the values of fixed size.
_FIXED_SIZES = {tags.U8: 1, tags.U32: 4, tags.U64: 8}


class BlobOffset(NamedTuple):
    """A blob in bit-packed data: where its length is (bit, width, least value), and its bytes."""

    path: Path
    bit: int
    width: int
    least: int
    start: int
    data: bytes


class Patches:
    """Changes of one piece of data, given by offsets in the original."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._bits: list[tuple[int, int, int]] = []
        self._bytes: list[tuple[int, int, bytes]] = []

    def __len__(self) -> int:
        return len(self._bytes)

    def replace(self, start: int, end: int, new: bytes) -> None:
        """Replace the bytes from `start` to `end`."""
        self._bytes.append((start, end, new))

    def set_blob(self, place: BlobOffset, new: bytes) -> None:
        """Replace the content of a blob. It is cut to the largest possible length, or padded if its length is
        fixed."""
        new = new[: place.least + (1 << place.width) - 1]
        new = new.ljust(place.least, b"\0")
        self._bits.append((place.bit, place.width, len(new) - place.least))
        self.replace(place.start, place.start + len(place.data), new)

    def apply(self) -> bytes:
        """Return the changed data."""
        out = bytearray(self._data)
        for bit, width, value in self._bits:
            _set_bits(out, bit, width, value)
        for start, end, new in sorted(self._bytes, reverse=True):
            out[start:end] = new
        return bytes(out)


def _set_bits(out: bytearray, bit: int, width: int, value: int) -> None:
    """Set bits in the bit-packed order: each byte from its lowest bit, the value from its highest."""
    while width:
        step = min(8 - (bit & 7), width)
        width -= step
        mask = ((1 << step) - 1) << (bit & 7)
        out[bit >> 3] = out[bit >> 3] & ~mask | (value >> width & (1 << step) - 1) << (bit & 7)
        bit += step


def packed_blobs(pool: TypePool, type_: int, bits: BitPackedReader, path: Path = ()) -> Iterator[BlobOffset]:
    """Return all blobs of the value that starts at the position of `bits`, and move `bits` after it.

    Raises:
        TruncatedReplay: the data ends before the value does.
    """
    kind, *rest = pool.types[type_]
    if kind == "struct":
        for name, inner, _ in rest[0]:
            yield from packed_blobs(pool, inner, bits, path if name == "__parent" else (*path, name))
    elif kind == "blob":
        bit = bits.tell()
        size = rest[0] + bits.read_int(rest[1])
        content = bits.read_aligned_bytes(size)
        yield BlobOffset(path, bit, rest[1], rest[0], (bits.tell() >> 3) - size, content)
    elif kind == "optional":
        if bits.read_bool():
            yield from packed_blobs(pool, rest[0], bits, path)
    elif kind == "array":
        for index in range(rest[0] + bits.read_int(rest[1])):
            yield from packed_blobs(pool, rest[2], bits, (*path, index))
    elif kind == "choice":
        tag = rest[0] + bits.read_int(rest[1])
        for known, name, inner in rest[2]:
            if known == tag:
                yield from packed_blobs(pool, inner, bits, (*path, name))
    elif kind == "bitarray":
        bits.skip_bits(rest[0] + bits.read_int(rest[1]))
    else:
        bits.skip_bits({"int": rest[1] if rest else 0, "bool": 1, "fourcc": 32, "null": 0}[kind])


def tagged_leaves(data: bytes) -> dict[Path, tuple[int, int]]:
    """Return start and end, tag included, of each value in tagged data without values inside.

    The data must be sound: nesting is not limited here.
    """
    reader = ByteReader(data)
    out: dict[Path, tuple[int, int]] = {}

    def walk(path: Path) -> None:
        start = reader.tell()
        tag = reader.read_u8()
        if tag == tags.STRUCT:
            for _ in range(reader.read_vint()):
                walk((*path, reader.read_vint()))
        elif tag == tags.ARRAY:
            for index in range(reader.read_vint()):
                walk((*path, index))
        elif tag == tags.OPTIONAL:
            if reader.read_u8():
                walk(path)
        elif tag == tags.CHOICE:
            walk((*path, reader.read_vint()))
        else:
            if tag == tags.VINT:
                reader.read_vint()
            elif tag == tags.BLOB:
                reader.skip(reader.read_vint())
            elif tag == tags.BIT_ARRAY:
                reader.skip((reader.read_vint() + 7) // 8)
            else:
                reader.skip(_FIXED_SIZES[tag])
            out[path] = start, reader.tell()

    walk(())
    return out
