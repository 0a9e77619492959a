"""Seeking to a tick from the last checkpoint before it; a checkpoint stores the state that later messages
change."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, overload

from playhead.clock import Clock
from playhead.errors import ReplayError
from playhead.model import Moment
from playhead.runtime.records import dataclass, field
from playhead.teehistorian.state.connections import Connection, Identity
from playhead.teehistorian.state.driver import Driver, PassOutcome
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.extensions import PlayerTeam
from playhead.teehistorian.stream.messages import MAX_CLIENTS
from playhead.teehistorian.stream.reader import MAX_TICK, MessageReader
from playhead.teehistorian.stream.ticks import Input

#: Messages between two checkpoints: about 350 kB and 2 ms of reading.
STRIDE = 1 << 16

#: World units in a tile of the map.
TILE = 32

#: Numbers of a slot in `Checkpoint.slots`: client, present, x, y, tick of the input (-1: none), the input's ten,
#: session in it, session of its tee (-1: none).
SLOT_WIDTH = 17


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state between two messages.

    Attributes:
        offset: byte offset of the next message.
        tick, last_cid: see `MessageReader.jump`.
        slots: `SLOT_WIDTH` 32-bit integers for every slot with known state.
        connections: number of connections so far.
    """

    offset: int
    tick: int
    last_cid: int
    slots: array[int]
    connections: int

    @classmethod
    def of(cls, driver: Driver) -> Checkpoint:
        """Return the state after the last message."""
        reader, columns = driver.feed.reader, driver.columns
        slots: array[int] = array("i")
        for cid in range(MAX_CLIENTS):
            position = columns.positions.get(cid)
            values = columns.inputs.get(cid)
            sessions = columns.holder(cid)
            if position is None and values is None and max(sessions) < 0:
                continue
            slots.extend((cid, position is not None, *(position or (0, 0))))
            slots.append(-1 if values is None else columns.input_tick(cid))
            slots.extend(values or (0,) * 10)
            slots.extend(sessions)
        return cls(reader.end_offset(), reader.tick, reader.last_cid, slots, driver.connections_so_far)

    def restore(self, reader: MessageReader, columns: ColumnPass) -> None:
        """Set a new reader and a new pass to this state."""
        reader.jump(self.offset, self.tick, self.last_cid)
        for start in range(0, len(self.slots), SLOT_WIDTH):
            cid, present, x, y, input_tick, *values, _, _ = self.slots[start : start + SLOT_WIDTH]
            if present:
                columns.positions.appear(cid, x, y)
            if input_tick >= 0:
                columns.set_input(cid, input_tick, values)

    def sessions(self) -> dict[int, tuple[int, int]]:
        """Return the session of each slot and of its tee by client id, or -1."""
        rows = (self.slots[start : start + SLOT_WIDTH] for start in range(0, len(self.slots), SLOT_WIDTH))
        return {row[0]: (row[-2], row[-1]) for row in rows}


@dataclass(slots=True)
class SeekIndex:
    """The seek index of one recording.

    Attributes:
        checkpoints: by ascending tick; the first one precedes the first message.
        teams: (tick, client, DDRace team) of every change, by ascending tick.
        connections: all connections.
        last_tick: tick of the last readable message.
    """

    checkpoints: list[Checkpoint] = field(default_factory=list)
    teams: list[tuple[int, int, int]] = field(default_factory=list)
    connections: Sequence[Connection] = ()
    last_tick: int = 0

    @property
    def handles(self) -> tuple[type, ...]:
        """Types of the messages that `on_message` gets."""
        return (PlayerTeam,)

    def on_message(self, rare: RareMessage) -> None:
        """Append a change of team."""
        if isinstance(rare.extension, PlayerTeam):
            self.teams.append((rare.tick, rare.extension.cid, rare.extension.team))

    def follow(self, driver: Driver, stride: int) -> Iterator[int]:
        """Read a recording with a checkpoint every `stride` messages; yield the number of bytes read, for
        progress."""
        more = True
        while more:
            self.checkpoints.append(Checkpoint.of(driver))
            more = driver.advance(stride)
            yield driver.feed.reader.end_offset()

    def finish(self, outcome: PassOutcome) -> None:
        """Set the results of the pass."""
        self.connections = outcome.connections
        self.last_tick = outcome.last_tick

    def before(self, tick: int) -> Checkpoint:
        """Return the last checkpoint before all messages of `tick`.

        A checkpoint within a tick follows some messages of the tick, so it does not serve that tick.
        """
        found = bisect_right(self.checkpoints, tick - 1, key=lambda checkpoint: checkpoint.tick)
        return self.checkpoints[max(0, found - 1)]

    def teams_at(self, tick: int) -> dict[int, int]:
        """Return the last team recorded up to the end of `tick`, by client."""
        changes = self.teams[: bisect_right(self.teams, tick, key=lambda change: change[0])]
        return {cid: team for _, cid, team in changes}

    def intervals_of(
        self, player: str, first: int, last: int, *, client: int | None = None
    ) -> list[tuple[int, int, int]]:
        """Return (client, first tick, last tick) of the connections in these ticks that ever had the name
        `player`.

        Raises:
            KeyError: no player of that name was connected; the message lists the names.
        """
        found = [
            (c.cid, c.tick, MAX_TICK if c.end_tick is None else c.end_tick)
            for c in self.connections
            if c.tick <= last
            and (c.end_tick is None or c.end_tick >= first)  # before the names, which take longer
            if player in c.names() and client in (None, c.cid)
        ]
        names = set() if found else {name for c in self.connections for name in c.names()}
        if not found and player not in names:
            raise KeyError(f"nobody called {player!r} here; there are {', '.join(sorted(names))}")
        return found

    def connections_at(self, tick: int) -> dict[int, Connection]:
        """Return the last connection of each client that began up to the end of `tick`; it may have ended."""
        return {connection.cid: connection for connection in self.connections if connection.tick <= tick}


@dataclass(frozen=True, slots=True)
class Tee:
    """One client at a tick.

    Attributes:
        client: its slot.
        x, y: where its tee is, in world units (32 to a tile, y downwards); None while it has none (dead,
            spectating, paused, not in the game yet).
        input: the input that acts on the tick; None before the first recorded input of the connection.
        input_tick: the first tick on which the input acted.
        team: DDRace team; None if not recorded (servers before version_minor 2).
        connection: its connection; None for a slot without any message about a client.
        identity: its name, clan, protocol, rights … at the end of the tick; None without a connection.
    """

    client: int
    x: int | None
    y: int | None
    input: Input | None
    input_tick: int | None
    team: int | None
    connection: Connection | None
    identity: Identity | None

    @property
    def name(self) -> str | None:
        """Its name; None if unknown."""
        return None if self.identity is None else self.identity.name

    def as_row(self) -> dict[str, Any]:
        """Return its state as a flat row, with positions in tiles too."""
        held, who = self.input, self.identity
        return {
            "player": None if self.connection is None else self.connection.number,
            "name": self.name,
            "team": self.team,
            "side": None,
            "skin": None if who is None else who.skin,
            "client": self.client,
            "clan": None if who is None else who.clan,
            "x": self.x,
            "y": self.y,
            "tile_x": None if self.x is None else self.x // TILE,
            "tile_y": None if self.y is None else self.y // TILE,
            "direction": None if held is None else held.direction,
            "jump": None if held is None else bool(held.jump),
            "hook": None if held is None else bool(held.hook),
            # Each press and each release adds one: an odd number means that the key is held.
            "fire": None if held is None else bool(held.fire & 1),
        }


class Tees(Moment, Sequence[Tee]):
    """Every tee and connected client at the end of a tick, by client id: a sequence of `Tee`."""

    def __init__(self, tick: int, clock: Clock, tees: Iterable[Tee]) -> None:
        self._tick = tick
        self._clock = clock
        self._tees = tuple(tees)

    @property
    def tick(self) -> int:
        """The server tick."""
        return self._tick

    @property
    def clock(self) -> Clock:
        """Converts `tick` to seconds."""
        return self._clock

    @property
    def players(self) -> Sequence[Mapping[str, Any]]:
        """One row per client: `Moment.PLAYER_KEYS`, position and input; ``player`` is the number of the
        session."""
        return [tee.as_row() for tee in self._tees]

    @property
    def units(self) -> Mapping[int, Tee]:
        """The tees by client id."""
        return {tee.client: tee for tee in self._tees}

    @property
    def raw(self) -> tuple[Tee, ...]:
        """The tees as a tuple."""
        return self._tees

    @property
    def facts(self) -> Mapping[str, Any]:
        """Number of clients, and number of clients with a tee."""
        return {"clients": len(self._tees), "tees": sum(tee.x is not None for tee in self._tees)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tees) and (self.tick, self.raw) == (other.tick, other.raw)

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, index: int) -> Tee: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Tee]: ...
    def __getitem__(self, index: int | slice) -> Tee | Sequence[Tee]:
        return self._tees[index]

    def __len__(self) -> int:
        return len(self._tees)


def run_to(columns: ColumnPass, tick: int) -> None:
    """As `ColumnPass.run_to`, but end at damage without an error: building the index has recorded it."""
    with suppress(ReplayError):
        columns.run_to(tick)


def tees_at(
    tick: int, index: SeekIndex, reader: MessageReader, columns: ColumnPass, *, default_team: int | None
) -> tuple[Tee, ...]:
    """Return every tee and every connected client at the end of `tick`; `reader` and `columns` are new ones."""
    index.before(tick).restore(reader, columns)
    run_to(columns, tick - 1)  # an input recorded in the section of `tick` acts on the next one
    inputs = {cid: (columns.inputs.get(cid), columns.input_tick(cid)) for cid in range(MAX_CLIENTS)}
    run_to(columns, tick)
    teams = index.teams_at(tick)
    connections = index.connections_at(tick)
    tees = []
    for cid in range(MAX_CLIENTS):
        position = columns.positions.get(cid)
        connection = connections.get(cid)
        connected = connection is not None and (connection.end_tick is None or connection.end_tick > tick)
        if position is None and not connected:
            continue
        values, recorded = inputs[cid]
        if values is not None and connection is not None and recorded < connection.tick:
            values = None  # the input of the player who had the slot before
        tees.append(
            Tee(
                client=cid,
                x=None if position is None else position[0],
                y=None if position is None else position[1],
                input=values,
                input_tick=None if values is None else recorded + 1,
                team=teams.get(cid, default_team),
                connection=connection,
                identity=None if connection is None else connection.at(tick),
            )
        )
    return tuple(tees)
