"""Properties of the people in the rows of a table, as they were at the tick of each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from playhead.runtime.libraries import pa, pc
from playhead.tables.value_arrays import array_of, scalar_of

#: Greater than the number of any player.
_PLAYERS = 1 << 20


def with_properties(table: pa.Table, names: Sequence[str], series: Callable[[list[int]], pa.Table]) -> pa.Table:
    """Return the table with columns for each column of a player in it: ``attacker_`` and the property for
    ``attacker_player``. They are null where the row has no such player, or no tick of the recording. A column that
    the table has already stays as it is.

    Args:
        table: a table with ``tick`` and one or more columns of players.
        names: the properties.
        series: returns, for ascending ticks, a table of ``tick``, ``player`` and the properties.
    """
    number = pa.int64()
    ticks = table.column("tick").cast(number)
    known = sorted({tick for tick in pc.unique(ticks).to_pylist() if tick is not None and tick >= 0})
    states = series(known) if known else None
    if states is not None:
        keys = _keys(states.column("tick").cast(number), states.column("player").cast(number))
    of_people = [name for name in table.column_names if name == "player" or name.endswith("_player")]
    for column in of_people:
        if table.schema.field(column).type != pa.int32():
            continue
        role = column.removesuffix("player")
        if states is None:
            place = pa.nulls(len(table), pa.int32())
        else:
            place = pc.index_in(_keys(ticks, table.column(column).cast(number)), keys)
        for name in names:
            if role + name in table.column_names:
                continue
            values = (
                array_of([None] * len(table), pa.null()) if states is None else states.column(name).take(place)
            )
            table = table.append_column(role + name, values)
    return table


def _keys(ticks: pa.ChunkedArray, players: pa.ChunkedArray) -> pa.Array:
    keys = pc.add(pc.multiply(ticks, scalar_of(_PLAYERS, pa.int64())), players)
    return pa.concat_arrays(keys.chunks) if keys.num_chunks else pa.nulls(0, pa.int64())
