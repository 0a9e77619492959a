"""`TableBuilder`: builds one table; one pass over the recording feeds all builders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, ClassVar, Self, TypeAlias

from playhead.errors import FactError
from playhead.model import ProblemHandler
from playhead.runtime.libraries import pa
from playhead.tables import TableSchema
from playhead.tables.column_buffers import CHUNK_ROWS, Int32Columns
from playhead.tables.deferred import Built, DeferredTable, Maker
from playhead.tables.registry import cost_of
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.state.driver import Driver, PassOutcome
from playhead.teehistorian.state.tracker import RareMessage
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

#: Makes a column of a table from the next rows of one of the pass's columns; the latter's place, by name.
Recipe: TypeAlias = Callable[[Any, "pa.ChunkedArray"], "pa.ChunkedArray"]
Recipes: TypeAlias = Mapping[str, tuple[int, Recipe]]


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

    def attach(self, columns: ColumnPass) -> None:  # noqa: B027  (most read no columns)
        """Keep the pass that fills the columns. Called before the pass begins."""

    def on_message(self, rare: RareMessage) -> None:  # noqa: B027  (some need no messages)
        """Handle one message."""

    @abstractmethod
    def build(self, outcome: PassOutcome) -> Built:
        """Return the table after the pass."""

    @classmethod
    def needs_pass(cls) -> bool:
        """Return whether it needs a pass of its own, not only the outcome of an earlier one."""
        return bool(cls.handles) or cls.fills is not None


class BulkBuilder(TableBuilder):
    """Builds a table that grows with every tick, whole or in pieces.

    Attributes:
        recipes: for each column of the table, the place of the pass's column that it is made of, and how.
        only: the columns to build; None for all. Set it before the pass.
    """

    fills: ClassVar[str]
    recipes: ClassVar[Recipes]
    only: Sequence[str] | None = None
    _columns: ColumnPass

    def again(self, offset: int) -> Self:
        """Return a builder of the same columns for the messages from `offset` on."""
        made = type(self)(self.header)
        made.only = self.only
        return made

    def attach(self, columns: ColumnPass) -> None:
        self._columns = columns
        if self.only is not None:
            needed = {self.recipes[name][0] for name in self.only}
            self._filled().leave_out({place for place, _ in self.recipes.values()} - needed)

    def _filled(self) -> Int32Columns:
        """Return the columns of the pass that the table is built from."""
        filled: Int32Columns = getattr(self._columns, self.fills.removesuffix("s") + "_columns")
        return filled

    def build(self, outcome: PassOutcome) -> Built:
        filled = self._filled()
        return self.piece() if len(filled) <= CHUNK_ROWS or self.only is not None else self._deferred(filled)

    def piece(self) -> pa.Table:
        """Return the rows added since the last call."""
        return self._made(self._filled().to_arrow(), self.only)

    def _made(self, columns: Sequence[pa.ChunkedArray], only: Sequence[str] | None) -> pa.Table:
        """Return the table, or only some of its columns, of these rows of the pass's columns."""
        made = {}
        for name in self.schema.column_names if only is None else only:
            place, recipe = self.recipes[name]
            made[name] = recipe(self, columns[place])
        return self.schema.build(made, only)

    def _deferred(self, filled: Int32Columns) -> DeferredTable:
        """Return the table with all its columns packed, to be made when they are read."""
        rows, packed = len(filled), filled.packed()
        anew = copy(self)
        del anew._columns  # holds the bytes of the recording

        def begin(names: Sequence[str]) -> Maker:
            builder = copy(anew)
            needed = {builder.recipes[name][0] for name in names}

            def make(first: int, count: int) -> dict[str, pa.ChunkedArray]:
                columns = [
                    column.to_arrow(first, count) if column is not None and place in needed else None
                    for place, column in enumerate(packed)
                ]
                part = builder._made(columns, names)
                return {name: part[name] for name in names}

            return make

        kept = sum(column.nbytes for column in packed if column is not None)
        return DeferredTable(self.schema.arrow(), rows, pa.table({}), begin, kept)

    def batches(self, driver: Driver, rows: int) -> Iterator[pa.RecordBatch]:
        """Read a recording in constant memory; yield the table in batches of at most `rows` rows."""
        columns = driver.columns
        self.attach(columns)
        more = True
        while more:
            more = driver.advance(rows - columns.longest())
            ready = columns.longest()
            if ready and (ready == rows or driver.feed.idle or not more):
                yield from self.piece().combine_chunks().to_batches()


class Guarded:
    """Passes messages to a builder. The first message that it cannot handle is a problem; the others are rows.

    Args:
        note: called with the problem and its cost; in strict mode it raises the problem.
    """

    def __init__(self, builder: TableBuilder, note: ProblemHandler) -> None:
        self.handles = builder.handles
        self._builder = builder
        self._note: ProblemHandler | None = note

    def on_message(self, rare: RareMessage) -> None:
        """Handle one message."""
        try:
            self._builder.on_message(rare)
        except Exception as error:
            problem = FactError.of(error, f"table {self._builder.schema.name}", tick=rare.tick)
            note, self._note = self._note, None
            if note is not None:
                note(problem, cost_of(self._builder))


class RowBuilder(TableBuilder):
    """Builds a table of rare messages, row by row."""

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self._rows: list[dict[str, Any]] = []
        self._connections: list[Connection | None] = []

    def _add(self, tick: int, connection: Connection | None, **values: Any) -> None:
        """Append a row, with the number and the name of its connection as the end of the recording knows them."""
        self._rows.append({"tick": tick, "seconds": tick / TICKS_PER_SECOND, **values})
        self._connections.append(connection)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows appended so far, in file order."""
        if "name" in self.schema.column_names:
            for row, connection in zip(self._rows, self._connections, strict=True):
                row["player"] = None if connection is None else connection.number
                row["name"] = None if connection is None else connection.name_at(row["tick"])
        return self._rows

    def build(self, outcome: PassOutcome) -> pa.Table:
        return self.schema.build_rows(self.rows())
