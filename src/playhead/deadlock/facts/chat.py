"""Table ``chat``: the engine's rows, with the speaker's hero and team at that tick."""

from __future__ import annotations

from typing import ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import GAME_SECONDS, person_columns, person_row
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.source2.tables.messages import Chat
from playhead.tables.shared import CHAT

DEADLOCK_CHAT = CHAT.extended(GAME_SECONDS, *list(person_columns("", "the speaker"))[1:])


@TABLES.maker_of(DEADLOCK_CHAT)
class DeadlockChat(DeadlockFacts, Chat):
    """Table ``chat``."""

    anew: ClassVar = False

    def __init__(self, match: DeadlockMatch) -> None:
        DeadlockFacts.__init__(self, match)
        Chat.__init__(self, match.replay.recording)

    def _on_message(self, number: int, tick: int, payload: bytes) -> None:
        known = len(self._rows)
        super()._on_message(number, tick, payload)
        for row in self._rows[known:]:
            row |= person_row(self.match.people.slot(row["player"]))
