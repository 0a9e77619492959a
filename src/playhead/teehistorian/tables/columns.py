"""Columns that several tables share, and how ticks and codes become Arrow columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from playhead.tables import Column

if TYPE_CHECKING:
    import pyarrow as pa

#: Simulation rate of a server.
TICKS_PER_SECOND = 50

CLIENT = Column("client", "int32", "Client id: the player's slot on the server, reused after it leaves.")
NAME = Column(
    "name",
    "string",
    "Name of the player behind the client id at that tick, as the server gave it or, before 18.3, as the client "
    "asked for it; null if the file does not tell.",
)
TEAM = Column("team", "int32", "DDRace team; 0 is no team. Null before DDNet 15.6, which does not record it.")


def seconds(ticks: pa.ChunkedArray) -> pa.ChunkedArray:
    """Column ``seconds`` from column ``tick``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.divide(ticks.cast(pa.float64()), float(TICKS_PER_SECOND))


def category(codes: pa.ChunkedArray, names: Sequence[str]) -> pa.ChunkedArray:
    """A column of names from a column of their numbers."""
    import pyarrow as pa

    dictionary = pa.array(names, pa.string())
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(chunk, dictionary) for chunk in codes.chunks],
        pa.dictionary(pa.int32(), pa.string()),
    )


def constant_category(name: str, like: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column that says the same in every row, in chunks like those of another."""
    import pyarrow as pa

    zero = pa.scalar(0, pa.int32())
    dictionary = pa.array([name], pa.string())
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(pa.repeat(zero, len(chunk)), dictionary) for chunk in like.chunks],
        pa.dictionary(pa.int32(), pa.string()),
    )
