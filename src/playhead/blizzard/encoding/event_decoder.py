"""Decodes events and other values to Python objects, as Blizzard's own decoder returns them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from playhead.blizzard.encoding.program_reader import ProgramReader
from playhead.errors import LimitExceeded
from playhead.runtime import cython

if cython.compiled:
    from cython.cimports.playhead.blizzard.encoding import tags
    from cython.cimports.playhead.blizzard.encoding.program_reader import (
        MAX_DEPTH,
        UNKNOWN_EVENT,
        WORD_BITS,
        ProgramReader,
    )
    from cython.cimports.playhead.blizzard.protocol import wire
else:
    from playhead.blizzard.encoding import tags
    from playhead.blizzard.encoding.program_reader import MAX_DEPTH, UNKNOWN_EVENT, WORD_BITS
    from playhead.blizzard.protocol import wire


class BitArray(tuple[int, int]):
    """``(count, number)``, equal to that of Blizzard's s2protocol, and `indices`, the set bits.

    `number` does not give the indices. The game writes an array of bits as words of 32 bits, each with its bytes
    in little-endian order, while `number` is all bits as one integer. Up to 8 bits the lowest bit is index 0;
    above that no shift of `number` finds an index. Selections prove it: a mask ends with the last removed unit, so
    its last bit is always set.
    """

    indices: tuple[int, ...] = ()

    def __new__(cls, count: int, number: int, indices: Iterable[int]) -> BitArray:
        made = super().__new__(cls, (count, number))
        made.indices = tuple(indices)
        return made


@cython.final
@cython.cclass
class EventDecoder(ProgramReader):
    """Decodes `data` by `program`, one event or value at a time."""

    def read_object(self, number: int) -> Any:
        """Return one value of the program, without the head of an event."""
        node = self._roots[number]
        return self._tagged_object(node) if self._tagged else self._packed_object(node)

    def next_event(
        self, numbers: Container[int] | None = None
    ) -> tuple[int, int | None, int, dict[str, Any]] | None:
        """Return the next event as ``(loop, user or None, number, fields)``; None at the end.

        With `numbers`, events with other numbers are skipped.
        """
        while self.remaining() > 0:
            fields: object = self._event_object(self._head())
            if numbers is None or self._number in numbers:
                return self._loop, None if self._tagged else self._user, self._number, fields
        return None

    def fields_of(self, event: bytes) -> object:
        """Return the fields of one event. `event` is all its bytes; the reader then is at its end."""
        if self._tagged:
            self._bytes._hold(event)
            self._bytes.seek(0)
        else:
            self._bits._hold(event)
            self._bits.seek(0)
        self._bare_head()
        return self._event_object(self._root())

    def _event_object(self, node: cython.longlong) -> object:
        """Return the fields of the event whose head was read; `node` is the root of its type."""
        if not self._tagged:
            fields: object = self._packed_object(node)
            self._bits.align()
            return fields
        return self._tagged_object(node) if node != UNKNOWN_EVENT else self._raw_object(MAX_DEPTH)

    def _packed_object(self, node: cython.longlong) -> object:
        kind: cython.longlong = self._kinds[node]
        i: cython.longlong
        if kind == wire.KIND_STRUCT:
            out: dict = {}
            child: cython.longlong = self._firsts[node]
            for i in range(child, child + self._counts[node]):
                out[self._keys[i]] = self._packed_object(i)
            return out
        if kind == wire.KIND_BOOL:
            return bool(self._bits.read_bool())
        if kind == wire.KIND_OPTIONAL:
            return self._packed_object(self._firsts[node]) if self._bits.read_bool() else None
        if kind == wire.KIND_NULL:
            return None
        if kind == wire.KIND_BLOB or kind == wire.KIND_FOURCC:
            return self._packed_bytes(node)
        value: cython.longlong
        value = self._lows[node] + cython.cast(cython.longlong, self._bits.read_int(self._widths[node]))
        if kind == wire.KIND_INT:
            return value
        if kind == wire.KIND_CHOICE:
            child = self._case(node, value)
            if child == 0:
                self._corrupt("the number of an alternative", value)
            return {self._keys[child]: self._packed_object(child)}
        if kind == wire.KIND_ARRAY:
            items: list = []
            for _ in range(value):
                items.append(self._packed_object(self._firsts[node]))
            return items
        return self._bit_array(value)

    def _bit_array(self, count: cython.longlong) -> object:
        start: cython.ulonglong = self._bits.tell()
        number: object = self._bits.read_wide_int(cython.cast(cython.ulonglong, count))
        end: cython.ulonglong = self._bits.tell()
        self._bits.seek(start)
        indices: list = []
        index: cython.longlong = 0
        bit: cython.longlong
        while index < count:
            left: cython.longlong = count - index
            if left > WORD_BITS:
                left = WORD_BITS
            word: cython.ulonglong = self._bit_word(left)
            for bit in range(left):
                if (word >> bit) & 1:
                    indices.append(index)
                index += 1
        self._bits.seek(end)
        return BitArray(count, number, indices)

    def _tagged_object(self, node: cython.longlong) -> object:
        kind: cython.longlong = self._kinds[node]
        if kind == wire.KIND_STRUCT:
            self._tag(tags.STRUCT, "the tag of a struct, 5")
            out: dict = {}
            for _ in range(self._count_of(2)):
                number: cython.longlong = self._bytes.read_vint()
                child: cython.longlong = self._case(node, number)
                if child:
                    out[self._keys[child]] = self._tagged_object(child)
                else:
                    out[str(number)] = self._raw_object(MAX_DEPTH)
            return out
        if kind == wire.KIND_INT:
            self._tag(tags.VINT, "the tag of an integer, 9")
            return self._int_of_32_bits()
        if kind == wire.KIND_BLOB:
            return self._tagged_bytes()
        if kind == wire.KIND_OPTIONAL:
            self._tag(tags.OPTIONAL, "the tag of an optional, 4")
            return self._tagged_object(self._firsts[node]) if self._bytes.read_u8() else None
        if kind == wire.KIND_ARRAY:
            self._tag(tags.ARRAY, "the tag of an array, 0")
            items: list = []
            for _ in range(self._count_of(2)):
                items.append(self._tagged_object(self._firsts[node]))
            return items
        if kind == wire.KIND_BOOL:
            self._tag(tags.U8, "the tag of a byte, 6")
            return self._bytes.read_u8() != 0
        return self._raw_object(MAX_DEPTH)

    def _raw_object(self, depth: cython.int) -> object:
        """Return a tagged value that no type table describes; field numbers become text, as in the JSON text."""
        if depth <= 0:
            raise LimitExceeded(f"expected at most {MAX_DEPTH} levels of nesting", offset=self._bytes.tell())
        tag: cython.int = self._bytes.read_u8()
        if tag == tags.VINT:
            return self._bytes.read_vint()
        if tag == tags.BLOB:
            return self._bytes.read_bytes(cython.cast(cython.ulonglong, self._count_of(1)))
        if tag == tags.U8:
            return self._bytes.read_u8()
        if tag == tags.U32:
            return self._bytes.read_u32()
        if tag == tags.U64:
            return self._bytes.read_u64()
        if tag == tags.STRUCT:
            out: dict = {}
            for _ in range(self._count_of(2)):
                key: object = str(self._bytes.read_vint())
                out[key] = self._raw_object(depth - 1)
            return out
        if tag == tags.ARRAY:
            items: list = []
            for _ in range(self._count_of(2)):
                items.append(self._raw_object(depth - 1))
            return items
        if tag == tags.OPTIONAL:
            return self._raw_object(depth - 1) if self._bytes.read_u8() else None
        if tag == tags.CHOICE:
            key = str(self._bytes.read_vint())
            return {key: self._raw_object(depth - 1)}
        if tag == tags.BIT_ARRAY:
            count: cython.longlong = self._bytes.read_vint()
            if count < 0:
                self._corrupt("the size of a bit array", count)
            return self._bytes.read_bytes((cython.cast(cython.ulonglong, count) + 7) >> 3)
        self._corrupt("the tag of a value, 0 to 9", tag)
        return None
