"""`ServerInputs`: table ``inputs`` of games whose servers record the commands of every player (svc_UserCmds)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from playhead.errors import ReplayError
from playhead.source2.game_match import GameFacts, GameMatch
from playhead.source2.messages.user_commands import ServerCommands, UserCommand, command_columns
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback

_M = TypeVar("_M", bound=GameMatch)


class ServerInputs(GameFacts[_M]):
    """Collector of the commands; a game adds the columns of the player and those that its commands alone have."""

    jobs: ClassVar = Jobs(20)

    @abstractmethod
    def person_columns(self, slot: int) -> Mapping[str, Any]:
        """Return the columns of the player in a slot."""

    @abstractmethod
    def own_columns(self, command: UserCommand) -> Mapping[str, Any]:
        """Return the columns that commands of this game alone have."""

    def attach(self, playback: Playback) -> None:
        self._commands, self._told = ServerCommands(self.match.game), False
        playback.on_message(self.match.number("svc_UserCmds"), self._on_commands)

    def _on_commands(self, tick: int, payload: bytes) -> None:
        try:
            for entry in self._commands.read(payload):
                row = {"tick": tick, "kind": "command", "command_number": entry.number}
                row |= {**self.person_columns(entry.slot), **command_columns(entry)}
                if entry.command is not None:
                    row |= self.own_columns(entry.command)
                elif entry.error is not None and not self._told:
                    self._told = True
                    self.match.problem(entry.error, tick, "commands sent as deltas that cannot be applied")
                self._rows.append(row)
        except ReplayError as error:
            self.match.problem(error, tick, "commands of players")
