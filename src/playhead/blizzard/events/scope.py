"""Facts of a replay that conversions of event fields need, and the type of these conversions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playhead.runtime.records import dataclass

#: Fractions of a cell in commands, targets and pings.
FINE = 4096.0
#: The same in cameras, from retail on.
COARSE = 256.0
#: Bits of a tag that distinguish the uses of an index.
RECYCLE_BITS = 18


@dataclass(frozen=True, slots=True)
class Scope:
    """Facts of the whole replay that the friendly fields of its events need.

    Attributes:
        camera_unit: fraction of a cell in which camera positions are stored.
        tracker_cells: cells in one unit of the tracker's positions.
        ability: function from link and index of an ability's command to its name, or None.
        unit: function from the link of a unit type to its name, or None.
    """

    camera_unit: float = COARSE
    tracker_cells: float = 1.0
    ability: Callable[[int, int], str | None] = lambda link, index: None
    unit: Callable[[int], str | None] = lambda link: None


Convert = Callable[[Any, Scope], Any]
