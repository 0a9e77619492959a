"""User commands: keys, mouse and view angles that a client sent for a tick.

A recording by a player has its own commands, one a UserCmd frame. The frame is CDemoUserCmd: the command's number,
and bytes, which are a varint with the size of the rest, and a message of the game's own, whose field 1 is
CBaseUserCmdPB. Verified on all 1,807 of a Dota 2 recording of build 9358, of whose own fields (3, 5, 6, 8, 9, 10)
no definition is known.

CS2 and Deadlock servers write the commands of every player into their recordings: svc_UserCmds, with the same
message, without its size. Verified on all 20,662 of six recordings; of older clients, one keeps CSubtickMoveStep 6
and 7 and CSGOUserCmdPB 8 as numbers. CS2 servers since July 2026 send a delta instead, which stays bytes
(`ServerCommand.delta`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay
from playhead.runtime.records import dataclass
from playhead.source2.games import GAMES, UNKNOWN_GAME
from playhead.source2.messages import wire


@dataclass(frozen=True, slots=True)
class UserCommand:
    """One command.

    Attributes:
        number: counts a client's commands.
        base: CBaseUserCmdPB by name of field: client_tick, viewangles, mousedx …
        own: the game's own fields, by name, or by number where no definition is known.
    """

    number: int
    base: Mapping[str | int, Any]
    own: Mapping[str | int, Any]


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """A command as the server writes it into its recording.

    Attributes:
        slot: slot of the player.
        number: counts a client's commands.
        server_tick: tick of the server at which it ran; None if not sent.
        client_tick: tick of the client for which it was made; None if not sent.
        command: the command; None if it was sent as a delta.
        delta: bytes of the delta against an earlier command; empty if the command was sent whole.
    """

    slot: int
    number: int
    server_tick: int | None
    client_tick: int | None
    command: UserCommand | None
    delta: bytes


def command_columns(entry: ServerCommand) -> dict[str, Any]:
    """Return the columns that tables of commands of all games share; those of a delta are numbers only."""
    row: dict[str, Any] = {
        "server_tick": entry.server_tick,
        "client_tick": entry.client_tick,
        "is_delta": entry.command is None,
    }
    if entry.command is None:
        return row
    base = entry.command.base
    buttons, view = base.get("buttons_pb") or {}, base.get("viewangles")
    if base.get("client_tick") is not None:
        row["client_tick"] = base["client_tick"]
    return row | {
        "buttons": buttons.get("buttonstate1", 0),
        "buttons_changed": buttons.get("buttonstate2", 0),
        "forward": base.get("forwardmove"),
        "left": base.get("leftmove"),
        "pitch": None if view is None else view.get("x", 0.0),
        "yaw": None if view is None else view.get("y", 0.0),
        "mouse_x": base.get("mousedx"),
        "mouse_y": base.get("mousedy"),
    }


def decode_user_command(payload: bytes | memoryview, game: str = "") -> UserCommand:
    """Return the command in the payload of a UserCmd frame.

    Raises:
        ReplayError: it cannot be decoded, or its size is not the one it gives.
    """
    outer = wire.decode("CDemoUserCmd", payload, game)
    reader = ByteReader(outer.get("data", b""))
    size = reader.read_varuint32()
    if size != reader.remaining():
        raise CorruptReplay(f"expected a user command of {size} bytes, found {reader.remaining()}")
    return _command(outer.get("cmd_number", 0), reader.read_bytes(size), game)


def server_commands(payload: bytes | memoryview, game: str) -> Iterator[ServerCommand]:
    """Yield the commands in a message svc_UserCmds, in its order.

    Raises:
        ReplayError: one cannot be decoded; those before it have been yielded.
    """
    for entry in wire.decode("CSVCMsg_UserCommands", payload, game).get("commands", ()):
        number = entry.get("cmd_number", 0)
        delta = entry.get("delta_data", b"")
        yield ServerCommand(
            entry.get("player_slot", 0),
            number,
            entry.get("server_tick_executed"),
            entry.get("client_tick"),
            None if delta and "data" not in entry else _command(number, entry.get("data", b""), game),
            delta,
        )


def _command(number: int, data: bytes, game: str) -> UserCommand:
    fields = wire.decode(GAMES.get(game, UNKNOWN_GAME).user_command, data, game)
    own = {name: value for name, value in fields.items() if name != "base"}
    return UserCommand(number, fields.get("base", {}), own)
