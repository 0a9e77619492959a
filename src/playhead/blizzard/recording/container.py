"""`Container`: the replay header, the MPQ archive and its unpacked members; damage is noted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from playhead.blizzard.game import BlizzardGame
from playhead.blizzard.members import member_names
from playhead.blizzard.members.header import ReplayHeader, read_header
from playhead.blizzard.mpq import MpqArchive, UserData
from playhead.blizzard.mpq.archive import restore_line_endings
from playhead.blizzard.mpq.attributes import Checksums, read_checksums
from playhead.blizzard.mpq.layout import ARCHIVE_MAGIC, USER_DATA_CAPACITY, read_listfile
from playhead.blizzard.repair.survey import MemberSurvey, Unpacked
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay, UnknownFormat
from playhead.io.source import Source
from playhead.limits import FREE_MEMBER, Limits
from playhead.model import ProblemHandler
from playhead.runtime.cached import cached_property

if TYPE_CHECKING:
    from playhead.blizzard.mpq.compression import Damage
    from playhead.blizzard.repair.salvage import Archive, Guesser, SalvagedArchive

_T = TypeVar("_T")

_HEADER = "replay header"
_ARCHIVE = "archive"

#: The signature of the game is within so many bytes of the header.
_SIGNATURE_END = 64
#: Offset of the archive in every replay of the corpus.
_USUAL_OFFSET = 1024

#: A replay's archive has at least one of these.
_REPLAY_MEMBERS = (
    *(member_names.GAME_EVENTS, member_names.DETAILS, member_names.DETAILS_BACKUP),
    *(member_names.INIT_DATA, member_names.REPLAY_INFO, member_names.TRACKER_EVENTS),
)

# `Limits.events` bounds these.
_STREAMS = (member_names.GAME_EVENTS, member_names.MESSAGE_EVENTS, member_names.TRACKER_EVENTS)


class Container:
    """A replay file: its header and its archive, whose members are unpacked once. `Members` decodes them.

    Args:
        source: the file.
        game: whose replay it should be.
        limits: bounds on allocations.
        note: called with each problem and its cost. It raises in strict mode.
        strict: whether to raise the first problem instead of salvaging.

    Attributes:
        header: the replay header; None if it cannot be read.
        data: the file; if a text-mode transfer changed its line endings, with them restored.
        verified: passed and failed checks by name.
        damaged: places of the noted problems.

    Raises:
        UnknownFormat: an MPQ archive, but no replay of the game.
        TruncatedReplay: cut inside the replay header.
    """

    def __init__(
        self, source: Source, game: BlizzardGame, limits: Limits, note: ProblemHandler, *, strict: bool
    ) -> None:
        self.source = source
        self.game = game
        self.limits = limits
        self.strict = strict
        self.header: ReplayHeader | None = None
        self.verified: dict[str, list[int]] = {}
        self._note = note
        self.damaged: set[str | None] = set()
        self._unpacked: dict[str, Unpacked] = {}
        self.data = source.data
        self._user_data = self._find_user_data()
        for signature, other in game.others.items():
            if signature in bytes(self._user_data.content[:_SIGNATURE_END]):
                found = UnknownFormat(f"expected a {game.title} replay, found one of {other}")
                raise found.locate(where=_HEADER)
        try:
            self.header = self._read_header()
        except (UnknownFormat, TruncatedReplay) as error:
            # Without a header only the archive shows that this is a replay.
            if strict or not self._has_replay_members():
                raise error.locate(where=_HEADER) from None
            self._report_header(error)
        except ReplayError as error:
            self._report_header(error)

    def note(self, error: ReplayError, cost: str) -> None:
        """Report a problem, and remember the damaged member."""
        self.damaged.add(error.where)
        self._note(error, cost)

    # -- user data and header ---------------------------------------------------------------------------

    def _report_header(self, error: ReplayError) -> None:
        self.note(
            error.locate(where=_HEADER),
            cost="its own facts; version, builds, clock and length come from other members",
        )

    def _find_user_data(self) -> UserData:
        data = self.data
        if data[:4] == ARCHIVE_MAGIC:
            return UserData(0, data[:0])
        try:
            user_data = UserData.read(data)
        except TruncatedReplay:
            raise
        except CorruptReplay as error:
            self.note(error.locate(where=_HEADER), cost="nothing: the usual places were tried")
            size = int.from_bytes(data[12:16], "little")
            room = size if 0 < size < USER_DATA_CAPACITY else USER_DATA_CAPACITY
            user_data = UserData(_USUAL_OFFSET, data[UserData.OFFSET : UserData.OFFSET + room])
        offset = user_data.archive_offset
        if data[offset : offset + 4] != ARCHIVE_MAGIC:
            restored = restore_line_endings(data)
            if restored is not None and restored[offset : offset + 4] == ARCHIVE_MAGIC:
                self._restore(restored)
                return UserData.read(self.data)
            if data[_USUAL_OFFSET : _USUAL_OFFSET + 4] == ARCHIVE_MAGIC:
                moved = CorruptReplay(f"expected an archive at {offset:#x}, found it at {_USUAL_OFFSET:#x}")
                self.note(moved.locate(where=_HEADER), cost="nothing")
                return UserData(_USUAL_OFFSET, user_data.content)
        return user_data

    def _restore(self, restored: memoryview) -> None:
        changed = len(self.data) - len(restored)
        error = CorruptReplay(
            f"expected binary data, found every line end changed to CR LF, {changed} of them: transferred as text?"
        )
        self.note(error.locate(where="file"), cost="nothing: the line endings were restored")
        self.data = restored

    @property
    def user_data(self) -> bytes:
        """The bytes before the archive: the encoded replay header, up to its capacity."""
        return bytes(self._user_data.content[:USER_DATA_CAPACITY])

    def _read_header(self) -> ReplayHeader:
        limits = self.limits
        if self._user_data.archive_offset == 0:
            wanted = f"expected a {self.game.title} replay"
            raise UnknownFormat(f"{wanted}, found an MPQ archive without a replay header (a map or a mod?)")
        content = self._user_data.content
        try:
            return read_header(content, self.game, limits)
        except TruncatedReplay as error:
            room = self.data[UserData.OFFSET : UserData.OFFSET + USER_DATA_CAPACITY]
            if len(room) <= len(content):
                raise
            header = read_header(room, self.game, limits)
            self.note(error.locate(where=_HEADER), cost="nothing: it is longer than declared")
            return header

    def _has_replay_members(self) -> bool:
        return self.archive is not None and any(name in self.archive for name in _REPLAY_MEMBERS)

    # -- archive ----------------------------------------------------------------------------------------

    @cached_property
    def archive(self) -> Archive | None:
        """The MPQ archive; if its tables are lost, the members found by a scan of the file; None without any."""
        archive, lost = self._open_archive()
        if lost is None:
            if archive is not None:
                self._name_by_content(archive)
            return archive
        if self.data is self.source.data:
            restored = restore_line_endings(self.data)
            if restored is not None:
                before, self.data = self.data, restored
                whole, still_lost = self._open_archive()
                self.data = before
                if still_lost is None:
                    self._restore(restored)
                    return whole
        if self.strict:
            raise lost.locate(where=_ARCHIVE, file=self.source.name)
        from playhead.blizzard.repair.salvage import salvage

        found = salvage(self.data, self._user_data.archive_offset, self._guesser(), self.limits)
        if found is None or (archive is not None and len(found.names) <= len(archive.names)):
            self.note(lost.locate(where=_ARCHIVE), cost="all members")
            return archive
        self._report_salvage(found, lost)
        return found

    def _open_archive(self) -> tuple[MpqArchive | None, ReplayError | None]:
        """Return the archive by its tables, and the reason not to trust them."""
        limits = self.limits
        try:
            archive = MpqArchive(self.data, self._user_data.archive_offset, member_names.KNOWN_NAMES, limits)
        except ReplayError as error:
            return None, error
        there = [block for block in archive.blocks if block.exists]
        end = len(self.data) - archive.header.offset
        outside = sum(block.offset + block.stored_size > end for block in there)
        wrong = None
        if there and not archive.names:
            wrong = f"expected the tables to lead to members of a replay, found {len(there)} others"
        elif outside * 2 > len(there):
            wrong = f"expected {len(there)} members inside the file, found {outside} outside"
        return archive, None if wrong is None else CorruptReplay(wrong)

    def _name_by_content(self, archive: MpqArchive) -> None:
        """Name members that are missing from the hash table by their content."""
        known = set(archive.names.values())
        nameless = [block.index for block in archive.blocks if block.exists and block.index not in known]
        size = sum(archive.blocks[index].unpacked_size for index in nameless)
        if not nameless or size > self.limits.member:
            return
        guesser = self._guesser()
        for index in nameless:
            unpacked = Unpacked.of(partial(archive.read_block, index, None))
            name = guesser.name(unpacked.beginning, cut=bool(unpacked.damage), sure=True)
            if name is not None and name not in archive.names:
                archive.names[name] = index
                error = CorruptReplay(f"expected the hash table to lead to {name}, found it in block {index}")
                self.note(error.locate(where=_ARCHIVE), cost="nothing: it was recognised by its content")

    def _guesser(self) -> Guesser:
        builds = None if self.header is None else (self.header.base_build, self.header.build)
        return self.game.guesser(builds, self.limits)

    def _report_salvage(self, found: SalvagedArchive, lost: ReplayError) -> None:
        of = "" if found.expected is None else f" of {found.expected + 1}"
        recovered = f"the tables of the archive; {len(found.blocks)}{of} members were found by scanning"
        nameless = len(found.blocks) - len(found.names)
        if nameless:
            recovered += f", {nameless} of them not recognised"
        self.note(lost.locate(where=_ARCHIVE), cost=recovered)
        for loss in found.lost:
            self.note(loss.locate(where=_ARCHIVE), cost="a member")

    def read_member(self, name: str) -> bytes:
        """Return the data of a member of the archive, decompressed once.

        Raises:
            KeyError: there is no such member, or no archive that could be read.
            ReplayError: it cannot be decompressed.
        """
        unpacked = self.unpack(name)
        if unpacked.damage:
            raise unpacked.damage[0].error.locate(where=name)
        return unpacked.data

    def unpack(self, name: str) -> Unpacked:
        archive = self.archive
        if archive is None:
            raise KeyError(name)
        if name not in self._unpacked:
            self._unpacked[name] = Unpacked.of(lambda on_damage: archive.read(name, on_damage))
        unpacked = self._unpacked[name]
        if unpacked.error is not None:
            raise unpacked.error
        return unpacked

    def try_member(self, name: str, decode: Callable[[bytes], _T]) -> tuple[_T | None, ReplayError | None]:
        """Return a decoded member, or the error; twice None without such a member. A member with a gap is decoded
        up to the gap."""
        if self.archive is None or name not in self.archive:
            return None, None
        try:
            unpacked = self.unpack(name)
            most = FREE_MEMBER + 4 * len(self.data)
            if len(unpacked.beginning) > most and name not in _STREAMS:
                raise LimitExceeded(f"expected at most {most} bytes, found {len(unpacked.beginning)}")
            for gap in unpacked.damage:
                self.note(gap.error.locate(where=name), cost=gap.cost)
            return decode(unpacked.beginning), None
        except ReplayError as error:
            return None, error

    def decode_member(self, name: str, decode: Callable[[bytes], _T], cost: str) -> _T | None:
        """Return a decoded member; None if it is missing or, with a problem noted, cannot be decoded."""
        value, error = self.try_member(name, decode)
        if error is not None:
            self.note(error.locate(where=name), cost=cost)
        return value

    def gaps(self, name: str) -> Sequence[Damage]:
        """Return the gaps in a member that is readable in part."""
        try:
            return self.unpack(name).damage
        except (KeyError, ReplayError):
            return ()

    def learn_names(self) -> None:
        """Add the names of the archive's own list of members."""
        self.names_by_block  # noqa: B018

    @cached_property
    def names_by_block(self) -> dict[int, str]:
        """Names of members by block, with those of the archive's own list."""
        if self.archive is None:
            return {}
        if member_names.LISTFILE in self.archive:
            listed = self.decode_member(
                member_names.LISTFILE, read_listfile, "names of members that playhead does not know"
            )
            self.archive.learn_names(listed or ())
        return {block: name for name, block in self.archive.names.items()}

    def member_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the table ``members``: every block of the archive's table, named or not."""
        archive = self.archive
        if archive is None:
            return []
        names = self.names_by_block
        return [
            {
                "member": names.get(block.index),
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

    def survey(self, report: Callable[[int], None]) -> None:
        """Decompress every member to find problems. Known damage is not reported again."""
        archive = self.archive
        if archive is None:
            return
        survey = MemberSurvey(archive, self.names_by_block, self.checksums, self._unpacked)
        for finding in survey.findings():
            if finding.always or finding.where not in self.damaged:
                for error in finding.errors:
                    self.note(error.locate(where=finding.where), cost=finding.cost)
            report(min(archive.header.offset + finding.end, len(self.source.data)))
        self.verified |= survey.verified

    @cached_property
    def checksums(self) -> list[Checksums]:
        """The archive's checksums of its members, by block; empty if they are lost."""
        archive = self.archive
        if not isinstance(archive, MpqArchive) or member_names.ATTRIBUTES not in archive:
            return []  # checksums refer to rows of the block table
        blocks = len(archive.blocks)
        cost = "nothing; but the members cannot be compared with their checksums"
        return self.decode_member(member_names.ATTRIBUTES, lambda data: read_checksums(data, blocks), cost) or []
