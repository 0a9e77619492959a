"""Tables ``game_clock`` and ``pauses``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.columns import TIME
from playhead.dota2.sources.chat_events import CHAT_EVENT
from playhead.dota2.sources.game_clock import displayed
from playhead.dota2.sources.match import FactCollector, MatchContext
from playhead.runtime.libraries import pa
from playhead.source2.messages.decoded import Message
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

_PAUSED = "CHAT_MESSAGE_PAUSED"
# Largest distance, in ticks, of the chat event of a pause; it arrives with the pause or one packet later.
_LINE_NEAR = 30

GAME_CLOCK = TableSchema.of(
    "game_clock",
    "One row for each change of the game's state or of its clock: the game rules entity.",
    *TIME,
    Column("displayed", "string", "The clock as the game shows it: 12:30, before the horn -1:30."),
    Column("event", "category", "state, pause, resume, or horn (0:00; once the game rules have it)."),
    Column("state", "category", "DOTA_GameState: HERO_SELECTION, PRE_GAME, GAME_IN_PROGRESS, POST_GAME …"),
    Column(
        "server_seconds",
        "float64",
        "The server's own clock without pauses, in which entity fields give times.",
        "s",
    ),
)

PAUSES = TableSchema.of(
    "pauses",
    "One row for each pause: m_bGamePaused, m_nPauseStartTick and m_nTotalPausedTicks of the game rules "
    "(m_fGameTime before patch 7.32e).",
    *TIME,
    Column("displayed", "string", "The clock as the game shows it: 12:30, before the horn -1:30."),
    Column("end_tick", "int32", "Demo tick at which the game went on; null if the recording ends first.", "ticks"),
    Column("duration", "float64", "How long it was; null if the recording ends first.", "s"),
    Column("team", "int32", "Side that paused: m_iPauseTeam; null if the recording has none."),
    Column("player", "int32", "Who paused: the chat event CHAT_MESSAGE_PAUSED beside it; null without one."),
)


@TABLES.maker_of(GAME_CLOCK, PAUSES)
class ClockTables(FactCollector):
    """Tables ``game_clock`` and ``pauses``, from the clock of the `MatchContext`."""

    entities: ClassVar = True

    def __init__(self, match: MatchContext) -> None:
        super().__init__(match)
        self._lines: list[Message] = []

    def attach(self, playback: Playback) -> None:
        playback.on_message(CHAT_EVENT, self._on_chat_event)

    def _on_chat_event(self, tick: int, payload: bytes) -> None:
        message = self.match.decode(tick, CHAT_EVENT, payload)
        if message is not None and message.value("type") == _PAUSED:
            self._lines.append(message)

    def _who_paused(self, tick: int) -> int | None:
        near = [line for line in self._lines if abs(line.tick - tick) <= _LINE_NEAR]
        if not near:
            return None
        player = min(near, key=lambda line: abs(line.tick - tick)).value("playerid_1")
        return int(player) if player >= 0 else None

    def tables(self) -> Mapping[str, pa.Table]:
        clock, rate = self.match.clock, self.match.ticks_per_second
        pauses = [
            {
                "tick": pause.start,
                "game_seconds": (time := clock.game_seconds(pause.start)),
                "displayed": displayed(time),
                "end_tick": pause.end,
                "duration": None if pause.end is None or rate is None else (pause.end - pause.start) / rate,
                "team": pause.team,
                "player": self._who_paused(pause.start),
            }
            for pause in clock.pauses
        ]
        return {
            "game_clock": self.match.table(GAME_CLOCK, list(clock.events())),
            "pauses": self.match.table(PAUSES, pauses),
        }
