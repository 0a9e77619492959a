"""What there is at a tick of a recording, as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from playhead.model import Moment
from playhead.teehistorian.state.seek import Tee

#: World units in a tile of the map.
_TILE = 32


def moment_of(tick: int, seconds: float, tees: Iterable[Tee]) -> Moment:
    """Of the tees at a tick."""
    rows = list(_rows(tees))
    return Moment(tick, seconds, {"clients": len(rows)}, {"tees": rows})


def _rows(tees: Iterable[Tee]) -> Iterator[Mapping[str, Any]]:
    for tee in tees:
        held = tee.input
        yield {
            "client": tee.client,
            "name": tee.name,
            "clan": None if tee.identity is None else tee.identity.clan,
            "team": tee.team,
            "x": tee.x,
            "y": tee.y,
            "tile_x": None if tee.x is None else tee.x // _TILE,
            "tile_y": None if tee.y is None else tee.y // _TILE,
            "direction": None if held is None else held.direction,
            "jump": None if held is None else bool(held.jump),
            "hook": None if held is None else bool(held.hook),
            # Every press and every release adds one: an odd number is a key that is held.
            "fire": None if held is None else bool(held.fire & 1),
        }
