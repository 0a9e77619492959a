"""`World`: what there is at one moment of a recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from playhead.clock import Clock
from playhead.model import Moment
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.manager import EntityManager
from playhead.source2.playback.playback import Playback
from playhead.source2.string_tables.tables import StringTables


class World:
    """The state after everything up to and with `tick`.

    It is a playhead of its own: `advance` moves it on, other worlds of the same replay stay where they are.
    """

    def __init__(
        self, playback: Playback, tick: int, clock: Clock | None, shown: Callable[[], Clock | None]
    ) -> None:
        self._playback = playback
        self._clock = clock
        self._shown = shown
        self.tick = tick

    @property
    def seconds(self) -> float | None:
        """`tick` in seconds; None if its tick rate is not known."""
        return None if self._clock is None else self._clock.seconds(self.tick)

    @property
    def displayed(self) -> str | None:
        """The time that the game shows (``12:30``); None before it shows any or if the rate is not known."""
        clock = self._shown()
        return None if clock is None else clock.displayed(self.tick)

    @property
    def entities(self) -> EntityManager:
        """All networked objects."""
        return self._playback.entities

    @property
    def string_tables(self) -> StringTables:
        """The string tables."""
        return self._playback.string_tables

    @property
    def server_info(self) -> Mapping[str | int, Any]:
        """Fields of CSVCMsg_ServerInfo."""
        return self._playback.server_info

    def advance(self, ticks: int = 1) -> World:
        """Move on by that many ticks; return itself.

        Raises:
            ValueError: `ticks` is negative.
        """
        if ticks < 0:
            raise ValueError(f"expected a number of ticks to move on by, got {ticks}; `Replay.at` goes back")
        self.tick += ticks
        self._playback.advance(self.tick)
        return self

    def summary(self) -> Moment:
        """Return how many entities of each class there are, the most first."""
        counts = Counter(entity.class_name for entity in self.entities)
        rows = [
            {"class": name, "count": counts[name]}
            for name in sorted(counts, key=lambda name: (-counts[name], name))
        ]
        return Moment(self.tick, self.seconds, {"entities": len(self.entities)}, {"classes": rows})

    def __getitem__(self, class_name: str) -> list[Entity]:
        """The entities of a class, by its name."""
        return self.entities.find_all_by_class_name(class_name)

    def _ipython_key_completions_(self) -> list[str]:
        return sorted({entity.class_name for entity in self.entities})

    def _repr_html_(self) -> str:
        return self.summary().to_html()

    def __repr__(self) -> str:
        return f"<World at tick {self.tick}: {len(self.entities)} entities>"
