"""`BlizzardGame`: what one game of the engine declares. No module of `blizzard` names a game."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from playhead.blizzard.protocol.protocols import Protocols
from playhead.blizzard.repair.passes import Builds
from playhead.limits import Limits
from playhead.runtime.records import NamedTuple

if TYPE_CHECKING:
    from playhead.blizzard.events import Event
    from playhead.blizzard.repair.salvage import Guesser


class BlizzardGame(NamedTuple):
    """One game.

    Attributes:
        title: its name in messages, after "a" or "expected a".
        signature: the first bytes of the signature in the header of every replay.
        others: titles of the other games by their signatures.
        protocols: its type tables.
        first_tracker: the first base build whose replays have the tracker's events.
        captured: returns the classes of the events of a stream whose fields become columns.
        guesser: makes a `Guesser` from the builds of the header, or None without one.
    """

    title: str
    signature: bytes
    others: Mapping[bytes, str]
    protocols: Protocols
    first_tracker: int
    captured: Callable[[str], Collection[type[Event]]]
    guesser: Callable[[Builds | None, Limits], Guesser]
