"""`TableBuilder`: builds one table; one pass over the recording feeds all builders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from playhead.runtime.libraries import pa
from playhead.tables import TableSchema
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.driver import Driver, PassOutcome
from playhead.teehistorian.state.holders import Holders
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

if TYPE_CHECKING:
    from playhead.tables.int32_columns import Int32Columns


class TableBuilder(ABC):
    """Builds one table of one recording.

    Attributes:
        schemas: the schema of the table, alone.
        handles: types of the messages and extensions that `on_message` gets.
        fills: the columns of the `ColumnPass` that it reads, if any.
    """

    schemas: ClassVar[tuple[TableSchema]]
    handles: ClassVar[tuple[type, ...]] = ()
    fills: ClassVar[str | None] = None

    def __init__(self, header: Header) -> None:
        self.header = header

    @property
    def schema(self) -> TableSchema:
        """The schema of the table."""
        return self.schemas[0]

    def attach(self, columns: ColumnPass, holders: Holders) -> None:  # noqa: B027  (most read no columns)
        """Keep the pass that fills the columns, and the owners of its rows. Called before the pass begins."""

    def on_message(self, rare: RareMessage) -> None:  # noqa: B027  (some need no messages)
        """Handle one message."""

    @abstractmethod
    def build(self, outcome: PassOutcome) -> pa.Table:
        """Return the table after the pass."""

    @classmethod
    def needs_pass(cls) -> bool:
        """Return whether it needs a pass of its own, not only the outcome of an earlier one."""
        return bool(cls.handles) or cls.fills is not None


class BulkBuilder(TableBuilder):
    """Builds a table that grows with every tick, whole or in pieces.

    Attributes:
        made_of: the positions of the pass's columns that each column of the table is built from.
        only: the columns to build; None for all. Set it before the pass.
    """

    made_of: ClassVar[Mapping[str, tuple[int, ...]]]
    only: Sequence[str] | None = None
    _columns: ColumnPass
    _holders: Holders

    def again(self, offset: int) -> Self:
        """Return a builder of the same columns for the messages from `offset` on."""
        made = type(self)(self.header)
        made.only = self.only
        return made

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
        """Return the columns of the pass that the table is built from."""

    def build(self, outcome: PassOutcome) -> pa.Table:
        return self.piece()

    @abstractmethod
    def piece(self) -> pa.Table:
        """Return the rows added since the last call."""

    def batches(self, driver: Driver, rows: int) -> Iterator[pa.RecordBatch]:
        """Read a recording in constant memory; yield the table in batches of at most `rows` rows."""
        columns = driver.columns
        self.attach(columns, driver.holders)
        more = True
        while more:
            more = driver.advance(rows - columns.longest())
            ready = columns.longest()
            if ready and (ready == rows or driver.feed.idle or not more):
                yield from self.piece().combine_chunks().to_batches()


class RowBuilder(TableBuilder):
    """Builds a table of rare messages, row by row."""

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self._rows: list[dict[str, Any]] = []
        self._connections: list[Connection | None] = []

    def _add(self, tick: int, connection: Connection | None, **values: Any) -> None:
        """Append a row, with the session and the name of its connection as the end of the recording knows them."""
        self._rows.append({"tick": tick, "seconds": tick / TICKS_PER_SECOND, **values})
        self._connections.append(connection)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows appended so far, in file order."""
        if "name" in self.schema.column_names:
            for row, connection in zip(self._rows, self._connections, strict=True):
                row["session"] = None if connection is None else connection.number
                row["name"] = None if connection is None else connection.name_at(row["tick"])
        return self._rows

    def build(self, outcome: PassOutcome) -> pa.Table:
        return self.schema.build_rows(self.rows())
