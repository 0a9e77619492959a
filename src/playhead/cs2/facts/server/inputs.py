"""Table ``inputs``: the commands of players that the server recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.cs2.facts import ROUND, TABLES, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.people import columns_of
from playhead.errors import ReplayError
from playhead.runtime.records import replace
from playhead.source2.messages.user_commands import ServerCommands, command_columns
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column
from playhead.tables.shared import INPUTS as SHARED_INPUTS
from playhead.tables.vocabulary import word, words

_COMMANDS = "svc_UserCmds"
_STEPS = {
    "subtick_when": ("list<float32>", "when", "Moment of each subtick step, 0 to 1 within the tick."),
    "subtick_button": ("list<uint64>", "button", "Bit of the button of each step; 0 for none."),
    "subtick_pressed": ("list<bool>", "pressed", "Whether the step presses its button."),
    "subtick_forward": ("list<float32>", "analog_forward_delta", "Change of forward movement of each step."),
    "subtick_left": ("list<float32>", "analog_left_delta", "Change of movement to the left of each step."),
    "subtick_pitch": ("list<float32>", "pitch_delta", "Change of the vertical view of each step."),
    "subtick_yaw": ("list<float32>", "yaw_delta", "Change of the horizontal view of each step."),
}

INPUTS = replace(
    SHARED_INPUTS,
    doc="One row for each command of a player that the server recorded (svc_UserCmds). Servers since July 2026 "
    "send commands as deltas of the player's command before; without that one, the row has its numbers only.",
).extended(
    word("game_seconds"),
    *ROUND,
    *person()[1:],
    *words(
        "command_number server_tick client_tick buttons buttons_changed pitch yaw forward left mouse_x mouse_y"
    ),
    Column("weapon_entity", "int32", "Entity of the selected weapon (weaponselect); null if not sent."),
    *(Column(name, type_, doc) for name, (type_, _, doc) in _STEPS.items()),
    word("is_delta"),
)


@TABLES.maker_of(INPUTS)
class Cs2Inputs(Cs2Facts):
    """Table ``inputs``."""

    def attach(self, playback: Playback) -> None:
        self._commands, self._told = ServerCommands(self.match.game), False
        playback.on_message(self.match.number(_COMMANDS), self._on_commands)

    def _on_commands(self, tick: int, payload: bytes) -> None:
        try:
            for entry in self._commands.read(payload):
                row: dict[str, Any] = {"tick": tick, "kind": "command", "command_number": entry.number}
                row |= columns_of(self.match.people.in_slot(entry.slot), "") | command_columns(entry)
                if entry.command is not None:
                    row |= _own_columns(entry.command.base)
                elif entry.error is not None and not self._told:
                    self._told = True
                    self.match.problem(entry.error, tick, "commands sent as deltas that cannot be applied")
                self._rows.append(row)
        except ReplayError as error:
            self.match.problem(error, tick, "commands of players")


def _own_columns(base: Mapping[str | int, Any]) -> dict[str, Any]:
    """Return the columns of a command that CS2 alone has."""
    steps = base.get("subtick_moves") or ()
    zeros = {"list<float32>": 0.0, "list<uint64>": 0, "list<bool>": False}
    return {"weapon_entity": base.get("weaponselect")} | {
        name: [step.get(key, zeros[type_]) for step in steps] for name, (type_, key, _) in _STEPS.items()
    }
