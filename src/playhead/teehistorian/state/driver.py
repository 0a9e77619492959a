"""`Driver`: one pass over a recording, with a `ColumnPass`, the connections and handlers of rare messages.

All readers of a whole recording use a `Driver`: tables, events, the index of `state.seek`, the facts of a folder.
Messages are decoded once, for any number of handlers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Protocol

from playhead.errors import CorruptReplay, LimitExceeded, ReplayError
from playhead.runtime.records import dataclass
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.tracker import ConnectionTracker, RareMessage, SlotFollower
from playhead.teehistorian.stream import extensions as ex
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.feed import Feed
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import Drop, Extra, Join, Message, NetMessage, PlayerNew
from playhead.teehistorian.stream.ticks import PositionTracker

#: Each expectation, with the cost where it fails.
_COSTS = {
    "a listed extension: the header lists all": "what the others say",
    "a protocol before each JOIN": "protocols of clients",
    "a JOIN of each client": "when clients joined",
    "a DROP before the next JOIN of a client id": "when clients left",
    "PLAYER_READY of each client with a tee": "when clients entered the game",
    "the start info of each client that enters": "skins, clans and countries",
    "PLAYER_NAME of each client that enters": "names that the server gave",
    "a login before each logout": "who had rcon",
    "a player in each team that is saved, finishes or practises": "who was in which team",
    "PLAYER_FINISH of each team that finishes": "finishes of players",
    "TEAM_FINISH of two players who finish in a team": "finishes of teams",
    "PLAYER_OLD of each tee before the next, and after its player left": "when tees disappeared",
}
_LISTED, _PROTOCOL, _JOIN, _DROP, _READY, _INFO, _NAME, _LOGIN, _TEAM, _FINISH, _TEAM_FINISH, _GONE = _COSTS


class Expectations:
    """Checks the rare messages of a recording in file order; `tees` are those before the message."""

    def __init__(self, header: Header, tees: PositionTracker) -> None:
        self._tees = tees
        names, minor = header.extension_names, header.version_minor or 0
        # A slice begins with synthesised state, which no server writes.
        of_server = "server_version" in header.fields and "playhead_slice" not in header.fields
        has_list = of_server and header.version >= 2 and "uuids" in header.fields
        self._listed = {ex.named_uuid(name) for name in names} if has_list else None
        self._known = {
            record
            for record in (
                ex.JoinVersion6,
                ex.PlayerName,
                ex.PlayerReady,
                ex.PlayerTeam,
                ex.PlayerFinish,
                ex.TeamFinish,
            )
            if of_server and record.extension_name in names
        }
        if minor < 3:
            self._known.discard(ex.PlayerReady)
        self._of_server = of_server
        self._has_texts = of_server and "playhead_anonymized" not in header.fields
        self._joins_all = of_server and minor >= 6 and minor not in range(15, 22)
        self._ends_tees = of_server and minor >= 2
        self._left: dict[int, int] = {}  # ticks by client id
        self._finished_in_team = -1
        self._finisher = -1, 0  # tick and team
        self._announced: set[int] = set()
        self._inside: set[int] = set()
        self._logged_in: set[int] = set()
        self._teams: set[int] = set()
        self._finish_tick = -1
        self._start: int | None = None
        self._fits: dict[str, tuple[int, int, int]] = {}  # by kind of network message: all, those that fit, tick
        self._failed: dict[str, CorruptReplay] = {}

    def on_message(self, rare: RareMessage, offset: int) -> None:
        """Check one message, which begins at `offset`."""
        message, tick = rare.message, rare.tick
        if self._start is None:
            self._start = tick
        failed: str | None = None
        if 0 <= self._finished_in_team < tick:
            failed, self._finished_in_team = _TEAM_FINISH, -1
        match message:
            case NetMessage() if self._has_texts:
                self._on_network(rare)
            case Extra():
                if self._listed is not None and message.uuid not in self._listed:
                    failed = _LISTED
                elif self._of_server and rare.extension is not None:
                    failed = self._on_extension(rare, rare.extension)
            case Join(cid):
                if cid in self._inside and self._of_server:
                    failed = _DROP
                elif ex.JoinVersion6 in self._known and cid not in self._announced:
                    failed = _PROTOCOL
                self._left.pop(cid, None)
                self._inside.add(cid)
                self._announced.discard(cid)
                self._logged_in.discard(cid)
            case PlayerNew() if (client := rare.connection) is not None:
                if self._ends_tees and self._tees.get(message.cid) is not None:
                    failed = _GONE
                elif client.known_by == "activity" and self._joins_all:
                    failed = _JOIN
                elif client.known_by == "join" and client.ready_tick is None and ex.PlayerReady in self._known:
                    failed = _READY
            case Drop(cid):
                self._left[cid] = tick
                self._inside.discard(cid)
                self._logged_in.discard(cid)
            case _:
                pass
        if failed is not None and failed not in self._failed:
            self._failed[failed] = CorruptReplay(f"expected {failed}, found none", offset=offset, tick=tick)

    def _on_network(self, rare: RareMessage) -> None:
        network = rare.network
        if network is None or (network.kind is None and network.number is not None):
            return  # a message that no known client sends, which the table has with its number
        kind = network.kind or "a message without a number"
        count, fitting, tick = self._fits.get(kind, (0, 0, rare.tick))
        self._fits[kind] = count + 1, fitting + (network.record is not None), tick

    def _on_extension(self, rare: RareMessage, extension: ex.Extension) -> str | None:
        client = rare.connection
        match extension:
            case ex.JoinVersion6(cid) | ex.JoinVersion7(cid):
                self._announced.add(cid)
            case ex.AuthInit(cid) | ex.AuthLogin(cid):
                self._logged_in.add(cid)
            case ex.AuthLogout(cid):
                if cid not in self._logged_in and client is not None and client.known_by == "join":
                    return _LOGIN
            case ex.PlayerTeam(_, team):
                self._teams.add(team)
            case ex.PlayerFinish():
                self._finish_tick = rare.tick
                team = (client.identity.team or 0) if client is not None and ex.TeamFinish in self._known else 0
                # A team of one has no finish of its own.
                if team > 0 and (rare.tick, team) == self._finisher:
                    self._finished_in_team = rare.tick
                self._finisher = rare.tick, team
            case ex.TeamFinish() if ex.PlayerFinish in self._known and self._finish_tick != rare.tick:
                return _FINISH
            case ex.TeamFinish(team) | ex.SaveSuccess(team) | ex.LoadSuccess(team) | ex.TeamPractice(team):
                self._finished_in_team = -1
                if team > 0 and team not in self._teams and ex.PlayerTeam in self._known:
                    return _TEAM
            case ex.PlayerReady() if client is not None and client.known_by != "rejoin":
                if client.skin is None:
                    return _INFO
                # Clients that stayed over a change of the map keep their names.
                entered = client.known_by == "join" and client.tick != self._start
                if entered and ex.PlayerName in self._known and client.name_known_by != "player_name":
                    return _NAME
            case _:
                pass
        return None

    def problems(self, last_tick: int) -> Iterator[tuple[CorruptReplay, str]]:
        """Yield the problems of a finished pass, each with its cost."""
        for cid, tick in self._left.items() if self._ends_tees else ():
            if tick < last_tick - 1 and self._tees.get(cid) is not None:
                self._failed.setdefault(_GONE, CorruptReplay(f"expected {_GONE}, found none", tick=tick))
        for failed, error in self._failed.items():
            yield error, _COSTS[failed]
        for kind, (count, fitting, tick) in self._fits.items():
            if not fitting:
                text = f"expected {kind} with the fields of a known client, found {count} without"
                yield CorruptReplay(text, tick=tick), f"what {count} network messages say"


#: Messages between two reports of progress.
STRETCH = 1 << 18


class MessageHandler(Protocol):
    """Handles rare messages."""

    @property
    def handles(self) -> tuple[type, ...]:
        """Types of the messages and extensions that `on_message` gets."""

    def on_message(self, rare: RareMessage) -> None:
        """Handle one message."""


@dataclass(frozen=True, slots=True)
class PassOutcome:
    """The results of a pass over the whole stream, except columns.

    Attributes:
        last_tick: tick of the last readable message.
        complete: the recording ends with FINISH and no bytes follow it.
        connections: all connections.
    """

    last_tick: int
    complete: bool
    connections: tuple[Connection, ...]


class Driver:
    """One pass over the messages of `feed`, in stretches.

    Attributes:
        feed: the source of messages.
        columns: the columns that the pass fills.
        damage: the error that ended the pass early, if any.
    """

    def __init__(
        self,
        feed: Feed,
        header: Header,
        *,
        handlers: Iterable[MessageHandler] = (),
        columns: Collection[str] = (),
        connections: bool = True,
        rows: int | None = None,
    ) -> None:
        """
        Args:
            feed: source of messages, before the first one.
            header: header of the recording.
            handlers: handlers of rare messages.
            columns: names of the columns to fill: messages, positions, inputs.
            connections: track connections, as handlers, positions and inputs require. A pass without them has no
                `outcome`.
            rows: largest number of messages that handlers get (one more raises LimitExceeded); None for no limit,
                if the handlers do not store messages.
        """
        self.feed = feed
        self.damage: ReplayError | None = None
        self._tracker = ConnectionTracker.for_header(header, feed.limits.sessions)
        self._slots = SlotFollower(self._tracker)
        self._handlers: dict[type, list[MessageHandler]] = {}
        for handler in handlers:
            for kind in handler.handles:
                self._handlers.setdefault(kind, []).append(handler)
        self._rows_left = None if rows is None else min(rows, feed.limits.rows)
        self._damaged = 0
        self._first_damaged: CorruptReplay | None = None
        self._trailing = 0
        listener = self._on_message if connections else None
        self.columns = ColumnPass(feed.reader, **dict.fromkeys(columns, True), listener=listener)
        self._expectations = Expectations(header, self.columns.positions)

    def _on_message(self, tick: int, message: Message) -> None:
        rare = self._tracker.on_message(tick, message)
        if rare.damage is not None:
            self._damaged += 1
            if self._first_damaged is None:
                text = f"expected a whole extension payload: {rare.damage.message}"
                self._first_damaged = CorruptReplay(text, offset=self.feed.reader.offset, tick=tick)
            return
        self._slots.follow(rare, self.columns)
        self._expectations.on_message(rare, self.feed.reader.offset)
        handlers = self._handlers.get(type(rare.extension or message))
        if handlers is None:
            return
        if self._rows_left is not None:
            if not self._rows_left:
                raise LimitExceeded(f"there are more rows than the limit of {self.feed.limits.rows}")
            self._rows_left -= 1
        for handler in handlers:
            handler.on_message(rare)

    def advance(self, count: int = STRETCH) -> bool:
        """Read up to `count` messages; return False after the last one. Damage ends the pass and is set as
        `damage`."""
        try:
            if self.feed.drive(self.columns, count):
                return True
        except ReplayError as error:
            self.damage = error.with_traceback(None)  # a traceback's frames would keep all columns alive
        self._trailing = self.feed.trailing()
        return False

    def problems(self) -> Iterator[tuple[ReplayError, str]]:
        """Yield the problems of a finished pass, each with its cost."""
        if self._first_damaged is not None:
            yield self._first_damaged, f"what {self._damaged} extension messages hold"
        columns = self.columns
        strays = columns.stray_positions + columns.stray_inputs
        if strays:
            error = CorruptReplay(
                f"{columns.stray_positions} records change the position of a tee that is not there, "
                f"{columns.stray_inputs} change an input that was never recorded; this is the first",
                offset=columns.first_stray_offset,
                tick=columns.first_stray_tick,
            )
            yield error, f"{strays} rows of positions and inputs"
        yield from self._expectations.problems(self.feed.reader.tick)
        yield from self.feed.problems(self.damage, self._trailing)

    @property
    def connections_so_far(self) -> int:
        """Number of connections so far."""
        return len(self._tracker.connections)

    def outcome(self) -> PassOutcome:
        """Return the results of a finished pass."""
        reader = self.feed.reader
        complete = reader.finished and not self._trailing
        return PassOutcome(reader.tick, complete, tuple(self._tracker.connections))
