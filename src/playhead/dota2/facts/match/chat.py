"""Table ``chat``: the engine's rows, with the game's clock and the author's hero and team."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.runtime.libraries import pa
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.messages import Chat
from playhead.tables.shared import CHAT
from playhead.tables.vocabulary import words

DOTA2_CHAT = CHAT.extended(*words("game_seconds hero team side"))


@TABLES.maker_of(DOTA2_CHAT)
class Dota2Chat(PlayerFacts, Chat):
    """Table ``chat``."""

    jobs: ClassVar = Jobs(extra=10)

    late = ("game_seconds", "hero")

    def __init__(self, match: Dota2Match) -> None:
        Chat.__init__(self, match.replay.recording)
        PlayerFacts.__init__(self, match)

    def attach(self, playback: Playback) -> None:
        PlayerFacts.attach(self, playback)
        Chat.attach(self, playback)

    def tables(self) -> Mapping[str, pa.Table]:
        teams = {seat.player: seat.team for seat in self._roster.seats}
        for row in self._rows:
            row["team"] = teams.get(row["player"])
        return super().tables()
