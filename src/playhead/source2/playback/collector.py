"""`Collector`: gathers one group of facts while a recording is played once for all groups that are asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from playhead.source2.playback.playback import Playback
from playhead.tables.schema import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.dota2.sources.match import Match


class Collector(ABC):
    """One group of facts.

    A subclass says what it needs, so that nothing else is decoded or kept, registers its handlers in `attach`, and
    gives its tables at the end. It must not assume that other collectors run.

    Attributes:
        schemas: the tables it makes.
        fields: by class name or pattern, the entity fields (names or patterns) that it reads; options may decide.
        string_tables: names of the string tables that it reads.
        options: names of the keyword arguments that it takes besides the match; each has a default.
        survey: it reads messages of the engine's own that the engine's pass for problems does not decode.
        needs_clock: it reads the match's clock; one with a column ``game_seconds`` does in any case.
        entities: it needs entities; without any collector that does, entity messages are not decoded.
    """

    schemas: ClassVar[Sequence[TableSchema]] = ()
    fields: Mapping[str, Sequence[str]] = MappingProxyType({})
    string_tables: ClassVar[Sequence[str]] = ()
    options: ClassVar[Sequence[str]] = ()
    survey: ClassVar[bool] = False
    needs_clock: ClassVar[bool] = False
    entities: ClassVar[bool] = False

    def __init__(self, match: Match) -> None:
        self.match = match

    @abstractmethod
    def attach(self, playback: Playback) -> None:
        """Register handlers: `Playback.on_message`, `Playback.on_tick`, `EntityManager.on_entity`."""

    @abstractmethod
    def tables(self) -> Mapping[str, pa.Table]:
        """The tables, once the recording has been played."""
