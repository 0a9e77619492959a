"""Table ``chat``: lines by person, which the engine's table has by slot."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from playhead.cs2.facts import TABLES
from playhead.cs2.facts.columns import GAME_SECONDS, ROUND_NUM, SIDE
from playhead.cs2.sources.match import Cs2Facts
from playhead.source2.messages.numbers import Engine
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.messages import Chat, said
from playhead.tables.shared import CHAT

CS2_CHAT = CHAT.extended(SIDE, ROUND_NUM, GAME_SECONDS)
_SERVER = "UM_SayText"


@TABLES.maker_of(CS2_CHAT)
class Cs2Chat(Cs2Facts):
    """Table ``chat``: SayText2 of players, SayText of the server."""

    events: ClassVar = Chat.events

    def attach(self, playback: Playback) -> None:
        for number in (int(Engine.SAY_TEXT_2), self.match.number(_SERVER)):
            playback.on_message(number, partial(self._on_line, number), full_packets=True)

    def _on_line(self, number: int, tick: int, payload: bytes) -> None:
        message = self.match.decode(tick, number, payload)
        if message is None:
            return
        fields = message.fields or {}
        if number == Engine.SAY_TEXT_2:
            row = said(fields)
        else:
            slot = fields.get("playerindex", 0) - 1
            row = {"player": slot if slot >= 0 else None, "text": fields.get("text"), "channel": "SayText"}
        person = self.match.people.in_slot(row["player"])
        shown = row.get("name") or (None if person is None else person.name)
        self._rows.append({"tick": tick, **row, "name": shown, "side": None})
        if person is not None:
            self._rows[-1] |= {"player": person.player, "side": person.side}
        elif self.match.people.present:
            self._rows[-1]["player"] = None  # without any controller, `players` has the slots
