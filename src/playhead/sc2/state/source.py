"""The parts of a replay that states are worked out from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from playhead.blizzard.events import Scope
from playhead.blizzard.events.columns import EventStream


class StateSource(Protocol):
    """The parts of a replay that states are worked out from.

    Attributes:
        builds: base build and build.
        loops_per_second: rate of the game's displayed clock.
        start_tick: loop at which the game begins.
        event_scope: units of coordinates, and names of abilities.
        players_by_user: player number by user id of events.
    """

    @property
    def builds(self) -> tuple[int, int]: ...
    @property
    def loops_per_second(self) -> float: ...
    @property
    def start_tick(self) -> int: ...
    @property
    def event_scope(self) -> Scope: ...
    @property
    def players_by_user(self) -> Mapping[int, int]: ...

    def stream(self, name: str, *, text: bool = False) -> EventStream | None:
        """Return a stream of events; with `text`, also the fields of every event as JSON."""
        ...
