"""``replay.sync.events``: checksums of the game's state, bit-packed."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.errors import CorruptReplay
from playhead.runtime import cython
from playhead.tables.column_buffers import Int64Buffer

if cython.compiled:
    from cython.cimports.playhead.blizzard.encoding.bit_packed import BitPackedReader
    from cython.cimports.playhead.tables.column_buffers import Int64Buffer, append_int64
else:
    from playhead.tables.column_buffers import append_int64


class SyncCheck(NamedTuple):
    """One record of ``replay.sync.events``: a checksum of the game's state at a loop."""

    tick: int
    flag: int
    checksum: int


class SyncColumns(NamedTuple):
    """The fields of all records, each as ``array('q')``."""

    ticks: array[int]
    flags: array[int]
    checksums: array[int]

    def checks(self) -> list[SyncCheck]:
        """Return the records one by one."""
        return list(map(SyncCheck, *self))


def read_sync(data: bytes) -> SyncColumns:
    """Decode the member: loop delta as in the event streams, one bit, 16 bits, aligned.

    Raises:
        TruncatedReplay: it ends inside a record.
        CorruptReplay: a loop does not fit 31 bits.
    """
    bits: BitPackedReader = BitPackedReader(data)
    tick: cython.longlong = 0
    ticks: Int64Buffer = Int64Buffer()
    flags: Int64Buffer = Int64Buffer()
    checksums: Int64Buffer = Int64Buffer()
    while bits.remaining():
        tick += bits.read_loop_delta()
        if tick >> 31:
            raise CorruptReplay(f"expected a game loop of 31 bits, found {tick}", offset=bits.tell() >> 3)
        flag: cython.longlong = bits.read_int(1)
        checksum: cython.longlong = bits.read_int(16)
        append_int64(ticks, tick)
        append_int64(flags, flag)
        append_int64(checksums, checksum)
        bits.align()
    return SyncColumns(ticks.to_array(), flags.to_array(), checksums.to_array())
