"""`Streams`: the three streams of events, each decompressed once and decoded into columns once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.attributes import NO_CHECKSUMS
from playhead.blizzard.protocol.tables import GAME, ID_BITS, MESSAGE, TRACKER, short_name
from playhead.blizzard.recording.container import Container
from playhead.errors import CorruptReplay, ReplayError, TruncatedReplay
from playhead.limits import FREE_EVENTS
from playhead.runtime.cached import cached_property
from playhead.runtime.records import replace

if TYPE_CHECKING:
    from playhead.blizzard.events import Event, Scope
    from playhead.blizzard.events.columns import EventStream
    from playhead.blizzard.protocol.program import Program
    from playhead.blizzard.repair.guess_member import Builds
    from playhead.blizzard.repair.resume import Resumed, StreamEncoding

_T = TypeVar("_T")

#: Streams by member.
EVENT_STREAMS = {
    member_names.GAME_EVENTS: GAME,
    member_names.MESSAGE_EVENTS: MESSAGE,
    member_names.TRACKER_EVENTS: TRACKER,
}
_MEMBERS = {stream: member for member, stream in EVENT_STREAMS.items()}
# The last event of players may be so many loops before the end of the game; in 330 real replays at most 1,380.
_LONGEST_IDLE = 2000
# Earlier builds write statistics of players without friendly fire, which their type table has.
_WHOLE_SINCE = 26490
# The first base build (2.1 of StarCraft II) whose tracker has the setup of players.
_SETUP, _SETUP_SINCE = "SPlayerSetupEvent", 27950
#: Events that never occur without another of their stream, with that other.
_WITH_OTHERS = (
    ("SCmdEvent", "SSelectionDeltaEvent"),
    ("SCmdEvent", "SCameraUpdateEvent"),
    ("SCommandManagerStateEvent", "SCmdEvent"),
    ("SCmdUpdateTargetPointEvent", "SCmdEvent"),
    ("SCmdUpdateTargetUnitEvent", "SCmdEvent"),
    ("SControlGroupUpdateEvent", "SSelectionDeltaEvent"),
    ("SUnitDoneEvent", "SUnitInitEvent"),
    ("SUnitBornEvent", _SETUP),
    ("SUnitDiedEvent", "SUnitBornEvent"),
    ("SUnitInitEvent", "SUnitBornEvent"),
    ("SUnitTypeChangeEvent", "SUnitBornEvent"),
    ("SUnitPositionsEvent", "SUnitBornEvent"),
    ("SUnitRevivedEvent", "SUnitDiedEvent"),
)
_HIJACK, _BORN = "SHijackReplayGameEvent", "SUnitBornEvent"


class Extent(NamedTuple):
    """How far a stream of events goes.

    Attributes:
        last: loop of the last event; None without one.
        whole: whether the events end with the stream.
        resumed: loop from which people play a resumed game; None if it is not one.
        born: loop in which the first unit appears complete; None without one.
    """

    last: int | None
    whole: bool
    resumed: int | None = None
    born: int | None = None


class HasBuilds(Protocol):
    """What `Streams` need of a replay: its container, and the builds whose type table is used."""

    container: Container

    @property
    def builds(self) -> Builds: ...


class Streams:
    """The streams of events of a replay, by name: game, message and tracker.

    A stream with a gap continues after it if the byte of the next event can be found with certainty.

    Args:
        members: gives the container and the builds.

    Attributes:
        decoded: the streams that were decoded; None for one without a member.
    """

    def __init__(self, members: HasBuilds) -> None:
        self.decoded: dict[str, EventStream | None] = {}
        self._members = members
        self._container = members.container
        self._resumed: dict[str, Resumed | None] = {}

    def program(self, name: str) -> Program:
        """Return the program of a stream in the replay's build."""
        return self._container.game.protocols.event_program(*self._members.builds, name)

    def get(self, name: str, *, text: str = "") -> EventStream | None:
        """Return a stream, decoded to the end or to the first damage, which is noted; None without its member.

        Args:
            text: ``now`` if the caller reads every event's fields as JSON: the pass makes them;
                ``later`` if perhaps. Then `EventStream.text` decodes again, unless the stream is so long that
                the pass must find out whether its text is.
        """
        held = self.decoded.get(name)
        if name not in self.decoded or (text and held is not None and not held.has_text and held.is_long):
            self.decoded[name] = held = self._decode(name, lambda data: self._decode_stream(data, name, text))
        return held

    def events(
        self,
        name: str,
        numbers: frozenset[int] | None,
        rate: float,
        players: Mapping[int, int],
        scope_of: Callable[[bool], Scope],
    ) -> Iterator[Event]:
        """Return the events of a stream as objects; damage ends it and is noted after the last event. Each further
        generator around them would cost 3 % of their time.

        Args:
            name: the stream.
            numbers: of the wanted events; None for all.
            rate: loops in a second.
            players: player numbers by user id.
            scope_of: returns the scope for the fields, with or without names of abilities.
        """
        from playhead.blizzard.events.reading import asks_for_names, events_of

        stream, noted = self.decoded.get(name), True
        if stream is None:
            found = self._decode(name, lambda data: self._decode_around_gap(data, name, text=""))
            if found is None:
                return iter(())
            stream, noted = found
            if stream.error is None:
                self.decoded[name] = stream
        events = events_of(stream, rate, players, scope_of(asks_for_names(stream, numbers)), numbers)
        return events if noted or stream.error is None else self._with_end(events, stream)

    def _with_end(self, events: Iterator[Event], stream: EventStream) -> Iterator[Event]:
        yield from events
        self._note_end(stream)

    def _decode(self, name: str, decode: Callable[[bytes], _T]) -> _T | None:
        return self._container.decode_member(_MEMBERS[name], decode, f"all {name} events")

    def _decode_stream(self, data: bytes, name: str, text: str) -> EventStream:
        stream, noted = self._decode_around_gap(data, name, text)
        if not noted:
            self._note_end(stream)
        if stream.error is None and (missing := self._missing(stream)) is not None:
            self._container.note(missing.locate(where=_MEMBERS[name]), f"{name} events that are not there")
        compared = stream.error is None and self._members.builds[0] >= _WHOLE_SINCE
        for number in sorted(stream.lacking) if compared else ():
            kind = stream.name_of(number)
            lacks = CorruptReplay(f"expected all fields of {kind} in the type table, found events without some")
            self._container.note(lacks.locate(where=_MEMBERS[name]), f"the missing values of {kind}")
        kinds = {stream.name_of(number) for number in stream.rows.first_loops} if stream.error is None else ()
        for kind, other in _WITH_OTHERS:
            known = other != _SETUP or self._members.builds[0] >= _SETUP_SINCE
            if known and kind in kinds and other not in kinds:
                alone = CorruptReplay(f"expected {other} beside {kind}, found none")
                self._container.note(alone.locate(where=_MEMBERS[name]), f"all {other}")
        return stream

    def _missing(self, stream: EventStream) -> ReplayError | None:
        """Return the error of a readable stream that lacks events which must be there."""
        last = stream.rows.heads[0][-1] if len(stream) else None
        if last is None:
            if stream.name == MESSAGE or (stream.name == TRACKER and not self.tracker_expected):
                return None
            return TruncatedReplay(f"expected events of the {stream.name} stream, found a member without any")
        header = self._container.header
        if header is None:
            return None
        wanted = f"expected events up to about loop {header.loops}, as in the header, found the last at {last}"
        if last > header.loops > 0:
            return CorruptReplay(wanted, tick=last)
        if stream.name == MESSAGE or last >= header.loops - _LONGEST_IDLE:
            return None
        return None if stream.name == TRACKER and self._idles else TruncatedReplay(wanted, tick=last)

    def _note_end(self, stream: EventStream) -> None:
        if stream.error is not None:
            cost = f"{stream.name} events from here on"
            self._container.note(stream.error.locate(where=_MEMBERS[stream.name]), cost)

    def _decode_around_gap(self, data: bytes, name: str, text: str) -> tuple[EventStream, bool]:
        """Return a stream decoded as far as possible, and whether the damage that ends it has been noted."""
        from playhead.blizzard.events.columns import decode_stream, is_long

        member, limits = _MEMBERS[name], self._container.limits
        limits = replace(limits, events=min(limits.events, FREE_EVENTS + len(self._container.data)))
        gaps = self._container.gaps(member)
        resumed = self._resume(member, data) if gaps else None
        data = data if resumed is None else resumed.data
        capture = self._container.game.captured(name)
        now = text == "now" or (text == "later" and is_long(data))
        stream = decode_stream(data, self.program(name), name, capture=capture, text=now, limits=limits)
        if gaps and stream.error is None:
            stream.error = gaps[0].error
            return stream, True
        return stream, False

    # -- events after a gap -----------------------------------------------------------------------------

    def _encoding(self, stream: str) -> StreamEncoding:
        from playhead.blizzard.repair.resume import StreamEncoding

        return StreamEncoding(self.program(stream), stream == TRACKER, ID_BITS[stream])

    @property
    def _idles(self) -> bool:
        """Whether all players paused for long: then the tracker ends long before the game."""
        from playhead.blizzard.repair.resume import IDLE

        events, _ = self._container.try_member(member_names.GAME_EVENTS, bytes)
        loops = [loop for _, loop in self._encoding(GAME).events(events or b"")]
        return any(after - before > IDLE for before, after in pairwise(loops))

    def _resume(self, name: str, beginning: bytes) -> Resumed | None:
        """Return a stream without its gap; None if it is unknown at which byte events go on after the gap.

        Args:
            name: of its member.
            beginning: the data before the gap.
        """
        if name not in self._resumed:
            found, stream = None, EVENT_STREAMS[name]
            unpacked, header = self._container.unpack(name), self._container.header
            after = unpacked.after
            if header is not None and after and not (stream == TRACKER and self._idles):
                from playhead.blizzard.repair.resume import resume

                gap = len(unpacked.data) - len(beginning) - len(after)
                found = resume(beginning, after, gap, self._encoding(stream), header.loops)
            self._resumed[name] = found
            if found is not None:
                lost = CorruptReplay(f"expected events without a gap, found {found.lost_bytes} bytes without")
                since = "the beginning" if found.last_before is None else f"loop {found.last_before}"
                cost = (
                    f"{stream} events from {since} to about loop {found.first_after}; loops after the gap are "
                    "counted back from the end, and too late by the time after the last event"
                )
                self._container.note(lost.locate(where=name, tick=found.last_before), cost)
        return self._resumed[name]

    @property
    def gap_facts(self) -> dict[str, Any]:
        """The facts of `Info.details` about streams that continue after a gap."""
        gaps = {EVENT_STREAMS[name]: gap for name, gap in self._resumed.items() if gap is not None}
        facts = {
            stream: {"last_tick": gap.last_before, "next_tick": gap.first_after, "bytes": gap.lost_bytes}
            for stream, gap in gaps.items()
        }
        return {"gaps": facts} if facts else {}

    @cached_property
    def extents(self) -> Mapping[str, Extent]:
        """How far each stream goes, by a pass without columns of fields if it has not been decoded."""
        archive, found = self._container.archive, {}
        for member, name in EVENT_STREAMS.items():
            if archive is not None and member in archive:
                try:
                    found[name] = self._extent(member, name)
                except ReplayError:
                    found[name] = Extent(None, whole=False)
        return found

    def _extent(self, member: str, name: str) -> Extent:
        from playhead.blizzard.repair.guess_member import pass_over

        held = self.decoded.get(name)
        if held is not None and held.error is None:
            ticks, first_loops, whole = held.rows.heads[0], held.rows.first_loops, True
        else:
            decoder, whole = pass_over(self._container.read_member(member), self.program(name), name)
            ticks, first_loops = decoder.ticks.to_array(), decoder.first_loops
        names = self.program(name).names
        first = {short_name(names[number]): loop for number, loop in first_loops.items()}
        return Extent(ticks[-1] if ticks else None, whole, first.get(_HIJACK), first.get(_BORN))

    # -- completeness -----------------------------------------------------------------------------------

    @cached_property
    def complete(self) -> bool:
        """Whether the tables are readable, no member is missing, and all events are present and readable."""
        container = self._container
        archive = container.archive
        if not isinstance(archive, MpqArchive) or archive.dangling:
            return False
        expected = {member_names.GAME_EVENTS, member_names.MESSAGE_EVENTS}
        if self.tracker_expected:
            expected.add(member_names.TRACKER_EVENTS)
        if member_names.GAME_EVENTS not in archive or not (self.all_named or expected <= archive.names.keys()):
            return False
        end = len(container.data) - archive.header.offset
        if any(block.offset + block.stored_size > end for block in archive.blocks if block.exists):
            return False
        return all(self._is_whole(archive, name) for name in EVENT_STREAMS if name in archive)

    @property
    def all_named(self) -> bool:
        """Whether the archive has no nameless blocks, which are members that the hash table has lost."""
        archive = self._container.archive
        found = () if archive is None else archive.blocks
        return sum(block.exists for block in found) == len(self._container.names_by_block)

    @property
    def tracker_expected(self) -> bool:
        """Whether the game of this build writes the tracker's events."""
        return self._members.builds[1] >= self._container.game.first_tracker

    def _is_whole(self, archive: MpqArchive, name: str) -> bool:
        """Return whether a stream fits its digests or checksums, and ends with an event."""
        index = archive.names[name]
        if archive.has_digests(index):
            with suppress(ReplayError):
                archive.check_digests(index)
                return self.extents[EVENT_STREAMS[name]].whole
        known = self._container.checksums
        checksums = known[index] if known else NO_CHECKSUMS
        try:
            checksums.check(self._container.read_member(name))
        except ReplayError:
            return False
        return self.extents[EVENT_STREAMS[name]].whole
