"""`DeletionLists`: the lists of deleted entities at the end of deltas, in builds up to April 2024."""

from __future__ import annotations

from playhead.bits.bit_reader import BitReader
from playhead.errors import CorruptReplay
from playhead.runtime import cython

if not cython.compiled:  # compiled, these are constants of deletion_lists.pxd
    SETTLED = 8
    ENTITIES = 1 << 14


@cython.final
@cython.cclass
class DeletionLists:
    """Read deletion lists, and detect whether a recording has them.

    After the entries of a delta, at least six bits remain if there is a list, at most seven if there is none.
    Six or seven bits can only be an empty list. The majority of messages so far decides, because one may be
    damaged.
    """

    def __init__(self) -> None:
        self.evidence = 0

    def read(self, reader: BitReader) -> list:
        """Return the indices of entities to delete; None if there are none."""
        left: cython.ulonglong = reader.rem_bits()
        index: cython.longlong = -1
        deleted: list = None
        if left < 8 and self.evidence < SETTLED:
            if left < 6:
                self.evidence -= self.evidence > -SETTLED
            return None
        if self.evidence <= -SETTLED:
            return None
        count: cython.ulonglong = reader.read_ubit_var()
        while count:
            index += cython.cast(cython.longlong, reader.read_ubit_var())
            if index < 0 or index >= ENTITIES:
                raise CorruptReplay(f"expected an entity below {ENTITIES} to delete, found {index}")
            if deleted is None:
                deleted = []
            deleted.append(index)
            count -= 1
        if reader.rem_bits() > 7:
            return None  # these bits were no list
        if left > 7:
            self.evidence += self.evidence < SETTLED
        return deleted
