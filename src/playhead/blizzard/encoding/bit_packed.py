"""The bit-packed encoding: values without tags, whose widths are in the type table.

Bits are taken from each byte lowest first, but in a value that spans bytes, bits read earlier are higher. So a
value of eight bits that starts in the middle of a byte has that byte's upper half as its high part, and the lower
half of the next byte as its low part. ``replay.initData``, ``replay.game.events`` and ``replay.message.events``
use this encoding, and the header and ``replay.info`` of the betas.
"""

from __future__ import annotations

from playhead.errors import TruncatedReplay
from playhead.runtime import cython

if not cython.compiled:
    # The same numbers as the enum in the .pxd.
    MAX_WIDTH = 64
    WHOLE_BYTES = 56

#: Widths of a delta of game loops, by the two bits before it.
LOOP_DELTA_WIDTHS = (6, 14, 22, 32)


@cython.final
@cython.no_gc_clear  # clearing would drop the held buffer without releasing it; __dealloc__ releases it
@cython.cclass
class BitPackedReader:
    """Reads `data` (any contiguous bytes-like object, kept alive and never copied) bit by bit.

    Every read either succeeds whole or raises `TruncatedReplay` with the byte offset; positions are in bits.
    """

    def __init__(self, data: Buffer) -> None:
        self._hold(data)
        self._pos = 0

    def _hold(self, data: object) -> object:
        if cython.compiled:
            if self._held:
                PyBuffer_Release(cython.address(self._buffer))
                self._held = False
                # The next lines may fail: no method may read the released buffer.
                self._data = cython.NULL
                self._pos = self._end = 0
            size: cython.Py_ssize_t = 0
            hold_buffer(data, cython.address(self._buffer), cython.address(self._data), cython.address(size))
            self._held = True
            self._end = cython.cast(cython.ulonglong, size) * 8
        else:
            self._data = memoryview(data).cast("B")
            self._end = len(self._data) * 8
        return None

    if cython.compiled:

        def __dealloc__(self) -> None:
            if self._held:
                PyBuffer_Release(cython.address(self._buffer))

    @cython.cfunc
    @cython.with_gil
    @cython.exceptval(-1, check=False)
    def _past_end(self, wanted: cython.ulonglong) -> cython.int:
        raise TruncatedReplay(
            f"expected {wanted} more bits at bit {self._pos}, but only {self._end - self._pos} are left",
            offset=self._pos >> 3,
        )

    @cython.cfunc
    @cython.with_gil
    @cython.exceptval(-1, check=False)
    def _too_wide(self) -> cython.int:
        raise ValueError(f"a read takes at most {MAX_WIDTH} bits; read_wide_int takes more")

    @cython.ccall
    @cython.nogil
    @cython.exceptval(check=False)
    def tell(self) -> cython.ulonglong:
        """Return the current position in bits."""
        return self._pos

    @cython.ccall
    @cython.nogil
    @cython.exceptval(check=False)
    def remaining(self) -> cython.ulonglong:
        """Return the number of remaining bits."""
        return self._end - self._pos

    def seek(self, position: cython.ulonglong) -> cython.int:
        """Move to a position in bits, at most the end."""
        if position > self._end:
            self._past_end(position - self._pos)
        self._pos = position
        return 0

    @cython.ccall
    @cython.nogil
    @cython.exceptval(0xFFFFFFFFFFFFFFFE, check=True)
    def read_int(self, count: cython.uint) -> cython.ulonglong:
        """Return `count` (at most 64) bits as an unsigned integer."""
        if count > MAX_WIDTH:
            self._too_wide()
        if count > self._end - self._pos:
            self._past_end(count)
        shift: cython.uint = self._pos & 7
        index: cython.ulonglong = self._pos >> 3
        first: cython.uint = 8 - shift
        if count == 0:
            return 0
        value: cython.ulonglong = self._data[index] >> shift
        self._pos = self._pos + count
        if count <= first:
            return value & ((1 << count) - 1)
        count -= first
        while count >= 8:
            index += 1
            value = (value << 8) | self._data[index]
            count -= 8
        if count:
            value = (value << count) | (self._data[index + 1] & ((1 << count) - 1))
        return value

    @cython.ccall
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_bool(self) -> cython.bint:
        """Return one bit."""
        if self._pos >= self._end:
            self._past_end(1)
        byte: cython.uint = self._data[self._pos >> 3]
        bit: cython.bint = ((byte >> (self._pos & 7)) & 1) != 0
        self._pos = self._pos + 1
        return bit

    @cython.ccall
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_loop_delta(self) -> cython.longlong:
        """Return the game loops since the last event: two bits choose one of `LOOP_DELTA_WIDTHS`."""
        size: cython.uint = cython.cast(cython.uint, self.read_int(2))
        return cython.cast(cython.longlong, self.read_int(6 + 8 * size if size < 3 else 32))

    @cython.ccall
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def skip_bits(self, count: cython.ulonglong) -> cython.int:
        """Skip `count` bits."""
        if count > self._end - self._pos:
            self._past_end(count)
        self._pos = self._pos + count
        return 0

    @cython.ccall
    @cython.nogil
    @cython.exceptval(check=False)
    def align(self) -> cython.int:
        """Skip to the start of a byte, unless already there; return the number of skipped bits."""
        gap: cython.int = (8 - cython.cast(cython.int, self._pos & 7)) & 7
        self._pos = self._pos + gap
        return gap

    # stub: def read_wide_int(self, count: int) -> int: ...
    def read_wide_int(self, count: cython.ulonglong) -> object:
        """Return any number of bits as an unsigned integer."""
        if count > self._end - self._pos:
            self._past_end(count)
        # A read that ends inside a byte takes that byte's lower bits, so reads must end at byte boundaries.
        first: cython.uint = (8 - cython.cast(cython.uint, self._pos & 7)) & 7
        if first > count:
            first = cython.cast(cython.uint, count)
        value: object = self.read_int(first)
        count -= first
        while count > WHOLE_BYTES:
            value = (value << WHOLE_BYTES) | self.read_int(WHOLE_BYTES)
            count -= WHOLE_BYTES
        return (value << count) | self.read_int(cython.cast(cython.uint, count))

    def read_aligned_bytes(self, count: cython.ulonglong) -> bytes:
        """Skip to the start of a byte; return `count` bytes."""
        start: cython.ulonglong = (self._pos + 7) >> 3
        if count > (self._end >> 3) - start:
            raise TruncatedReplay(
                f"expected {count} bytes, but only {(self._end >> 3) - start} are left", offset=start
            )
        if cython.compiled:
            out: bytes = PyBytes_FromStringAndSize(
                cython.cast(cython.p_char, self._data + start), cython.cast(cython.Py_ssize_t, count)
            )
        else:
            out = bytes(self._data[start : start + count])
        self._pos = (start + count) << 3
        return out

    def read_blob(self, length_bits: cython.uint) -> bytes:
        """Read a byte count of `length_bits` bits, skip to the start of a byte, and return that many bytes."""
        start: cython.ulonglong = self._pos
        try:
            return self.read_aligned_bytes(self.read_int(length_bits))
        except TruncatedReplay:
            self._pos = start
            raise

    def read_fourcc(self) -> bytes:
        """Return four characters, not aligned."""
        value: cython.ulonglong = self.read_int(32)
        return int(value).to_bytes(4, "big")


if not cython.compiled:
    # The same as the inline functions in the .pxd.
    take_int = BitPackedReader.read_int
    take_loop_delta = BitPackedReader.read_loop_delta
    take_bool = BitPackedReader.read_bool
