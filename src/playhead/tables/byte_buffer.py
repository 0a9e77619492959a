"""`ByteBuffer`: the growing bytes of a column of text, and JSON appended to them without a string a value.

Numbers, text and bytes are appended as `playhead.text.json.to_json` writes them; a test compares the two.
"""

from __future__ import annotations

from array import array

from playhead.bits.byte_reader import ByteReader
from playhead.runtime import cython
from playhead.text.json import quoted, to_json

_FIRST_CAPACITY = 256
# Up to how many bytes a buffer grows to four times as many.
_SOON = cython.declare(cython.Py_ssize_t, 1 << 20)
# No number between 2**-12 and 2**64 has as many characters. Declared for the compiler.
_MOST_DIGITS = cython.declare(cython.Py_ssize_t, 48)


@cython.final
@cython.cclass
class ByteBuffer:
    """Growing bytes, and JSON values appended to them."""

    def __init__(self) -> None:
        self._array = array("B")
        self._size = 0
        self._capacity = 0

    def _grow(self, more: cython.Py_ssize_t) -> cython.int:
        if cython.compiled:
            times: cython.int = 4 if self._capacity < _SOON else 2  # few copies; unused pages take no memory
            capacity: cython.Py_ssize_t = max(_FIRST_CAPACITY, times * self._capacity, self._size + more)
            resize(self._array, capacity)
            self._data, self._capacity = self._array.data.as_uchars, capacity
        return 0

    def tell(self) -> cython.Py_ssize_t:
        """Return the number of bytes."""
        return self._size

    def add(self, byte: cython.int) -> cython.int:
        """Append one byte."""
        if cython.compiled:
            if self._size == self._capacity:
                self._grow(1)
            self._data[self._size] = cython.cast(cython.uchar, byte)
        else:
            self._array.append(byte)
        self._size += 1
        return 0

    def add_bytes(self, data: bytes) -> cython.int:
        """Append bytes."""
        size: cython.Py_ssize_t = len(data)
        if not size:  # an empty buffer may have no memory to copy to
            return 0
        if cython.compiled:
            if size > self._capacity - self._size:
                self._grow(size)
            memcpy(self._data + self._size, PyBytes_AS_STRING(data), size)
        else:
            self._array.extend(data)
        self._size += size
        return 0

    def add_read(self, reader: ByteReader, count: cython.ulonglong) -> cython.int:
        """Append the next `count` bytes of a reader.

        Raises:
            TruncatedReplay: fewer bytes remain.
        """
        if cython.compiled:
            start: cython.p_const_uchar = reader._data + reader._pos
            reader.skip(count)
            if not count:
                return 0
            if cython.cast(cython.Py_ssize_t, count) > self._capacity - self._size:
                self._grow(count)
            memcpy(self._data + self._size, start, count)
            self._size += count
        else:
            self.add_bytes(reader.read_bytes(count))
        return 0

    def add_utf8(self, reader: ByteReader, count: cython.ulonglong) -> cython.int:
        """Append the next `count` bytes of a reader as a JSON string; bytes that are no UTF-8 become U+FFFD.

        Raises:
            TruncatedReplay: fewer bytes remain.
        """
        plain: cython.bint = cython.compiled and count <= reader.remaining()
        if plain:
            data: cython.p_const_uchar = reader._data + reader._pos
            i: cython.ulonglong
            for i in range(count):
                if data[i] < 32 or data[i] > 126 or data[i] == 34 or data[i] == 92:
                    plain = False
                    break
        if not plain:
            return self.add_text(reader.read_bytes(count).decode("utf-8", "replace"))
        self.add(34)
        self.add_read(reader, count)
        return self.add(34)

    def add_text(self, value: str) -> cython.int:
        """Append a JSON string."""
        return self.add_bytes(quoted(value).encode())

    def add_hex(self, value: bytes) -> cython.int:
        """Append bytes as the JSON object ``{"hex": "…"}``."""
        self.add_bytes(b'{"hex": "')
        self.add_bytes(value.hex().encode())
        return self.add_bytes(b'"}')

    def add_number(self, value: cython.longlong) -> cython.int:
        """Append a whole number in decimal digits."""
        if value < 0:
            self.add(45)
            return self.add_unsigned(0 - cython.cast(cython.ulonglong, value))
        return self.add_unsigned(cython.cast(cython.ulonglong, value))

    def add_float(self, value: cython.double) -> cython.int:
        """Append the shortest digits that mean this number, or ``"NaN"``, ``"Infinity"`` or ``"-Infinity"``."""
        if value - value != 0 or not cython.compiled:
            return self.add_bytes(to_json(value).encode())
        if -1e15 < value < 1e15 and value != 0:
            whole: cython.longlong = cython.cast(cython.longlong, value)
            if whole == value:
                self.add_number(whole)
                return self.add_bytes(b".0")
            if self._add_shortest(value):
                return 0
        text: cython.p_char = PyOS_double_to_string(value, 114, 0, Py_DTSF_ADD_DOT_0, cython.NULL)  # as repr
        if text == cython.NULL:
            raise MemoryError
        size: cython.Py_ssize_t = strlen(text)
        if size > self._capacity - self._size:
            self._grow(size)
        memcpy(self._data + self._size, text, size)
        self._size += size
        PyMem_Free(text)
        return 0

    def _add_shortest(self, value: cython.double) -> cython.bint:
        """Append the shortest digits that mean this number, the nearest of several; return whether it could.

        This is Steele and White's algorithm for numbers between 2**-12 and 2**49, whose steps fit in 64 bits. All
        Dota 2 tables take a third longer with `PyOS_double_to_string` alone, those of StarCraft II a seventh. The
        neighbours of a power of 2 are not equally far, but a power of 2 in this range is whole or ends after so
        few digits that no other number is near.
        """
        bits: cython.ulonglong = 0
        if cython.compiled:
            memcpy(cython.address(bits), cython.address(value), 8)
        exponent: cython.int = cython.cast(cython.int, bits >> 52 & 2047) - 1023
        fraction: cython.ulonglong = bits & ((cython.cast(cython.ulonglong, 1) << 52) - 1)
        if not -12 <= exponent < 49:
            return False
        start: cython.Py_ssize_t = self._size
        if self._capacity - start < _MOST_DIGITS:
            self._grow(_MOST_DIGITS)
        # Everything is in units of half the distance to the next number.
        places: cython.int = 53 - exponent
        rest: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << 52 | fraction) << 1
        near: cython.ulonglong = 1
        even: cython.bint = (fraction & 1) == 0
        if value < 0:
            self.add(45)
        if exponent < 0:
            self.add(48)
        else:
            self.add_unsigned(rest >> places)
            rest &= (cython.cast(cython.ulonglong, 1) << places) - 1
        self.add(46)
        to: cython.p_uchar = self._data + self._size
        made: cython.int = 0
        while True:
            # Ten times as much, in units of twice the size.
            rest *= 5
            near *= 5
            places -= 1
            if places > 63:
                to[made] = 48
                made += 1
                continue
            one: cython.ulonglong = cython.cast(cython.ulonglong, 1) << places
            digit: cython.int = cython.cast(cython.int, rest >> places)
            rest &= one - 1
            below: cython.bint = rest < near or (even and rest == near)
            above: cython.bint = rest + near > one or (even and rest + near == one)
            if below or above:
                # Of two that are equally near, the even digit.
                if above and (not below or 2 * rest > one or (2 * rest == one and digit & 1)):
                    digit += 1
                if digit > 9:
                    break
                to[made] = cython.cast(cython.uchar, 48 + digit)
                self._size += made + 1
                return True
            to[made] = cython.cast(cython.uchar, 48 + digit)
            made += 1
        self._size = start
        return False

    def add_unsigned(self, value: cython.ulonglong) -> cython.int:
        """Append a whole number of 0 or more in decimal digits."""
        if not cython.compiled:
            return self.add_bytes(str(value).encode())
        if self._capacity - self._size < _MOST_DIGITS:
            self._grow(_MOST_DIGITS)
        digits: cython.uchar[20]
        first: cython.int = 20
        while True:
            first -= 1
            digits[first] = cython.cast(cython.uchar, 48 + value % 10)
            value //= 10
            if not value:
                break
        memcpy(self._data + self._size, digits + first, 20 - first)
        self._size += 20 - first
        return 0

    def cut(self, first: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
        """Remove the bytes from `first` up to `end`."""
        if first < 0 or end < first or end > self._size:
            raise IndexError(f"expected bytes of 0 to {self._size}, got {first} to {end}")
        if cython.compiled:
            if end < self._size:
                memmove(self._data + first, self._data + end, self._size - end)
        else:
            del self._array[first:end]
        self._size -= end - first
        return 0

    def put(self, at: cython.Py_ssize_t, byte: cython.int) -> cython.int:
        """Replace the byte at a place."""
        if at < 0 or at >= self._size:
            raise IndexError(f"expected a place of 0 to {self._size - 1}, got {at}")
        if cython.compiled:
            self._data[at] = cython.cast(cython.uchar, byte)
        else:
            self._array[at] = byte
        return 0

    def detach(self) -> array:
        """Return the bytes and start anew with none."""
        done = self._array
        if cython.compiled:
            resize(self._array, self._size)
        self._array = array("B")
        self._size = self._capacity = 0
        return done


if not cython.compiled:
    # The same as the inline functions in the .pxd.
    put_byte = ByteBuffer.add
    put_bytes = ByteBuffer.add_bytes

    def put_part(buffer: ByteBuffer, data: bytes, start: int, size: int) -> int:
        return buffer.add_bytes(data[start : start + size])
