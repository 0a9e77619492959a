from array import array
from collections.abc import Mapping

import pyarrow as pa

def row_heads(
    orders: array[int] | None, ticks: array[int], users: array[int], players: Mapping[int, int], rate: float
) -> dict[str, pa.Array]: ...
