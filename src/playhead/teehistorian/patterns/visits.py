"""`Visit`: the inputs of one connection, as plain columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import dataclass
from playhead.tables.value_arrays import scalar_of
from playhead.teehistorian.state.connections import Clients, Connection
from playhead.teehistorian.stream.ticks import INPUT_FIELDS

if TYPE_CHECKING:
    from playhead.teehistorian.tables.window import Window


@dataclass(frozen=True, slots=True)
class Visit:
    """The inputs of one connection and the positions of its tee.

    Attributes:
        connection: whose they are.
        tick: ascending first ticks of inputs, at most one input per tick.
        inputs: by field of an input, its value from each of these ticks on.
        path: (tick, x, y) of each appearance and move of the tee.
    """

    connection: Connection
    tick: list[int]
    inputs: dict[str, list[int]]
    path: list[tuple[int, int, int]]


class InputSource(Protocol):
    """The part of a replay that this module uses."""

    @property
    def clients(self) -> Clients:
        """Connections by client id and tick."""

    def read_tables(self, names: Iterable[str]) -> Mapping[str, pa.Table]:
        """Return tables by name."""


class InputTables:
    """Inputs and positions of a recording, or of some of its ticks, for the creation of visits."""

    def __init__(self, replay: InputSource, window: Window | None = None) -> None:
        self.connections = replay.clients.connections
        if window is None:
            tables = replay.read_tables(["inputs", "positions"])
            self._inputs, self._positions = tables["inputs"], tables["positions"]
        else:
            self._inputs, self._positions = window.inputs, window.positions

    def visits(self, cid: int, *, with_path: bool = True) -> Iterator[Visit]:
        """Return the visits of a slot that have inputs; without their path, this takes half the time."""
        inputs = _of_number(self._inputs, "client", cid)
        if inputs.num_rows:  # the next input replaces this one, which does not act
            replaced = pa.chunked_array([inputs["replaces"].combine_chunks()[1:], pa.array([False])])
            inputs = inputs.filter(pc.invert(replaced))
        positions = _of_number(self._positions, "client", cid) if with_path else None
        for connection in self.connections:
            if connection.cid != cid:
                continue
            own = _of_number(inputs, "player", connection.number)
            if own.num_rows:
                path = []
                if positions is not None:
                    path = _path(_of_number(positions, "player", connection.number))
                fields = {name: own[name].to_pylist() for name in INPUT_FIELDS}
                yield Visit(connection, own["tick"].to_pylist(), fields, path)


def _of_number(table: pa.Table, column: str, number: int) -> pa.Table:
    """Return the rows of a client or player."""
    return table.filter(pc.equal(table[column], scalar_of(number, table[column].type)))


def _path(positions: pa.Table) -> list[tuple[int, int, int]]:
    seen = positions.filter(pc.not_equal(positions["event"].cast("string"), "gone"))
    return list(zip(*(seen[name].to_pylist() for name in ("tick", "x", "y")), strict=True))
