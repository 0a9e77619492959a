"""Reads every member of an archive and compares it with the archive's own checksums."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from playhead.blizzard.mpq.archive import MpqArchive
from playhead.blizzard.mpq.attributes import NO_CHECKSUMS, Checksums
from playhead.blizzard.mpq.compression import Damage, OnDamage
from playhead.blizzard.mpq.layout import Block
from playhead.errors import CorruptReplay, ReplayError
from playhead.runtime.records import dataclass, field

if TYPE_CHECKING:
    from playhead.blizzard.repair.salvage import Archive

CHECKSUMS = "checksums of members"
DIGESTS = "digests of stored bytes"


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A decompressed member.

    Attributes:
        data: the sound data, with zeros in gaps.
        damage: the gaps, in ascending order.
        error: why there is no data.
    """

    data: bytes
    damage: tuple[Damage, ...] = ()
    error: ReplayError | None = None

    @property
    def beginning(self) -> bytes:
        """The data before the first gap."""
        return self.data[: self.damage[0].start] if self.damage else self.data

    @property
    def after(self) -> bytes:
        """The data after the last gap."""
        end = self.damage[-1].end if self.damage else None
        return b"" if end is None else self.data[end:]

    @classmethod
    def of(cls, read: Callable[[OnDamage], bytes]) -> Unpacked:
        """Return the data and the damage from `read`."""
        damage: list[Damage] = []
        try:
            return cls(read(damage.append), tuple(damage))
        except ReplayError as error:
            return cls(b"", (), error)


@dataclass(frozen=True, slots=True)
class Finding:
    """The problems at one place.

    Attributes:
        where: name of the member, ``block 7`` or ``archive``.
        errors: the problems; empty if all is well.
        cost: the lost data.
        end: how far the archive has been read, in bytes from its header.
        always: report it even if `where` is known to be damaged.
    """

    where: str
    errors: Sequence[ReplayError]
    cost: str
    end: int = 0
    always: bool = False


@dataclass(slots=True)
class MemberSurvey:
    """A pass over all members.

    Attributes:
        archive: the archive.
        names, checksums: by block; the latter may be empty.
        unpacked: the members that are already decompressed.
        verified: how many self-checks passed and failed, by name.
    """

    archive: Archive
    names: Mapping[int, str]
    checksums: Sequence[Checksums]
    unpacked: Mapping[str, Unpacked]
    verified: dict[str, list[int]] = field(default_factory=dict)

    def findings(self) -> Iterator[Finding]:
        """Yield a finding for each member, and for each problem of the archive."""
        for dangling, index in self.archive.dangling.items():
            lost = CorruptReplay(f"expected the hash table to lead to a member, found the missing block {index}")
            yield Finding(dangling, [lost], "this member", always=True)
        for block in self.archive.blocks:
            if block.exists:
                yield self._member(block)

    def _member(self, block: Block) -> Finding:
        archive, index = self.archive, block.index
        name = self.names.get(index)
        where = name or f"block {index}"
        unpacked = None if name is None else self.unpacked.get(name)
        if unpacked is None:
            unpacked = Unpacked.of(lambda on_damage: archive.read_block(index, name, on_damage))
        error = unpacked.error
        if error is None and not unpacked.damage:
            try:
                self._check_member(index, unpacked.data)
            except ReplayError as failed:
                error = failed
        if error is not None:
            return Finding(where, [error], "this member", block.offset)
        costs = " and ".join(gap.cost for gap in unpacked.damage)
        return Finding(where, [gap.error for gap in unpacked.damage], costs or "nothing", block.offset)

    def _check_member(self, index: int, data: bytes) -> None:
        archive = self.archive
        checksums = self.checksums[index] if self.checksums else NO_CHECKSUMS
        if checksums != NO_CHECKSUMS:
            self._check(CHECKSUMS, lambda: checksums.check(data))
        if isinstance(archive, MpqArchive) and archive.has_digests(index):
            self._check(DIGESTS, lambda: archive.check_digests(index))

    def _check(self, name: str, check: Callable[[], object]) -> None:
        """Run one of the self-checks and count it.

        Raises:
            ReplayError: it failed.
        """
        counts = self.verified.setdefault(name, [0, 0])
        try:
            check()
        except ReplayError:
            counts[1] += 1
            raise
        counts[0] += 1
