"""The facts of one recording of a folder: sessions, start, map, commands, finishes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256

from playhead.io.source import Input, open_stream
from playhead.limits import Limits
from playhead.runtime.records import dataclass
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.driver import Driver
from playhead.teehistorian.state.tracker import RareMessage, command_origin
from playhead.teehistorian.stream.extensions import PlayerFinish, TeamFinish
from playhead.teehistorian.stream.feed import Feed, read_source_header
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, ConsoleCommand
from playhead.teehistorian.stream.text import printable


@dataclass(frozen=True, slots=True)
class VisitFacts:
    """One connection of a client, from `tick` to `end_tick` (None: to the end of the recording).

    Attributes:
        player: its number, as in table ``sessions``.
        names: (first tick, name) of every name it had, in order.
        clans, skins, versions, connection_uuids: all its values, in order; versions as number and as text.
        timeout_hashes: SHA-256 of each of its ``timeout`` codes, in hexadecimal: a code would give access to its
            slot.
        teams: (first tick, team) of every team it was in, in order; empty before DDNet 15.6.
    """

    player: int
    tick: int
    client: int
    end_tick: int | None
    names: tuple[tuple[int, str], ...] = ()
    clans: tuple[str, ...] = ()
    skins: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    connection_uuids: tuple[str, ...] = ()
    timeout_hashes: tuple[str, ...] = ()
    teams: tuple[tuple[int, int], ...] = ()

    @property
    def name(self) -> str | None:
        """The last name it had."""
        return self.names[-1][1] if self.names else None

    def name_at(self, tick: int) -> str | None:
        """Return its name at the end of a tick; before its first name, the first one."""
        return next((name for since, name in reversed(self.names) if since <= tick), self.first_name)

    def team_at(self, tick: int) -> int | None:
        """Return its team at the end of a tick; None if unknown."""
        return next((team for since, team in reversed(self.teams) if since <= tick), None)

    @property
    def first_name(self) -> str | None:
        """The first name it had."""
        return self.names[0][1] if self.names else None

    @classmethod
    def of(cls, connection: Connection, timeout_codes: Iterable[str]) -> VisitFacts:
        """Return the facts of a connection."""
        names: list[tuple[int, str]] = []
        for tick, identity in connection.history:
            if identity.name is not None and (not names or names[-1][1] != identity.name):
                names.append((tick, identity.name))
        teams: list[tuple[int, int]] = []
        for tick, identity in connection.history:
            if identity.team is not None and (not teams or teams[-1][1] != identity.team):
                teams.append((tick, identity.team))
        identities = [identity for _, identity in connection.history]
        return cls(
            player=connection.number,
            tick=connection.tick,
            client=connection.cid,
            end_tick=connection.end_tick,
            names=tuple(names),
            clans=_each(identity.clan for identity in identities),
            skins=_each(identity.skin for identity in identities),
            versions=_each(v for one in identities for v in (one.ddnet_version, one.ddnet_version_text)),
            connection_uuids=_each(identity.connection_uuid for identity in identities),
            timeout_hashes=_each(map(timeout_hash, timeout_codes)),
            teams=tuple(teams),
        )


def _each(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(value) for value in values if value is not None))


def timeout_hash(code: str) -> str:
    """Return the hash of a ``timeout`` code."""
    return sha256(code.encode("utf-8", "surrogateescape")).hexdigest()


@dataclass(frozen=True, slots=True)
class CommandFacts:
    """A console command ran; see `playhead.teehistorian.stream.messages.ConsoleCommand`."""

    tick: int
    client: int
    player: int | None
    flags: int
    command: str
    arguments: tuple[str, ...]

    @property
    def line(self) -> str:
        """The command with its arguments, as typed."""
        return " ".join((self.command, *self.arguments))

    @property
    def origin(self) -> str:
        """``chat``, ``rcon`` or ``server``; see table ``commands``."""
        return command_origin(self.client, self.flags)


@dataclass(frozen=True, slots=True)
class Finished:
    """A player (`client`) or team (`team`) finished the map in `time` ticks. Recorded since DDNet 18.3."""

    tick: int
    client: int | None
    player: int | None
    team: int | None
    time: int


@dataclass(frozen=True, slots=True)
class RecordingFacts:
    """One recording.

    Attributes:
        game_id: the header's ``game_uuid``; None if it has none.
        previous_id: ``prev_game_uuid``: the previous game of the same server process; None for the first game, and
            before DDNet 17.3.
        part: the ticks of a slice (``"42150-42250"``).
        start_time: ISO 8601, UTC.
        last_tick: its last tick.
        complete: it ends with FINISH.
        damage: the error at its damage, if any.
    """

    game_id: str | None
    previous_id: str | None
    part: str | None
    map: str | None
    server_name: str | None
    server_version: str | None
    start_time: str | None
    last_tick: int
    complete: bool
    damage: str | None
    visits: tuple[VisitFacts, ...]
    commands: tuple[CommandFacts, ...]
    finishes: tuple[Finished, ...]

    def visit(self, player: int | None) -> VisitFacts | None:
        """Return a connection by its number, or None."""
        return None if player is None else self.visits[player]

    def tick_at(self, time: datetime) -> int | None:
        """Return the tick at a time; None if the recording does not have it, or the header no start time."""
        if self.start_time is None:
            return None
        seconds = (time - datetime.fromisoformat(self.start_time)).total_seconds()
        tick = int(seconds * TICKS_PER_SECOND)
        return tick if 0 <= tick <= self.last_tick else None

    def time_of(self, tick: int) -> datetime | None:
        """Return the time of a tick, from the header's start time; the true time is later if the server was
        slow."""
        if self.start_time is None:
            return None
        return datetime.fromisoformat(self.start_time) + timedelta(seconds=tick / TICKS_PER_SECOND)


class _Events:
    """Collects the commands and finishes of a recording."""

    handles = (ConsoleCommand, PlayerFinish, TeamFinish)

    def __init__(self) -> None:
        self.commands: list[CommandFacts] = []
        self.finishes: list[Finished] = []
        self.timeout_codes: dict[int, list[str]] = {}

    def on_message(self, rare: RareMessage) -> None:
        player = None if rare.connection is None else rare.connection.number
        match rare.extension or rare.message:
            case ConsoleCommand(cid, flags, command, arguments):
                texts = tuple(map(printable, arguments))
                self.commands.append(CommandFacts(rare.tick, cid, player, flags, printable(command), texts))
                if command == "timeout" and texts and player is not None:
                    self.timeout_codes.setdefault(player, []).append(texts[0])
            case PlayerFinish(cid, time):
                self.finishes.append(Finished(rare.tick, cid, player, None, time))
            case TeamFinish(team, time):
                self.finishes.append(Finished(rare.tick, None, None, team, time))
            case _:
                pass


def read_facts(target: Input, limits: Limits) -> RecordingFacts:
    """Read the facts of a recording in one pass, in constant memory; of a damaged one up to the damage.

    Raises:
        ReplayError: the header is damaged.
        OSError: the file cannot be opened.
    """
    source = open_stream(target)
    header = read_source_header(source, limits)
    feed = Feed(source, header, limits)
    events = _Events()
    driver = Driver(feed, header, handlers=[events], rows=limits.rows)
    while driver.advance():
        pass
    damage = feed.damage or driver.damage
    outcome = driver.outcome()
    start = header.start_time
    return RecordingFacts(
        game_id=header.text("game_uuid"),
        previous_id=header.text("prev_game_uuid"),
        part=header.text("playhead_slice"),
        map=header.text("map_name"),
        server_name=header.text("server_name"),
        server_version=header.text("server_version"),
        start_time=None if start is None else start.isoformat(),
        last_tick=outcome.last_tick,
        complete=feed.reader.finished,
        damage=None if damage is None else str(damage),
        visits=tuple(VisitFacts.of(c, events.timeout_codes.get(c.number, ())) for c in outcome.connections),
        commands=tuple(events.commands),
        finishes=tuple(events.finishes),
    )
