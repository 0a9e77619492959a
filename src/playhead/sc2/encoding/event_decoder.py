"""Events and other values as Python objects, as Blizzard's own decoder gives them."""

from __future__ import annotations

from typing import Any

from playhead.errors import LimitExceeded
from playhead.sc2.encoding.bit_array import BitArray
from playhead.sc2.encoding.program_reader import ProgramReader

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

_DEEPEST = 64


@cython.final
@cython.cclass
class EventDecoder(ProgramReader):
    """Reads `data` by `program`, one event or value at a time."""

    # stub: def next_event(self, numbers: Container[int] | None = None) -> tuple[int, int | None, int,
    #     dict[str, Any]] | None: ...

    def read_object(self, number: int) -> Any:
        """One value of the program, without the head of an event, as a Python object."""
        node = self._roots[number]
        return self._tagged_object(node) if self._tagged else self._packed_object(node)

    def next_event(self, numbers: Any = None) -> Any:
        """The next event as ``(loop, user or None, number, fields)``; None behind the last one.

        `numbers` are those of the events wanted; others are read and left out.
        """
        while self.remaining() > 0:
            node: cython.longlong = self._head()
            fields: object
            if not self._tagged:
                fields = self._packed_object(node)
                self._bits.align()
            elif node >= 0:
                fields = self._tagged_object(node)
            else:
                fields = self._raw_object(_DEEPEST)
            if numbers is None or self._number in numbers:
                return self._loop, None if self._tagged else self._user, self._number, fields
        return None

    @cython.cfunc
    def _packed_object(self, node: cython.longlong) -> object:
        kind: cython.longlong = self._kinds[node]
        value: cython.longlong
        child: cython.longlong
        i: cython.longlong
        if kind == 7:
            out: dict = {}
            child = self._firsts[node]
            for i in range(child, child + self._counts[node]):
                out[self._keys[i]] = self._packed_object(i)
            return out
        if kind == 1:
            return bool(self._bits.read_bool())
        if kind == 5:
            return self._packed_object(self._firsts[node]) if self._bits.read_bool() else None
        if kind == 9:
            return None
        if kind == 2 or kind == 8:
            return self._packed_bytes(node)
        value = self._lows[node] + cython.cast(cython.longlong, self._bits.read_int(self._widths[node]))
        if kind == 0:
            return value
        if kind == 6:
            child = self._case(node, value)
            if child == 0:
                self._corrupt("the number of an alternative", value)
            return {self._keys[child]: self._packed_object(child)}
        if kind == 4:
            items: list = []
            for _ in range(value):
                items.append(self._packed_object(self._firsts[node]))
            return items
        return self._bit_array(value)

    @cython.cfunc
    def _bit_array(self, count: cython.longlong) -> object:
        start: cython.ulonglong = self._bits.tell()
        number: object = self._bits.read_wide_int(cython.cast(cython.ulonglong, count))
        end: cython.ulonglong = self._bits.tell()
        self._bits.seek(start)
        indices: list = []
        index: cython.longlong = 0
        left: cython.longlong
        width: cython.longlong
        bit: cython.longlong
        while index < count:
            left = count - index
            if left > 32:
                left = 32
            word: cython.ulonglong = self._bits.read_int(cython.cast(cython.uint, left))
            while left > 0:
                width = 8 if left > 8 else left
                left -= width
                for bit in range(left, left + width):
                    if (word >> bit) & 1:
                        indices.append(index)
                    index += 1
        self._bits.seek(end)
        return BitArray(count, number, indices)

    @cython.cfunc
    def _tagged_object(self, node: cython.longlong) -> object:
        kind: cython.longlong = self._kinds[node]
        child: cython.longlong
        if kind == 7:
            self._tag(5, "the tag of a struct, 5")
            out: dict = {}
            for _ in range(self._count_of(2)):
                number: cython.longlong = self._bytes.read_vint()
                child = self._case(node, number)
                if child:
                    out[self._keys[child]] = self._tagged_object(child)
                else:
                    out[str(number)] = self._raw_object(_DEEPEST)
            return out
        if kind == 0:
            self._tag(9, "the tag of an integer, 9")
            return self._int_of_32_bits()
        if kind == 2:
            return self._tagged_bytes()
        if kind == 5:
            self._tag(4, "the tag of an optional, 4")
            return self._tagged_object(self._firsts[node]) if self._bytes.read_u8() else None
        if kind == 4:
            self._tag(0, "the tag of an array, 0")
            items: list = []
            for _ in range(self._count_of(2)):
                items.append(self._tagged_object(self._firsts[node]))
            return items
        if kind == 1:
            self._tag(6, "the tag of a byte, 6")
            return self._bytes.read_u8() != 0
        return self._raw_object(_DEEPEST)

    @cython.cfunc
    def _raw_object(self, depth: cython.int) -> object:
        """A tagged value that no table knows, as `_walk_raw` writes it: numbers of fields are texts."""
        if depth <= 0:
            raise LimitExceeded(f"expected at most {_DEEPEST} levels of nesting", offset=self._bytes.tell())
        tag: cython.int = self._bytes.read_u8()
        key: object
        if tag == 9:
            return self._bytes.read_vint()
        if tag == 2:
            return self._bytes.read_bytes(cython.cast(cython.ulonglong, self._count_of(1)))
        if tag == 6:
            return self._bytes.read_u8()
        if tag == 7:
            return self._bytes.read_u32()
        if tag == 8:
            return self._bytes.read_u64()
        if tag == 5:
            out: dict = {}
            for _ in range(self._count_of(2)):
                key = str(self._bytes.read_vint())
                out[key] = self._raw_object(depth - 1)
            return out
        if tag == 0:
            items: list = []
            for _ in range(self._count_of(2)):
                items.append(self._raw_object(depth - 1))
            return items
        if tag == 4:
            return self._raw_object(depth - 1) if self._bytes.read_u8() else None
        if tag == 3:
            key = str(self._bytes.read_vint())
            return {key: self._raw_object(depth - 1)}
        if tag == 1:
            count: cython.longlong = self._bytes.read_vint()
            if count < 0:
                self._corrupt("the size of a bit array", count)
            return self._bytes.read_bytes((cython.cast(cython.ulonglong, count) + 7) >> 3)
        self._corrupt("the tag of a value, 0 to 9", tag)
        return None
