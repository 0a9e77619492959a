"""`BlizzardGame`: the declaration of one game of the engine. No module of `blizzard` names a game."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from playhead.blizzard.protocol.protocols import Protocols
from playhead.blizzard.repair.guess_member import Builds
from playhead.limits import Limits
from playhead.runtime.records import NamedTuple

if TYPE_CHECKING:
    from playhead.blizzard.events import Event
    from playhead.blizzard.repair.salvage import Guesser
    from playhead.model import Info
    from playhead.presentation import SeriesSource
    from playhead.registry import Vocabulary
    from playhead.tables.schema import TableSchema


class BlizzardGame(NamedTuple):
    """One game.

    Attributes:
        name: its name in `Info.game`.
        title: its name for people.
        signature: the first bytes of the signature in the header of every replay.
        others: titles of the other games by their signatures.
        protocols: its type tables.
        first_tracker: the first build whose replays have the tracker's events.
        captured: returns the classes of the events of a stream whose fields become columns.
        guesser: makes a `Guesser` from the builds of the header, or None without one.
    """

    name: str
    title: str
    signature: bytes
    others: Mapping[bytes, str]
    protocols: Protocols
    first_tracker: int
    captured: Callable[[str], Collection[type[Event]]]
    guesser: Callable[[Builds | None, Limits], Guesser]

    def title_of(self, info: Info) -> str:
        """Return game and version, as people write them."""
        return " ".join(filter(None, (self.title, info.version)))

    def vocabulary(
        self, tables: Collection[str], info: TableSchema, series: tuple[SeriesSource, ...]
    ) -> Vocabulary:
        """Return the words that a format knows, given its tables, its table ``info`` and its series."""
        from playhead.blizzard.events.reading import STREAMS, event_kinds, known_words
        from playhead.registry import Vocabulary
        from playhead.tables import shared

        names = self.protocols.event_names
        return Vocabulary(
            frozenset(tables),
            frozenset(event_kinds(names)),
            known_words(names) | {*STREAMS, "NNet.*"},
            series,
            facts=frozenset(info.column_names[len(shared.INFO.columns) :]),
            games={self.name: self.title},
        )
