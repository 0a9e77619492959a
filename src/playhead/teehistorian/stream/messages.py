"""The twelve messages of a teehistorian stream, as plain records.

`stream.reader.MessageReader` yields them with their ticks; `writing.writer.TeehistorianWriter` writes them. A
record
has all information of its bytes, so writing it gives the same bytes: in strings, invalid UTF-8 becomes lone
surrogates (see `stream.text`). `cid` is the client id, the slot of a player on the server.
"""

from __future__ import annotations

from enum import IntEnum
from uuid import UUID

from playhead.runtime.records import dataclass
from playhead.teehistorian.stream.ticks import MAX_CLIENTS as MAX_CLIENTS
from playhead.teehistorian.stream.ticks import InputDiff as InputDiff
from playhead.teehistorian.stream.ticks import InputNew as InputNew
from playhead.teehistorian.stream.ticks import PlayerDiff as PlayerDiff
from playhead.teehistorian.stream.ticks import PlayerNew as PlayerNew
from playhead.teehistorian.stream.ticks import PlayerOld as PlayerOld
from playhead.teehistorian.stream.ticks import TickSkip as TickSkip

#: Simulation rate of a server.
TICKS_PER_SECOND = 50

#: Weapons by number.
WEAPONS = ("hammer", "gun", "shotgun", "grenade", "laser", "ninja")


def seconds_or_none(tick: int | None) -> float | None:
    """Return a tick in seconds; None for None."""
    return None if tick is None else tick / TICKS_PER_SECOND


class MessageKind(IntEnum):
    """Message ids. In the file every id of 0 or more is a `PLAYER_DIFF` of that client."""

    PLAYER_DIFF = 0
    FINISH = -1
    TICK_SKIP = -2
    PLAYER_NEW = -3
    PLAYER_OLD = -4
    INPUT_DIFF = -5
    INPUT_NEW = -6
    NET_MESSAGE = -7
    JOIN = -8
    DROP = -9
    CONSOLE_COMMAND = -10
    EXTRA = -11


@dataclass(slots=True)
class Finish:
    """The regular end of the recording."""


@dataclass(slots=True)
class NetMessage:
    """A game network message as the server received it. Never a system message, chat or a 0.6 vote."""

    cid: int
    data: bytes


@dataclass(slots=True)
class Join:
    """A client connects; it has no name yet."""

    cid: int


@dataclass(slots=True)
class Drop:
    """A client left; the reason is often empty."""

    cid: int
    reason: str


@dataclass(slots=True)
class ConsoleCommand:
    """A console command ran: rcon, vote, config or chat.

    Attributes:
        cid: client that ran it; -1 nobody (a vote, the configuration), -2 the game, -3 outside a game.
        flags: active flag mask; 128 chat command, 4 server command.
        command: its name.
        arguments: its arguments, parsed by the console.
    """

    cid: int
    flags: int
    command: str
    arguments: tuple[str, ...]


@dataclass(slots=True)
class Extra:
    """A raw EX message; `playhead.teehistorian.stream.extensions` decodes it."""

    uuid: UUID
    data: bytes


Message = (
    PlayerDiff
    | Finish
    | TickSkip
    | PlayerNew
    | PlayerOld
    | InputDiff
    | InputNew
    | NetMessage
    | Join
    | Drop
    | ConsoleCommand
    | Extra
)
