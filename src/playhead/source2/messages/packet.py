"""The inner messages of a packet: a bit stream of ubitvar id, varuint32 size and that many bytes.

A message need not begin at a byte. The stream ends where fewer than 8 bits are left; id 0 is a filler
(net_NOP) that console recordings carry.
"""

from __future__ import annotations

from typing import Any

from playhead.bits.bit_reader import BitReader
from playhead.errors import CorruptReplay, LimitExceeded, TruncatedReplay

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

#: A message without content takes two bytes, and a hostile Snappy block can hold a hundred million of them.
#: Packets of real demos have some hundreds.
MOST_IN_A_PACKET = 1 << 18


@cython.final
@cython.cclass
class PacketReader:
    """Walks the messages of a packet's data; a payload is made only when asked for.

    Attributes:
        id: number of the current message.
        size: bytes of its payload.
    """

    # stub: def __init__(self, data: Buffer) -> None: ...
    # stub: def advance_to(self, wanted: frozenset[int]) -> int: ...

    def __init__(self, data: Any) -> None:
        self._reader = BitReader(data)
        self._payload_bits = 0
        self.id = 0
        self.size = 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def advance(self) -> cython.int:
        """Move to the next message. Returns 1, or 0 at the end.

        Raises:
            TruncatedReplay: a message is larger than what is left; `offset` counts in the packet's data.
            CorruptReplay: its number is no enumeration value (those are below 2**31).
        """
        reader: BitReader = self._reader
        if self._payload_bits:
            reader.skip_bits(self._payload_bits)
            self._payload_bits = 0
        if reader.rem_bits() < 8:
            return 0
        number: cython.ulonglong = reader.read_ubit_var()
        if number > 0x7FFFFFFF:
            self._bad_number(number)
        self.id = cython.cast(cython.int, number)
        size: cython.ulonglong = cython.cast(cython.ulonglong, reader.read_varuint32())
        if size * 8 > reader.rem_bits():
            self._too_large(size)
        self.size = cython.cast(cython.int, size)
        self._payload_bits = size * 8
        return 1

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def advance_to(self, wanted: frozenset) -> cython.int:
        """Move to the next message whose number is in `wanted`; otherwise as `advance`."""
        while self.advance():
            if self.id in wanted:
                return 1
        return 0

    # stub: def collect(self, found: list[tuple[int, bytes]], wanted: frozenset[int], lowest: int) -> int: ...

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def collect(self, found: list, wanted: frozenset, lowest: cython.longlong) -> cython.int:
        """Append number and bytes of every further message in `wanted`, or of number `lowest` or above.

        Fillers are left out. Returns how many messages were appended.

        Raises:
            ReplayError: as `advance`; the messages before the damage are appended.
            LimitExceeded: there are more than `MOST_IN_A_PACKET`.
        """
        count: cython.int = 0
        while self.advance():
            if self.id >= lowest or self.id in wanted:
                if self.id == 0 and self.size == 0:
                    continue
                if count == MOST_IN_A_PACKET:
                    raise LimitExceeded(f"expected at most {MOST_IN_A_PACKET} messages in a packet, found more")
                found.append((self.id, self.payload()))
                count += 1
        return count

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _too_large(self, size: cython.ulonglong) -> cython.int:
        raise TruncatedReplay(
            f"expected message {self.id} of {size} bytes, but only {self._reader.rem_bits() // 8} are left",
            offset=self._reader.tell() >> 3,
        )

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _bad_number(self, number: cython.ulonglong) -> cython.int:
        raise CorruptReplay(
            f"expected a message number below 2**31, found {number}", offset=self._reader.tell() >> 3
        )

    @cython.ccall
    def payload(self) -> bytes:
        """The bytes of the current message; once for each message."""
        data: bytes = self._reader.read_bits_as_bytes(self._payload_bits)
        self._payload_bits = 0
        return data
