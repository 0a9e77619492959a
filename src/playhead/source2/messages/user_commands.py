"""User commands: keys, mouse and view angles that a client sent for a tick.

A recording by a player has its own commands, one a UserCmd frame. The frame is CDemoUserCmd: the command's number,
and bytes, which are a varint with the size of the rest, and a message of the game's own, whose field 1 is
CBaseUserCmdPB. Verified on all 1,807 of a Dota 2 recording of build 9358, of whose own fields (3, 5, 6, 8, 9, 10)
no definition is known.

CS2 and Deadlock servers write the commands of every player into their recordings: svc_UserCmds, with the same
message, without its size. Verified on all 20,662 of six recordings; of older clients, one keeps CSubtickMoveStep 6
and 7 and CSGOUserCmdPB 8 as numbers. CS2 servers since July 2026 send most commands as a delta against
the player's command before (`playhead.source2.messages.command_deltas`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError
from playhead.runtime.records import dataclass
from playhead.source2.games import GAMES, UNKNOWN_GAME
from playhead.source2.messages import wire
from playhead.source2.messages.command_deltas import apply_delta

#: Elements of lists that deltas may have whatever their size, and for each byte. Real ones have 5 in 20 bytes.
_FREE_ELEMENTS, _ELEMENTS_PER_BYTE = 1 << 16, 4


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
        command: the command; None if it was sent as a delta that cannot be applied.
        delta: bytes of the delta against the command before; empty if the command was sent whole.
        error: why the delta cannot be applied; None if it can.
    """

    slot: int
    number: int
    server_tick: int | None
    client_tick: int | None
    command: UserCommand | None
    delta: bytes
    error: ReplayError | None = None


def command_columns(entry: ServerCommand) -> dict[str, Any]:
    """Return the columns that tables of commands of all games share; those of a lost delta are numbers only."""
    row: dict[str, Any] = {
        "server_tick": entry.server_tick,
        "client_tick": entry.client_tick,
        "is_delta": bool(entry.delta),
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
    message = GAMES.get(game, UNKNOWN_GAME).user_command
    return _command(outer.get("cmd_number", 0), wire.decode(message, reader.read_bytes(size), game))


class ServerCommands:
    """Decodes the commands of a recording in its order; deltas apply to the latest command of the slot.

    Args:
        game: the name of the game.
    """

    def __init__(self, game: str) -> None:
        self._game = game
        self._message = GAMES.get(game, UNKNOWN_GAME).user_command
        self._latest: dict[int, tuple[int, dict[str | int, Any]]] = {}
        # A delta of two bytes repeats the lists of the command before: their elements are paid for by bytes.
        self._left = _FREE_ELEMENTS

    def read(self, payload: bytes | memoryview) -> Iterator[ServerCommand]:
        """Yield the commands in a message svc_UserCmds, in its order.

        Raises:
            ReplayError: a whole one cannot be decoded; those before it have been yielded.
        """
        self._left += _ELEMENTS_PER_BYTE * len(payload)
        for entry in wire.decode("CSVCMsg_UserCommands", payload, self._game).get("commands", ()):
            slot, number = entry.get("player_slot", 0), entry.get("cmd_number", 0)
            delta = entry.get("delta_data", b"")
            known = self._latest.pop(slot, None)
            values, error = None, None
            if not delta or "data" in entry:
                values = wire.decode(self._message, entry.get("data", b""), self._game)
                known = number, values
            if delta:
                try:
                    values = self._apply(known, number, delta)
                except ReplayError as failed:
                    values, error = None, failed
            if values is not None:
                self._latest[slot] = number, values
            command = None if values is None else _command(number, values)
            ticks = entry.get("server_tick_executed"), entry.get("client_tick")
            yield ServerCommand(slot, number, *ticks, command, delta, error)

    def _apply(
        self, known: tuple[int, dict[str | int, Any]] | None, number: int, delta: bytes
    ) -> dict[str | int, Any]:
        if known is None or known[0] > number:
            found = "none" if known is None else f"number {known[0]}"
            raise CorruptReplay(f"expected a command before delta {number}, found {found}")
        after = apply_delta(known[1], delta, self._message, self._game)
        values = (value for part in (after, after.get("base", {})) for value in part.values())
        self._left -= sum(len(value) for value in values if isinstance(value, list))
        if self._left < 0:
            raise LimitExceeded("commands sent as deltas repeat more elements of lists than their bytes allow")
        return after


def _command(number: int, fields: Mapping[str | int, Any]) -> UserCommand:
    own = {name: value for name, value in fields.items() if name != "base"}
    return UserCommand(number, fields.get("base", {}), own)
