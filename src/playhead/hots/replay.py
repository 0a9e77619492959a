"""`HotsReplay`: a Heroes of the Storm replay (``.StormReplay``) as a `Replay`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from weakref import WeakMethod

from playhead.blizzard.replay import BlizzardReplay
from playhead.clock import GAME_TIME, Clock, Stretch
from playhead.hots.recording.info import load_info
from playhead.hots.recording.recording import LOOPS_PER_SECOND, HotsRecording
from playhead.hots.tables.info_and_players import INFO, PLAYERS
from playhead.io.source import Source
from playhead.model import Info, Options
from playhead.replay import handler_of
from playhead.runtime.cached import cached_property

if TYPE_CHECKING:
    from playhead.blizzard.tables.registry import GameTables


class HotsReplay(BlizzardReplay):
    """One Heroes of the Storm replay."""

    recording: HotsRecording

    format = "hots"
    format_title = "Heroes of the Storm replay"
    info_schema = INFO
    players_schema = PLAYERS

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        note = handler_of(WeakMethod(self.note), strict=options.strict)
        self.recording = HotsRecording(source, options.limits, note, strict=options.strict)

    def _load_info(self) -> Info:
        return load_info(self.recording, self.format, self.name)

    @cached_property
    def clock(self) -> Clock | None:
        """`Replay.clock`: 0:00 is when the gates open, and before it time is negative."""
        start = self.recording.start_tick
        before = (Stretch(0, -start / LOOPS_PER_SECOND, running=True),) if start else None
        return Clock(LOOPS_PER_SECOND, before, label=GAME_TIME, wall_ticks_per_second=LOOPS_PER_SECOND)

    def _unfilled_reasons(self) -> Mapping[str, str]:
        from playhead.hots.tables.registry import TABLES
        from playhead.hots.tables.unfilled import reasons

        return reasons(self.recording, TABLES)

    def _game_tables(self) -> GameTables:
        from playhead.hots.tables.registry import TABLES

        return TABLES
