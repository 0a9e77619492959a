"""`GameRecording`: archive, members and streams of a replay, and what damage took of them; the tables read it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import proxy

from playhead.blizzard.game import BlizzardGame
from playhead.blizzard.members import member_names
from playhead.blizzard.members.details import CONTROL_HUMAN, Details, read_details
from playhead.blizzard.members.lobby import Attribute, Lobby, read_attributes, read_lobby
from playhead.blizzard.members.text import decode_text, split_name
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.protocol.tables import MESSAGE, TRACKER
from playhead.blizzard.recording.container import Container
from playhead.blizzard.recording.streams import EVENT_STREAMS, Streams
from playhead.errors import CorruptReplay, ReplayError
from playhead.io.source import Source
from playhead.limits import Limits
from playhead.model import ProblemHandler
from playhead.runtime.cached import cached_property

if TYPE_CHECKING:
    from playhead.blizzard.events import Event, Scope
    from playhead.blizzard.events.columns import EventStream
    from playhead.blizzard.tables.registry import GameTables
    from playhead.model import Player


def disagreements(details: Details, lobby: Lobby) -> Iterator[str]:
    """Yield the names of the lobby's fields that contradict the details."""
    if lobby.game.get("m_gameSpeed") != details.game_speed:
        yield "m_gameSpeed"
    players = [player for player in details.players if not player.empty]
    if not players:
        return
    if len(players) != len(lobby.playing):
        yield "m_control"
        return
    slots = {slot.get("m_workingSetSlotId"): slot for slot in lobby.slots}
    for player in players:
        if player.working_set_slot is None:
            continue
        slot = slots.get(player.working_set_slot)
        if slot is None:
            yield "m_workingSetSlotId"
            return
        if slot["m_control"] != player.control:
            yield "m_control"
        if slot["m_teamId"] != player.team:
            yield "m_teamId"
        # Heroes of the Storm has none in the details.
        if player.handicap and slot["m_handicap"] != player.handicap:
            yield "m_handicap"
        if "m_toonHandle" in slot and (decode_text(slot["m_toonHandle"] or b"") or None) != player.toon.handle:
            yield "m_toonHandle"
        if player.control == CONTROL_HUMAN:
            user = slot["m_userId"]
            if user is None:
                yield "m_userId"
            elif player.name and split_name(lobby.user_name(user) or "")[1] != player.name:
                yield "m_name"


_T = TypeVar("_T")

_ARCHIVE = "archive"
_ONLY_BACKUP = "names of players that the lobby lacks; the rest is in the backup"


class GameRecording(ABC):
    """One replay file. Everything is decoded on first access and cached; a member is None or empty if missing or,
    with a problem noted, unreadable.

    Args:
        source: the file.
        game: whose replay it should be.
        limits: bounds on allocations.
        note: called with each problem and its cost. It raises in strict mode.
        strict: whether to raise the first problem instead of salvaging.

    Attributes:
        container: the header and the archive.
        streams: the streams of events.

    Raises:
        UnknownFormat: an MPQ archive, but no replay of the game.
        TruncatedReplay: cut inside the replay header.
    """

    #: Members that have the players, the map and the time.
    _details_members: Sequence[str] = (member_names.DETAILS, member_names.DETAILS_BACKUP)
    #: The loss without them.
    _without_details = "time, map and the list of players"

    def __init__(
        self, source: Source, game: BlizzardGame, limits: Limits, note: ProblemHandler, *, strict: bool
    ) -> None:
        self.limits = limits
        self.container = Container(source, game, limits, note, strict=strict)
        self.streams = Streams(proxy(self))  # a reference to the recording would be a cycle

    # -- implemented by games ---------------------------------------------------------------------------

    @property
    @abstractmethod
    def builds(self) -> tuple[int, int]:
        """Base build and build whose type table is used."""

    @property
    @abstractmethod
    def loops_per_second(self) -> float:
        """Game loops in one second of the clock that the game shows."""

    @property
    @abstractmethod
    def start_tick(self) -> int:
        """Loop at which the game begins."""

    @property
    @abstractmethod
    def duration(self) -> tuple[int | None, str]:
        """The length in loops, and its source."""

    @property
    @abstractmethod
    def players(self) -> tuple[Player, ...]:
        """The participants."""

    @property
    @abstractmethod
    def players_by_user(self) -> Mapping[int, int]:
        """Player number by user id of events, without observers."""

    @property
    @abstractmethod
    def event_scope(self) -> Scope:
        """Units of coordinates and names of abilities, for the friendly fields of events."""

    @abstractmethod
    def _scope(self, named: bool) -> Scope:
        """Return a scope that works without the recording: events are decoded on access, even after closing."""

    # -- streams ----------------------------------------------------------------------------------------

    def stream(self, name: str, *, text: str = "") -> EventStream | None:
        """Return a stream of events; see `Streams.get`."""
        return self.streams.get(name, text=text)

    def events(self, name: str, numbers: frozenset[int] | None) -> Iterator[Event]:
        """Return the events of a stream with these numbers, or all; see `Streams.events`."""
        # The tracker has no users, so the players may be read from it.
        players = {} if name == TRACKER else self.players_by_user
        return self.streams.events(name, numbers, self.loops_per_second, players, self._scope)

    def note(self, error: ReplayError, cost: str) -> None:
        """Report a problem; raises in strict mode."""
        self.container.note(error, cost)

    def member_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the table ``members``."""
        return self.container.member_rows()

    # -- members ----------------------------------------------------------------------------------------

    def _first(
        self, names: Iterable[str], decode: Callable[[bytes], _T]
    ) -> tuple[_T | None, str | None, list[ReplayError]]:
        """Return the first of these members that can be decoded, its name, and the errors of those before it."""
        lost = []
        for name in names:
            found, error = self.container.try_member(name, decode)
            if error is not None:
                lost.append(error.locate(where=name))
            if found is not None:
                return found, name, lost
        return None, None, lost

    def _read_details(self, data: bytes) -> Details:
        return read_details(data, self.limits)

    @cached_property
    def details_source(self) -> tuple[Details | None, str | None]:
        """The details and the name of their member."""
        archive = self.container.archive
        if archive is None:
            return None, None
        names = (member_names.DETAILS, member_names.DETAILS_BACKUP)
        found = [name for name in names if name in archive]
        details, source, lost = self._first(found, self._read_details)
        for error in lost:
            self.container.note(error, cost=_ONLY_BACKUP if source else self._without_details)
        if source is not None:
            return details, source
        if not any(name in archive for name in self._details_members):
            *most, last = self._details_members
            missing = CorruptReplay(
                f"expected {', '.join(most)} or {last}, "
                f"found none of them among {sum(block.exists for block in archive.blocks)} members"
            )
            self.container.note(missing.locate(where=_ARCHIVE), cost=self._without_details)
        return None, None

    @property
    def details(self) -> Details | None:
        """``replay.details``, or its backup."""
        return self.details_source[0]

    @cached_property
    def lobby(self) -> Lobby | None:
        """``replay.initData`` or its backup."""
        program = self.container.game.protocols.init_data_program(*self.builds)
        names = (member_names.INIT_DATA, member_names.INIT_DATA_BACKUP)
        lobby, _, lost = self._first(names, lambda data: read_lobby(data, program))
        for error in lost:
            self.container.note(error, cost="the lobby" if lobby is None else "names in the lobby")
        return lobby

    @cached_property
    def users_by_event(self) -> Mapping[int, int]:
        """Index in the lobby's list of users by user id of events. They differ in StarCraft II up to 1.5."""
        return {} if self.lobby is None else self.lobby.users_by_event(self.builds[0])

    @cached_property
    def names_by_user(self) -> Mapping[int, str | None]:
        """Name, without clan, by user id of events."""
        lobby = self.lobby
        if lobby is None:
            return {}
        return {event: split_name(lobby.user_name(user) or "")[1] for event, user in self.users_by_event.items()}

    @cached_property
    def attributes(self) -> Sequence[Attribute]:
        """``replay.attributes.events``: settings of the lobby as the map sees them."""
        found = self.container.decode_member(
            member_names.GAME_ATTRIBUTES, self._read_attributes, "the table attributes"
        )
        return found or ()

    def _read_attributes(self, data: bytes) -> list[Attribute]:
        return read_attributes(data)

    @property
    def complete(self) -> bool:
        """Whether lobby and attributes are readable, no member is missing, and `Streams.complete`."""
        self.attributes  # noqa: B018  (decoding it finds its problems)
        sound = self.lobby is not None and member_names.GAME_ATTRIBUTES not in self.container.damaged
        return sound and self.streams.complete and not self._missing

    @cached_property
    def _missing(self) -> Mapping[str, str]:
        """What a sound archive should have and lacks, each with the loss."""
        archive, game = self.container.archive, self.container.game
        if not isinstance(archive, MpqArchive) or archive.dangling:
            return {}  # a damaged archive has problems of its own
        if not self.streams.all_named:
            return {"a name of each member in the hash table": "the members without a name"}
        others = [member_names.MESSAGE_EVENTS]
        if self.streams.tracker_expected:
            others.append(member_names.TRACKER_EVENTS)
        there = archive.names.keys()
        costs = {member_names.GAME_EVENTS: "all game events"}
        # Blizzard's packs for StarCraft II have neither these nor checksums of the game; other replays have all.
        if not game.first_tracker or not there.isdisjoint((*others, member_names.SYNC_EVENTS)):
            costs |= {name: f"all {EVENT_STREAMS[name]} events" for name in others}
            if game.first_tracker:  # no table is made of those of Heroes of the Storm
                costs[member_names.SYNC_EVENTS] = "the table sync"
        is_game = member_names.SYNC_EVENTS in there or {member_names.DETAILS, member_names.GAME_EVENTS} <= there
        if is_game and there.isdisjoint(_LOBBIES):
            costs[member_names.INIT_DATA] = "the lobby"
        elif self.lobby is None:
            return {}
        elif member_names.REPLAY_INFO not in there:
            costs[member_names.GAME_ATTRIBUTES] = "the table attributes"
        return {name: cost for name, cost in costs.items() if name not in there}

    def decode_rest(self) -> None:
        """Decode unread members to find their problems."""
        if self.details_source[1] == member_names.DETAILS:
            self.container.decode_member(
                member_names.DETAILS_BACKUP, self._read_details, "nothing: replay.details is sound"
            )
        for name in ("lobby", "attributes"):
            getattr(self, name)  # decoding it finds its problems
        for name, cost in self._missing.items():
            error = CorruptReplay(f"expected {name}, found an archive without it")
            self.note(error.locate(where=_ARCHIVE), cost)
        if self.details is not None and self.lobby is not None:
            found = ", ".join(dict.fromkeys(disagreements(self.details, self.lobby)))
            if found:
                error = CorruptReplay(f"expected a lobby that agrees with the details, found others in {found}")
                self.note(error.locate(where=member_names.INIT_DATA), "what only the lobby has of the players")


#: Members that have the lobby.
_LOBBIES = (member_names.INIT_DATA, member_names.INIT_DATA_BACKUP, member_names.REPLAY_INFO)
#: Members without events, with those that replace them.
_BACKUPS: Mapping[str, Sequence[str]] = {
    member_names.DETAILS: (member_names.DETAILS_BACKUP, member_names.REPLAY_INFO),
    member_names.INIT_DATA: (member_names.INIT_DATA_BACKUP,),
    member_names.GAME_ATTRIBUTES: (),
}


def losses(recording: GameRecording, others: Collection[str] = ()) -> list[str]:
    """Return the lost parts: of the streams of events, of damaged and cut files and of resumed games, whose
    tracker begins anew without the units that exist; and other members that a damaged archive no longer has.

    Args:
        recording: the recording.
        others: members that every replay of the game has, beside details, lobby and attributes.
    """
    archive, streams = recording.container.archive, recording.streams
    sound = isinstance(archive, MpqArchive) and not archive.dangling and streams.all_named
    found = []
    for name in EVENT_STREAMS.values():
        extent = streams.extents.get(name)
        if extent is None:
            damaged = not sound if name == MESSAGE else archive is None or not streams.complete
            if damaged and (name != TRACKER or streams.tracker_expected):
                found.append(f"{name} events: all")
        elif not extent.whole:
            found.append(
                f"{name} events: all" if extent.last is None else f"{name} events after loop {extent.last}"
            )
    resumed = next((each.resumed for each in streams.extents.values() if each.resumed is not None), None)
    tracked = streams.extents.get(TRACKER)
    if resumed is not None and tracked is not None and tracked.whole and tracked.born != 0:
        found.append(f"tracker events before loop {resumed}, where the game was resumed, and the units until then")
    for member in () if sound else (*_BACKUPS, *others):
        if archive is None or not any(name in archive for name in (member, *_BACKUPS.get(member, ()))):
            found.append(f"{member}: all")
    return found


def with_losses(
    reasons: Mapping[str, str],
    lost: Sequence[str],
    tables: GameTables,
    made_of: Mapping[str, str],
    columns: Mapping[str, Collection[str]],
) -> dict[str, str]:
    """Return reasons for empty tables and columns in which the lost parts come first.

    Args:
        reasons: those of a whole file.
        lost: as `losses` returns them.
        tables: the tables of the game.
        made_of: columns and tables (``draft.*``) that are made of a stream or a member, by its name; tables that
            read a stream are known.
        columns: columns of the tables that are made of the details and the lobby, by table.
    """
    from playhead.blizzard.events import stream_of  # which facts about a file do without

    found = dict(reasons)
    if lost:
        found = {name: f"{reason}, in what is left of the file" for name, reason in found.items()}
    for part in reversed(lost):  # a lost stream counts more than a member
        what, _, extent = part.partition(" events" if " events" in part else ": ")
        readers = {
            name: each.schemas[0].column_names
            for name, each in tables.tables().items()
            if what in (each.made_of, *(stream_of(type_) for type_ in each.reads))
        }
        read = [f"{name}.*" for name in readers]
        if extent in (": all", "all"):
            taken = f"damage took all {what} events" if extent == ": all" else f"damage took {what}"
            of_readers = (f"{name}.{column}" for name, names in readers.items() for column in names)
            found = {**dict.fromkeys(of_readers, taken), **found}
            found |= dict.fromkeys((*read, *made_of.get(what, "").split()), taken)
        else:
            found = {**dict.fromkeys(read, f"damage took the {part}"), **found}
        if what in (member_names.DETAILS, member_names.INIT_DATA):
            of_members = (f"{table}.{column}" for table, names in columns.items() for column in (*names, "*"))
            found = {**dict.fromkeys(of_members, f"damage took {what}"), **found}
    return found
