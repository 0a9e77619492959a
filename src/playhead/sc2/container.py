"""`Sc2Container`: the parts of a replay file, replay header and archive, and what was lost of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay, UnknownFormat
from playhead.io.source import Source
from playhead.model import Check, Options
from playhead.replay import Replay
from playhead.sc2.members import names as members
from playhead.sc2.members.header import ReplayHeader, read_header
from playhead.sc2.mpq import MpqArchive, UserData
from playhead.sc2.mpq.attributes import NO_CHECKSUMS, Checksums, read_checksums
from playhead.sc2.mpq.layout import ARCHIVE_MAGIC, USER_DATA_CAPACITY
from playhead.sc2.mpq.line_endings import undo_line_endings
from playhead.sc2.mpq.listfile import read_listfile

if TYPE_CHECKING:
    from playhead.sc2.repair.salvage import Archive, SalvagedArchive

_T = TypeVar("_T")

_HEADER = "replay header"
_ARCHIVE = "archive"

#: Where every replay seen has its archive.
_USUAL_OFFSET = 1024

#: An archive with one of these is that of a replay.
_REPLAY_MEMBERS = (
    members.GAME_EVENTS,
    members.DETAILS,
    members.DETAILS_BACKUP,
    members.INIT_DATA,
    members.REPLAY_INFO,
    members.TRACKER_EVENTS,
)

#: What `Replay.verify` counts, and why it tells something.
_SELF_CHECKS = {
    "checksums of members": "The archive keeps CRC-32 and MD5 of what each member unpacks to.",
    "digests of stored bytes": "From 1.5 on the MD5 of each 16 KiB of a member stands behind it as it is stored.",
    "streams of events": "The type table of the build reads each to its last byte.",
}

#: How many times `Limits.member` the survey unpacks in all: blocks may overlap, so that a small file could ask
#: for any amount of work.
_MEMBERS_TOGETHER = 4


class Sc2Container(Replay):
    """A replay file taken apart; `Sc2Replay` decodes what is in it.

    Attributes:
        header: the replay header; None where it cannot be read.
        data: the file; or, where a transfer as text changed its line endings, with that undone.
    """

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self.header: ReplayHeader | None = None
        self._verified: dict[str, list[int]] = {}
        self.data = source.data
        self._user_data = self._find_user_data()
        try:
            self.header = self._read_header()
        except (UnknownFormat, TruncatedReplay) as error:
            # Nothing tells that this is a replay, unless the archive does.
            if options.strict or not self._has_replay_members():
                raise error.locate(where=_HEADER) from None
            self._note_header(error)
        except ReplayError as error:
            self._note_header(error)

    # -- user data and header ---------------------------------------------------------------------------

    def _note_header(self, error: ReplayError) -> None:
        self._note(error.locate(where=_HEADER), cost="version, build and length are not known")

    def _find_user_data(self) -> UserData:
        data = self.data
        if data[:4] == ARCHIVE_MAGIC:
            return UserData(0, data[:0])
        try:
            user_data = UserData.read(data)
        except TruncatedReplay:
            raise
        except CorruptReplay as error:
            self._note(error.locate(where=_HEADER), cost="nothing: the usual places were tried")
            size = int.from_bytes(data[12:16], "little")
            room = size if 0 < size < USER_DATA_CAPACITY else USER_DATA_CAPACITY
            user_data = UserData(_USUAL_OFFSET, data[UserData.OFFSET : UserData.OFFSET + room])
        offset = user_data.archive_offset
        if data[offset : offset + 4] != ARCHIVE_MAGIC:
            restored = undo_line_endings(data)
            if restored is not None and restored[offset : offset + 4] == ARCHIVE_MAGIC:
                self._take_restored(restored)
                return UserData.read(self.data)
            if data[_USUAL_OFFSET : _USUAL_OFFSET + 4] == ARCHIVE_MAGIC:
                moved = CorruptReplay(f"expected an archive at {offset:#x}, found it at {_USUAL_OFFSET:#x}")
                self._note(moved.locate(where=_HEADER), cost="nothing")
                return UserData(_USUAL_OFFSET, user_data.content)
        return user_data

    def _take_restored(self, restored: memoryview) -> None:
        changed = len(self.data) - len(restored)
        error = CorruptReplay(
            f"expected binary data, found every line end changed to CR LF, {changed} of them: transferred as text?"
        )
        self._note(error.locate(where="file"), cost="nothing: it was undone")
        self.data = restored

    @property
    def user_data(self) -> bytes:
        """What stands in front of the archive: the packed replay header, at most as much as there is room for."""
        return bytes(self._user_data.content[:USER_DATA_CAPACITY])

    def _read_header(self) -> ReplayHeader:
        limits = self.options.limits
        if self._user_data.archive_offset == 0:
            raise UnknownFormat(
                "expected a StarCraft II replay, found an MPQ archive without a replay header (a map or a mod?)"
            )
        content = self._user_data.content
        try:
            return read_header(content, limits)
        except TruncatedReplay as error:
            room = self.data[UserData.OFFSET : UserData.OFFSET + USER_DATA_CAPACITY]
            if len(room) <= len(content):
                raise
            header = read_header(room, limits)
            self._note(error.locate(where=_HEADER), cost="nothing: it is longer than declared")
            return header

    def _has_replay_members(self) -> bool:
        return self.archive is not None and any(name in self.archive for name in _REPLAY_MEMBERS)

    # -- archive ----------------------------------------------------------------------------------------

    @cached_property
    def archive(self) -> Archive | None:
        """The MPQ archive, or what a scan of the file finds where its tables are lost; None if that is nothing."""
        archive, lost = self._open_archive()
        if lost is None:
            return archive
        if self.data is self.source.data:
            restored = undo_line_endings(self.data)
            if restored is not None:
                before, self.data = self.data, restored
                whole, still_lost = self._open_archive()
                self.data = before
                if still_lost is None:
                    self._take_restored(restored)
                    return whole
        if self.options.strict:
            raise lost.locate(where=_ARCHIVE, file=self.name)
        from playhead.sc2.repair.salvage import salvage

        header = self.header
        builds = None if header is None else (header.base_build, header.build)
        found = salvage(self.data, self._user_data.archive_offset, builds, self.options.limits)
        if found is None or (archive is not None and len(found.names) <= len(archive.names)):
            self._note(lost.locate(where=_ARCHIVE), cost="all members: everything but the replay header")
            return archive
        self._note_salvage(found, lost)
        return found

    def _open_archive(self) -> tuple[MpqArchive | None, ReplayError | None]:
        """The archive by its tables, and why they are not to be followed."""
        limits = self.options.limits
        try:
            archive = MpqArchive(self.data, self._user_data.archive_offset, members.KNOWN_NAMES, limits)
        except ReplayError as error:
            return None, error
        there = [block for block in archive.blocks if block.exists]
        end = len(self.data) - archive.header.offset
        outside = sum(block.offset + block.stored_size > end for block in there)
        if there and not archive.names:
            wrong = f"expected the tables to lead to members of a replay, found {len(there)} others"
            return archive, CorruptReplay(wrong)
        if outside * 2 > len(there):
            wrong = f"expected {len(there)} members inside the file, found {outside} outside"
            return archive, CorruptReplay(wrong)
        return archive, None

    def _note_salvage(self, found: SalvagedArchive, lost: ReplayError) -> None:
        of = "" if found.expected is None else f" of {found.expected + 1}"
        recovered = f"the tables of the archive; {len(found.blocks)}{of} members were found by scanning"
        nameless = len(found.blocks) - len(found.names)
        if nameless:
            recovered += f", {nameless} of them not recognised"
        self._note(lost.locate(where=_ARCHIVE), cost=recovered)
        for loss in found.lost:
            self._note(loss.locate(where=_ARCHIVE), cost="a member")

    def read_member(self, name: str) -> bytes:
        """The unpacked data of a member of the archive.

        Raises:
            KeyError: there is no such member, or no archive that could be read.
            ReplayError: it cannot be unpacked.
        """
        if self.archive is None:
            raise KeyError(name)
        return self.archive.read(name)

    def decode_member(self, name: str, decode: Callable[[bytes], _T], cost: str) -> _T | None:
        """A member decoded; None where there is none, or, with a problem, where that fails."""
        if self.archive is None or name not in self.archive:
            return None

        def on_damage(error: ReplayError) -> None:
            self._note(error.locate(where=name), cost="its end, if anything")

        try:
            return decode(self.archive.read(name, on_damage))
        except ReplayError as error:
            self._note(error.locate(where=name), cost=cost)
            return None

    def learn_names(self) -> None:
        """Look up the names that only the archive's own list knows."""
        self._names_by_block  # noqa: B018

    @cached_property
    def _names_by_block(self) -> dict[int, str]:
        """Names of members, with those that only the archive's own list knows."""
        if self.archive is None:
            return {}
        if members.LISTFILE in self.archive:
            listed = self.decode_member(
                members.LISTFILE, read_listfile, "names of members that playhead does not know"
            )
            self.archive.learn_names(listed or ())
        return {block: name for name, block in self.archive.names.items()}

    def member_rows(self) -> list[dict[str, Any]]:
        """Rows of the table ``members``: every block of the archive's table, named or not."""
        archive = self.archive
        if archive is None:
            return []
        names = self._names_by_block
        return [
            {
                "name": names.get(block.index),
                "block": block.index,
                "stored_bytes": block.stored_size,
                "unpacked_bytes": block.unpacked_size,
                "flags": block.flags,
                "compression": archive.compression(block.index, names.get(block.index)),
                "encrypted": block.encrypted,
                "deleted": not block.exists,
            }
            for block in archive.blocks
        ]

    def _survey_members(self) -> None:
        """Unpack every member, for the problems alone."""
        archive = self.archive
        if archive is None:
            return
        names = self._names_by_block
        for dangling, index in archive.dangling.items():
            lost = CorruptReplay(f"expected the hash table to lead to a member, found the missing block {index}")
            self._note(lost.locate(where=dangling), cost="this member")
        checksums = self._checksums()
        total = 0
        for block in archive.blocks:
            if block.exists:
                total += block.unpacked_size
                if total > _MEMBERS_TOGETHER * self.options.limits.member:
                    much = LimitExceeded(
                        f"expected members of at most {_MEMBERS_TOGETHER} times the limit of one "
                        f"({self.options.limits.member} bytes) in all, found more"
                    )
                    self._note(much.locate(where=_ARCHIVE), cost=f"blocks from {block.index} on are not checked")
                    break
                name = names.get(block.index)
                self._survey_member(name, block.index, checksums[block.index] if checksums else NO_CHECKSUMS)
                self._report(min(archive.header.offset + block.offset, len(self.source.data)))

    def _checksums(self) -> list[Checksums]:
        archive = self.archive
        assert archive is not None
        if members.ATTRIBUTES not in archive or not isinstance(archive, MpqArchive):
            return []  # the checksums are by rows of the block table
        blocks = len(archive.blocks)
        return (
            self.decode_member(
                members.ATTRIBUTES,
                lambda data: read_checksums(data, blocks),
                "nothing; but the members cannot be compared with their checksums",
            )
            or []
        )

    def _survey_member(self, name: str | None, index: int, checksums: Checksums) -> None:
        """Unpack one member, and compare it with its checksums and its stored bytes with theirs. What is already
        known to be damaged is not reported again."""
        archive = self.archive
        assert archive is not None
        where = name or f"block {index}"
        known = any(problem.where == where for problem in self._found)
        damage: list[ReplayError] = []
        cost = "its end, if anything"
        try:
            data = archive.read_block(index, name, damage.append)
            if not damage:
                self._check_member(archive, index, data, checksums)
        except ReplayError as error:
            damage, cost = [error], "this member"
        if not known:
            for found in damage:
                self._note(found.locate(where=where), cost=cost)

    def _check_member(self, archive: Archive, index: int, data: bytes, checksums: Checksums) -> None:
        if checksums != NO_CHECKSUMS:
            self._check("checksums of members", lambda: checksums.check(data))
        if isinstance(archive, MpqArchive) and archive.has_digests(index):
            self._check("digests of stored bytes", lambda: archive.check_digests(index))

    def _check(self, name: str, check: Callable[[], object]) -> None:
        """Run one of the self-checks and count it.

        Raises:
            ReplayError: it failed.
        """
        counts = self._verified.setdefault(name, [0, 0])
        try:
            check()
        except ReplayError:
            counts[1] += 1
            raise
        counts[0] += 1

    def _checks(self) -> Iterable[Check]:
        return [
            Check(name, passed, failed, _SELF_CHECKS[name])
            for name, (passed, failed) in sorted(self._verified.items())
        ]
