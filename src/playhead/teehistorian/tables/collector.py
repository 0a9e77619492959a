"""How the tables of rare messages are made: one collector a table, all fed by one pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from playhead.tables import TableSchema
from playhead.teehistorian.state.connections import Connection, ConnectionTracker
from playhead.teehistorian.stream.extensions import Extension
from playhead.teehistorian.stream.messages import Message
from playhead.teehistorian.tables.columns import TICKS_PER_SECOND

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Happening:
    """One message that is rare in every real file, with what is known when it comes.

    Attributes:
        tick: tick it belongs to.
        message: as it stands in the file.
        extension: decoded, if it is a known one.
        clients: who is connected, this message included.
    """

    tick: int
    message: Message
    extension: Extension | None
    clients: ConnectionTracker


class Collectors:
    """Hands each happening to the collectors that take it."""

    def __init__(self, collectors: Iterable[Collector]) -> None:
        self._by_type: dict[type, list[Collector]] = {}
        for collector in collectors:
            for kind in collector.takes:
                self._by_type.setdefault(kind, []).append(collector)

    def take(self, tick: int, message: Message, extension: Extension | None, clients: ConnectionTracker) -> None:
        """One message; see `Happening`."""
        interested = self._by_type.get(type(message if extension is None else extension))
        if interested is not None:
            happening = Happening(tick, message, extension, clients)
            for collector in interested:
                collector.take(happening)


class Collector(ABC):
    """Makes the rows of one table."""

    schema: ClassVar[TableSchema]
    #: Types of the messages and extensions that `take` is called with.
    takes: ClassVar[tuple[type, ...]]

    def __init__(self, version_minor: int | None) -> None:
        self._version_minor = version_minor
        self._rows: list[dict[str, Any]] = []
        self._connections: list[Connection | None] = []

    @abstractmethod
    def take(self, happening: Happening) -> None:
        """Look at one message."""

    def _add(self, tick: int, connection: Connection | None, **values: Any) -> None:
        """A row; a connection gives its name, as it is known by the end of the recording."""
        self._rows.append({"tick": tick, "seconds": tick / TICKS_PER_SECOND, **values})
        self._connections.append(connection)

    def rows(self) -> list[dict[str, Any]]:
        """The rows so far, in the order of the file."""
        if "name" in self.schema.column_names:
            for row, connection in zip(self._rows, self._connections, strict=True):
                row["name"] = None if connection is None else connection.name_at(row["tick"])
        return self._rows

    def build(self) -> pa.Table:
        """The table."""
        return self.schema.build_rows(self.rows())
