"""`HEROES`: the declaration of Heroes of the Storm for the engine."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from playhead.blizzard.game import BlizzardGame
from playhead.blizzard.repair.passes import Builds
from playhead.hots.protocol import PROTOCOLS
from playhead.limits import Limits

if TYPE_CHECKING:
    from playhead.blizzard.events import Event
    from playhead.blizzard.repair.salvage import Guesser


def _captured(stream: str) -> Collection[type[Event]]:
    from playhead.hots.tables.registry import TABLES

    return TABLES.captured(stream)


def _guesser(builds: Builds | None, limits: Limits) -> Guesser:
    from playhead.blizzard.repair.guess_member import MemberGuesser

    return MemberGuesser(PROTOCOLS, builds, limits)


HEROES = BlizzardGame(
    name="hots",
    title="Heroes of the Storm",
    signature=b"Heroes of the Storm replay",
    others={b"StarCraft II replay": "StarCraft II"},
    protocols=PROTOCOLS,
    first_tracker=0,
    captured=_captured,
    guesser=_guesser,
)
