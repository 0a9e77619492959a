"""What there is at a tick of a demo, as rows."""

from __future__ import annotations

from collections import Counter

from playhead.model import Moment
from playhead.source2.playback.world import World


def moment_of(world: World) -> Moment:
    """Of a world: how many entities of each class there are, the most first."""
    counts = Counter(entity.class_name for entity in world.entities)
    rows = [
        {"class": name, "count": counts[name]} for name in sorted(counts, key=lambda name: (-counts[name], name))
    ]
    return Moment(world.tick, world.seconds, {"entities": len(world.entities)}, {"classes": rows})
