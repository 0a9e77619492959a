"""The ground of a map from a recording of the engine: where entities were, with their heights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from playhead.presentation.ground import Places, ground_picture
from playhead.presentation.map_look import bounds_of
from playhead.presentation.picture import MapPicture

#: Moments at which all entities are read, and the least time between two.
_MOMENTS, _SECONDS = 12, 2.0
#: Words in names of classes whose entities are not on the ground: light, cameras, and places outside of the map.
_NOT_ON_IT = tuple(
    "World Sky Env Camera Fog Light Volume Particle TeamIntro TeamSelect WingmanIntro Lineup Observer "
    "Announcer Controller Visibility Viewers PlayerPawn Wearable Rope Projectile Text PanoramaTexture "
    "SoundEvent Tonemap WorldLayer Spectat Minimap MiniMap Water".split()
)


def entity_ground(motion: Any, *, cell: float, step: float, near: int = 2) -> MapPicture | None:
    """Return the ground where players and other entities were, inside of the map's `extent`; see `ground_picture`.

    Args:
        motion: a `Source2Motion` that nothing else uses: it seeks.
    """
    replay = motion.replay
    bounds = bounds_of(replay.presentation.map.extent(replay), 0.0)
    places = Places.of(list(_players(replay)), list(_entities(motion)))
    return ground_picture(places, cell=cell, step=step, near=near, bounds=bounds)


def _players(replay: Any) -> Iterator[tuple[float, float, float | None]]:
    """Yield the rows of table ``positions`` that have a place."""
    if "positions" not in replay.tables:
        return
    found = replay.presentation.map.drawn(replay, replay.table("positions"))
    columns = [found[axis].to_pylist() for axis in "xyz" if axis in found.column_names]
    for x, y, *z in zip(*columns, strict=True):
        if x is not None and y is not None:
            yield x, y, z[0] if z else None


def _entities(motion: Any) -> Iterator[tuple[float, float, float | None]]:
    """Yield places and heights of entities at a few moments."""
    replay = motion.replay
    first, last = replay.first_tick, max(replay.first_tick, replay.info.duration_ticks or 0)
    least = round(_SECONDS * (replay.info.ticks_per_second or 30.0))
    step = max(least, (last - first) // _MOMENTS, 1)
    for tick in range(last, first - 1, -step)[: _MOMENTS + 1][::-1]:
        for name, x, y, z in motion.heights(tick):
            if not any(word in name for word in _NOT_ON_IT) and (x or y):
                yield x, y, z
