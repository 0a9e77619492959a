"""Table ``pauses``."""

from __future__ import annotations

from typing import Any, ClassVar

from playhead.cs2.facts import TABLES
from playhead.cs2.facts.columns import TIME
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.rounds import pause_of
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

PAUSES = TableSchema.of(
    "pauses",
    "One row for each pause, in which the round clock stands, from the game rules.",
    *TIME,
    Column(
        "kind",
        "category",
        "timeout_t, timeout_ct, technical (m_bTechnicalTimeOut), match (m_bMatchWaitingForResume alone): in "
        "freeze time; engine (m_bGamePaused).",
    ),
    Column("side", "category", "The side that took the timeout: t or ct; null for other pauses."),
    Column("end_tick", "int32", "The clock went on; null if the recording ends before.", "ticks"),
    Column("duration", "float64", "Length of the pause; null if the recording ends before.", "s"),
)


@TABLES.maker_of(PAUSES)
class Pauses(Cs2Facts):
    """Table ``pauses``."""

    entities: ClassVar = True

    def attach(self, playback: Playback) -> None:
        self._open: dict[str, Any] | None = None
        self.match.rounds.changes.append(self._on_rules)

    def _on_rules(self, tick: int, _before: dict[str, Any], now: dict[str, Any]) -> None:
        kind = pause_of(now)
        if self._open is not None and self._open["kind"] != kind:
            self._open["end_tick"] = tick
            begun, ended = self.match.seconds(self._open["tick"]), self.match.seconds(tick)
            self._open["duration"] = None if begun is None or ended is None else ended - begun
            self._open = None
        if kind is not None and self._open is None:
            side = kind.removeprefix("timeout_") if kind.startswith("timeout_") else None
            self._open = {"tick": tick, "kind": kind, "side": side, "end_tick": None, "duration": None}
            self._rows.append(self._open)
