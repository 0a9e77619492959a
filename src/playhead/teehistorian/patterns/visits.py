"""The inputs of one session, as plain columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from playhead.runtime.records import dataclass
from playhead.teehistorian.state.connections import Clients, Connection
from playhead.teehistorian.stream.inputs import INPUT_FIELDS

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.teehistorian.tables.window import Window


@dataclass(frozen=True, slots=True)
class Visit:
    """What one session pressed and where its tee was.

    Attributes:
        connection: whose inputs these are.
        tick: ascending ticks on which an input began to act, at most one a tick.
        inputs: for each field of an input, its value from each of these ticks on.
        path: (tick, x, y) whenever the tee appeared or moved.
    """

    connection: Connection
    tick: list[int]
    inputs: dict[str, list[int]]
    path: list[tuple[int, int, int]]


class InputSource(Protocol):
    """What is needed of a recording."""

    @property
    def clients(self) -> Clients:
        """Who was connected when."""

    def read_tables(self, names: Iterable[str]) -> Mapping[str, pa.Table]:
        """Return tables by name."""


class InputTables:
    """Inputs and positions of a recording, or of a stretch of it, from which visits are taken."""

    def __init__(self, replay: InputSource, window: Window | None = None) -> None:
        self.connections = replay.clients.connections
        if window is None:
            tables = replay.read_tables(["inputs", "positions"])
            self._inputs, self._positions = tables["inputs"], tables["positions"]
        else:
            self._inputs, self._positions = window.inputs, window.positions

    def visits(self, cid: int, *, with_path: bool = True) -> Iterator[Visit]:
        """The visits in a slot, those without inputs left out; without their path, they cost half as much."""
        import pyarrow as pa
        import pyarrow.compute as pc

        inputs = self._inputs.filter(pc.equal(self._inputs["client"], cid))
        if inputs.num_rows:  # an input that the next one replaces does not act
            replaced = pa.chunked_array([inputs["replaces"].combine_chunks()[1:], pa.array([False])])
            inputs = inputs.filter(pc.invert(replaced))
        positions = self._positions.filter(pc.equal(self._positions["client"], cid)) if with_path else None
        for connection in self.connections:
            if connection.cid != cid:
                continue
            own = inputs.filter(pc.equal(inputs["session"], connection.number))
            if own.num_rows:
                path = []
                if positions is not None:
                    path = _path(positions.filter(pc.equal(positions["session"], connection.number)))
                fields = {name: own[name].to_pylist() for name in INPUT_FIELDS}
                yield Visit(connection, own["tick"].to_pylist(), fields, path)


def _path(positions: pa.Table) -> list[tuple[int, int, int]]:
    import pyarrow.compute as pc

    seen = positions.filter(pc.not_equal(positions["event"].cast("string"), "gone"))
    return list(zip(*(seen[name].to_pylist() for name in ("tick", "x", "y")), strict=True))
