"""Bytes that grow at the end, of columns of text: copied from readers, quoted, numbers as digits, base64."""

from __future__ import annotations

from array import array
from binascii import b2a_base64

from playhead.bits.byte_reader import ByteReader

try:
    import cython
except ModuleNotFoundError:
    from playhead.runtime import cython_shim as cython

_FIRST_CAPACITY = 256
# No number that is not a fraction below 1e-4 or above 1e15 has as many characters. Here for the compiler.
_MOST_DIGITS = cython.declare(cython.Py_ssize_t, 48)
# Two digits for each number below 100.
_PAIR_DIGITS = b"".join(b"%02d" % number for number in range(100))
_BASE64_DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
if cython.compiled:
    _BASE64 = cython.declare(cython.p_const_uchar, _BASE64_DIGITS)
    _PAIRS = cython.declare(cython.p_const_uchar, _PAIR_DIGITS)


@cython.final
@cython.cclass
class ByteBuffer:
    """Bytes that grow at the end."""

    def __init__(self) -> None:
        self._array = array("B")
        self._size = 0
        self._capacity = 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _grow(self, more: cython.Py_ssize_t) -> cython.int:
        if cython.compiled:
            self._capacity = max(_FIRST_CAPACITY, 2 * self._capacity, self._size + more)
            resize(self._array, self._capacity)
            self._data = self._array.data.as_uchars
        return 0

    @cython.ccall
    @cython.exceptval(check=False)
    def tell(self) -> cython.Py_ssize_t:
        """How many bytes there are."""
        return self._size

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add(self, byte: cython.int) -> cython.int:
        """Add one byte."""
        if cython.compiled:
            if self._size == self._capacity:
                self._grow(1)
            self._data[self._size] = cython.cast(cython.uchar, byte)
        else:
            self._array.append(byte)
        self._size += 1
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add_bytes(self, data: bytes) -> cython.int:
        """Add bytes."""
        size: cython.Py_ssize_t = len(data)
        if not size:  # before there is any memory, there is nothing that could be copied to
            return 0
        if cython.compiled:
            if size > self._capacity - self._size:
                self._grow(size)
            memcpy(self._data + self._size, PyBytes_AS_STRING(data), size)
        else:
            self._array.extend(data)
        self._size += size
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add_read(self, reader: ByteReader, count: cython.ulonglong) -> cython.int:
        """Add the next `count` bytes of a reader.

        Raises:
            TruncatedReplay: it has fewer.
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

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add_quoted(self, reader: ByteReader, count: cython.ulonglong) -> cython.int:
        """Add the next `count` bytes of a reader between double quotes.

        Raises:
            TruncatedReplay: it has fewer.
        """
        self.add(34)
        self.add_read(reader, count)
        return self.add(34)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add_number(self, value: cython.longlong) -> cython.int:
        """Add a whole number in decimal digits."""
        if value < 0:
            self.add(45)
            return self.add_unsigned(0 - cython.cast(cython.ulonglong, value))
        return self.add_unsigned(cython.cast(cython.ulonglong, value))

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add_float(self, value: cython.double) -> cython.int:
        """Add a finite number as Python shows it."""
        if not cython.compiled:
            return self.add_bytes(repr(value).encode())
        if -1e15 < value < 1e15:
            if value == 0:
                return self.add_bytes(b"-0.0" if copysign(1, value) < 0 else b"0.0")
            whole: cython.longlong = cython.cast(cython.longlong, value)
            if whole == value:
                self.add_number(whole)
                self.add(46)
                return self.add(48)
            if self._add_shortest(value):
                return 0
        text: cython.p_char = PyOS_double_to_string(value, 114, 0, Py_DTSF_ADD_DOT_0, cython.NULL)
        if text == cython.NULL:
            raise MemoryError
        size: cython.Py_ssize_t = strlen(text)
        if size > self._capacity - self._size:
            self._grow(size)
        memcpy(self._data + self._size, text, size)
        self._size += size
        PyMem_Free(text)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _add_shortest(self, value: cython.double) -> cython.bint:
        """Add the fewest digits that mean this number and no other, of those the nearest; return whether it was.

        For numbers between 2**-12 and 2**49: for them Steele and White's way of making such digits takes 64 bits,
        and a tenth of the time that it takes for any number. Numbers below 1 that are powers of 2, whose
        neighbours are not equally far, are whole behind so many digits that no other is near.
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
        # All in units of half the distance to the next number.
        places: cython.int = 53 - exponent
        one: cython.ulonglong
        rest: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << 52 | fraction) << 1
        near: cython.ulonglong = 1
        even: cython.bint = (fraction & 1) == 0
        digit: cython.int
        below: cython.bint
        above: cython.bint
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
            one = cython.cast(cython.ulonglong, 1) << places
            digit = cython.cast(cython.int, rest >> places)
            rest &= one - 1
            below = rest < near or (even and rest == near)
            above = rest + near > one or (even and rest + near == one)
            if below or above:
                # Of two that are equally near, that of the even digit.
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

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add_unsigned(self, value: cython.ulonglong) -> cython.int:
        """Add a number of 0 or more in decimal digits."""
        if not cython.compiled:
            return self.add_bytes(str(value).encode())
        if self._capacity - self._size < _MOST_DIGITS:
            self._grow(_MOST_DIGITS)
        to: cython.p_uchar = self._data + self._size
        if value < 10:
            to[0] = cython.cast(cython.uchar, 48 + value)
            self._size += 1
            return 0
        digits: cython.uchar[20]
        first: cython.int = 20
        left: cython.ulonglong = value
        short: cython.uint
        pair: cython.p_const_uchar
        while left >> 32:
            short = cython.cast(cython.uint, left % 100_000_000)
            left //= 100_000_000
            for _ in range(4):
                pair = _PAIRS + 2 * (short % 100)
                short //= 100
                first -= 2
                digits[first] = pair[0]
                digits[first + 1] = pair[1]
        short = cython.cast(cython.uint, left)
        while short >= 100:
            pair = _PAIRS + 2 * (short % 100)
            short //= 100
            first -= 2
            digits[first] = pair[0]
            digits[first + 1] = pair[1]
        if short >= 10:
            pair = _PAIRS + 2 * short
            first -= 2
            digits[first] = pair[0]
            digits[first + 1] = pair[1]
        else:
            first -= 1
            digits[first] = cython.cast(cython.uchar, 48 + short)
        memcpy(to, digits + first, 20 - first)
        self._size += 20 - first
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add_base64(self, reader: ByteReader, count: cython.ulonglong) -> cython.int:
        """Add the next `count` bytes of a reader in base 64, without line ends.

        Raises:
            TruncatedReplay: it has fewer.
        """
        if not cython.compiled:
            return self.add_bytes(b2a_base64(reader.read_bytes(count), newline=False))
        given: cython.p_const_uchar = reader._data + reader._pos
        reader.skip(count)
        size: cython.Py_ssize_t = (cython.cast(cython.Py_ssize_t, count) + 2) // 3 * 4
        if size > self._capacity - self._size:
            self._grow(size)
        to: cython.p_uchar = self._data + self._size
        at: cython.ulonglong = 0
        three: cython.uint
        while count - at >= 3:
            three = given[at] << 16 | given[at + 1] << 8 | given[at + 2]
            to[0] = _BASE64[three >> 18]
            to[1] = _BASE64[three >> 12 & 63]
            to[2] = _BASE64[three >> 6 & 63]
            to[3] = _BASE64[three & 63]
            to += 4
            at += 3
        if at < count:
            three = given[at] << 16
            if at + 1 < count:
                three |= given[at + 1] << 8
            to[0] = _BASE64[three >> 18]
            to[1] = _BASE64[three >> 12 & 63]
            to[2] = _BASE64[three >> 6 & 63] if at + 1 < count else 61
            to[3] = 61  # =
        self._size += size
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def cut(self, first: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
        """Take out the bytes from `first` up to `end`."""
        if first < 0 or end < first or end > self._size:
            raise IndexError(f"expected bytes of 0 to {self._size}, got {first} to {end}")
        if cython.compiled:
            if end < self._size:
                memmove(self._data + first, self._data + end, self._size - end)
        else:
            del self._array[first:end]
        self._size -= end - first
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def put(self, at: cython.Py_ssize_t, byte: cython.int) -> cython.int:
        """Put another byte at a place."""
        if at < 0 or at >= self._size:
            raise IndexError(f"expected a place of 0 to {self._size - 1}, got {at}")
        if cython.compiled:
            self._data[at] = cython.cast(cython.uchar, byte)
        else:
            self._array[at] = byte
        return 0

    # stub: def take(self) -> array[int]: ...
    def take(self) -> array:
        """The bytes; the buffer is handed over and starts anew."""
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
