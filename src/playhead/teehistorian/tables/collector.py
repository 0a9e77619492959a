"""How a table is made: one collector a table, registered by its definition, all fed by one pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from playhead.tables import TableSchema
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.driver import Driver, Outcome
from playhead.teehistorian.state.holders import Holders
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.tables.int32_columns import Int32Columns

_REGISTERED: dict[str, type[Collector]] = {}

#: The collector of every table, by the table's name. To define one with a schema in `tables` is to add it here.
COLLECTORS: Mapping[str, type[Collector]] = MappingProxyType(_REGISTERED)


class Collector(ABC):
    """Makes one table of one recording.

    Attributes:
        schema: of the table; a class that has one is registered.
        takes: types of the messages and extensions that `take` is called with.
        fills: which columns of the `ColumnPass` it needs; None for none.
    """

    schema: ClassVar[TableSchema]
    takes: ClassVar[tuple[type, ...]] = ()
    fills: ClassVar[str | None] = None

    def __init_subclass__(cls) -> None:
        if "schema" in cls.__dict__:
            _REGISTERED[cls.schema.name] = cls

    def __init__(self, header: Header) -> None:
        self.header = header

    def attach(self, columns: ColumnPass, holders: Holders) -> None:  # noqa: B027  (most need no columns)
        """Keep the pass that fills the columns, and whose rows they are; called before it begins."""

    def take(self, rare: RareMessage) -> None:  # noqa: B027  (some need no messages)
        """Look at one message."""

    @abstractmethod
    def build(self, outcome: Outcome) -> pa.Table:
        """Return the table, once the pass is over."""

    @classmethod
    def needs_pass(cls) -> bool:
        """Whether it needs more than the outcome of a pass that is over."""
        return bool(cls.takes) or cls.fills is not None


class BulkCollector(Collector):
    """Makes a table that grows with every tick, whole or piece by piece.

    Attributes:
        made_of: by column of the table, places of the columns of the pass that it is made of.
        only: the columns that are wanted; None for all. Set it before the pass.
    """

    made_of: ClassVar[Mapping[str, tuple[int, ...]]]
    only: Sequence[str] | None = None
    _columns: ColumnPass
    _holders: Holders

    def attach(self, columns: ColumnPass, holders: Holders) -> None:
        self._columns = columns
        self._holders = holders
        if self.only is not None:
            needed = {place for name in self.only for place in self.made_of[name]}
            known = {place for places in self.made_of.values() for place in places}
            self.filled(columns).leave_out(known - needed)

    @staticmethod
    @abstractmethod
    def filled(columns: ColumnPass) -> Int32Columns:
        """Return the columns of the pass that it is made of."""

    def build(self, outcome: Outcome) -> pa.Table:
        return self.piece()

    @abstractmethod
    def piece(self) -> pa.Table:
        """Return the rows that the pass has made since the last call."""

    def batches(self, driver: Driver, rows: int) -> Iterator[pa.RecordBatch]:
        """Go through a recording in flat memory; yield the table in batches of at most `rows` rows."""
        columns = driver.columns
        self.attach(columns, driver.holders)
        more = True
        while more:
            more = driver.advance(rows - columns.longest())
            ready = columns.longest()
            if ready and (ready == rows or driver.feed.idle or not more):
                yield from self.piece().combine_chunks().to_batches()


class RowCollector(Collector):
    """Makes a table of rare messages, row by row."""

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self._rows: list[dict[str, Any]] = []
        self._connections: list[Connection | None] = []

    def _add(self, tick: int, connection: Connection | None, **values: Any) -> None:
        """Add a row; a connection gives its session and its name, as it is known by the end of the recording."""
        self._rows.append({"tick": tick, "seconds": tick / TICKS_PER_SECOND, **values})
        self._connections.append(connection)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows so far, in the order of the file."""
        if "name" in self.schema.column_names:
            for row, connection in zip(self._rows, self._connections, strict=True):
                row["session"] = None if connection is None else connection.number
                row["name"] = None if connection is None else connection.name_at(row["tick"])
        return self._rows

    def build(self, outcome: Outcome) -> pa.Table:
        return self.schema.build_rows(self.rows())
