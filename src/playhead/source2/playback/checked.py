"""`Checked`: how often the self-checks of a playback passed and failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from playhead.model import Check
from playhead.runtime.records import dataclass, field, field_names

if TYPE_CHECKING:
    from playhead.source2.playback.playback import Playback


@dataclass(frozen=True, slots=True)
class Checked:
    """Counts of a playback, or of several stretches of one recording.

    Attributes:
        packets, failures: as `Playback` counts them.
        entity_messages: number of entity messages.
        baselines, equal_states, equal_dumps: as `FullPackets` counts them.
    """

    packets: int = 0
    entity_messages: int = 0
    baselines: int = 0
    equal_states: int = 0
    equal_dumps: int = 0
    failures: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, playback: Playback) -> Checked:
        """Return the counts of a playback so far."""
        full = playback.full_packets
        return cls(
            playback.packets,
            playback.entities.messages,
            full.baselines,
            full.equal_states,
            full.equal_dumps,
            Counter(playback.failures),
        )

    def checks(self) -> Iterator[Check]:
        """Yield the checks with their counts."""
        failures = self.failures
        yield Check("packets", self.packets, failures["packet"], "complete messages to the last byte")
        yield Check(
            "entity messages",
            self.entity_messages,
            failures["entities"],
            "decoded with 0 to 7 bits left: one wrong field would shift all later ones",
        )
        yield Check("baselines", self.baselines, failures["baseline"], "decoded with 0 to 7 bits left")
        yield Check(
            "full packets",
            self.equal_states,
            failures["full packet"],
            "equal to the entities and fields built from the packets before them",
        )
        yield Check(
            "string table dumps",
            self.equal_dumps,
            failures["string tables"],
            "equal to the tables built from the messages before them, except the first, which has new entries",
        )

    def __add__(self, other: Checked) -> Checked:
        return Checked(*(getattr(self, name) + getattr(other, name) for name in field_names(Checked)))

    def __sub__(self, other: Checked) -> Checked:
        return Checked(*(getattr(self, name) - getattr(other, name) for name in field_names(Checked)))
