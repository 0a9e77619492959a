"""`ServerInputs`: table ``inputs`` of games whose servers record the commands of every player (svc_UserCmds).

A recording by a player has the recorder's own commands besides, in frames UserCmd.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from playhead.errors import ReplayError
from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any, ClassVar, TypeVar
from playhead.source2.container.frames import USER_COMMAND, Frame
from playhead.source2.game_match import GameFacts, GameMatch
from playhead.source2.messages.user_commands import (
    COMMAND_COLUMNS,
    ServerCommand,
    ServerCommands,
    UserCommand,
    command_values,
    decode_user_command,
)
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.arrow import constant
from playhead.tables.value_arrays import array_of

_M = TypeVar("_M", bound=GameMatch)


class ServerInputs(GameFacts[_M]):
    """Collector of the commands; a game adds the columns of the player and those that its commands alone have.

    A row is a tuple in the order of the columns: a mapping for each command takes twice as long.
    """

    jobs: ClassVar = Jobs(20, extra=400)
    #: Columns of `person_values` and `own_values`.
    person_columns: ClassVar[tuple[str, ...]]
    own_columns: ClassVar[tuple[str, ...]]

    @abstractmethod
    def person_values(self, slot: int) -> tuple[Any, ...]:
        """Return the values of the player in a slot."""

    @abstractmethod
    def own_values(self, command: UserCommand) -> tuple[Any, ...]:
        """Return the values that commands of this game alone have."""

    def attach(self, playback: Playback) -> None:
        self._decode = playback.decoder.contents
        self._commands, self._told = ServerCommands(self.match.game, self._decode), False
        self._lost = (None,) * len(self.own_columns)
        self._values: list[tuple[Any, ...]] = []
        playback.on_message(self.match.number("svc_UserCmds"), self._on_commands)
        playback.on_frame(self._on_frame, packets=False)

    def _on_frame(self, _number: int, frame: Frame, payload: bytes | memoryview | None) -> None:
        if frame.command != USER_COMMAND or payload is None:
            return
        try:
            command = decode_user_command(payload, self.match.game, self._decode)
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
        own = self._lost if entry.command is None else self.own_values(entry.command)
        self._values.append((tick, *self.person_values(entry.slot), *command_values(entry), *own))

    def tables(self) -> Mapping[str, pa.Table]:
        (schema,) = self.schemas
        names = ("tick", *self.person_columns, *COMMAND_COLUMNS, *self.own_columns)
        columns: dict[str, Any] = dict(zip(names, zip(*self._values, strict=True), strict=False))
        if not columns:
            return {schema.name: schema.build_rows([])}
        ticks = array_of(columns.pop("tick"), schema.arrow().field("tick").type)
        columns["kind"] = constant("command", ticks, schema.arrow().field("kind").type)
        try:
            table = self.match.table_of_columns(schema, ticks, columns)
        except (ValueError, TypeError, OverflowError):  # a value that its column cannot hold becomes a problem
            rows = [{"kind": "command", **dict(zip(names, row, strict=True))} for row in self._values]
            table = self.match.table(schema, rows)
        return {schema.name: table}
