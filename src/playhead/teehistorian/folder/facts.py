"""What a folder index keeps of one recording: who, when, which map, which commands, which finishes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from playhead.io.source import open_stream
from playhead.limits import Limits
from playhead.teehistorian.state.driver import Driver
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.extensions import PlayerFinish, TeamFinish
from playhead.teehistorian.stream.feed import Feed, read_source_header
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, ConsoleCommand
from playhead.teehistorian.stream.text import printable


@dataclass(frozen=True, slots=True)
class Visit:
    """A client was connected, from `tick` to `drop_tick` (None: to the end of the recording)."""

    tick: int
    client: int
    name: str | None
    clan: str | None
    drop_tick: int | None


@dataclass(frozen=True, slots=True)
class Command:
    """A console command ran; see `playhead.teehistorian.stream.messages.ConsoleCommand`."""

    tick: int
    client: int
    flags: int
    command: str
    arguments: tuple[str, ...]

    @property
    def line(self) -> str:
        """The command with its arguments, as it could be typed."""
        return " ".join((self.command, *self.arguments))


@dataclass(frozen=True, slots=True)
class Finished:
    """A player (`client`) or team (`team`) finished the map in `time` ticks. Recorded since DDNet 18.3."""

    tick: int
    client: int | None
    team: int | None
    time: int


@dataclass(frozen=True, slots=True)
class RecordingFacts:
    """One recording.

    Attributes:
        game_id: the header's ``game_uuid``; None if it has none.
        previous_id: ``prev_game_uuid``: the game before it in the same server process; None for its first one, and
            always before DDNet 17.3.
        part: of a slice, which (``"42150-42250"``).
        start_time: ISO 8601, UTC.
        last_tick: how far it goes.
        complete: it ends regularly.
        damage: what is wrong with it, if something is.
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
    visits: tuple[Visit, ...]
    commands: tuple[Command, ...]
    finishes: tuple[Finished, ...]

    def visit_at(self, client: int, tick: int) -> Visit | None:
        """Who had a client id at a tick."""
        found = None
        for visit in self.visits:
            if visit.client == client and visit.tick <= tick:
                found = visit
        return found

    def time_of(self, tick: int) -> datetime | None:
        """When a tick was, by the header's start time; a server that could not keep up was later."""
        if self.start_time is None:
            return None
        return datetime.fromisoformat(self.start_time) + timedelta(seconds=tick / TICKS_PER_SECOND)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> RecordingFacts:
        """The inverse of `as_dict`.

        Raises:
            TypeError, KeyError, ValueError: it is of no recording.
        """
        inner = {
            "visits": tuple(Visit(**row) for row in facts["visits"]),
            "commands": tuple(
                Command(**{**row, "arguments": tuple(row["arguments"])}) for row in facts["commands"]
            ),
            "finishes": tuple(Finished(**row) for row in facts["finishes"]),
        }
        return cls(**{**facts, **inner})


class _Events:
    """Keeps the commands and finishes of a recording."""

    takes = (ConsoleCommand, PlayerFinish, TeamFinish)

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.finishes: list[Finished] = []

    def take(self, rare: RareMessage) -> None:
        match rare.extension or rare.message:
            case ConsoleCommand(cid, flags, command, arguments):
                texts = tuple(map(printable, arguments))
                self.commands.append(Command(rare.tick, cid, flags, printable(command), texts))
            case PlayerFinish(cid, time):
                self.finishes.append(Finished(rare.tick, cid, None, time))
            case TeamFinish(team, time):
                self.finishes.append(Finished(rare.tick, None, team, time))
            case _:
                pass


def read_facts(path: str, limits: Limits) -> RecordingFacts:
    """Return the facts of the recording at `path`, in one pass of flat memory; of a damaged one its good part.

    Raises:
        ReplayError: its header cannot be read.
        OSError: it cannot be opened.
    """
    source = open_stream(path)
    header = read_source_header(source, limits)
    feed = Feed(source, header, limits)
    events = _Events()
    driver = Driver(feed, header, takers=[events])
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
        visits=tuple(Visit(c.tick, c.cid, c.name, c.clan, c.drop_tick) for c in outcome.connections),
        commands=tuple(events.commands),
        finishes=tuple(events.finishes),
    )
