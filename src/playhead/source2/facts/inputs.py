"""`ServerInputs`: table ``inputs`` of games whose servers record the commands of every player (svc_UserCmds).

A recording by a player has the recorder's own commands besides, in frames UserCmd.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from playhead.errors import ReplayError
from playhead.source2.container.frames import USER_COMMAND, Frame
from playhead.source2.game_match import GameFacts, GameMatch
from playhead.source2.messages.user_commands import (
    ServerCommand,
    ServerCommands,
    UserCommand,
    command_columns,
    decode_user_command,
)
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback

_M = TypeVar("_M", bound=GameMatch)


class ServerInputs(GameFacts[_M]):
    """Collector of the commands; a game adds the columns of the player and those that its commands alone have."""

    jobs: ClassVar = Jobs(20, extra=400)

    @abstractmethod
    def person_columns(self, slot: int) -> Mapping[str, Any]:
        """Return the columns of the player in a slot."""

    @abstractmethod
    def own_columns(self, command: UserCommand) -> Mapping[str, Any]:
        """Return the columns that commands of this game alone have."""

    def attach(self, playback: Playback) -> None:
        self._commands, self._told = ServerCommands(self.match.game), False
        playback.on_message(self.match.number("svc_UserCmds"), self._on_commands)
        playback.on_frame(self._on_frame, packets=False)

    def _on_frame(self, _number: int, frame: Frame, payload: bytes | memoryview | None) -> None:
        if frame.command != USER_COMMAND or payload is None:
            return
        try:
            command = decode_user_command(payload, self.match.game)
        except ReplayError as error:
            self.match.problem(error, frame.tick, "commands of the player who recorded")
            return
        slot = self.match.replay.recording.server_info.get("player_slot", 0)
        self._add(frame.tick, ServerCommand(slot, command.number, None, None, command, b""))

    def _on_commands(self, tick: int, payload: bytes) -> None:
        try:
            for entry in self._commands.read(payload):
                self._add(tick, entry)
                if entry.error is not None and not self._told:
                    self._told = True
                    self.match.problem(entry.error, tick, "commands sent as deltas that cannot be applied")
        except ReplayError as error:
            self.match.problem(error, tick, "commands of players")

    def _add(self, tick: int, entry: ServerCommand) -> None:
        row = {"tick": tick, "kind": "command", "command_number": entry.number}
        row |= {**self.person_columns(entry.slot), **command_columns(entry)}
        if entry.command is not None:
            row |= self.own_columns(entry.command)
        self._rows.append(row)
