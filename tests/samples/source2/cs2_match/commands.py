"""Commands of players as servers since July 2026 send them: most as deltas, and all whole in full packets."""

from __future__ import annotations

from typing import Any

from tests.samples.source2.cs2_match.state import FIRST_SERVER_TICK, CsMatch, Player
from tests.samples.source2.cs2_match.world import pawn_index
from tests.samples.source2.encoding import encode_delta, encode_message

from playhead.bits import ByteWriter
from playhead.runtime.records import dataclass, field
from playhead.source2.messages import wire
from playhead.source2.writing.demo import InnerMessage

_GAME, _COMMAND = "cs2", "CSGOUserCmdPB"
_FIRE, _FORWARD = 1, 8
#: Bit of ``cmd_flags`` of a command that the server made itself, as none came.
_SUBSTITUTE = 128
#: Slots of the players whose commands are recorded, and ticks before and after a full packet in which they are.
PLAIN_SLOT, FULL_SLOT, AROUND = 0, 5, 48
#: Ticks within that time, from 0 on: the server makes a command itself, the numbers start again, a number is
#: skipped, a delta comes late, with the number of an earlier one.
_MADE, _AGAIN, _SKIPS, _LATE = (20, 70), 60, (30,), 40


@dataclass(slots=True)
class _Sent:
    """The latest command of a player: its number, its fields, and the lowest number so far."""

    number: int = 100
    values: dict[str, Any] = field(default_factory=dict)


class Commands:
    """Sends the commands of two players around each full packet; those of the first without odd cases.

    Args:
        match: the match.
        every: ticks between full packets.
    """

    def __init__(self, match: CsMatch, every: int) -> None:
        self._match, self._every = match, every
        self._sent: dict[int, _Sent] = {}

    def at(self, tick: int) -> list[InnerMessage]:
        """Return the message of a tick, if there is one."""
        step = (tick + AROUND) % self._every
        if tick < AROUND or step >= 2 * AROUND:
            return []
        players = self._match.players
        entries = [self._entry(players[slot], step) for slot in (PLAIN_SLOT, FULL_SLOT) if slot in players]
        return [encode_message(_GAME, "CSVCMsg_UserCommands", {"commands": entries})]

    def snapshot(self) -> list[InnerMessage]:
        """Return the message of a full packet: the latest commands again, whole."""
        entries = [
            {**self._head(slot, sent.number), "data": wire.encode(_COMMAND, sent.values, _GAME)}
            for slot, sent in self._sent.items()
        ]
        return [encode_message(_GAME, "CSVCMsg_UserCommands", {"commands": entries})] if entries else []

    def own_frame(self, slot: int) -> bytes:
        """Return the payload of a frame UserCmd with a command of the player who records."""
        player, number = self._match.players[slot], self._match.tick
        values = self._values(player, number % 100, odd=True)
        self._tell(player, number, values, whole=True)
        size, data = ByteWriter(), wire.encode(_COMMAND, values, _GAME)
        size.write_varuint32(len(data))
        return wire.encode("CDemoUserCmd", {"cmd_number": number, "data": size.to_bytes() + data})

    def _head(self, slot: int, number: int) -> dict[str, Any]:
        return {
            "cmd_number": number,
            "player_slot": slot,
            "server_tick_executed": FIRST_SERVER_TICK + self._match.tick,
        }

    def _entry(self, player: Player, step: int) -> dict[str, Any]:
        odd = player.slot == FULL_SLOT
        sent = self._sent.get(player.slot)
        if sent is None:
            sent, whole = self._sent.setdefault(player.slot, _Sent()), True
        else:
            whole = odd and (step in _MADE or step == _AGAIN)
        before = sent.values
        values = self._values(player, step, odd=odd)
        if odd and step == _LATE:
            # The game has a newer command, and refuses this one.
            number, delta = sent.number - 5, encode_delta(before, values, _COMMAND, _GAME)
            self._tell(player, number, values, lost=True)
            return {**self._head(player.slot, number), "delta_data": delta}
        if odd and step == _AGAIN:
            sent.number = 10
        elif not (odd and step in _MADE):
            sent.number += 2 if odd and step in _SKIPS else 1
        sent.values = values
        self._tell(player, sent.number, values, whole=whole)
        head = self._head(player.slot, sent.number)
        if whole:
            return {**head, "data": wire.encode(_COMMAND, values, _GAME)}
        return {**head, "delta_data": encode_delta(before, values, _COMMAND, _GAME)}

    def _values(self, player: Player, step: int, *, odd: bool) -> dict[str, Any]:
        """Return the fields of a command; those that are at their default are not sent."""
        now = FIRST_SERVER_TICK + self._match.tick
        planes = {"buttonstate1": _FORWARD * (step % 2) + (_FIRE if step % 8 < 4 else 0), "buttonstate2": _FIRE}
        planes["buttonstate3"] = _FORWARD if step % 5 == 0 else 0
        base: dict[str, Any] = {
            "client_tick": now - 1,
            "buttons_pb": planes,
            "viewangles": {"x": player.pitch, "y": float(step)},
            "forwardmove": 1.0,
            "pawn_entity_handle": self._match.world.handle_of(pawn_index(player.slot)),
        }
        if step % 3:
            base |= {"mousedx": step, "mousedy": -step}
        # Lists grow, shrink and change in the middle; those of the first player have one element or none.
        steps = range(step % 4) if odd else range(step % 4 == 0)
        base["subtick_moves"] = [{"button": _FIRE, "pressed": step % 8 == 0, "when": (i + 1) / 8} for i in steps]
        if odd and step in _MADE:
            base["cmd_flags"] = _SUBSTITUTE
        values: dict[str, Any] = {"base": {name: value for name, value in base.items() if value != []}}
        if odd:
            values["input_history"] = [{"frame_number": 7 * i + step // 5 * (i == 1)} for i in range(3)]
        return values

    def _tell(self, player: Player, number: int, values: dict[str, Any], **more: bool) -> None:
        base = values["base"]
        planes = base["buttons_pb"]
        # In words of a keyboard: what of a course of a tick counts as pressed, and what as released.
        course = {bit: sum(bool(planes[f"buttonstate{n + 1}"] & bit) << n for n in range(3)) for bit in (1, 8)}
        self._match.tell(
            "inputs",
            player=player.name,
            command=number,
            mouse_x=base.get("mousedx", 0),
            yaw=base["viewangles"]["y"],
            steps=[each["when"] for each in base.get("subtick_moves", ())],
            buttons=planes["buttonstate1"],
            pressed=sum(bit for bit, value in course.items() if value >= 3),
            released=sum(bit for bit, value in course.items() if value in (2, 4, 5, 6, 7)),
            **{"whole": False, "lost": False, **more},
        )
