"""`STARCRAFT2`: the declaration of StarCraft II for the engine."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from playhead.blizzard.game import BlizzardGame
from playhead.blizzard.repair.guess_member import Builds
from playhead.limits import Limits
from playhead.sc2.protocol.tables import PROTOCOLS

if TYPE_CHECKING:
    from playhead.blizzard.events import Event
    from playhead.blizzard.repair.salvage import Guesser

#: The first build whose replays have the tracker's events: 2.0.8; its base build is that of 2.0.4, which has none.
FIRST_TRACKER = 25604


def _captured(stream: str) -> Collection[type[Event]]:
    from playhead.sc2.tables.registry import TABLES

    return TABLES.captured(stream)


def _guesser(builds: Builds | None, limits: Limits) -> Guesser:
    from playhead.sc2.repair import Sc2MemberGuesser

    return Sc2MemberGuesser(builds, limits)


STARCRAFT2 = BlizzardGame(
    name="sc2",
    title="StarCraft II",
    signature=b"StarCraft II replay",
    others={b"Heroes of the Storm replay": "Heroes of the Storm"},
    protocols=PROTOCOLS,
    first_tracker=FIRST_TRACKER,
    captured=_captured,
    guesser=_guesser,
)
