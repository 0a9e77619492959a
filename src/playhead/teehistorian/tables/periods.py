"""Table ``periods``: the game on the map, and the pauses of the server's world."""

from __future__ import annotations

from typing import Any

from playhead.runtime.libraries import pa
from playhead.tables.shared import PERIODS
from playhead.teehistorian.state.driver import PassOutcome
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, ConsoleCommand, seconds_or_none
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import RowBuilder


@TABLES.maker_of(PERIODS)
class Periods(RowBuilder):
    """Builds table ``periods``: the command ``pause_game`` begins and ends a pause."""

    handles = (ConsoleCommand,)

    def on_message(self, rare: RareMessage) -> None:
        message = rare.message
        if isinstance(message, ConsoleCommand) and message.command == "pause_game":
            if self._rows and "end_tick" not in self._rows[-1]:
                self._rows[-1] |= {"end_tick": rare.tick, "end_seconds": rare.tick / TICKS_PER_SECOND}
            else:
                self._add(rare.tick, None, kind="pause", number=len(self._rows) + 1, counts=True)

    def build(self, outcome: PassOutcome) -> pa.Table:
        end = outcome.last_tick if outcome.complete else None
        game: dict[str, Any] = {"tick": 0, "seconds": 0.0, "kind": "game", "number": 1, "counts": True}
        game |= {"end_tick": end, "end_seconds": seconds_or_none(end)}
        return self.schema.build_rows([game, *self.rows()])
