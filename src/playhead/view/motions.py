"""Which `Motion` a replay has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from playhead.view.motion import Motion
from playhead.view.motion_sc2 import Sc2Motion
from playhead.view.motion_source2 import Source2Motion
from playhead.view.motion_teehistorian import TeehistorianMotion

if TYPE_CHECKING:
    from playhead.replay import Replay

_KINDS: Mapping[str, type[Motion]] = {
    "source2": Source2Motion,
    "sc2": Sc2Motion,
    "teehistorian": TeehistorianMotion,
}


def motion_of(replay: Replay) -> Motion:
    """Return what knows the moving things of a replay's format; one that knows nothing for other formats."""
    able = "moment" in replay.capabilities
    return _KINDS.get(replay.format, Motion)(replay) if able else Motion(replay)
