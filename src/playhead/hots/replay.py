"""`HotsReplay`: a Heroes of the Storm replay (``.StormReplay``) as a `Replay`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast
from weakref import WeakMethod

from playhead.blizzard.replay import BlizzardReplay
from playhead.clock import GAME_TIME, Clock, Stretch
from playhead.hots.recording.recording import LOOPS_PER_SECOND, HotsRecording, load_info, with_map
from playhead.hots.tables.info_and_players import INFO, PLAYERS
from playhead.io.source import Source
from playhead.model import Info, Options
from playhead.recorded import handler_of
from playhead.runtime.cached import cached_property, shared_property
from playhead.runtime.garbage import GC_PAUSED

if TYPE_CHECKING:
    from playhead.blizzard.tables.registry import GameTables
    from playhead.blizzard.writing.anonymize import Anonymized
    from playhead.events import EventSource
    from playhead.hots.state.timeline import HeroesState, HeroesTimeline
    from playhead.presentation import Presentation


class HotsReplay(BlizzardReplay):
    """One Heroes of the Storm replay."""

    recording: HotsRecording

    format = "hots"
    format_title = "Heroes of the Storm replay"
    capabilities = frozenset({"moment", "anonymize"})
    info_schema = INFO
    players_schema = PLAYERS

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        note = handler_of(WeakMethod(self.note), strict=options.strict)
        self.recording = HotsRecording(source, options.limits, note, strict=options.strict)

    @property
    def presentation(self) -> Presentation:
        """As `Replay.presentation`."""
        from playhead.hots.presentation import PRESENTATION

        return PRESENTATION

    def _load_info(self) -> Info:
        return with_map(self.brief_info, self.recording)

    @shared_property
    def brief_info(self) -> Info:
        """`info` without `map_english`, which the tracker's events have."""
        return load_info(self.recording, self.format, self.name)

    @cached_property
    def clock(self) -> Clock | None:
        """`Replay.clock`: 0:00 is when the gates open, and before it time is negative."""
        start = self.recording.start_tick
        before = (Stretch(0, -start / LOOPS_PER_SECOND, running=True),) if start else None
        return Clock(LOOPS_PER_SECOND, before, label=GAME_TIME, wall_ticks_per_second=LOOPS_PER_SECOND)

    @property
    def recording_clock(self) -> Clock | None:
        """As `Replay.recording_clock`; unlike `clock`, it does not read the tracker's events."""
        return self.brief_info.clock

    def _unfilled_reasons(self) -> Mapping[str, str]:
        from playhead.hots.recording.unfilled import reasons

        return reasons(self.recording, self.tables)

    def _game_tables(self) -> GameTables:
        from playhead.hots.tables.registry import TABLES

        return TABLES

    def _event_sources(self) -> Sequence[EventSource]:
        from playhead.hots.tables.streams import PLAYER_KILLED

        return (PLAYER_KILLED,)

    # -- state ------------------------------------------------------------------------------------------

    @cached_property
    def _timeline(self) -> HeroesTimeline:
        from playhead.hots.state.timeline import HeroesTimeline

        return HeroesTimeline(self.recording, self.clock, self.players)

    def at(self, when: int | float | str | None = None, *, seconds: float | None = None) -> HeroesState:
        """Return the state of the game after all events of a loop: units, and what players reached. Ascending
        loops are cheap. See `Replay.at`.
        """
        return cast("HeroesState", super().at(when, seconds=seconds))

    def _moment(self, tick: int) -> HeroesState:
        with GC_PAUSED:
            return self._timeline.at(tick)

    # -- anonymising ------------------------------------------------------------------------------------

    def _anonymized(self, salt: bytes | None, keep_chat: bool) -> Anonymized:
        from playhead.hots.writing import anonymize

        return anonymize(self.recording, salt=salt, keep_chat=keep_chat)
