"""`OfficialResult`: the game's own report at the end of a match (message 558)."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.dota2.sources.match import Dota2Match
from playhead.dota2.sources.roster import DIRE, RADIANT
from playhead.runtime.typing import Any
from playhead.source2.messages.numbers import message_number
from playhead.source2.playback.playback import Playback

MATCH_DETAILS = message_number("dota2", "DOTA_UM_MatchDetails")

# `player_slot` of Dire's first player.
_DIRE_SLOT = 128


class OfficialResult:
    """The last message 558 of a recording.

    Attributes:
        fields: its fields; empty without it.
    """

    def __init__(self, match: Dota2Match, playback: Playback) -> None:
        self.fields: Mapping[str | int, Any] = {}
        match.on_fields(playback, MATCH_DETAILS, self._on_details)

    def _on_details(self, _tick: int, fields: Mapping[Any, Any]) -> None:
        self.fields = fields

    @property
    def players(self) -> Mapping[tuple[int, int], Mapping[str | int, Any]]:
        """The fields of each player, by team and place in it."""
        found = {}
        for fields in self.fields.get("players", ()):
            slot = fields.get("player_slot", 0)
            found[(DIRE, slot - _DIRE_SLOT) if slot >= _DIRE_SLOT else (RADIANT, slot)] = fields
        return found
