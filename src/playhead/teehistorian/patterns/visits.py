"""One player's inputs, connection by connection, as plain columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playhead.teehistorian.connections import Connection
from playhead.teehistorian.inputs import INPUT_FIELDS

if TYPE_CHECKING:
    from playhead.teehistorian.replay import TeehistorianReplay


@dataclass(frozen=True, slots=True)
class Visit:
    """What one connection pressed and where its tee was.

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


def read_visits(replay: TeehistorianReplay, cid: int) -> Iterator[Visit]:
    """The visits in a slot, those without inputs left out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    tables = replay.read_tables(["inputs", "positions"])
    inputs = tables["inputs"].filter(pc.equal(tables["inputs"]["client"], cid))
    if inputs.num_rows:  # an input that the next one replaces does not act
        replaced = pa.chunked_array([inputs["replaces"].combine_chunks()[1:], pa.array([False])])
        inputs = inputs.filter(pc.invert(replaced))
    positions = tables["positions"].filter(pc.equal(tables["positions"]["client"], cid))
    for connection in replay.clients.connections:
        if connection.cid != cid:
            continue
        own = _between(inputs, "recorded_tick", connection)
        if own.num_rows:
            seen = _between(positions, "tick", connection)
            seen = seen.filter(pc.not_equal(seen["event"].cast("string"), "gone"))
            path = list(zip(*(seen[name].to_pylist() for name in ("tick", "x", "y")), strict=True))
            fields = {name: own[name].to_pylist() for name in INPUT_FIELDS}
            yield Visit(connection, own["tick"].to_pylist(), fields, path)


def _between(table: Any, column: str, connection: Connection) -> Any:
    import pyarrow.compute as pc

    inside = pc.greater_equal(table[column], connection.tick)
    if connection.drop_tick is not None:
        inside = pc.and_(inside, pc.less_equal(table[column], connection.drop_tick))
    return table.filter(inside)
